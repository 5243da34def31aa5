//! Settings that may make a command faster: declared as data, tried under conditions.

use whyslow_conditions::{KernelFile, KernelSetting};

use crate::place::Place;
use crate::shows::Shows;

/// One setting, declared in a file of its own under `settings/`.
#[derive(Debug)]
pub struct Setting {
    /// Its name on screens and behind `--setting`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub what: &'static str,
    /// Where the time is too short for all, lower ranks are tried first.
    pub rank: u32,
    /// What is changed.
    pub change: Change,
    /// Why it can do nothing on this host, if so.
    pub fits: fn(&Place) -> Result<(), String>,
}

/// What a setting changes; decides under which conditions the command is started and how the setting is kept.
#[derive(Debug)]
pub enum Change {
    /// Tunables of the GNU C library, each `NAME=NUMBER`.
    Tunables(&'static [&'static str]),
    /// A variable of the environment and its value.
    Variable(&'static str, &'static str),
    /// One CPU, the first that is allowed.
    OneCpu,
    /// Temporary files in memory.
    TemporaryFolder,
    /// Another condition.
    Condition {
        /// As `whyslow __under` takes it.
        condition: &'static str,
        /// What shows that it took.
        shows: Shows,
        /// What the shown value then is.
        value: &'static str,
        /// The line that makes it permanent.
        lasting: &'static str,
    },
    /// A setting of the whole machine: needs root, and is tried only where it is named.
    Kernel {
        /// The setting.
        setting: KernelSetting,
        /// Its value.
        value: &'static str,
        /// The line that makes it permanent.
        lasting: fn(&[KernelFile]) -> String,
    },
}

/// A setting as it can be tried here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it does.
    pub what: String,
    /// What the command is started under, without what the whole machine is.
    pub conditions: Vec<String>,
    /// What the whole machine is set to while the command runs.
    pub machine: Option<Machine>,
    /// What must show that it took, and the value that it then has.
    pub wanted: Vec<(Shows, String)>,
    /// The line that makes it permanent.
    pub lasting: String,
}

/// Files of the kernel and the value that they get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The setting.
    pub setting: KernelSetting,
    /// Its files here.
    pub files: Vec<KernelFile>,
    /// The value.
    pub value: &'static str,
}

/// In front of a variable of the user's own behind `--setting`.
const OWN: &str = "env:";

impl Setting {
    /// Does it need root, and change the whole machine?
    pub fn needs_root(&self) -> bool {
        matches!(self.change, Change::Kernel { .. })
    }

    /// The setting as it can be tried here.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn here(&self, place: &Place) -> Result<Candidate, String> {
        (self.fits)(place)?;
        let mut machine = None;
        let (conditions, wanted, lasting) = match &self.change {
            Change::Tunables(tunables) => of_tunables(tunables, place)?,
            Change::Variable(name, value) => of_variable(name, value),
            Change::OneCpu => {
                let [cpu, _, ..] = place.cpus[..] else {
                    return Err("only one CPU is allowed, so it is so already".into());
                };
                let wanted = (Shows::Status("Cpus_allowed_list"), cpu.to_string());
                let lasting = format!("taskset -c {cpu} COMMAND (unit file: CPUAffinity={cpu})");
                (vec![format!("cpus={cpu}")], vec![wanted], lasting)
            }
            Change::TemporaryFolder => {
                let folder = place.memory_folder.as_ref().map_err(String::clone)?;
                let (_, wanted, _) = of_variable("TMPDIR", folder);
                let lasting = "mkdir -p /dev/shm/tmp && env TMPDIR=/dev/shm/tmp COMMAND (unit file: \
                     Environment=TMPDIR=/dev/shm/tmp)";
                (vec![format!("scratch={folder}")], wanted, lasting.into())
            }
            Change::Condition {
                condition,
                shows,
                value,
                lasting,
            } => (
                vec![(*condition).to_owned()],
                vec![(shows.clone(), (*value).to_owned())],
                (*lasting).to_owned(),
            ),
            Change::Kernel {
                setting,
                value,
                lasting,
            } => {
                let files = (place.kernel)(*setting)?;
                let shows = files.iter().cloned().map(Shows::File);
                let wanted = shows.map(|shows| (shows, (*value).to_owned())).collect();
                let lasting = lasting(&files);
                machine = Some(Machine {
                    setting: *setting,
                    files,
                    value,
                });
                (Vec::new(), wanted, lasting)
            }
        };
        Ok(Candidate {
            name: self.name.to_owned(),
            what: self.what.to_owned(),
            conditions,
            machine,
            wanted,
            lasting,
        })
    }
}

impl Candidate {
    /// Everything that the command is under, as conditions.
    pub fn under(&self) -> Vec<String> {
        let machine = self.machine.iter();
        let machine = machine.map(|m| format!("kernel={}={}", m.setting.name(), m.value));
        self.conditions.iter().cloned().chain(machine).collect()
    }

    /// A variable of the user's own, as `env:NAME=VALUE`; nothing where `text` is none.
    pub fn own(text: &str) -> Option<Candidate> {
        let (name, value) = text.strip_prefix(OWN)?.split_once('=')?;
        if name.is_empty() {
            return None;
        }
        let (conditions, wanted, lasting) = of_variable(name, value);
        Some(Candidate {
            name: text.to_owned(),
            what: "Sets this variable of yours.".into(),
            conditions,
            machine: None,
            wanted,
            lasting,
        })
    }
}

type Parts = (Vec<String>, Vec<(Shows, String)>, String);

