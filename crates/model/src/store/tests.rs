//! Record files: complete, truncated and damaged.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;
use crate::Record;
use crate::record::{Build, End, Header, Line, Note, SCHEMA};

fn header() -> Line {
    Line::Header(Header {
        schema: SCHEMA,
        version: "0".into(),
        build: Build {
            arch: "x86_64".into(),
            libc: "gnu dynamic".into(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed: 1,
        intensity: "quick".into(),
        rounds: 5,
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: "2026-01-01T00:00:00Z".into(),
    })
}

fn note(text: &str) -> Line {
    Line::Note(Note {
        about: "test".into(),
        text: text.into(),
    })
}

/// A journal with a header and two notes.
fn journal(path: &Path) -> Journal {
    let mut journal = Journal::create(path).unwrap();
    for line in [header(), note("one"), note("two")] {
        journal.add(&line).unwrap();
    }
    journal
}

fn texts(record: &Record) -> Vec<&str> {
    record.notes.iter().map(|n| n.text.as_str()).collect()
}

#[test]
fn unfinished_and_finished_records_read_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let journal = journal(&path);
    let open = read(&path).unwrap();
    assert_eq!(texts(&open), ["one", "two"]);
    assert!(open.footer.is_none());
    let at = journal.close(End::Complete, "later".into(), &[]).unwrap();
    let mut closed = read(&at).unwrap();
    assert!(closed.footer.take().is_some());
    assert_eq!(open, closed);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left behind");
}

#[test]
fn a_file_in_the_way_of_closing_is_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let journal = journal(&path);
    let in_the_way = dir.path().join(format!("r.{}.new", std::process::id()));
    fs::write(&in_the_way, "mine").unwrap();
    let _ = journal.close(End::Complete, "later".into(), &[]);
    assert_eq!(fs::read_to_string(&in_the_way).unwrap(), "mine");
    assert_eq!(texts(&read(&path).unwrap()), ["one", "two"]);
}

#[test]
fn a_record_cut_anywhere_is_readable_up_to_its_last_whole_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    drop(journal(&path));
    let whole = fs::read(&path).unwrap();
    let mut seen = Vec::new();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        seen.push(read(&path).map(|r| r.notes.len()).ok());
    }
    assert_eq!(seen.first(), Some(&None));
    assert_eq!(seen.last(), Some(&Some(2)));
    assert!(seen.contains(&Some(0)) && seen.contains(&Some(1)));
    assert!(seen.is_sorted());
}

