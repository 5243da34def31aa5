//! What llama.cpp, whisper.cpp and their kin print when they end: the time of each phase, by run or by token.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ggml-timings",
    what: "timings of llama.cpp and whisper.cpp (eval time = 5156.79 ms / 256 runs)",
    repeats: "runs",
    silent: "machine, threads, model, or how it was built",
    roles: &[("ggml_timings.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| timing(line).is_some()),
    known: &["llama_", "whisper_", "ggml_", "system_info", "main:"],
    read,
};

/// One phase.
struct Timing<'a> {
    /// `prompt eval time`.
    name: &'a str,
    ms: f64,
    /// The time of each, and of what: `run`, `token`.
    each: Option<(f64, &'a str)>,
    /// Tokens by the second.
    rate: Option<f64>,
}

fn looks(text: &Text) -> usize {
    marks(text, |line| timing(line).is_some()) * 3
}

/// `llama_print_timings: eval time = 5156.79 ms / 256 runs ( 20.14 ms per token, 49.64 tokens per second)`.
fn timing(line: &str) -> Option<Timing<'_>> {
    let (program, rest) = line.trim().split_once(':')?;
    let ours = program.ends_with("_print_timings") || program.ends_with("_context_print");
    let (name, rest) = rest.split_once('=')?;
    let name = name.trim();
    let (ms, rest) = rest.trim_start().split_once(" ms")?;
    if !(ours && name.ends_with("time")) {
        return None;
    }
    let inner = rest
        .split_once('(')
        .and_then(|(_, inner)| inner.rsplit_once(')'));
    let parts = inner
        .map_or("", |(inner, _)| inner)
        .split(',')
        .map(str::trim);
    let mut timing = Timing {
        name,
        ms: plain(ms.trim())?,
        each: None,
        rate: None,
    };
    for part in parts {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words[..] {
            [value, "ms", "per", of] => timing.each = plain(value).map(|value| (value, of)),
            [value, "tokens", "per", "second"] => timing.rate = plain(value),
            _ => {}
        }
    }
    Some(timing)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some(Timing {
            name,
            ms,
            each,
            rate,
        }) = timing(line)
        else {
            continue;
        };
        let row = |title: &str, unit: &str, better| Row::new("ggml_timings", title, unit, better);
        sheet.add("", row(name, "ms", Lower), ms, number)?;
        if let Some((value, of)) = each {
            sheet.add(
                "",
                row(&format!("{name} per {of}"), "ms", Lower),
                value,
                number,
            )?;
        }
        if let Some(value) = rate {
            let title = format!("{} rate", name.trim_end_matches(" time"));
            sheet.add("", row(&title, "tokens/s", Higher), value, number)?;
        }
    }
    Ok(())
}
