//! Whole programs on files: compressors and a database.

use std::fmt::Write;

use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};
use crate::program::{Folder, note_versions, output, repeat, run};
use crate::tools;

/// Bytes compressed: gzip takes a third of a second for them; xz is ten times as slow and gets a
/// quarter.
const GZIP_BYTES: usize = 4 << 20;
const XZ_BYTES: usize = 1 << 20;

/// Rows of the table; with its indexes some 2 MB, more than a second-level cache.
const ROWS: usize = 20_000;

/// This family's probes.
pub const PROBES: &[Probe] = &[
    probe(
        "app.gzip",
        "gzip",
        [
            "gzip -6 of a file of 4 MiB, and gzip -d of the result, in one process.",
            "The host's gzip, whose version is in the record, from file to /dev/null. The file is text with word frequencies as in a natural language; the output is decompressed once and compared.",
        ],
        &["gzip"],
        &[OP],
        |_| packing("app.gzip"),
        |bench| pack(bench, "gzip", GZIP_BYTES),
    ),
    probe(
        "app.xz",
        "xz",
        [
            "xz -6 of a file of 1 MiB, and xz -d of the result, in one process with one thread.",
            "The host's xz, whose version is in the record, from file to /dev/null; the same text as for gzip. xz randomly accesses a dictionary of megabytes: memory latency and page placement matter.",
        ],
        &["xz"],
        &[OP],
        |_| packing("app.xz"),
        |bench| pack(bench, "xz", XZ_BYTES),
    ),
    probe(
        "app.sqlite",
        "SQLite",
        [
            "Inserting 20,000 rows into a table in one transaction, creating two indexes, and running 200 queries.",
            "The host's sqlite3, whose version is in the record, reads the statements from a file. With db=file the database is in the temporary directory and the journal is written as by default in SQLite, with its waits for the disk; the printed sum is checked.",
        ],
        &["sqlite3"],
        &[(
            "db",
            "memory: an in-memory database; file: one in the temporary directory",
        )],
        |_| {
            ["memory", "file"]
                .map(|db| Offer::Point(plan(Point::new("app.sqlite").with("db", db))))
                .into()
        },
        sqlite,
    ),
];

const OP: (&str, &str) = ("op", "pack or unpack");

const fn probe(
    id: &'static str,
    title: &'static str,
    [what, how]: [&'static str; 2],
    needs: &'static [&'static str],
    params: &'static [(&'static str, &'static str)],
    points: fn(&crate::PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs,
        params,
        names: Names::NONE,
        roles: Roles::All(Role::Application),
        // 100,000 cycles: less than any program takes to start.
        bounds: Bounds { fastest: 1e5 },
        // Another process does the work; this one waits for it.
        usual_marks: &[
            MarkKind::Switches,
            MarkKind::Migrations,
            MarkKind::Faults,
            MarkKind::RunDelayNs,
        ],
        points,
        measure,
    }
}

fn plan(point: Point) -> PointPlan {
    PointPlan {
        draws: 1,
        // A run is long and averages within itself; intervals come from the processes.
        samples: 2,
        // 20 ms: one run where it takes longer, as nearly all do.
        batch_ns: 2e7,
        scratch: true,
        extra: true,
        suites: &["apps"],
        ..PointPlan::new(point)
    }
}

fn packing(id: &str) -> Vec<Offer> {
    ["pack", "unpack"]
        .map(|op| Offer::Point(plan(Point::new(id).with("op", op))))
        .into()
}

fn pack(bench: &mut Bench, packer: &str, bytes: usize) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    let op = bench.param("op")?;
    let content = text(bytes);
    folder.write("plain", &content)?;
    let by = |arguments: &[&str]| {
        let mut command = folder.program(packer)?;
        command.args(arguments);
        Ok::<_, Stop>(command)
    };
    // One thread in all versions of xz: newer ones use all CPUs.
    let packing: &[&str] = if packer == "xz" {
        &["-6", "-T1", "-c"]
    } else {
        &["-6", "-c"]
    };
    let mut command = by(packing)?;
    command
        .stdin(folder.open("plain")?)
        .stdout(folder.create("packed")?);
    run(&mut command, packer)?;
    let back = output(by(&["-d", "-c"])?.stdin(folder.open("packed")?), packer)?;
    if back != content.as_bytes() {
        return Err(Stop::Refused(format!(
            "{packer} did not reproduce its input"
        )));
    }
    note_versions(bench, &[tools::version(packer)?]);
    let (arguments, input) = match op {
        "pack" => (packing, "plain"),
        "unpack" => (&["-d", "-c"][..], "packed"),
        other => {
            return Err(Stop::Unavailable(format!(
                "op={other} is not known; pack or unpack"
            )));
        }
    };
    let mut command = by(arguments)?;
    repeat(bench, 1.0, || {
        run(command.stdin(folder.open(input)?), packer)
    })
}

