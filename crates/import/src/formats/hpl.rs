//! HPL, the benchmark of the list of the largest computers: time and rate of each size and grid.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hpl",
    what: "HPL (T/V, N, NB, P, Q, Time, Gflops)",
    repeats: "runs of HPL",
    silent: "the machines, the library for linear algebra, or what lies between the nodes",
    roles: &[("hpl.", "", Roles::All(Role::ScalingCompute))],
    looks,
    part: Some(|line| row(line).is_some() || is_header(line)),
    known: &[
        "HPL_pdgesv",
        "||Ax-b||",
        "||A||",
        "||x||",
        "||b||",
        "Finished ",
        "tests completed",
        "tests skipped",
        "machine precision",
        "scaled residuals",
        "HPLinpack",
        "Innovative Computing",
        "N      :",
        "NB     :",
        "P      :",
        "Q      :",
        "NBMIN  :",
        "NDIV   :",
        "SWAP   :",
        "ALIGN  :",
        "Column=",
        "Max aggregated",
        "+ ",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some() || is_header(line)) * 3
}

/// `T/V                N    NB     P     Q               Time                 Gflops`
fn is_header(line: &str) -> bool {
    line.trim_start().starts_with("T/V") && holds(line, "Gflops")
}

/// `WR11C2R4       23040   256     1     4             181.25             4.4942e+01`: the variant, the size and the grid
/// as printed, time and rate.
fn row(line: &str) -> Option<(&str, [&str; 4], f64, f64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // Newer versions print the rate of each device in brackets behind.
    let [variant, n, nb, p, q, time, rate, ..] = words[..] else {
        return None;
    };
    let is = variant.starts_with(['W', 'H'])
        && variant.len() >= 6
        && variant[1..].bytes().all(|b| b.is_ascii_alphanumeric());
    let whole = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let grid = [n, nb, p, q];
    (is && grid.iter().all(|w| whole(w))).then_some(())?;
    Some((variant, grid, plain(time)?, plain(rate)?))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let rows = || text.lines().filter_map(|(n, line)| Some((n, row(line)?)));
    let mut sizes: Vec<[&str; 4]> = rows().map(|(_, (_, grid, ..))| grid).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
        }
        let Some((variant, [n, nb, p, q], time, rate)) = row(line) else {
            continue;
        };
        let of = |what: &str, unit: &str, better| {
            let title = format!("{variant} N={n} NB={nb} P={p} Q={q} {what}");
            let row = Row::new("hpl", what, unit, better).titled(&title);
            // Of one size the sides are compared, whatever each was tuned to.
            match sizes.len() > 1 {
                true => row.with("n", n).with("nb", nb).with("p", p).with("q", q),
                false => row,
            }
        };
        sheet.add("", of("Gflops", "Gflops", Higher), rate, number)?;
        sheet.add("", of("Time", "s", Lower), time, number)?;
    }
    if let [[.., p, q]] = sizes[..]
        && let (Ok(p), Ok(q)) = (p.parse::<u64>(), q.parse::<u64>())
    {
        sheet.state("", "copies", &p.saturating_mul(q).to_string());
    }
    Ok(())
}
