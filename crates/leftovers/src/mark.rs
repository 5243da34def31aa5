//! What is written into a folder that a process makes, so that it can be told from all others.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use crate::Kind;
use crate::process::Owner;

/// The mark's file.
pub(crate) const FILE: &str = ".whyslow-leftover";

/// First word of a mark, and the version of its format.
const FORMAT: &str = "whyslow-leftover 1";

/// A mark is a few short lines.
const LARGEST: u64 = 1024;

/// The mark of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) kind: Kind,
    /// The folder's own name: a copy of a folder under another is no leftover.
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) process: Owner,
    /// Could its process lock it? Then it does so for as long as it lives.
    pub(crate) locked: bool,
}

impl Mark {
    fn text(&self) -> String {
        let process = &self.process;
        let started = process.started.map(|s| s.to_string());
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        format!(
            "{FORMAT}\nkind {}\nname {}\nuid {}\npid {}\nstarted {}\nboot {}\nspace {}\nhost {}\nlocked {}\n",
            self.kind.name(),
            self.name,
            self.uid,
            process.pid,
            known(&started),
            known(&process.boot),
            known(&process.space),
            process.host,
            if self.locked { "yes" } else { "no" },
        )
    }

    /// Exactly what [`text`](Mark::text) writes.
    fn parse(text: &str) -> Option<Mark> {
        let mut lines = text.lines();
        if lines.next()? != FORMAT {
            return None;
        }
        let mut field = |name: &str| {
            let value = lines.next()?.strip_prefix(name)?.strip_prefix(' ')?;
            Some(value.to_owned())
        };
        let known = |value: String| (value != "-").then_some(value);
        let kind = field("kind")?;
        let mark = Mark {
            kind: Kind::ALL.into_iter().find(|k| k.name() == kind)?,
            name: field("name")?,
            uid: field("uid")?.parse().ok()?,
            process: Owner {
                pid: field("pid")?.parse().ok()?,
                started: match known(field("started")?) {
                    Some(ticks) => Some(ticks.parse().ok()?),
                    None => None,
                },
                boot: known(field("boot")?),
                space: known(field("space")?),
                host: field("host")?,
            },
            locked: field("locked")? == "yes",
        };
        (mark.text() == text).then_some(mark)
    }

    /// Writes it into `file`, all at once.
    pub(crate) fn write(&self, mut file: &std::fs::File) -> std::io::Result<()> {
        file.write_all(self.text().as_bytes())
    }
}

/// What is found where a mark belongs.
pub(crate) enum Found {
    /// A mark, and its open file.
    Mark(Box<Mark>, std::fs::File),
    /// A file of this user in which nothing was written yet.
    Empty,
    /// No file.
    Nothing,
    /// Something else.
    Other,
}

/// Looks for a mark in an open folder. Follows no link and waits for no pipe.
pub(crate) fn find(folder: BorrowedFd<'_>) -> Found {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = match openat(folder, FILE, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Found::Nothing,
        Err(_) => return Found::Other,
    };
    let Ok(known) = fstat(&file) else {
        return Found::Other;
    };
    let plain = FileType::from_raw_mode(known.st_mode) == FileType::RegularFile;
    let ours =
        known.st_uid == rustix::process::geteuid().as_raw() && known.st_mode & 0o7777 == 0o600;
    if !plain || !ours || known.st_nlink != 1 {
        return Found::Other;
    }
    let mut text = String::new();
    let mut file = std::fs::File::from(file);
    if (&mut file).take(LARGEST).read_to_string(&mut text).is_err() {
        return Found::Other;
    }
    if text.is_empty() {
        return Found::Empty;
    }
    match Mark::parse(&text) {
        Some(mark) => Found::Mark(Box::new(mark), file),
        None => Found::Other,
    }
}

/// Makes the file of a mark in an open folder, where there is none.
pub(crate) fn create(folder: BorrowedFd<'_>) -> std::io::Result<std::fs::File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, FILE, flags, Mode::RUSR | Mode::WUSR)?;
    // Whatever the user's mask left of it.
    rustix::fs::fchmod(file.as_fd(), Mode::RUSR | Mode::WUSR)?;
    Ok(file.into())
}

/// The parts of a folder's name: `whyslow-KIND-PID-RANDOM`.
pub(crate) fn name(kind: Kind) -> String {
    let (pid, random) = (std::process::id(), crate::unpredictable());
    format!("whyslow-{}-{pid}-{random:016x}", kind.name())
}

/// The kind and the process in the name of a folder, where it follows the scheme.
pub(crate) fn named(name: &OsStr) -> Option<(Kind, u32)> {
    let rest = name.to_str()?.strip_prefix("whyslow-")?;
    let parts: Vec<&str> = rest.split('-').collect();
    let [kind, pid, random] = parts[..] else {
        return None;
    };
    let kind = Kind::ALL.into_iter().find(|k| k.name() == kind)?;
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if random.len() != 16 || !random.bytes().all(hex) || !pid.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((kind, pid.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_text_and_back_and_nothing_else_is_one() {
        let mark = Mark {
            kind: Kind::Color,
            name: name(Kind::Color),
            uid: 1000,
            process: Owner::own(),
            locked: true,
        };
        let text = mark.text();
        assert_eq!(Mark::parse(&text), Some(mark.clone()));
        let unknown = Mark {
            process: Owner {
                started: None,
                boot: None,
                space: None,
                ..mark.process.clone()
            },
            locked: false,
            ..mark
        };
        assert_eq!(Mark::parse(&unknown.text()), Some(unknown));
        assert!(text.len() < LARGEST as usize);
        for other in [
            text[..text.len() - 1].to_owned(),
            format!("{text}more\n"),
            text.replace("leftover 1", "leftover 2"),
            text.replace("uid 1000", "uid +1000"),
            text.replace("color", "colour"),
        ] {
            assert_eq!(Mark::parse(&other), None, "{other}");
        }
    }

    #[test]
    fn names_follow_one_scheme() {
        for kind in Kind::ALL {
            let made = name(kind);
            assert_eq!(named(OsStr::new(&made)), Some((kind, std::process::id())));
        }
        for other in [
            "whyslow-1",
            "whyslow-20261124",
            "whyslow-0",
            "whyslow-run-1",
            "whyslow-run-1-0123",
            "whyslow-run--0123456789abcdef",
            "whyslow-run-+1-0123456789abcdef",
            "whyslow-notes-1-0123456789abcdef",
            "whyslow-run-1-0123456789ABCDEF",
            "whyslow-run-1-0123456789abcdef-2",
        ] {
            assert_eq!(named(OsStr::new(other)), None, "{other}");
        }
    }
}
