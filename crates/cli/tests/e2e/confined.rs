//! Ways to confine a program before it starts: what the limits, the mounts and the filters of a
//! container do.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};

/// Has `command` do `setup` in the new process, before the program is loaded.
pub(crate) fn before_exec(
    command: &mut Command,
    setup: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: every setup in these tests makes system calls with what was allocated beforehand, and
    // takes no lock.
    unsafe { command.pre_exec(setup) };
}

/// The result of a system call of the C library.
pub(crate) fn check(result: i32) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A path for the C library.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap()
}

/// Is the test run by root?
pub(crate) fn root() -> bool {
    // SAFETY: reads a number and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Sends `signal` to a process that a test started, which may have ended meanwhile.
pub(crate) fn kill(pid: i32, signal: i32) {
    // SAFETY: plain numbers.
    unsafe { libc::kill(pid, signal) };
}

/// Removes an empty folder.
pub(crate) fn remove_folder(at: &CStr) -> io::Result<()> {
    // SAFETY: `at` ends in a zero.
    check(unsafe { libc::rmdir(at.as_ptr()) })
}

/// Puts the process into the control group of this open `cgroup.procs`.
pub(crate) fn join(group: &File) -> io::Result<()> {
    // SAFETY: one byte of a constant; 0 is the process that writes.
    let written = unsafe { libc::write(group.as_raw_fd(), b"0".as_ptr().cast(), 1) };
    check(i32::from(written != 1))
}

/// Gives the process mounts of its own, so that no other process sees what follows.
pub(crate) fn own_mounts() -> io::Result<()> {
    // SAFETY: changes the namespace of the calling process only.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the pointers are a constant path and null, which these flags ignore.
    check(unsafe { libc::mount(null(), c"/".as_ptr(), null(), flags, null()) })
}

/// Takes a mount away.
pub(crate) fn unmount(at: &CStr) -> io::Result<()> {
    // SAFETY: `at` is a path that ends in a zero.
    check(unsafe { libc::umount2(at.as_ptr(), libc::MNT_DETACH) })
}

/// Mounts a new tmpfs.
pub(crate) fn tmpfs(at: &CStr, flags: libc::c_ulong, options: &CStr) -> io::Result<()> {
    let kind = c"tmpfs".as_ptr();
    // SAFETY: all texts end in a zero and outlive the call.
    check(unsafe { libc::mount(kind, at.as_ptr(), kind, flags, options.as_ptr().cast()) })
}

/// Mounts the processes.
pub(crate) fn mount_proc(at: &CStr) -> io::Result<()> {
    let kind = c"proc".as_ptr();
    // SAFETY: all texts end in a zero and outlive the call.
    check(unsafe { libc::mount(kind, at.as_ptr(), kind, 0, null()) })
}

/// Makes everything that is mounted read-only, or keeps programs from being run from it, or both.
pub(crate) fn restrict_all_mounts(attributes: u64) -> io::Result<()> {
    let attr = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the path is a constant, and `attr` is passed with its size.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            c"/".as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attr,
            size_of_val(&attr),
        )
    };
    check(result as i32)
}

/// Makes `root` the root folder.
pub(crate) fn chroot(root: &CStr) -> io::Result<()> {
    // SAFETY: both paths end in a zero.
    check(unsafe { libc::chroot(root.as_ptr()) })?;
    // SAFETY: as above.
    check(unsafe { libc::chdir(c"/".as_ptr()) })
}

/// Sets both limits of `resource`.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, to: u64) -> io::Result<()> {
    let limits = libc::rlimit {
        rlim_cur: to,
        rlim_max: to,
    };
    // SAFETY: a plain limit, by reference for the length of the call.
    check(unsafe { libc::setrlimit(resource, &limits) })
}

