//! How many slow nodes are found and how many good ones accused, on simulated fleets: by points, by families, and by
//! families in two stages.
//!
//! `cargo run --release -p whyslow-fleet --example fleets [REPORTS] [RECORD...]` prints the table of docs/fleet.md; with records of
//! one host, only rows with the noise of these.
#![allow(clippy::print_stdout)] // an example prints its result

mod dice;
mod fleet;
mod real;

use dice::Dice;
use fleet::{Fleet, Noise};
use whyslow_stats::peers::{Finding, Rules, judge};

/// Further sessions of the second stage, and references beside the suspects.
const AGAIN: usize = 4;
const REFERENCES: usize = 8;

/// A row of the table.
struct Case {
    name: String,
    noise: Noise,
    nodes: usize,
    sessions: usize,
    bad: usize,
    effect: f64,
    reports: usize,
}

/// What a way of testing did, summed over reports.
#[derive(Default)]
struct Score {
    found: usize,
    accused: usize,
    reports_with: usize,
    sessions: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let reports = asked.unwrap_or(200);
    let records: Vec<String> = std::env::args().skip(2).collect();
    println!(
        "| nodes, sessions, slow by | points: found, accused | families: found, accused | two stages: found, accused (node-sessions) | a good node accused in (points, families, two stages) |"
    );
    println!("|---|---|---|---|---|");
    let mut cases = cases(reports);
    if !records.is_empty() {
        let noise = real::noise(&records)?;
        let (points, families) = (noise.points.len(), noise.families());
        let session = 100.0 * noise.session;
        let real = |what: &str, bad, effect| Case {
            name: format!(
                "64, 1, {what}, noise of a record: {points} points in {families} families, sessions {session:.1} %"
            ),
            noise: noise.clone(),
            nodes: 64,
            sessions: 1,
            bad,
            effect,
            reports,
        };
        cases = vec![
            real("5 %", 4, 0.05),
            real("10 %", 4, 0.1),
            real("none", 0, 0.0),
        ];
    }
    for case in cases {
        println!("{}", row(&case));
    }
    Ok(())
}

fn cases(reports: usize) -> Vec<Case> {
    let quiet = || Noise::normal(6, 10, 0.01, 0.01, 0.03);
    // Nodes that differ by families too, as machines of several batches do.
    let batches = || Noise {
        shared: [0.5; 2],
        ..quiet()
    };
    let noisy = || Noise::normal(6, 10, 0.01, 0.02, 0.08);
    let case = |name: &str, noise, nodes, sessions, bad, effect| Case {
        name: name.to_owned(),
        noise,
        nodes,
        sessions,
        bad,
        effect,
        reports: if nodes > 500 { reports / 10 } else { reports },
    };
    vec![
        case("64, 1, 5 %", quiet(), 64, 1, 4, 0.05),
        case("64, 2, 3 %", quiet(), 64, 2, 4, 0.03),
        case("64, 1, 10 %", quiet(), 64, 1, 4, 0.10),
        case("64 of batches, 1, 5 %", batches(), 64, 1, 4, 0.05),
        case("16, 1, 5 %", quiet(), 16, 1, 1, 0.05),
        case("8, 2, 10 %", quiet(), 8, 2, 1, 0.10),
        case("1,000, 1, 5 %", quiet(), 1000, 1, 20, 0.05),
        case("64 noisy guests, 2, 10 %", noisy(), 64, 2, 4, 0.10),
        case("64, 1, none", quiet(), 64, 1, 0, 0.0),
        case("64 of batches, 1, none", batches(), 64, 1, 0, 0.0),
        case("16, 1, none", quiet(), 16, 1, 0, 0.0),
        case("8, 1, none", quiet(), 8, 1, 0, 0.0),
        case("4, 1, none", quiet(), 4, 1, 0, 0.0),
        case("1,000, 1, none", quiet(), 1000, 1, 0, 0.0),
        case("64 noisy guests, 2, none", noisy(), 64, 2, 0, 0.0),
    ]
}

/// Nodes called slow, and the suspects.
fn slow(sessions: &[Vec<Vec<f64>>], family: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let found = judge(sessions, family, &Rules::default());
    let in_what = found.nodes.iter().map(|own| {
        let own = own.iter().enumerate();
        let slow = own.filter(|(_, d)| d.is_some_and(|d| d.finding == Finding::Slow));
        slow.map(|(f, _)| f).collect::<Vec<usize>>()
    });
    let suspects = found.nodes.iter().enumerate();
    let suspects = suspects.filter(|(_, own)| own.iter().flatten().any(|d| d.suspect));
    let suspects = suspects.map(|(node, _)| node).collect();
    (in_what.collect(), suspects)
}

impl Score {
    fn add(&mut self, fleet: &Fleet, slow: &[Vec<usize>], family_of: impl Fn(usize) -> usize) {
        let bad = fleet.slow.len();
        for (node, family) in fleet.slow.iter().enumerate() {
            let found = slow[node].iter().any(|f| family_of(*f) == *family);
            self.found += usize::from(found);
        }
        let accused = slow[bad..].iter().filter(|own| !own.is_empty()).count();
        self.accused += accused;
        self.reports_with += usize::from(accused > 0);
        self.sessions += fleet.sessions.iter().map(Vec::len).sum::<usize>();
    }

    fn shown(&self, case: &Case) -> String {
        let reports = case.reports as f64;
        let accused = self.accused as f64 / reports;
        match case.bad {
            0 => format!("{accused:.2}"),
            bad => format!(
                "{:.0} %, {accused:.2}",
                100.0 * self.found as f64 / (reports * bad as f64)
            ),
        }
    }
}

fn row(case: &Case) -> String {
    let noise = &case.noise;
    let family = noise.family();
    let points: Vec<usize> = (0..family.len()).collect();
    let mut cells = 0;
    let [mut by_point, mut by_family, mut staged] = [(); 3].map(|()| Score::default());
    for seed in 0..case.reports {
        let dice = &mut Dice::new(seed as u64);
        let mut fleet = Fleet::of(
            noise,
            case.nodes,
            case.sessions,
            case.bad,
            case.effect,
            dice,
        );
        let (found, _) = slow(&fleet.sessions, &points);
        for (node, own) in fleet.slow.iter().enumerate() {
            cells += found[node].iter().filter(|p| family[**p] == *own).count();
        }
        by_point.add(&fleet, &found, |p| family[p]);
        let (found, mut again) = slow(&fleet.sessions, &family);
        by_family.add(&fleet, &found, |f| f);
        let mut good: Vec<usize> = (0..case.nodes).filter(|n| !again.contains(n)).collect();
        for _ in 0..REFERENCES.min(good.len()) {
            again.push(good.swap_remove(dice.below(good.len())));
        }
        fleet.again(noise, &again, AGAIN, dice);
        let (found, _) = slow(&fleet.sessions, &family);
        staged.add(&fleet, &found, |f| f);
    }
    let reports = case.reports as f64;
    let of_cells = match case.bad {
        0 => String::new(),
        bad => {
            let each = family.len() / noise.families();
            let share = 100.0 * cells as f64 / (reports * (bad * each) as f64);
            format!(" ({share:.0} % of points)")
        }
    };
    let with = |score: &Score| format!("{:.1} %", 100.0 * score.reports_with as f64 / reports);
    format!(
        "| {} | {}{of_cells} | {} | {} ({:.0}) | {}, {}, {} |",
        case.name,
        by_point.shown(case),
        by_family.shown(case),
        staged.shown(case),
        staged.sessions as f64 / reports,
        with(&by_point),
        with(&by_family),
        with(&staged),
    )
}
