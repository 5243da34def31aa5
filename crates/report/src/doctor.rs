//! What on a host would spoil a run, on the terminal.

use whyslow_model::doctor::{Diagnosis, Finding};

use crate::Look;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

/// Troubles first, each with what mends it; then what is well, and what cannot be told.
pub(crate) fn page(diagnosis: &Diagnosis, look: Look) -> String {
    let mut page = Screen::new(look);
    let count = diagnosis.troubles().count();
    let looked = counted(diagnosis.checks.len() as u64, "thing", "things");
    page.flow(
        0,
        0,
        match count {
            0 => Text::strong(format!(
                "Nothing here would spoil a run; {looked} were looked at."
            )),
            n => Text::strong(format!(
                "{} here would spoil or limit a run; {looked} were looked at.",
                counted(n as u64, "thing", "things")
            )),
        },
    );
    for (title, wanted) in [
        ("SPOILS THE NUMBERS", true),
        ("LIMITS WHAT IS MEASURED", false),
    ] {
        let of_kind = |found: &Finding| matches!(found, Finding::Spoils(_)) == wanted;
        let found: Vec<_> = diagnosis
            .troubles()
            .filter(|(check, _)| of_kind(&check.found))
            .collect();
        if found.is_empty() {
            continue;
        }
        page.heading(title, "");
        for (check, trouble) in found {
            page.flow(
                2,
                4,
                Text::strong(&check.about).and(Style::Plain, format!(": {}", trouble.what)),
            );
            page.flow(4, 4, Text::dim(&trouble.harm));
            let sign = if trouble.command { "$ " } else { "do: " };
            page.flow(
                4,
                6,
                Text::plain(sign.replace(' ', "\u{a0}")).and(Style::Accent, &trouble.mend),
            );
        }
    }
    let names = diagnosis.checks.iter().map(|c| c.about.chars().count());
    let columns = names.max().unwrap_or(0) + 1;
    let list = |page: &mut Screen, title: &str, of: &dyn Fn(&Finding) -> Option<String>| {
        let found: Vec<(&str, String)> = diagnosis
            .checks
            .iter()
            .filter_map(|c| Some((c.about.as_str(), of(&c.found)?)))
            .collect();
        if found.is_empty() {
            return;
        }
        page.heading(title, "");
        for (name, text) in found {
            page.field(2, columns, name, Text::dim(text));
        }
    };
    list(&mut page, "WELL", &|found| match found {
        Finding::Good { what } => Some(what.clone()),
        _ => None,
    });
    list(&mut page, "CANNOT BE TOLD", &|found| match found {
        Finding::Unknown { why } => Some(why.clone()),
        _ => None,
    });
    page.finish()
}
