//! The arms of a load: one command, started in several ways.

use anyhow::{Result, bail};
use whyslow_conditions::Condition;
use whyslow_leftovers::OwnFolder;
use whyslow_model::shell::quote;
use whyslow_runner::UNDER;
use whyslow_runner::load::{CommandSpec, CommandText, Start};
use whyslow_tune::place::Place;
use whyslow_tune::setting::Candidate;
use whyslow_tune::settings::SETTINGS;
use whyslow_tune::took::took;

use crate::program::own_program;

/// The condition of the command as it is: it changes nothing, and has the run start as all others do.
const NOTHING: &str = "nothing";

/// In front of a condition.
const CONDITION: &str = "under:";

/// In front of a variable.
const VARIABLE: &str = "env:";

/// What conditions begin with that set tunables, which are one variable for all.
const TUNABLES: &str = "tunables=";

/// Ways to start the command; none where they were not asked for.
pub(super) struct Arms {
    arms: Vec<Arm>,
    /// Lasts as long as the arms that have their temporary files in it.
    _folder: Option<OwnFolder>,
}

struct Arm {
    name: String,
    settings: Vec<String>,
    conditions: Vec<String>,
}

impl Arms {
    /// Those of `texts`, each shown to take.
    pub(super) fn of(texts: &[String], command: &[String]) -> Result<Arms> {
        let mut arms = parsed(texts)?;
        let mut folder = None;
        if arms.iter().any(|arm| !arm.settings.is_empty()) {
            let (place, own) = Place::live();
            folder = own;
            for arm in &mut arms {
                arm.prepare(&place, command)?;
            }
        }
        Ok(Arms {
            arms,
            _folder: folder,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// The command in each.
    pub(super) fn commands(&self, words: &[String]) -> Vec<CommandSpec> {
        let own = own_program().display().to_string();
        let command = |arm: &Arm| {
            let mut start = vec![own.clone(), UNDER.to_owned()];
            match arm.conditions.is_empty() {
                true => start.push(NOTHING.to_owned()),
                false => start.extend(arm.conditions.iter().cloned()),
            }
            start.push("--".to_owned());
            CommandSpec {
                name: Some(arm.name.clone()),
                text: CommandText::Words(words.to_vec()),
                start: Some(Start {
                    words: start,
                    told: (!arm.settings.is_empty()).then(|| arm.settings.join(", ")),
                }),
            }
        };
        self.arms.iter().map(command).collect()
    }
}

/// Names and settings of the arms; what the settings are is not looked at.
fn parsed(texts: &[String]) -> Result<Vec<Arm>> {
    let mut arms: Vec<Arm> = Vec::new();
    let mut plain: Vec<&str> = Vec::new();
    for text in texts {
        let (name, setting) = match text.split_once('=') {
            Some((name, setting)) => (name, Some(setting)),
            // A setting may give its own name.
            None if SETTINGS.iter().any(|s| s.name == text) => (text.as_str(), Some(text.as_str())),
            None => (text.as_str(), None),
        };
        if name.starts_with(VARIABLE) || name.starts_with(CONDITION) {
            bail!("--arm {text}: an arm needs a name in front: --arm NAME={text}");
        }
        if name.is_empty() || name.contains(['{', '}', ',']) || name.contains(char::is_control) {
            bail!("--arm {text}: a name has no braces and no commas, as in --arm NAME=SETTING");
        }
        let found = arms.iter().position(|arm| arm.name == name);
        let known = found.map(|at| &mut arms[at]);
        match (known, setting) {
            (Some(arm), Some(setting)) if !arm.settings.is_empty() && setting != NOTHING => {
                arm.settings.push(setting.to_owned());
            }
            (Some(_), _) => bail!(
                "--arm {text}: the name {name} is given already, and nothing can be added to it"
            ),
            (None, setting) => {
                if setting.is_none() {
                    plain.push(name);
                }
                let setting = setting.filter(|setting| *setting != NOTHING);
                arms.push(Arm {
                    name: name.to_owned(),
                    settings: setting.map(str::to_owned).into_iter().collect(),
                    conditions: Vec::new(),
                });
            }
        }
    }
    match (&arms[..], &plain[..]) {
        ([arm], _) => bail!(
            "--arm {}: one arm has nothing to be compared with; add another, such as --arm after=env:NAME=VALUE",
            arm.name
        ),
        (_, [first, second, ..]) => bail!(
            "--arm {second}: '{first}' is the command as it is already; write {second}=SETTING, or {second}=nothing for \
             the same on purpose"
        ),
        _ => Ok(arms),
    }
}

impl Arm {
    /// Finds the conditions of the settings, and holds that they take.
    fn prepare(&mut self, place: &Place, command: &[String]) -> Result<()> {
        let mut whole = Candidate {
            name: self.name.clone(),
            what: String::new(),
            conditions: Vec::new(),
            wanted: Vec::new(),
            machine: None,
            lasting: String::new(),
        };
        for text in &self.settings {
            if let Some(condition) = text.strip_prefix(CONDITION) {
                if let Err(why) = condition.parse::<Condition>() {
                    bail!("--arm {}={text}: {why}", self.name);
                }
                whole.conditions.push(condition.to_owned());
                continue;
            }
            let found = self.candidate(text, place)?;
            // Both arms of a level would have to set it back and forth around each run, as tune does.
            if found.machine.is_some() {
                let words: Vec<String> = command.iter().map(|word| quote(word)).collect();
                bail!(
                    "--arm {}={text}: a setting of the whole machine; `whyslow tune --setting {} -- {}` tries it",
                    self.name,
                    quote(text),
                    words.join(" ")
                );
            }
            let tunables = |c: &String| c.starts_with(TUNABLES);
            for condition in found.conditions {
                let before = whole.conditions.iter_mut().find(|c| tunables(c));
                match (before, condition.strip_prefix(TUNABLES)) {
                    (Some(before), Some(more)) => *before = format!("{before}:{more}"),
                    _ => whole.conditions.push(condition),
                }
            }
            whole.wanted.extend(found.wanted);
        }
        if !whole.wanted.is_empty()
            && let Err(why) = took(&own_program(), place.loader.as_deref().ok(), &whole)
        {
            bail!("--arm {}={}: {why}", self.name, self.settings.join(", "));
        }
        self.conditions = whole.conditions;
        Ok(())
    }

    fn candidate(&self, text: &str, place: &Place) -> Result<Candidate> {
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.name == text) {
            return match setting.here(place) {
                Ok(candidate) => Ok(candidate),
                Err(why) => bail!("--arm {}={text}: {why}", self.name),
            };
        }
        let Some(candidate) = Candidate::own(text) else {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            bail!(
                "--arm {}={text}: no such setting; settings are {}, env:NAME=VALUE for a variable, under:CONDITION for a \
                 condition, and nothing",
                self.name,
                names.join(", ")
            );
        };
        Ok(candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Result<Vec<(String, Vec<String>)>> {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        let arms = parsed(&texts)?;
        Ok(arms.into_iter().map(|a| (a.name, a.settings)).collect())
    }

    #[test]
    fn names_and_settings_are_taken_apart() {
        let told = |arms: Vec<(String, Vec<String>)>| {
            let told = arms
                .iter()
                .map(|(name, s)| format!("{name}[{}]", s.join(";")));
            told.collect::<Vec<_>>().join(" ")
        };
        for (texts, wanted) in [
            (
                &["before", "after=env:A=b=c"][..],
                "before[] after[env:A=b=c]",
            ),
            (&["a", "b=nothing"], "a[] b[]"),
            (&["a", "malloc-keep"], "a[] malloc-keep[malloc-keep]"),
            (
                &["a", "b=x", "b=y", "c=under:cpus=0"],
                "a[] b[x;y] c[under:cpus=0]",
            ),
            (&[], ""),
        ] {
            assert_eq!(told(of(texts).unwrap()), wanted, "{texts:?}");
        }
    }

    #[test]
    fn what_is_no_pair_of_arms_is_refused() {
        for (texts, why) in [
            (&["a"][..], "nothing to be compared with"),
            (&["a", "b"], "as it is already"),
            (&["a", "a=x"], "given already"),
            (&["a", "b=x", "b=nothing"], "given already"),
            (&["a", "env:A=b"], "a name in front"),
            (&["a", "=x"], "braces"),
            (&["a", "b{=x"], "braces"),
        ] {
            let said = of(texts).unwrap_err().to_string();
            assert!(said.contains(why), "{texts:?}: {said}");
        }
    }
}
