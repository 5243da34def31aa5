//! `whyslow fleet history`: one node over time.

use std::process::ExitCode;

use anyhow::{Result, bail};
use whyslow_fleet::{Wanted, history as of_node};
use whyslow_model::Point;
use whyslow_model::glob::Globs;

use super::index::asked;
use crate::args::{FleetHistory, HistoryFormat};
use crate::{exit, file, globs, output};

/// Series that are tested together: of more, a step would have to be large to be shown.
const MOST_SERIES: usize = 200;

/// Nodes that are named where one is asked for that is not there.
const NAMED: usize = 5;

/// Shows steps and drifts.
pub(crate) fn history(args: &FleetHistory) -> Result<ExitCode> {
    let globs = globs::typed(args.point.as_deref())?;
    let select = |name: &str| selects(&globs, name);
    let wanted = match args.point {
        Some(_) => Wanted::Points(&select),
        None => Wanted::Families,
    };
    let folder = args.place.folder.display();
    let (found, nodes) = asked(&args.place, |index| {
        let found = of_node(index, &args.node, &wanted)?;
        let nodes = match found {
            Some(_) => Vec::new(),
            None => whyslow_fleet::nodes(index)?,
        };
        Ok((found, nodes))
    })?;
    let Some(found) = found else {
        if nodes.is_empty() {
            bail!("{folder} has no records; they belong to FOLDER/NODE/TIME.whyslow");
        }
        let more = if nodes.len() > NAMED { ", ..." } else { "" };
        let named: Vec<&str> = nodes.iter().take(NAMED).map(String::as_str).collect();
        bail!(
            "{folder} has no records of {}; its nodes are {}{more}",
            args.node,
            named.join(", ")
        );
    };
    if let Some(glob) = args.point.as_deref().filter(|_| found.series.is_empty()) {
        bail!(
            "--point {glob} selects no point of {}; `whyslow show` lists what one of its records has",
            args.node
        );
    }
    if found.series.len() > MOST_SERIES {
        bail!(
            "--point selects {} points, and {MOST_SERIES} are the most that are tested together; select fewer",
            found.series.len()
        );
    }
    if let Some(path) = &args.html {
        let page = whyslow_report::history_html(&found, env!("CARGO_PKG_VERSION"));
        file::save(path, page.as_bytes())?;
    }
    output::print(&match args.format {
        HistoryFormat::Table => whyslow_report::history(&found, output::look()),
        HistoryFormat::Json => serde_json::to_string_pretty(&found)? + "\n",
    })?;
    let stepped = found.series.iter().any(|series| !series.steps.is_empty());
    Ok(match stepped {
        false => ExitCode::SUCCESS,
        true => ExitCode::from(exit::FOUND),
    })
}

/// Is it selected? Parts of a point have a name behind it.
fn selects(globs: &Globs, name: &str) -> bool {
    let whole = name.parse::<Point>().ok();
    let part = || name.rsplit_once(", ")?.0.parse::<Point>().ok();
    whole
        .or_else(part)
        .is_some_and(|point| globs.selects(&point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_point_are_selected_with_it() {
        let globs = Globs::typed("os.*,mem.latency{size=1MiB*}").unwrap();
        for (name, selected) in [
            ("os.read", true),
            ("os.read, near", true),
            ("mem.latency{size=1MiB,order=random}", true),
            ("mem.latency{size=1MiB,order=random}, far", true),
            ("mem.latency{size=2MiB,order=random}", false),
        ] {
            assert_eq!(selects(&globs, name), selected, "{name}");
        }
    }
}