#[test]
fn resuming_cuts_the_torn_line_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    drop(journal(&path));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let (mut journal, record) = Journal::resume(&path).unwrap();
    assert_eq!(texts(&record), ["one"]);
    journal.add(&note("three")).unwrap();
    assert_eq!(texts(&read(&path).unwrap()), ["one", "three"]);
    journal
        .close(End::Interrupted, "later".into(), &[])
        .unwrap();

    let (mut journal, _) = Journal::resume(&path).unwrap();
    journal.add(&note("four")).unwrap();
    let open = read(&path).unwrap();
    assert_eq!(texts(&open), ["one", "three", "four"]);
    assert!(open.footer.is_none());
    journal.close(End::Complete, "later".into(), &[]).unwrap();
    let error = Journal::resume(&path).unwrap_err().to_string();
    assert!(error.contains("nothing to resume"), "{error}");
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    fs::write(&path, "precious").unwrap();
    let error = Journal::create(&path).unwrap_err().to_string();
    assert!(error.contains("--resume"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_changed_record_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    journal(&path)
        .close(End::Complete, "later".into(), &[])
        .unwrap();
    let mut lines = text(&path);
    let at = lines.windows(3).position(|w| w == b"two").unwrap();
    lines[at] = b'T';
    fs::write(
        &path,
        compress_to_vec(lines.as_slice(), CompressionLevel::Fastest),
    )
    .unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(
        error.contains("line 4") && error.contains("hash"),
        "{error}"
    );
}

#[test]
fn what_is_not_a_record_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let newer = "{\"kind\":\"header\",\"schema\":99,\"version\":\"9.9\"}\n";
    for (content, says) in [
        (Vec::new(), "not a whyslow record"),
        (b"hello".to_vec(), "not a whyslow record"),
        (zstd(b"hello\n"), "line 1"),
        (zstd(b"hello"), "line 1"),
        (zstd(newer.as_bytes()), "update whyslow"),
    ] {
        fs::write(&path, content).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// The text of the record at `path`, with its footer.
fn text(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    let file = fs::read(path).unwrap();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(&file[..]).unwrap();
    std::io::Read::read_to_end(&mut decoder, &mut text).unwrap();
    text
}

fn closed(path: &Path) -> Vec<u8> {
    journal(path)
        .close(End::Complete, "later".into(), &[])
        .unwrap();
    fs::read(path).unwrap()
}

#[test]
fn what_follows_the_end_is_not_shown_as_part_of_the_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let whole = closed(&path);
    let mut line = serde_json::to_vec(&note("planted")).unwrap();
    line.push(b'\n');
    let (mut inside, mut twice) = (text(&path), text(&path));
    let footer = inside[..inside.len() - 1]
        .iter()
        .rposition(|&b| b == b'\n')
        .unwrap()
        + 1;
    twice.extend_from_slice(&inside[footer..]);
    inside.extend_from_slice(&line);
    let after = |more: &[u8]| [&whole[..], more].concat();
    for (what, bytes) in [
        ("a line within the frame", zstd(&inside)),
        ("a second footer", zstd(&twice)),
        ("a frame", after(&zstd(&line))),
        ("a torn frame", after(&zstd(&line)[..9])),
        ("a byte", after(b"x")),
        ("a zero", after(b"\0")),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = read(&path).expect_err(what).to_string();
        assert!(error.contains("altered"), "{what}: {error}");
        let error = Journal::resume(&path).expect_err(what).to_string();
        assert!(error.contains("altered"), "{what}: {error}");
    }
    let header = {
        let mut line = serde_json::to_vec(&header()).unwrap();
        line.push(b'\n');
        line
    };
    fs::write(&path, zstd(&header.repeat(2))).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("second header"), "{error}");
}

#[test]
fn a_closed_record_cut_short_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let mut journal = journal(&path);
    // Several blocks, so that lines come out before the cut.
    for k in 0..20_000 {
        journal.add(&note(&format!("{k} {}", k * k))).unwrap();
    }
    journal.close(End::Complete, "later".into(), &[]).unwrap();
    let whole = fs::read(&path).unwrap();
    for part in [2, 3, 10] {
        fs::write(&path, &whole[..whole.len() - whole.len() / part]).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("cut off"), "{error}");
    }
}

#[test]
fn a_record_has_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let mut first = journal(&path);
    let refused = || Journal::resume(&path).unwrap_err().to_string();
    assert!(refused().contains("another whyslow"), "{}", refused());
    first.add(&note("three")).unwrap();
    assert_eq!(texts(&read(&path).unwrap()), ["one", "two", "three"]);
    first.close(End::Budget, "later".into(), &[]).unwrap();
    // The file that closing put there is free, and locked again while it is gone on with.
    let (second, _) = Journal::resume(&path).unwrap();
    assert!(refused().contains("another whyslow"), "{}", refused());
    drop(second);
    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    let (third, _) = Journal::resume(&link).unwrap();
    third.close(End::Complete, "later".into(), &[]).unwrap();
    assert!(link.is_symlink());
    assert_eq!(read(&link).unwrap().footer.unwrap().end, End::Complete);
}

#[test]
fn a_file_that_is_not_the_journals_own_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.whyslow");
    let open = journal(&path);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "precious").unwrap();
    let at = open.close(End::Complete, "later".into(), &[]).unwrap();
    assert_eq!(at, dir.path().join("r-2.whyslow"));
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    // In memory until the end, and at names made for it.
    let mut kept = Journal::in_memory(&path);
    kept.add(&header()).unwrap();
    let at = kept.close(End::Complete, "later".into(), &[]).unwrap();
    assert_eq!(at, dir.path().join("r-3.whyslow"));
    let beside = Journal::create_beside(&path).unwrap();
    assert_eq!(beside.path(), dir.path().join("r-4.whyslow"));
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn what_is_written_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = journal(&dir.path().join("r"));
    // A process with many samples, as large as there are any.
    let samples = vec![123.456; 5_000];
    let series = format!("{samples:?}").replace(' ', "");
    let process = format!(
        "{{\"kind\":\"process\",\"round\":1,\"order\":0,\"point\":\"a.b\",\"at_ms\":0,\"wall_ms\":0,\"randomization\":\
         {{\"seed\":1,\"env_bytes\":0,\"stack_offset\":0,\"buffer_offset\":0,\"cpus\":[]}},\"draws\":[{{\"series\":\
         [{{\"work\":1,\"ns\":{series}}}]}}]}}"
    );
    let line: Line = serde_json::from_str(&process).unwrap();
    let mut lines = 0;
    while !journal.is_full() {
        journal.add(&line).unwrap();
        lines += 1;
    }
    assert!(lines > 1_000, "{lines}");
    let at = journal.close(End::Budget, "later".into(), &[]).unwrap();
    assert_eq!(read(&at).unwrap().processes.len(), lines);
}

