//! The root folder that everything is read below, and the small readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

use whyslow_model::host::Known;

use crate::file::{self, reason};
use crate::live::Live;

/// Most entries read of a folder: above the usual `pid_max` of 32,768 and above
/// what any folder in `/sys` holds.
const MOST_ENTRIES: usize = 1 << 16;

/// A host, live or recorded, that can be read.
#[derive(Debug)]
pub struct HostRoot {
    root: PathBuf,
    is_live: bool,
    live: OnceLock<Live>,
}

impl HostRoot {
    /// The host that this process runs on. Costs nothing; what is not in files
    /// is read at the first use and then kept, so make a new one for a fresh
    /// look at the affinity mask, the environment or the C library.
    pub fn live() -> Self {
        Self {
            root: PathBuf::from("/"),
            is_live: true,
            live: OnceLock::new(),
        }
    }

    /// A recorded tree: files below `root`, and `live` for all that is not in
    /// files.
    pub fn at(root: impl Into<PathBuf>, live: Live) -> Self {
        Self {
            root: root.into(),
            is_live: false,
            live: OnceLock::from(live),
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// What is not in files.
    pub(crate) fn calls(&self) -> &Live {
        self.live.get_or_init(Live::read)
    }

    /// Where `path`, absolute on the host, lies for this process. A path that
    /// climbs with `..` is refused, because control group names may hold it.
    pub(crate) fn locate(&self, path: &str) -> Result<PathBuf, String> {
        if path.split('/').any(|part| part == "..") {
            return Err(format!("outside of the root: {path}"));
        }
        Ok(self.root.join(path.trim_start_matches('/')))
    }

    /// The start of a file, at most 4 MiB, however it looks.
    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        file::bytes(&self.locate(path)?, path)
    }

    /// A file as text without the white space around it. An empty file is
    /// unknown: no fact that is read here is an empty text.
    pub(crate) fn text(&self, path: &str) -> Known<String> {
        let bytes = match self.bytes(path) {
            Ok(bytes) => bytes,
            Err(why) => return Known::unknown(why),
        };
        let text = String::from_utf8_lossy(&bytes);
        // Device-tree texts end with a NUL.
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if text.is_empty() {
            return Known::unknown(format!("empty: {path}"));
        }
        Known::Is(text.to_owned())
    }

    /// A file that holds one value, such as a number or a CPU list.
    pub(crate) fn value<T: FromStr>(&self, path: &str) -> Known<T> {
        self.text(path).and_then(|text| {
            text.parse()
                .map_or_else(|_| Known::unknown(not_understood(path, &text)), Known::Is)
        })
    }

    /// A file of one word that must be a short line: refuses binary rubbish.
    pub(crate) fn line(&self, path: &str) -> Known<String> {
        self.text(path).and_then(|text| {
            let is_line = text.chars().all(|c| !c.is_control() && c != '\u{fffd}');
            if is_line {
                Known::Is(text)
            } else {
                Known::unknown(not_understood(path, &text))
            }
        })
    }

    /// A CPU list; here an empty file is the empty list, which is a fact.
    pub(crate) fn cpus(&self, path: &str) -> Known<whyslow_model::host::CpuSet> {
        match self.bytes(path) {
            Err(why) => Known::unknown(why),
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                // The kernel prints "(null)" for a mask that was never made.
                let text = text.trim().trim_start_matches("(null)");
                text.parse()
                    .map_or_else(|_| Known::unknown(not_understood(path, text)), Known::Is)
            }
        }
    }

    /// A switch: `1`, `Y` or `on` against `0`, `N` or `off`.
    pub(crate) fn switch(&self, path: &str) -> Known<bool> {
        self.text(path).and_then(|text| match text.as_str() {
            "1" | "Y" | "y" | "on" => Known::Is(true),
            "0" | "N" | "n" | "off" => Known::Is(false),
            _ => Known::unknown(not_understood(path, &text)),
        })
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, path: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.locate(path)?).map_err(|error| reason(&error, path))?;
        let mut names: Vec<String> = entries
            .take(MOST_ENTRIES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The numbers `N` of the entries `<prefix>N` in a folder, ascending.
    pub(crate) fn numbered(&self, path: &str, prefix: &str) -> Result<Vec<u32>, String> {
        let mut numbers: Vec<u32> = self
            .names(path)?
            .iter()
            .filter_map(|name| name.strip_prefix(prefix)?.parse().ok())
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The path of a folder as the host's kernel would show it.
    pub(crate) fn canonical(&self, path: &Path) -> Result<String, String> {
        let path = if self.is_live {
            fs::canonicalize(path).map_err(|error| reason(&error, &path.display().to_string()))?
        } else {
            path.to_owned()
        };
        path.into_os_string()
            .into_string()
            .map_err(|path| format!("not a text: {}", path.display()))
    }
}

/// Why a file's content is of no use. Shows its start only: it may be anything.
pub(crate) fn not_understood(path: &str, text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!("not understood: {path}: {start:?}")
}
