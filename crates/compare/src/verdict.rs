//! From a test to a word: slower, faster, same, or undecided.

use whyslow_model::Better;
use whyslow_model::comparison::{Rules, Size, Verdict};
use whyslow_stats::equivalence;
use whyslow_stats::power::{POWER, units_to_detect, units_to_equate};
use whyslow_stats::student::quantile;
use whyslow_stats::welch::Welch;

/// What a verdict rests on.
pub(crate) struct Evidence {
    pub(crate) welch: Welch,
    /// Variance of its logarithm that more units do not lessen: what drifts between runs.
    pub(crate) floor: f64,
    /// Of the ratio, at the coverage that selection asks for.
    pub(crate) interval: [f64; 2],
    /// Units of the side that has fewer.
    pub(crate) units: usize,
    pub(crate) better: Better,
    /// Is it among the discoveries?
    pub(crate) real: bool,
    /// What the size is held against.
    pub(crate) margin: f64,
}

pub(crate) fn of(evidence: &Evidence, rules: &Rules) -> Verdict {
    let welch = &evidence.welch;
    if evidence.real {
        let size = size(evidence.interval, evidence.margin);
        return match evidence.better.worse(welch.log_ratio) {
            Some(worse) if worse > 0.0 => Verdict::Slower { size },
            Some(_) => Verdict::Faster { size },
            None => Verdict::Differs { size },
        };
    }
    // Held against the margin of the rules and not the point's own: a point cannot be shown to be the
    // same by being noisy.
    if equivalence::same(welch, rules.margin) {
        return Verdict::Same;
    }
    Verdict::Undecided {
        more: more(evidence, rules),
    }
}

fn size([lo, hi]: [f64; 2], margin: f64) -> Size {
    let (below, above) = (1.0 / (1.0 + margin), 1.0 + margin);
    if lo > below && hi < above {
        Size::Negligible
    } else if lo > above || hi < below {
        Size::Above
    } else {
        Size::Straddles
    }
}

/// How many more units a side would probably tell: for a difference as large as the one seen, or,
/// if that is below the margin, for either answer about the margin. What drifts between runs does not become less by
/// more units of the same runs, and leaves that much less to see; with nothing left, there is no number.
fn more(evidence: &Evidence, rules: &Rules) -> Option<u32> {
    let welch = &evidence.welch;
    // The spread that gives this standard error with the units of the smaller side.
    let lessens = (welch.se.powi(2) - evidence.floor).max(0.0);
    let sd = (lessens * evidence.units as f64 / 2.0).sqrt();
    // What a point must pass among the others: the place after the last discovery.
    let rank = f64::from(rules.real + 1) / f64::from(rules.tested.max(1));
    let alpha = rules.level * rank.min(1.0);
    let margin = rules.margin.ln_1p();
    let left = |size: f64, level: f64, power: f64| {
        let reach = quantile(level, MANY) + quantile(power, MANY);
        (size.powi(2) - evidence.floor * reach.powi(2)).sqrt()
    };
    let found = |size: f64| units_to_detect(sd, left(size, 1.0 - alpha / 2.0, POWER), alpha);
    let needed = if welch.log_ratio.abs() > margin {
        found(welch.log_ratio)?
    } else {
        // Both one-sided tests at 5 % have to succeed.
        let equated = units_to_equate(sd, left(margin, 0.95, 0.5 + POWER / 2.0))?;
        found(margin)?.max(equated)
    };
    Some(needed.saturating_sub(evidence.units as u32).max(1))
}

/// Degrees of freedom of many units.
const MANY: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules {
            margin: 0.02,
            q: 0.05,
            level: 0.05,
            tested: 100,
            real: 4,
            selected_coverage: 0.998,
            moderated_over: [0; 2],
        }
    }

    fn evidence(log_ratio: f64, se: f64, real: bool) -> Evidence {
        let welch = Welch {
            log_ratio,
            se,
            df: 18.0,
            p: 0.5,
        };
        let interval = welch.interval(0.95);
        Evidence {
            welch,
            floor: 0.0,
            interval: [interval.lo, interval.hi],
            units: 10,
            better: Better::Lower,
            real,
            margin: 0.02,
        }
    }

    #[test]
    fn every_word_has_its_case() {
        let word = |log_ratio, se, real| of(&evidence(log_ratio, se, real), &rules());
        let slower = |size| Verdict::Slower { size };
        assert_eq!(word(0.05, 0.01, true), slower(Size::Above));
        assert_eq!(word(0.03, 0.01, true), slower(Size::Straddles));
        assert_eq!(word(0.01, 0.002, true), slower(Size::Negligible));
        let faster = Verdict::Faster { size: Size::Above };
        assert_eq!(word(-0.05, 0.01, true), faster);
        let mut rate = evidence(0.05, 0.01, true);
        rate.better = Better::Higher;
        assert_eq!(of(&rate, &rules()), faster);
        rate.better = Better::Unsaid;
        let differs = Verdict::Differs { size: Size::Above };
        assert_eq!(of(&rate, &rules()), differs);
        assert_eq!(word(0.0, 0.005, false), Verdict::Same);
        assert!(matches!(
            word(0.0, 0.05, false),
            Verdict::Undecided { more: Some(_) }
        ));
    }

    #[test]
    fn noisier_points_need_more() {
        let more = |se| match of(&evidence(0.01, se, false), &rules()) {
            Verdict::Undecided { more } => more.unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(more(0.02) > more(0.01) && more(0.01) >= 1);
    }

    #[test]
    fn what_drifts_between_runs_is_not_settled_by_more_units() {
        let more = |between: f64| {
            let within = evidence(0.06, 0.03, false);
            let floor = between * between;
            let welch = within.welch.with_known(floor);
            let evidence = Evidence {
                welch,
                floor,
                ..within
            };
            match of(&evidence, &rules()) {
                Verdict::Undecided { more } => more,
                other => panic!("{other:?}"),
            }
        };
        assert!(more(0.01) > more(0.0), "{:?} {:?}", more(0.01), more(0.0));
        assert_eq!(more(0.05), None);
    }
}
