//! The one place that prints, and the last barrier: what a record, a file or an argument may hold that a
//! terminal would obey leaves written out.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

use whyslow_model::text::{visible, visible_lines, visible_styled};
use whyslow_report::{Look, STYLES};

/// Width where the terminal does not tell, or there is none: what mail and tickets carry unbroken.
const USUAL_WIDTH: u16 = 80;

/// Prints `text` with our own styles.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(shown(text, look().color).as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a report beside the output of a program that was run.
pub(crate) fn report(text: &str) {
    // Without a place for errors nothing can be said.
    let text = shown(text, look_of_errors().color);
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// `text` as it may leave: with styles where these are shown, and with nothing hidden.
fn shown(text: &str, color: bool) -> Cow<'_, str> {
    if color {
        visible_styled(text, &STYLES)
    } else {
        visible_lines(text)
    }
}

/// What is wrong with the arguments. Without styles, as it repeats what was typed.
pub(crate) fn usage(error: &clap::Error) {
    let text = error.render().to_string();
    // Without a place for errors nothing can be said.
    let _ = io::stderr()
        .lock()
        .write_all(visible_lines(&text).as_bytes());
}

/// One line about what went wrong, with its causes.
pub(crate) fn error(error: &anyhow::Error) {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some errors say their cause in their own text.
        if !line.ends_with(&cause) {
            line += if line.is_empty() { "" } else { ": " };
            line += &cause;
        }
    }
    // One line, whatever a cause quotes.
    warn(&visible(line.trim_end()));
}

/// One line of warning.
pub(crate) fn warn(text: &str) {
    // Without a place for errors nothing can be said.
    let _ = writeln!(io::stderr().lock(), "whyslow: {}", visible_lines(text));
}

/// One line about how far a long work has come; beside a bar by [`note`](crate::progress::Progress::note).
pub(crate) fn note(text: &str) {
    // Without a place for it nothing can be said.
    let _ = writeln!(io::stderr().lock(), "{}", visible_lines(text));
}

/// Did the reader of our output go away?
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    causes(error).any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Was the terminal that standard output was on closed? Files fail to be written for other reasons too.
pub(crate) fn is_hung_up(error: &anyhow::Error) -> bool {
    /// What the system says of an end of a terminal without the other.
    const GONE: i32 = rustix::io::Errno::IO.raw_os_error();
    let asked = rustix::termios::tcgetattr(io::stdout());
    let gone = asked.is_err_and(|why| why == rustix::io::Errno::IO);
    gone && causes(error).any(|cause| cause.raw_os_error() == Some(GONE))
}

fn causes(error: &anyhow::Error) -> impl Iterator<Item = &io::Error> {
    error.chain().filter_map(|cause| cause.downcast_ref())
}

/// How wide and how colorful standard output may be.
pub(crate) fn look() -> Look {
    look_at(io::stdout())
}

/// The same for the place of errors.
pub(crate) fn look_of_errors() -> Look {
    look_at(io::stderr())
}

fn look_at(place: impl IsTerminal + AsFd) -> Look {
    let terminal = place.is_terminal();
    let width = rustix::termios::tcgetwinsize(place).map_or(USUAL_WIDTH, |size| size.ws_col);
    Look {
        width: usize::from(if width == 0 { USUAL_WIDTH } else { width }),
        color: terminal && is_colorful(|name| std::env::var(name).ok()),
        ascii: ascii_only(|name| std::env::var(name).ok()),
    }
}

/// Does the terminal obey more than lines of text? `TERM=dumb` is what editors give the programs that they run.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// May there be colors? Not where the user wants none (<https://no-color.org>: any value but the empty one), nor where the
/// terminal would show their codes.
fn is_colorful(variable: impl Fn(&str) -> Option<String>) -> bool {
    let wanted = variable("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Does the locale name an encoding that has only some of our signs? Without any locale nothing is
/// known, and terminals of today show UTF-8.
fn ascii_only(variable: impl Fn(&str) -> Option<String>) -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let set = names
        .into_iter()
        .filter_map(variable)
        .find(|v| !v.is_empty());
    set.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::{STYLES, ascii_only, is_colorful, shown};

    #[test]
    fn only_our_own_styles_pass_and_only_where_they_are_shown() {
        for style in STYLES {
            let text = format!("{style}a\t\u{9b}2J\n");
            assert_eq!(shown(&text, true), format!("{style}a\t\\u009b2J\n"));
            assert!(!shown(&text, false).contains('\u{1b}'));
        }
        assert_eq!(shown("\u{1b}[31mred", true), "\\u001b[31mred");
    }

    #[test]
    fn colors_are_for_those_who_want_and_can_show_them() {
        let under = |set: &[(&str, &str)]| {
            is_colorful(|name| {
                let found = set.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(under(&[]) && under(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]));
        assert!(!under(&[("TERM", "dumb")]) && !under(&[("NO_COLOR", "1")]));
    }

    #[test]
    fn the_locale_decides_about_signs() {
        let under = |set: &[(&str, &str)]| {
            ascii_only(|name| {
                let found = set.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(!under(&[]));
        assert!(!under(&[("LANG", "en_US.UTF-8")]));
        assert!(!under(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(under(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")]));
        assert!(under(&[("LANG", "de_DE.ISO-8859-1")]));
    }
}