fn of_variable(name: &str, value: &str) -> Parts {
    let set = format!("{name}={value}");
    let wanted = (Shows::Variable(name.to_owned()), value.to_owned());
    let kept = quoted(&set);
    let lasting = match value {
        "" => format!("env -u {name} COMMAND, and no longer set where it is"),
        _ => format!("env {kept} COMMAND (unit file: Environment={kept})"),
    };
    (vec![format!("variable={set}")], vec![wanted], lasting)
}

/// The variable holds all tunables, so those that are set already stay in front.
fn of_tunables(tunables: &[&str], place: &Place) -> Result<Parts, String> {
    place.tunables.as_ref().map_err(String::clone)?;
    let mut wanted = Vec::new();
    for (name, value) in tunables.iter().filter_map(|t| t.split_once('=')) {
        wanted.push((Shows::Tunable(name.to_owned()), value.to_owned()));
    }
    let before = place.tunables_set.iter().map(String::as_str);
    let all: Vec<&str> = before.chain(tunables.iter().copied()).collect();
    let (_, _, lasting) = of_variable("GLIBC_TUNABLES", &all.join(":"));
    Ok((vec![format!("tunables={}", all.join(":"))], wanted, lasting))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SETTINGS;
    use whyslow_conditions::Condition;

    fn place() -> Place {
        Place {
            cpus: vec![2, 3],
            tunables: Ok(()),
            tunables_set: None,
            loader: Ok("/lib/ld.so".into()),
            huge_pages: Some("madvise".into()),
            memory_folder: Ok("/dev/shm/x".into()),
            bind_now: Some("1".into()),
            kernel: |setting| match setting {
                KernelSetting::Governor => {
                    Ok(vec![KernelFile::Governor(0), KernelFile::Governor(1)])
                }
                KernelSetting::EnergyPreference => Err("none".into()),
                KernelSetting::HostHaltPoll => Ok(vec![KernelFile::HostHaltPoll]),
                _ => Ok(vec![KernelFile::Swappiness]),
            },
            idle_governor: Some("haltpoll".into()),
        }
    }

    #[test]
    fn every_setting_has_conditions_that_knobs_take_a_check_and_a_line_that_keeps_it() {
        for (at, setting) in SETTINGS.iter().enumerate() {
            let name = setting.name;
            assert!(SETTINGS[..at].iter().all(|s| s.name != name), "{name}");
            assert!(setting.what.ends_with('.'), "{name}");
            let mut place = place();
            if name == "energy-performance" {
                place.kernel = |_| Ok(vec![KernelFile::EnergyPreference(0)]);
            }
            let here = setting.here(&place).unwrap();
            assert!(!here.under().is_empty() && !here.wanted.is_empty());
            assert!(!here.lasting.is_empty(), "{name}");
            assert_eq!(here.machine.is_some(), setting.needs_root(), "{name}");
            for condition in here.under() {
                condition.parse::<Condition>().unwrap();
            }
        }
    }

    #[test]
    fn tunables_that_are_set_stay() {
        let mut place = place();
        place.tunables_set = Some("glibc.malloc.check=0".into());
        let (conditions, _, lasting) = of_tunables(&["a=1", "b=2"], &place).unwrap();
        assert_eq!(conditions, ["tunables=glibc.malloc.check=0:a=1:b=2"]);
        assert!(lasting.contains("GLIBC_TUNABLES=glibc.malloc.check=0:a=1:b=2 COMMAND"));
        place.tunables = Err("musl".into());
        assert_eq!(of_tunables(&["a=1"], &place), Err("musl".into()));
    }

    #[test]
    fn a_variable_of_ones_own_is_quoted_where_it_is_kept() {
        let own = Candidate::own("env:A=b c").unwrap();
        assert_eq!(own.conditions, ["variable=A=b c"]);
        assert!(own.lasting.starts_with("env 'A=b c' COMMAND"));
        assert_eq!(Candidate::own("env:A"), None);
        assert_eq!(Candidate::own("env:=1"), None);
        assert_eq!(Candidate::own("A=1"), None);
    }

    #[test]
    fn settings_of_the_machine_are_in_the_documentation() {
        let text = include_str!("../../../docs/tune.md");
        for setting in SETTINGS.iter().filter(|setting| setting.needs_root()) {
            let Change::Kernel { value, .. } = &setting.change else {
                panic!("{setting:?}");
            };
            let row = text
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", setting.name)));
            assert!(
                row.is_some_and(|row| row.contains(value)),
                "{}: {row:?}",
                setting.name
            );
        }
    }

    #[test]
    fn all_files_of_a_setting_are_shown_and_none_where_another_way_is_better() {
        let find = |name: &str| SETTINGS.iter().find(|s| s.name == name).unwrap();
        let here = find("governor-performance").here(&place()).unwrap();
        assert_eq!(here.wanted.len(), 2);
        assert_eq!(here.under(), ["kernel=governor=performance"]);
        let mut place = place();
        place.kernel = |_| Ok(vec![KernelFile::EnergyPreference(0)]);
        assert!(find("governor-performance").here(&place).is_err());
        place.idle_governor = Some("menu".into());
        assert!(find("guest-poll").here(&place).is_err());
    }

    #[test]
    fn what_cannot_be_here_says_why() {
        let mut place = place();
        place.cpus = vec![0];
        place.huge_pages = Some("never".into());
        place.bind_now = None;
        for name in ["one-cpu", "malloc-huge-pages", "bind-late"] {
            let setting = SETTINGS.iter().find(|s| s.name == name).unwrap();
            assert!(setting.here(&place).is_err(), "{name}");
        }
    }
}
