//! What a command copies, and what the curves say of it.

use std::collections::BTreeMap;

use whyslow_model::text::time;
use whyslow_model::tune::{CopyClass, CopyForecast, DistanceClass, LibcTuning, ProgramCopies};

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

/// Classes that are shown: those with the most bytes.
const SHOWN: usize = 8;

/// What cannot be counted.
const UNSEEN: &str = "libc's own calls, inlined copies and static programs are not seen";

/// The forecast, or why there is none.
pub(crate) fn line(tuning: &LibcTuning) -> Option<String> {
    let copies = tuning.copies.as_ref()?;
    let Some(copies) = copies.value() else {
        return Some(format!("not counted: {}", copies.why().unwrap_or_default()));
    };
    let forecast = tuning.forecast.as_ref()?;
    let run = time(copies.run_s * 1e9);
    let now = time(forecast.now_s * 1e9);
    let with = match (forecast.with_s, forecast.less) {
        (Some(with_s), Some(less)) => {
            format!(
                "; with the settings {}, so {}",
                time(with_s * 1e9),
                at_most(less)
            )
        }
        _ => "; there are no settings to try".to_owned(),
    };
    let beyond = match forecast.now_s > copies.run_s {
        true => " (more than the run: on several CPUs, or faster than the curves)",
        false => "",
    };
    Some(format!(
        "forecast: copies of this program take {now} of {run}{beyond}{with}; {UNSEEN}"
    ))
}

fn at_most(less: f64) -> String {
    match less < 0.0 {
        true => format!("{} more time", numbers::percent(-less)),
        false => format!("{} less time at most", numbers::percent(less)),
    }
}

/// The forecast beside what was measured.
pub(super) fn beside(tuning: &LibcTuning) -> Option<String> {
    let forecast: &CopyForecast = tuning.forecast.as_ref()?;
    Some(format!("forecast: {}", at_most(forecast.less?)))
}

/// The forecast, and what it is made of.
pub(super) fn section(page: &mut Screen, tuning: &LibcTuning) {
    let Some(line) = line(tuning) else {
        return;
    };
    page.heading(
        "FORECAST",
        "memcpy, memmove and memset of one run, counted; copies by the rates above",
    );
    page.flow(0, 2, Text::plain(line));
    let Some(copies) = tuning.copies.as_ref().and_then(|copies| copies.value()) else {
        return;
    };
    if copies.beyond > 0 {
        let text = format!(
            "{} more programs ran than there is room to count",
            numbers::count(copies.beyond)
        );
        page.flow(0, 2, Text::plain(text));
    }
    if copies.classes.is_empty() {
        page.flow(
            0,
            2,
            Text::plain("nothing was copied or filled by calls that are seen"),
        );
        return;
    }
    page.grid(&sizes(copies));
    page.grid(&callers(copies));
}

fn cells(texts: [String; 2]) -> Vec<Cell> {
    texts.map(|text| vec![Text::plain(text)]).into()
}

fn grid(classes: impl IntoIterator<Item = (String, (u64, u64))>) -> Grid {
    let mut grid = Grid::new(["calls", "bytes"].map(str::to_owned));
    for (name, (calls, bytes)) in classes {
        grid.row(name, cells([numbers::count(calls), numbers::size(bytes)]));
    }
    grid
}

