//! Text of files that others may have written, made fit for messages.

/// Text of a file, with what a terminal would act on written out, and cut where it is long.
pub(crate) fn plain(text: &str) -> String {
    /// A path of the kernel and two values fit.
    const LONGEST: usize = 200;
    let short: String = text.chars().take(LONGEST).collect();
    short
        .escape_debug()
        .to_string()
        .replace("\\'", "'")
        .replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_written_out() {
        assert_eq!(
            plain("a\u{1b}[31m\u{202e}\u{9b}b 'c'"),
            "a\\u{1b}[31m\\u{202e}\\u{9b}b 'c'"
        );
        assert_eq!(plain(&"x".repeat(1000)).len(), 200);
    }
}
