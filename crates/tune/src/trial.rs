//! Settings tried on a command: how many fit the budget, and what the runs say.

use std::collections::BTreeMap;

use whyslow_model::experiment::Estimated;
use whyslow_model::record::Process;
use whyslow_model::tune::{SettingVerdict, TriedSetting, UntriedSetting};
use whyslow_model::{Record, id};
use whyslow_stats::record::{rounds_of_whole_blocks, run_value};
use whyslow_stats::student::mean_interval;

use crate::setting::Candidate;

/// Rounds that every setting gets at least. With fewer, the quantile that the correction asks for exceeds 5
/// standard errors.
pub const LEAST_ROUNDS: u32 = 10;

/// From there on more rounds hardly narrow an interval: short commands need not fill the budget.
pub const MOST_ROUNDS: u32 = 100;

/// Rounds with fewer than three pairs say nothing of their scatter.
const LEAST_PAIRS: usize = 3;

/// Gains below this share of the time are shown and not recommended: a setting is one more thing to look after.
const WORTH: f64 = 0.01;

/// What a run takes beside the command, s: its start under conditions and what is kept of it.
const AROUND_S: f64 = 0.01;

/// What the parameter of a point that names the arm is called by `load`.
const ARM: &str = "cmd";

/// How much fits a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Settings, those of the lowest rank.
    pub settings: usize,
    /// Rounds, even.
    pub rounds: u32,
    /// What that takes, s.
    pub takes_s: f64,
}

/// A command that takes too long for the budget.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "a run takes {run_s:.1} s, too long for the budget of {budget_s:.0} s: --budget {one_s:.0} tries one setting, \
     --budget {all_s:.0} all {settings}"
)]
pub struct TooLong {
    /// A run, s.
    pub run_s: f64,
    /// The budget, s.
    pub budget_s: f64,
    /// What one setting takes, s.
    pub one_s: f64,
    /// What all take, s.
    pub all_s: f64,
    /// How many there are.
    pub settings: usize,
}

/// What so many settings and rounds take: the rounds, and a run of each arm before them.
fn takes_s(run_s: f64, settings: usize, rounds: u32) -> f64 {
    (settings as f64 + 1.0) * (f64::from(rounds) + 1.0) * (run_s + AROUND_S)
}

/// What fits `left_s` of a budget of `budget_s`: all `settings` if these get enough rounds, else fewer.
///
/// # Errors
/// When not even one setting fits.
pub fn fit(run_s: f64, budget_s: f64, left_s: f64, settings: usize) -> Result<Fit, TooLong> {
    let least = |settings| takes_s(run_s, settings, LEAST_ROUNDS);
    let Some(settings) = (1..=settings).rev().find(|&n| least(n) <= left_s) else {
        // A tenth more than it takes, as no run is like the other.
        let spent_s = budget_s - left_s;
        let needed = |settings| (1.1 * least(settings) + spent_s).ceil();
        return Err(TooLong {
            run_s,
            budget_s,
            one_s: needed(1),
            all_s: needed(settings),
            settings,
        });
    };
    let blocks = (LEAST_ROUNDS..=MOST_ROUNDS).step_by(2);
    let rounds = blocks
        .take_while(|&rounds| takes_s(run_s, settings, rounds) <= left_s)
        .last();
    let rounds = rounds.unwrap_or(LEAST_ROUNDS);
    Ok(Fit {
        settings,
        rounds,
        takes_s: takes_s(run_s, settings, rounds),
    })
}

/// What the runs of `record` say of each of `candidates`, the largest gain first, and which have too few rounds.
/// Arm 0 is the command as it is, arm `n` the `n`-th of them.
pub fn judged(
    record: &Record,
    candidates: &[Candidate],
) -> (Vec<TriedSetting>, Vec<UntriedSetting>) {
    let coverage = 1.0 - 0.05 / candidates.len().max(1) as f64;
    let (mut tried, mut untried) = (Vec::new(), Vec::new());
    for (at, candidate) in candidates.iter().enumerate() {
        let logs = differences(record, at + 1);
        match ratio(&logs, coverage) {
            Some(ratio) => tried.push(judge(candidate, logs.len(), ratio)),
            None => untried.push(UntriedSetting {
                name: candidate.name.clone(),
                why: format!("ended after {} whole rounds", logs.len()),
            }),
        }
    }
    tried.sort_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value));
    (tried, untried)
}

/// Time of a run as it is, s.
pub fn plain_s(record: &Record) -> Option<f64> {
    let logs: Vec<f64> = times(record, 0).into_values().collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (!logs.is_empty()).then(|| mean.exp() / 1e9)
}

/// Time of the fastest run as it is, s.
pub fn fastest_s(record: &Record) -> Option<f64> {
    let logs = times(record, 0).into_values();
    logs.min_by(f64::total_cmp).map(|log| log.exp() / 1e9)
}

