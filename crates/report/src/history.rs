//! One node over time: a line for each family, its steps, and for how long averaging helps.

use whyslow_model::history::{AveragingVerdict, HistorySeries, HistoryStep, NodeHistory};

use crate::Look;
use crate::fleet::words;
use crate::grid::Grid;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Columns of a line of values; more records than columns share one.
const COLUMNS: usize = 40;

/// Heights of a value, and the same where a terminal has few signs.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PLAIN: [char; 8] = ['_', '.', ',', '-', '~', '=', '*', '#'];

/// The page of the terminal.
pub(crate) fn page(history: &NodeHistory, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(0, 0, Text::strong(answer(history)));
    if history.other_hardware > 0 {
        let other = counted(u64::from(history.other_hardware), "record", "records");
        page.flow(
            0,
            0,
            Text::dim(format!("{other} of other hardware left out.")),
        );
    }
    over_time(history, look, &mut page);
    steps(history, &mut page);
    averaging(history, &mut page);
    page.finish()
}

pub(crate) fn answer(history: &NodeHistory) -> String {
    let records = counted(u64::from(history.records), "record", "records");
    let steps: usize = history.series.iter().map(|series| series.steps.len()).sum();
    let stepped = history
        .series
        .iter()
        .filter(|s| !s.steps.is_empty())
        .count();
    let tested = history.series.iter().any(|s| s.not_tested.is_none());
    let found = match (steps, tested) {
        (_, false) => "too few to look for steps".to_owned(),
        (0, _) => "no step is shown".to_owned(),
        (n, _) => format!(
            "{} in {stepped} of {}",
            counted(n as u64, "step", "steps"),
            history.series.len()
        ),
    };
    format!(
        "{}: {records} from {} to {}: {found}.",
        history.node,
        minute(&history.first),
        minute(&history.last)
    )
}

/// `2026-01-02T05:00:00Z` as `2026-01-02 05:00`.
pub(crate) fn minute(started: &str) -> String {
    let short = started.get(..16).unwrap_or(started);
    short.replace('T', " ")
}

fn over_time(history: &NodeHistory, look: Look, page: &mut Screen) {
    page.heading("OVER TIME", "higher takes longer; times are UTC");
    let heads = ["", "lowest to highest", "noise", "steps"];
    let mut grid = Grid::new(heads.map(str::to_owned));
    for series in &history.series {
        let logs: Vec<f64> = series.values.iter().map(|v| v.times_longer.ln()).collect();
        let ends = [f64::min, f64::max].map(|end| logs.iter().copied().reduce(end));
        let [Some(least), Some(most)] = ends else {
            continue;
        };
        let share = |log: f64| format!("{:+.1}", 100.0 * log.exp_m1());
        let noise = series.noise.map(|noise| format!("{:.1} %", 100.0 * noise));
        let steps = match (&series.not_tested, series.steps.len()) {
            (Some(why), _) => why.clone(),
            (None, n) if series.wanders => format!("{n}, wanders"),
            (None, n) => n.to_string(),
        };
        grid.row(
            &series.name,
            vec![
                vec![Text::plain(line(&logs, least, most, look.ascii))],
                vec![Text::dim(format!("{} to {} %", share(least), share(most)))],
                vec![Text::dim(noise.unwrap_or_default())],
                vec![Text::plain(steps)],
            ],
        );
    }
    page.grid(&grid);
}

/// The values as heights, in the order of time.
fn line(logs: &[f64], least: f64, most: f64, ascii: bool) -> String {
    let heights = if ascii { PLAIN } else { HEIGHTS };
    let columns = logs.len().min(COLUMNS);
    let place = |column: usize| column * logs.len() / columns;
    (0..columns)
        .map(|column| {
            let own = &logs[place(column)..place(column + 1)];
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            let share = ((mean - least) / (most - least)).clamp(0.0, 1.0);
            // Values that are all alike have no height.
            let at = if share.is_finite() { share * 7.0 } else { 0.0 };
            heights[at.round() as usize]
        })
        .collect()
}

fn steps(history: &NodeHistory, page: &mut Screen) {
    if history.series.iter().all(|series| series.steps.is_empty()) {
        return;
    }
    let share = 100.0 * history.false_share;
    let remark = format!("{share:.0} % of nodes without one would show one somewhere");
    page.heading("STEPS", &remark);
    for series in &history.series {
        for step in &series.steps {
            let text = Text::strong(&series.name).and(Style::Plain, format!(": {}", said(step)));
            page.flow(2, 4, text);
        }
        if series.wanders && !series.steps.is_empty() {
            let text = "values follow each other between these steps: they may be parts of a drift";
            page.flow(4, 4, Text::dim(text));
        }
    }
}

pub(crate) fn said(step: &HistoryStep) -> String {
    let (longer, range) = words::takes(step.times_longer, step.range.unwrap_or([1.0, 1.0]));
    let range = match step.range {
        Some(_) => format!(" {range}"),
        None => String::new(),
    };
    format!(
        "{longer}{range} between {} and {}",
        minute(&step.after),
        minute(&step.before)
    )
}

