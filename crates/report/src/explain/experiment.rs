//! Experiments on the terminal: the verdict, what was switched, the controls, and the numbers.

use whyslow_model::experiment::{Effect, Estimated, Experiment, ExperimentVerdict};
use whyslow_model::explanation::Explanation;

use crate::numbers::{Scale, number};
use crate::page::Screen;
use crate::text::{Style, Text};

/// Everything that was tried, and what could not be.
pub(super) fn experiments(explanation: &Explanation, page: &mut Screen) {
    if !explanation.experiments.is_empty() {
        page.heading(
            "EXPERIMENTS",
            "off and on in turns, there and back; intervals over blocks",
        );
    }
    for experiment in &explanation.experiments {
        one(experiment, page);
    }
    if !explanation.not_tried.is_empty() {
        page.heading("NOT TRIED", "");
        for skipped in &explanation.not_tried {
            page.flow(
                2,
                4,
                Text::strong(&skipped.what).and(Style::Plain, format!(": {}", skipped.why)),
            );
        }
    }
}

fn one(experiment: &Experiment, page: &mut Screen) {
    let verdict = match experiment.verdict {
        ExperimentVerdict::Confirmed => "confirmed",
        ExperimentVerdict::Part => "confirmed as a part",
        ExperimentVerdict::Excluded => "excluded",
        ExperimentVerdict::Undecided => "undecided",
    };
    page.flow(
        2,
        4,
        Text::strong(format!("{}: {verdict}", experiment.cause))
            .and(Style::Plain, format!(": {}", experiment.because)),
    );
    let mut line = |name: &str, text: String| {
        page.flow(4, 6, Text::dim(format!("{name}: ")).and(Style::Plain, text));
    };
    line(
        "switched",
        format!("{}, {} blocks", experiment.switch, experiment.blocks),
    );
    let took = if experiment.manipulation.passed {
        "it took"
    } else {
        "it did not take"
    };
    line("check", format!("{took}: {}", experiment.manipulation.text));
    for effect in &experiment.effects {
        line("moved", moved(effect));
        controls(effect, &mut line);
    }
    for spared in &experiment.spared {
        line(
            "must stay",
            format!("{} {}", spared.point, change(spared, spared.effect)),
        );
    }
    if let Some(p) = experiment.p {
        let p = if p < 0.0001 {
            "< 0.0001".to_owned()
        } else {
            format!("{p:.4}")
        };
        line("p", format!("{p}, adjusted for the causes tried"));
    }
    for note in &experiment.notes {
        line("note", note.clone());
    }
}

/// `ctx.ring{...} 1.2 µs without, 4.9 µs with it: 4.0 times worse [3.9, 4.1] times; ...`.
fn moved(effect: &Effect) -> String {
    let unit = |value: f64| {
        let scale = Scale::of(effect.unit, value);
        format!("{} {}", number(value / scale.by), scale.name)
    };
    let mut text = format!(
        "{} {} without, {} with it: {}",
        effect.point,
        unit(effect.off),
        unit(effect.on),
        change(effect, effect.effect)
    );
    if let Some(share) = effect.share {
        text += &format!("; {:.0} %", share.value * 100.0);
        if let Some([lo, hi]) = share.range {
            text += &format!(" [{:.0}, {:.0}]", lo * 100.0, hi * 100.0);
        }
        text += " of the difference goes away";
    }
    text
}

fn controls(effect: &Effect, line: &mut dyn FnMut(&str, String)) {
    if let Some(remains) = effect.remains {
        let nothing = match effect.nothing_remains {
            Some(true) => " (none of it, by a one-sided test at 5 %)",
            Some(false) => " (not shown to be none of it)",
            None => "",
        };
        let text = format!(
            "without it against the reference: {}{nothing}",
            change(effect, remains)
        );
        line("remains", text);
    }
    if let Some(back) = effect.reversal {
        line(
            "reversal",
            format!("off after on against off before: {}", change(effect, back)),
        );
    }
    if !effect.doses.is_empty() {
        let doses: Vec<String> = effect
            .doses
            .iter()
            .map(|d| format!("{} {}", d.dose, change(effect, d.effect)))
            .collect();
        let grows = match effect.grows {
            Some(false) => "does not grow with the dose",
            _ => "grows with the dose",
        };
        line("dose", format!("{}; {grows}", doses.join("; ")));
    }
}

/// `4.0 % longer [3.1, 4.9]`, or `4.00 times as long [3.90, 4.10]`; from logarithms of times worse.
pub(crate) fn change(effect: &Effect, worse: Estimated) -> String {
    let quantity = effect.quantity();
    format!(
        "{} {}",
        quantity.said_of_worse(worse.value),
        quantity.interval_of_worse(worse.value, worse.range)
    )
    .replace(" %", "\u{a0}%")
}
