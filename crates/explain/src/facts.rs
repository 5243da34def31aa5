//! Facts first: what differs between two machines, as recorded or as their publication says it, and the causes that it
//! makes the first suspects.

mod meanings;
mod said;
mod text;

use std::borrow::Cow;

use whyslow_model::Record;
use whyslow_model::comparison::{Side, Verdict};
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::role::Role;
use whyslow_model::state::Change;

use crate::case::{Case, Moved, say};
use crate::cause::{Cause, Judgement, line};
use crate::causes::{self, CAUSES};

/// A cause that a fact speaks for.
struct Suspect<'c> {
    cause: &'static Cause,
    change: Cow<'c, Change>,
    /// How plainly: longer words are less likely to be there by chance.
    strength: f64,
    /// Does the fact speak for no other cause more plainly?
    plainest: bool,
    /// Is the fact a difference of it, rather than something that both sides say?
    differs: bool,
}

/// Weight of a suspect that what moved fits, or does not tell: above any signature alone, below one with facts.
const FITS: f64 = 0.7;

/// Weight of one that what moved speaks against.
const AGAINST: f64 = 0.22;

/// What the plainest of what is said adds.
const MOST: f64 = 0.2;

/// What is left of the weight of a cause that both sides speak of alike, where something else differs.
const BESIDE: f64 = 0.8;

/// Another processor that is spoken of less plainly than this share of what is said most plainly is named in passing.
const IN_THE_OPEN: f64 = 0.4;

/// Suspects nearer than this are one as likely as the other.
const NEAR: f64 = 0.05;

/// Without repetitions a difference of less than this, as a logarithm of 1.3, makes no cause sure.
const PLAIN_TO_SEE: f64 = 0.26;

/// Causes that move some work one way and some the other: each kind of work by its own amount.
const BOTH_WAYS: [&Cause; 5] = [
    &causes::compiler_or_library::CAUSE,
    &causes::copies::CAUSE,
    &causes::hardware::CAUSE,
    &causes::hypervisor::CAUSE,
    &causes::kernel::CAUSE,
];

/// From this share on what moved went one way.
const ONE_WAY: f64 = 0.75;

