//! Words of a command line as a shell reads them.

/// `word` so that a POSIX shell takes it for one word.
pub fn quote(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_has_them() {
        for (word, quoted) in [
            ("a/b-1.whyslow", "a/b-1.whyslow"),
            ("", "''"),
            ("my run", "'my run'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }
}
