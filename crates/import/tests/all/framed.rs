//! What stands around results changes none of their figures: quotes, stamps of logs, sentences, prompts, colors.

use whyslow_import::import;
use whyslow_model::Record;

/// How a page, a mail or a log sets a block of lines.
type Frame = (&'static str, fn(&str) -> String);

const FRAMES: &[Frame] = &[
    ("quoted", |text| each(text, |_, line| format!("> {line}"))),
    ("indented", |text| {
        each(text, |_, line| format!("    {line}"))
    }),
    ("stamped", |text| {
        each(text, |at, line| {
            format!("2024-05-01T10:11:{:02}.1234567Z {line}", at % 60)
        })
    }),
    ("of a job", |text| {
        each(text, |at, line| {
            format!(
                "bench\tRun it\t2024-05-01T10:11:{:02}.1234567Z {line}",
                at % 60
            )
        })
    }),
    ("of a system's log", |text| {
        each(text, |at, line| {
            format!("May  1 10:11:{:02} box bench[123]: {line}", at % 60)
        })
    }),
    ("below sentences", |text| {
        format!(
            "Hi all,\n\nthis is the first time that I have tried it on my new system, and real\nusers may see \
             something else.\n\n{text}\nIs that as it should be, or what else would you look at?\n"
        )
    }),
    ("below who is quoted", |text| {
        let quoted = each(text, |_, line| format!("> {line}"));
        format!("On Mon, May 6, 2024 at 10:11 AM, somebody wrote:\n{quoted}\nThanks!\n")
    }),
    ("before a prompt", |text| {
        format!("{text}user@box:~/bench$ \n")
    }),
    ("spaces that do not break", |text| {
        text.replace("  ", "\u{a0} ")
    }),
    ("folded away", |text| {
        format!("<details>\n\n```\n{text}```\n\n</details>\n")
    }),
];

/// `text` with each line that is not blank as `of` makes it, with its number.
fn each(text: &str, of: fn(usize, &str) -> String) -> String {
    let lines = text.lines().enumerate();
    let made = lines.map(|(at, line)| match line.trim().is_empty() {
        true => "\n".to_owned(),
        false => of(at, line) + "\n",
    });
    made.collect()
}

/// The systems with the points and the figures of each.
fn figures(systems: &[Record]) -> Vec<String> {
    let of = |record: &Record| {
        let mut figures: Vec<String> = record
            .processes
            .iter()
            .map(|process| {
                let own: Vec<f64> = process.outcome.numbers().collect();
                format!("{} {own:?}", process.point)
            })
            .collect();
        figures.sort_unstable();
        let system = record.origin.as_ref().map(|origin| &origin.system);
        format!("{system:?}: {}", figures.join(", "))
    };
    systems.iter().map(of).collect()
}

#[test]
fn frames_change_no_figure() {
    let mut changed = Vec::new();
    let mut tried = 0;
    for (format, name, bytes) in crate::common::samples() {
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        // Other grammars have no frames.
        if text.trim_start().starts_with(['{', '[', '<', ',']) {
            continue;
        }
        // Stamps in front of figures alone may be the labels of their rows.
        if !text.contains(char::is_alphabetic) {
            continue;
        }
        let text = text.trim_end().to_owned() + "\n";
        let plain = import(text.as_bytes(), &name, None).unwrap();
        for (frame, framed) in FRAMES {
            tried += 1;
            let same = import(framed(&text).as_bytes(), &name, None)
                .is_ok_and(|other| figures(&other.systems) == figures(&plain.systems));
            if !same {
                changed.push(format!("{format} {name} {frame}"));
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert_eq!(changed, Vec::<String>::new());
}
