#!/bin/sh
# Makes docs/screens: the first screen of every kind of page at 390 by 844 and 1440 by 900, in chromium and without a
# network, by the test that holds the answer to be in it.
set -eu
docs=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$docs/screens"
cd "$docs/.."
WHYSLOW_REQUIRE_E2E=1 WHYSLOW_SCREENS="$docs/screens" \
    cargo test -p whyslow --test e2e -- --exact first_screen::every_page_answers_in_its_first_screen
ls "$docs/screens"
