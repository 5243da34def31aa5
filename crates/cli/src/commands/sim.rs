//! `whyslow sim`: what if, by simulation.

mod machine;
mod measured;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use whyslow_model::simulation::{PageMisses, SCHEMA, SimulatedLevel, Spread, TraceSimulation};
use whyslow_model::{Record, id, size, store};
use whyslow_sim::like::{Like, curve, described, described_tlb};
use whyslow_sim::{
    MachineSpec, Outcome, Pattern, Policy, SimError, Stream, Tally, TraceFormat, read_trace,
};

use crate::args::{
    DramFormat, PagesArgument, PatternArgument, PolicyArgument, Sim, SimFormat, TraceFormatArgument,
};
use crate::output;

/// Pages shown of those with the most misses.
const WORST: usize = 10;

/// Bytes read or written at once.
const BUFFER: usize = 1 << 20;

/// Passes over a pattern before the one that counts.
const WARM: u32 = 2;

/// Simulates, and prints what came out.
pub(crate) fn sim(args: &Sim) -> Result<()> {
    if let Some(path) = &args.like {
        return like(args, path);
    }
    let (source, stream) = input(args)?;
    let (policy, named) = match &args.colors_of {
        Some(path) => (counted(path)?, "as measured".to_owned()),
        None => {
            let named = args.policy.unwrap_or(PolicyArgument::Random);
            let mut said = format!("{named:?}").to_lowercase();
            if named == PolicyArgument::Stock {
                said += &format!(", {} % in holes", args.age);
            }
            (machine::policy(named, args.age), said)
        }
    };
    let spec = machine::machine(args, policy)?;
    let warm = args
        .warm
        .unwrap_or(if args.trace.is_some() { 0 } else { WARM });
    let end = args.seed.saturating_add(u64::from(args.placements));
    let outcomes = spec.place_all(&stream, warm, args.seed..end, threads())?;
    let tlbs = spec.translate(&stream, warm)?;
    let mut found = told(&spec, &stream, &outcomes, &tlbs);
    (found.source, found.policy, found.seed) = (source, named, args.seed);
    let measured = measured::parse(args, &spec)?;
    latency(args, &spec, &outcomes, &mut found, measured.ns)?;
    measured::place(&measured, &outcomes, &mut found);
    let mut trace = args
        .write_trace
        .as_deref()
        .map(|path| DramTrace::create(path, args.write_format))
        .transpose()?;
    let mut write = |address: u64, written: bool| match &mut trace {
        Some(trace) => trace.add(address, written),
        None => Ok(()),
    };
    let wanted = args.write_trace.is_some();
    let close = spec.attribute(
        &stream,
        warm,
        args.seed,
        if wanted { Some(&mut write) } else { None },
    )?;
    if let Some(trace) = trace {
        trace.finish()?;
    }
    let worst = close.by_page.into_iter().take(WORST);
    found.by_color = close.by_color;
    found.by_page = worst
        .map(|(address, color, misses)| PageMisses {
            address,
            color,
            misses,
        })
        .collect();
    output::print(&match args.format {
        SimFormat::Table => whyslow_report::trace_simulation(&found, output::look()),
        SimFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
    })
}

fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn like(args: &Sim, path: &Path) -> Result<()> {
    let record = store::read(path)?;
    let what_if = |spec: &mut MachineSpec, line: u32| {
        machine::change(args, spec, line).map_err(|why| SimError::Shape {
            level: "what if".to_owned(),
            what: format!("{why:#}"),
        })
    };
    let found = curve(
        &record,
        &Like {
            name: &path.display().to_string(),
            pages: match args.pages {
                PagesArgument::Ordinary => "4k",
                PagesArgument::Colored => "colored",
                PagesArgument::Thp => "thp",
            },
            placements: args.placements,
            seed: args.seed,
            threads: threads(),
            most_bytes: args.up_to,
            what_if: &what_if,
        },
    );
    let found = found.with_context(|| path.display().to_string())?;
    output::print(&match args.format {
        SimFormat::Table => whyslow_report::curve_simulation(&found, output::look()),
        SimFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
    })
}

/// What is to be simulated, and how it is called.
fn input(args: &Sim) -> Result<(String, Stream)> {
    if let Some(path) = &args.trace {
        let name = path.display().to_string();
        let input: Box<dyn BufRead> = match path == Path::new("-") {
            true => Box::new(BufReader::with_capacity(BUFFER, io::stdin())),
            false => {
                let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
                Box::new(BufReader::with_capacity(BUFFER, file))
            }
        };
        let format = args.trace_format.map(|format| match format {
            TraceFormatArgument::Plain => TraceFormat::Plain,
            TraceFormatArgument::Lackey => TraceFormat::Lackey,
            TraceFormatArgument::Champsim => TraceFormat::ChampSim,
            TraceFormatArgument::Execlog => TraceFormat::Execlog,
        });
        return Ok((
            name.clone(),
            read_trace(input, &name, format, machine::LINE)?,
        ));
    }
    let (name, pattern) = match args.pattern.unwrap_or(PatternArgument::Chase) {
        PatternArgument::Chase => ("chase".to_owned(), Pattern::Chase),
        PatternArgument::Stride => (
            format!("stride of {}", size::format(args.stride)),
            Pattern::Stride(args.stride),
        ),
        PatternArgument::Read => ("read".to_owned(), Pattern::Read),
        PatternArgument::Write => ("write".to_owned(), Pattern::Write),
        PatternArgument::Copy => ("copy".to_owned(), Pattern::Copy),
    };
    let stream = pattern.pass(args.memory, machine::LINE, args.seed)?;
    Ok((format!("{name} in {}", size::format(args.memory)), stream))
}

