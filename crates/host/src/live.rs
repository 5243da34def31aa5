//! What is not in files: system calls, CPUID, the environment, and what the
//! host's own tools say.

mod cpuid;
mod tools;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt;

use rustix::process::{Resource, getrlimit};
use whyslow_model::host::{CpuSet, Known, Limit};
use whyslow_model::state::Rlimit;

pub use cpuid::Cpuid;
pub use tools::{Tools, system_program};

/// What is not in files. A test fills this by hand, from [`Live::nothing`].
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    /// uname(2).
    pub uname: Known<Uname>,
    /// The CPUID leaves, on x86-64.
    pub cpuid: Known<Cpuid>,
    /// Bytes of a base page.
    pub page_bytes: Known<u64>,
    /// Ticks a second in which the kernel gives CPU times (`USER_HZ`).
    pub ticks_per_s: Known<u64>,
    /// The CPUs that this thread may use. The kernel's file is asked first.
    pub affinity: Known<CpuSet>,
    /// sysinfo(2), where there is no `/proc`.
    pub sysinfo: Known<Sysinfo>,
    /// getrlimit(2) by the names of `/proc/self/limits`, where there is no `/proc`.
    pub rlimits: Known<BTreeMap<String, Rlimit>>,
    /// Effective capabilities as a mask, where there is no `/proc`.
    pub capabilities: Known<u64>,
    /// prctl(2), where there is no `/proc`.
    pub no_new_privs: Known<bool>,
    /// Effective user number.
    pub user: Known<u32>,
    /// Number of this process.
    pub pid: u32,
    /// Names and values of the environment variables.
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// How this program is linked, such as `gnu dynamic`.
    pub own_libc: String,
    /// What the host's tools say.
    pub tools: Tools,
}

/// uname(2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uname {
    /// Name of the host.
    pub name: String,
    /// Release of the kernel.
    pub release: String,
    /// Version of the kernel.
    pub version: String,
    /// Instruction set.
    pub machine: String,
}

/// The parts of sysinfo(2) that replace files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sysinfo {
    /// Memory, bytes.
    pub total_bytes: u64,
    /// Memory that is free or a buffer, bytes: less than could be had.
    pub free_bytes: u64,
    /// Swap in use, bytes.
    pub swap_used_bytes: u64,
    /// Load averages over 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// Time since boot, s.
    pub uptime_s: f64,
}

/// The resource limits, by the names of `/proc/self/limits`.
const RLIMITS: [(&str, Resource); 16] = [
    ("cpu time", Resource::Cpu),
    ("file size", Resource::Fsize),
    ("data size", Resource::Data),
    ("stack size", Resource::Stack),
    ("core file size", Resource::Core),
    ("resident set", Resource::Rss),
    ("processes", Resource::Nproc),
    ("open files", Resource::Nofile),
    ("locked memory", Resource::Memlock),
    ("address space", Resource::As),
    ("file locks", Resource::Locks),
    ("pending signals", Resource::Sigpending),
    ("msgqueue size", Resource::Msgqueue),
    ("nice priority", Resource::Nice),
    ("realtime priority", Resource::Rtprio),
    ("realtime timeout", Resource::Rttime),
];

impl Live {
    /// Nothing is known: what a test begins with.
    pub fn nothing() -> Self {
        fn none<T>() -> Known<T> {
            Known::unknown("not recorded")
        }
        Self {
            uname: none(),
            cpuid: none(),
            page_bytes: none(),
            ticks_per_s: none(),
            affinity: none(),
            sysinfo: none(),
            rlimits: none(),
            capabilities: none(),
            no_new_privs: none(),
            user: none(),
            pid: 0,
            environment: vec![],
            own_libc: String::new(),
            tools: Tools::nothing("not recorded"),
        }
    }

    /// Asks the running system.
    pub(crate) fn read() -> Self {
        let uname = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        Self {
            uname: Known::Is(Uname {
                name: text(uname.nodename()),
                release: text(uname.release()),
                version: text(uname.version()),
                machine: text(uname.machine()),
            }),
            cpuid: cpuid::native(),
            page_bytes: Known::Is(rustix::param::page_size() as u64),
            ticks_per_s: Known::Is(rustix::param::clock_ticks_per_second()),
            affinity: affinity(),
            sysinfo: Known::Is(sysinfo()),
            rlimits: Known::Is(rlimits()),
            capabilities: call("capget", rustix::thread::capabilities(None))
                .map(|sets| sets.effective.bits()),
            no_new_privs: call("prctl", rustix::thread::no_new_privs()),
            user: Known::Is(rustix::process::geteuid().as_raw()),
            pid: std::process::id(),
            environment: std::env::vars_os()
                .map(|(name, value)| (name.into_vec(), value.into_vec()))
                .collect(),
            own_libc: own_libc(),
            tools: Tools::ask(),
        }
    }
}

fn call<T>(name: &str, result: Result<T, impl std::fmt::Display>) -> Known<T> {
    result.map_or_else(
        |error| Known::unknown(format!("{name}: {error}")),
        Known::Is,
    )
}

fn affinity() -> Known<CpuSet> {
    let allowed = whyslow_linux::affinity::allowed();
    call("sched_getaffinity", allowed).map(|cpus| cpus.into_iter().collect())
}

fn sysinfo() -> Sysinfo {
    let info = rustix::system::sysinfo();
    // The fields' width differs between targets; `mem_unit` scales them.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    let bytes = |units| (units as u64).saturating_mul(u64::from(info.mem_unit));
    // The kernel gives the loads in 1/65536.
    #[allow(clippy::unnecessary_cast)]
    let load = info.loads.map(|load| load as u64 as f64 / 65_536.0);
    #[allow(clippy::unnecessary_cast)]
    let uptime_s = info.uptime as f64;
    Sysinfo {
        total_bytes: bytes(info.totalram),
        free_bytes: bytes(info.freeram).saturating_add(bytes(info.bufferram)),
        swap_used_bytes: bytes(info.totalswap).saturating_sub(bytes(info.freeswap)),
        load,
        uptime_s,
    }
}

fn rlimits() -> BTreeMap<String, Rlimit> {
    RLIMITS
        .into_iter()
        .map(|(name, resource)| {
            let limit = getrlimit(resource);
            let limit = Rlimit {
                soft: Limit::from(limit.current),
                hard: Limit::from(limit.maximum),
            };
            (name.to_owned(), limit)
        })
        .collect()
}

fn own_libc() -> String {
    let library = if cfg!(target_env = "musl") {
        "musl"
    } else if cfg!(target_env = "gnu") {
        "gnu"
    } else {
        "other"
    };
    let linked = if cfg!(target_feature = "crt-static") {
        "static"
    } else {
        "dynamic"
    };
    format!("{library} {linked}")
}