/// Text of `bytes` bytes, always identical: words of an artificial language, with skewed
/// frequencies, in lines.
fn text(bytes: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "to", "mi", "ren", "sul", "po", "da", "vin", "el", "or", "ga", "chi", "ban", "lu",
        "tek", "sho",
    ];
    let mut text = String::with_capacity(bytes + 32);
    let mut state = 0x2545_f491u64;
    let mut line = 0;
    while text.len() < bytes {
        // xorshift64: identical everywhere.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // The rank of a word, small ranks more often: the product of two uniform numbers in 0..256.
        let rank = (state & 0xff) * (state >> 8 & 0xff) / 16;
        let mut rest = rank;
        loop {
            text.push_str(SYLLABLES[(rest & 15) as usize]);
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
        line += 1;
        text.push(if line % 12 == 0 { '\n' } else { ' ' });
    }
    text.truncate(bytes);
    text
}

fn sqlite(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    let place = match bench.param("db")? {
        "memory" => ":memory:",
        "file" => "database",
        other => {
            return Err(Stop::Unavailable(format!(
                "db={other} is not known; memory or file"
            )));
        }
    };
    folder.write("statements", statements())?;
    let mut command = folder.program("sqlite3")?;
    command.args(["-batch", place]);
    let printed = output(command.stdin(folder.open("statements")?), "sqlite3")?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let expected = (0..ROWS).map(amount).sum::<usize>().to_string();
    if printed.lines().last() != Some(expected.as_str()) {
        return Err(Stop::Refused(format!(
            "sqlite3 printed '{}', not {expected}",
            printed.lines().last().unwrap_or_default()
        )));
    }
    note_versions(bench, &[format!("sqlite3 {}", tools::version("sqlite3")?)]);
    command.stdout(std::process::Stdio::null());
    repeat(bench, 1.0, || {
        run(command.stdin(folder.open("statements")?), "sqlite3")
    })
}

/// The amount of row `i`.
fn amount(i: usize) -> usize {
    i * 7_919 % 1_000
}

/// The statements; the last prints the sum of all amounts. The table is recreated each time.
fn statements() -> String {
    let mut sql = String::from(
        "drop table if exists sale;\n\
         create table sale (id integer primary key, place integer, name text, amount integer);\n\
         begin;\n",
    );
    for i in 0..ROWS {
        let (place, amount) = (i * 31 % 97, amount(i));
        let _ = writeln!(
            sql,
            "insert into sale values ({i}, {place}, 'customer {}', {amount});",
            i * 13 % 4_001
        );
    }
    sql += "commit;\ncreate index by_place on sale (place, amount);\ncreate index by_name on sale (name);\n";
    for i in 0..100 {
        let _ = writeln!(
            sql,
            "select count(*), max(amount) from sale where place = {i} % 97 and amount > {i};\n\
             select sum(a.amount) from sale a join sale b on a.name = b.name where b.id = {i} * 17;"
        );
    }
    sql + "select sum(amount) from sale;\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_text_and_can_be_packed() {
        let text = text(100_000);
        assert_eq!(text.len(), 100_000);
        assert!(text.is_ascii());
        let words: std::collections::BTreeSet<&str> = text.split_whitespace().collect();
        assert!((500..20_000).contains(&words.len()), "{}", words.len());
    }

    #[test]
    fn the_statements_are_as_many_as_they_should_be() {
        let sql = statements();
        assert_eq!(sql.matches("insert into").count(), ROWS);
        assert_eq!(sql.matches("select").count(), 201);
    }
}
