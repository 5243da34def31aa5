//! What switching causes on and off moved.

use whyslow_model::experiment::Estimated;
use whyslow_model::explanation::Explanation;

use super::{Cell, Figure, Table};
use crate::drawing::{ChartRow, Drawing, Key, Mark, RowScale, Rows};
use crate::explain::change;

/// Kinds of marks: the name, and the index of the color.
const KINDS: [(&str, usize); 2] = [("with the cause on", 1), ("what remains without it", 0)];

/// The effects of all experiments; none where none was made.
pub(crate) fn figure(explanations: &[Explanation]) -> Option<Figure> {
    let experiments = || explanations.iter().flat_map(|e| &e.experiments);
    let several = experiments().count() > 1;
    let mut table = Table::new(&["cause", "point", "with it", "remains without it"]);
    let mut rows = Vec::new();
    for experiment in experiments() {
        for effect in experiment.effects.iter().chain(&experiment.spared) {
            let name = match several {
                true => format!("{}: {}", experiment.cause, effect.point),
                false => effect.point.to_string(),
            };
            let said = change(effect, effect.effect);
            let remains = effect.remains.map_or(String::new(), |r| change(effect, r));
            table.row(vec![
                Cell::text(experiment.cause.clone()),
                Cell::text(effect.point.to_string()),
                Cell::text(said.clone()),
                Cell::text(remains),
            ]);
            let kinds = [Some(effect.effect), effect.remains];
            let marks = kinds.into_iter().zip(KINDS).filter_map(|(of, kind)| {
                let of = of?;
                let tip = format!("{name}, {}\n{}", kind.0, change(effect, of));
                Some(mark(of, kind.1, tip))
            });
            rows.push(ChartRow {
                marks: marks.collect(),
                text: said.split(" [").next().unwrap_or_default().to_owned(),
                name,
            });
        }
    }
    (!rows.is_empty()).then(|| Figure {
        title: "What the switch moves".into(),
        reading: "Each point with the cause on over the same with it off, and what remains without it against a reference \
                  that never met the switch; bars are 95 % intervals over blocks."
            .into(),
        table,
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Ratio,
            axis: "against off, logarithmic:  ← worse · better →".into(),
            band: None,
            rows,
            whole: false,
            legend: KINDS
                .iter()
                .map(|(name, color)| Key {
                    color: *color,
                    dash: 0,
                    name: (*name).to_owned(),
                    switch: false,
                })
                .collect(),
        }),
    })
}

/// Logarithms of times worse, on an axis whose right is better.
fn mark(of: Estimated, color: usize, tip: String) -> Mark {
    let [lo, hi] = of.range;
    // Nothing is shown to move where the interval reaches no change.
    let open = lo <= 0.0 && hi >= 0.0;
    Mark {
        color: color.to_string(),
        value: (-of.value).exp(),
        range: Some([(-hi).exp(), (-lo).exp()]),
        open,
        others: Vec::new(),
        tip: tip.into(),
    }
}
