//! The records of one side of a comparison, under the names that their files have.

mod each;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use whyslow_compare::{Named, alike, choose};
use whyslow_import::LARGEST;
use whyslow_model::record::{Note, Plan, Process};
use whyslow_model::{Point, Record, store};

/// Each with its name.
pub(crate) type Records = Vec<(String, Record)>;

/// How every record begins: zstd's magic number.
const RECORD: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// The paths of a side, the first first.
pub(crate) fn paths(first: &Path, also: &[PathBuf]) -> Vec<PathBuf> {
    let also = also.iter().cloned();
    std::iter::once(first.to_path_buf()).chain(also).collect()
}

/// Reads records, the first first.
pub(crate) fn read(first: &Path, also: &[PathBuf]) -> Result<Records> {
    let paths = paths(first, also).into_iter();
    paths
        .map(|path| Ok((path.display().to_string(), one(&path)?)))
        .collect()
}

/// The records of both sides, of which two parts of one file may be told apart by their names alone.
pub(crate) fn both(a: &[PathBuf], b: &[PathBuf]) -> Result<(Records, Records)> {
    let (mut a, mut b) = match found(a, b) {
        Ok(sides) if is_paired(&sides) => sides,
        whole => each::each(a, b).map_or(whole, Ok)?,
    };
    for (_, record) in &mut b {
        if let Some((_, first)) = a.first()
            && first.origin.is_some()
            && record.origin.is_some()
        {
            whyslow_import::harmonize(first, record);
        }
    }
    // Of several files a side each is a run.
    if let ([(_, first)], [(_, second)]) = (&mut a[..], &mut b[..])
        && first.origin.is_some()
        && second.origin.is_some()
    {
        whyslow_import::phases(first, second);
    }
    Ok((a, b))
}

/// Have both sides a point in common?
fn is_paired((a, b): &(Records, Records)) -> bool {
    common(a, b) > 0 || alike(&named(a), &named(b)) > 0
}

/// The same, each row in the unit that its side gives it in.
fn found(a: &[PathBuf], b: &[PathBuf]) -> Result<(Records, Records)> {
    let side = |paths: &[PathBuf]| -> Result<Records> {
        let records = paths.iter();
        records
            .map(|path| Ok((path.display().to_string(), one(path)?)))
            .collect()
    };
    let ([one], [other]) = (a, b) else {
        return side(a).and_then(|a| Ok((a, side(b)?)));
    };
    if one == other
        && let Some(both) = by_place(one)?
    {
        return Ok(both);
    }
    let plain = side(a).and_then(|a| Ok((a, side(b)?)));
    // A record against itself checks the tool; a page of one system compares nothing.
    let parts = [one, other].map(|path| file_and_part(path).1.is_some());
    let imported = |(_, record): &(String, Record)| record.origin.is_some();
    let page = plain.as_ref().is_ok_and(|(a, _)| a.iter().all(imported));
    if one == other && parts == [false; 2] && page {
        let shown = one.display();
        bail!(
            "{shown}: is given for both sides and has the results of one system; name two parts of it as '{shown}#PART', or \
             two files"
        );
    }
    let common = match &plain {
        Ok((a, b)) if !is_same(a, b) => common(a, b),
        _ => 0,
    };
    // Few rows in common may be so by chance; what the names alone find then has to be more.
    let placed = is_placed(one) && is_placed(other);
    let unnamed = placed
        || plain
            .as_ref()
            .is_ok_and(|(a, b)| is_unnamed(a) || is_unnamed(b));
    let named = |path: &Path, record: Record| vec![(path.display().to_string(), record)];
    // Rows of a tool that is known are no chance, however few, if they are all that the parts have.
    let known = (parts == [false; 2] || common == points(&plain))
        && plain
            .as_ref()
            .is_ok_and(|(a, b)| !is_posted(a) && !is_posted(b));
    if (common > FEW || (common > 0 && known)) && !unnamed {
        // Of several tables that no tool prints, the one way may find a few and the other all.
        let posted = plain.as_ref().is_ok_and(|(a, _)| is_posted(a));
        let pages = parts == [false; 2] && one != other;
        // And of what tools print below a heading that stands there again, the first part alone.
        let tools = !posted && parts == [true; 2];
        let more = (tools || posted && (parts == [true; 2] || pages))
            .then(|| directed(one, other))
            .transpose()?
            .flatten();
        let more = more.filter(|[a, b]| {
            // The same figures under more names are runs of one thing, unless keys tell the rows apart.
            let (keyed, figures) = plain.as_ref().map_or((false, 0), |(a, b)| measured(a, b));
            let times = if pages || tools { 1 } else { MANY_MORE };
            let found = in_common(a, b);
            // All rows of the parts, of which the one way pairs some.
            let least = points(&plain);
            let all = common < least && found >= least;
            let fewest = figures + usize::from(!keyed && !all);
            // Figures that stand below the same heading once more.
            let again = found >= 2 * common && a.processes.len() >= 2 * figures;
            (found > times * common || all || again)
                && a.processes.len() >= fewest
                && (posted || plain.as_ref().is_ok_and(|plain| goes_on(plain, [a, b])))
        });
        let more = match more {
            None if pages => rest(one, other)?,
            more => more,
        };
        return match more {
            Some([a, b]) => Ok((named(one, a), named(other, b))),
            None => plain,
        };
    }
    // Rows whose labels differ in a version or a time alone are found when they are compared.
    let common = match &plain {
        Ok((a, b)) if !unnamed && !is_same(a, b) => {
            common + alike(&self::named(a), &self::named(b))
        }
        _ => common,
    };
    if let Some([a, b]) = directed(one, other)? {
        let (a, b) = (named(one, a), named(other, b));
        let found = self::common(&a, &b);
        // Columns that no line names are none of the sides that a reader names.
        let most = points(&plain).max(1);
        if common == 0 || (found > common && found * 3 >= most) || (unnamed && found > 0) {
            return Ok((a, b));
        }
    }
    let (a, b) = plain?;
    if one != other && is_same(&a, &b) {
        bail!(
            "{} and {} are the same results: no part of the file has one of these names alone",
            one.display(),
            other.display()
        );
    }
    Ok((a, b))
}

