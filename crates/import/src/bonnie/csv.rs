//! The line of CSV that bonnie++ prints below its table, in the layouts of its versions.

use super::{busy, duration, figure, latency, names, rate};
use crate::{Fault, Sheet, Text};

/// Figures of each kind, a rate and the use of the CPUs by turns.
const FIGURES: usize = 12;

/// Where the parts of such a line begin.
#[derive(Clone, Copy)]
struct Layout {
    machine: usize,
    data: usize,
    files: usize,
    latencies: Option<usize>,
}

/// The fields of such a line.
pub(crate) struct Fields<'a> {
    /// What the author wrote in front of it, `noop:`.
    label: &'a str,
    all: Vec<&'a str>,
    layout: Layout,
}

impl<'a> Fields<'a> {
    /// What the line calls the machine.
    pub(crate) fn machine(&self) -> &'a str {
        self.all[self.layout.machine]
    }
}

/// The label in front of a line and the line itself, `cfq: box,8G,...`.
fn labelled(line: &str) -> Option<(&str, &str)> {
    /// Words of a label: more are a sentence.
    const WORDS: usize = 5;
    let line = line.trim().trim_matches('`');
    let Some((label, own)) = line.rsplit_once(char::is_whitespace) else {
        return Some(("", line));
    };
    let label = label.trim().trim_end_matches([':', '=', '-', '>', '|']);
    let short = label.split_whitespace().count() <= WORDS && !label.contains(',');
    short.then_some((label.trim(), own))
}

/// A label without the number of a run behind it, `noop 2`.
fn without_number(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '#')
}

/// Is the label the number of a run, `run 2`, `#3`?
fn is_run(label: &str) -> bool {
    const RUNS: [&str; 6] = ["run", "pass", "round", "iteration", "try", "test"];
    let word = without_number(label);
    word.is_empty() || RUNS.iter().any(|run| run.eq_ignore_ascii_case(word))
}

/// Labels that tell the lines of one machine apart; none where they do not.
pub(crate) fn labels<'a>(text: &'a Text<'_>) -> Vec<&'a str> {
    let all = || text.lines().filter_map(|(_, line)| fields(line));
    let first = all().next().map(|fields| fields.machine());
    let told = all().all(|f| Some(f.machine()) == first && !is_run(f.label));
    let mut labels: Vec<&str> = all().map(|fields| fields.label).collect();
    labels.sort_unstable();
    labels.dedup();
    match told && labels.len() > 1 {
        true => labels,
        false => Vec::new(),
    }
}

/// `host,8G,36239,64,...` up to 1.03, `1.97,1.97,host,1,1466787633,8196M,,630,94,...` and `1.98,2.00,host,...` later.
pub(crate) fn fields(line: &str) -> Option<Fields<'_>> {
    /// Up to the seeks.
    const OLD: usize = 14;
    let (label, line) = labelled(line)?;
    let all: Vec<&str> = line.split(',').collect();
    let layout = match all.first()?.parse::<f64>() {
        Ok(version) if (1.9..3.0).contains(&version) => {
            // The later one says how many processes seek.
            let data = if version < 1.98 { 7 } else { 9 };
            Layout {
                machine: 2,
                data,
                files: data + FIGURES + 5,
                latencies: Some(data + FIGURES + 5 + FIGURES),
            }
        }
        Ok(_) => return None,
        Err(_) => Layout {
            machine: 0,
            data: 2,
            files: OLD + 1,
            latencies: None,
        },
    };
    let data = all.get(layout.data..layout.data + FIGURES)?;
    let is = |field: &&str| field.is_empty() || figure(field).is_some();
    let sized = layout.latencies.is_some() || is_size(all.get(1)?);
    let measured = data
        .iter()
        .filter(|f| matches!(figure(f), Some(Some(_))))
        .count();
    (sized && measured >= 4 && data.iter().all(is)).then_some(Fields { label, all, layout })
}

/// `8G`, `15744M`, also with the size of the pieces behind, `2G:64k`.
fn is_size(field: &str) -> bool {
    let field = field.split(':').next().unwrap_or(field);
    let digits = field.trim_end_matches(['M', 'G', 'K', 'T']);
    !digits.is_empty() && digits.len() < field.len() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Takes in such a line, which is of the system of its label where `labels` tell systems apart.
pub(crate) fn row(
    fields: &Fields<'_>,
    labels: &[&str],
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Fields { label, all, layout } = fields;
    let bare = without_number(label);
    // Runs of one system may be numbered but for one of them: `noop`, `noop2`.
    let machine = match labels {
        [] => fields.machine(),
        labels if labels.contains(&bare) => bare,
        _ => label,
    };
    let at = |from: usize, place: usize| all.get(from + place).copied().unwrap_or_default();
    for (data, from) in [(true, layout.data), (false, layout.files)] {
        for place in 0..FIGURES {
            let Some(Some((value, unit))) = figure(at(from, place)) else {
                continue;
            };
            let name = names(data)[place / 2];
            let row = match place % 2 {
                0 => rate(name, unit),
                _ => busy(name),
            };
            sheet.add(machine, row, value, number)?;
        }
    }
    if let Some(from) = layout.latencies {
        for place in 0..FIGURES {
            if let Some((value, unit)) = duration(at(from, place)) {
                let name = names(place < 6)[place % 6];
                sheet.add(machine, latency(name, unit), value, number)?;
            }
        }
    }
    Ok(())
}