/// Judges the causes that what is stated of both machines makes suspects.
pub(crate) fn suspect(case: &Case<'_>, judged: &mut Vec<(&'static Cause, Judgement)>) {
    if case.knows_hosts() {
        return;
    }
    let mut found: Vec<(Suspect<'_>, Judgement)> = Vec::new();
    for suspect in suspects(case) {
        let before = judged.iter().find(|(c, _)| c.id == suspect.cause.id);
        let judgement = judge(case, &suspect, before.map(|(_, j)| j.clone()));
        found.push((suspect, judgement));
    }
    if found.is_empty() {
        return;
    }
    // What both sides say is what the difference is beside.
    if found.iter().any(|(suspect, _)| suspect.differs) {
        for (suspect, judgement) in &mut found {
            judgement.weight *= if suspect.differs { 1.0 } else { BESIDE };
        }
    }
    // Another processor changes all that the others would.
    let hardware = found
        .iter()
        .position(|(s, _)| s.cause.id == causes::hardware::CAUSE.id);
    let most = found.iter().map(|(s, _)| s.strength).fold(0.0, f64::max);
    let hardware = hardware.filter(|at| found[*at].0.strength >= most * IN_THE_OPEN);
    if let Some(at) = hardware {
        for (i, (_, judgement)) in found.iter_mut().enumerate() {
            if i != at {
                judgement.weight /= 2.0;
            }
        }
    }
    found.sort_by(|(_, x), (_, y)| y.weight.total_cmp(&x.weight));
    let near = |judgement: &Judgement, of: f64| of - judgement.weight < NEAR;
    let best = found.first().map_or(0.0, |(_, j)| j.weight);
    let rivals = found.iter().filter(|(_, j)| near(j, best)).count();
    let beyond = found
        .first()
        .is_some_and(|(suspect, _)| is_beyond(case, suspect));
    let sure = is_plain(case) && rivals == 1 && !is_thin(case) && !beyond;
    let of_program = found
        .iter()
        .all(|(suspect, _)| suspect.strength <= OF_PROGRAM);
    // Another kernel is a frame in which a finer cause may be at work.
    let kernel = found
        .first()
        .is_some_and(|(suspect, _)| suspect.cause.id == causes::kernel::CAUSE.id);
    for (at, (suspect, mut judgement)) in found.into_iter().enumerate() {
        let plain = suspect.plainest && suspect.differs;
        if judgement.verdict == CauseVerdict::Consistent && (at > 0 || !sure || !plain) {
            judgement.verdict = CauseVerdict::CannotTell;
        }
        match judged.iter_mut().find(|(c, _)| c.id == suspect.cause.id) {
            Some((_, known)) => *known = judgement,
            None => judged.push((suspect.cause, judgement)),
        }
    }
    // That a program was worked on does not say at what; rows that differ the more, the more work at once, do.
    if of_program {
        let lock = judged.iter_mut();
        let mut lock = lock.filter(|(c, j)| c.id == causes::lock_contention::CAUSE.id && j.fits);
        if let Some((_, judgement)) = lock.next() {
            judgement.weight = judgement.weight.max(FITS + MOST);
        }
    }
    if stands_still(case) {
        for (cause, judgement) in judged.iter_mut() {
            if cause.id != "nothing" && cause.id != "measurement" {
                judgement.weight *= STILL_WEIGHT;
            }
        }
    }
    if kernel {
        return;
    }
    // What only rows speak for is no answer beside what is said.
    for (cause, judgement) in judged.iter_mut() {
        let by_fact = judgement
            .evidence
            .iter()
            .any(|e| e.from == EvidenceKind::Fact && e.speaks == Speaks::For);
        let told = of_program && cause.id == causes::lock_contention::CAUSE.id;
        if !by_fact && !told && cause.id != "nothing" && cause.id != "measurement" {
            judgement.weight = judgement.weight.min(FITS - NEAR);
            if judgement.verdict == CauseVerdict::Consistent {
                judgement.verdict = CauseVerdict::CannotTell;
            }
        }
    }
}

/// What is left of the weight of a cause where next to nothing differs: less than that of chance.
const STILL_WEIGHT: f64 = 0.1;

/// Half of the rows differ by less than this: nothing did, as single runs repeat to it (75 published pairs without a
/// cause: the median of 65 is below, and of 26 with one that of 8).
const STILL: f64 = 0.02;

/// And by less than this where some went one way and some the other.
const STILL_BOTH_WAYS: f64 = 0.1;

/// Of the rows that differ, this share goes one way where there is a cause.
const LEANS: f64 = 0.8;

/// Did no row move, and do they neither differ together, by little, all one way?
fn stands_still(case: &Case<'_>) -> bool {
    if case.moved().next().is_some() {
        return false;
    }
    let rows = case.points.iter().filter(|p| !p.role.is_stated());
    let all: Vec<f64> = rows.map(|p| p.worse).collect();
    let mut off: Vec<f64> = all.iter().map(|w| w.abs()).collect();
    off.sort_by(f64::total_cmp);
    let median = off.get(off.len() / 2).copied().unwrap_or(0.0);
    let worse = all.iter().filter(|w| **w > 0.0).count() as f64;
    let better = all.iter().filter(|w| **w < 0.0).count() as f64;
    let leans = worse.max(better) >= LEANS * (worse + better);
    median < STILL || (!leans && median < STILL_BOTH_WAYS)
}

/// Does what moved go beyond what a hypervisor does: user time, which runs as on the host? Then the CPUs, or the work,
/// were not the same either. What emulates another machine does that by itself.
fn is_beyond(case: &Case<'_>, suspect: &Suspect<'_>) -> bool {
    let said = format!("{} {}", suspect.change.before, suspect.change.after).to_lowercase();
    let emulated = ["emulat", "qemu", "tcg", "rosetta", "amd64", "x86_64"];
    suspect.cause.id == causes::hypervisor::CAUSE.id
        && !emulated.iter().any(|word| said.contains(word))
        && case
            .moved()
            .any(|p| p.role == Role::UserTime && p.worse.abs() >= PLAIN_TO_SEE)
}

/// Are there but a few single figures, of which some went one way and some the other? Then each may have a reason of its
/// own, or one of them may be wrong.
fn is_thin(case: &Case<'_>) -> bool {
    const FEW: usize = 5;
    let single = |p: &Moved<'_>| matches!(p.point.verdict, Verdict::Untested { .. });
    let goes = |way: f64| case.moved().any(|p| p.worse * way >= PLAIN_TO_SEE);
    if case.moved().count() >= FEW || !case.moved().all(single) {
        return false;
    }
    goes(1.0) && goes(-1.0) || leaps_alone(case)
}

/// Does one figure go several times as far as all others, which hardly move or go the other way?
fn leaps_alone(case: &Case<'_>) -> bool {
    /// Four times, as a logarithm.
    const LEAP: f64 = 1.386;
    let mut all: Vec<f64> = case
        .points
        .iter()
        .filter(|p| !p.role.is_stated())
        .map(|p| p.worse)
        .collect();
    all.sort_by(|x, y| y.abs().total_cmp(&x.abs()));
    let Some((first, rest)) = all.split_first() else {
        return false;
    };
    let along = |w: &f64| w * first.signum() >= UNTESTED;
    rest.len() > 1 && first.abs() >= LEAP && !rest.iter().any(along)
}

/// A single figure that moved by less than this, a logarithm, did not.
const UNTESTED: f64 = 0.095;

/// Was the difference shown, or is it too large to be doubted?
fn is_plain(case: &Case<'_>) -> bool {
    let moved: Vec<&Moved<'_>> = case.moved().collect();
    let real = |p: &&&Moved<'_>| !matches!(p.point.verdict, Verdict::Untested { .. });
    let far = |p: &&&Moved<'_>| p.worse.abs() >= PLAIN_TO_SEE;
    let all = case.points.iter().filter(|p| !p.role.is_stated()).count();
    // Of two measures of one thing that disagree neither is shown.
    let shown =
        moved.iter().filter(real).count() * 2 >= moved.len() && (moved.len() > 1 || all != 2);
    // A few that leap among many that stand still are no pattern.
    let large = moved.iter().filter(far).count() * 2 >= moved.len() && moved.len() * 2 >= all;
    !moved.is_empty() && (shown || large)
}

/// Facts and settings that differ and that no cause knows of, one line each: suspects of no cause, and named all the same.
pub(crate) fn unknown(case: &Case<'_>) -> Vec<String> {
    let hosts = &case.comparison.hosts;
    let known = |change: &Change| {
        let mut causes = CAUSES.iter().flat_map(|cause| cause.said);
        causes.any(|word| change.what.starts_with(said::path(word)))
    };
    let changes = hosts.facts.iter().chain(&hosts.state);
    let mut lines: Vec<String> = changes
        .filter(|change| !known(change))
        .map(|change| format!("differs, and no cause knows of it: {}", say(change)))
        .collect();
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    if more > 0 {
        lines.push(format!(
            "and {more} more that differ, which the comparison lists"
        ));
    }
    lines
}

/// The causes that know a setting by its path, such as `memory.thp.enabled`: those that name most of the path, in the order
/// of the list; none where no cause knows it.
pub fn known_by(path: &str) -> Vec<&'static Cause> {
    let named = |cause: &&'static Cause| {
        let words = cause.said.iter().map(|word| said::path(word));
        let words = words.filter(|word| path.starts_with(word));
        words.map(str::len).max()
    };
    longest(named)
}

