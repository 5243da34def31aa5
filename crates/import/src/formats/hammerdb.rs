//! HammerDB: new orders and transactions a minute of its virtual users.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hammerdb",
    what: "HammerDB (System achieved 253792 NOPM from 767954 MySQL TPM)",
    repeats: "runs of HammerDB",
    silent: "the machine, the settings of the database, or where its files are",
    roles: &[("hammerdb.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| result(line).is_some()),
    known: &["HammerDB", "Vuser ", "warehouses"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| result(line).is_some()) * 5
}

/// `Vuser 1:TEST RESULT : System achieved 253792 NOPM from 767954 MariaDB TPM`: new orders, transactions, and whose.
fn result(line: &str) -> Option<(f64, f64, &str)> {
    let (_, rest) = line.split_once("System achieved ")?;
    let (orders, rest) = rest.split_once(" NOPM")?;
    let rest = rest.trim_start().strip_prefix("from ")?;
    let (transactions, rest) = rest.split_once(' ')?;
    let (database, _) = rest.split_once(" TPM").unwrap_or(("", rest));
    Some((plain(orders.trim())?, plain(transactions)?, database.trim()))
}

/// `Vuser 1:16 Active Virtual Users configured`
fn users(line: &str) -> Option<&str> {
    let (front, _) = line.split_once(" Active Virtual Users")?;
    front.rsplit([':', ' ']).next()
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut all: Vec<&str> = text.lines().filter_map(|(_, line)| users(line)).collect();
    all.sort_unstable();
    all.dedup();
    let mut now = "";
    for (number, line) in text.lines() {
        if let Some(count) = users(line) {
            sheet.aside(number);
            now = count;
        } else if let Some((orders, transactions, database)) = result(line) {
            let row = |name: &str, title: &str| {
                let row = Row::new("hammerdb", name, "/min", Higher).titled(title);
                match all.len() > 1 && !now.is_empty() {
                    true => row.with("users", now),
                    false => row,
                }
            };
            sheet.add("", row("NOPM", "NOPM"), orders, number)?;
            sheet.add(
                "",
                row("TPM", &format!("{database} TPM")),
                transactions,
                number,
            )?;
        }
    }
    if let [one] = all[..] {
        sheet.state("", "copies", one);
    }
    Ok(())
}
