//! Libraries preloaded into every program.

use std::path::Path;

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "preload",
    value: "libraries",
    what: "Has the loader preload this many system libraries into every dynamic program (LD_PRELOAD).",
    enter: |value, under| {
        let wanted: usize = number(value, "libraries")?;
        let found = present();
        if found.len() < wanted {
            return Err(ConditionError::unavailable(format!(
                "only {} libraries that can be preloaded into any program are installed",
                found.len()
            )));
        }
        under.set("LD_PRELOAD", found[..wanted].join(":"));
        Ok(())
    },
};

/// Parts of the C library and the compiler's run-time libraries, which do nothing when loaded.
const HARMLESS: [&str; 20] = [
    "libm.so.6",
    "libresolv.so.2",
    "libstdc++.so.6",
    "libnss_files.so.2",
    "libnss_dns.so.2",
    "libnss_compat.so.2",
    "libanl.so.1",
    "libutil.so.1",
    "librt.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "libBrokenLocale.so.1",
    "libgcc_s.so.1",
    "libz.so.1",
    "libcrypt.so.1",
    "liblzma.so.5",
    "libbz2.so.1.0",
    "libexpat.so.1",
    "libffi.so.8",
    "libzstd.so.1",
];

/// Their directories in distributions.
const FOLDERS: [&str; 6] = [
    "/lib64",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib",
    "/lib",
];

fn present() -> Vec<&'static str> {
    let there = |name: &&str| FOLDERS.iter().any(|f| Path::new(f).join(name).exists());
    HARMLESS.into_iter().filter(there).collect()
}
