#!/bin/sh
# Makes docs/report.png, the picture in the README, with chromium and without a network, of the page of two published
# lmbench runs in docs/seeds, so that it is the same wherever it is made: docs/screenshot.sh [WHYSLOW]
set -eu
docs=$(cd "$(dirname "$0")" && pwd)
# The program by its whole path: the records lie in another folder.
whyslow=$(command -v "${1:-whyslow}")
whyslow=$(cd "$(dirname "$whyslow")" && pwd)/$(basename "$whyslow")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$whyslow" import "$docs/seeds/seed2-lmbench.txt" -o lmbench >/dev/null
"$whyslow" report lmbench.ds10_linux_2_4_23.whyslow lmbench.ds10_linux_2_4_23a.whyslow -o page.html
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=980,1240 \
    --virtual-time-budget=6000 --user-data-dir="$work/profile" --screenshot="$docs/report.png" \
    "file://$work/page.html" >/dev/null 2>&1
echo "$docs/report.png"
