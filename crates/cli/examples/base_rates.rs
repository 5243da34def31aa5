//! How often each cause was behind published differences, by the group of rows that moved farthest, and by the cause that
//! is named first: the table of the crate `explain`, from the scores of the open half of the cases, which say both, and from
//! what is known of each.
//!
//!     whyslow selfcheck --cases cases/open --format json |
//!         cargo run -p whyslow --example base_rates -- cases/open > crates/explain/src/published.txt

#![allow(clippy::print_stdout)] // the table is what this program is for

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

use anyhow::{Context, Result};
use whyslow_model::cases::{CaseFile, CaseKind, CasesCheck};

const HEAD: &str = "# What moved farthest or is named first, a cause, and how many of the cases it was behind; made by `--example base_rates`.";

fn main() -> Result<()> {
    let folder = env::args().nth(1).context("usage: base_rates FOLDER")?;
    let check: CasesCheck = serde_json::from_reader(io::stdin().lock())?;
    let mut groups: BTreeMap<String, (u32, BTreeMap<String, f64>)> = BTreeMap::new();
    for score in &check.cases {
        let known = match score.kind {
            CaseKind::Explained => score.knowable,
            CaseKind::Null => true,
            CaseKind::Disputed => false,
        };
        let (true, Some(group)) = (known, &score.moved_most) else {
            continue;
        };
        let path = Path::new(&folder).join(&score.name).join("case.toml");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let case: CaseFile = toml::from_str(&text)?;
        let right = match score.kind {
            CaseKind::Null => vec!["nothing".to_owned()],
            _ => case.explain.right,
        };
        let mut named = score.named.iter();
        let first = named.find(|c| *c != "nothing" && !score.named_by_rate.contains(c));
        let keys = [
            Some(group.clone()),
            first.map(|cause| format!("first {cause}")),
        ];
        for key in keys.into_iter().flatten() {
            let (of, causes) = groups.entry(key).or_default();
            *of += 1;
            // Where several causes are known to be it, none is it alone.
            for cause in &right {
                *causes.entry(cause.clone()).or_default() += 1.0 / right.len() as f64;
            }
        }
    }
    println!("{HEAD}");
    for (group, (of, causes)) in groups {
        let mut causes: Vec<(String, u32)> = causes
            .into_iter()
            .map(|(cause, count)| (cause, count.round() as u32))
            .filter(|(_, count)| *count > 0)
            .collect();
        causes.sort_by(|(x, m), (y, n)| n.cmp(m).then(x.cmp(y)));
        for (cause, count) in causes {
            println!("{group}\t{cause}\t{count}\t{of}");
        }
    }
    Ok(())
}