/// Leaves the process only the first of its CPUs.
pub(crate) fn one_cpu() -> io::Result<()> {
    // SAFETY: a set of CPUs is plain bits, for which zeros are a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of_val(&set);
    // SAFETY: the kernel writes at most `size` bytes to `set`.
    check(unsafe { libc::sched_getaffinity(0, size, &mut set) })?;
    // SAFETY: reads bits of `set` below its size.
    let first = (0..libc::CPU_SETSIZE as usize).find(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) });
    // SAFETY: as above.
    let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: writes one bit of `one`; a set that was got is not empty.
    unsafe { libc::CPU_SET(first.unwrap_or(0), &mut one) };
    // SAFETY: the kernel reads `size` bytes of `one`.
    check(unsafe { libc::sched_setaffinity(0, size, &one) })
}

/// Loads a word of what a filter sees.
const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
/// Goes on with the next statement if the word is this, else skips some.
const IF: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
/// Ends the filter.
const ANSWER: u32 = libc::BPF_RET | libc::BPF_K;

fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    }
}

/// Has the kernel answer the system calls `denied` with `error`, in this process and all it starts.
pub(crate) fn deny(denied: &[libc::c_long], error: i32) -> impl FnMut() -> io::Result<()> + use<> {
    // The number of the call is the first word.
    let mut filter = vec![statement(LOAD, 0)];
    for &call in denied {
        filter.push(libc::sock_filter {
            jf: 1,
            ..statement(IF, call as u32)
        });
        filter.push(statement(ANSWER, libc::SECCOMP_RET_ERRNO | error as u32));
    }
    install(filter)
}

/// Has it answer the `ioctl` of this number with `error`.
pub(crate) fn deny_ioctl(number: u32, error: i32) -> impl FnMut() -> io::Result<()> + use<> {
    // Where the second argument begins: after the number of the call, the machine, the place that it
    // was made at, and the first argument. Its lower half comes first.
    const SECOND: u32 = 4 + 4 + 8 + 8;
    install(vec![
        statement(LOAD, 0),
        libc::sock_filter {
            jf: 3,
            ..statement(IF, libc::SYS_ioctl as u32)
        },
        statement(LOAD, SECOND),
        libc::sock_filter {
            jf: 1,
            ..statement(IF, number)
        },
        statement(ANSWER, libc::SECCOMP_RET_ERRNO | error as u32),
    ])
}

/// Sets a filter that lets pass what it does not answer.
fn install(mut filter: Vec<libc::sock_filter>) -> impl FnMut() -> io::Result<()> + use<> {
    filter.push(statement(ANSWER, libc::SECCOMP_RET_ALLOW));
    move || {
        let program = libc::sock_fprog {
            len: filter.len() as u16,
            filter: filter.as_mut_ptr(),
        };
        // SAFETY: plain numbers; a process without this bit may not install a filter unless root.
        check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
        // SAFETY: `program` points to `len` statements, which the kernel copies and checks.
        check(unsafe {
            libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const program,
                null_mut::<u8>(),
                null_mut::<u8>(),
            )
        })
    }
}

/// A terminal: the end that is looked at, and that of programs.
pub(crate) fn terminal() -> (File, File) {
    let (mut ours, mut theirs) = (-1, -1);
    // SAFETY: room for two descriptors; the rest may be absent.
    let made = unsafe { libc::openpty(&mut ours, &mut theirs, null_mut(), null_mut(), null_mut()) };
    check(made).unwrap();
    for end in [ours, theirs] {
        // SAFETY: sets a flag of a descriptor: programs get what they are given and nothing else.
        unsafe { libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    // SAFETY: two new descriptors that nothing else owns.
    unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) }
}

/// Begins a session whose terminal is standard input.
pub(crate) fn own_session() -> io::Result<()> {
    // SAFETY: changes the calling process alone.
    if unsafe { libc::setsid() } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a request with a number.
    check(unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) })
}

/// Takes all file descriptors that the soft limit allows, which becomes `most`; the hard limit stays.
pub(crate) fn take_descriptors(most: u64) -> io::Result<()> {
    let mut limits = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: limits by reference for the length of each call, and plain numbers.
    unsafe {
        check(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limits))?;
        limits.rlim_cur = most.min(limits.rlim_max);
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &limits))?;
        while libc::dup(0) >= 0 {}
    }
    Ok(())
}
