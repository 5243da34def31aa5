//! `whyslow selfcheck --cases`: published results whose cause is known, explained.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use whyslow_compare::{Options, compare};
use whyslow_explain::cases::{Tried, score};
use whyslow_explain::explain;
use whyslow_model::Record;
use whyslow_model::cases::{CaseFile, CaseScore, CaseSide, CasesCheck, SCHEMA};

use crate::args::{SelfCheck, SelfCheckFormat};
use crate::commands::sides;
use crate::output;

/// The file that says what a case is.
const CASE: &str = "case.toml";

/// Explains every case of the folder.
pub(crate) fn cases(args: &SelfCheck, folder: &Path) -> Result<ExitCode> {
    let mut found = folders(folder)?;
    found.sort();
    if found.is_empty() {
        bail!("--cases {}: no folder in it has a {CASE}", folder.display());
    }
    let cases = found.iter().map(|folder| one(folder));
    let check = CasesCheck {
        schema: SCHEMA,
        folder: folder.display().to_string(),
        cases: cases.collect::<Result<_>>()?,
    };
    output::print(&match args.format {
        SelfCheckFormat::Table => whyslow_report::cases_check(&check, output::look()),
        SelfCheckFormat::Markdown => whyslow_report::cases_check_markdown(&check),
        SelfCheckFormat::Json => serde_json::to_string_pretty(&check)? + "\n",
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The folders of cases below `folder`, two deep at most: `open/pti-2018`.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.join(CASE).exists() {
        return Ok(vec![folder.to_path_buf()]);
    }
    let mut found = Vec::new();
    let shown = || format!("--cases {}", folder.display());
    for entry in fs::read_dir(folder).with_context(shown)? {
        let path = entry.with_context(shown)?.path();
        if path.join(CASE).exists() {
            found.push(path);
        } else if path.is_dir() {
            let inner = fs::read_dir(&path).with_context(shown)?.flatten();
            found.extend(inner.map(|e| e.path()).filter(|p| p.join(CASE).exists()));
        }
    }
    Ok(found)
}

fn one(folder: &Path) -> Result<CaseScore> {
    let file = folder.join(CASE);
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let case: CaseFile = toml::from_str(&text).map_err(|e| {
        let line = e
            .span()
            .map_or(1, |at| 1 + text[..at.start].matches('\n').count());
        anyhow!("{}:{line}: {}", file.display(), e.message())
    })?;
    let last = |path: Option<&Path>| {
        let name = path.and_then(Path::file_name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let (half, name) = (last(folder.parent()), last(Some(folder)));
    let mut files: Vec<&String> = case.a.files.iter().chain(&case.b.files).collect();
    files.sort_unstable();
    files.dedup();
    let read = files.iter().map(|file| {
        sides::all(&folder.join(file))
            .map_err(|e| format!("{e:#}").replace(&*folder.to_string_lossy(), ""))
    });
    let read = read.collect();
    let found = sides::both(&paths(folder, &case.a), &paths(folder, &case.b));
    let compared = found.and_then(|(mut a, mut b)| {
        state(&mut a, &case.a);
        state(&mut b, &case.b);
        call(&mut a, &case.a);
        call(&mut b, &case.b);
        let found = compare(&sides::named(&a), &sides::named(&b), &Options::default())?;
        let (Some(first_a), Some(first_b)) = (a.first(), b.first()) else {
            bail!("a side has no file");
        };
        let explanation = explain(&found, &first_a.1, &first_b.1);
        let records = [a, b]
            .map(|side| -> Vec<Record> { side.into_iter().map(|(_, record)| record).collect() });
        Ok((found, explanation, records))
    });
    let text = |side: &CaseSide| {
        let read = |file: &String| fs::read(folder.join(file)).unwrap_or_default();
        let all = side.files.iter().map(read).collect::<Vec<_>>();
        String::from_utf8_lossy(&all.join(&b'\n')).into_owned()
    };
    let texts = [text(&case.a), text(&case.b)];
    let tried = Tried {
        texts: texts.each_ref().map(String::as_str),
        files: read,
        sides: match &compared {
            Ok((_, _, [a, b])) => [a, b],
            Err(_) => [&[], &[]],
        },
        explained: match &compared {
            Ok((comparison, explanation, _)) => Ok((comparison, explanation)),
            Err(why) => Err(format!("{why:#}").replace(&*folder.to_string_lossy(), "")),
        },
    };
    Ok(score(&half, &name, &case, &tried))
}

/// What is compared of a side: its files, or a part of them.
fn paths(folder: &Path, side: &CaseSide) -> Vec<PathBuf> {
    let path = |file: &String| {
        let mut path = folder.join(file).into_os_string();
        if !side.part.is_empty() {
            path.push("#");
            path.push(&side.part);
        }
        PathBuf::from(path)
    };
    side.files.iter().map(path).collect()
}

/// Calls the files of a side what the publication calls it, as a reader who saves its results does.
fn call(records: &mut sides::Records, side: &CaseSide) {
    if !side.label.is_empty() {
        for (name, _) in records.iter_mut() {
            name.clone_from(&side.label);
        }
    }
}

/// Adds what is said of a side's machine.
fn state(records: &mut sides::Records, side: &CaseSide) {
    for origin in records.iter_mut().filter_map(|(_, r)| r.origin.as_mut()) {
        let stated = side.facts.iter();
        let stated = stated.map(|(name, fact)| (name.clone(), fact.to_string()));
        origin.stated.extend(stated);
    }
}
