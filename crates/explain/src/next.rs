//! Next steps: commands that can be pasted into a shell as they are.

use whyslow_model::explanation::NextStep;
use whyslow_model::shell::quote;

/// Stands in a declared command for the records that are explained.
const RECORDS: &str = "{records}";

/// Puts the records of the sides into the commands of `steps`: A, and B where there is one.
pub(crate) fn fill(steps: &mut [NextStep], a: &[String], b: &[String]) {
    let mut words: Vec<String> = Vec::new();
    for side in [a, b] {
        words.extend(side.first().map(|name| quote(name)));
    }
    for (side, flag) in [(a, "--also-a"), (b, "--also-b")] {
        let others = side.iter().skip(1);
        words.extend(others.map(|name| format!("{flag} {}", quote(name))));
    }
    let records = words.join(" ");
    for step in steps {
        step.command = step.command.replace(RECORDS, &records);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::step;

    #[test]
    fn commands_name_the_records() {
        let filled = |a: &[&str], b: &[&str]| {
            let mut steps = [step("", "whyslow explain {records} --experiment fork")];
            let names = |side: &[&str]| side.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            fill(&mut steps, &names(a), &names(b));
            steps[0].command.clone()
        };
        assert_eq!(
            filled(&["a"], &["my b"]),
            "whyslow explain a 'my b' --experiment fork"
        );
        assert_eq!(filled(&["a"], &[]), "whyslow explain a --experiment fork");
        assert_eq!(
            filled(&["a", "a2"], &["b", "b2"]),
            "whyslow explain a b --also-a a2 --also-b b2 --experiment fork"
        );
    }
}
