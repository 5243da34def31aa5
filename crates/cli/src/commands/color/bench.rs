//! `whyslow color bench`: measures, and computes what the draws say.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use anyhow::Result;
use indicatif::ProgressBar;
use whyslow_model::color::{ColorBench, ColorGain, ColorPoint, Partition, Steadier};
use whyslow_model::size;
use whyslow_model::summary::Interval;
use whyslow_page_color::arena::page_size;
use whyslow_page_color::bench::{BenchWork, Cell, Kind, Measured, Plan, ROUNDS, measure};
use whyslow_page_color::pool::Pool;
use whyslow_stats::between;
use whyslow_stats::quantile::median;
use whyslow_stats::summary::{Estimate, estimate};

use super::{claims, print, refused};
use crate::args::ColorBench as Args;
use crate::{file, output};

/// Parts of the cache to show, as numbers of colors.
const FEW: [usize; 4] = [8, 4, 2, 1];

/// Draws at the cache's size for one elsewhere: with 40, a spread four times smaller is told from one two
/// times smaller, and they take a few seconds, as latency at one size is all that is measured on them.
const EDGE_DRAWS: u32 = 4;

/// No more are needed, and each takes twice the cache of memory: one of ordinary pages and one of colored ones.
const MOST_EDGE_DRAWS: u32 = 100;

