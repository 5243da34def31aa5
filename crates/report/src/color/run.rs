//! The page of `color run`: what was colored, what it cost, and what was left alone.

use whyslow_model::color::{ColorRun, ProgramEnd, RunPages};
use whyslow_model::host::Known;

use crate::Look;
use crate::grid::Grid;
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

/// Columns of the names; the longest is `by color`.
const NAMES: usize = 8;

/// Lines of a table: what matters is in the first few.
const LINES: usize = 8;

/// The page of `color run`.
pub(crate) fn run(run: &ColorRun, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(0, 0, Text::strong(run_answer(run)));
    page.heading("Colored pages", &ended(run));
    for (name, text) in run_facts(run) {
        page.field(0, NAMES, name, Text::plain(text));
    }
    processes(run, &mut page);
    objects(run, &mut page);
    for note in &run.notes {
        page.flow(0, 2, Text::dim(format!("note: {note}")));
    }
    page.finish()
}

/// The program and how it ended.
pub(crate) fn ended(run: &ColorRun) -> String {
    let program = run.command.first().map_or("", String::as_str);
    match run.ended {
        ProgramEnd::Code(code) => format!("{program} ended with code {code}"),
        ProgramEnd::Signal(signal) => format!("{program} was ended by signal {signal}"),
    }
}

/// How much of the program's memory was colored and what that took, in a sentence; or why none was.
pub(crate) fn run_answer(run: &ColorRun) -> String {
    if run.colored == 0 {
        let most = run.ordinary.iter().max_by_key(|left| left.pages);
        let why = match (&run.colors, most) {
            (Known::Unknown(why), None) => format!(": {}", why.unknown),
            (_, Some(left)) => format!(": {}", left.why),
            (Known::Is(_), None) => String::new(),
        };
        return format!("No page was colored{why}.");
    }
    let wanted = numbers::percent(run.hits as f64 / run.colored as f64);
    let ordinary: u64 = run.ordinary.iter().map(|left| left.pages).sum();
    let all = run.colored + run.present + ordinary;
    let cost = &run.cost;
    let work = cost.testing_ms + cost.moving_ms;
    format!(
        "{} of {} in large blocks are colored, {wanted} of them with the requested color; that took {work:.1} ms, and {:.0} ms \
         of waiting for the colors.",
        numbers::count(run.colored),
        pages(run, all),
        cost.waiting_ms
    )
}

/// `4,096 pages (16 MiB)`.
fn pages(run: &ColorRun, n: u64) -> String {
    let bytes = numbers::size(n * run.page_bytes).replace('\u{a0}', " ");
    format!("{} ({bytes})", numbers::counted(n, "page", "pages"))
}

