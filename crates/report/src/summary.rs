//! The page that a run ends with.

mod bandwidth;
mod calls;
pub(crate) mod catalog;
mod copies;
mod curve;
mod in_short;
mod levels;
mod machine;
mod memory;
pub(crate) mod notes;
mod others;
mod published;
mod system;

pub(crate) use in_short::{cpu, lines, shortened, sure};
pub(crate) use machine::{entries, guest, libc};
pub(crate) use system::{placed, value};
use whyslow_model::catalog::Standing;
use whyslow_model::record::Record;
use whyslow_model::summary::Summary;

use crate::Look;
use crate::page::Screen;
use crate::text::Text;
use crate::view::{Shown, View};
use crate::{findings, load, smp};

/// In the place of a section without a value: its heading, and why.
fn absent(page: &mut Screen, title: &str, why: Option<String>) {
    if let Some(why) = why {
        page.heading(title, "");
        page.flow(0, 2, Text::dim(why));
    }
}

/// The whole page.
pub(crate) fn page(
    record: &Record,
    summary: &Summary,
    standings: &[Standing],
    look: Look,
) -> String {
    let view = View::new(record, summary);
    let mut page = Screen::new(look);
    let mut shown = Shown::new();
    in_short::answer(&view, &mut page);
    machine::section(&view, &mut page);
    published::section(&view, &mut page, &mut shown);
    load::section(&view, &mut page, &mut shown);
    levels::section(&view, &mut page);
    curve::section(&view, &mut page, &mut shown);
    bandwidth::section(&view, &mut page, &mut shown);
    copies::section(&view, &mut page, &mut shown);
    memory::section(&view, &mut page, &mut shown);
    system::section(&view, &mut page, &mut shown);
    smp::section(&view, &mut page, &mut shown);
    others::section(&view, &mut page, &shown);
    catalog::section(standings, &mut page);
    findings::section(&view, &mut page);
    notes::section(&view, &mut page);
    in_short::section(&view, &mut page);
    page.finish()
}