fn averaging(history: &NodeHistory, page: &mut Screen) {
    let lines = history.series.iter().filter_map(averages);
    let lines: Vec<Text> = lines.collect();
    if lines.is_empty() {
        return;
    }
    page.heading(
        "AVERAGES",
        "by the Allan deviation of evenly spaced records without a step",
    );
    for line in lines {
        page.flow(2, 4, line);
    }
}

/// A line about averages; none where the records show nothing of them.
fn averages(series: &HistorySeries) -> Option<Text> {
    let text = improve(series)?;
    Some(Text::strong(&series.name).and(Style::Plain, format!(": {text}")))
}

/// What the records show of averages.
pub(crate) fn improve(series: &HistorySeries) -> Option<String> {
    let averaging = &series.averaging;
    let until = duration(averaging.until_s?);
    let at = |seconds: f64| {
        let own = averaging.deviations.iter().find(|d| d.seconds >= seconds);
        own.map_or_else(String::new, |d| format!("{:.1} %", 100.0 * d.deviation))
    };
    let (single, best) = (at(0.0), at(averaging.until_s? * 0.999));
    match averaging.verdict {
        AveragingVerdict::Until => Some(format!(
            "averages improve up to {until} ({single} to {best}), beyond that drift dominates"
        )),
        AveragingVerdict::AtLeast => Some(format!(
            "averages improve up to {until} at least ({single} to {best})"
        )),
        AveragingVerdict::Open | AveragingVerdict::NotMeasured => None,
    }
}

/// Seconds in the unit that gives few digits.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    // Two of a unit are said in it, and less in the next.
    let unit = units.iter().find(|(unit, _)| seconds >= 2.0 * unit);
    let (unit, name) = unit.copied().unwrap_or((1.0, "seconds"));
    let value = seconds / unit;
    match value < 10.0 && (value - value.round()).abs() >= 0.05 {
        true => format!("{value:.1} {name}"),
        false => format!("{value:.0} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use whyslow_model::history::{AllanDeviation, Averaging, HistoryValue, SCHEMA};

    use super::*;

    fn history(records: usize) -> NodeHistory {
        let started = |n: usize| format!("2026-01-{:02}T{:02}:20:00Z", 1 + n / 24, n % 24);
        let values = (0..records).map(|n| HistoryValue {
            started: started(n),
            times_longer: if n < 30 { 0.99 } else { 1.05 },
        });
        NodeHistory {
            schema: SCHEMA,
            node: "n1".to_owned(),
            hardware: Vec::new(),
            records: records as u32,
            other_hardware: 2,
            first: started(0),
            last: started(records - 1),
            false_share: 0.05,
            series: vec![HistorySeries {
                name: "memory latency".to_owned(),
                points: 12,
                values: values.collect(),
                noise: Some(0.004),
                steps: vec![HistoryStep {
                    after: started(29),
                    before: started(30),
                    times_longer: 1.06,
                    range: Some([1.052, 1.068]),
                    p: 0.0005,
                }],
                not_tested: None,
                wanders: true,
                averaging: Averaging {
                    spacing_s: Some(600.0),
                    deviations: [(1, 0.004), (2, 0.003), (4, 0.006)]
                        .map(|(records, deviation)| AllanDeviation {
                            records,
                            seconds: 600.0 * f64::from(records),
                            deviation,
                            range: [0.9 * deviation, 1.2 * deviation],
                        })
                        .to_vec(),
                    verdict: AveragingVerdict::Until,
                    until_s: Some(1200.0),
                },
            }],
        }
    }

    #[test]
    fn a_step_and_a_drift_are_said_with_times() {
        let look = Look {
            width: 100,
            color: false,
            ascii: false,
        };
        insta::assert_snapshot!(page(&history(40), look), @r"
        n1: 40 records from 2026-01-01 00:20 to 2026-01-02 15:20: 1 step in 1 of 1.
        2 records of other hardware left out.

        OVER TIME  higher takes longer; times are UTC
                                                                  lowest to highest  noise  steps
        memory latency  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁██████████  -1.0 to +5.0 %     0.4 %  1, wanders

        STEPS  5 % of nodes without one would show one somewhere
          memory latency: 6.0 % longer [5.2, 6.8] between 2026-01-02 05:20 and 2026-01-02 06:20
            values follow each other between these steps: they may be parts of a drift

        AVERAGES  by the Allan deviation of evenly spaced records without a step
          memory latency: averages improve up to 20 minutes (0.4 % to 0.3 %), beyond that drift dominates
        ");
    }

    #[test]
    fn signs_follow_the_terminal_and_the_values() {
        let logs = [0.0, 0.5, 1.0];
        assert_eq!(line(&logs, 0.0, 1.0, false), "▁▅█");
        assert_eq!(line(&logs, 0.0, 1.0, true), "_~#");
        assert_eq!(line(&[2.0, 2.0], 2.0, 2.0, false), "▁▁");
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(line(&many, 0.0, 999.0, true).len(), COLUMNS);
    }

    #[test]
    fn times_are_said_in_their_unit() {
        for (seconds, said) in [
            (1200.0, "20 minutes"),
            (90.0, "90 seconds"),
            (5400.0, "90 minutes"),
            (9000.0, "2.5 hours"),
            (259_200.0, "3 days"),
        ] {
            assert_eq!(duration(seconds), said);
        }
    }
}
