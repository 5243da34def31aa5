//! `whyslow color`: the page colors of this host, and what they gain.

mod bench;
mod map;
mod run;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use whyslow_host::HostRoot;
use whyslow_model::color::{ClaimedCache, NoColors};
use whyslow_model::host::{Known, data_cache};
use whyslow_page_color::arena::page_size;
use whyslow_page_color::pool::{Options, Reason};

use crate::args::{Color, ColorCommand, ColorFormat};
use crate::commands::run::seed as seed_from_clock;
use crate::exit;
use crate::output;

/// The pages looked at, as many times as the cache holds: enough for each color to have many more
/// than its ways, few enough to take a tenth of a second.
const TIMES_THE_CACHE: u64 = 16;

/// And at least and at most so many.
const PAGES: (u64, u64) = (2_048, 32_768);

/// Runs the command.
pub(crate) fn color(args: &Color) -> Result<ExitCode> {
    match &args.command {
        ColorCommand::Map(map) => map::map(map),
        ColorCommand::Bench(bench) => bench::bench(bench),
        ColorCommand::Run(run) => run::run(run),
    }
}

/// The second-level cache as the kernel claims it, and the size of the first-level data cache.
struct Claims {
    second: Known<ClaimedCache>,
    first_bytes: Option<u64>,
}

fn claims() -> Claims {
    // The rest of the facts takes 20 ms, as the host's tools are asked.
    let caches = HostRoot::live().caches();
    let of_data = |level| data_cache(caches.value()?, level);
    let second = of_data(2).and_then(|c| {
        let (bytes, ways) = (*c.size_bytes.value()?, *c.ways.value()?);
        let way = bytes / u64::from(ways.max(1));
        Some(ClaimedCache {
            bytes,
            ways,
            colors: (way / page_size() as u64) as u32,
        })
    });
    Claims {
        second: second.map_or_else(
            || Known::unknown("the kernel does not describe a second-level cache"),
            Known::Is,
        ),
        first_bytes: of_data(1).and_then(|c| c.size_bytes.value().copied()),
    }
}

impl Claims {
    /// Bytes of the second-level cache as claimed; none where nothing is.
    fn second_bytes(&self) -> u64 {
        self.second.value().map_or(0, |c| c.bytes)
    }

    /// How to look for colors: claims decide how many pages, never what is found.
    fn options(&self, seed: Option<u64>, budget: u32) -> Options {
        let cache = self.second_bytes() / page_size() as u64;
        let (least, most) = PAGES;
        Options {
            pages: (TIMES_THE_CACHE * cache).clamp(least, most) as usize,
            seed: seed.unwrap_or_else(seed_from_clock),
            first_level_bytes: self.first_bytes,
            budget: Duration::from_secs(budget.into()),
        }
    }
}

/// Prints a result, as JSON or as text.
fn print<T>(
    format: ColorFormat,
    value: &T,
    json: impl FnOnce(&T) -> serde_json::Result<String>,
    text: impl FnOnce(&T) -> String,
) -> Result<()> {
    output::print(&match format {
        ColorFormat::Json => json(value)? + "\n",
        ColorFormat::Table => text(value),
    })
}

/// Says that there are no colors, with the reason.
fn refused(format: ColorFormat, reason: &Reason) -> Result<ExitCode> {
    let tries = match reason {
        Reason::Colors(refused) => refused.tries.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    let none = NoColors {
        refused: reason.to_string(),
        tries,
    };
    print(format, &none, serde_json::to_string_pretty, |none| {
        let width = output::look().width;
        whyslow_report::paragraph("no colors", &none.refused, width)
    })?;
    Ok(ExitCode::from(exit::UNDECIDED))
}
