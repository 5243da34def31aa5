//! What the file says of its pages: lines of words, as other versions and other machines must be told apart.

use std::fmt::Write;
use std::str::{FromStr, SplitWhitespace};

use whyslow_page_color::arena::page_size;
use whyslow_page_color::discovery::kept::Old;
use whyslow_page_color::discovery::{Page, Scale, Ways};

/// First line: another layout has another number.
const MAGIC: &str = "whyslow color map 1";

/// Last line: a file that was cut off lacks it.
const END: &str = "end";

/// Fewest ways, and pages for each way: as the search makes sets.
const FEWEST_WAYS: usize = 4;
const MOST_OF_A_SET: usize = 3;

/// What the pages of a file are.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// Pages behind the header.
    pub(crate) pages: usize,
    /// The sets, by number of page.
    pub(crate) old: Old,
}

impl Header {
    /// As text, for the machine that `identity` names.
    pub(crate) fn text(&self, identity: &str) -> String {
        let Old {
            sets,
            ways,
            scale,
            batch,
        } = &self.old;
        let mut text = format!("{MAGIC}\n{identity}\n");
        // Writing to a string does not fail.
        let _ = writeln!(text, "pages {}", self.pages);
        let _ = writeln!(text, "ways {} {} {}", ways.count, ways.below, ways.at);
        let _ = writeln!(
            text,
            "scale {} {} {} {}",
            scale.inside, scale.outside, scale.threshold, scale.half_at
        );
        let _ = writeln!(text, "batch {batch}");
        for set in sets {
            text.push_str("set");
            for page in set {
                let _ = write!(text, " {}", page.0);
            }
            text.push('\n');
        }
        text.push_str(END);
        text.push('\n');
        text
    }

    /// Reads what [`Header::text`] wrote; none where it is of another machine, another version, or makes no sense.
    pub(crate) fn parse(bytes: &[u8], identity: &str) -> Option<Header> {
        let used = bytes.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(bytes.get(..used)?).ok()?;
        let rest = text.strip_prefix(MAGIC)?.strip_prefix('\n')?;
        let rest = rest.strip_prefix(identity)?.strip_prefix('\n')?;
        let mut lines = rest.lines();
        let mut line = |name| words(lines.next()?, name);
        let pages: usize = only(line("pages")?)?;
        let mut words = line("ways")?;
        let ways = Ways {
            count: next(&mut words)?,
            below: next(&mut words)?,
            at: only(words)?,
        };
        let mut words = line("scale")?;
        let scale = Scale {
            inside: next(&mut words)?,
            outside: next(&mut words)?,
            threshold: next(&mut words)?,
            half_at: only(words)?,
        };
        let batch: usize = only(line("batch")?)?;
        let mut sets = Vec::new();
        let mut used = vec![false; pages.min(super::MOST_PAGES)];
        loop {
            let line = lines.next()?;
            if line == END {
                break;
            }
            let mut set = Vec::new();
            for word in self::words(line, "set")? {
                let page: u32 = word.parse().ok()?;
                // Each page once, and none that the file has not.
                if std::mem::replace(used.get_mut(page as usize)?, true) {
                    return None;
                }
                set.push(Page(page));
            }
            sets.push(set);
        }
        let count = ways.count as usize;
        let fits = |set: &Vec<Page>| (count..=MOST_OF_A_SET * count).contains(&set.len());
        let steps = scale.inside < scale.threshold && scale.threshold < scale.outside;
        let sane = lines.next().is_none()
            && count >= FEWEST_WAYS
            && [ways.below, ways.at]
                .iter()
                .all(|share| (0.0..=1.0).contains(share))
            && (1..=64).contains(&batch)
            && steps
            && sets.len() > 1
            && sets.iter().all(fits);
        sane.then_some(Header {
            pages,
            old: Old {
                sets,
                ways,
                scale,
                batch,
            },
        })
    }
}

/// The words after the first, which is `name`.
fn words<'a>(line: &'a str, name: &str) -> Option<SplitWhitespace<'a>> {
    let mut words = line.split_whitespace();
    (words.next()? == name).then_some(words)
}

fn next<T: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

fn only<T: FromStr>(mut words: SplitWhitespace<'_>) -> Option<T> {
    let one = next(&mut words)?;
    words.next().is_none().then_some(one)
}

/// Longest part of `/proc/cpuinfo` that is looked at: the first CPU.
const FIRST_CPU: u64 = 4096;