/// Sums of calls and bytes by a key, most bytes first.
fn sums<'a, K: Ord>(
    classes: &'a [CopyClass],
    key: impl Fn(&'a CopyClass) -> K,
) -> Vec<(K, (u64, u64))> {
    let mut sums: BTreeMap<K, (u64, u64)> = BTreeMap::new();
    for class in classes {
        let own = sums.entry(key(class)).or_default();
        own.0 += class.calls;
        own.1 += class.bytes;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
    sums
}

fn sizes(copies: &ProgramCopies) -> Grid {
    let sums = sums(&copies.classes, |c| {
        (c.least_bytes, c.next_bytes, c.distance)
    });
    let left = sums.len().saturating_sub(SHOWN);
    let rest = sums
        .iter()
        .skip(SHOWN)
        .fold((0, 0), |sum, (_, own)| (sum.0 + own.0, sum.1 + own.1));
    let name = |(least, next, distance): (u64, u64, Option<DistanceClass>)| {
        let distance = match distance {
            None => "filled",
            Some(DistanceClass::Alike) => "distance 0",
            Some(DistanceClass::Short) => "distance 1 to 31",
            Some(DistanceClass::Line) => "distance 32 to 63",
            Some(DistanceClass::Far) => "distance 64 and more",
        };
        format!(
            "from {} to below {}, {distance}",
            numbers::size(least),
            numbers::size(next)
        )
    };
    let rows = sums.into_iter().take(SHOWN);
    let rows = rows.map(|(key, amount)| (name(key), amount));
    let rest = (left > 0).then(|| (numbers::counted(left as u64, "other", "others"), rest));
    grid(rows.chain(rest))
}

fn callers(copies: &ProgramCopies) -> Grid {
    let sums = sums(&copies.classes, |c| c.caller.as_str());
    let name = |path: &str| format!("by {}", path.rsplit('/').next().unwrap_or(path));
    grid(sums.into_iter().map(|(path, amount)| (name(path), amount)))
}

#[cfg(test)]
mod tests {
    use whyslow_model::host::Known;
    use whyslow_model::tune::{SCHEMA, TuneVerdict};

    use super::*;
    use crate::Look;

    fn class(caller: &str, distance: Option<DistanceClass>, least_bytes: u64) -> CopyClass {
        CopyClass {
            caller: caller.to_owned(),
            distance,
            least_bytes,
            next_bytes: 2 * least_bytes,
            calls: 20_000,
            bytes: 20_000 * least_bytes,
        }
    }

    fn tuning() -> LibcTuning {
        let caller = "/usr/lib/x86_64-linux-gnu/libsome-library-with-a-long-name.so.1.0";
        let mut classes = vec![class("/usr/bin/program", Some(DistanceClass::Short), 16384)];
        classes.extend((0..9).map(|log| class(caller, Some(DistanceClass::Far), 64 << log)));
        classes.push(class("others", None, 4096));
        LibcTuning {
            schema: SCHEMA,
            library: Known::unknown("a test"),
            used: Known::unknown("a test"),
            rates: Vec::new(),
            settings: Vec::new(),
            taken: None,
            gains: Vec::new(),
            verdict: TuneVerdict::Set,
            copies: Some(Known::Is(ProgramCopies {
                programs: 1,
                beyond: 0,
                run_s: 0.48,
                classes,
            })),
            forecast: Some(CopyForecast {
                now_s: 0.412,
                with_s: Some(0.06),
                less: Some(0.352 / 0.48),
            }),
            command: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_line_says_what_is_gained_at_most_and_what_is_not_seen() {
        let mut tuning = tuning();
        assert_eq!(
            line(&tuning).unwrap(),
            "forecast: copies of this program take 412 ms of 480 ms; with the settings 60 ms, so 73\u{a0}% less time at \
             most; libc's own calls, inlined copies and static programs are not seen"
        );
        tuning.forecast.as_mut().unwrap().less = Some(-0.05);
        assert!(line(&tuning).unwrap().contains("so 5.0\u{a0}% more time;"));
        tuning.forecast.as_mut().unwrap().with_s = None;
        assert!(
            line(&tuning)
                .unwrap()
                .contains("there are no settings to try;")
        );
        tuning.copies = Some(Known::unknown("a static program"));
        assert_eq!(line(&tuning).unwrap(), "not counted: a static program");
        tuning.copies = None;
        assert_eq!(line(&tuning), None);
    }

    #[test]
    fn sizes_and_callers_are_summed_up_within_the_width() {
        let look = Look {
            width: 80,
            color: false,
            ascii: false,
        };
        let mut page = Screen::new(look);
        section(&mut page, &tuning());
        let text = page.finish();
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        for wanted in [
            "from 16 KiB to below 32 KiB, distance 1 to 31",
            "from 4 KiB to below 8 KiB, filled",
            "3 others",
            "by program",
            "by libsome-library-with-a-long-name.so.1.0",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
    }
}
