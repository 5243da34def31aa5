//! What the numbers support, in words: a claim reaches as far as what was repeated.

use whyslow_model::comparison::{PointComparison, Repeated, Scope};

use crate::side::Gathered;

pub(crate) fn scope(
    a: &Gathered<'_>,
    b: &Gathered<'_>,
    level: Repeated,
    points: &[PointComparison],
) -> Scope {
    let most = |of: fn(&PointComparison) -> usize| points.iter().map(of).max().unwrap_or(0) as u32;
    let units = units(a, b, level);
    let mut scope = Scope {
        level,
        a: most(|p| p.a.units.len()),
        b: most(|p| p.b.units.len()),
        units,
        claims: Vec::new(),
    };
    scope.claims = claims(&scope, a, b, points);
    scope
}

/// What the units are called.
fn units(a: &Gathered<'_>, b: &Gathered<'_>, level: Repeated) -> String {
    let mut records = a.records.iter().chain(b.records).map(|n| n.record);
    let origin = records.find_map(|r| r.origin.as_ref());
    match level {
        Repeated::Host => "hosts".into(),
        Repeated::Boot => "boots".into(),
        Repeated::Process => "processes".into(),
        Repeated::Runs | Repeated::Nothing => {
            origin.map_or_else(|| "runs".into(), |o| o.unit_of_repetition.clone())
        }
    }
}

fn claims(
    scope: &Scope,
    a: &Gathered<'_>,
    b: &Gathered<'_>,
    points: &[PointComparison],
) -> Vec<String> {
    let a_side = match (scope.a, scope.b) {
        (a, b) if a == b => format!("{} {} a side", counted(a), scope.units),
        (a, b) => format!(
            "{} {} in A and {} in B",
            counted(a),
            scope.units,
            counted(b)
        ),
    };
    let mut claims = match scope.level {
        Repeated::Nothing => vec![
            "one value a side: ratios and what moved together, without any claim about chance"
                .to_owned(),
            "nothing says how far the values of one side would repeat".to_owned(),
        ],
        Repeated::Runs => vec![
            format!("{a_side}: supports claims about these runs of these systems"),
            "says nothing about other boots, or other machines of the kind".to_owned(),
        ],
        Repeated::Process if a.same_host(b) && a.boots == 1 && b.boots == 1 && same_boot(a, b) => {
            vec![
                format!("{a_side}, all in one boot of one host: supports claims about that boot"),
                drifted(points),
            ]
        }
        Repeated::Process => vec![
            format!("{a_side}, of one boot: supports claims about these two boots"),
            "says nothing about other boots, or other machines of the model".to_owned(),
        ],
        Repeated::Boot => vec![
            format!("{a_side}: supports claims about these kernels on these hosts"),
            "one host a side says nothing about other machines of the model".to_owned(),
        ],
        Repeated::Host => vec![
            format!("{a_side}: supports claims about these models of machine"),
            "if the hosts were drawn from all of the model, and not picked".to_owned(),
        ],
    };
    if scope.level == Repeated::Process && a.boots.max(b.boots) > 1 {
        claims.push(format!(
            "A holds {} and B {}: what differs from boot to boot is taken for spread of processes; \
             two boots or more on both sides would support claims about the kernel",
            boots(a.boots),
            boots(b.boots)
        ));
    }
    claims
}

/// What is said of drift between two runs of one boot.
fn drifted(points: &[PointComparison]) -> String {
    let mut shares: Vec<f64> = points.iter().filter_map(|p| p.between_runs).collect();
    shares.sort_by(f64::total_cmp);
    let share = |error: f64| format!("{:.1}", 100.0 * error.exp_m1());
    match (shares.first(), shares.last()) {
        (Some(least), Some(most)) => format!(
            "drift between runs is in the intervals: standard errors of {} to {} %",
            share(*least),
            share(*most)
        ),
        _ => "what drifted between the two runs is part of the difference".to_owned(),
    }
}

fn same_boot(a: &Gathered<'_>, b: &Gathered<'_>) -> bool {
    let boot = |side: &Gathered<'_>| {
        let host = side.records.first()?.record.host.as_deref()?;
        host.boot_id.value().cloned()
    };
    boot(a).is_some() && boot(a) == boot(b)
}

fn boots(count: usize) -> String {
    match count {
        1 => "one boot".into(),
        n => format!("{} boots", counted(n as u32)),
    }
}

/// Small counts as words, as in running text.
fn counted(count: u32) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    WORDS
        .get(count as usize)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}
