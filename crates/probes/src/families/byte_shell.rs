//! The rows of BYTE and UnixBench that run the host's programs: shell scripts, the C compiler, dc, grep.

use std::fmt::Write;

use whyslow_model::id;
use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PointPlan, Probe, Stop};
use crate::program::{self, Folder, output, run};
use crate::tools;

/// Scripts at once.
const CONCURRENT: [u32; 5] = [1, 2, 4, 8, 16];

/// Locales besides C: the one built into glibc, and the one that UnixBench requests.
const LOCALES: [&str; 2] = ["C.UTF-8", "en_US.UTF-8"];

/// The tools used by the scripts.
const SCRIPT_TOOLS: [&str; 7] = ["sh", "sort", "od", "grep", "tee", "wc", "rm"];

/// Sorts the words, dumps and sorts again, selects lines and counts them. Fails if a tool fails.
const SCRIPT: &str = "sort <\"$1\" >sorted.$$\n\
    od sorted.$$ | sort -n -k 1 >dumped.$$\n\
    grep the sorted.$$ | tee found.$$ | wc >counted.$$\n\
    test -s dumped.$$ && test -s found.$$ && test -s counted.$$ || exit 1\n\
    rm sorted.$$ dumped.$$ found.$$ counted.$$\n";

/// Starts the given number of scripts at once, and waits for all.
const STARTER: &str = "n=0\n\
    while [ $n -lt \"$1\" ]; do\n\
    sh \"$2\" \"$3\" &\n\
    n=$((n + 1))\n\
    done\n\
    wait\n";

/// Lines of the scripts' input: with these words some 8.5 KB, as in UnixBench.
const LINES: usize = 436;

/// Lines of grep's input: some 700 KB, as in UnixBench.
const MANY_LINES: usize = 36_000;

/// The first digits of the square root of 2.
const ROOT: &str = "1.414213562373095048801688724209698078569671875376948073176679737";

/// This family's probes.
pub const PROBES: &[Probe] = &[
    row(
        id::PROC_SHELL_SCRIPTS,
        [
            "shell scripts",
            "Concurrent copies of a script, each a pipeline of sort, od, grep, tee and wc over a file of 8.5 KB, until the last has exited.",
            "The host's /bin/sh and tools, whose versions are in the record, in the locale C; unpinned. Most of the time is process creation and exit of small programs. UnixBench forces en_US.utf8, which changes the row considerably, or silently uses C where that is not installed.",
        ],
        &["sh, sort, od, grep, tee, wc, rm"],
        &[
            ("concurrent", "scripts at once"),
            ("locale", "LC_ALL of the scripts in place of C"),
        ],
        &[
            "Shell Scripts (1 concurrent)",
            "Shell Scripts (2 concurrent)",
            "Shell Scripts (4 concurrent)",
            "Shell Scripts (8 concurrent)",
            "Shell Scripts (16 concurrent)",
        ],
        script_points,
        scripts,
    ),
    row(
        id::PROC_COMPILE_ONE,
        [
            "compile one C file",
            "Compiling and linking one C file of some 280 lines.",
            "The host's cc, whose version is in the record, on a file that this program writes. UnixBench's own file is pre-1989 C, for which cc now prints pages of warnings.",
        ],
        &["cc"],
        &[],
        &["C Compiler Throughput", "C Compiler Test"],
        |_| vec![one(id::PROC_COMPILE_ONE)],
        compile,
    ),
    row(
        id::PROC_DC,
        [
            "dc: square root of 2",
            "Starting dc, which computes the square root of 2 to 99 places, prints it and exits.",
            "The host's dc, whose version is in the record, with the program on its standard input; the digits are checked once. UnixBench does not rewind that input, so only its first dc computes anything, and GNU dc's exit status after q aborts the row.",
        ],
        &["dc"],
        &[],
        &["Dc: sqrt(2) to 99 decimal places"],
        |_| vec![one(id::PROC_DC)],
        dc,
    ),
    row(
        id::PROC_GREP,
        [
            "grep",
            "Starting grep, which counts the lines that contain a word in a file of some 700 KB.",
            "The host's grep, whose version is in the record, in the locale C on a file in the page cache, printing to a file (GNU grep stops at the first match where its output is /dev/null); the count is checked once.",
        ],
        &["grep"],
        &[],
        &["Grep a large file (system's grep)"],
        |_| vec![one(id::PROC_GREP)],
        grep,
    ),
];

