//! Which cause a stated fact speaks for, and how plainly.

use whyslow_model::state::Change;

use crate::cause::Cause;

/// A name of a setting in a path, or of a program or patch in a value, says more than a general word.
const BY_PATH: f64 = 1.0;
pub(super) const BY_WORD: f64 = 2.0;

/// Letters from which on a word is as plain as it gets.
const PLAIN: usize = 8;

/// What is said in passing.
const IN_PASSING: f64 = 0.5;

/// What stands in front of the colon of a patch's title is what the patch is about.
const IN_FRONT: f64 = 1.5;

/// The path of what the sides are called.
pub(super) const NAME: &str = "name";

/// What stands for a fact that a source does not state.
const SILENT: &str = "not stated";

/// Names of architectures.
const ARCHITECTURES: [&str; 4] = ["x86_64", "amd64", "aarch64", "arm64"];

/// How plainly `change` speaks for `cause`; nothing where it does not.
/// `of_program` says that a patch is one of a program: the word alone speaks for no kernel then.
pub(super) fn strength(cause: &Cause, change: &Change, of_program: bool) -> Option<f64> {
    let value = format!("{} {}", change.before, change.after).to_lowercase();
    // A hypervisor that gives more CPUs is no other one.
    if change.what == "machine.hypervisor" && same_words(&change.before, &change.after) {
        return None;
    }
    let front = value.split_once(": ").map_or("", |(front, _)| front);
    let mut best: Option<f64> = None;
    // `with_patch` tells of no kernel.
    let general = |word: &&&str| change.what == NAME && ["patch", "kernel"].contains(*word);
    // One architecture alone is the machine's; of two, one is emulated.
    let both = [&change.before, &change.after].iter().all(|side| {
        let side = side.to_lowercase();
        ARCHITECTURES.iter().any(|name| begins_a_word(&side, name))
    });
    let alone = |word: &&&str| ARCHITECTURES.contains(*word) && !both;
    // Memory of a node without processors is no other processor.
    let of_node = |word: &&&str| change.what.starts_with("topology") && **word == "processor";
    for word in cause
        .said
        .iter()
        .filter(|word| !general(word) && !alone(word) && !of_node(word))
    {
        let patch = of_program && *word == "patch";
        let by_path = change.what.starts_with(word) && !patch;
        let by_word = begins_a_word(&value, word) && !patch;
        let plain = word.len().min(PLAIN) as f64 / PLAIN as f64;
        let is = match (by_path, by_word) {
            (_, true) if begins_a_word(front, word) => BY_WORD * plain.max(0.5) * IN_FRONT,
            (_, true) => BY_WORD * plain,
            (true, false) => BY_PATH * plain,
            (false, false) => continue,
        };
        best = Some(best.map_or(is, |known| known.max(is)));
    }
    // What one publication leaves out may be the same there all the same, unless it is what was done.
    let done = [
        "patch",
        "compiler.flags",
        "machine.hypervisor",
        "mitigations",
        "libc",
    ];
    let silent = change.before == SILENT || change.after == SILENT;
    let passing = ["other", "system", NAME].contains(&change.what.as_str())
        || (silent && !done.iter().any(|path| change.what.starts_with(path)));
    best.map(|is| if passing { is * IN_PASSING } else { is })
}

/// Do the texts differ in numbers alone?
fn same_words(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).collect() };
    letters(a) == letters(b)
}

/// Does `word` stand in `text` at the beginning of a word?
pub(super) fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::CAUSES;

    fn change(what: &str, before: &str, after: &str) -> Change {
        Change {
            what: what.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    fn strongest(change: &Change) -> &'static str {
        let mut found: Vec<(f64, &str)> = CAUSES
            .iter()
            .filter_map(|cause| Some((strength(cause, change, false)?, cause.id)))
            .collect();
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        found.first().map_or("", |(_, id)| id)
    }

    #[test]
    fn what_is_said_names_its_cause() {
        for (what, after, cause) in [
            (
                "compiler.flags",
                "\"--security-opt seccomp=unconfined\"",
                "seccomp",
            ),
            (
                "patch",
                "\"sched: place wake-ups on the last CPU\"",
                "scheduling",
            ),
            ("patch", "\"mm: a spinlock less\"", "lock-contention"),
            ("machine.hypervisor", "\"Xen 4.1\"", "hypervisor"),
            ("memory.thp", "\"always\"", "tlb-reach"),
            ("patch", "\"page coloring\"", "page-placement"),
        ] {
            assert_eq!(strongest(&change(what, "not stated", after)), cause);
        }
        let kernels = change("kernel.release", "\"4.10.0\"", "\"4.10.0-kaiser\"");
        assert_eq!(strongest(&kernels), "syscall-entry");
    }
}
