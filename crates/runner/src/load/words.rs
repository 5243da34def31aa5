//! A command line as words, without a shell, and words as a command line.

use super::error::LoadError;

/// Characters that only a shell gives a meaning.
const SHELLS: &str = "|&;<>()$`*?[#~\n";

/// Splits `line` at spaces as a shell would: quotes and backslashes work, nothing else is special.
///
/// # Errors
/// When it is empty, a quote stays open, or it needs a shell; the text says what to do.
pub(super) fn split(line: &str) -> Result<Vec<String>, LoadError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut chars, word.get_or_insert_default(), '\'', line)?,
            '"' => quoted(&mut chars, word.get_or_insert_default(), '"', line)?,
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if SHELLS.contains(c) => {
                return Err(LoadError::Shell {
                    line: line.to_owned(),
                    what: c,
                });
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.is_empty() {
        true => Err(LoadError::Empty),
        false => Ok(words),
    }
}

/// The rest of a quoted piece, up to `end`.
fn quoted(
    chars: &mut std::str::Chars<'_>,
    word: &mut String,
    end: char,
    line: &str,
) -> Result<(), LoadError> {
    loop {
        match chars.next() {
            Some(c) if c == end => return Ok(()),
            Some('\\') if end == '"' => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => {}
            },
            Some(c) => word.push(c),
            None => {
                return Err(LoadError::Quote {
                    line: line.to_owned(),
                    quote: end,
                });
            }
        }
    }
}

/// `words` as a line that a shell splits into the same words.
pub(super) fn line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| quote(w)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=/.,:+@%^{}".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_as_a_shell_would() {
        for (line, words) in [
            ("make -j4", vec!["make", "-j4"]),
            ("  a\t b ", vec!["a", "b"]),
            (
                r#"a 'b c' "d \" e" f\ g"#,
                vec!["a", "b c", "d \" e", "f g"],
            ),
            (r#"x='1 2'3 '' "\n""#, vec!["x=1 23", "", r"\n"]),
            ("awk '{print $1}' f", vec!["awk", "{print $1}", "f"]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn says_what_needs_a_shell() {
        for line in ["a | b", "a > b", "a; b", "echo $HOME", "ls *.c", "a && b"] {
            assert!(
                split(line).unwrap_err().to_string().contains("--shell"),
                "{line}"
            );
        }
        assert!(split("a 'b").unwrap_err().to_string().contains("partner"));
        assert!(split("  ").unwrap_err().to_string().contains("empty"));
    }

    proptest! {
        #[test]
        fn splitting_undoes_joining(words in prop::collection::vec("[^{}^\n]{0,8}", 1..5)) {
            prop_assert_eq!(split(&line(&words)).unwrap(), words);
        }

        #[test]
        fn never_panics(line in ".*") {
            let _ = split(&line);
        }
    }
}
