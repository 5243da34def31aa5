#!/bin/sh
# Makes docs/report.png, the picture in the README, of the page of two records, with chromium and without a network:
# docs/screenshot.sh A.whyslow B.whyslow [WHYSLOW]
set -eu
usage='usage: docs/screenshot.sh A.whyslow B.whyslow [WHYSLOW]'
a=${1:?$usage}
b=${2:?$usage}
to=$(cd "$(dirname "$0")" && pwd)/report.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${3:-whyslow}" report "$a" "$b" -o "$work/page.html"
# What a reader sees before scrolling, and the first of the differences.
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=980,1500 \
    --virtual-time-budget=6000 --user-data-dir="$work/profile" --screenshot="$to" "file://$work/page.html" \
    >/dev/null 2>&1
echo "$to"
