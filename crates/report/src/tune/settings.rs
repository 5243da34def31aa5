//! Settings tried on a command, for the terminal.

use whyslow_model::tunables::PLACES;
use whyslow_model::tune::{SettingVerdict, SettingsTuning, TriedSetting};

use crate::Look;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Longer names begin their text beside them all the same; most are shorter.
const NAMES: usize = 20;

/// The screen.
pub(crate) fn settings(tuning: &SettingsTuning, look: Look) -> String {
    let mut page = Screen::new(look);
    page.heading("COMMAND", "");
    page.flow(0, 2, Text::plain(&tuning.command));
    page.flow(0, 2, Text::dim(runs(tuning)));
    group(&mut page, tuning, SettingVerdict::Gains, "GAINS");
    group(
        &mut page,
        tuning,
        SettingVerdict::Slight,
        "GAINS TOO LITTLE TO SET",
    );
    group(
        &mut page,
        tuning,
        SettingVerdict::NotShown,
        "NO DIFFERENCE SHOWN",
    );
    group(&mut page, tuning, SettingVerdict::Loses, "TAKES LONGER");
    if !tuning.untried.is_empty() {
        page.heading("NOT TRIED", "");
        let names = columns(tuning.untried.iter().map(|s| s.name.as_str()));
        for setting in &tuning.untried {
            page.field(0, names, &setting.name, Text::plain(&setting.why));
        }
    }
    if !tuning.notes.is_empty() {
        page.heading("NOTES", "");
        for note in &tuning.notes {
            page.flow(0, 2, Text::plain(note));
        }
    }
    page.heading("IN SHORT", "");
    for text in short(tuning) {
        page.flow(0, 2, Text::plain(text));
    }
    page.finish()
}

/// What was run.
fn runs(tuning: &SettingsTuning) -> String {
    let settings = counted(
        u64::from(tuning.corrected_for),
        "setting was tried",
        "settings were tried",
    );
    format!(
        "{} a run as it is; {settings}, in up to {} rounds there and back, within {:.0} s{}",
        whyslow_model::text::time(tuning.run_s * 1e9),
        tuning.rounds,
        tuning.budget_s,
        match tuning.complete {
            true => "",
            false => "; ended early",
        }
    )
}

/// Settings of one verdict.
fn group(page: &mut Screen, tuning: &SettingsTuning, verdict: SettingVerdict, title: &str) {
    let own = tuning.tried.iter().filter(|s| s.verdict == verdict);
    let own: Vec<&TriedSetting> = own.collect();
    if own.is_empty() {
        return;
    }
    page.heading(
        title,
        "time of the command [95 % interval, all settings together]",
    );
    let names = columns(own.iter().map(|s| s.name.as_str()));
    for setting in own {
        let mut text = Text::plain(time(setting));
        if setting.lasting.is_some() {
            text = text.and(Style::Dim, format!(". {}", setting.what));
        }
        page.field(0, names, &setting.name, text);
        if let Some(lasting) = &setting.lasting {
            page.whole(Text::plain(format!("  to keep: {lasting}")));
        }
    }
}

/// Columns of the names.
fn columns<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    let longest = names.map(|name| name.chars().count()).max();
    longest.unwrap_or(0).min(NAMES) + 1
}

/// What the setting does to the time.
fn time(setting: &TriedSetting) -> String {
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let [lo, hi] = setting.ratio.range.map(percent);
    let value = percent(setting.ratio.value);
    let digits = usize::from([lo, hi, value].iter().any(|v| v.abs() < 9.5));
    match setting.verdict {
        SettingVerdict::Gains | SettingVerdict::Slight => format!(
            "{:.digits$} % less [{:.digits$}, {:.digits$}]",
            -value, -hi, -lo
        ),
        SettingVerdict::Loses => {
            format!("{value:.digits$} % more [{lo:.digits$}, {hi:.digits$}]")
        }
        SettingVerdict::NotShown => {
            format!("{value:+.digits$} % [{lo:+.digits$}, {hi:+.digits$}]")
        }
    }
}

/// What it comes to, how sure that is, and what is to be done.
fn short(tuning: &SettingsTuning) -> [String; 3] {
    let gains = tuning.tried.iter();
    let gains: Vec<&TriedSetting> = gains
        .filter(|s| s.verdict == SettingVerdict::Gains)
        .collect();
    let what = match (&gains[..], tuning.tried.len()) {
        ([], 0) => "nothing was tried".to_owned(),
        ([], _) => "no setting that was tried is shown to make the command faster".to_owned(),
        ([best], _) => format!("{}: {} time", best.name, time(best)),
        ([best, others @ ..], _) => format!(
            "{}: {} time; so do {}",
            best.name,
            time(best),
            others
                .iter()
                .map(|s| s.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    [what, sure(tuning), next(tuning, &gains)]
}

fn sure(tuning: &SettingsTuning) -> String {
    let rounds = tuning.tried.iter().map(|s| s.rounds).min().unwrap_or(0);
    match tuning.tried.is_empty() {
        true => "how sure: there is nothing to be sure of".into(),
        false => format!(
            "how sure: {rounds} rounds of each; the intervals are corrected for {} (Bonferroni) and together hold 95 %",
            counted(u64::from(tuning.corrected_for), "setting", "settings")
        ),
    }
}

fn next(tuning: &SettingsTuning, gains: &[&TriedSetting]) -> String {
    let widest = tuning
        .tried
        .iter()
        .map(|s| s.ratio.range[1] - s.ratio.range[0]);
    let widest = widest.fold(0.0, f64::max);
    // A twentieth of the time is what settings usually gain at most.
    let wide = match widest > 0.1 {
        true => format!(
            "; a longer --budget ({:.0}) narrows the widest interval of ±{:.0} %",
            4.0 * tuning.budget_s,
            50.0 * widest
        ),
        false => String::new(),
    };
    match gains {
        [] => format!("next: nothing to set{wide}"),
        [one] if one.conditions.iter().any(|c| is_variable(c)) => {
            format!("next: keep it by the line above, or {PLACES}. Nothing is applied{wide}")
        }
        [_] => format!("next: keep it by the line above. Nothing is applied{wide}"),
        _ => format!(
            "next: keep the best by the line above, and measure again before a second: each was tried alone. Nothing is \
             applied{wide}"
        ),
    }
}

/// Is the condition kept by a variable of the environment?
fn is_variable(condition: &str) -> bool {
    condition.starts_with("tunables=")
}
