//! Planted causes: what `whyslow selfcheck --causes` plants, and how well the causes are named then.

use whyslow_model::explanation::{CauseVerdict, Explanation};
use whyslow_model::planted::{Named, PlantTrial, Score};

use crate::causes::CAUSES;

/// A way to plant a cause: conditions of the crate `conditions` for whole runs.
#[derive(Debug)]
pub struct Plant {
    /// What is planted, such as `a filter of 200 rules`.
    pub name: &'static str,
    /// Conditions of A.
    pub a: &'static [&'static str],
    /// Conditions of B.
    pub b: &'static [&'static str],
}

/// The points that records for planted causes hold: one or two of every role that a cause may move. The
/// same for all, so that what was measured says nothing about what was planted.
pub const PANEL: &str = "os.null_call,os.fstat,os.stat,os.open_close,os.clock{clock=monotonic,way=vdso},\
os.sleep{method=nanosleep,us=100},os.signal_handle,ctx.ring{procs=2,size=0,cpus=same-cpu},\
ctx.ring{procs=2,size=0,cpus=free},ipc.pipe{cpus=same-cpu},ipc.pipe{cpus=free},proc.fork{image=static},\
proc.exec{image=static},proc.exec{image=dynamic},proc.shell,proc.shell_scripts{concurrent=8},\
vm.mmap{size=4MiB},fs.create{size=10KiB,after=fresh},file.byte{op=read,buffer=4096},\
mem.latency{size=16KiB,order=random,pages=4k},mem.latency{size=512KiB,order=random,pages=4k},\
mem.latency{size=256MiB,order=random,pages=4k},mem.latency{size=64MiB,order=random,pages=thp},\
mem.bandwidth{op=read,size=256MiB,cpus=1},mem.bandwidth{op=read,size=8MiB,cpus=1},\
mem.libc{op=memcpy,level=L1},mem.libc{op=memcpy,size=16MiB},\
mem.libc{op=memcpy,size=32KiB,distance=0},mem.libc{op=memcpy,size=32KiB,distance=8},\
mem.libc{op=memcpy,size=512KiB,distance=32},cpu.arith{type=double},cpu.dhrystone,smp.mandelbrot{procs=1},\
smp.mandelbrot{procs=2}";

/// All plants with their causes.
pub fn plants() -> impl Iterator<Item = (&'static str, &'static Plant)> {
    CAUSES
        .iter()
        .flat_map(|cause| cause.plants.iter().map(|plant| (cause.id, plant)))
}

/// What `explanation` named, held against the causes that were planted (none for A/A).
pub fn scored(
    plant: &str,
    planted: &[&str],
    rep: u32,
    explanation: &Explanation,
    seconds: f64,
) -> PlantTrial {
    // What is contradicted is not named, however it is ordered.
    let named: Vec<Named> = explanation
        .causes
        .iter()
        .filter(|c| c.verdict < CauseVerdict::Contradicted && c.weight > 0.0)
        .map(|c| Named {
            cause: c.cause.clone(),
            verdict: c.verdict,
            weight: c.weight,
            share: c.share,
        })
        .collect();
    let wanted: Vec<String> = if planted.is_empty() {
        vec!["nothing".to_owned()]
    } else {
        planted.iter().map(|p| (*p).to_owned()).collect()
    };
    let ranks = wanted
        .iter()
        .map(|cause| {
            let at = named.iter().position(|n| n.cause == *cause);
            at.and_then(|at| u32::try_from(at + 1).ok())
        })
        .collect();
    PlantTrial {
        plant: plant.to_owned(),
        planted: wanted,
        rep,
        ranks,
        named,
        answer: explanation.answer.clone(),
        seconds,
    }
}

/// The rows of the confusion matrix, in the order of the trials.
pub fn scores(trials: &[PlantTrial]) -> Vec<Score> {
    let mut rows: Vec<Score> = Vec::new();
    for trial in trials {
        let at = rows.iter().position(|r| r.plant == trial.plant);
        let at = at.unwrap_or_else(|| {
            rows.push(Score {
                plant: trial.plant.clone(),
                planted: trial.planted.clone(),
                trials: 0,
                first: 0,
                near: 0,
                named: 0,
                answers: Vec::new(),
            });
            rows.len() - 1
        });
        let Some(row) = rows.get_mut(at) else {
            continue;
        };
        let wanted = trial.planted.len();
        let within = |most: usize| {
            let mut ranks = trial.ranks.iter();
            ranks.all(|r| r.is_some_and(|r| r as usize <= most))
        };
        row.trials += 1;
        row.first += u32::from(within(wanted));
        row.near += u32::from(within(wanted + 1));
        row.named += u32::from(within(usize::MAX));
        let first = trial.named.first().map_or("none", |n| n.cause.as_str());
        match row.answers.iter_mut().find(|(cause, _)| cause == first) {
            Some((_, count)) => *count += 1,
            None => row.answers.push((first.to_owned(), 1)),
        }
    }
    for row in &mut rows {
        row.answers
            .sort_by(|(x, n), (y, m)| m.cmp(n).then(x.cmp(y)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(plant: &str, planted: &[&str], ranks: &[Option<u32>], first: &str) -> PlantTrial {
        PlantTrial {
            plant: plant.into(),
            planted: planted.iter().map(|p| (*p).to_owned()).collect(),
            rep: 1,
            ranks: ranks.to_vec(),
            named: vec![Named {
                cause: first.into(),
                verdict: CauseVerdict::Consistent,
                weight: 0.5,
                share: None,
            }],
            answer: String::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn rows_count_places() {
        let rows = scores(&[
            trial("x", &["seccomp"], &[Some(1)], "seccomp"),
            trial("x", &["seccomp"], &[Some(2)], "tracing"),
            trial("x", &["seccomp"], &[Some(3)], "tracing"),
            trial("x", &["seccomp"], &[None], "nothing"),
            trial("pair", &["fork", "seccomp"], &[Some(2), Some(1)], "seccomp"),
            trial("pair", &["fork", "seccomp"], &[Some(3), Some(1)], "seccomp"),
            trial("pair", &["fork", "seccomp"], &[None, Some(1)], "seccomp"),
        ]);
        let counts = |r: &Score| (r.trials, r.first, r.near, r.named);
        assert_eq!(
            rows.iter().map(counts).collect::<Vec<_>>(),
            [(4, 1, 2, 3), (3, 1, 2, 2)]
        );
        assert_eq!(rows[0].answers[0], ("tracing".to_owned(), 2));
    }

    #[test]
    fn the_panel_is_made_of_points() {
        let mut depth = 0;
        let points = PANEL.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        let points: Vec<&str> = points.collect();
        assert!(points.len() > 20);
        for text in points {
            assert!(text.parse::<whyslow_model::Point>().is_ok(), "{text}");
        }
    }
}