/// What must be the same for a map to be of use: this start of this machine, its kernel, CPU and memory, and the user;
/// none where the kernel does not name the start. It says when a map is not even tried. Whether one fits is tested.
pub(crate) fn identity(cache_bytes: u64) -> Option<String> {
    let read = |path: &str| read(path).unwrap_or_default();
    let boot = read("/proc/sys/kernel/random/boot_id");
    if boot.trim().is_empty() {
        return None;
    }
    let uname = rustix::system::uname();
    let mut text = String::new();
    let mut put = |name: &str, value: &str| {
        // One line each, without what could end it.
        let value: Vec<&str> = value.split_whitespace().collect();
        let _ = writeln!(text, "{name} {}", value.join(" "));
    };
    put("boot", &boot);
    put("machine", &read("/etc/machine-id"));
    for part in [
        uname.nodename(),
        uname.release(),
        uname.version(),
        uname.machine(),
    ] {
        put("kernel", &part.to_string_lossy());
    }
    let cpu = read("/proc/cpuinfo");
    // On x86-64 and aarch64; the clock, which changes, is none of them.
    const NAMES: [&str; 10] = [
        "vendor_id",
        "cpu family",
        "model",
        "model name",
        "stepping",
        "microcode",
        "CPU implementer",
        "CPU variant",
        "CPU part",
        "CPU revision",
    ];
    for line in cpu.lines().take_while(|line| !line.is_empty()) {
        let name = line.split(':').next().unwrap_or_default().trim();
        if NAMES.contains(&name) {
            put("cpu", line);
        }
    }
    let memory = read("/proc/meminfo");
    put("memory", memory.lines().next().unwrap_or_default());
    put("cache", &cache_bytes.to_string());
    put("page", &page_size().to_string());
    put("user", &rustix::process::geteuid().as_raw().to_string());
    text.truncate(text.trim_end().len());
    Some(text)
}

/// The start of a file.
fn read(path: &str) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(FIRST_CPU).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let set = |first: u32| (first..first + 6).map(Page).collect();
        Header {
            pages: 40,
            old: Old {
                sets: vec![set(0), set(6), set(20)],
                ways: Ways {
                    count: 4,
                    below: 0.25,
                    at: 1.0,
                },
                scale: Scale {
                    inside: 200,
                    outside: 400,
                    threshold: 300,
                    half_at: 12,
                },
                batch: 3,
            },
        }
    }

    fn padded(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(4096, 0);
        bytes
    }

    #[test]
    fn a_header_is_read_back_for_the_same_machine_alone() {
        let text = header().text("boot 1\nuser 7");
        let read = Header::parse(&padded(&text), "boot 1\nuser 7").unwrap();
        assert_eq!((read.pages, read.old.batch), (40, 3));
        assert_eq!(read.old.sets, header().old.sets);
        assert_eq!(
            (read.old.scale, read.old.ways),
            (header().old.scale, header().old.ways)
        );
        for other in ["boot 2\nuser 7", "boot 1\nuser 8", "boot 1", ""] {
            assert!(Header::parse(&padded(&text), other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn a_header_that_makes_no_sense_is_none() {
        let text = header().text("me");
        for (from, to) in [
            ("map 1", "map 2"),
            ("pages 40", "pages 25"),
            ("pages 40", "pages 99999999999999999999"),
            ("ways 4", "ways 3"),
            ("ways 4", "ways 7"),
            ("0.25", "NaN"),
            ("scale 200", "scale 900"),
            ("batch 3", "batch 0"),
            ("batch 3", "batch 3 3"),
            (" 20 ", " 5 "),
            (" 20 ", " -1 "),
            (" 20 ", " 40 "),
            ("end\n", ""),
            ("end\n", "end\nmore\n"),
            ("set", "sets"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(
                Header::parse(&padded(&changed), "me").is_none(),
                "{from} -> {to}"
            );
        }
        for end in 0..text.len() - 1 {
            assert!(
                Header::parse(&padded(&text[..end]), "me").is_none(),
                "{end}"
            );
        }
        assert!(Header::parse(&[], "me").is_none());
        assert!(Header::parse(&[b'x'; 4096], "me").is_none());
    }

    #[test]
    fn this_machine_has_a_name_that_stays() {
        let name = identity(1 << 20).unwrap();
        assert_eq!(name, identity(1 << 20).unwrap());
        assert_ne!(name, identity(2 << 20).unwrap());
        assert!(name.starts_with("boot ") && !name.contains("MHz"), "{name}");
    }
}
