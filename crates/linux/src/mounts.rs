//! `/proc/self/mountinfo`, and which mount a path lies on.

use std::{fs, io};

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Number of the mount.
    pub id: u32,
    /// Number of the mount that it is mounted on.
    pub parent: u32,
    /// The folder of the file system that is mounted.
    pub root: String,
    /// Where it is mounted.
    pub at: String,
    /// Type of the file system.
    pub fs: String,
    /// The device, or what the file system names instead.
    pub source: String,
    /// Options of the mount.
    pub options: String,
    /// Options of the file system.
    pub super_options: String,
}

/// The mounts that this process sees.
///
/// # Errors
/// When the kernel does not show them.
pub fn own() -> io::Result<Vec<Mount>> {
    Ok(mounts(&fs::read_to_string("/proc/self/mountinfo")?))
}

/// Every line that has the kernel's form (proc_pid_mountinfo(5)); others are skipped.
pub fn mounts(text: &str) -> Vec<Mount> {
    text.lines().filter_map(mount_line).collect()
}

fn mount_line(line: &str) -> Option<Mount> {
    // "36 35 98:0 /root /at options optional fields ... - fs source super-options"
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let (id, parent) = (left.next()?.parse().ok()?, left.next()?.parse().ok()?);
    let _device = left.next()?;
    let (root, at, options) = (left.next()?, left.next()?, left.next()?);
    let mut right = right.split(' ');
    Some(Mount {
        id,
        parent,
        root: unescaped(root),
        at: unescaped(at),
        options: options.to_owned(),
        fs: right.next()?.to_owned(),
        source: unescaped(right.next()?),
        super_options: right.next().unwrap_or_default().to_owned(),
    })
}

/// Undoes the kernel's octal escapes of white space and backslash (`\040`).
fn unescaped(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let octal = |digits: &[u8]| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        };
        match tail.get(..3).filter(|_| first == b'\\').and_then(octal) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that `path`, absolute and without links, lies on.
///
/// Goes down the tree of mounts as a path lookup does: of the mounts on the
/// current one, the first that the path crosses. A mount that is hidden under
/// a later one is thus not found, as it should be.
pub fn holding<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    let on_way = |mount: &&Mount| is_below(path, &mount.at);
    let is_top = |mount: &&Mount| {
        mount.id == mount.parent || mounts.iter().all(|other| other.id != mount.parent)
    };
    let shortest = |mount: &&Mount| mount.at.len();
    let mut here = mounts
        .iter()
        .filter(on_way)
        .filter(is_top)
        .min_by_key(shortest)?;
    // Each step goes to another mount, so there are never more steps than mounts;
    // the bound holds against a damaged file whose parents form a ring.
    for _ in 0..mounts.len() {
        let children = mounts
            .iter()
            .filter(|mount| mount.parent == here.id && mount.id != here.id);
        match children.filter(on_way).min_by_key(shortest) {
            Some(child) => here = child,
            None => break,
        }
    }
    Some(here)
}

/// Whether `path` is `folder` or something in it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
28 27 0:30 / /a/b rw - tmpfs hidden rw
29 27 0:31 / /a rw,nosuid shared:7 master:1 - xfs /dev/vdb rw
30 29 0:32 / /a/with\\040space ro - tmpfs t rw,size=4k
31 30 0:33 / /a/with\\040space rw - overlay overlay rw
";

    #[test]
    fn finds_the_mount_of_a_path() {
        let mounts = mounts(TEXT);
        assert_eq!(mounts.len(), 5);
        for (path, fs) in [
            ("/", "ext4"),
            ("/ab", "ext4"),
            ("/a", "xfs"),
            // The tmpfs on /a/b is hidden by the later mount on /a.
            ("/a/b/c", "xfs"),
            // Two mounts on one place: the upper one.
            ("/a/with space/x", "overlay"),
        ] {
            assert_eq!(holding(&mounts, path).unwrap().fs, fs, "{path}");
        }
        assert_eq!(holding(&[], "/"), None);
        assert_eq!(mounts[2].options, "rw,nosuid");
    }

    #[test]
    fn a_ring_of_parents_ends() {
        let mounts =
            mounts("1 9 0:1 / / rw - a a rw\n2 1 0:1 / / rw - b b rw\n1 2 0:1 / / rw - c c rw");
        assert!(holding(&mounts, "/x").is_some());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "([0-9/a-z \\\\-]|\n| - )*", path in "/[a-z/]*") {
            holding(&mounts(&text), &path);
        }

        #[test]
        fn any_path_comes_back(name in "[^/\n\t \\\\]{1,9}") {
            let text = format!("1 0 0:1 / / rw - ext4 d rw\n2 1 0:2 / /{name} rw - tmpfs d rw");
            let mounts = mounts(&text);
            let found = holding(&mounts, &format!("/{name}/x"));
            prop_assert_eq!(found.map(|mount| mount.fs.as_str()), Some("tmpfs"));
        }
    }
}
