//! The records of one side of a comparison, under the names that their files have.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use whyslow_compare::{Named, part};
use whyslow_import::{LARGEST, slug};
use whyslow_model::{Record, store};

use crate::args::MOST_RECORDS;

/// Each with its name.
pub(crate) type Records = Vec<(String, Record)>;

/// How every record begins: zstd's magic number.
const RECORD: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// Reads them, the first first.
pub(crate) fn read(first: &Path, also: &[PathBuf]) -> Result<Records> {
    std::iter::once(first)
        .chain(also.iter().map(PathBuf::as_path))
        .map(|path| Ok((path.display().to_string(), one(path)?)))
        .collect()
}

/// What a name given for a side is made of: the file, and the part of it behind `#`. A file that is named so as a
/// whole is that file.
pub(crate) fn file_and_part(path: &Path) -> (PathBuf, Option<String>) {
    let whole = || (path.to_path_buf(), None);
    if path.exists() {
        return whole();
    }
    let Some((file, part)) = path.to_str().and_then(|text| text.rsplit_once('#')) else {
        return whole();
    };
    match Path::new(file).exists() {
        true => (PathBuf::from(file), Some(part.to_owned())),
        false => whole(),
    }
}

/// The one record that `path` names: a record, or results of another tool, and of these a part.
pub(crate) fn one(path: &Path) -> Result<Record> {
    let (file, part) = file_and_part(path);
    let mut records = all(&file)?;
    let shown = file.display();
    let Some(part) = part else {
        return match records.len() {
            1 => Ok(records.remove(0)),
            _ => bail!(
                "{shown}: has results of {} systems; name one as '{shown}#SYSTEM': {}",
                records.len(),
                there(&records)
            ),
        };
    };
    // A name may hold a comma or an equals sign of its own.
    let (mut record, parts) = if let Some(at) = system(&records, &part) {
        (records.swap_remove(at), "")
    } else if let Some((at, rest)) = part
        .split_once(',')
        .and_then(|(name, rest)| Some((system(&records, name)?, rest)))
    {
        (records.swap_remove(at), rest)
    } else if records.len() == 1 && part.contains('=') {
        (records.remove(0), part.as_str())
    } else {
        bail!("{shown}: no part '{part}' in it; there is {}", there(&records));
    };
    let parts = parts.split(',').filter(|text| !text.is_empty());
    for text in parts {
        let Some((name, value)) = text.split_once('=') else {
            bail!("{shown}#{text}: a part is a system, or parameter=value");
        };
        record = self::part(&record, name, value).with_context(|| format!("{shown}#{text}"))?;
    }
    Ok(record)
}

/// Every record of a file: its own, or one for each system of another tool's results.
pub(crate) fn all(file: &Path) -> Result<Vec<Record>> {
    let mut start = Vec::new();
    store::open_file(file, false)?
        .take(RECORD.len() as u64)
        .read_to_end(&mut start)
        .with_context(|| file.display().to_string())?;
    if start == RECORD || start.is_empty() {
        return Ok(vec![store::read(file)?]);
    }
    let mut bytes = Vec::new();
    store::open_file(file, false)?
        .take(LARGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| file.display().to_string())?;
    let imported = whyslow_import::import(&bytes, &file.display().to_string(), None)?;
    Ok(imported.systems)
}

/// The one system that `name` means: it is called so, or it is the only one whose name has these words, or whose words
/// are all in it.
fn system(records: &[Record], name: &str) -> Option<usize> {
    let words = |text: &str| -> Vec<String> {
        let of = text.split(|c: char| !(c.is_alphanumeric() || "._+".contains(c)));
        of.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let wanted = words(name);
    let only = |is: &dyn Fn(&str) -> bool| {
        let mut found = records.iter().enumerate().filter(|(_, r)| is(system_of(r)));
        let first = found.next();
        first.filter(|_| found.next().is_none()).map(|(at, _)| at)
    };
    let exact = |own: &str| slug(own) == slug(name);
    if let Some(at) = records.iter().position(|r| exact(system_of(r))) {
        return Some(at);
    }
    if wanted.is_empty() {
        return None;
    }
    let ends = |own: &str| words(own).ends_with(&wanted);
    let has = |own: &str| {
        let own = words(own);
        wanted.iter().all(|word| own.contains(word))
    };
    let within = |own: &str| {
        let own = words(own);
        !own.is_empty() && own.iter().all(|word| wanted.contains(word))
    };
    only(&ends).or_else(|| only(&has)).or_else(|| only(&within))
}

fn system_of(record: &Record) -> &str {
    record.origin.as_ref().map_or("", |origin| &origin.system)
}

fn there(records: &[Record]) -> String {
    let names: Vec<&str> = records.iter().map(system_of).collect();
    names.join(", ")
}

/// Refuses more records than a page or a chart can show; `instead` says what takes more.
pub(crate) fn not_too_many(count: usize, instead: &str) -> Result<()> {
    if count > MOST_RECORDS {
        bail!(
            "{count} records are given and at most {MOST_RECORDS} can be shown side by side; {instead}"
        );
    }
    Ok(())
}

/// As comparing takes them.
pub(crate) fn named(side: &[(String, Record)]) -> Vec<Named<'_>> {
    let named = side.iter().map(|(name, record)| Named { name, record });
    named.collect()
}
