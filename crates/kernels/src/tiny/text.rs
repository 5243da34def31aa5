//! The program as bytes.
//!
//! It is data to us: it lies in a read-only section of its own and is never called.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

unsafe extern "C" {
    #[link_name = "whyslow_tiny_begin"]
    static BEGIN: u8;
    #[link_name = "whyslow_tiny_end"]
    static END: u8;
}

pub(super) fn bytes() -> &'static [u8] {
    let (begin, end) = (&raw const BEGIN, &raw const END);
    // SAFETY: the two symbols bound one run of bytes of the read-only data of this program.
    unsafe { std::slice::from_raw_parts(begin, end.addr() - begin.addr()) }
}