/// Measures and prints.
pub(super) fn bench(args: &Args) -> Result<ExitCode> {
    let claims = claims();
    let mut options = claims.options(args.seed, args.budget);
    let (draws, edge_draws) = (args.draws, (args.draws * EDGE_DRAWS).min(MOST_EDGE_DRAWS));
    let needed = Plan::pool_pages(
        draws as usize,
        edge_draws as usize,
        claims.second_bytes() as usize,
    );
    options.pages = options.pages.max(needed);
    let mut pool = match Pool::new(&options) {
        Ok(pool) => pool,
        Err(reason) => return refused(args.format, &reason),
    };
    let (ways, pages) = pool.palette().map_or((0, 0), |p| (p.ways.count, p.pages()));
    let plan = Plan {
        cache_bytes: pages as usize * page_size(),
        draws: draws as usize,
        edge_draws: edge_draws as usize,
        few: FEW.into_iter().filter(|few| *few < pool.colors()).collect(),
        seed: options.seed,
    };
    // Drawn between passes only, and on a terminal only.
    let bar = match stderr().is_terminal() {
        true => ProgressBar::new(ROUNDS as u64),
        false => ProgressBar::hidden(),
    };
    let measured = measure(&mut pool, &plan, |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let measured = match measured {
        Ok(measured) => measured,
        Err(reason) => return refused(args.format, &reason),
    };
    let gains = gains(&measured.cells, plan.seed)?;
    let document = ColorBench {
        colors: pool.colors() as u32,
        ways,
        cache_bytes: plan.cache_bytes as u64,
        cpu: rustix::thread::sched_getcpu() as u32,
        mechanism: pool.mechanism().to_owned(),
        draws,
        edge_draws,
        misplaced: measured.misplaced,
        moved: measured.moved,
        points: points(&measured.cells)?,
        verdict: verdict(&gains, plan.cache_bytes as u64),
        gains,
        partitions: partitions(&measured.cells, &plan, pool.colors()),
        notes: notes(&measured),
    };
    if let Some(path) = &args.html {
        let page = whyslow_report::color_bench_html(&document, env!("CARGO_PKG_VERSION"));
        file::save(path, page.as_bytes())?;
    }
    print(
        args.format,
        &document,
        serde_json::to_string_pretty,
        |bench| whyslow_report::color_bench(bench, output::look()),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// From this share on, samples with the SMT sibling busy are worth a word.
const BESIDE: f64 = 0.05;

fn notes(measured: &Measured) -> Vec<String> {
    let huge = measured
        .no_huge
        .iter()
        .map(|why| format!("no huge pages: {why}"));
    let misplaced = (measured.misplaced > 0).then(|| {
        format!(
            "{} pages of colored memory got another color, or none",
            measured.misplaced
        )
    });
    let moved = (measured.moved > 0).then(|| {
        format!(
            "{} pages of colored memory got other frames while they were measured (a host does that beneath its \
             guest): their draws count up to then",
            measured.moved
        )
    });
    let beside = (measured.beside >= BESIDE).then(|| {
        format!(
            "the SMT sibling was busy in {:.0} % of the samples: they do not count where enough others are",
            measured.beside * 100.0
        )
    });
    huge.chain(misplaced).chain(moved).chain(beside).collect()
}

fn name(kind: Kind) -> String {
    match kind {
        Kind::Ordinary => "ordinary".to_owned(),
        Kind::Colored => "colored".to_owned(),
        Kind::Huge => "huge".to_owned(),
        Kind::Few(1) => "1 color".to_owned(),
        Kind::Few(few) => format!("{few} colors"),
    }
}

fn work(work: BenchWork) -> &'static str {
    match work {
        BenchWork::Latency => "latency",
        BenchWork::Bandwidth => "bandwidth",
        BenchWork::Matrix => "matrix",
        BenchWork::Tree => "tree",
    }
}

fn interval(estimate: &Estimate) -> Interval {
    Interval {
        value: estimate.value,
        range: estimate.lo.zip(estimate.hi).map(|(lo, hi)| [lo, hi]),
    }
}

fn points(cells: &[Cell]) -> Result<Vec<ColorPoint>> {
    cells
        .iter()
        .map(|cell| {
            let draws = cell.middles();
            let estimate = estimate(&draws)?;
            Ok(ColorPoint {
                work: work(cell.work).to_owned(),
                pages: name(cell.kind),
                bytes: cell.bytes as u64,
                value: interval(&estimate),
                spread: estimate.sd_log,
                draws,
                passes: cell.passes(),
            })
        })
        .collect()
}

/// Colored against ordinary pages. Both were measured in each draw, side by side, so the ratio is
/// taken draw by draw.
fn gains(cells: &[Cell], seed: u64) -> Result<Vec<ColorGain>> {
    let mut gains = Vec::new();
    for colored in cells.iter().filter(|c| c.kind == Kind::Colored) {
        let same = |c: &&Cell| {
            c.kind == Kind::Ordinary && c.work == colored.work && c.bytes == colored.bytes
        };
        let Some(ordinary) = cells.iter().find(same) else {
            continue;
        };
        let (colored_draws, ordinary_draws) = (colored.middles(), ordinary.middles());
        let pairs = colored_draws.iter().zip(&ordinary_draws);
        let ratios: Vec<f64> = match colored.work {
            // More is better: the time for a byte is one over it.
            BenchWork::Bandwidth => pairs.map(|(c, o)| o / c).collect(),
            _ => pairs.map(|(c, o)| c / o).collect(),
        };
        let (c, o) = (estimate(&colored_draws)?, estimate(&ordinary_draws)?);
        let apart = match (c.lo, c.hi, o.lo, o.hi) {
            (Some(c_lo), Some(c_hi), Some(o_lo), Some(o_hi)) => c_hi < o_lo || o_hi < c_lo,
            _ => false,
        };
        let steadier = between::steadier(&ordinary.passes(), &colored.passes(), seed)?;
        gains.push(ColorGain {
            work: work(colored.work).to_owned(),
            bytes: colored.bytes as u64,
            time_ratio: interval(&estimate(&ratios)?),
            steadier: steadier.map(|s| Steadier {
                times: s.times,
                at_least: s.at_least,
            }),
            apart,
        });
    }
    Ok(gains)
}

/// Where latency has risen half of the way from 15/16 of a part of the cache to 5/4 of it.
fn partitions(cells: &[Cell], plan: &Plan, colors: usize) -> Vec<Partition> {
    let kinds = [(Kind::Colored, colors)].into_iter();
    let few = plan.few.iter().map(|&few| (Kind::Few(few), few));
    kinds
        .chain(few)
        .map(|(kind, count)| {
            let part = plan.cache_bytes * count / colors.max(1);
            let curve: Vec<(f64, f64)> = cells
                .iter()
                .filter(|c| c.kind == kind && c.work == BenchWork::Latency)
                .filter_map(|c| Some((c.bytes as f64, median(&c.middles())?)))
                .collect();
            Partition {
                colors: count as u32,
                part_bytes: part as u64,
                acts_as_bytes: edge(&curve, part as f64),
            }
        })
        .collect()
}

/// Least rise, as a ratio, that is an edge: between the second and the third level it is 2 or more.
const RISE: f64 = 1.2;

fn edge(curve: &[(f64, f64)], part: f64) -> Option<f64> {
    let near = |share: f64| {
        let distance = |at: &&(f64, f64)| (at.0 - share * part).abs();
        let nearest = curve
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map(|(_, ns)| *ns)
    };
    let (low, high) = (near(15.0 / 16.0)?, near(1.25)?);
    if high < low * RISE {
        return None;
    }
    let half = (low * high).sqrt();
    let step = curve
        .windows(2)
        .find(|w| w[0].0 >= 0.9 * part && w[1].1 >= half)?;
    let ((x0, y0), (x1, y1)) = (step[0], step[1]);
    let along = ((half / y0).ln() / (y1 / y0).ln()).clamp(0.0, 1.0);
    Some(x0 + (x1 - x0) * along)
}

/// Less, surely, is not worth a word.
const MUCH_STEADIER: f64 = 1.5;

/// What coloring gains at the cache's size, and the most that it loses anywhere.
fn verdict(gains: &[ColorGain], cache: u64) -> String {
    let latency = || gains.iter().filter(|g| g.work == "latency");
    let percent = |ratio: f64| format!("{:.0} %", 100.0 * (ratio - 1.0).abs());
    let at = latency().find(|g| g.bytes == cache);
    let gain = match at {
        Some(g) if g.apart && g.time_ratio.value < 1.0 => {
            let steadier = match g.steadier {
                Some(Steadier { times, at_least }) if at_least >= MUCH_STEADIER => match times {
                    Some(times) => {
                        format!(" and {times:.0} times steadier (at least {at_least:.1})")
                    }
                    None => format!(" and at least {at_least:.0} times steadier"),
                },
                _ => String::new(),
            };
            format!(
                "At the cache's size ({}) a load on colored pages is {} faster{steadier}.",
                size::format(cache),
                percent(g.time_ratio.value)
            )
        }
        Some(_) => format!(
            "At the cache's size ({}) coloring makes no difference that is sure.",
            size::format(cache)
        ),
        None => "The cache's size was not measured.".to_owned(),
    };
    // A loss of any work, which is one whose interval lies above no change.
    let sure = gains
        .iter()
        .filter(|g| g.time_ratio.range.is_some_and(|[lo, _]| lo > 1.0));
    let worst = sure.max_by(|a, b| a.time_ratio.value.total_cmp(&b.time_ratio.value));
    let loss = match worst {
        Some(g) => format!(
            "It loses most at {} ({}): {} slower.",
            size::format(g.bytes),
            g.work,
            percent(g.time_ratio.value)
        ),
        None => "No loss was seen that is sure.".to_owned(),
    };
    format!("{gain} {loss}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_page_color::bench::Sampled;

    fn cell(kind: Kind, bytes: usize, draws: &[f64]) -> Cell {
        let pass = |value| Sampled { value, alone: true };
        let draw = |&draw: &f64| {
            [1.0, 1.001, 0.999, 1.0, 0.999, 1.001]
                .map(|noise| pass(draw * noise))
                .to_vec()
        };
        Cell {
            kind,
            work: BenchWork::Latency,
            bytes,
            draws: draws.iter().map(draw).collect(),
        }
    }

    #[test]
    fn a_gain_and_a_loss_are_told_apart_from_noise() {
        let cells = [
            cell(Kind::Ordinary, 1 << 20, &[5.0, 6.0, 5.5, 5.8]),
            cell(Kind::Colored, 1 << 20, &[4.0, 4.1, 4.05, 4.02]),
            cell(Kind::Ordinary, 5 << 18, &[7.0, 7.1, 7.05, 7.0]),
            cell(Kind::Colored, 5 << 18, &[7.7, 7.8, 7.7, 7.75]),
        ];
        let gains = gains(&cells, 1).unwrap();
        assert!(gains[0].apart && gains[0].steadier.unwrap().times.unwrap() > 4.0);
        assert_eq!(
            verdict(&gains, 1 << 20),
            "At the cache's size (1MiB) a load on colored pages is 27 % faster and 7 times steadier (at least 2.0). \
             It loses most at 1.25MiB (latency): 10 % slower."
        );
    }

    #[test]
    fn without_a_difference_it_says_so() {
        let cells = [
            cell(Kind::Ordinary, 1 << 20, &[5.0, 6.0, 5.5, 5.8]),
            cell(Kind::Colored, 1 << 20, &[5.8, 5.1, 5.9, 5.4]),
        ];
        assert_eq!(
            verdict(&gains(&cells, 1).unwrap(), 1 << 20),
            "At the cache's size (1MiB) coloring makes no difference that is sure. \
             No loss was seen that is sure."
        );
    }

    #[test]
    fn the_edge_of_a_part_is_where_it_rises() {
        let step = [
            (48.0, 3.0),
            (60.0, 3.0),
            (64.0, 3.1),
            (68.0, 5.0),
            (80.0, 6.0),
        ];
        let edge = edge(&step, 64.0).unwrap();
        assert!((64.0..68.0).contains(&edge), "{edge}");
        assert_eq!(
            super::edge(&[(48.0, 3.0), (64.0, 3.0), (80.0, 3.1)], 64.0),
            None
        );
    }
}
