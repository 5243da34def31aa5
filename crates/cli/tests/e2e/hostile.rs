//! Text of a record, an imported file or an argument that a terminal would obey: no command lets it out.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use whyslow_model::record::{Line, Note};
use whyslow_model::store::{self, Journal};
use whyslow_model::text::is_hidden;

use crate::env::{Said, TestEnv};

/// Escapes of each kind: C0, DEL, C1, overrides, isolates, marks and separators.
const EVIL: &str =
    "\u{1b}[31m\u{1b}]0;t\u{7}\u{8}\u{7f}\u{9b}2J\u{85}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}";

/// Holds that nothing hidden was said but ends of lines, tabs, and what `may` name.
fn is_plain(said: &Said, what: &str) {
    for text in [&said.out, &said.err] {
        let bad = text
            .chars()
            .find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t'));
        assert!(bad.is_none(), "{what}: {bad:?} in {said:?}");
    }
    assert!(!said.err.contains("panicked"), "{what}: {said:?}");
}

/// A record of which every text is hostile.
fn hostile_record(env: &TestEnv, name: &str) {
    let record = store::read(&env.path("good")).unwrap();
    let mut header = record.header;
    header.only = EVIL.into();
    let mut journal = Journal::create(&env.path(name)).unwrap();
    journal.add(&Line::Header(header)).unwrap();
    let mut host = record.host.unwrap();
    host.name = whyslow_model::host::Known::Is(EVIL.into());
    journal.add(&Line::Host(host)).unwrap();
    let mut plan = record.plan;
    for planned in &mut plan.points {
        planned.title = Some(format!("{EVIL}title"));
        planned.symbol = Some(EVIL.into());
    }
    journal.add(&Line::Plan(plan)).unwrap();
    for process in record.processes {
        journal.add(&Line::Process(Box::new(process))).unwrap();
    }
    let note = Note {
        about: EVIL.into(),
        text: EVIL.into(),
    };
    journal.add(&Line::Note(note)).unwrap();
}

/// A file of records' lines that says `line` behind the header.
fn odd_record(env: &TestEnv, name: &str, change: impl Fn(String) -> String) {
    let lines = whyslow_model::store::read(&env.path("good")).unwrap();
    let header = serde_json::to_string(&Line::Header(lines.header)).unwrap();
    let text = change(header);
    let packed = ruzstd::encoding::compress_to_vec(
        text.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    fs::write(env.path(name), packed).unwrap();
}

#[test]
fn no_command_prints_what_a_terminal_obeys() {
    let env = TestEnv::new();
    let ran = env.run("run --only os.null_call --rounds 2 -o good");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    hostile_record(&env, "evil");
    let evil = serde_json::to_string(EVIL).unwrap();
    // JSON writes C0 out; everything else stands there as it is.
    let raw: String = EVIL.chars().filter(|c| *c >= '\u{20}').collect();
    odd_record(&env, "kind", |header| {
        format!("{header}\n{{\"kind\":{evil},\"a\":\"{raw}\"}}\n{header}\n")
    });
    odd_record(&env, "version", |header| {
        let newer = header.replace("\"schema\":1", "\"schema\":99");
        let at = newer.find("\"version\":\"").unwrap() + "\"version\":\"".len();
        let end = at + newer[at..].find('"').unwrap();
        format!(
            "{}{}{}\n",
            &newer[..at],
            &evil[1..evil.len() - 1],
            &newer[end..]
        )
    });
    odd_record(&env, "key", |header| {
        header.replace("\"seed\"", &evil) + "\n"
    });
    fs::write(env.path("text"), EVIL).unwrap();
    let table = format!(
        "name,value,unit,better,system\n{raw}x,1,{raw}s,lower,{raw}\n{raw}y,1.5.2,s,,{raw}\n"
    );
    fs::write(env.path("t.csv"), table.replace('\u{85}', "")).unwrap();
    is_plain(&env.run("import t.csv -o imported"), "import");
    let mut printed = Vec::new();
    for name in ["evil", "imported", "kind", "version", "key", "text"] {
        for command in [
            "show NAME",
            "show NAME --format table",
            "show NAME --format json",
            "show NAME --format csv",
            "show NAME --format byte",
            "show NAME --format lmbench",
            "compare NAME good",
            "compare good NAME --format json",
            "compare NAME good --format markdown",
            "explain NAME",
            "explain NAME good",
            "explain NAME good --format json",
            "report NAME -o -",
            "report NAME good -o -",
            "plot * NAME -o NAME.svg",
            "plot NAME NAME -o -",
            "run --resume NAME",
            "import NAME -o nowhere",
            "import --format table NAME -o nowhere",
        ] {
            let command = command.replace("NAME", name);
            let said = env.run(&command);
            is_plain(&said, &command);
            if said.code != Some(2) {
                printed.push(command);
            }
        }
    }
    // Those that print a record did print this one.
    for (name, least) in [("evil", 12), ("imported", 8)] {
        let of = printed.iter().filter(|command| command.contains(name));
        assert!(of.count() >= least, "{printed:?}");
    }
}

#[test]
fn what_was_typed_is_repeated_without_escapes() {
    let env = TestEnv::new();
    // A file name may hold anything but a null and a slash.
    let odd: String = EVIL.replace('/', "");
    fs::write(env.path(&odd), "x").unwrap();
    for before in [
        &["show"][..],
        &["import"],
        &["compare", "--format"],
        &["report", "-o", "-"],
        &["run", "-o", "r", "--only"],
        &["run", "--resume"],
        &["run", "--rounds"],
        &["show", "--format"],
        &["import", "x", "--format"],
        &["list"],
        &["plot", "*", "-o", "x.svg"],
        &["explain"],
        &["explain", "--experiment"],
        &[],
    ] {
        for hostile in [odd.as_bytes(), b"x\xff\x1b[31m"] {
            let mut command = env.whyslow("");
            let last = std::ffi::OsStr::from_bytes(hostile);
            let said = Said::of(command.args(before).arg(last).output().unwrap());
            is_plain(&said, &format!("{before:?}"));
            assert_ne!(said.code, Some(101), "{said:?}");
            // What is no text at all has its escapes taken out by the parser of arguments.
            if said.code != Some(0) && hostile == odd.as_bytes() {
                assert!(said.err.contains("\\u009b"), "{before:?}: {said:?}");
            }
        }
    }
    assert!(Path::new(&env.path(&odd)).exists());
}

/// A name that a spreadsheet would run is kept, and kept as text.
#[test]
fn rows_are_counted_and_named() {
    let env = TestEnv::new();
    let table =
        "name,value,unit\n=cmd|x!A0,5,s\nbig,1.8e308,s\n# words\nn,37162629.5,lps\nodd,1.5.2,s\n";
    fs::write(env.path("t.csv"), table).unwrap();
    let said = env.run("import t.csv -o r");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("rows: 4 = 2 kept + 2 refused"),
        "{said:?}"
    );
    assert_eq!(
        said.err,
        "whyslow: t.csv:3: refused 'big,1.8e308,s': a figure above 1e20, which nothing measures\n\
         whyslow: t.csv:6: refused 'odd,1.5.2,s': '1.5.2' is no number; write it with digits and a \
         decimal point only, without commas\n"
    );
    let shown = env.run("show r --format csv").out;
    assert!(shown.contains(",'=cmd|x!A0,s,lower,,5,"), "{shown}");
    assert!(shown.contains(",n,lps,higher,,37162629.5,"), "{shown}");
    let shown = env.run("show r --format json").out;
    let json: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(json["summary"]["points"][1]["unit"], "lps");
    assert!(crate::schema::errors("record", &json).is_empty());
}
