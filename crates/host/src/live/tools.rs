//! What the host's own programs say: the loader, `getconf`, `gzip`.
//!
//! They are asked because this program may be linked to another C library, or
//! to none, and so cannot ask in its own name. All are optional.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use whyslow_model::host::Known;

use crate::elf::interpreter;
use crate::file::{self, reason};

/// How long a tool may take. They need a few milliseconds; the limit is for a
/// host in trouble and for a tool that is not what its name says.
const PATIENCE: Duration = Duration::from_secs(2);

/// Most bytes taken from a tool; a kernel configuration is about 250 KB.
const MOST_BYTES: u64 = 4 << 20;

/// Programs whose loader is looked at, the first that has one. `/bin/sh` is
/// there on every distribution; it is static on some small ones.
const PROGRAMS: [&str; 3] = ["/bin/sh", "/usr/bin/env", "/usr/bin/getconf"];

/// Where the host's own programs are, never where the caller's PATH leads: it may lead anywhere, also for root.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// The host's own program `name`; where it has none, the first place that it should be in.
pub fn system_program(name: &str) -> PathBuf {
    let mut places = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
    let there = places.find(|place| place.exists());
    there.unwrap_or_else(|| Path::new(FOLDERS[0]).join(name))
}

/// What the host's tools say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// The loader that the host's programs ask for.
    pub loader: Known<String>,
    /// What the loader says of itself.
    pub loader_version: Known<String>,
    /// `ld.so --list-tunables`.
    pub loader_tunables: Known<String>,
    /// `ld.so --list-diagnostics`.
    pub loader_diagnostics: Known<String>,
    /// `getconf -a`.
    pub getconf: Known<String>,
    /// `/proc/config.gz`, unpacked.
    pub kernel_config: Known<String>,
}

impl Tools {
    /// Nothing could be asked, for this reason.
    pub fn nothing(why: &str) -> Self {
        Self {
            loader: Known::unknown(why),
            loader_version: Known::unknown(why),
            loader_tunables: Known::unknown(why),
            loader_diagnostics: Known::unknown(why),
            getconf: Known::unknown(why),
            kernel_config: Known::unknown(why),
        }
    }

    /// Asks the tools of the running host.
    pub(crate) fn ask() -> Self {
        let loader = loader();
        Self {
            loader_version: loader.as_ref().and_then(|loader| version(loader)),
            loader_tunables: loader
                .as_ref()
                .and_then(|loader| listed(loader, "--list-tunables")),
            loader_diagnostics: loader.as_ref().and_then(|loader| diagnostics(loader)),
            loader,
            getconf: run(&system_program("getconf"), &["-a"]),
            kernel_config: bytes("/proc/config.gz").map_or_else(Known::unknown, |_| {
                run(&system_program("gzip"), &["-dc", "/proc/config.gz"])
            }),
        }
    }
}

/// A file of the running host.
fn bytes(path: &str) -> Result<Vec<u8>, String> {
    file::bytes(Path::new(path), path)
}

/// The loader of the first program that names one.
fn loader() -> Known<String> {
    let loader_of = |program: &str| {
        bytes(program).and_then(|bytes| {
            interpreter(&bytes).ok_or_else(|| format!("{program} names no loader (static?)"))
        })
    };
    PROGRAMS
        .into_iter()
        .map(|program| Known::from(loader_of(program)))
        .reduce(|found, next| found.or_else(|| next))
        .unwrap_or_else(|| Known::unknown("no program to look at"))
}

/// What a loader says of itself. glibc's has an option for it since 2.33; musl's
/// says it, and fails, when it is called without a program.
fn version(loader: &str) -> Known<String> {
    if loader.contains("musl") {
        output(Path::new(loader), &[]).map(|output| output.error)
    } else {
        run(Path::new(loader), &["--version"])
    }
}

/// What glibc's loader found and chose.
fn diagnostics(loader: &str) -> Known<String> {
    if loader.contains("musl") {
        return Known::unknown("musl has no thresholds that it could print");
    }
    listed(loader, "--list-diagnostics")
}

/// What glibc's loader lists since 2.33; an older one takes the option for a program's name.
fn listed(loader: &str, option: &str) -> Known<String> {
    let said = run(Path::new(loader), &[option]);
    match said.why() {
        Some(why) if why.contains("loading shared libraries") => Known::unknown(format!(
            "its loader has no {option}, which came with glibc 2.33"
        )),
        _ => said,
    }
}

