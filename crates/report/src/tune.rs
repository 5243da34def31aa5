//! Thresholds of the C library's copies, for the terminal.

mod forecast;
mod settings;

pub(crate) use forecast::line as forecast_line;
pub(crate) use settings::settings;

use whyslow_model::tunables::{NON_TEMPORAL, PLACES, line};
use whyslow_model::tune::{CommandGain, CopyGain, LibcTuning, TuneVerdict};

use crate::Look;
use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

/// The note.
pub(crate) fn libc(tuning: &LibcTuning, look: Look) -> String {
    let mut page = Screen::new(look);
    page.heading("COPIES BY PATH", "GB/s (10^9 B/s) of memcpy by block, read plus written; distance: bytes from the source's to the destination's place within pages of 4 KiB");
    page.grid(&paths(tuning));
    if let Some(used) = tuning.used.value() {
        let told = |name: &str| {
            let value = used.get(name)?;
            Some(format!(
                "{} from {}",
                name.replace('_', " "),
                numbers::size(*value)
            ))
        };
        let known: Vec<String> = [
            "rep_movsb_threshold",
            "rep_movsb_stop_threshold",
            "non_temporal_threshold",
        ]
        .into_iter()
        .filter_map(told)
        .collect();
        page.flow(0, 2, Text::plain(format!("now: {}", known.join(", "))));
    }
    if !tuning.gains.is_empty() {
        page.heading(
            "WITH THE SETTINGS",
            "times as fast as now [95 % interval over blocks there and back]",
        );
        page.grid(&gains(&tuning.gains));
        let (moved, stay): (Vec<&CopyGain>, Vec<_>) = tuning.gains.iter().partition(|g| g.moved);
        let sizes = moved.iter().map(|gain| gain.cell.block_bytes);
        if let (false, Some(least), Some(largest)) =
            (stay.is_empty(), sizes.clone().min(), sizes.max())
        {
            let text = format!(
                "The settings move blocks of {} to {}; others are copied as before, and what differs there is noise.",
                numbers::size(least),
                numbers::size(largest)
            );
            page.flow(0, 2, Text::dim(text));
        }
    }
    forecast::section(&mut page, tuning);
    if let Some(command) = &tuning.command {
        page.heading("THE COMMAND", "with and without the settings in turns");
        page.flow(0, 2, Text::plain(told(command)));
        if let Some(text) = forecast::beside(tuning) {
            page.flow(0, 2, Text::dim(text));
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
    if matches!(tuning.verdict, TuneVerdict::Set | TuneVerdict::Mixed) {
        let untried = tuning.command.is_none();
        if untried && tuning.settings.iter().any(|s| s.starts_with(NON_TEMPORAL)) {
            let text = "Non-temporal stores pay where a copy is not read soon after it is made: a program tells, by `whyslow tune libc -- PROGRAM`.";
            page.flow(0, 2, Text::plain(text));
        }
        page.whole(Text::plain(format!("setting: {}", line(&tuning.settings))));
    }
    page.finish()
}

/// By block, each distance as it is and by each path.
fn paths(tuning: &LibcTuning) -> Grid {
    let mut blocks: Vec<u64> = tuning.rates.iter().map(|r| r.cell.block_bytes).collect();
    let mut distances: Vec<u64> = tuning.rates.iter().map(|r| r.cell.distance).collect();
    for list in [&mut blocks, &mut distances] {
        list.sort_unstable();
        list.dedup();
    }
    let mut grid = Grid::new(blocks.iter().map(|block| numbers::size(*block)));
    for distance in &distances {
        let here = |block: &u64| {
            let mut own = tuning.rates.iter();
            own.find(|r| r.cell.block_bytes == *block && r.cell.distance == *distance)
        };
        let cell = |value: Option<f64>| -> Cell {
            vec![value.map_or_else(|| Text::dim("-"), |v| Text::plain(numbers::number(v)))]
        };
        let row = |grid: &mut Grid, name: String, of: &dyn Fn(&u64) -> Option<f64>| {
            grid.row(name, blocks.iter().map(|block| cell(of(block))).collect());
        };
        row(&mut grid, format!("distance {distance}, now"), &|b| {
            here(b).map(|r| r.now)
        });
        let paths = tuning.rates.iter().flat_map(|r| r.by_path.keys());
        let paths: std::collections::BTreeSet<_> = paths.collect();
        for path in paths {
            let name = match path {
                whyslow_model::tune::CopyPath::Vector => "  vectors",
                whyslow_model::tune::CopyPath::RepMovsb => "  REP MOVSB",
                whyslow_model::tune::CopyPath::NonTemporal => "  non-temporal",
            };
            row(&mut grid, name.to_owned(), &|b| {
                here(b).and_then(|r| r.by_path.get(path).copied())
            });
        }
    }
    grid
}

fn gains(gains: &[CopyGain]) -> Grid {
    let mut blocks: Vec<u64> = gains.iter().map(|g| g.cell.block_bytes).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let mut distances: Vec<u64> = gains.iter().map(|g| g.cell.distance).collect();
    distances.sort_unstable();
    distances.dedup();
    let mut grid = Grid::new(blocks.iter().map(|block| numbers::size(*block)));
    for distance in distances {
        let cells = blocks.iter().map(|block| -> Cell {
            let own = gains
                .iter()
                .find(|g| g.cell.block_bytes == *block && g.cell.distance == distance);
            match own {
                None => vec![Text::dim("-")],
                Some(gain) => vec![
                    Text::plain(format!("{:.2}", gain.times.value)),
                    Text::dim(format!(
                        "[{:.2}, {:.2}]",
                        gain.times.range[0], gain.times.range[1]
                    )),
                ],
            }
        });
        grid.row(format!("distance {distance}"), cells.collect());
    }
    grid
}

/// What the settings did to a command.
fn told(gain: &CommandGain) -> String {
    let [lo, hi] = gain.ratio.range;
    let percent = |ratio: f64| 100.0 * (1.0 - ratio);
    let times = format!(
        "{} without, {} with, {} runs of each",
        whyslow_model::text::time(gain.before_s * 1e9),
        whyslow_model::text::time(gain.after_s * 1e9),
        gain.runs
    );
    match (hi < 1.0, lo > 1.0) {
        (true, _) => format!(
            "{}: {:.0} % less time [{:.0}, {:.0}] ({times})",
            gain.command,
            percent(gain.ratio.value),
            percent(hi),
            percent(lo)
        ),
        (_, true) => format!(
            "{}: {:.0} % more time [{:.0}, {:.0}] ({times})",
            gain.command,
            -percent(gain.ratio.value),
            -percent(lo),
            -percent(hi)
        ),
        _ => format!(
            "{}: no difference shown, {:+.1} % time [{:+.1}, {:+.1}] ({times})",
            gain.command,
            -percent(gain.ratio.value),
            -percent(lo),
            -percent(hi)
        ),
    }
}

/// What is to be done, how sure that is, and where it goes.
fn short(tuning: &LibcTuning) -> Vec<String> {
    let library = tuning
        .library
        .value()
        .map_or("the C library", String::as_str);
    let most = tuning
        .gains
        .iter()
        .max_by(|a, b| a.times.range[0].total_cmp(&b.times.range[0]));
    let least = tuning
        .gains
        .iter()
        .filter(|gain| gain.moved)
        .min_by(|a, b| a.times.value.total_cmp(&b.times.value));
    let cell = |gain: &CopyGain| {
        format!(
            "{} at distance {}",
            numbers::size(gain.cell.block_bytes),
            gain.cell.distance
        )
    };
    let best = most.map(|gain| {
        format!(
            "best: {} is {} times as fast [{:.2}, {:.2}]",
            cell(gain),
            numbers::times(gain.times.value),
            gain.times.range[0],
            gain.times.range[1]
        )
    });
    let worst = least.map(|gain| {
        format!(
            "worst: {} is {:.2} times as fast [{:.2}, {:.2}]",
            cell(gain),
            gain.times.value,
            gain.times.range[0],
            gain.times.range[1]
        )
    });
    let setting = line(&tuning.settings);
    let spoiled = tuning
        .command
        .as_ref()
        .is_some_and(|c| c.ratio.range[1] >= 1.0);
    match tuning.verdict {
        TuneVerdict::Nothing => vec![format!(
            "nothing to gain: {library} copies as fast as any path at every size and distance measured"
        )],
        TuneVerdict::NotTaken if tuning.settings.is_empty() => vec![format!(
            "{library} takes no settings for its copies: what it uses is the same whatever it is told"
        )],
        TuneVerdict::NotTaken => vec![format!(
            "{library} did not take {setting}: what it uses is the same with and without"
        )],
        TuneVerdict::Open => vec![
            format!("not known: the intervals are too wide; more blocks would tell (--blocks)"),
        ],
        TuneVerdict::Mixed => [
            Some("not recommended: the setting below gains at some sizes and loses at others".to_owned()),
            best,
            worst,
        ]
        .into_iter()
        .flatten()
        .collect(),
        TuneVerdict::Set if spoiled => [
            Some(
                "not recommended for this command, which was not shown to gain; for copies as such, the setting below"
                    .to_owned(),
            ),
            best,
            worst,
        ]
        .into_iter()
        .flatten()
        .collect(),
        TuneVerdict::Set => [
            Some(format!("the setting below gains, and no size was shown to lose by it: it is put {PLACES}.")),
            best,
            worst,
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}
