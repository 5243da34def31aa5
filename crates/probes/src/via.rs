//! How a probe makes its system calls: by the bare instruction, or through the C library as most programs do.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::bench::Bench;
use crate::probe::PointPlan;
use crate::stop::Stop;

/// The parameter and what it means.
pub(crate) const PARAM: (&str, &str) = (
    NAME,
    "libc: through the functions of the C library, as programs make calls: the host's, or the one linked in if whyslow is a static build; without it the bare instruction",
);

const NAME: &str = "via";
const LIBC: &str = "libc";

/// The way of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The instruction itself.
    Bare,
    /// The C library's function.
    Libc,
}

impl Via {
    /// The way that the job's point asks for.
    ///
    /// # Errors
    /// When there is none of that name.
    pub(crate) fn of(bench: &Bench) -> Result<Via, Stop> {
        match bench.job.point.get(NAME) {
            None => Ok(Via::Bare),
            Some(LIBC) => Ok(Via::Libc),
            Some(other) => Err(Stop::Unavailable(format!("via={other} is not known"))),
        }
    }

    /// Reads from `fd` once; the number of bytes read.
    ///
    /// # Errors
    /// The call's.
    #[inline]
    pub fn read(self, fd: &OwnedFd, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Via::Bare => Ok(rustix::io::read(fd, into)?),
            Via::Libc => {
                let (start, bytes) = (into.as_mut_ptr().cast(), into.len());
                // SAFETY: at most the slice's length is written, to the slice.
                result(unsafe { libc::read(fd.as_raw_fd(), start, bytes) })
            }
        }
    }

    /// Writes to `fd` once; the number of bytes written.
    ///
    /// # Errors
    /// The call's.
    #[inline]
    pub fn write(self, fd: &OwnedFd, from: &[u8]) -> io::Result<usize> {
        match self {
            Via::Bare => Ok(rustix::io::write(fd, from)?),
            Via::Libc => {
                let (start, bytes) = (from.as_ptr().cast(), from.len());
                // SAFETY: at most the slice's length is read, from the slice.
                result(unsafe { libc::write(fd.as_raw_fd(), start, bytes) })
            }
        }
    }
}

/// The value of a call that returns -1 on failure.
fn result(value: libc::ssize_t) -> io::Result<usize> {
    usize::try_from(value).map_err(|_| io::Error::last_os_error())
}

/// The same point through the C library. Of the suites it is lmbench's, whose programs call that way.
pub(crate) fn libc(bare: &PointPlan) -> PointPlan {
    let mut plan = bare.clone();
    plan.point = plan.point.with(NAME, LIBC);
    plan.suites = &["lmbench"];
    plan
}
