//! A record as lines of text, for ways that carry text: the output of ssh, the log of a pod.
//!
//! What a login, a launcher or a service prints around it does no harm, nor does a prefix that a launcher puts in front of
//! every line. That it arrived whole is told by the record's own hash.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const BEGIN: &str = "-----BEGIN WHYSLOW RECORD-----";
const END: &str = "-----END WHYSLOW RECORD-----";

/// Characters a line, as others have them.
const WIDTH: usize = 76;

/// `record` as lines.
pub fn armor(record: &[u8]) -> String {
    let encoded = STANDARD.encode(record);
    let mut text = format!("{BEGIN}\n");
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(WIDTH.min(rest.len()));
        text += line;
        text.push('\n');
        rest = after;
    }
    text + END + "\n"
}

/// The records in `text`, in their order. One that is damaged or was cut off is left out.
pub fn unarmor(text: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(prefix) = line.strip_suffix(BEGIN) {
            open = Some((prefix.to_owned(), String::new()));
        } else if line.ends_with(END) {
            let encoded = open.take().map(|(_, encoded)| encoded);
            found.extend(encoded.and_then(|encoded| STANDARD.decode(encoded).ok()));
        } else if let Some((prefix, encoded)) = &mut open
            && let Some(part) = line.strip_prefix(prefix.as_str())
            // What else is said at that time, such as on standard error, has blanks or other signs in it.
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
        {
            encoded.push_str(part);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_through_noise_and_prefixes() {
        let records: [Vec<u8>; 2] = [(0..=255).cycle().take(1000).collect(), vec![7; 57]];
        let text = format!(
            "Welcome!\n{}between\n{}bye\n",
            armor(&records[0]),
            armor(&records[1])
        );
        assert_eq!(unarmor(&text), records);
        let prefixed: String = text.lines().map(|line| format!("n1: {line}\r\n")).collect();
        assert_eq!(unarmor(&prefixed), records);
        assert!(armor(&records[0]).lines().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn what_was_cut_off_or_damaged_is_none() {
        let text = armor(&[1; 500]);
        assert!(unarmor(&text[..text.len() - 10]).is_empty());
        assert!(unarmor(&text.replacen("AQ", "A=", 1)).is_empty());
        // A line of another stream in between is none of it.
        let mixed = text.replacen('\n', "\nwhyslow: a note\n", 2);
        assert_eq!(unarmor(&mixed), [vec![1; 500]]);
        assert!(unarmor("").is_empty());
    }
}
