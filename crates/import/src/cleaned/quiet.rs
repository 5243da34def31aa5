//! Takes out what is said around results and says nothing of them: paragraphs, greetings, who is quoted, empty prompts.
//! Numbers of lines stay.

use std::borrow::Cow;

use super::line_end;
use crate::commands::is_bare_prompt;
use crate::direction::of_words;
use crate::prose::is_prose;

/// `whole` with empty lines for paragraphs that say nothing of the results below or above them: sentences to their end,
/// without a figure and without a direction. So it is with prompts that nothing was typed behind.
pub(crate) fn quiet(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let mut lines: Vec<&str> = whole.split(end).collect();
    let mut changed = false;
    for line in lines.iter_mut().filter(|line| is_empty_talk(line)) {
        *line = "";
        changed = true;
    }
    // A question at the end is about all of them.
    let last = lines.iter_mut().rfind(|line| !line.trim().is_empty());
    if let Some(last) = last.filter(|line| line.trim_end().ends_with('?') && !has_digit(line)) {
        *last = "";
        changed = true;
    }
    // Of several one may be the name of what follows.
    let alone = lines
        .iter()
        .filter(|line| line.trim_end().ends_with(':'))
        .count()
        == 1;
    for paragraph in lines.chunk_by_mut(|a, b| a.trim().is_empty() == b.trim().is_empty()) {
        if says_nothing(paragraph, alone) {
            paragraph.fill("");
            changed = true;
        }
    }
    match changed {
        true => Cow::Owned(lines.join(end)),
        false => whole,
    }
}

fn has_digit(line: &str) -> bool {
    line.contains(|c: char| c.is_ascii_digit())
}

/// Are the lines sentences, the last one to its end, that have no figure and no direction? One `alone` may end in a colon.
fn says_nothing(paragraph: &[&str], alone: bool) -> bool {
    let last = paragraph.last().map_or("", |line| line.trim_end());
    let introduces = alone && last.ends_with(':');
    let plain = |line: &&str| {
        let line = match introduces {
            true => line.trim_end().trim_end_matches(':'),
            false => line,
        };
        is_prose(line)
            && !has_digit(line)
            && of_words(line).is_none()
            && !line.contains(['|', ':', '\t'])
    };
    (introduces || last.ends_with(['.', '?', '!'])) && paragraph.iter().all(plain)
}

/// Is it `Hi all,`, `On Monday somebody wrote:`, or a prompt with nothing behind it?
fn is_empty_talk(line: &str) -> bool {
    /// A longer one says something.
    const LONGEST: usize = 5;
    const GREETINGS: [&str; 7] = ["Hi", "Hello", "Hey", "Dear", "Thanks", "Regards", "Cheers"];
    let line = line.trim();
    let mut words = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let greets = words.next().is_some_and(|word| GREETINGS.contains(&word));
    let short = greets && words.count() < LONGEST && line.ends_with([',', '!', '.', ':']);
    short || (line.starts_with("On ") && line.ends_with(" wrote:")) || is_bare_prompt(line)
}

#[cfg(test)]
mod tests {
    use super::quiet;

    #[test]
    fn paragraphs_that_say_nothing() {
        let of = |text: &str| quiet(text.into()).into_owned();
        let said = "Hi all,\n\nI tried this on the machine that I have at\nhome, and this is what it does.\n\na  1\n\nme@box:~$ \n";
        assert_eq!(of(said), "\n\n\n\n\na  1\n\n\n");
        for kept in [
            "This is with the patch that you sent:\na  1\nand this is without it:\na  2\n",
            "All of these are times, so less is better.\n\na  1\n",
            "It is at 2.5 GHz, as you can see in the log.\n",
            "Before the patch\n\na  1\n",
        ] {
            assert_eq!(of(kept), kept);
        }
    }
}
