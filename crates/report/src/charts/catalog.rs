//! Values of a record among those of other machines, which are gray.

use whyslow_model::catalog::Standing;

use super::{Cell, Figure, Table};
use crate::drawing::{ChartRow, Drawing, Mark, RowScale, Rows};
use crate::numbers;
use crate::summary::catalog::{own, place, sources};

/// A chart for each unit.
pub(crate) fn figures(standings: &[Standing]) -> Vec<Figure> {
    let mut units: Vec<&str> = standings.iter().map(|s| s.unit.as_str()).collect();
    units.dedup();
    let of_unit = |unit: &&str| {
        let standings = standings.iter().filter(|s| s.unit == *unit);
        figure(unit, &standings.collect::<Vec<_>>())
    };
    units.iter().filter_map(of_unit).collect()
}

fn figure(unit: &str, standings: &[&Standing]) -> Option<Figure> {
    let first = standings.first()?;
    let mut table = Table::new(&["quantity", "machine", "measured", "published"]);
    table.head(unit, true);
    let mut rows = Vec::new();
    for standing in standings {
        let others = standing.others.iter().map(|peer| {
            let value = numbers::number(peer.value);
            table.row(vec![
                Cell::text(standing.title.clone()),
                Cell::text(peer.name.clone()),
                Cell::text(peer.measured.clone()),
                Cell::text(peer.published.clone()),
                Cell::number(peer.value, value.clone()),
            ]);
            let tip = format!("{}\n{value} {unit}, {}", peer.name, peer.measured);
            (peer.value, tip.into())
        });
        let others = others.collect();
        rows.push(ChartRow {
            name: standing.title.clone(),
            marks: vec![
                Mark {
                    color: "open".to_owned(),
                    value: standing.value,
                    range: None,
                    open: true,
                    others,
                    tip: String::new().into(),
                },
                Mark {
                    color: "0".to_owned(),
                    value: standing.value,
                    range: None,
                    open: false,
                    others: Vec::new(),
                    tip: format!("this record\n{}, {}", own(standing), place(standing)).into(),
                },
            ],
            text: own(standing),
        });
    }
    let whats: Vec<String> = standings
        .iter()
        .map(|s| format!("{}: {}", s.title, s.what))
        .collect();
    Some(Figure {
        title: format!("Among {} machines", first.others.len()),
        reading: format!(
            "The mark is this record, gray lines are machines of the catalog, {}. {}.",
            sources(first),
            whats.join("; ")
        ),
        table,
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Value,
            axis: format!("{unit}, logarithmic"),
            band: None,
            rows,
            whole: false,
            legend: Vec::new(),
        }),
    })
}
