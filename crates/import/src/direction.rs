//! Which direction is good, by unit or by words.

mod calls;
mod phrases;

use whyslow_model::Better::{self, Higher, Lower};

pub(crate) use calls::{are_calls, of_lmbench};
use phrases::{TIMES_IN_WORDS, ends_word, is_percentile, is_real, per};

use crate::Text;
use crate::cells::cells;
use crate::commands::is_prompt;
use crate::number::plain;
use crate::prose::is_prose;

/// Units of times that are words of a sentence as well, or letters of one; the others are [`TIMES_IN_WORDS`].
const TIMES: &[&str] = &[
    "s",
    "second",
    "us",
    "µs",
    "μs",
    "min",
    "minutes",
    "cycles",
    "cycles(tsc)",
    "clocks",
    "ticks",
];

/// Is it a unit of times, in any of its spellings?
fn is_time(unit: &str) -> bool {
    TIMES.contains(&unit) || TIMES_IN_WORDS.contains(&unit)
}

/// Units of rates that do not say `/s`.
const RATES: &[&str] = &[
    "lps", "lpm", "fps", "mips", "mwips", "mflops", "gflops", "hz", "mhz", "ghz", "mops", "kops",
    "ops", "tps", "qps", "iops", "dmips", "bops", "rps", "mlups", "glups", "gups", "teps", "gteps",
    "pps", "mpps", "kpps", "flops", "tflops", "tpm", "tpmc", "nopm", "khz", "krps", "kqps", "ktps",
    "miops", "kiops", "cps",
];

/// Whose rate is none of work done.
const NO_YIELDS: &[&str] = &["sample", "sampling", "clock", "refresh", "baud"];

/// What happens too often, also where it is counted by the second.
const BAD: &[&str] = &[
    "contention",
    "contentions",
    "misses",
    "stalls",
    "errors",
    "timeouts",
    "drops",
    "dropped",
    "miss",
    "loss",
    "retries",
    "retransmits",
    "retransmissions",
    "aborts",
    "conflicts",
    "collisions",
    "evictions",
    "overruns",
    // `throughput_cost`, `bandwidth penalty`
    "cost",
    "penalty",
    "degradation",
];

/// Does the text count what should not happen?
fn is_bad(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| BAD.contains(&word))
}

/// Words of costs, beside times.
const COSTS: &[&str] = &[
    "rtt",
    "latency",
    "latencies",
    "elapsed",
    "duration",
    "delay",
    "overhead",
    "runtime",
    "walltime",
    "miss",
    "misses",
    "faults",
    "switches",
    "sleeps",
    "switch",
    "migrations",
    "migrate",
    "stalls",
    "fault",
    "jitter",
    "wall",
    "cycles",
    "instructions",
    "mispredictions",
    "cpi",
    "rss",
    "maxrss",
    "pss",
    "uss",
    "vsize",
    "vsz",
];

/// Words of rates.
const YIELDS: &[&str] = &[
    "throughput",
    "bandwidth",
    "bw",
    "score",
    "scores",
    "speed",
    "iterations",
    "events",
    "requests",
    "transactions",
    "operations",
    "records",
    "loops",
    "bogo",
    "recall",
    "accuracy",
];

/// Tools whose figures are costs unless they say otherwise.
const COST_TOOLS: &[&str] = &[
    "hackbench",
    "schbench",
    "kernbench",
    "cyclictest",
    "rtla",
    "osnoise",
];

/// Tools whose figures are rates unless they say otherwise.
const YIELD_TOOLS: &[&str] = &[
    "tbench",
    "tbench4",
    "dbench",
    "dbench4",
    "netperf",
    "iperf",
    "iperf3",
    "unixbench",
    "specjbb",
    "specjbb2005",
    "ebizzy",
    "context_switch2",
    "coremark",
    "dhrystone",
    "whetstone",
    "stream",
];

/// Tests of netperf.
const NETPERF_TESTS: [&str; 8] = [
    "tcp_rr",
    "tcp_crr",
    "udp_rr",
    "tcp_stream",
    "tcp_maerts",
    "tcp_sendfile",
    "udp_stream",
    "stream_rr",
];

/// Words of what is waited for.
const LATENCY: [&str; 7] = [
    "latency",
    "latencies",
    "percentile",
    "percentiles",
    "slat",
    "clat",
    "lat",
];