fn judge(candidate: &Candidate, rounds: usize, ratio: Estimated) -> TriedSetting {
    let [lo, hi] = ratio.range;
    let verdict = match (hi < 1.0, lo > 1.0) {
        (true, _) if ratio.value > 1.0 - WORTH => SettingVerdict::Slight,
        (true, _) => SettingVerdict::Gains,
        (_, true) => SettingVerdict::Loses,
        _ => SettingVerdict::NotShown,
    };
    TriedSetting {
        name: candidate.name.clone(),
        what: candidate.what.clone(),
        conditions: candidate.under(),
        rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
        ratio,
        verdict,
        lasting: (verdict == SettingVerdict::Gains).then(|| candidate.lasting.clone()),
    }
}

/// The ratio whose logarithm, pair by pair, is `logs`; none of fewer than three.
pub(crate) fn ratio(logs: &[f64], coverage: f64) -> Option<Estimated> {
    if logs.len() < LEAST_PAIRS {
        return None;
    }
    let found = mean_interval(logs, coverage)?;
    let range = found.interval?;
    Some(Estimated {
        value: found.mean.exp(),
        range: [range.lo.exp(), range.hi.exp()],
    })
}

/// Logarithms of time in `arm` over time as it is, by round. Of whole blocks alone: there and back cancel a drift.
fn differences(record: &Record, arm: usize) -> Vec<f64> {
    let [plain, with] = [times(record, 0), times(record, arm)];
    let rounds = rounds_of_whole_blocks(&plain, &with).into_iter();
    rounds.map(|round| with[&round] - plain[&round]).collect()
}

/// Logarithms of the times of an arm, ns, by round.
fn times(record: &Record, arm: usize) -> BTreeMap<u32, f64> {
    let arm = arm.to_string();
    let real = record.processes.iter();
    real.filter(|p| p.round > 0 && p.point.probe == id::LOAD_REAL)
        .filter(|p| p.point.get(ARM) == Some(arm.as_str()))
        .filter_map(|p| Some((p.round, time(p)?.ln())))
        .collect()
}

/// The time of a run, ns.
pub(crate) fn time(process: &Process) -> Option<f64> {
    run_value(process).filter(|ns| *ns > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate() -> Candidate {
        Candidate::own("env:A=1").unwrap()
    }

    fn verdict(value: f64, range: [f64; 2]) -> SettingVerdict {
        let tried = judge(&candidate(), 10, Estimated { value, range });
        assert_eq!(
            tried.lasting.is_some(),
            tried.verdict == SettingVerdict::Gains
        );
        tried.verdict
    }

    #[test]
    fn nothing_is_recommended_where_the_interval_includes_1_or_the_gain_is_slight() {
        assert_eq!(verdict(0.9, [0.8, 0.95]), SettingVerdict::Gains);
        assert_eq!(verdict(0.9, [0.7, 1.0]), SettingVerdict::NotShown);
        assert_eq!(verdict(0.5, [0.2, 1.2]), SettingVerdict::NotShown);
        assert_eq!(verdict(0.995, [0.992, 0.998]), SettingVerdict::Slight);
        assert_eq!(verdict(1.1, [1.01, 1.2]), SettingVerdict::Loses);
    }

    #[test]
    fn many_settings_widen_the_intervals() {
        let logs = [-0.10, -0.06, -0.12, -0.08, -0.09, -0.11];
        let one = ratio(&logs, 0.95).unwrap();
        let many = ratio(&logs, 1.0 - 0.05 / 15.0).unwrap();
        assert!(many.range[0] < one.range[0] && many.range[1] > one.range[1]);
        assert!((one.value - many.value).abs() < 1e-12);
        assert_eq!(ratio(&logs[..2], 0.95), None);
    }

    #[test]
    fn settings_and_rounds_follow_from_the_time_of_a_run() {
        let all = fit(0.1, 120.0, 119.0, 15).unwrap();
        assert_eq!((all.settings, all.rounds % 2), (15, 0));
        assert!(all.takes_s <= 119.0 && all.rounds > LEAST_ROUNDS, "{all:?}");
        let some = fit(1.5, 120.0, 118.0, 15).unwrap();
        assert!(
            (1..15).contains(&some.settings) && some.rounds >= LEAST_ROUNDS,
            "{some:?}"
        );
        assert_eq!(fit(1e-3, 120.0, 119.0, 15).unwrap().rounds, MOST_ROUNDS);
        let long = fit(9.0, 120.0, 110.0, 15).unwrap_err();
        let told = long.to_string();
        assert!(
            told.starts_with("a run takes 9.0 s, too long for the budget of 120 s"),
            "{told}"
        );
        assert!(fit(9.0, long.one_s, long.one_s - 10.0, 15).is_ok());
        let all = fit(9.0, long.all_s, long.all_s - 10.0, 15).unwrap();
        assert_eq!(all.settings, 15);
    }
}