/// Is the part one of several figures in each cell, `second of three`?
fn is_placed(path: &Path) -> bool {
    const COUNTS: [&str; 4] = ["two", "three", "four", "five"];
    let (_, part) = file_and_part(path);
    let words = part.unwrap_or_default();
    let words: Vec<&str> = words.split_whitespace().collect();
    matches!(words[..], [_, "of", count] if COUNTS.contains(&count))
}

/// Points of the side that has fewer.
fn points(plain: &Result<(Records, Records)>) -> usize {
    let of = |side: &Records| -> usize {
        side.iter()
            .map(|(_, record)| record.plan.points.len())
            .sum()
    };
    plain.as_ref().map_or(0, |(a, b)| of(a).min(of(b)))
}

/// Does no line of its source name the columns of a side?
fn is_unnamed(side: &Records) -> bool {
    let mut notes = side.iter().flat_map(|(_, record)| &record.notes);
    notes.any(of_unnamed)
}

fn of_unnamed(note: &Note) -> bool {
    note.about == whyslow_import::UNNAMED
}

/// Was it read as a table of no known tool?
fn is_posted(side: &Records) -> bool {
    let mut origins = side.iter().map(|(_, record)| record.origin.as_ref());
    origins.all(|origin| origin.is_some_and(|of| of.format == "columns"))
}

/// Do two records have rows of tools that are known alone, with all figures of the parts and no other ones of their rows?
fn goes_on((a, b): &(Records, Records), found: [&Record; 2]) -> bool {
    [a, b].into_iter().zip(found).all(|(part, record)| {
        let mut points = record.plan.points.iter();
        let tools = points.all(|planned| !planned.point.probe.starts_with("columns."));
        let whole = figures([record]);
        // What stands above the parts may tell their rows apart there.
        let mut own = figures(records(part)).into_values();
        tools && own.all(|own| whole.values().any(|other| *other == own))
    })
}

/// Two pages with the lines that no format has read and that both have.
fn rest(one: &Path, other: &Path) -> Result<Option<[Record; 2]>> {
    let read = |path: &Path| -> Result<(Vec<u8>, String)> {
        let (file, _) = file_and_part(path);
        Ok((bytes(&file)?, file.display().to_string()))
    };
    let (a, b) = (read(one)?, read(other)?);
    // A record has no lines.
    if [&a, &b].iter().any(|(bytes, _)| bytes.starts_with(&RECORD)) {
        return Ok(None);
    }
    Ok(whyslow_import::with_rest([(&a.0, &a.1), (&b.0, &b.1)])?)
}

