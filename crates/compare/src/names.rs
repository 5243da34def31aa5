//! What points are called together: families and kin.

use whyslow_model::{Point, Record};

/// The family of a point: its probe's id without the last part, `mem` for `mem.latency`.
pub fn family(point: &Point) -> &str {
    let probe = point.probe.as_str();
    probe.rsplit_once('.').map_or(probe, |(family, _)| family)
}

/// What close relatives are called together: the probe, or for published figures the title up to
/// what tells the rows apart, `File Copy` for `File Copy (10 seconds)`.
pub fn kin(point: &Point, title: Option<&str>) -> String {
    let Some(title) = title else {
        return point.probe.clone();
    };
    let end = title.find(['(', ',', ':', '[']).unwrap_or(title.len());
    let words: Vec<&str> = title[..end]
        .split_whitespace()
        .take_while(|word| !matches!(*word, "with" | "without" | "using"))
        // A number tells rows apart too, unless the name begins with it.
        .enumerate()
        .filter(|(i, word)| *i == 0 || word.parse::<f64>().is_err())
        .map(|(_, word)| word)
        .collect();
    if words.is_empty() {
        title.trim().to_owned()
    } else {
        words.join(" ")
    }
}

/// What a record of another tool calls its system; empty where it is one of ours.
pub(crate) fn system_of(record: &Record) -> &str {
    record.origin.as_ref().map_or("", |origin| &origin.system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relatives_share_a_name() {
        let point: Point = "byte.file_copy{seconds=10}".parse().unwrap();
        for (title, kin_name) in [
            ("File Copy (10 seconds)", "File Copy"),
            ("Shell scripts (1 concurrent)", "Shell scripts"),
            ("Dhrystone 2 without register variables", "Dhrystone"),
            ("Dhrystone 2 using register variables", "Dhrystone"),
            ("Dc: sqrt(2) to 99 decimal places", "Dc"),
            (
                "Recursion Test--Tower of Hanoi",
                "Recursion Test--Tower of Hanoi",
            ),
            ("(odd)", "(odd)"),
        ] {
            assert_eq!(kin(&point, Some(title)), kin_name);
        }
        assert_eq!(kin(&point, None), "byte.file_copy");
        assert_eq!(family(&point), "byte");
        assert_eq!(family(&Point::new("plain")), "plain");
    }
}
