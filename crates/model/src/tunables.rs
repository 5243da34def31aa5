//! Tunables of the GNU C library that mend its copies, and where they are put.

/// No copy by REP MOVSB: no block is as large.
pub const NO_REP_MOVSB: &str = "glibc.cpu.x86_rep_movsb_threshold=1073741824";

/// The same name without its value, as the loader lists it.
pub const REP_MOVSB: &str = "glibc.cpu.x86_rep_movsb_threshold";

/// From this size on, bytes, copies go past the caches.
pub const NON_TEMPORAL: &str = "glibc.cpu.x86_non_temporal_threshold";

/// From this size on, bytes, fills use REP STOSB.
pub const REP_STOSB: &str = "glibc.cpu.x86_rep_stosb_threshold";

/// CPU features that the library is to use or to leave.
pub const HWCAPS: &str = "glibc.cpu.hwcaps";

/// The variable that the loader reads them from.
pub const VARIABLE: &str = "GLIBC_TUNABLES";

/// Where the variable is put, and whom it does not reach.
pub const PLACES: &str = "in ~/.config/environment.d, as Environment= of a unit file, or in a wrapper around the program. Programs that gain rights as they start (AT_SECURE) drop it, and it holds for this C library alone";

/// The value of the variable that sets all of these.
pub fn line<S: AsRef<str>>(settings: &[S]) -> String {
    let settings: Vec<&str> = settings.iter().map(AsRef::as_ref).collect();
    format!("{VARIABLE}={}", settings.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_sets_them_all() {
        assert!(NO_REP_MOVSB.starts_with(REP_MOVSB));
        assert_eq!(line(&["a=1", "b=2"]), "GLIBC_TUNABLES=a=1:b=2");
    }
}
