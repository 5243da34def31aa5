//! A system-call filter.
#![allow(unsafe_code)]

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_ulong, sock_filter, sock_fprog,
};

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "seccomp",
    value: "rules",
    what: "Installs a seccomp filter of this many rules, which allows every system call.",
    enter: |value, _| filter(number(value, "rules")?),
};

/// Most rules: a filter has at most 4,096 instructions, and a rule is two.
const MOST: u32 = 2_000;

/// Offset of a call's first argument in the filter's input (`struct seccomp_data`).
const FIRST_ARGUMENT: u32 = 16;

/// An argument that no call uses. Rules test an argument because the kernel caches the result of a
/// filter that depends only on the call number, and does not run it again.
const NEVER: u32 = 0x5eed_0001;

fn filter(rules: u32) -> Result<(), ConditionError> {
    if rules > MOST {
        return Err(ConditionError::bad_value(format!("at most {MOST} rules")));
    }
    let statement = |code: u32, k: u32| sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut program = Vec::with_capacity(2 * rules as usize + 1);
    for rule in 0..rules {
        program.push(statement(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT));
        // Continue in both cases, whether the rule matches or not.
        program.push(statement(
            BPF_JMP | BPF_JEQ | BPF_K,
            NEVER.wrapping_add(rule),
        ));
    }
    program.push(statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW));
    rustix::thread::set_no_new_privs(true).map_err(|e| ConditionError::call("no_new_privs", e))?;
    let all = sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // Without the flag, older kernels also enable mitigations, which is a different cause.
    let flags: c_ulong = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // SAFETY: the program and its length match and outlive the call, which copies them.
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER as c_ulong,
            flags,
            &raw const all,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(ConditionError::call(
            "the kernel rejects the filter",
            std::io::Error::last_os_error(),
        )),
    }
}
