//! The words that each cause is spoken of with.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cause::Cause;
use crate::causes::CAUSES;

/// By the id of the cause.
static WORDS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let one_by_one = |said: &'static str| -> Vec<&'static str> {
        let words = said.split([';', '\n']).map(str::trim);
        words.filter(|word| !word.is_empty()).collect()
    };
    let all = CAUSES.iter();
    all.map(|cause| (cause.id, one_by_one(cause.said)))
        .collect()
});

/// What `cause` declares as [`said`](Cause::said), one by one.
pub(super) fn words(cause: &Cause) -> &'static [&'static str] {
    WORDS.get(cause.id).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_in_lower_case_and_there_once() {
        for cause in CAUSES {
            let mut all: Vec<&str> = words(cause).to_vec();
            for word in &all {
                let paths = word.contains('.') || word.starts_with('-');
                assert!(
                    paths || *word == word.to_lowercase(),
                    "{}: {word}",
                    cause.id
                );
            }
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{}: a word twice", cause.id);
        }
    }
}