#[test]
fn frames_without_content_are_not_read_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    drop(journal(&path));
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(zstd(b"").repeat(2_000_000));
    fs::write(&path, bytes).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("empty frame"), "{error}");
}

#[test]
fn only_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
    )
    .unwrap();
    for (path, what) in [
        (pipe.as_path(), "a pipe"),
        (dir.path(), "a folder"),
        (Path::new("/dev/zero"), "a device"),
    ] {
        let error = read(path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
        let error = Journal::resume(path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// Names the file that a process of its own reads, to see what that takes.
const READ_THIS: &str = "WHYSLOW_TEST_READ_THIS";

#[test]
fn child_that_reads() {
    let Some(path) = std::env::var_os(READ_THIS) else {
        return;
    };
    let begun = Instant::now();
    let result = read(Path::new(&path));
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 512 << 10, "{kib} KiB");
    assert!(result.is_err());
}

#[test]
fn a_hostile_file_costs_little() {
    use std::io::{Read, repeat};
    let line = |line: &Line| [&serde_json::to_vec(line).unwrap()[..], b"\n"].concat();
    let begin = line(&header());
    let many = |one: &[u8], times: usize| [&begin[..], &one.repeat(times)].concat();
    let samples = [
        &b"{\"kind\":\"process\",\"round\":1,\"order\":0,\"point\":\"a.b\",\"at_ms\":0,\"wall_ms\":0,\"randomization\":\
           {\"seed\":1,\"env_bytes\":0,\"stack_offset\":0,\"buffer_offset\":0,\"cpus\":[]},\"draws\":[{\"series\":\
           [{\"work\":1,\"ns\":[0"[..],
        &b",0".repeat(4 << 20),
        b"]}]}]}\n",
    ]
    .concat();
    let nested = [
        b"{\"kind\":\"note\",\"about\":".as_slice(),
        &b"[".repeat(1 << 20),
    ]
    .concat();
    let files = [
        (
            "zeros",
            compress_to_vec(repeat(0).take(150 << 20), CompressionLevel::Fastest),
        ),
        (
            "line ends",
            compress_to_vec(repeat(b'\n').take(150 << 20), CompressionLevel::Fastest),
        ),
        ("notes", zstd(&many(&line(&note("")), 2 << 20))),
        ("samples", zstd(&many(&samples, 12))),
        ("nesting", zstd(&many(&nested, 1))),
        // A window of gigabytes, which would have to be had before anything is known.
        (
            "window",
            vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0x01, 0x00, 0x00],
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    for (what, bytes) in files {
        fs::write(&path, bytes).unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::child_that_reads"])
            .env(READ_THIS, &path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{what}: {said}");
        assert!(said.contains("1 passed"), "{what}: {said}");
    }
}

proptest::proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let path = Path::new("r");
        let _ = read::lines(path, &bytes[..], true);
        let _ = read::lines(path, &zstd(&bytes)[..], true);
    }
}

/// Also in the footer, which the record's own hash does not cover.
#[test]
fn a_bit_that_fell_over_is_never_shown_as_another_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let whole = closed(&path);
    let good = serde_json::to_string(&read(&path).unwrap()).unwrap();
    let mut refused = 0;
    for at in 0..8 * whole.len() {
        let mut damaged = whole.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        fs::write(&path, damaged).unwrap();
        match read(&path) {
            Ok(record) => assert_eq!(serde_json::to_string(&record).unwrap(), good, "bit {at}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 4 * whole.len(), "{refused}");
}