/// Colors as often as the draws of a record had them.
fn counted(path: &Path) -> Result<Policy> {
    let record: Record = store::read(path)?;
    let mut counts: Vec<u32> = Vec::new();
    let planned = record.plan.points.iter().map(|planned| &planned.point);
    for point in
        planned.filter(|point| point.probe == id::MEM_LATENCY && point.get("pages") == Some("4k"))
    {
        let draws = record.measured(point).flat_map(|(_, draws)| draws);
        for frames in draws.filter_map(|draw| draw.frames.as_ref()) {
            counts.resize(counts.len().max(frames.by_color.len()), 0);
            for (count, own) in counts.iter_mut().zip(&frames.by_color) {
                *count = count.saturating_add(*own);
            }
        }
    }
    if counts.iter().all(|count| *count == 0) {
        bail!(
            "{}: the record has no colors of ordinary pages, as its host showed no frame numbers",
            path.display()
        );
    }
    Ok(Policy::Counted(counts))
}

/// The counts, with what they are of left open.
fn told(
    spec: &MachineSpec,
    stream: &Stream,
    outcomes: &[Outcome],
    tlbs: &[Tally],
) -> TraceSimulation {
    let first = outcomes.first();
    let level = |cache, tally: &Tally, all: Vec<f64>| {
        let misses = tally.misses();
        let instructions = stream.instructions.filter(|count| *count > 0);
        let same = misses as f64;
        SimulatedLevel {
            cache,
            accesses: tally.accesses(),
            misses,
            mpki: instructions.map(|count| 1000.0 * misses as f64 / count as f64),
            written_back: tally.written_back,
            measured: None,
            over_placements: Spread::of(all).unwrap_or(Spread {
                least: same,
                median: same,
                most: same,
            }),
        }
    };
    let caches = first
        .into_iter()
        .flat_map(|outcome| outcome.caches.iter().enumerate());
    let levels = caches.map(|(at, tally)| {
        let all = outcomes
            .iter()
            .map(|outcome| outcome.caches[at].misses() as f64);
        level(
            described(&spec.caches[at], machine::LINE),
            tally,
            all.collect(),
        )
    });
    let placed = spec.placed_for();
    let mut distribution: Vec<u64> = outcomes
        .iter()
        .map(|outcome| outcome.caches[placed].misses())
        .collect();
    distribution.sort_unstable();
    let translated = spec.tlbs.iter().zip(tlbs).enumerate();
    let tlbs =
        translated.map(|(at, (tlb, tally))| level(described_tlb(at, tlb), tally, Vec::new()));
    TraceSimulation {
        schema: SCHEMA,
        source: String::new(),
        accesses: stream.len() as u64,
        instructions: stream.instructions,
        line_bytes: machine::LINE,
        policy: String::new(),
        placements: outcomes.len() as u32,
        seed: 0,
        levels: levels.collect(),
        tlbs: tlbs.collect(),
        memory: first.map_or([0, 0], |outcome| {
            [outcome.memory.reads, outcome.memory.writes]
        }),
        latency_ns: None,
        measured: None,
        attributed: spec.caches[placed].name.clone(),
        distribution,
        by_color: Vec::new(),
        by_page: Vec::new(),
    }
}

/// Modeled latency over the placements, where latencies were given.
fn latency(
    args: &Sim,
    spec: &MachineSpec,
    outcomes: &[Outcome],
    found: &mut TraceSimulation,
    measured: Option<f64>,
) -> Result<()> {
    if args.latency.is_empty() {
        return Ok(());
    }
    let wanted = spec.caches.len() + 1;
    if args.latency.len() != wanted || args.latency.iter().any(|ns| !ns.is_finite() || *ns < 0.0) {
        bail!("--latency takes {wanted} times in ns here: one for each cache, and memory's");
    }
    let of = |outcome: &Outcome| {
        let all = outcome.accesses().max(1) as f64;
        let (mut ns, mut reached) = (0.0, all);
        for (tally, cost) in outcome.caches.iter().zip(&args.latency) {
            let misses = (tally.misses() as f64).min(reached);
            ns += (reached - misses) * cost;
            reached = misses;
        }
        (ns + reached * args.latency[wanted - 1]) / all
    };
    let all: Vec<f64> = outcomes.iter().map(of).collect();
    found.measured = measured.map(|ns| measured::among(ns, &all));
    found.latency_ns = Spread::of(all);
    Ok(())
}

/// The trace for a simulator of DRAM.
struct DramTrace {
    file: BufWriter<File>,
    name: String,
    format: DramFormat,
    count: u64,
}

impl DramTrace {
    fn create(path: &Path, format: DramFormat) -> Result<DramTrace> {
        let name = path.display().to_string();
        let file = File::create_new(path);
        let file =
            file.with_context(|| format!("cannot write {name}, which must be a new file"))?;
        Ok(DramTrace {
            file: BufWriter::with_capacity(BUFFER, file),
            name,
            format,
            count: 0,
        })
    }

    fn add(&mut self, address: u64, written: bool) -> Result<(), SimError> {
        let done = match self.format {
            DramFormat::Ramulator2 => {
                let kind = if written { "ST" } else { "LD" };
                writeln!(self.file, "{kind} {address:#x}")
            }
            DramFormat::Dramsim3 => {
                let kind = if written { "WRITE" } else { "READ" };
                writeln!(self.file, "{address:#x} {kind} {}", self.count)
            }
        };
        self.count += 1;
        done.map_err(|why| SimError::Write {
            file: self.name.clone(),
            why,
        })
    }

    fn finish(mut self) -> Result<()> {
        self.file
            .flush()
            .with_context(|| format!("cannot write {}", self.name))
    }
}
