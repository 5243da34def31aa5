//! Where values of a record stand among those of other machines.

use whyslow_model::catalog::Standing;

use crate::numbers::{self, counted};
use crate::page::Screen;
use crate::text::{Style, Text};

pub(super) fn section(standings: &[Standing], page: &mut Screen) {
    let Some(first) = standings.first() else {
        return;
    };
    page.heading("CATALOG", "other machines, as published");
    for standing in standings {
        let text = Text::plain(format!("{}: ", standing.title))
            .and(Style::Plain, own(standing))
            .and(Style::Plain, format!(", {}", place(standing)));
        page.flow(0, 2, text);
    }
    page.flow(
        0,
        2,
        Text::dim(format!("{}; `whyslow catalog` lists them", sources(first))),
    );
}

/// `145 ns`.
pub(crate) fn own(standing: &Standing) -> String {
    format!("{} {}", numbers::number(standing.value), standing.unit)
}

/// `62nd percentile of 24 machines (15 less, 9 more)`.
pub(crate) fn place(standing: &Standing) -> String {
    let [less, more] = standing.around();
    format!(
        "{} percentile of {} ({less} less, {more} more)",
        ordinal(standing.percentile().round() as u64),
        counted(standing.others.len() as u64, "machine", "machines"),
    )
}

/// How old the figures are, and whose.
pub(crate) fn sources(standing: &Standing) -> String {
    let years = || {
        standing
            .others
            .iter()
            .filter_map(|peer| peer.measured.get(..4))
    };
    let (first, last) = (
        years().min().unwrap_or_default(),
        years().max().unwrap_or_default(),
    );
    let mut whose: Vec<&str> = Vec::new();
    for peer in &standing.others {
        // The name alone: what follows says with which version.
        let name = peer.published.split(',').next().unwrap_or_default();
        let name = name.split_whitespace().next().unwrap_or_default();
        if !whose.contains(&name) {
            whose.push(name);
        }
    }
    format!(
        "measured {first} to {last}, published by {}",
        whose.join(" and ")
    )
}

/// `1st`, `22nd`, `13th`.
fn ordinal(n: u64) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

#[cfg(test)]
mod tests {
    use whyslow_model::Better;
    use whyslow_model::catalog::Peer;

    use super::*;
    use crate::Look;

    #[test]
    fn says_where_a_value_stands_and_whose_the_others_are() {
        let peer = |value: f64, measured: &str, published: &str| Peer {
            name: "a CPU".to_owned(),
            measured: measured.to_owned(),
            published: published.to_owned(),
            value,
        };
        let standing = Standing {
            title: "memory latency".to_owned(),
            what: String::new(),
            unit: "ns".to_owned(),
            better: Better::Lower,
            value: 145.4,
            others: vec![
                peer(90.0, "2023-05", "sbc-bench results, sbc-bench v0.9"),
                peer(120.0, "2018-01", "sbc-bench results, sbc-bench v0.4"),
                peer(300.0, "2026-11", "whyslow 0.1.0, a quick run"),
            ],
        };
        let mut page = Screen::new(Look {
            width: 80,
            color: false,
            ascii: false,
        });
        section(&[standing], &mut page);
        insta::assert_snapshot!(page.finish(), @r"
        CATALOG  other machines, as published
        memory latency: 145 ns, 67th percentile of 3 machines (2 less, 1 more)
        measured 2018 to 2026, published by sbc-bench and whyslow; `whyslow catalog`
          lists them
        ");
        for (n, said) in [
            (1, "1st"),
            (2, "2nd"),
            (13, "13th"),
            (63, "63rd"),
            (100, "100th"),
        ] {
            assert_eq!(ordinal(n), said);
        }
    }
}