/// Standard output of a tool that ends well.
fn run(program: &Path, arguments: &[&str]) -> Known<String> {
    output(program, arguments).and_then(|output| {
        if output.is_success {
            Known::Is(output.text)
        } else {
            let said: String = output
                .error
                .lines()
                .next()
                .unwrap_or("")
                .chars()
                .take(80)
                .collect();
            Known::unknown(format!(
                "{} {} failed: {said}",
                name(program),
                arguments.join(" ")
            ))
        }
    })
}

/// How a program is called in a reason: without its folder, where that is one of the host's own.
fn name(program: &Path) -> String {
    let own = program
        .parent()
        .is_some_and(|at| FOLDERS.iter().any(|f| at == Path::new(f)));
    let name = program.file_name().filter(|_| own);
    name.unwrap_or(program.as_os_str())
        .to_string_lossy()
        .into_owned()
}

struct Output {
    is_success: bool,
    text: String,
    error: String,
}

/// Runs a tool to its end, or to the end of patience.
fn output(program: &Path, arguments: &[&str]) -> Known<Output> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Known::unknown(reason(&error, &name(program))),
    };
    let deadline = Instant::now() + PATIENCE;
    // One after the other is enough: none of these tools says more on its
    // error stream than a pipe holds.
    let text = child.stdout.take().and_then(|pipe| drain(pipe, deadline));
    let error = child.stderr.take().and_then(|pipe| drain(pipe, deadline));
    let (Some(text), Some(error)) = (text, error) else {
        // Either may fail only because the tool has just ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        return Known::unknown(format!(
            "{} did not end within {} s",
            name(program),
            PATIENCE.as_secs()
        ));
    };
    match child.wait() {
        Ok(status) => Known::Is(Output {
            is_success: status.success(),
            text,
            error,
        }),
        Err(error) => Known::unknown(reason(&error, &name(program))),
    }
}

/// All that comes out of a pipe until it is closed; none if that takes too long
/// or is too much.
fn drain(mut pipe: impl Read + AsFd, deadline: Instant) -> Option<String> {
    let mut bytes = vec![];
    let mut part = [0; 8192];
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        let left = Timespec::try_from(left).ok()?;
        let ready = poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&left));
        match ready {
            Ok(0) => return None,
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
            Ok(_) => {}
        }
        match pipe.read(&mut part) {
            Ok(0) => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(_) => return None,
        }
        if bytes.len() as u64 > MOST_BYTES {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An ELF file with one segment, which names `path`.
    fn elf(path: &[u8]) -> Vec<u8> {
        let mut elf = vec![0; 64 + 56];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[32] = 64;
        elf[54] = 56;
        elf[56] = 1;
        elf[64] = 3;
        elf[64 + 8] = 120;
        elf[64 + 32] = u8::try_from(path.len()).unwrap();
        elf.extend_from_slice(path);
        elf
    }

    #[test]
    fn loader_of_a_file() {
        let path = b"/lib64/ld-linux-x86-64.so.2\0";
        assert_eq!(
            interpreter(&elf(path)).as_deref(),
            Some("/lib64/ld-linux-x86-64.so.2")
        );
        assert_eq!(interpreter(&elf(b"relative\0")), None);
        assert_eq!(interpreter(&elf(path)[..130]), None);
        assert_eq!(interpreter(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn tools_that_fail_say_why() {
        let own = |name: &str| system_program(name);
        assert!(run(&own("false"), &[]).why().unwrap().contains("failed"));
        assert_eq!(
            run(Path::new("/no/such/tool"), &[]).why(),
            Some("no such file: /no/such/tool")
        );
        assert_eq!(run(&own("echo"), &["hello"]), Known::Is("hello\n".into()));
    }

    #[test]
    fn a_tool_that_hangs_is_ended() {
        assert!(
            run(&system_program("sleep"), &["60"])
                .why()
                .unwrap()
                .contains("did not end")
        );
    }

    proptest! {
        #[test]
        fn any_file_is_survived(mut tail: Vec<u8>) {
            let mut bytes = elf(b"/x\0")[..6].to_vec();
            bytes.append(&mut tail);
            interpreter(&bytes);
        }

        #[test]
        fn any_damage_is_survived(at in 6_usize..120, byte: u8) {
            let mut bytes = elf(b"/lib/ld.so\0");
            bytes[at] = byte;
            interpreter(&bytes);
        }
    }
}
