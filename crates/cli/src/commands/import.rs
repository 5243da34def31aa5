//! `whyslow import`: other tools' results to records.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use whyslow_import::{Format, Imported, LARGEST, import as read, save, slug};
use whyslow_model::Record;
use whyslow_model::store;
use whyslow_model::text::visible;

use crate::args::Import;
use crate::output;

/// Bytes read at most: one more than is taken, so that larger inputs are refused without reading them.
const MOST: u64 = LARGEST as u64 + 1;

/// Reads the input, writes a record for each system, and says what was taken for what.
pub(crate) fn import(args: &Import) -> Result<()> {
    let format = args.format.as_deref().map(named).transpose()?;
    let facts = facts(&args.fact)?;
    let (name, bytes) = input(&args.file)?;
    let imported = read(&bytes, &name, format)?;
    let records = chosen(&imported, args.system.as_deref(), &name)?;
    let paths = places(args, &name, &records)?;
    let mut text = heading(&imported, &name);
    for row in &imported.refusals {
        output::warn(&format!(
            "{}:{}: refused '{}': {}",
            visible(&name),
            row.line,
            row.text,
            row.why
        ));
    }
    let unnamed = imported.refused - imported.refusals.len();
    if unnamed > 0 {
        output::warn(&format!("{}: {unnamed} more rows refused", visible(&name)));
    }
    for (record, path) in records.into_iter().zip(&paths) {
        let line = described(record);
        let mut record = record.clone();
        if let Some(origin) = &mut record.origin {
            origin.stated.extend(facts.clone());
        }
        let path = save(record, path)?;
        let path = path.to_string_lossy();
        text += &format!("{}: {}\n", visible(&path), visible(&line));
    }
    for note in imported.systems.iter().flat_map(|r| &r.notes) {
        let line = format!("note: {}\n", visible(&note.text));
        if !text.contains(&line) {
            text += &line;
        }
    }
    output::print(&text)
}

/// Facts by name.
fn facts(given: &[String]) -> Result<Vec<(String, String)>> {
    let fact = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => bail!("--fact {text}: is not NAME=VALUE, such as kernel=6.1.0"),
    };
    given.iter().map(fact).collect()
}

fn named(name: &str) -> Result<Format> {
    let names: Vec<_> = Format::all().map(Format::name).collect();
    Format::named(name).with_context(|| {
        format!(
            "--format {name}: no such format; there are {}",
            names.join(", ")
        )
    })
}

/// The name of the input without its folder, and its content.
fn input(path: &Path) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin()
            .lock()
            .take(MOST)
            .read_to_end(&mut bytes)
            .context("standard input")?;
        return Ok(("-".into(), bytes));
    }
    let shown = path.display();
    let file = store::open_file(path, false)?;
    file.take(MOST)
        .read_to_end(&mut bytes)
        .with_context(|| shown.to_string())?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((name.to_string_lossy().into_owned(), bytes))
}

/// The systems to write: all, or the one that was named.
fn chosen<'a>(imported: &'a Imported, system: Option<&str>, name: &str) -> Result<Vec<&'a Record>> {
    let Some(wanted) = system else {
        return Ok(imported.systems.iter().collect());
    };
    let is = |record: &&Record| {
        let own = system_of(record);
        own == wanted || slug(own) == slug(wanted)
    };
    match imported.systems.iter().find(is) {
        Some(record) => Ok(vec![record]),
        None => {
            let there: Vec<_> = imported.systems.iter().map(system_of).collect();
            bail!(
                "{name}: no system '{wanted}' in it; there is {}",
                there.join(", ")
            )
        }
    }
}

fn system_of(record: &Record) -> &str {
    record.origin.as_ref().map_or("", |origin| &origin.system)
}

/// A file for each record; none of them may exist, and no two be the same.
fn places(args: &Import, name: &str, records: &[&Record]) -> Result<Vec<PathBuf>> {
    let whole = args.output.clone().unwrap_or_else(|| {
        let stem = Path::new(name).file_stem().filter(|_| name != "-");
        let stem = stem.map_or("imported".into(), |stem| stem.to_string_lossy());
        PathBuf::from(format!("{stem}.whyslow"))
    });
    let mut paths: Vec<PathBuf> = Vec::new();
    for record in records {
        let mut path = match records {
            [_] => whole.clone(),
            _ => whole.with_extension(format!("{}.whyslow", slug(system_of(record)))),
        };
        let mut copy = 1;
        while paths.contains(&path) {
            copy += 1;
            let system = slug(system_of(record));
            path = whole.with_extension(format!("{system}_{copy}.whyslow"));
        }
        if path.exists() {
            bail!(
                "{}: exists already; name another file with -o",
                path.display()
            );
        }
        paths.push(path);
    }
    Ok(paths)
}

fn heading(imported: &Imported, name: &str) -> String {
    let formats: Vec<String> = imported
        .formats
        .iter()
        .map(|f| format!("{} ({})", f.name(), f.what()))
        .collect();
    let how = if imported.recognised {
        "recognized as"
    } else {
        "read as"
    };
    let name = visible(name);
    let (kept, refused) = (imported.kept, imported.refused);
    format!(
        "{name}: {how} {}\n{name}: rows: {} = {kept} kept + {refused} refused\n",
        formats.join(" and "),
        kept + refused
    )
}

/// `ds10 Linux 2.4.23, 39 rows, 3 lmbench runs`
fn described(record: &Record) -> String {
    let system = match system_of(record) {
        "" => "a system that the input does not name",
        system => system,
    };
    let rows = record.plan.points.len();
    let rounds = record.header.rounds;
    let repeated = record.origin.as_ref().map_or("", |o| &o.unit_of_repetition);
    let mut text = format!("{system}, {rows} row{}", if rows == 1 { "" } else { "s" });
    if rounds > 1 {
        text += &format!(", up to {rounds} {repeated}");
    }
    let skipped = record.plan.skipped.len();
    if skipped > 0 {
        text += &format!(", {skipped} without a usable figure");
    }
    text
}
