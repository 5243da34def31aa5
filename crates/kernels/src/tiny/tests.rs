//! The program as a real process, in both images.
#![cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]

use super::*;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The loader of the GNU C library, at the place that its ABI gives it.
const LOADER: &str = if cfg!(target_arch = "aarch64") {
    "/lib/ld-linux-aarch64.so.1"
} else {
    "/lib64/ld-linux-x86-64.so.2"
};

/// Whether a dynamic image can be run here. Says so if it cannot: a host of another C library.
#[allow(clippy::print_stderr)]
fn has_loader() -> bool {
    let present = Path::new(LOADER).exists();
    if !present {
        eprintln!("not checked: there is no {LOADER} to run a dynamic image with");
    }
    present
}

/// A folder with an executable file of these bytes in it.
fn program(image: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny");
    std::fs::write(&path, image).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

fn tiny() -> (tempfile::TempDir, PathBuf) {
    program(&static_image(tiny_program().unwrap()))
}

/// Runs a command, once more if another thread of this test held the new file open for writing
/// across a fork of its own.
fn output(command: &mut Command) -> Output {
    loop {
        match command.output() {
            Err(error) if error.raw_os_error() == Some(libc::ETXTBSY) => {}
            result => return result.unwrap(),
        }
    }
}

/// Sends the counts to a measuring program; returns its exit code and the pairs it answered.
fn serve(path: &Path, args: &[&str], counts: &[u64]) -> (Option<i32>, Vec<(u64, u64)>) {
    serve_with(path, args, counts, Stdio::null())
}

/// As `serve`, with what its children write to go to `stderr`.
fn serve_with(
    path: &Path,
    args: &[&str],
    counts: &[u64],
    stderr: Stdio,
) -> (Option<i32>, Vec<(u64, u64)>) {
    let mut command = Command::new(path);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr);
    let mut child = loop {
        match command.spawn() {
            Err(error) if error.raw_os_error() == Some(libc::ETXTBSY) => {}
            result => break result.unwrap(),
        }
    };
    let mut requests = child.stdin.take().unwrap();
    for count in counts {
        // A program that refuses its arguments may be gone already.
        let _ = requests.write_all(&count.to_ne_bytes());
    }
    drop(requests);
    let mut answer = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut answer)
        .unwrap();
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
    let pairs = answer
        .chunks(16)
        .map(|p| (word(&p[..8]), word(&p[8..])))
        .collect();
    (child.wait().unwrap().code(), pairs)
}

#[test]
fn greets() {
    let (_folder, path) = tiny();
    let output = output(&mut Command::new(path));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"Hello world\n");
}

#[test]
fn measures_fork() {
    let (_folder, path) = tiny();
    let (code, answers) = serve(&path, &["f"], &[1, 50, 0]);
    assert_eq!(code, Some(0));
    assert_eq!(answers.iter().map(|a| a.1).collect::<Vec<_>>(), [1, 50, 0]);
    // No process is made in under a microsecond.
    assert!(answers[1].0 > 50_000, "{answers:?}");
    assert!(answers[2].0 < answers[1].0, "{answers:?}");
}

/// The greetings of the children go to standard error, and would otherwise show up among the
/// answers.
#[test]
fn measures_exec_and_keeps_its_output_apart() {
    let (folder, path) = tiny();
    let greetings = folder.path().join("greetings");
    let (code, answers) = serve_with(
        &path,
        &["e", path.to_str().unwrap()],
        &[20],
        File::create(&greetings).unwrap().into(),
    );
    assert_eq!((code, answers.len(), answers[0].1), (Some(0), 1, 20));
    assert!(answers[0].0 > 20_000, "{answers:?}");
    assert_eq!(
        std::fs::read_to_string(greetings).unwrap(),
        "Hello world\n".repeat(20)
    );
}

#[test]
fn measures_the_shell() {
    let (folder, path) = tiny();
    let witness = folder.path().join("witness");
    let command = format!("echo hello; echo x >> {}", witness.display());
    let (code, answers) = serve(&path, &["s", &command], &[3, 2]);
    assert_eq!(code, Some(0));
    assert_eq!(answers.iter().map(|a| a.1).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(std::fs::read_to_string(witness).unwrap(), "x\n".repeat(5));
}

/// In one process: the program that answers has the number of the one that was started.
#[test]
fn measures_exec_of_itself() {
    let (_folder, path) = tiny();
    let counts = [1, 20, 0, 300];
    let (code, answers) = serve(&path, &["x", path.to_str().unwrap()], &counts);
    assert_eq!(code, Some(0));
    assert_eq!(answers.iter().map(|a| a.1).collect::<Vec<_>>(), counts);
    // No exec takes under 10 us, and none of these took over a second.
    assert!(
        (200_000..20_000_000_000).contains(&answers[1].0),
        "{answers:?}"
    );
    assert!(
        answers[3].0 > answers[1].0 && answers[2].0 < answers[1].0,
        "{answers:?}"
    );
}

#[test]
fn reports_a_child_that_fails() {
    let (_folder, path) = tiny();
    let status = |code: u64| vec![(u64::MAX, code << 8)];
    assert_eq!(
        serve(&path, &["s", "exit 3"], &[5, 5]),
        (Some(1), status(3))
    );
    assert_eq!(
        serve(&path, &["e", "/nonexistent"], &[5]),
        (Some(1), status(127))
    );
    let missing = (-i64::from(libc::ENOENT)) as u64;
    assert_eq!(
        serve(&path, &["x", "/nonexistent"], &[5]),
        (Some(1), vec![(u64::MAX, missing)])
    );
}

#[test]
fn refuses_what_it_does_not_know() {
    let (_folder, path) = tiny();
    for args in [&["y"][..], &["e"], &["s"], &["x"], &["xx"], &["ff"], &[""]] {
        assert_eq!(serve(&path, args, &[1]), (Some(2), vec![]), "{args:?}");
    }
}

#[test]
fn the_dynamic_image_goes_through_the_loader() {
    if !has_loader() {
        return;
    }
    let image = dynamic_image(tiny_program().unwrap(), LOADER, &["libc.so.6"]);
    let (_folder, path) = program(&image);
    let greeting = output(&mut Command::new(&path));
    assert_eq!(
        greeting.status.code(),
        Some(0),
        "{:?}",
        greeting.status.signal()
    );
    assert_eq!(greeting.stdout, b"Hello world\n");

    // The loader lists what it loads, and refuses to start without what is named.
    let listing = output(Command::new(&path).env("LD_TRACE_LOADED_OBJECTS", "1"));
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    assert!(listing.contains("libc.so.6 =>"), "{listing}");
    let image = dynamic_image(tiny_program().unwrap(), LOADER, &["libnothere.so.1"]);
    let (_folder, missing) = program(&image);
    assert_eq!(output(&mut Command::new(missing)).status.code(), Some(127));

    let (code, answers) = serve(&path, &["e", path.to_str().unwrap()], &[3]);
    assert_eq!((code, answers[0].1), (Some(0), 3));
}

#[test]
fn the_dynamic_image_needs_no_library() {
    if has_loader() {
        let (_folder, path) = program(&dynamic_image(tiny_program().unwrap(), LOADER, &[]));
        assert_eq!(output(&mut Command::new(path)).stdout, b"Hello world\n");
    }
}
