#!/bin/sh
# Simulators beside each other on the same traces, in turn, five rounds: accesses a second, and misses of L1 and L2, which must
# agree. L1 32 KiB of 8 ways, L2 1 MiB of 16, LRU, 64 B lines, reads only.
#
#   docs/sim-rivals.sh OURS DINERO PYTHON DRCACHESIM [ACCESSES]
#
# OURS: the example sim_trace, built in release mode. DINERO: the program of Dinero IV. PYTHON: a Python that has pycachesim.
# DRCACHESIM: a program that gives a trace to the library of DynamoRIO's cache simulator, takes the trace as its argument and
# prints `N M/s` first. `-` leaves one out. Dinero reads its binary format from a file, which is part of its time; the others
# have the trace in memory.
set -eu
[ $# -ge 4 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
ours=$1 dinero=$2 python=$3 drcachesim=$4 count=${5:-2000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for pattern in resident random hot stride; do
    "$ours" make "$pattern" "$count" "$work/$pattern"
    # Dinero's records: the address in 4 bytes, the size in 2, the type (0 is a read), nothing.
    python3 - "$work/$pattern" <<'PY'
import array, sys
words = array.array('Q', open(sys.argv[1], 'rb').read())
array.array('Q', (word | 8 << 32 for word in words)).tofile(open(sys.argv[1] + '.din', 'wb'))
PY
done
cat > "$work/pycachesim.py" <<'PY'
import array, sys, time
from cachesim import Cache, CacheSimulator, MainMemory
addresses = array.array('Q', open(sys.argv[1], 'rb').read()).tolist()
memory = MainMemory()
l2 = Cache('L2', 1024, 16, 64, 'LRU')
memory.load_to(l2)
memory.store_from(l2)
l1 = Cache('L1', 64, 8, 64, 'LRU', store_to=l2, load_from=l2)
caches = CacheSimulator(l1, memory)
begun = time.perf_counter()
caches.load(addresses, length=1)
took = time.perf_counter() - begun
misses = [own.backend.MISS_count for own in (l1, l2)]
print(f'{len(addresses) / took / 1e6:.2f} M/s, misses {misses}')
PY
dinero() {
    begun=$(date +%s%N)
    "$dinero" -l1-dsize 32k -l1-dassoc 8 -l1-dbsize 64 -l2-usize 1m -l2-uassoc 16 -l2-ubsize 64 -informat b \
        < "$1.din" > "$work/said"
    took=$(($(date +%s%N) - begun))
    awk -v count="$count" -v took="$took" '/Demand Misses/ { misses = misses (misses ? ", " : "") $3 }
        END { printf "%.2f M/s, misses [%s]\n", 1000 * count / took, misses }' "$work/said"
}
for round in 1 2 3 4 5; do
    for pattern in resident random hot stride; do
        trace=$work/$pattern
        echo "$round $pattern whyslow: $("$ours" run "$trace")"
        [ "$dinero" = - ] || echo "$round $pattern dinero: $(dinero "$trace")"
        [ "$python" = - ] || echo "$round $pattern pycachesim: $("$python" "$work/pycachesim.py" "$trace")"
        [ "$drcachesim" = - ] || echo "$round $pattern drcachesim: $("$drcachesim" "$trace" 2>&1 | tr '\n' ' ' |
            sed -E 's/Cache sim.*L1D0[^:]*:[^:]*: *[0-9]+ *Misses: *([0-9]+).*LL [^:]*:[^:]*: *[0-9]+ *Misses: *([0-9]+).*/, misses [\1, \2]/')"
    done
done
