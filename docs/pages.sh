#!/bin/sh
# Makes the page of each published case in docs/seeds: docs/pages.sh FOLDER [WHYSLOW]
set -eu
mkdir -p "${1:?usage: docs/pages.sh FOLDER [WHYSLOW]}"
to=$(cd "$1" && pwd)
# The program by its whole path: the records lie in another folder.
whyslow=$(command -v "${2:-whyslow}")
whyslow=$(cd "$(dirname "$whyslow")" && pwd)/$(basename "$whyslow")
seeds=$(cd "$(dirname "$0")/seeds" && pwd)
records=$(mktemp -d)
trap 'rm -rf "$records"' EXIT

# The records of a table, one a system.
import() { "$whyslow" import "$seeds/$1.txt" -o "$records/$1" >/dev/null; }

for seed in seed1-curve seed2-lmbench seed3-byte seed3-machines seed3-ramspeed seed4-builds seed5-smp; do
    import "$seed"
done
cd "$records"
page() {
    name=$1
    shift
    "$whyslow" report "$@" -o "$name.html"
    echo "$name.html: $*"
}
page seed1 seed1-curve.linux_2_2_1.whyslow seed1-curve.digital_unix.whyslow
page seed2 seed2-lmbench.ds10_linux_2_4_23.whyslow seed2-lmbench.ds10_linux_2_4_23a.whyslow
page seed3 seed3-byte.appserver_geo.whyslow seed3-byte.beastie_lab.whyslow \
    --also-a seed3-ramspeed.appserver_geo.whyslow --also-b seed3-ramspeed.beastie_lab.whyslow \
    --also-a seed3-machines.appserver_geo.whyslow --also-b seed3-machines.beastie_lab.whyslow
page seed4 seed4-builds.up1000.whyslow seed4-builds.cs20.whyslow
page seed5 seed5-smp.1_2_5.whyslow seed5-smp.1_3_37_smp.whyslow
mv "$records"/*.html "$to"
