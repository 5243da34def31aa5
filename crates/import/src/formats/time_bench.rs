//! time_bench, the kernel's micro-benchmarks of its page_pool, slabs, locks and queues: cycles and nanoseconds an element.

use whyslow_model::Better::Lower;

use crate::number::plain;
use crate::pattern::{holds, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "time_bench",
    what: "time_bench of the kernel (Type:name Per elem: 5 cycles(tsc) 1.234 ns)",
    repeats: "runs of time_bench",
    silent: "the machine, its clock, or how often each was repeated",
    roles: &[],
    looks,
    part: Some(|line| result(line).is_some()),
    known: &[
        "bench_page_pool",
        "time_bench",
        "modprobe",
        "loops:",
        "nr_cpus:",
        "invoke count:",
        "measurement period",
        " IPC (inst",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| result(line).is_some()) * 3
}

/// What stands between the cycles and the figure in front of them.
const CYCLES: &str = "cycles(tsc)";

/// A line of results.
#[derive(Debug, PartialEq)]
struct Line<'a> {
    /// What was measured, without the CPU.
    name: &'a str,
    cpu: Option<&'a str>,
    /// Of the CPUs together.
    average: bool,
    cycles: f64,
    ns: Option<f64>,
    /// What the benchmark was told to do: objects at once, CPUs.
    step: Option<&'a str>,
}

/// `Type:fast_path Per elem: 5 cycles(tsc) 1.234 ns (step:0)`, `Type:x CPU(2) 5 cycles(tsc) 1.234 ns (step:3)`,
/// `Sum Type:x Average: 5 cycles(tsc) CPUs:3 step:3`; `Type:` and what is behind the figures may be cut off.
fn result(line: &str) -> Option<Line<'_>> {
    let (front, behind) = line.split_once(CYCLES)?;
    // Of two figures in a line each is of a column.
    if behind.contains(CYCLES) {
        return None;
    }
    let front = front.trim_end();
    let (label, cycles) = front.rsplit_once(|c: char| c.is_whitespace() || c == ':')?;
    let cycles = plain(cycles)?;
    let label = match label.rsplit_once("Type:") {
        Some((_, label)) => label,
        None => label
            .rsplit_once("time_bench:")
            .map_or(label, |(_, label)| label)
            .trim_start_matches(['-', '*', '+', '>', ' ', '\t']),
    };
    let label = label.trim().trim_end_matches(':').trim_end();
    let per = ["Per elem", "Per packet", "Per call"];
    let element = per.iter().find_map(|per| label.strip_suffix(per));
    let average = label.strip_suffix("Average");
    let of_cpu = label
        .strip_suffix(')')
        .and_then(|label| label.rsplit_once("CPU("));
    let (name, cpu) = match (element.or(average), of_cpu) {
        (Some(name), _) => (name, None),
        (None, Some((name, cpu))) => (name, Some(cpu)),
        _ => return None,
    };
    let ns = number_in(behind);
    let step = behind.split_once("step:").map(|(_, rest)| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        &rest[..end.unwrap_or(rest.len())]
    });
    Some(Line {
        name: name.trim(),
        cpu,
        average: average.is_some(),
        cycles,
        ns,
        step: step.filter(|step| !step.is_empty()),
    })
}

/// The figure in front of the nanoseconds.
fn number_in(behind: &str) -> Option<f64> {
    let (value, rest) = number_first(behind)?;
    rest.starts_with("ns").then_some(value)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some(found) = result(line) else {
            // The counters of the same loop, and what the module says while it runs.
            if line.contains("PMU inst/clock") || (holds(line, "run on CPU") && line.contains("()"))
            {
                sheet.aside(number);
            }
            continue;
        };
        let name = match found.name {
            "" => "element",
            name => name,
        };
        let row = |unit: &str, kind: &str| {
            let id = [name, if found.average { "average" } else { "" }, kind].join(" ");
            let mut title = vec![name.to_owned()];
            let mut row = Row::new("time_bench", &id, unit, Lower);
            if found.average {
                title.push("Average".to_owned());
            }
            if let Some(cpu) = found.cpu {
                row = row.with("cpu", cpu);
                title.push(format!("CPU({cpu})"));
            }
            if let Some(step) = found.step.filter(|step| *step != "0") {
                row = row.with("step", step);
                title.push(format!("step:{step}"));
            }
            title.push(kind.to_owned());
            row.titled(&title.join(" "))
        };
        sheet.add("", row("cycles", "cycles"), found.cycles, number)?;
        if let Some(ns) = found.ns {
            sheet.add("", row("ns", ""), ns, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let line = "[  7.30] time_bench: Type:kmem bulk Per elem: 19 cycles(tsc) 5.5 ns (step:16) - (measurement period time:0.5 sec)";
        let found = result(line).unwrap();
        assert_eq!((found.name, found.cycles), ("kmem bulk", 19.0));
        assert_eq!((found.ns, found.step), (Some(5.5), Some("16")));
        let found = result("Sum Type:x_cpu Average: 58 cycles(tsc) CPUs:3 step:2").unwrap();
        assert_eq!((found.name, found.average), ("x_cpu", true));
        assert_eq!((found.ns, found.step), (None, Some("2")));
        let found = result("Type:x_cpu CPU(1) 92 cycles(tsc) 38.5 ns (step:2)").unwrap();
        assert_eq!((found.name, found.cpu), ("x_cpu", Some("1")));
        let found = result(" - no-softirq Per elem: 11 cycles(tsc) 4.5 ns").unwrap();
        assert_eq!((found.name, found.step), ("no-softirq", None));
        for line in [
            "that is about 400 ns (39 cycles(tsc) 395.5 ns; sum of both)",
            " 2 - 57 cycles(tsc) 14.5 ns - 64 cycles(tsc) 16.5 ns",
            "Type:x Per elem: many cycles(tsc)",
        ] {
            assert_eq!(result(line), None, "{line}");
        }
    }
}
