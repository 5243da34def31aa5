//! Which shapes are put in front and from which sizes on they do what; and the file of the user's cache folder that keeps
//! it for this machine.

use std::fmt::Write as _;
use std::io::{Read, Write};

use whyslow_preload::CacheFolder;

use crate::catalog::{self, Shape};
use crate::limits::{NEVER, NUMBERS};

/// First line of the file: another layout, or other shapes of these names, have another number.
const MAGIC: &str = "whyslow routines 2";

/// Last line: a file that was cut off lacks it.
const END: &str = "end";

/// The file's name.
const NAME: &str = "routines";

/// No file of ours is as long, bytes.
const LONGEST: u64 = 4096;

/// From which sizes on a function uses something other than vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways {
    /// String instructions from here on, bytes.
    pub string_from: u64,
    /// Up to here, exclusive.
    pub string_to: u64,
    /// Non-temporal stores from here on.
    pub streamed_from: u64,
}

impl Ways {
    /// Vectors at all sizes.
    pub const VECTORS: Ways = Ways {
        string_from: NEVER,
        string_to: NEVER,
        streamed_from: NEVER,
    };

    fn numbers(self) -> [u64; 4] {
        let large = self.string_from.min(self.streamed_from);
        [large, self.string_from, self.string_to, self.streamed_from]
    }
}

/// What is put in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The shape of memcpy and memmove.
    pub copy: String,
    /// That of memset.
    pub set: String,
    /// That of memcmp.
    pub compare: String,
    /// The ways of copies.
    pub copies: Ways,
    /// The ways of fills.
    pub sets: Ways,
}

impl Choice {
    /// The numbers of the table of limits.
    pub fn limits(&self) -> [u64; NUMBERS] {
        let [a, b, c, d] = self.copies.numbers();
        let [e, f, g, h] = self.sets.numbers();
        [a, b, c, d, e, f, g, h]
    }

    /// What this machine keeps, if it is of this machine and sound.
    pub fn kept(identity: &str) -> Option<Choice> {
        let mut text = String::new();
        let file = CacheFolder::of_the_user()?.open(NAME)?;
        file.take(LONGEST).read_to_string(&mut text).ok()?;
        Choice::parse(&text, identity)
    }

    /// Keeps it for the next run. Whatever goes wrong, it is not kept.
    pub fn keep(&self, identity: &str) -> Option<()> {
        let folder = CacheFolder::of_the_user()?;
        let (mut file, name) = folder.create(NAME)?;
        let written = file.write_all(self.text(identity).as_bytes());
        if written.is_err() || folder.rename(&name, NAME).is_none() {
            folder.remove(&name);
            return None;
        }
        Some(())
    }

    /// As text, for the machine that `identity` names.
    fn text(&self, identity: &str) -> String {
        let mut text = format!("{MAGIC}\n{identity}\n");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} {} {}", self.copy, self.set, self.compare);
        for ways in [self.copies, self.sets] {
            let _ = writeln!(
                text,
                "{} {} {}",
                ways.string_from, ways.string_to, ways.streamed_from
            );
        }
        text.push_str(END);
        text.push('\n');
        text
    }

    /// Reads what [`Choice::text`] wrote; none where it is of another machine or another version, or names a shape that
    /// this CPU cannot do.
    fn parse(text: &str, identity: &str) -> Option<Choice> {
        let rest = text.strip_prefix(MAGIC)?.strip_prefix('\n')?;
        let rest = rest.strip_prefix(identity)?.strip_prefix('\n')?;
        let mut lines = rest.lines();
        let mut shapes = lines.next()?.split(' ');
        let copy = named(&catalog::copies(), shapes.next()?)?;
        let set = named(&catalog::sets(), shapes.next()?)?;
        let compare = named(&catalog::compares(), shapes.next()?)?;
        let mut ways = || -> Option<Ways> {
            let numbers: Option<Vec<u64>> =
                lines.next()?.split(' ').map(|n| n.parse().ok()).collect();
            match numbers?[..] {
                [string_from, string_to, streamed_from] => Some(Ways {
                    string_from,
                    string_to,
                    streamed_from,
                }),
                _ => None,
            }
        };
        let (copies, sets) = (ways()?, ways()?);
        let whole = shapes.next().is_none() && lines.next() == Some(END) && lines.next().is_none();
        whole.then_some(Choice {
            copy,
            set,
            compare,
            copies,
            sets,
        })
    }
}

fn named<F>(shapes: &[Shape<F>], name: &str) -> Option<String> {
    let found = shapes.iter().find(|shape| shape.name == name)?;
    Some(found.name.to_owned())
}

/// What a choice is made for, in one line: the CPU's model and stepping, and the C library.
pub fn identity() -> String {
    const KEYS: [&str; 9] = [
        "vendor_id",
        "cpu family",
        "model",
        "model name",
        "stepping",
        "CPU implementer",
        "CPU variant",
        "CPU part",
        "CPU revision",
    ];
    // Of the first processor; what cannot be read is one machine, as far as a cache goes.
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    let lines = first.lines().filter_map(|line| line.split_once(':'));
    let told = lines.filter(|(key, _)| KEYS.contains(&key.trim()));
    let cpu: Vec<String> = told
        .map(|(key, value)| format!("{} {}", key.trim(), value.trim()))
        .collect();
    format!("{}; {}", cpu.join(", "), library())
}

/// Name and version of the C library.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
fn library() -> String {
    // SAFETY: a constant text of the library.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    format!("glibc {}", version.to_string_lossy())
}

/// Name of the C library; musl does not say its version.
#[cfg(not(target_env = "gnu"))]
fn library() -> String {
    "musl".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Choice {
        Choice {
            copy: "whyslow_copy_16".into(),
            set: "whyslow_set_16".into(),
            compare: "whyslow_compare_16".into(),
            copies: Ways {
                string_from: 4096,
                string_to: 1 << 20,
                streamed_from: 1 << 24,
            },
            sets: Ways::VECTORS,
        }
    }

    #[test]
    fn what_was_written_is_read_on_the_same_machine_alone() {
        let text = some().text("a CPU; glibc 2.36");
        assert_eq!(Choice::parse(&text, "a CPU; glibc 2.36"), Some(some()));
        for other in ["a CPU; glibc 2.41", "a CPU", "", "a CPU; glibc 2.36\n"] {
            assert_eq!(Choice::parse(&text, other), None, "{other}");
        }
    }

    #[test]
    fn what_is_cut_off_or_makes_no_sense_is_not_believed() {
        let text = some().text("here");
        for cut in 0..text.len() - 1 {
            assert_eq!(Choice::parse(&text[..cut], "here"), None, "{cut}");
        }
        for (from, to) in [
            ("whyslow_copy_16", "whyslow_copy_99"),
            ("whyslow_copy_16", "whyslow_set_16"),
            ("4096", "-4096"),
            ("4096", "4096 4096"),
            ("routines 2", "routines 1"),
            (END, "end\nmore"),
        ] {
            let text = text.replace(from, to);
            assert_eq!(Choice::parse(&text, "here"), None, "{text}");
        }
    }

    #[test]
    fn limits_begin_with_the_least_size_of_another_way() {
        let limits = some().limits();
        assert_eq!(limits[..4], [4096, 4096, 1 << 20, 1 << 24]);
        assert_eq!(limits[4..], [NEVER; 4]);
    }

    #[test]
    fn the_machine_is_named_in_one_line() {
        let identity = identity();
        assert!(
            !identity.contains('\n') && identity.len() < 1000,
            "{identity}"
        );
        assert_eq!(identity, super::identity());
    }
}
