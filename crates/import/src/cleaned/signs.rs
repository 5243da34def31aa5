//! Characters that say nothing of a figure: spaces of typesetters, pictures, and what parts groups of its digits.

use std::borrow::Cow;

/// Spaces that web pages and mails fill columns up with, or part digits by.
const SPACES: [char; 7] = [
    '\u{a0}', '\u{2002}', '\u{2003}', '\u{2007}', '\u{2009}', '\u{202f}', '\u{3000}',
];

/// Parts thousands, beside the spaces: `1'234'567`.
const APOSTROPHES: [char; 2] = ['\'', '’'];

/// Letters, digits and marks as wide as Chinese characters, in the order of ASCII: `，` and `３`.
const WIDE: std::ops::RangeInclusive<char> = '\u{ff01}'..='\u{ff5e}';

/// What is added to a character of ASCII for the wide one.
const WIDER: u32 = 0xff01 - '!' as u32;

/// The character of ASCII that a wide one is.
fn narrow(c: char) -> char {
    let wide = WIDE.contains(&c).then(|| c as u32 - WIDER);
    wide.and_then(char::from_u32).unwrap_or(c)
}

/// Does it only draw something: a check mark, a colored dot, a rocket?
pub(crate) fn is_picture(c: char) -> bool {
    matches!(c, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}

/// The same, or how such a sign looks.
fn is_drawn(c: char) -> bool {
    is_picture(c) || matches!(c, '\u{fe0f}' | '\u{200d}')
}

/// `whole` with plain spaces, without pictures, and with the digits of a number together.
pub(super) fn plain(whole: Cow<'_, str>) -> Cow<'_, str> {
    let whole = match whole.contains("&nbsp;") {
        true => Cow::Owned(whole.replace("&nbsp;", " ")),
        false => whole,
    };
    let whole = match whole.contains(|c| WIDE.contains(&c)) {
        true => Cow::Owned(whole.chars().map(narrow).collect()),
        false => whole,
    };
    let odd = |c: char| SPACES.contains(&c) || APOSTROPHES.contains(&c) || is_drawn(c);
    if !whole.contains(odd) {
        return whole;
    }
    let chars: Vec<char> = whole.chars().collect();
    let mut out = String::with_capacity(whole.len());
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let parts = SPACES.contains(c) || APOSTROPHES.contains(c);
        if parts && parts_thousands(&chars, at) {
            at += 1;
            continue;
        }
        // A picture leaves no gap of its own, so that it parts no cell.
        let picture = is_drawn(*c);
        at += 1;
        if picture {
            while chars.get(at).is_some_and(|c| is_drawn(*c)) {
                at += 1;
            }
            let within =
                chars.get(at) == Some(&' ') && (out.is_empty() || out.ends_with([' ', '\n']));
            at += usize::from(within);
        } else {
            out.push(if SPACES.contains(c) { ' ' } else { *c });
        }
    }
    Cow::Owned(out)
}

/// Does the character stand between one to three digits, or another such group, and three digits, and no more?
fn parts_thousands(chars: &[char], at: usize) -> bool {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let three = (1..=3).all(|more| digit(at + more)) && !digit(at + 4);
    let before = (1..=4)
        .take_while(|less| at >= *less && digit(at - less))
        .count();
    let decimals = at > before && chars[at - before - 1] == '.';
    three && (1..=3).contains(&before) && !decimals
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn signs_that_say_nothing() {
        for (text, wanted) in [
            ("a\u{a0}\u{a0}1.5&nbsp;ms", "a  1.5 ms"),
            ("22\u{202f}391 ns, 1\u{a0}234\u{a0}567", "22391 ns, 1234567"),
            ("1'234'567.8 and 12’345", "1234567.8 and 12345"),
            ("| ✅ 5.2 ms | 🟢\u{fe0f} fast |", "| 5.2 ms | fast |"),
            ("✓ read 5", "read 5"),
            ("264k， （３ ms）", "264k, (3 ms)"),
            (
                "it's 1.5'000, '99 and 5'12\"",
                "it's 1.5'000, '99 and 5'12\"",
            ),
            ("12\u{202f}5 ns", "12 5 ns"),
        ] {
            assert_eq!(plain(text.into()), wanted);
        }
    }
}
