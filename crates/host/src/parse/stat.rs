//! `/proc/stat` and `/proc/<pid>/stat`: CPU time in ticks.

/// CPU time since boot, ticks. `user` holds guest time already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTicks {
    pub(crate) busy: u64,
    pub(crate) idle: u64,
    pub(crate) steal: u64,
}

/// What `/proc/stat` says of the whole host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostTicks {
    pub(crate) all: CpuTicks,
    /// Tasks that can run now.
    pub(crate) runnable: Option<u32>,
    /// CPUs that have a line, that is, online ones.
    pub(crate) cpus: Vec<u32>,
}

/// Reads `/proc/stat`; none if it has no line for all CPUs.
pub(crate) fn host_ticks(text: &str) -> Option<HostTicks> {
    let all = text.lines().find_map(|line| cpu_ticks(line, "cpu"))?;
    let runnable = text
        .lines()
        .find_map(|line| line.strip_prefix("procs_running ")?.trim().parse().ok());
    let cpus = text
        .lines()
        .filter_map(|line| {
            let (name, _) = line.split_once(' ')?;
            name.strip_prefix("cpu")?.parse().ok()
        })
        .collect();
    Some(HostTicks {
        all,
        runnable,
        cpus,
    })
}

/// Steal time of one CPU, ticks, from the start of `/proc/stat`.
pub(crate) fn steal_of(text: &[u8], cpu: u32) -> Option<u64> {
    let name = format!("cpu{cpu}");
    // What follows the last line end may be half a number.
    let end = text.iter().rposition(|&byte| byte == b'\n')?;
    text[..end]
        .split(|&byte| byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok())
        .find_map(|line| cpu_ticks(line, &name))
        .map(|ticks| ticks.steal)
}

/// A line `<name> user nice system idle iowait irq softirq steal ...`
/// (proc_stat(5)). Kernels before 2.6.11 have no steal; they are not supported.
fn cpu_ticks(line: &str, name: &str) -> Option<CpuTicks> {
    let rest = line.strip_prefix(name)?.strip_prefix(' ')?;
    let mut fields = [0_u64; 8];
    let mut words = rest.split_ascii_whitespace();
    for field in &mut fields {
        *field = words.next()?.parse().ok()?;
    }
    let [user, nice, system, idle, iowait, irq, softirq, steal] = fields;
    let sum = |parts: &[u64]| {
        parts
            .iter()
            .fold(0_u64, |sum, &part| sum.saturating_add(part))
    };
    Some(CpuTicks {
        busy: sum(&[user, nice, system, irq, softirq]),
        idle: sum(&[idle, iowait]),
        steal,
    })
}

/// What `/proc/<pid>/stat` says of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessTicks {
    pub(crate) comm: String,
    pub(crate) parent: u32,
    /// CPU time of its threads, ticks.
    pub(crate) own: u64,
    /// CPU time of its children that ended and were waited for, ticks.
    pub(crate) reaped: u64,
    /// Start after boot, ticks: tells a process from a later one of its number.
    pub(crate) start: u64,
    pub(crate) nice: i32,
    /// Scheduling policy as a number, sched(7).
    pub(crate) policy: Option<u32>,
}

/// Reads `/proc/<pid>/stat` (proc_pid_stat(5)).
pub(crate) fn process_ticks(text: &str) -> Option<ProcessTicks> {
    // The name may hold spaces and parentheses; the last one closes it.
    let (_, rest) = text.split_once('(')?;
    let (comm, rest) = rest.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The manual counts from 1 at the process number; `rest` begins at field 3.
    let field = |number: usize| fields.get(number - 3).copied();
    let ticks = |number: usize| field(number)?.parse::<u64>().ok();
    // The kernel may show the children's time as negative for a moment.
    let signed = |number: usize| Some(field(number)?.parse::<i64>().ok()?.max(0).unsigned_abs());
    Some(ProcessTicks {
        comm: comm.to_owned(),
        parent: field(4)?.parse().ok()?,
        own: ticks(14)?.saturating_add(ticks(15)?),
        reaped: signed(16)?.saturating_add(signed(17)?),
        nice: field(19)?.parse().ok()?,
        start: ticks(22)?,
        policy: field(41).and_then(|policy| policy.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STAT: &str = "cpu  7128 1 2547 140316 376 0 43 15 0 0\n\
        cpu0 3267 0 950 71048 25 0 11 5 0 0\n\
        cpu11 3861 0 1596 69268 351 0 31 10 0 0\n\
        intr 177487 0 0\nprocs_running 3\n";

    #[test]
    fn host() {
        let host = host_ticks(STAT).unwrap();
        assert_eq!(host.all.busy, 7128 + 1 + 2547 + 43);
        assert_eq!((host.all.idle, host.all.steal), (140_316 + 376, 15));
        assert_eq!((host.runnable, host.cpus), (Some(3), vec![0, 11]));
        assert_eq!(host_ticks("cpu 1 2 3\n"), None);
    }

    #[test]
    fn steal_of_one_cpu() {
        assert_eq!(steal_of(STAT.as_bytes(), 0), Some(5));
        assert_eq!(steal_of(STAT.as_bytes(), 11), Some(10));
        assert_eq!(steal_of(STAT.as_bytes(), 1), None);
        // A line cut short is no line.
        assert_eq!(steal_of(&STAT.as_bytes()[..60], 0), None);
    }

    #[test]
    fn process_with_a_nasty_name() {
        let text = "42 (a) b (c) S 7 1 1 0 -1 0 1 2 3 4 100 20 30 -4 20 5 1 0 999 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 3 0";
        let process = process_ticks(text).unwrap();
        assert_eq!(process.comm, "a) b (c");
        assert_eq!((process.parent, process.own, process.reaped), (7, 120, 30));
        assert_eq!(
            (process.start, process.nice, process.policy),
            (999, 5, Some(3))
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(cpu[0-9]?|[-() 0-9]|\n)*", cpu: u32) {
            host_ticks(&text);
            process_ticks(&text);
            steal_of(text.as_bytes(), cpu);
        }
    }
}
