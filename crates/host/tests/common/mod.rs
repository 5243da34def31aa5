//! Unpacks the recorded trees.
//!
//! A tree is one text, so that a whole host can be read at a glance: a line
//! `path: content` is a file; `path:` followed by lines that begin with `|` is a
//! file of these lines; `{0-3}` in a path stands for as many files. Lines that
//! begin with `#` say where the tree is from.

// A test that cannot go on should stop where it is.
#![allow(clippy::unwrap_used)]
// Each test file is a program of its own and needs only some of this.
#![allow(dead_code)]

use std::fs;
use std::path::Path;

use whyslow_host::{Cpuid, HostRoot, Live};
use whyslow_model::host::{CpuSet, Known};

/// A host below a temporary folder, which lives as long as this.
pub(crate) struct Recorded {
    pub(crate) folder: tempfile::TempDir,
    live: Live,
}

impl Recorded {
    /// Unpacks trees over each other: a later one replaces files of an earlier.
    pub(crate) fn new(trees: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut live = Live::nothing();
        // Facts of the recording machine's kernel that are in no file.
        live.page_bytes = Known::Is(4096);
        live.ticks_per_s = Known::Is(100);
        for name in trees {
            let path =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.tree"));
            unpack(&fs::read_to_string(path).unwrap(), folder.path());
        }
        Self { folder, live }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Live)) -> Self {
        change(&mut self.live);
        self
    }

    pub(crate) fn root(&self) -> HostRoot {
        HostRoot::at(self.folder.path(), self.live.clone())
    }

    /// Replaces one file.
    pub(crate) fn put(&self, path: &str, content: &[u8]) {
        let place = self.folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }
}

fn unpack(tree: &str, folder: &Path) {
    let mut files: Vec<(String, String)> = vec![];
    for line in tree.lines() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        if let Some(content) = line.strip_prefix('|') {
            let (_, file) = files.last_mut().unwrap();
            file.push_str(content);
            file.push('\n');
        } else {
            let (path, content) = line.split_once(':').unwrap();
            let content = content.strip_prefix(' ').map(|text| format!("{text}\n"));
            files.push((path.to_owned(), content.unwrap_or_default()));
        }
    }
    for (path, content) in files {
        for path in expanded(&path) {
            let place = folder.join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, &content).unwrap();
        }
    }
}

fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else {
        return vec![path.to_owned()];
    };
    let (list, after) = rest.split_once('}').unwrap();
    let cpus: CpuSet = list.parse().unwrap();
    cpus.iter()
        .flat_map(|cpu| expanded(&format!("{before}{cpu}{after}")))
        .collect()
}

/// CPUID leaves of this guest's CPU, an AMD EPYC of family 26, as its hypervisor shows them.
pub(crate) fn guest_cpuid() -> Cpuid {
    Cpuid::new([
        ((0, 0), [0x1c, 0x6874_7541, 0x444d_4163, 0x6974_6e65]),
        ((1, 0), [0x00b0_0f21, 0x0002_0800, 0xfffa_3203, 0x178b_fbff]),
        (
            (0x4000_0000, 0),
            [0x4000_0001, 0x4b4d_564b, 0x564b_4d56, 0x4d],
        ),
        (
            (0x8000_0005, 0),
            [0xff60_ff40, 0xff60_ff40, 0x300c_0140, 0x2008_0140],
        ),
        (
            (0x8000_0006, 0),
            [0x4080_2040, 0x6080_4040, 0x0400_8140, 0x0c00_9140],
        ),
        ((0x8000_0008, 0), [0x0030_3030, 0x5002_0005, 0x7001, 0]),
        ((0x8000_001d, 0), [0x121, 0x02c0_003f, 0x3f, 0]),
        ((0x8000_001d, 1), [0x122, 0x01c0_003f, 0x3f, 0]),
        ((0x8000_001d, 2), [0x143, 0x03c0_003f, 0x3ff, 2]),
        ((0x8000_001d, 3), [0x4163, 0x03c0_003f, 0x7fff, 1]),
        ((0x8000_001d, 4), [0, 0, 0, 0]),
        ((0x8000_0021, 0), [0x204, 0, 0x86, 0]),
    ])
}
