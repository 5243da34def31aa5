//! Parts that are lists, `noop, anticipatory, deadline`: each is compared with the one part of the other side, or with the
//! one at its place in a list of as many.

use whyslow_model::Record;

use super::crossed::together;

/// The parts of a list; none where it is none.
#[must_use]
pub fn pieces(part: &str) -> Vec<&str> {
    let pieces: Vec<&str> = part.split(", ").map(str::trim).collect();
    match pieces.len() > 1 && !pieces.contains(&"") {
        true => pieces,
        false => Vec::new(),
    }
}

/// Records as one whose points are called after the piece that each is beside; none where there are none.
#[must_use]
pub fn beside(pieces: &[&str], records: &[Record], name: &str) -> Option<Record> {
    let named = pieces.iter().map(|piece| (*piece).to_owned());
    together(named.zip(records), name)
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_list_has_two_parts_or_more() {
        assert_eq!(pieces("noop, deadline"), ["noop", "deadline"]);
        assert!(pieces("noop").is_empty() && pieces("noop, ").is_empty());
        assert!(pieces("1,024").is_empty());
    }
}
