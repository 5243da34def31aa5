#!/bin/sh
# A Slurm of several nodes on this one machine, without root and without munge: `slurm.sh up DIR N [NODE=COMMAND...]` starts
# nodes n1 to nN, NODE's with all of its jobs under COMMAND; `slurm.sh down DIR` stops what `up` started. In between, the
# commands of Slurm find it by SLURM_CONF=DIR/slurm.conf.
set -eu
verb=$1 dir=$2
shift 2
export SLURM_CONF="$dir/slurm.conf"

stop() {
    for file in "$dir"/run/*.pid; do
        [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null || true
    done
}

configuration() {
    host=$(uname -n) user=$(id -un)
    # Below the ports that the kernel gives to connections.
    port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 600 * 20))
    cat <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$(nproc) RealMemory=100
PartitionName=all Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP
EOF
}

# Whether all nodes came up, each under its command.
start() {
    mkdir -p "$dir/state" "$dir/run" "$dir/log"
    configuration >"$SLURM_CONF"
    slurmctld || return
    node=1
    while [ "$node" -le "$nodes" ]; do
        under=
        for wrapped in "$@"; do
            [ "${wrapped%%=*}" = "n$node" ] && under=${wrapped#*=}
        done
        # A command with its words, which may have to live as long as the node does and may end with the shell that
        # started it: so that one stays.
        # shellcheck disable=SC2086
        ($under slurmd -D -N "n$node"; :) >>"$dir/log/n$node" 2>&1 </dev/null &
        node=$((node + 1))
    done
    for _ in $(seq 300); do
        [ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" = "$nodes" ] && return
        sleep 0.1
    done
    return 1
}

case $verb in
up)
    nodes=$1
    shift
    trap stop EXIT
    # A port may be another's, and a machine that is busy with other tests may be late.
    for _ in 1 2 3; do
        if start "$@"; then
            trap - EXIT
            exit 0
        fi
        echo "not all nodes came up:" >&2
        tail -n 5 "$dir"/log/* >&2 || true
        stop
        sleep 2
        rm -rf "$dir"
    done
    exit 1
    ;;
down)
    stop
    ;;
esac
