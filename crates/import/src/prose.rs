//! Prose around results: sentences, in contrast to titles and names.

/// Words that titles and names of columns have few of.
const FUNCTION_WORDS: [&str; 63] = [
    "a", "about", "also", "am", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "else", "for", "from", "had", "has", "have", "how", "i", "if",
    "in", "is", "it", "its", "just", "let", "me", "my", "no", "not", "of", "on", "or", "our",
    "out", "see", "should", "so", "some", "than", "that", "the", "then", "there", "they", "this",
    "to", "was", "we", "were", "what", "when", "which", "with", "would", "you",
];

/// Is a line a sentence, or a part of one that goes on in the next line?
pub(crate) fn is_prose(line: &str) -> bool {
    /// Titles are shorter.
    const FEWEST: usize = 7;
    let words = || {
        line.split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| word.contains(char::is_alphabetic))
    };
    let function = |word: &&str| FUNCTION_WORDS.contains(&word.to_lowercase().as_str());
    let count = words().count();
    let own = words().filter(function).count();
    let ends = line.trim_end().ends_with(['.', '?', '!']) && !line.ends_with("..");
    // A sentence may be short of them, a part of one is not.
    let (fewest, share) = if ends { (4, 0.2) } else { (FEWEST, 0.4) };
    count >= fewest && own as f64 >= share * count as f64
}

#[cfg(test)]
mod tests {
    use super::is_prose;

    #[test]
    fn sentences_and_titles() {
        for (line, prose) in [
            (
                "Hello, this is the first time that I have tried it on my",
                true,
            ),
            ("Real users may see something else, of course.", true),
            ("The loops are as they were.", true),
            ("Times are in seconds.", true),
            ("System time of a parallel build in seconds", false),
            ("Time to build the kernel (seconds):", false),
            ("Real time, user time, system time", false),
            ("events per second", false),
            ("read  1.5  2.5", false),
            ("", false),
        ] {
            assert_eq!(is_prose(line), prose, "{line}");
        }
    }
}
