#!/bin/bash
# Two causes planted into eight nodes of a Slurm on this machine, and what `fleet` makes of them: `planted.sh PROGRAM TIMES`
# prints a line for each time. n3 runs under a seccomp filter of 200 rules, n6 under a quota of half a CPU, or under the
# condition SECOND, such as thp=off, of the cause CAUSE. All nodes are this machine, so one is measured at a time. WRAP, if
# set, is a command that each measurement runs under, such as a lock; ROUNDS are the processes a point.
set -euo pipefail
program=$(realpath "$1") times=$2
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'sh "$here/slurm.sh" down "$work/slurm"; rm -rf "$work"' EXIT
points='os.null_call,os.fstat,os.read,os.write,cpu.arith{type=double},cpu.arith{type=int},proc.fork,proc.exec'
points+=',mem.latency{size=16KiB,order=random*},mem.latency{size=64MiB,order=random*},mem.latency{size=256MiB,order=random,pages=thp}'
rounds=${ROUNDS:-5}
printf '#!/bin/sh\nexec %s %s "$@"\n' "${WRAP:-}" "$program" >"$work/program"
chmod +x "$work/program"
mkdir "$work/slurm"
sh "$here/slurm.sh" up "$work/slurm" 8 "n3=$program __under seccomp=200 --" "n6=$program __under ${SECOND:-quota=50} --"
export SLURM_CONF=$work/slurm/slurm.conf
for time in $(seq "$times"); do
    folder=$work/$time
    measure=("$program" fleet run "$folder" --slurm --width 1 --binary "$work/program")
    "${measure[@]}" -- --only "$points" --rounds "$rounds" >"$work/out" 2>&1 || cat "$work/out"
    "$program" fleet report "$folder" --format json >"$work/first" || [ $? = 1 ]
    "${measure[@]}" --confirm -- --only "$points" --rounds "$rounds" >"$work/out" 2>&1 || cat "$work/out"
    "$program" fleet report "$folder" --format json >"$work/second" || [ $? = 1 ]
    python3 - "${CAUSE:-cpu-quota}" "$work/first" "$work/second" <<'EOF'
import json, sys
planted = {'n3': 'seccomp', 'n6': sys.argv[1]}
for when, path in zip(('one record', 'confirmed'), sys.argv[2:]):
    report = json.load(open(path))
    slow = {node['node']: node for node in report['nodes'] if node['verdict'] == 'slow'}
    told = []
    for name, cause in planted.items():
        node = slow.get(name)
        families = [f['family'] for f in node['families'] if f['verdict'] == 'slower'] if node else []
        causes = [c['cause'] for c in (node.get('why') or {}).get('causes', [])] if node else []
        told.append(f"{name}: {', '.join(families) or 'not found'}; causes: {', '.join(causes) or 'none'}"
                    f" [{'right' if causes[:1] == [cause] else 'WRONG'}]")
    accused = sorted(set(slow) - set(planted))
    print(f"{when}: {' | '.join(told)} | accused: {', '.join(accused) or 'none'}")
EOF
done