/// The causes that know what a sentence speaks of, by their longest word in it; none by short words, which may be there by
/// chance.
pub fn known_by_words(text: &str) -> Vec<&'static Cause> {
    let text = text.to_lowercase();
    let named = |cause: &&'static Cause| {
        let words = cause.said.iter().map(|word| said::path(word));
        let words = words.filter(|word| word.len() >= LONG && said::begins_a_word(&text, word));
        words.map(str::len).max()
    };
    longest(named)
}

/// The causes of which `named` gives the most, in the order of the list.
fn longest(named: impl Fn(&&'static Cause) -> Option<usize>) -> Vec<&'static Cause> {
    let most = CAUSES.iter().filter_map(&named).max();
    let known = CAUSES
        .iter()
        .filter(|cause| most.is_some() && named(cause) == most);
    known.copied().collect()
}

/// Letters of a word that is not there by chance.
const LONG: usize = 8;

/// Facts that no cause knows of, before the rest is counted.
const NAMED: usize = 3;

/// What the publication calls the sides and what their files are called, where that differs: `glibc` and `musl` say what
/// was done.
fn names(case: &Case<'_>) -> Vec<Change> {
    let of = |record: &Record| Some(record.origin.as_ref()?.system.clone());
    let file = |side: &Side| side.records.first().map(|name| stem(name).to_owned());
    let sides = [&case.comparison.a, &case.comparison.b];
    let pairs = [
        of(case.a).zip(of(case.b)),
        file(sides[0]).zip(file(sides[1])),
    ];
    let differ = |(a, b): &(String, String)| a != b && !a.is_empty() && !b.is_empty();
    let pairs = pairs.into_iter().flatten().filter(differ);
    pairs
        .map(|(before, after)| Change {
            what: said::NAME.to_owned(),
            before,
            after,
        })
        .collect()
}

/// The name of a file without its folder and without what says which kind it is.
fn stem(path: &str) -> &str {
    const KINDS: [&str; 10] = [
        ".txt", ".log", ".json", ".csv", ".out", ".md", ".xml", ".whyslow", ".dat", ".tsv",
    ];
    let path = path.split_once('#').map_or(path, |(file, _)| file);
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = KINDS.iter().find_map(|kind| name.strip_suffix(kind));
    kind.unwrap_or(name)
}

/// Where the title of a kernel's patch begins: `mm/memcg: …`, `x86/bugs: …`.
const OF_KERNEL: &[&str] = &[
    "aio",
    "arm64",
    "block",
    "bpf",
    "btrfs",
    "cgroup",
    "clocksource",
    "cpufreq",
    "cpuidle",
    "crypto",
    "dm",
    "driver",
    "drm",
    "ext4",
    "f2fs",
    "fs",
    "fscrypt",
    "fsnotify",
    "fuse",
    "futex",
    "hrtimer",
    "i40e",
    "ice",
    "io_uring",
    "iomap",
    "iommu",
    "ipv4",
    "ipv6",
    "irq",
    "ixgbe",
    "jbd2",
    "kernel",
    "ksm",
    "kvm",
    "lib",
    "locking",
    "memcg",
    "mips",
    "mlx4",
    "mlx5",
    "mm",
    "net",
    "nfs",
    "nfsd",
    "numa",
    "nvme",
    "page_alloc",
    "perf",
    "pipe",
    "powerpc",
    "random",
    "rcu",
    "riscv",
    "s390",
    "sbitmap",
    "sched",
    "scsi",
    "seccomp",
    "selinux",
    "slab",
    "slub",
    "sock",
    "sunrpc",
    "swap",
    "tcp",
    "tick",
    "timers",
    "tracing",
    "uprobes",
    "vfs",
    "virtio_net",
    "vmscan",
    "workqueue",
    "x86",
    "xen",
    "xfs",
    "zswap",
];

/// Work that is the kernel's and of which programs in user space have none of their own by that name.
const OF_CALLS: [Role; 10] = [
    Role::SystemCall,
    Role::FileMetadata,
    Role::FileCreate,
    Role::Fork,
    Role::Fault,
    Role::Signal,
    Role::Descriptors,
    Role::SwitchSameCpu,
    Role::SwitchAnyCpu,
    Role::SystemTime,
];

/// Is it stated how the program was built? Then it is the program that was worked on.
fn is_compiled(case: &Case<'_>) -> bool {
    let stated = |record: &Record| {
        let origin = record.origin.as_ref();
        origin.is_some_and(|origin| origin.stated.contains_key("compiler"))
    };
    stated(case.a) || stated(case.b)
}

/// Does the title of a patch, or the tool, say that it is one of the kernel?
fn is_of_kernel(case: &Case<'_>) -> bool {
    let robot = case
        .a
        .origin
        .as_ref()
        .is_some_and(|o| o.format == "test-robot");
    let titles = case.changes(&["patch"]).flat_map(|c| [&c.before, &c.after]);
    robot
        || titles.into_iter().any(|title| {
            let title = title.trim_matches('"').to_lowercase();
            let front = title.split_once(": ").map_or("", |(front, _)| front);
            let first = front.split(['/', ',', ' ']).next().unwrap_or_default();
            OF_KERNEL.contains(&first)
        })
}

/// The plainest suspicion of each cause.
fn suspects<'c>(case: &'c Case<'_>) -> Vec<Suspect<'c>> {
    let mut found: Vec<Suspect<'c>> = Vec::new();
    // A patch is one of the kernel where a kernel is spoken of or does some of the work; else of a program.
    let roles = case.moved_roles();
    let of_kernel = case.known_kernels().is_some()
        || is_of_kernel(case)
        || case.kernels().is_some()
        || !is_compiled(case) && roles.iter().any(|role| OF_CALLS.contains(role));
    let facts = case.comparison.hosts.facts.iter().map(Cow::Borrowed);
    let patched = case.changes(&["patch"]).next().is_some();
    for change in facts.chain(names(case).into_iter().map(Cow::Owned)) {
        let of_program = change.what == "patch" && !of_kernel;
        let own = said::said(&change, of_program);
        let most = own.iter().map(|(_, said)| said.strength);
        let most = most.fold(0.0, f64::max);
        for (cause, said) in own {
            // A patch of the kernel's network is a change of the kernel's path, not of the way that packets are sent.
            let of_path = patched && of_kernel && cause.id == causes::network::CAUSE.id;
            let mut strength = said.strength * if of_path { OF_KERNELS_PATH } else { 1.0 };
            if change.what == said::NAME && patched {
                strength *= BESIDE_PATCH;
            }
            let suspect = Suspect {
                cause,
                change: change.clone(),
                strength,
                plainest: strength >= most,
                differs: said.differs,
            };
            match found.iter_mut().find(|s| s.cause.id == cause.id) {
                Some(known) if known.strength >= strength => {}
                Some(known) => *known = suspect,
                None => found.push(suspect),
            }
        }
    }
    // A patch of a program of which no cause has a word makes it another program.
    let patch = case.changes(&["patch"]).next().filter(|_| !of_kernel);
    if let Some(change) = patch
        && !found.iter().any(|suspect| suspect.change.what == "patch")
    {
        let cause = &causes::compiler_or_library::CAUSE;
        match found.iter_mut().find(|s| s.cause.id == cause.id) {
            Some(known) => known.strength = known.strength.max(OF_PROGRAM),
            None => found.push(Suspect {
                cause,
                change: Cow::Borrowed(change),
                strength: OF_PROGRAM,
                plainest: false,
                differs: true,
            }),
        }
    }
    // So do two versions of one, or what it was before and after some work on it.
    if found.is_empty() && !of_kernel {
        let named = names(case).into_iter();
        let mut named = named.filter(|name| said::is_program(&name.before, &name.after));
        found.extend(named.next().map(|name| Suspect {
            cause: &causes::compiler_or_library::CAUSE,
            change: Cow::Owned(name),
            strength: OF_PROGRAM,
            plainest: false,
            differs: true,
        }));
    }
    found
}

/// How much of what is said of the network in a patch of the kernel speaks for the network by itself.
const OF_KERNELS_PATH: f64 = 0.3;

/// What the sides are called counts for less where it is said what was done.
const BESIDE_PATCH: f64 = 0.6;

/// How plainly a patch speaks for another program by itself.
const OF_PROGRAM: f64 = 0.4;

/// The roles that moved the way most did, and whether most did at all.
fn one_way(case: &Case<'_>) -> Option<Vec<Role>> {
    // What has no direction goes one way with its like alone.
    let directed = case.moved().any(Moved::is_directed);
    let own = || case.moved().filter(|p| p.is_directed() == directed);
    let moved: Vec<f64> = own().map(|p| p.worse).collect();
    let all: f64 = moved.iter().map(|w| w.abs()).sum();
    let worse: f64 = moved.iter().filter(|w| **w > 0.0).sum();
    let share = (worse / all).max(1.0 - worse / all);
    if moved.is_empty() || share < ONE_WAY {
        return None;
    }
    let sign = if worse * 2.0 >= all { 1.0 } else { -1.0 };
    let mean = |role: Role| {
        own()
            .filter(|p| p.role == role)
            .map(|p| p.worse)
            .sum::<f64>()
    };
    let roles = case.moved_roles().into_iter();
    Some(roles.filter(|role| mean(*role) * sign > 0.0).collect())
}

/// Share of what moved that the cause can move; of work that is not known all.
fn reached(case: &Case<'_>, cause: &Cause) -> f64 {
    if cause.reaches.is_empty() {
        return 1.0;
    }
    let all: f64 = case.moved().map(|p| p.worse.abs()).sum();
    let own = case
        .moved()
        .filter(|p| p.role == Role::Other || cause.reaches.contains(&p.role));
    if all > 0.0 {
        own.map(|p| p.worse.abs()).sum::<f64>() / all
    } else {
        1.0
    }
}

/// Below this share of what moved a cause is no suspect.
const HARDLY: f64 = 0.3;

/// What is said, held against what moved.
fn judge(case: &Case<'_>, suspect: &Suspect<'_>, before: Option<Judgement>) -> Judgement {
    let plain = MOST * (suspect.strength / said::BY_WORD).min(1.0);
    let mut judgement = before.unwrap_or_else(|| Judgement::new(CauseVerdict::CannotTell, 0.0));
    let said = line(Speaks::For, EvidenceKind::Fact, say(&suspect.change));
    if !judgement.evidence.iter().any(|e| e.text == said.text) {
        judgement.evidence.insert(0, said);
    }
    let moved = case.moved_roles();
    let reached = reached(case, suspect.cause);
    let contradicted = judgement.verdict == CauseVerdict::Contradicted && !moved.is_empty();
    let both_ways = BOTH_WAYS.iter().any(|cause| cause.id == suspect.cause.id);
    let way = if both_ways {
        Some(moved.clone())
    } else {
        one_way(case)
    };
    judgement.weight = (FITS + plain) * (0.5 + 0.5 * reached);
    judgement.verdict = CauseVerdict::CannotTell;
    if contradicted || reached < HARDLY {
        judgement.weight = AGAINST + plain / 2.0;
        judgement.covers.clear();
        judgement.fits = false;
    } else if let Some(roles) = way.filter(|roles| !roles.is_empty()) {
        judgement.fits = true;
        if judgement.covers.is_empty() {
            let own = |role: &&Role| {
                suspect.cause.reaches.is_empty() || suspect.cause.reaches.contains(role)
            };
            judgement.covers = roles.iter().filter(own).map(|r| (*r, None)).collect();
        }
        judgement.verdict = CauseVerdict::Consistent;
    } else if !moved.is_empty() {
        let text = "what moved went in both directions, which one change seldom does";
        let against = line(Speaks::Against, EvidenceKind::Signature, text);
        judgement.evidence.push(against);
    }
    judgement
}

#[cfg(test)]
mod tests {
    use super::{known_by, known_by_words};

    #[test]
    fn settings_are_known_by_their_causes() {
        for (path, cause) in [
            ("cgroup.cpu_quota", "cpu-quota"),
            ("process.huge_pages", "tlb-reach"),
            ("memory.thp.enabled", "tlb-reach"),
            ("security.seccomp_filters", "seccomp"),
            ("environment.steering.LD_PRELOAD", "preload"),
            ("mitigations.spectre_v2", "syscall-entry"),
            ("clocksource.current", "clocksource"),
            ("scheduler.policy", "scheduling"),
            ("frequency.policies", "clock"),
            ("kernel.release", "kernel"),
        ] {
            let known = known_by(path);
            assert_eq!(known.first().map(|c| c.id), Some(cause), "{path}");
        }
        assert!(known_by("rlimits").is_empty());
        let said = known_by_words("the kernel put 0 B of 64 MiB on transparent huge pages");
        assert_eq!(said.first().map(|c| c.id), Some("tlb-reach"));
        assert!(known_by_words("no such file").is_empty());
    }
}