/// A probe of this family.
const fn row(
    id: &'static str,
    [title, what, how]: [&'static str; 3],
    needs: &'static [&'static str],
    params: &'static [(&'static str, &'static str)],
    byte: &'static [&'static str],
    points: fn(&crate::PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs,
        params,
        names: Names {
            byte,
            ..Names::NONE
        },
        roles: Roles::All(Role::Programs),
        // 10,000 cycles: less than any process.
        bounds: Bounds { fastest: 1e4 },
        // Other processes do the work; this one waits for them.
        usual_marks: &[
            MarkKind::Switches,
            MarkKind::Migrations,
            MarkKind::Faults,
            MarkKind::RunDelayNs,
        ],
        points,
        measure,
    }
}

fn plan(point: Point) -> PointPlan {
    PointPlan {
        draws: 1,
        scratch: true,
        // 20 ms: several runs of the short programs, one of the long ones.
        batch_ns: 2e7,
        extra: true,
        suites: &["byte"],
        ..PointPlan::new(point)
    }
}

fn one(id: &str) -> Offer {
    Offer::Point(plan(Point::new(id)))
}

fn script_points(_: &crate::PlanContext) -> Vec<Offer> {
    let at_once = |n: u32| PointPlan {
        cpus: CpuChoice::Free,
        // A batch of many concurrent scripts is long, and averages over them.
        samples: if n < 8 { 5 } else { 3 },
        ..plan(Point::new(id::PROC_SHELL_SCRIPTS).with("concurrent", n))
    };
    let usual = CONCURRENT.map(at_once);
    let others = LOCALES.map(|locale| {
        let plan = at_once(1);
        PointPlan {
            point: plan.point.clone().with("locale", locale),
            suites: &[],
            ..plan
        }
    });
    usual.into_iter().chain(others).map(Offer::Point).collect()
}

/// Measures `once`, with the versions of the tools noted.
fn repeat(
    bench: &mut Bench,
    used: &[&str],
    once: impl FnMut() -> Result<(), Stop>,
) -> Result<(), Stop> {
    let versions: Result<Vec<String>, Stop> =
        used.iter().map(|name| tools::version(name)).collect();
    program::note_versions(bench, &versions?);
    program::repeat(bench, 1.0, once)
}

/// Lines of words in a fixed, unsorted order; "the" is in about every fourth.
fn words(lines: usize) -> String {
    const WORDS: [&str; 12] = [
        "cache", "the", "way", "memory", "of", "page", "line", "core", "a", "process", "color",
        "set",
    ];
    let (mut text, mut state) = (String::new(), 12345u32);
    for _ in 0..lines {
        for word in 0..4 {
            // The constants of Numerical Recipes; the upper bits are the most random.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let end = if word == 3 { '\n' } else { ' ' };
            let _ = write!(text, "{}{end}", WORDS[(state >> 16) as usize % WORDS.len()]);
        }
    }
    text
}

fn scripts(bench: &mut Bench) -> Result<(), Stop> {
    let concurrent = bench.param("concurrent")?;
    let locale = bench.job.point.get("locale").unwrap_or("C");
    let folder = Folder::of(bench)?;
    if locale != "C" {
        known_locale(&folder, locale)?;
    }
    for tool in SCRIPT_TOOLS {
        tools::find(tool)?;
    }
    folder.write("script", SCRIPT)?;
    folder.write("starter", STARTER)?;
    folder.write("words", words(LINES))?;
    // Once alone: the starter does not see the exit status of its scripts.
    run(
        folder.program("sh")?.args(["script", "words"]),
        "the script",
    )?;
    let mut command = folder.program("sh")?;
    command
        .env("LC_ALL", locale)
        .args(["starter", concurrent, "script", "words"]);
    repeat(bench, &SCRIPT_TOOLS, || run(&mut command, "the scripts"))
}