/// Whether a column of one side holds the same several figures as that of the other, which are keys of its rows, and how
/// many figures the others of A have.
fn measured(a: &Records, b: &Records) -> (bool, usize) {
    let [of_a, of_b] = [a, b].map(|side| figures(records(side)));
    let is_key = |point: &Point, own: &Vec<u64>| of_b.get(point) == Some(own);
    let keyed = of_a
        .iter()
        .any(|(point, own)| own.first() != own.last() && is_key(point, own));
    let others = of_a.iter().filter(|(point, own)| !is_key(point, own));
    (keyed, others.map(|(_, own)| own.len()).sum())
}

fn records(side: &Records) -> impl Iterator<Item = &Record> {
    side.iter().map(|(_, record)| record)
}

/// The figures of each point, in order.
fn figures<'r>(side: impl IntoIterator<Item = &'r Record>) -> BTreeMap<Point, Vec<u64>> {
    let mut found: BTreeMap<Point, Vec<u64>> = BTreeMap::new();
    for process in side.into_iter().flat_map(|record| &record.processes) {
        let own = found.entry(process.point.clone()).or_default();
        own.extend(process.outcome.numbers().map(f64::to_bits));
    }
    for own in found.values_mut() {
        own.sort_unstable();
    }
    found
}

/// So many rows in common are no chance.
const FEW: usize = 1;

/// Times as many rows in common are more than the same rows under other names.
const MANY_MORE: usize = 2;

/// The two systems of one file, where it has two: the first is A.
fn by_place(path: &Path) -> Result<Option<(Records, Records)>> {
    let (file, part) = file_and_part(path);
    if part.is_some() {
        return Ok(None);
    }
    let Ok(records) = all(&file) else {
        return Ok(None);
    };
    let named = |record: Record| vec![(path.display().to_string(), record)];
    // Beside the two may stand rows of no system.
    let is_named = |record: &Record| {
        let origin = record.origin.as_ref();
        origin.is_some_and(|origin| !origin.system.is_empty())
    };
    let records = match records.iter().filter(|record| is_named(record)).count() {
        2 => records.into_iter().filter(is_named).collect(),
        _ => records,
    };
    Ok(match <[Record; 2]>::try_from(records) {
        Ok([a, b]) => Some((named(a), named(b))),
        Err(_) => None,
    })
}

/// The two sides by their names alone, where they are parts of one page, or by their lines, where they are two pages.
fn directed(one: &Path, other: &Path) -> Result<Option<[Record; 2]>> {
    let (a, b) = (file_and_part(one), file_and_part(other));
    let read = |file: &Path| -> Result<(Vec<u8>, String)> {
        let bytes = bytes(file)?;
        let text = !bytes.starts_with(&RECORD);
        Ok((
            if text { bytes } else { Vec::new() },
            file.display().to_string(),
        ))
    };
    let (first, second) = (read(&a.0)?, read(&b.0)?);
    if first.0.is_empty() || second.0.is_empty() {
        return Ok(None);
    }
    let found = match (&a.1, &b.1) {
        (Some(x), Some(y)) if a.0 == b.0 => whyslow_import::sided(&first.0, &first.1, [x, y]),
        (Some(x), Some(y)) => {
            let sides = (
                whyslow_import::side(&first.0, &first.1, x)?,
                whyslow_import::side(&second.0, &second.1, y)?,
            );
            Ok(sides.0.zip(sides.1).map(|(a, b)| [a, b]))
        }
        (None, None) if a.0 != b.0 => {
            whyslow_import::pages([(&first.0, &first.1), (&second.0, &second.1)])
        }
        _ => Ok(None),
    };
    // What is no text has an error of its own.
    Ok(found.ok().flatten())
}

/// How many points both sides have.
fn common(a: &Records, b: &Records) -> usize {
    let points = |side: &Records| -> BTreeSet<Point> {
        let planned = side.iter().flat_map(|(_, record)| &record.plan.points);
        planned.map(|planned| planned.point.clone()).collect()
    };
    points(a).intersection(&points(b)).count()
}

/// The same of two records.
fn in_common(a: &Record, b: &Record) -> usize {
    let own = |record: &Record| vec![(String::new(), record.clone())];
    common(&own(a), &own(b))
}

/// Are two parts of a page the same, or is one within the other?
fn is_same(a: &Records, b: &Records) -> bool {
    let what = |side: &Records| -> Vec<(Plan, Vec<Process>)> {
        let records = side.iter();
        records
            .map(|(_, record)| (record.plan.clone(), record.processes.clone()))
            .collect()
    };
    let parts = a.iter().chain(b).all(|(name, _)| name.contains('#'));
    parts && (what(a) == what(b) || holds(a, b) || holds(b, a) || is_equal(a, b))
}