/// The direction of a unit, where it says one.
pub(crate) fn of_unit(unit: &str) -> Option<Better> {
    let unit = unit.trim().to_lowercase();
    if is_bad(&unit) {
        return Some(Lower);
    }
    // `ns/ctxsw`, `cycles/byte`
    let of_each = unit.split_once('/').is_some_and(|(time, each)| {
        let named = !each.is_empty() && each.chars().all(|c| c.is_alphabetic() || c == '_');
        // `cycles/s` is a rate.
        let rate = ["s", "sec", "second", "min", "minute"].contains(&each);
        is_time(time) && named && !rate
    });
    if is_time(&unit)
        || of_each
        || ["/op", "/call", "/iter", "/loop"]
            .iter()
            .any(|end| unit.ends_with(end))
    {
        return Some(Lower);
    }
    let ends = [
        "/s",
        "/sec",
        "/second",
        "/min",
        "bps",
        "bit/s",
        "per second",
        "per sec",
        "/s/cpu",
        "ops/ms",
        "ops/us",
        "ops/ns",
    ];
    (RATES.contains(&unit.as_str()) || ends.iter().any(|end| unit.ends_with(end))).then_some(Higher)
}

/// The direction that the words of a name say, where they say one.
pub(crate) fn of_words(text: &str) -> Option<Better> {
    /// Options of a program that was started.
    const OPTIONS: usize = 3;
    /// A name of a time of a process has no more words.
    const FEW_WORDS: usize = 3;
    // The name of a program says nothing of what it prints, nor does who started it, `user@host:~$ `.
    if is_prompt(text) || text.starts_with("./") || text.matches(" --").count() >= OPTIONS {
        return None;
    }
    let text = text.to_lowercase();
    if text.contains("smaller is better")
        || text.contains("lower is better")
        || text.contains("less is better")
    {
        return Some(Lower);
    }
    if text.contains("bigger is better")
        || text.contains("higher is better")
        || text.contains("more is better")
    {
        return Some(Higher);
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    let counted = |at: usize| {
        at > 0 && words[at] == "ops" && words[at - 1].starts_with(|c: char| c.is_ascii_digit())
    };
    // `lock_4_threads_10M_ops` says how many there were.
    let words: Vec<&str> = (0..words.len())
        .filter(|at| !counted(*at))
        .map(|at| words[at])
        .collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    // How busy the CPUs were is neither better nor worse.
    if text.contains("percent cpu") {
        return Some(Better::Unsaid);
    }
    // `nanosecs_per_context_switch` is a time, `ops_per_sec` a rate.
    if let Some(better) = per(&words).filter(|_| !is_bad(&text)) {
        return Some(better);
    }
    if text.contains("stress-ng")
        || text.contains("will-it-scale")
        || text.contains("will_it_scale")
    {
        return Some(Higher);
    }
    // The tests of netperf print transactions or bits a second.
    if NETPERF_TESTS.iter().any(|test| text.contains(test)) && !any(&LATENCY) {
        return Some(Higher);
    }
    // `perf bench sched` prints the time that it took.
    if text.contains("sched messaging") || text.contains("sched pipe") {
        return Some(Lower);
    }
    if text.contains("memory usage") || text.contains("peak memory") {
        return Some(Lower);
    }
    // BYTE's name for a rate of calls.
    if text.contains("system call overhead") {
        return Some(Higher);
    }
    // `speed P25` is a speed at a setting of that name, `throughput p99` the throughput that few seconds reach.
    let percentile = is_percentile(&text) && !any(&["speed", "throughput", "bandwidth"]);
    if any(&LATENCY) || percentile {
        return Some(Lower);
    }
    let each = ["/s", "/sec", "per second", "per sec", "/min"];
    let each = each.iter().any(|part| ends_word(&text, part));
    // `It is the first time that I saw errors at this rate on my system.`
    if is_prose(&text) {
        let rate = each || any(RATES) || any(&["throughput", "bandwidth"]);
        return match rate {
            true => Some(Higher),
            false => any(TIMES_IN_WORDS).then_some(Lower),
        };
    }
    if is_bad(&text) {
        return Some(Lower);
    }
    let rate = any(&["rate", "rates"]) && !any(NO_YIELDS)
        // `peakflops(2000)`
        || words.iter().any(|word| word.ends_with("flops"));
    if each || rate || any(YIELDS) || any(RATES) {
        return Some(Higher);
    }
    // `System Benchmarks Index Values` speaks of no time.
    let of_cpus = words.len() <= FEW_WORDS && (any(&["user", "sys", "system"]) || is_real(&words));
    if any(COSTS) || any(&["time", "times"]) || of_cpus || any(TIMES_IN_WORDS) {
        return Some(Lower);
    }
    if any(COST_TOOLS) {
        return Some(Lower);
    }
    any(YIELD_TOOLS).then_some(Higher)
}

/// Do the words say a direction by the name of a tool alone, whose own figures are seconds?
pub(crate) fn is_by_tool(text: &str) -> bool {
    let text = text.to_lowercase();
    let named = ["hackbench", "kernbench"]
        .iter()
        .any(|tool| text.contains(tool));
    let without = text.replace("hackbench", "").replace("kernbench", "");
    named && of_words(&without).is_none()
}

/// Does a line say several units in brackets, as a header of several columns does?
pub(crate) fn has_units(text: &str) -> bool {
    let inner = text.split(['(', '[']).skip(1);
    let units = inner.filter_map(|rest| rest.split([')', ']']).next());
    let mut units: Vec<&str> = units
        .map(str::trim)
        .filter(|unit| of_unit(unit).is_some())
        .collect();
    units.sort_unstable();
    units.dedup();
    units.len() > 1
}

/// The direction that the words of a page have, where all that have one agree.
pub(crate) fn of_page(text: &Text) -> Option<Better> {
    // A column that has a direction has it for itself, and so has a row: `throughput  1.5  2.5` says nothing of the others.
    let figure = |cell: &&str| plain(cell.trim_end_matches('%').trim()).is_some();
    let words = text.lines().map(|(_, line)| match cells(line.trim())[..] {
        [_, ref rest @ ..] if rest.iter().any(figure) => "",
        [first, _, _, ..] if names_stamps(first) => "",
        [first, _, _, ..] if !line.contains("is better") => first,
        // A row of figures that have their names in front says what these are: `records: 5 avg: 4733.80 max: 6442`.
        _ if line.matches(": ").count() > 2 => "",
        _ => line,
    });
    let mut said = words.filter_map(of_words);
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Does it name the column of when rows were written, `Date & Time`, `timestamp`?
pub(crate) fn names_stamps(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "date" | "timestamp"))
}