/// Refuses a locale that the host lacks: its programs would silently use C.
fn known_locale(folder: &Folder, wanted: &str) -> Result<(), Stop> {
    let plain = |name: &str| name.to_lowercase().replace('-', "");
    let list = output(folder.program("locale")?.arg("-a"), "locale -a")?;
    match String::from_utf8_lossy(&list)
        .lines()
        .any(|name| plain(name) == plain(wanted))
    {
        true => Ok(()),
        false => Err(Stop::Unavailable(format!(
            "locale={wanted} is not installed here (`locale -a` lists those that are)"
        ))),
    }
}

fn compile(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    folder.write("one.c", c_source())?;
    let mut command = folder.program("cc")?;
    command.args(["-o", "one", "one.c"]);
    run(&mut command, "cc")?;
    let printed = text(&output(
        &mut folder.command(&folder.path("one")),
        "the compiled program",
    )?);
    if printed != "780" {
        return Err(Stop::Refused(format!(
            "the compiled program printed '{printed}', not 780"
        )));
    }
    repeat(bench, &["cc"], || run(&mut command, "cc"))
}

/// A program of some 280 lines: functions with loops, branches, arrays and structures, which prints the
/// sum of the numbers below 40.
fn c_source() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
    text += "struct item { int key; long weight; char name[16]; };\n\n";
    const FUNCTIONS: usize = 20;
    for i in 0..FUNCTIONS {
        let _ = write!(
            text,
            "static long part{i}(struct item *items, int count)\n{{\n\
             \tlong sum = 0;\n\
             \tfor (int i = 0; i < count; i++) {{\n\
             \t\tif (items[i].key % {FUNCTIONS} == {i})\n\
             \t\t\tsum += items[i].weight;\n\
             \t\telse if (strlen(items[i].name) > 15)\n\
             \t\t\tabort();\n\
             \t}}\n\treturn sum;\n}}\n\n"
        );
    }
    text += "int main(void)\n{\n\tstruct item items[40];\n\tlong sum = 0;\n";
    text += "\tfor (int i = 0; i < 40; i++) {\n\t\titems[i].key = i;\n\t\titems[i].weight = i;\n";
    text += "\t\tsnprintf(items[i].name, sizeof items[i].name, \"item %d\", i);\n\t}\n";
    for i in 0..FUNCTIONS {
        let _ = writeln!(text, "\tsum += part{i}(items, 40);");
    }
    text += "\tprintf(\"%ld\\n\", sum);\n\treturn 0;\n}\n";
    text
}

fn dc(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    let mut command = folder.program("dc")?;
    folder.write("root", "99 k 2 v p\n")?;
    let printed = text(&output(command.stdin(folder.open("root")?), "dc")?);
    if !printed.starts_with(ROOT) {
        return Err(Stop::Refused(format!(
            "dc printed '{}'",
            printed.lines().next().unwrap_or_default()
        )));
    }
    command.stdout(folder.create("printed")?);
    repeat(bench, &["dc"], || {
        run(command.stdin(folder.open("root")?), "dc")
    })
}

fn grep(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    let lines = words(MANY_LINES);
    let expected = lines.lines().filter(|line| line.contains("color")).count();
    folder.write("words", &lines)?;
    let mut command = folder.program("grep")?;
    command.args(["-c", "color", "words"]);
    let printed = text(&output(&mut command, "grep")?);
    if printed != expected.to_string() {
        return Err(Stop::Refused(format!(
            "grep counted '{printed}', not {expected}"
        )));
    }
    // Into a file: GNU grep stops at the first match when its output is /dev/null.
    command.stdout(folder.create("printed")?);
    repeat(bench, &["grep"], || run(&mut command, "grep"))
}

/// A program's output, trimmed.
fn text(printed: &[u8]) -> String {
    String::from_utf8_lossy(printed).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same on every machine, so that rows are comparable.
    #[test]
    fn the_input_is_always_the_same() {
        let text = words(LINES);
        assert_eq!(text, words(LINES));
        assert!((8_000..9_000).contains(&text.len()), "{}", text.len());
        let with_the = text.lines().filter(|l| l.contains("the")).count();
        assert!((LINES / 5..LINES / 2).contains(&with_the), "{with_the}");
        assert!(!text.lines().is_sorted());
    }

    #[test]
    fn the_c_program_is_of_the_size_that_it_says() {
        let lines = c_source().lines().count();
        assert!((180..=280).contains(&lines), "{lines}");
    }
}
