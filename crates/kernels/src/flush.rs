//! Flushing lines from all caches, so that the next access comes from memory.
#![allow(unsafe_code)]

use std::arch::asm;

/// True if this architecture can do it without privileges.
pub const AVAILABLE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Writes back and invalidates every line of `block`, in all caches of all CPUs, and waits for it.
/// Lines are taken to be at least 16 bytes; does nothing where [`AVAILABLE`] says so.
pub fn flush(block: &[u8]) {
    // SAFETY: the instructions keep the content and are told addresses inside of `block` only.
    // On aarch64 Linux allows them to programs.
    unsafe {
        for at in block.iter().step_by(16) {
            #[cfg(target_arch = "x86_64")]
            asm!("clflush byte ptr [{}]", in(reg) at, options(nostack, preserves_flags));
            #[cfg(target_arch = "aarch64")]
            asm!("dc civac, {}", in(reg) at, options(nostack, preserves_flags));
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            asm!("/* {} */", in(reg) at, options(nostack, preserves_flags));
        }
        #[cfg(target_arch = "x86_64")]
        asm!("mfence", options(nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        asm!("dsb ish", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_survives() {
        let block: Vec<u8> = (0..8192).map(|i| (i % 251) as u8).collect();
        flush(&block[3..8000]);
        assert!(block.iter().enumerate().all(|(i, &b)| b == (i % 251) as u8));
        flush(&[]);
    }
}
