//! The loops make their calls, and say so when one fails.

use super::*;
use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fn name(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// A file of ten bytes in a folder of its own.
fn ten_bytes() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ten");
    std::fs::write(&path, [7; 10]).unwrap();
    (folder, path)
}

#[test]
fn the_null_call_cannot_fail() {
    assert_eq!(null_call(0), Ok(()));
    assert_eq!(null_call(1000), Ok(()));
}

#[test]
fn reads_move_the_position_by_one_each() {
    let (_folder, path) = ten_bytes();
    let mut file = File::open(path).unwrap();
    assert_eq!(read_byte(file.as_raw_fd(), 0), Ok(()));
    assert_eq!(read_byte(file.as_raw_fd(), 4), Ok(()));
    assert_eq!(file.stream_position().unwrap(), 4);
    assert_eq!(
        read_byte(file.as_raw_fd(), 7),
        Err(libc::EIO),
        "end of file"
    );
    assert_eq!(read_byte(-1, 1), Err(libc::EBADF));
}

#[test]
fn writes_append_one_byte_each() {
    let mut file = tempfile::tempfile().unwrap();
    assert_eq!(write_byte(file.as_raw_fd(), 5), Ok(()));
    file.rewind().unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, [0; 5]);

    let full = File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(write_byte(full.as_raw_fd(), 1), Err(libc::ENOSPC));
}

#[test]
fn status_by_descriptor_and_by_path() {
    let (folder, path) = ten_bytes();
    let file = File::open(&path).unwrap();
    assert_eq!(fstat(file.as_raw_fd(), 3), Ok(()));
    assert_eq!(fstat(-1, 3), Err(libc::EBADF));
    assert_eq!(stat(&name(&path), 3), Ok(()));
    assert_eq!(
        stat(&name(&folder.path().join("none")), 3),
        Err(libc::ENOENT)
    );
}

#[test]
fn open_closes_what_it_opened() {
    let (folder, path) = ten_bytes();
    // Far more than the usual limit of open files, so a leak would fail.
    assert_eq!(open_close(&name(&path), 20_000), Ok(()));
    assert_eq!(
        open_close(&name(&folder.path().join("none")), 3),
        Err(libc::ENOENT)
    );
}

#[test]
fn portable_loops_make_the_same_calls() {
    let (folder, path) = ten_bytes();
    let file = File::open(&path).unwrap();
    let mut byte = 0_u8;
    let read = Call {
        number: libc::SYS_read,
        args: [
            descriptor(file.as_raw_fd()),
            (&raw mut byte).expose_provenance(),
            1,
            0,
        ],
    };
    // SAFETY: the kernel writes one byte to `byte`.
    let result = unsafe { portable::repeat(read, 20, 1, 1) };
    assert_eq!((result, byte), ((10, 0), 7), "ten bytes and the end");

    // SAFETY: the kernel reads the strings.
    unsafe {
        assert_eq!(portable::open_close_loop(name(&path).as_ptr(), 3), (3, 0));
        let none = name(&folder.path().join("none"));
        let failed = (0, -libc::ENOENT as isize);
        assert_eq!(portable::open_close_loop(none.as_ptr(), 3), failed);
    }
}

#[test]
fn calls_through_the_c_library_do_and_refuse_the_same() {
    let (folder, path) = ten_bytes();
    let mut file = File::open(&path).unwrap();
    let (path, none) = (name(&path), name(&folder.path().join("none")));
    assert_eq!(via_libc::null_call(1000), Ok(()));

    assert_eq!(via_libc::read_byte(file.as_raw_fd(), 4), Ok(()));
    assert_eq!(file.stream_position().unwrap(), 4);
    let end = via_libc::read_byte(file.as_raw_fd(), 7);
    assert_eq!(end, Err(libc::EIO), "end of file");
    assert_eq!(via_libc::read_byte(-1, 1), Err(libc::EBADF));

    let mut written = tempfile::tempfile().unwrap();
    assert_eq!(via_libc::write_byte(written.as_raw_fd(), 5), Ok(()));
    assert_eq!(written.stream_position().unwrap(), 5);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let refused = via_libc::write_byte(full.as_raw_fd(), 1);
    assert_eq!(refused, Err(libc::ENOSPC));

    assert_eq!(via_libc::fstat(file.as_raw_fd(), 3), Ok(()));
    assert_eq!(via_libc::fstat(-1, 3), Err(libc::EBADF));
    assert_eq!(via_libc::stat(&path, 3), Ok(()));
    assert_eq!(via_libc::stat(&none, 3), Err(libc::ENOENT));
    // Far more than the usual limit of open files.
    assert_eq!(via_libc::open_close(&path, 20_000), Ok(()));
    assert_eq!(via_libc::open_close(&none, 3), Err(libc::ENOENT));
}
