#!/bin/bash
# Causes planted into eight nodes of a Slurm on this machine, and what `fleet` makes of them:
#
#     planted.sh PROGRAM FOLDER [FLEET...]      a FLEET is none, or the causes of n3 and n6, such as seccomp+thp
#
# measures the fleets, each as FOLDER/FLEET.N, and prints the table of all in it, so that a report that has changed can be
# tried on the same records. Causes: seccomp (a filter of 200 rules), thp (no transparent huge pages), quota (half a CPU),
# preload (ten libraries), stream (memory copied on the last CPU). The last two are around or beside each job of a node, the
# others around its slurmd. All nodes are this machine, so one is measured at a time. ROUNDS are the processes a point,
# MEASURED the program that measures, if it is another one, WRAP a command that each job runs under, such as a lock; LOOKS=1
# leaves the second look to the next call.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,12p' "$0"; exit 2; }
program=$(realpath "$1") folder=$(realpath -m "$2")
shift 2
here=$(dirname "$(realpath "$0")")
measured=$(realpath "${MEASURED:-$program}")
looks=${LOOKS:-2}
mkdir -p "$folder"
points='os.null_call,os.fstat,os.read,os.write,cpu.arith{type=double},cpu.arith{type=int},proc.fork,proc.exec'
points+=',mem.latency{size=16KiB,order=random*},mem.latency{size=64MiB,order=random*},mem.latency{size=256MiB,order=random,pages=thp}'
points+=',mem.bandwidth{op=read,size=256MiB,cpus=1}'

condition() {
    case $1 in
    seccomp) echo seccomp=200 ;;
    thp) echo thp=off ;;
    quota) echo quota=50 ;;
    *) echo nothing ;;
    esac
}

launch() {
    "$program" fleet run "$@" --slurm --width 1 --binary "$work/program" -- --only "$points" --rounds "${ROUNDS:-3}" \
        >"$work/out" 2>&1 || cat "$work/out" >&2
}

for fleet in "$@"; do
    first=${fleet%+*} second=${fleet#*+}
    count=1
    while [ -e "$folder/$fleet.$count/.looks-$looks" ]; do
        count=$((count + 1))
    done
    records=$folder/$fleet.$count
    mkdir -p "$records"
    work=$(mktemp -d)
    trap 'sh "$here/slurm.sh" down "$work/slurm"; rm -rf "$work"' EXIT
    # What a neighbor does lasts as long as a job does, as all nodes are one machine; and the environment of a job is that of
    # whoever submitted it.
    cat >"$work/job" <<EOF
#!/bin/sh
planted=
case \$SLURMD_NODENAME in
n3) planted=$first ;;
n6) planted=$second ;;
esac
case \$planted in
stream)
    $measured __beside stream $(($(nproc) - 1)) \$\$ >/dev/null &
    neighbor=\$!
    $measured "\$@"
    code=\$?
    kill \$neighbor
    exit \$code
    ;;
preload) exec $measured __under preload=10 -- $measured "\$@" ;;
esac
exec $measured "\$@"
EOF
    # A neighbor works no longer than what it is beside, so that the wrapper is around both.
    printf '#!/bin/sh\nexec %s %s "$@"\n' "${WRAP:-}" "$work/job" >"$work/program"
    chmod +x "$work/program" "$work/job"
    mkdir "$work/slurm"
    sh "$here/slurm.sh" up "$work/slurm" 8 "n3=$measured __under $(condition "$first") --" \
        "n6=$measured __under $(condition "$second") --"
    export SLURM_CONF=$work/slurm/slurm.conf
    if [ ! -e "$records/.looks-1" ]; then
        launch "$records"
        touch "$records/.looks-1"
    fi
    if [ "$looks" = 2 ]; then
        launch "$records" --confirm
        touch "$records/.looks-2"
    fi
    sh "$here/slurm.sh" down "$work/slurm"
    sleep 1
    rm -rf "$work"
    trap - EXIT
done
exec python3 "$here/planted.py" "$program" "$folder"
