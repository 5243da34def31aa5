//! The machines of the catalog on the terminal.

use whyslow_model::catalog::Listing;

use crate::Look;
use crate::grid::Grid;
use crate::numbers::{counted, number};
use crate::page::Screen;
use crate::text::{Style, Text};

/// Every machine with its values, the smallest of the first quantity on top, and where the figures are from.
pub(crate) fn page(listing: &Listing, look: Look) -> String {
    let mut page = Screen::new(look);
    let machines = counted(listing.machines.len() as u64, "machine", "machines");
    page.heading(
        &machines,
        "figures as published, each under its source below",
    );
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8).to_string();
    for (at, [title, what, unit]) in listing.quantities.iter().enumerate() {
        let text = Text::strong(title).and(Style::Plain, format!(", {unit}: {what}"));
        page.field(0, 1, &letter(at), text);
    }
    page.line(Text::default());
    let mut sorted: Vec<_> = listing.machines.iter().collect();
    let key = |values: &[Option<f64>]| values.first().copied().flatten().unwrap_or(f64::INFINITY);
    sorted.sort_by(|x, y| key(&x.values).total_cmp(&key(&y.values)));
    let letters = (0..listing.quantities.len()).map(letter);
    let mut grid = Grid::new(letters.chain(["measured".to_owned()]));
    for machine in &sorted {
        let value = |value: &Option<f64>| value.map_or(Text::dim("-"), |v| Text::plain(number(v)));
        let mut cells: Vec<Vec<Text>> = machine.values.iter().map(|v| vec![value(v)]).collect();
        cells.push(vec![Text::plain(&machine.measured)]);
        grid.row(machine.name.clone(), cells);
    }
    page.grid(&grid);
    page.heading("SOURCES", "");
    for machine in sorted {
        let source = match machine.source.as_str() {
            "" => String::new(),
            source => format!(": {source}"),
        };
        let text =
            Text::plain(&machine.name).and(Style::Dim, format!(": {}{source}", machine.published));
        page.flow(0, 2, text);
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use whyslow_model::catalog::Listed;

    use super::*;

    #[test]
    fn machines_stand_in_the_order_of_their_latency() {
        let listed = |name: &str, first: Option<f64>, source: &str| Listed {
            name: name.to_owned(),
            measured: "2023-05".to_owned(),
            published: "results of a bench".to_owned(),
            source: source.to_owned(),
            values: vec![first, Some(23.2)],
        };
        let quantity = |title: &str, unit: &str| [title, "what it is", unit].map(str::to_owned);
        let listing = Listing {
            quantities: vec![quantity("latency", "ns"), quantity("memcpy", "GB/s")],
            machines: vec![
                listed("none", None, ""),
                listed("slow", Some(204.4), "https://example.org/a"),
                listed("fast", Some(72.1), "https://example.org/b"),
            ],
        };
        let look = Look {
            width: 80,
            color: false,
            ascii: false,
        };
        insta::assert_snapshot!(page(&listing, look), @r"
        3 machines  figures as published, each under its source below
        a latency, ns: what it is
        b memcpy, GB/s: what it is

              a     b     measured
        fast  72.1  23.2  2023-05
        slow  204   23.2  2023-05
        none  -     23.2  2023-05

        SOURCES
        fast: results of a bench: https://example.org/b
        slow: results of a bench: https://example.org/a
        none: results of a bench
        ");
    }
}