/// Have all points that both parts have the same figures? Measured twice, that many would not repeat to the last digit.
fn is_equal(a: &Records, b: &Records) -> bool {
    /// Fewer may be rounded to the same, unless a part has other points as well: a line that both hold is then of neither.
    const FEWEST: usize = 3;
    let [a, b] = [a, b].map(|side| figures(records(side)));
    let both: Vec<bool> = b
        .iter()
        .filter_map(|(point, own)| Some(a.get(point)? == own))
        .collect();
    let whole = a.len().max(b.len()) == both.len();
    both.len() >= if whole { FEWEST } else { 1 } && both.iter().all(|same| *same)
}

/// Has `a` all figures of `b`, and more of most points that both have? A figure in another unit is a point of its own.
fn holds(a: &Records, b: &Records) -> bool {
    let [a, b] = [a, b].map(|side| figures(records(side)));
    let both = b
        .iter()
        .filter_map(|(point, own)| Some((a.get(point)?, own)));
    let (more, others): (Vec<_>, Vec<_>) = both.partition(|(all, own)| all.len() > own.len());
    let within = |(all, own): &(&Vec<u64>, &Vec<u64>)| {
        own.iter().all(|figure| all.binary_search(figure).is_ok())
    };
    more.len() > others.len() && more.iter().all(within)
}

/// What a name given for a side is made of: the file, and the part of it behind `#`. A file that is named so as a
/// whole is that file.
pub(crate) fn file_and_part(path: &Path) -> (PathBuf, Option<String>) {
    let whole = || (path.to_path_buf(), None);
    if path.exists() {
        return whole();
    }
    let text = path.to_str().unwrap_or_default();
    // Headings are parts too, and begin with `#` themselves.
    let mut places = text.match_indices('#').map(|(at, _)| at);
    match places.find(|at| Path::new(&text[..*at]).exists()) {
        Some(at) => (PathBuf::from(&text[..at]), Some(text[at + 1..].to_owned())),
        None => whole(),
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
    let chosen = choose(&records, &part);
    if chosen.is_err()
        && let Some(record) = below(&file, &part)
    {
        return Ok(record);
    }
    chosen.with_context(|| format!("{shown}#{part}"))
}

/// The one record of what stands below a heading of a text file, where its format did not keep the heading.
fn below(file: &Path, heading: &str) -> Option<Record> {
    let part = whyslow_import::headed(&bytes(file).ok()?, heading)?;
    let name = file.display().to_string();
    let mut systems = whyslow_import::import(part.as_bytes(), &name, None)
        .ok()?
        .systems;
    let mut record = systems.pop().filter(|_| systems.is_empty())?;
    if let Some(origin) = &mut record.origin {
        heading.clone_into(&mut origin.system);
    }
    Some(record)
}

fn bytes(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    store::open_file(file, false)?
        .take(LARGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| file.display().to_string())?;
    Ok(bytes)
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
    let bytes = bytes(file)?;
    let shown = file.display().to_string();
    match whyslow_import::import(&bytes, &shown, None) {
        Ok(imported) => Ok(imported.systems),
        // There is no option here that could name a format.
        Err(why) if why.line.is_none() && whyslow_import::recognise(&bytes).is_err() => {
            let is_text = std::str::from_utf8(&bytes).is_ok();
            if !is_text {
                return Err(why.into());
            }
            bail!(
                "{shown}: neither a record nor results of a known tool; `whyslow import --help` lists the formats that \
                 --format takes for text that is not recognized"
            )
        }
        Err(why) => Err(why.into()),
    }
}

fn system_of(record: &Record) -> &str {
    record.origin.as_ref().map_or("", |origin| &origin.system)
}

fn there(records: &[Record]) -> String {
    let names: Vec<&str> = records.iter().map(system_of).collect();
    names.join(", ")
}

/// Refuses more records than can be shown; `instead` says what takes more.
pub(crate) fn not_too_many(count: usize, most: usize, instead: &str) -> Result<()> {
    if count > most {
        bail!("{count} records are given and at most {most} can be shown side by side; {instead}");
    }
    Ok(())
}

/// As comparing takes them.
pub(crate) fn named(side: &[(String, Record)]) -> Vec<Named<'_>> {
    let named = side.iter().map(|(name, record)| Named { name, record });
    named.collect()
}
