//! `whyslow color run`: a program on colored pages.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow};
use whyslow_model::color::{
    ColorCost, ColorRun, OrdinaryPages, ProgramEnd, RunColors, RunObject, RunPages, RunProcess,
};
use whyslow_model::host::Known;
use whyslow_page_color::arena::page_size;
use whyslow_page_color::pool::Policy;
use whyslow_preload::{Counts, Ended, Pages, Ran, Request};

use super::claims;
use crate::args::{ColorFormat, ColorRun as Args};
use crate::commands::run::seed;
use crate::{exit, file, output};

/// Where the kernel does not describe the cache: the size of most second-level caches of this century.
const USUAL_CACHE: u64 = 1 << 20;

/// A block smaller than a quarter of the cache has its part of it however its pages lie; what many
/// small ones make together is the program's own doing.
const THRESHOLD: u64 = 4;

/// A block of more than so many caches streams through whichever pages it has.
const LARGEST: u64 = 16;

/// Pages to search for colors in, as many times as the cache holds: each color's set must be found in
/// them, with pages to choose from.
const SEARCHED: u64 = 6;

/// Runs the program; its end is ours.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let claims = claims();
    let cache = claims.second.value().map_or(USUAL_CACHE, |c| c.bytes);
    let (program, arguments) = args
        .program
        .split_first()
        .ok_or_else(|| anyhow!("no program is given"))?;
    let request = Request {
        program: program.clone(),
        arguments: arguments.to_vec(),
        policy: Policy {
            order: args.policy,
            only: args.colors.clone(),
        },
        least: args.threshold.unwrap_or(cache / THRESHOLD).max(1),
        most: args.largest.unwrap_or(cache * LARGEST),
        pages: (SEARCHED * cache / page_size() as u64) as usize,
        first_level_bytes: claims.first_bytes,
        cache_bytes: cache,
        seed: args.seed.unwrap_or_else(seed),
    };
    let ran = whyslow_preload::run(&request)?;
    let document = document(args, &request, &ran);
    if let Some(path) = &args.html {
        let page = whyslow_report::color_run_html(&document, env!("CARGO_PKG_VERSION"));
        file::save(path, page.as_bytes())?;
    }
    let text = match args.format {
        ColorFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
        ColorFormat::Table => whyslow_report::color_run(&document, output::look_of_errors()),
    };
    match &args.output {
        Some(path) => file::save(path, text.as_bytes())?,
        None => output::report(&text),
    }
    Ok(exit::as_program(ran.ended))
}

fn document(args: &Args, request: &Request, ran: &Ran) -> ColorRun {
    let counts = &ran.counts;
    let all = run_pages(&counts.all);
    let colored = all.hits + all.fallbacks;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let work = ran.testing + ran.moving;
    let command = args.program.iter().map(|word| lossy(word));
    ColorRun {
        command: command.collect(),
        ended: match ran.ended {
            Ended::Code(code) => ProgramEnd::Code(code),
            Ended::Signal(signal) => ProgramEnd::Signal(signal),
        },
        page_bytes: page_size() as u64,
        colors: match &ran.found {
            Some(Ok(found)) => Known::Is(RunColors {
                colors: found.colors as u32,
                ways: found.ways,
                took_ms: ms(found.took),
                kept: found.kept,
            }),
            Some(Err(why)) => Known::unknown(why.clone()),
            None => Known::unknown("not looked for: no block of memory was worth it"),
        },
        threshold_bytes: request.least,
        largest_bytes: request.most,
        programs: ran.programs,
        processes: ran.coloring,
        blocks: all.colored_blocks,
        colored,
        hits: all.hits,
        fallbacks: all.fallbacks,
        by_color: ran.by_color.clone(),
        present: all.present,
        ordinary: all.ordinary,
        by_process: by_process(counts),
        other_processes: counts.other_processes.0,
        other_process_pages: run_pages(&counts.other_processes.1),
        by_object: by_object(counts),
        other_object_pages: run_pages(&counts.other_kinds),
        tested: ran.tested,
        without_color: ran.strays,
        cost: ColorCost {
            waiting_ms: ms(ran.waiting),
            testing_ms: ms(ran.testing),
            moving_ms: ms(ran.moving),
            page_us: (colored > 0).then(|| work.as_secs_f64() * 1e6 / colored as f64),
        },
        notes: notes(ran),
    }
}

fn run_pages(pages: &Pages) -> RunPages {
    let ordinary = pages.left.iter().map(|left| OrdinaryPages {
        why: left.why.to_owned(),
        pages: left.pages,
    });
    RunPages {
        blocks: pages.blocks,
        colored_blocks: pages.colored_blocks,
        pages: pages.total(),
        hits: pages.hits,
        fallbacks: pages.fallbacks,
        present: pages.present,
        ordinary: ordinary.collect(),
        took_ms: pages.took.as_secs_f64() * 1e3,
    }
}

fn by_process(counts: &Counts) -> Vec<RunProcess> {
    let lines = counts.processes.iter().map(|process| RunProcess {
        pid: process.pid,
        name: process.name.clone(),
        pages: run_pages(&process.pages),
    });
    let mut lines: Vec<RunProcess> = lines.collect();
    lines.sort_by_key(|line| Reverse(line.pages.pages));
    lines
}

fn by_object(counts: &Counts) -> Vec<RunObject> {
    let lines = counts.kinds.iter().map(|kind| RunObject {
        name: kind.name.clone(),
        call: kind.call.to_owned(),
        least_bytes: kind.least,
        most_bytes: kind.most,
        pages: run_pages(&kind.pages),
    });
    let mut lines: Vec<RunObject> = lines.collect();
    lines.sort_by_key(|line| (Reverse(line.pages.pages), line.least_bytes));
    lines
}

fn notes(ran: &Ran) -> Vec<String> {
    let none = (ran.programs == 0).then(|| {
        "the library did not come before the program: it may have dropped LD_PRELOAD, changed its \
         user, or started nothing but static programs"
            .to_owned()
    });
    let error = ran.error.map(|code| {
        let why = std::io::Error::from_raw_os_error(code);
        format!("moving a page was refused: {why} (userfaultfd; Linux 6.8 or later moves pages)")
    });
    let kept = ran.kept.as_ref().map(|path| {
        let path = path.display();
        format!("processes of the program go on; {path} stays for them, and goes with the first run after they ended")
    });
    none.into_iter().chain(error).chain(kept).collect()
}

fn lossy(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}
