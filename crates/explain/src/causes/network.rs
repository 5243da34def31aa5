//! The way of packets: queues, filters and namespaces of the network, the loopback interface included.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, Moved};
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;
use whyslow_model::text::words;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "network",
    title: "the way of packets (queues, filters, namespaces)",
    said: &[
        "netem",
        "packet steering",
        "qdisc",
        "net/sched",
        "sch_fq",
        "sch_htb",
        "sch_cake",
        "packet scheduler",
        "packet scheduling",
        "fq_codel",
        "byte queue limits",
        "bql",
        "pfifo",
        "iptables",
        "nftables",
        "ipvs",
        "conntrack",
        "firewall",
        "traffic control",
        "tc filter",
        "ebpf dataplane",
        "xdp",
        "af_xdp",
        "dpdk",
        "kernel stack",
        "loopback",
        "127.0.0.1",
        "localhost",
        "lo interface",
        "on lo",
        "unix socket",
        "unix domain",
        "unix domain socket",
        "domain socket",
        "uds",
        "af_unix",
        "named pipe",
        "tcp socket",
        "tcp",
        "tcp_nodelay",
        "nodelay",
        "nagle",
        "delayed ack",
        "quickack",
        "cork",
        "udp",
        "sctp",
        "quic",
        "http2",
        "http3",
        "http/2",
        "http/3",
        "grpc over",
        "ipv4",
        "ipv6",
        "network",
        "network=host",
        "net=host",
        "host network",
        "hostnetwork",
        "host networking",
        "bridge network",
        "bridge",
        "bridged",
        "docker0",
        "overlay network",
        "vxlan",
        "geneve",
        "macvlan",
        "ipvlan",
        "veth",
        "tap",
        "tun",
        "vswitch",
        "open vswitch",
        "ovs",
        "slirp",
        "slirp4netns",
        "pasta network",
        "nat",
        "snat",
        "dnat",
        "masquerade",
        "port forward",
        "port mapping",
        "userland-proxy",
        "docker-proxy",
        "kube-proxy",
        "cluster ip",
        "clusterip",
        "nodeport",
        "pod ip",
        "virtual ip",
        "service ip",
        "service mesh",
        "istio",
        "linkerd",
        "envoy sidecar",
        "sidecar",
        "calico",
        "flannel",
        "cilium",
        "weave",
        "cni",
        "ingress",
        "load balancer",
        "haproxy",
        "through proxy",
        "proxy",
        "mtu",
        "jumbo",
        "jumbo frames",
        "gso",
        "gro",
        "tso",
        "lro",
        "checksum offload",
        "rss",
        "rps",
        "rfs",
        "xps",
        "#queue",
        "queue pair",
        "#queues",
        "multiqueue nic",
        "multi-queue",
        "netdev",
        "nic",
        "nic driver",
        "e1000e",
        "ixgbe",
        "mlx5",
        "mlx5_0",
        "mellanox",
        "connectx",
        "qlogic",
        "chelsio",
        "solarflare",
        "bnxt_en",
        "1gbe",
        "10gbe",
        "25gbe",
        "40gbe",
        "100gbe",
        "#gbe",
        "#gbit",
        "gigabit",
        "ethernet",
        "wifi",
        "wlan",
        "wired",
        "infiniband",
        "rdma",
        "roce",
        "rocev2",
        "ib_verbs",
        "ipoib",
        "omnipath",
        "ucx",
        "libfabric",
        "efa",
        "shm provider",
        "shared memory transport",
        "sm btl",
        "vader",
        "cubic",
        "bbr",
        "bbr2",
        "dctcp",
        "reno",
        "congestion control",
        "vpn",
        "wireguard",
        "openvpn",
        "ipsec",
        "tailscale",
        "tls",
        "https",
        "keep-alive",
        "keepalive",
        "connection reuse",
        "persistent connection",
        "interrupt coalescing",
        "coalesce",
        "rx-usecs",
        "skb",
        "sockmap",
        "zerocopy",
        "msg_zerocopy",
        "sendfile",
        "same lan",
        "wan",
        "remote server",
        "socket buffer",
        "rmem",
        "wmem",
        "socket buffers",
        "somaxconn",
        "epoll server",
        "dns",
        "rx queue",
        "#rx queue",
        "offloads",
        "coalescing",
        "vhost-net",
        "vxlan overlay",
        "overlay routing",
        "native routing",
        "netfilter",
        "nfqueue",
        "libnetfilter_queue",
        "nf_hook",
        "stmmac",
        "igb",
        "i40e",
        "mlx4",
        "bnx2",
        "tg3",
        "r8169",
        "virtio_net",
        "virtio-net",
        "vpncloud",
        "tinc",
        "zerotier",
        "n2n",
        "mptcp",
    ],
    reaches: &[
        Role::LocalLatency,
        Role::LocalBandwidth,
        Role::SwitchSameCpu,
        Role::SwitchAnyCpu,
        Role::RealTime,
        Role::Application,
    ],
    what: "A message over TCP or UDP passes queueing disciplines and filters, also between two processes of one host; a pipe or a UNIX socket does not.",
    advice: &[
        "Look at `tc qdisc show`, at the filters (`nft list ruleset`) and at the MTU of the interface, also of lo.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Messages that are packets have to move this much further than the same exchange without them, as a logarithm.
const FURTHER: f64 = 0.25;

/// Weight of what the rows tell by themselves: no other cause parts packets from UNIX sockets.
const WEIGHT: f64 = 0.6;

/// Is it an exchange of packets, or one of the same kind without any? Nothing where it is neither.
fn is_packets(point: &Moved<'_>) -> Option<bool> {
    let id = point.point.point.probe.as_str();
    match point.point.point.get("over") {
        Some("tcp" | "udp") => Some(true),
        Some("unix") => Some(false),
        _ => (id == "ipc.pipe").then_some(false),
    }
}

/// Streams and round trips of other tools, which do not say what else lies between the two ends.
const STREAMS: Signature = Signature {
    must: &[Role::LocalBandwidth],
    may: &[Role::LocalLatency, Role::RealTime, Role::Application],
    spares: &[
        Role::Compute,
        Role::SystemCall,
        Role::MemoryBandwidth,
        Role::FileDevice,
    ],
    facts: &[],
    shown: false,
};

const ROUND_TRIPS: Signature = Signature {
    must: &[Role::LocalLatency],
    may: &[Role::LocalBandwidth, Role::RealTime, Role::Application],
    ..STREAMS
};

/// Does a row of another tool go over a network, as far as its name says?
fn goes_over(point: &Moved<'_>) -> bool {
    const WITHIN: [&str; 8] = [
        "pipe", "pipes", "unix", "shm", "sm", "self", "intra", "vader",
    ];
    let role = matches!(point.role, Role::LocalBandwidth | Role::LocalLatency);
    let id = point.point.point.probe.as_str();
    let own = id.starts_with("ipc.") || id.starts_with("net.") || id.starts_with("mpi.");
    let named = words(&point.name.replace(['_', '-'], " "));
    role && !own && !named.iter().any(|word| WITHIN.contains(&word.as_str()))
}

/// By the rows of other tools alone: where streams or round trips moved, and what has no packets did not.
fn by_rows(case: &Case<'_>) -> Option<Judgement> {
    let moved = case.points.iter().filter(|p| p.moved && goes_over(p));
    let streams = moved.clone().any(|p| p.role == Role::LocalBandwidth);
    moved.clone().next()?;
    let signature = if streams { &STREAMS } else { &ROUND_TRIPS };
    Some(signature.judge(case))
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    if case.points.iter().all(|p| is_packets(p).is_none()) {
        return by_rows(case);
    }
    let of = |packets: bool| {
        let points = case.points.iter();
        points.filter(move |p| is_packets(p) == Some(packets))
    };
    let mean = |packets: bool| {
        let count = of(packets).count();
        (count > 0).then(|| of(packets).map(|p| p.worse).sum::<f64>() / count as f64)
    };
    let (with, without) = (mean(true)?, mean(false)?);
    let moved = of(true).filter(|p| p.moved).count();
    if moved == 0 || with.abs() < without.abs() + FURTHER {
        return None;
    }
    let line = |point: &Moved<'_>| format!("{} is {}", point.name, point.said());
    let mut judgement = Judgement::new(CauseVerdict::Consistent, WEIGHT);
    for point in of(true).filter(|p| p.moved) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, line(point));
    }
    for point in of(false) {
        let speaks = if point.moved {
            Speaks::Neither
        } else {
            Speaks::For
        };
        let text = format!("{}, and passes no packets", line(point));
        judgement = judgement.with(speaks, EvidenceKind::Signature, text);
    }
    let mut roles: Vec<Role> = of(true).filter(|p| p.moved).map(|p| p.role).collect();
    roles.sort_unstable();
    roles.dedup();
    judgement.covers = roles.into_iter().map(|role| (role, Some(with))).collect();
    judgement.fits = true;
    Some(judgement.then(
        "whether all packets of this host are slow; on both hosts",
        "whyslow run --only 'net.*'",
    ))
}
