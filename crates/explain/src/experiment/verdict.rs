//! What effects and a check say of a cause.

use whyslow_model::experiment::{Check, Effect, ExperimentVerdict};

use super::effect::MARGIN;

/// A spared point speaks against a cause from this share of what the cause moved: the same as in
/// judging by records.
const AS_MUCH: f64 = 0.5;

/// The verdict and its reason, from the check that the switch took and the effects on the points that it
/// must move, the first of which decides, and on those that it must not.
pub(super) fn verdict(
    took: &Check,
    effects: &[Effect],
    spared: &[Effect],
) -> (ExperimentVerdict, String) {
    use ExperimentVerdict::{Confirmed, Excluded, Part, Undecided};
    let Some(first) = effects.first() else {
        let text = "the point that decides could not be measured under every condition";
        return (Undecided, text.to_owned());
    };
    if !took.passed {
        return (Undecided, format!("the switch did not take: {}", took.text));
    }
    let moved = |e: &Effect| e.effect.range[0] > 0.0 || e.effect.range[1] < 0.0;
    if !moved(first) || first.effect.value.abs() < MARGIN.ln_1p() {
        let widest = first
            .effect
            .range
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max);
        return if widest <= MARGIN.ln_1p() {
            let text = format!(
                "switching it moves {} by less than {:.0} %",
                first.point,
                MARGIN * 100.0
            );
            (Excluded, text)
        } else {
            let text = format!(
                "the effect on {} is {} {}: more blocks would tell",
                first.point,
                first.quantity().said_of_worse(first.effect.value),
                first
                    .quantity()
                    .interval_of_worse(first.effect.value, first.effect.range)
            );
            (Undecided, text)
        };
    }
    if let Some(other) = spared
        .iter()
        .find(|s| moved(s) && s.effect.value.abs() >= AS_MUCH * first.effect.value.abs())
    {
        let text = format!(
            "{} moved too ({}), which it cannot move: something else was switched along with it",
            other.point,
            other.quantity().said_of_worse(other.effect.value)
        );
        return (Undecided, text);
    }
    if first.grows == Some(false) {
        let text = "the effect does not grow with the dose".to_owned();
        return (Undecided, text);
    }
    if let Some(back) = first.reversal.filter(|r| {
        let out = r.range[0] > 0.0 || r.range[1] < 0.0;
        out && r.value.abs() >= AS_MUCH * first.effect.value.abs()
    }) {
        let text = format!(
            "off after on is {}: it does not go away with the switch",
            first.quantity().said_of_worse(back.value)
        );
        return (Undecided, text);
    }
    if let Some(other) = first.remains.filter(|r| {
        let surely = r.range.iter().all(|end| end * first.effect.value < 0.0);
        surely && r.value.abs() >= AS_MUCH * first.effect.value.abs()
    }) {
        let text = format!(
            "without it {} than in the reference: something else was switched along with it",
            first.quantity().said_of_worse(other.value)
        );
        return (Undecided, text);
    }
    match (first.nothing_remains, first.remains) {
        (Some(true), _) => (
            Confirmed,
            "the difference comes and goes with the switch, and what remains without it is none"
                .to_owned(),
        ),
        (_, Some(remains)) if remains.range[0] <= 0.0 && remains.range[1] >= 0.0 => (
            Undecided,
            format!(
                "it moves {}, but whether something remains is not known well enough ({} {}): more blocks would tell",
                first.point,
                first.quantity().said_of_worse(remains.value),
                first
                    .quantity()
                    .interval_of_worse(remains.value, remains.range)
            ),
        ),
        (_, Some(remains)) => (
            Part,
            format!(
                "part of the difference goes with the switch; without it {} remains",
                first.quantity().said_of_worse(remains.value)
            ),
        ),
        (_, None) => (
            Undecided,
            "without a reference what remains is not known".to_owned(),
        ),
    }
}
