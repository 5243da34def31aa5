//! Record files, whole, torn and damaged.

use std::fs;

use super::*;
use crate::record::{Build, Header, Note};

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
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
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
    assert_eq!(left.len(), 1, "no temporary file stays behind");
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
    let (mut lines, _) = decompress(&path, &fs::read(&path).unwrap()).unwrap();
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
        (
            compress_to_vec(&b"hello\n"[..], CompressionLevel::Fastest),
            "line 1",
        ),
        (
            compress_to_vec(newer.as_bytes(), CompressionLevel::Fastest),
            "update whyslow",
        ),
    ] {
        fs::write(&path, content).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

proptest::proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let path = Path::new("r");
        if let Ok((lines, _)) = decompress(path, &bytes) {
            let _ = parse(path, &lines);
        }
    }
}