/// Is it a unit of sizes?
pub(crate) fn is_bytes(unit: &str) -> bool {
    const PREFIXES: [&str; 5] = ["", "k", "m", "g", "t"];
    let unit = unit.trim().to_lowercase();
    let front = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b'));
    front.is_some_and(|front| PREFIXES.contains(&front)) || unit == "bytes" || unit == "byte"
}

/// Does the name end with a rate in words, `events per second`?
pub(crate) fn is_each(text: &str) -> bool {
    let mut words = text.split_whitespace().rev().skip(1);
    words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("per"))
}

/// The unit that a name states in brackets, or behind `in`: `Time (sec)`, `latency [us]`, `times in microseconds`.
pub(crate) fn unit_in(text: &str) -> Option<&str> {
    let bracket = [('(', ')'), ('[', ']')].iter().find_map(|(open, close)| {
        let (_, inner) = text.rsplit_once(*open)?;
        let (unit, _) = inner.split_once(*close)?;
        // `(GB/s +- %stdev)`
        let unit = unit.split(['±', '+']).next().unwrap_or(unit);
        Some(unit.trim())
    });
    let known = |unit: &&str| of_unit(unit).is_some();
    bracket.filter(known).or_else(|| {
        let (_, behind) = text.rsplit_once(" in ")?;
        let word = behind.split_whitespace().next()?;
        Some(word.trim_matches([':', ',', '.', ')'])).filter(known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_each_is_a_cost_and_one_of_a_second_a_rate() {
        for unit in ["ns/ctxsw", "cycles/byte", "us/op"] {
            assert_eq!(of_unit(unit), Some(Lower), "{unit}");
        }
        assert_eq!(of_unit("cycles/s"), Some(Higher));
        // A speed at a setting, a rate that few seconds reach, and a kind of number.
        for (name, better) in [
            ("speed P25", Some(Higher)),
            ("p99", Some(Lower)),
            ("real FFTPack", None),
            ("real time", Some(Lower)),
            ("t1 real", Some(Lower)),
        ] {
            assert_eq!(of_words(name), better, "{name}");
        }
    }

    #[test]
    fn units_and_words_say_the_direction() {
        for text in [
            "Latency (us)",
            "Elapsed Time",
            "Process 10 Time",
            "*99.0th",
            "user",
            "hackbench-pipes",
        ] {
            assert_eq!(of_words(text), Some(Lower), "{text}");
        }
        for text in [
            "Throughput",
            "ops/sec",
            "events per second",
            "tbench4",
            "Requests/s",
        ] {
            assert_eq!(of_words(text), Some(Higher), "{text}");
        }
        for text in ["Contentions/s", "cache misses per second", "errors"] {
            assert_eq!(of_words(text), Some(Lower), "{text}");
        }
        for text in [
            "close1",
            "fentry",
            "before",
            "a/sb",
            "./context_switch --test=yield 0 0",
        ] {
            assert_eq!(of_words(text), None, "{text}");
        }
        assert_eq!(of_unit("usecs/op"), Some(Lower));
        assert_eq!(of_unit("M/s"), Some(Higher));
        assert_eq!(of_unit("bananas"), None);
        assert_eq!(unit_in("Latency percentiles (usec)"), Some("usec"));
        assert_eq!(
            unit_in("times in microseconds - smaller"),
            Some("microseconds")
        );
    }
}
