//! The page of `color run`: what was colored, what it cost, and what was left alone.

use whyslow_model::color::{ColorRun, ProgramEnd};
use whyslow_model::host::Known;

use crate::Look;
use crate::numbers;
use crate::page::Page;
use crate::text::Text;

/// Columns of the names; the longest is `by color`.
const NAMES: usize = 8;

pub(crate) fn run(run: &ColorRun, look: Look) -> String {
    let mut page = Page::new(look);
    let ended = match run.ended {
        ProgramEnd::Code(code) => format!("ended with code {code}"),
        ProgramEnd::Signal(signal) => format!("was ended by signal {signal}"),
    };
    let program = run.command.first().map_or("", String::as_str);
    page.heading("Colored pages", &format!("{program} {ended}"));
    let mut say = |name: &str, text: String| page.field(0, NAMES, name, Text::plain(text));
    let pages = |n: u64| {
        let bytes = numbers::size(n * run.page_bytes).replace('\u{a0}', " ");
        format!("{} ({bytes})", numbers::counted(n, "page", "pages"))
    };
    say(
        "colors",
        match &run.colors {
            Known::Is(c) => format!(
                "{} colors, {} ways, found in {:.0} ms",
                c.colors, c.ways, c.took_ms
            ),
            Known::Unknown(why) => why.unknown.clone(),
        },
    );
    say(
        "colored",
        match run.colored {
            0 => "nothing".to_owned(),
            n => format!(
                "{} in {} of {}",
                pages(n),
                numbers::counted(run.blocks, "block", "blocks"),
                numbers::counted(run.processes, "process", "processes"),
            ),
        },
    );
    if run.colored > 0 {
        let (hits, others) = (numbers::count(run.hits), numbers::count(run.fallbacks));
        say(
            "hits",
            format!("{hits} got the color wanted, {others} another"),
        );
        let each: Vec<String> = run.by_color.iter().map(u64::to_string).collect();
        say("by color", each.join(" "));
    }
    if run.present > 0 {
        say(
            "present",
            format!("{} had a frame already", pages(run.present)),
        );
    }
    for left in &run.ordinary {
        say("ordinary", format!("{}: {}", pages(left.pages), left.why));
    }
    let cost = &run.cost;
    if cost.waiting_ms + cost.testing_ms + cost.moving_ms > 0.0 {
        let each = cost
            .page_us
            .map_or(String::new(), |us| format!(" ({us:.1} µs a page)"));
        say(
            "cost",
            format!(
                "{:.1} ms looking up colors and {:.1} ms moving pages{each}, {:.0} ms waiting for the colors to be found",
                cost.testing_ms, cost.moving_ms, cost.waiting_ms
            ),
        );
    }
    for note in &run.notes {
        page.flow(0, 2, Text::dim(format!("note: {note}")));
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::color::{ColorCost, OrdinaryPages, RunColors};

    fn example() -> ColorRun {
        ColorRun {
            command: vec!["matrix".to_owned(), "362".to_owned()],
            ended: ProgramEnd::Code(0),
            page_bytes: 4096,
            colors: Known::Is(RunColors {
                colors: 4,
                ways: 8,
                took_ms: 71.4,
            }),
            threshold_bytes: 1 << 18,
            largest_bytes: 1 << 24,
            programs: 3,
            processes: 1,
            blocks: 2,
            colored: 512,
            hits: 510,
            fallbacks: 2,
            by_color: vec![128, 128, 127, 129],
            present: 0,
            ordinary: vec![OrdinaryPages {
                why: "the block is larger than coloring is worth for".to_owned(),
                pages: 4096,
            }],
            tested: 768,
            without_color: 0,
            cost: ColorCost {
                waiting_ms: 72.0,
                testing_ms: 2.3,
                moving_ms: 0.6,
                page_us: Some(5.66),
            },
            notes: vec![],
        }
    }

    const LOOK: Look = Look {
        width: 100,
        color: false,
        ascii: false,
    };

    #[test]
    fn says_what_was_colored_and_what_it_cost() {
        insta::assert_snapshot!(run(&example(), LOOK), @r"
        Colored pages  matrix ended with code 0
        colors   4 colors, 8 ways, found in 71 ms
        colored  512 pages (2 MiB) in 2 blocks of 1 process
        hits     510 got the color wanted, 2 another
        by color 128 128 127 129
        ordinary 4,096 pages (16 MiB): the block is larger than coloring is worth for
        cost     2.3 ms looking up colors and 0.6 ms moving pages (5.7 µs a page), 72 ms waiting for the
                 colors to be found
        ");
    }

    #[test]
    fn says_why_nothing_was() {
        let none = ColorRun {
            ended: ProgramEnd::Signal(15),
            colors: Known::unknown("not looked for: no block of memory was worth it"),
            blocks: 0,
            processes: 0,
            colored: 0,
            hits: 0,
            fallbacks: 0,
            by_color: vec![],
            cost: ColorCost {
                waiting_ms: 0.0,
                testing_ms: 0.0,
                moving_ms: 0.0,
                page_us: None,
            },
            notes: vec!["something to know".to_owned()],
            ..example()
        };
        insta::assert_snapshot!(run(&none, LOOK), @r"
        Colored pages  matrix was ended by signal 15
        colors   not looked for: no block of memory was worth it
        colored  nothing
        ordinary 4,096 pages (16 MiB): the block is larger than coloring is worth for
        note: something to know
        ");
    }
}