/// What was colored, what was not, and the cost, by name.
pub(crate) fn run_facts(run: &ColorRun) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let mut say = |name: &'static str, text: String| facts.push((name, text));
    let pages = |n: u64| pages(run, n);
    say(
        "colors",
        match &run.colors {
            Known::Is(c) => format!(
                "{} colors, {} ways, {} in {:.0} ms",
                c.colors,
                c.ways,
                if c.kept {
                    "known before, checked"
                } else {
                    "found"
                },
                c.took_ms
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
            format!(
                "{} had a frame already, and keep the color it has",
                pages(run.present)
            ),
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
    facts
}

/// A line for each of the processes with most pages.
fn processes(run: &ColorRun, page: &mut Screen) {
    let remark = more(run.by_process.len());
    table("PROCESSES", &remark, &process_lines(run, LINES), page);
}

/// A line for each of the kinds of blocks with most pages.
fn objects(run: &ColorRun, page: &mut Screen) {
    let remark = more(run.by_object.len());
    table("OBJECTS", &remark, &object_lines(run, LINES), page);
}

/// The processes with most pages, at most `most`, and those that had no room in the table.
pub(crate) fn process_lines(run: &ColorRun, most: usize) -> Vec<(String, &RunPages)> {
    let lines = run.by_process.iter().take(most);
    let lines = lines.map(|p| (format!("{} {}", named(&p.name), p.pid), &p.pages));
    let others = (run.other_process_pages.blocks > 0).then(|| {
        let name = match run.other_processes {
            0 => "others".to_owned(),
            n => numbers::counted(n, "other", "others"),
        };
        (name, &run.other_process_pages)
    });
    lines.chain(others).collect()
}

/// The kinds of blocks with most pages, at most `most`, and those that had no room in the table.
pub(crate) fn object_lines(run: &ColorRun, most: usize) -> Vec<(String, &RunPages)> {
    let lines = run.by_object.iter().take(most).map(|object| {
        let sizes = sizes(object.least_bytes, object.most_bytes);
        let name = named(&object.name);
        (format!("{name} {} {sizes}", object.call), &object.pages)
    });
    let others =
        (run.other_object_pages.blocks > 0).then(|| ("others".to_owned(), &run.other_object_pages));
    lines.chain(others).collect()
}

/// A process that may not be asked has no name.
fn named(name: &str) -> &str {
    match name {
        "" => "unnamed",
        name => name,
    }
}

/// `1 MiB`, `912-952 KiB`, `1020 KiB-1.06 MiB`.
fn sizes(least: u64, most: u64) -> String {
    let size = |bytes| numbers::size(bytes).replace('\u{a0}', " ");
    let (first, last) = (size(least), size(most));
    // Less apart than is seen in three digits.
    if most - least < least / 100 {
        return first;
    }
    match (first.split_once(' '), last.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}-{last}"),
        _ => format!("{first}-{last}"),
    }
}

/// Says of how many lines the first are shown.
fn more(all: usize) -> String {
    match all > LINES {
        true => format!("the {LINES} with most pages of {all}; all with --format json"),
        false => String::new(),
    }
}

/// The columns that have something in some line.
fn table(title: &str, remark: &str, lines: &[(String, &RunPages)], page: &mut Screen) {
    type Column = (&'static str, fn(&RunPages) -> Option<String>);
    fn count(n: u64) -> Option<String> {
        (n > 0).then(|| numbers::count(n))
    }
    const COLUMNS: [Column; 7] = [
        ("blocks", |p| count(p.blocks)),
        ("pages", |p| count(p.pages)),
        ("colored", |p| {
            let colored = p.hits + p.fallbacks;
            // Of those that could be: what had a frame keeps the color it had.
            let open = p.pages.saturating_sub(p.present).max(1);
            (colored > 0).then(|| numbers::percent(colored as f64 / open as f64))
        }),
        ("another", |p| count(p.fallbacks)),
        ("present", |p| count(p.present)),
        ("ordinary", |p| {
            count(p.ordinary.iter().map(|left| left.pages).sum())
        }),
        ("took", |p| {
            (p.took_ms > 0.0).then(|| format!("{:.1} ms", p.took_ms))
        }),
    ];
    if lines.is_empty() {
        return;
    }
    page.heading(title, remark);
    let used = |column: &Column| lines.iter().any(|(_, pages)| column.1(pages).is_some());
    let columns: Vec<Column> = COLUMNS.into_iter().filter(used).collect();
    let mut grid = Grid::new(columns.iter().map(|column| column.0.to_owned()));
    for (name, pages) in lines {
        let cell = |column: &Column| {
            let text = column.1(pages).map_or(Text::dim("-"), Text::plain);
            vec![text]
        };
        grid.row(name, columns.iter().map(cell).collect());
    }
    page.grid(&grid);
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::color::{ColorCost, OrdinaryPages, RunColors, RunObject, RunProcess};

    fn colored(blocks: u64, hits: u64, fallbacks: u64) -> RunPages {
        RunPages {
            blocks,
            colored_blocks: blocks,
            pages: hits + fallbacks,
            hits,
            fallbacks,
            took_ms: 2.9,
            ..RunPages::default()
        }
    }

    fn large() -> RunPages {
        RunPages {
            blocks: 1,
            pages: 4096,
            ordinary: example_reasons(),
            ..RunPages::default()
        }
    }

    fn example_reasons() -> Vec<OrdinaryPages> {
        vec![OrdinaryPages {
            why: "the block is too large for coloring to help".to_owned(),
            pages: 4096,
        }]
    }

    fn example() -> ColorRun {
        ColorRun {
            command: vec!["matrix".to_owned(), "362".to_owned()],
            ended: ProgramEnd::Code(0),
            page_bytes: 4096,
            colors: Known::Is(RunColors {
                colors: 4,
                ways: 8,
                took_ms: 71.4,
                kept: false,
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
            ordinary: example_reasons(),
            by_process: vec![
                RunProcess {
                    pid: 4711,
                    name: "matrix".to_owned(),
                    pages: colored(2, 510, 2),
                },
                RunProcess {
                    pid: 4712,
                    name: String::new(),
                    pages: large(),
                },
            ],
            other_processes: 3,
            other_process_pages: colored(3, 30, 0),
            by_object: (0..9)
                .map(|n| RunObject {
                    name: "matrix".to_owned(),
                    call: "malloc".to_owned(),
                    least_bytes: 1 << 20,
                    most_bytes: (1 << 20) + (n << 16),
                    pages: colored(1, 256, 0),
                })
                .collect(),
            other_object_pages: RunPages::default(),
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
        512 of 4,608 pages (18 MiB) in large blocks are colored, 100 % of them with the requested color;
        that took 2.9 ms, and 72 ms of waiting for the colors.

        Colored pages  matrix ended with code 0
        colors   4 colors, 8 ways, found in 71 ms
        colored  512 pages (2 MiB) in 2 blocks of 1 process
        hits     510 got the color wanted, 2 another
        by color 128 128 127 129
        ordinary 4,096 pages (16 MiB): the block is too large for coloring to help
        cost     2.3 ms looking up colors and 0.6 ms moving pages (5.7 µs a page), 72 ms waiting for the
                 colors to be found

        PROCESSES
                      blocks  pages  colored  another  ordinary  took
        matrix 4711   2       512    100 %    2        -         2.9 ms
        unnamed 4712  1       4,096  -        -        4,096     -
        3 others      3       30     100 %    -        -         2.9 ms

        OBJECTS  the 8 with most pages of 9; all with --format json
                                  blocks  pages  colored  took
        matrix malloc 1 MiB       1       256    100 %    2.9 ms
        matrix malloc 1-1.06 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.12 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.19 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.25 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.31 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.38 MiB  1       256    100 %    2.9 ms
        matrix malloc 1-1.44 MiB  1       256    100 %    2.9 ms
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
            by_process: vec![],
            other_processes: 0,
            other_process_pages: RunPages::default(),
            by_object: vec![],
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
        No page was colored: the block is too large for coloring to help.

        Colored pages  matrix was ended by signal 15
        colors   not looked for: no block of memory was worth it
        colored  nothing
        ordinary 4,096 pages (16 MiB): the block is too large for coloring to help
        note: something to know
        ");
    }
}
