//! Which settings are asked for, and which of them can be tried here.

use std::path::Path;

use anyhow::{Result, bail};
use whyslow_model::tune::UntriedSetting;
use whyslow_tune::Setting;
use whyslow_tune::place::Place;
use whyslow_tune::setting::Candidate;
use whyslow_tune::settings::SETTINGS;
use whyslow_tune::took::took;

/// Settings that are asked for.
pub(super) struct Chosen {
    known: Vec<&'static Setting>,
    own: Vec<Candidate>,
}

/// Those of these names; without any, all that need no right.
pub(super) fn chosen(names: &[String]) -> Result<Chosen> {
    let (mut known, mut own) = (Vec::new(), Vec::<Candidate>::new());
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            bail!("--setting {name} is given twice");
        }
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) {
            known.push(*setting);
        } else if let Some(candidate) = Candidate::own(name) {
            own.push(candidate);
        } else {
            bail!(
                "--setting {name}: no such setting; settings are {}, and env:NAME=VALUE for a variable of your own; \
                 needs root, only when named: {}",
                listed(false),
                listed(true)
            );
        }
    }
    if names.is_empty() {
        known.extend(SETTINGS.iter().filter(|setting| !setting.needs_root()));
    }
    let root = known.iter().find(|setting| setting.needs_root());
    if let Some(setting) = root.filter(|_| !rustix::process::geteuid().is_root()) {
        bail!(
            "--setting {}: needs root, as it changes the whole machine while the command runs; try it as root",
            setting.name
        );
    }
    known.sort_by_key(|setting| setting.rank);
    Ok(Chosen { known, own })
}

/// The names of settings that need root, or of those that do not.
fn listed(root: bool) -> String {
    let names = SETTINGS
        .iter()
        .filter(|setting| setting.needs_root() == root);
    names
        .map(|setting| setting.name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl Chosen {
    /// Those that a process here sees when it is started under them; `untried` gets the others.
    pub(super) fn possible(
        self,
        own: &Path,
        place: &Place,
        untried: &mut Vec<UntriedSetting>,
    ) -> Vec<Candidate> {
        let loader = place.loader.as_deref().ok();
        let mut possible = Vec::new();
        let known = self.known.into_iter();
        let known = known.map(|setting| (setting.name.to_owned(), setting.here(place)));
        let all = self.own.into_iter().map(|own| (own.name.clone(), Ok(own)));
        for (name, candidate) in all.chain(known) {
            let checked = candidate.and_then(|candidate| {
                took(own, loader, &candidate)?;
                Ok(candidate)
            });
            match checked {
                Ok(candidate) => possible.push(candidate),
                Err(why) => untried.push(UntriedSetting { name, why }),
            }
        }
        possible
    }
}
