//! What programs copy is counted as they did it, whichever way they end.
#![allow(clippy::unwrap_used, clippy::print_stderr)] // a test may end by an unmet expectation

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use whyslow_routines::counted::{Amount, Caller, Class, Counted, NotCounted, count};

/// Builds the program in `place`; None, said, where there is no compiler.
fn compile(compiler: &str, flags: &[&str], place: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts/known.c");
    let program = place.join("known");
    let mut command = Command::new(compiler);
    command.arg("-O1").args(flags).arg("-o");
    let built = command.args([&program, &source]).output();
    let built = built.is_ok_and(|output| output.status.success());
    if !built {
        eprintln!("skipped: {compiler} {flags:?} builds nothing here");
    }
    built.then_some(program)
}

fn run(program: &Path, how: &str) -> Result<Counted, NotCounted> {
    let program = program.as_os_str();
    count(program, &[OsString::from(how)], &AtomicBool::new(false))
}

/// Classes of the program's own calls: distance, least size, calls, bytes.
fn own(counted: &Counted) -> Vec<(Option<usize>, u64, u64, u64)> {
    let of = |(class, amount): (&Class, &Amount)| match &class.caller {
        Caller::File(path) if path.ends_with("/known") => {
            Some((class.distance, class.least, amount.calls, amount.bytes))
        }
        _ => None,
    };
    counted.classes.iter().filter_map(of).collect()
}

const WORK: [(Option<usize>, u64, u64, u64); 6] = [
    (None, 1, 100_000, 100_000),
    (None, 768, 9, 9 * 777),
    (Some(0), 98_304, 5, 500_000),
    (Some(1), 16_384, 300, 300 * 16_384),
    (Some(2), 65_536, 11, 11 * 65_536),
    (Some(3), 4_096, 70, 70 * 5_000),
];

#[test]
fn counts_are_what_the_program_did() {
    let place = tempfile::tempdir().unwrap();
    for (compiler, flags) in [("cc", &[][..]), ("cc", &["-no-pie"]), ("musl-gcc", &[])] {
        let Some(program) = compile(compiler, flags, place.path()) else {
            continue;
        };
        for (how, times, programs) in [
            ("plain", 1, 1),
            // Both count, and what forks stays one program.
            ("fork", 2, 1),
            ("exec", 2, 2),
        ] {
            let counted = run(&program, how).unwrap();
            assert_eq!((counted.programs, counted.beyond), (programs, 0), "{how}");
            let wanted =
                WORK.map(|(way, least, calls, bytes)| (way, least, times * calls, times * bytes));
            assert_eq!(own(&counted), wanted, "{compiler} {flags:?} {how}");
        }
    }
}

#[test]
fn fortified_calls_are_counted_and_told_by_their_caller() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("checked.c");
    std::fs::write(
        &source,
        "#include <stdlib.h>\n#include <string.h>\n\
         extern void *__memcpy_chk(void *, const void *, size_t, size_t);\n\
         int main(void) { char *a = aligned_alloc(4096, 8192); \
         for (int i = 0; i < 12; i++) __memcpy_chk(a + 1, a + 4096, 3000, 4000); return 0; }\n",
    )
    .unwrap();
    let program = place.path().join("known");
    let built = Command::new("cc")
        // Otherwise the compiler copies in place.
        .args(["-fno-builtin", "-o"])
        .args([&program, &source])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no C compiler (cc)");
        return;
    }
    let counted = run(&program, "").unwrap();
    assert_eq!(own(&counted), [(Some(1), 2048, 12, 36_000)]);
}

#[test]
fn what_is_not_counted_has_its_reason() {
    let stop = AtomicBool::new(false);
    let none = count(OsStr::new("/no/such/program"), &[], &stop).unwrap_err();
    assert!(none.to_string().starts_with("/no/such/program: "), "{none}");
    let place = tempfile::tempdir().unwrap();
    if let Some(program) = compile("cc", &[], place.path()) {
        let why = |how| run(&program, how).unwrap_err().to_string();
        assert_eq!(why("fail"), "the run ended with exit status: 3");
        // It loaded the library before it dropped it: nothing of its work is seen.
        assert_eq!(own(&run(&program, "drop").unwrap()), []);
    }
    if let Some(program) = compile("cc", &["-static"], place.path()) {
        let why = run(&program, "").unwrap_err().to_string();
        assert_eq!(why, "a static program");
    }
    let stop = AtomicBool::new(true);
    let stopped = count(OsStr::new("sleep"), &["100".into()], &stop);
    assert!(matches!(stopped, Err(NotCounted::Stopped)), "{stopped:?}");
}
