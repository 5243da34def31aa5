//! Whole programs: building a C library.

use std::fmt::Write;

use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::program::{Folder, note_versions, output, repeat, run};
use crate::tools;

/// Files of the library: enough that the last one matters little at any usual number of jobs, few enough that a
/// build with one job takes half a second. A process builds it twice, the first process four times.
const FILES: usize = 12;

/// Parts of each file, each from a random template.
const PARTS: usize = 3;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "app.compile",
    title: "build a C library",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "Building a C library of 12 files of 1 to 3 KB with make: compiling each and archiving them.",
    how: "The host's make, cc and ar, whose versions are in the record, on sources that this program writes, all rebuilt over the existing files; a program linked with the library checks it once. For your own source tree: `whyslow load -j 1,2,4 --prepare 'make clean' -- make -j{j}`.",
    needs: &["make, cc, ar"],
    params: &[
        ("jobs", "compilers at once, make -j"),
        ("opt", "O0 or O2: the compiler's optimization level"),
        (
            "pipe",
            "yes: the compiler passes assembly code through a pipe (-pipe); no: in files",
        ),
    ],
    names: Names::NONE,
    roles: Roles::All(Role::Application),
    // 10,000,000 cycles: less than it takes to start so many compilers.
    bounds: Bounds { fastest: 1e7 },
    // Other processes do the work; this one waits for them.
    usual_marks: &[
        MarkKind::Switches,
        MarkKind::Migrations,
        MarkKind::Faults,
        MarkKind::RunDelayNs,
    ],
    points,
    measure: build,
}];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let cpus = ctx.cpus.len();
    // One job more than CPUs keeps all CPUs busy while one job waits for a file.
    let mut jobs = vec![1, 2, cpus, cpus + 1];
    jobs.sort_unstable();
    jobs.dedup();
    let ways = jobs
        .iter()
        .flat_map(|&jobs| ["no", "yes"].map(|pipe| (jobs, "O2", pipe)));
    let plan = |(jobs, opt, pipe): (usize, &str, &str)| {
        let point = Point::new("app.compile").with("jobs", jobs);
        Offer::Point(PointPlan {
            cpus: CpuChoice::Free,
            draws: 1,
            // A build is long and averages within itself; intervals come from the processes.
            samples: 1,
            batch_ns: 2e7,
            scratch: true,
            extra: true,
            suites: &["apps"],
            ..PointPlan::new(point.with("opt", opt).with("pipe", pipe))
        })
    };
    ways.chain([(1, "O0", "no")]).map(plan).collect()
}

fn build(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    let jobs: u32 = match bench.param("jobs")?.parse() {
        Ok(jobs @ 1..=4096) => jobs,
        _ => return Err(Stop::Unavailable("jobs must be from 1 to 4096".into())),
    };
    let flags = match (bench.param("opt")?, bench.param("pipe")?) {
        (opt @ ("O0" | "O2"), "no") => format!("CFLAGS=-{opt}"),
        (opt @ ("O0" | "O2"), "yes") => format!("CFLAGS=-{opt} -pipe"),
        _ => {
            return Err(Stop::Unavailable(
                "opt must be O0 or O2, pipe yes or no".into(),
            ));
        }
    };
    for (name, content) in sources() {
        folder.write(&name, content)?;
    }
    for tool in ["cc", "ar"] {
        tools::find(tool)?;
    }
    let mut make = folder.program("make")?;
    make.args(["-s", "-B", &format!("-j{jobs}"), &flags, "libparts.a"]);
    note_versions(
        bench,
        &[
            tools::version("make")?,
            tools::version("cc")?,
            tools::version("ar")?,
        ],
    );
    repeat(bench, 1.0, || run(&mut make, "make"))?;
    let mut link = folder.program("cc")?;
    run(
        link.args(["-o", "check", "check.c", "libparts.a"]),
        "cc, linking with the library",
    )?;
    let mut check = std::process::Command::new(folder.path("check"));
    let said = output(&mut check, "the program linked with the library")?;
    if said != format!("{FILES} parts\n").as_bytes() {
        return Err(Stop::Refused(
            "the library that was built does not work".into(),
        ));
    }
    Ok(())
}

/// Functions of a C library; `@` stands for a number that makes names unique, `#` for one that
/// varies. Each has a check that returns 1 if all is well.
const TEMPLATES: [&str; 6] = [
    "struct node@ { struct node@ *next; long key; };\n\
     static struct node@ *merge@(struct node@ *a, struct node@ *b)\n{\n\
     \tstruct node@ head, *tail = &head;\n\
     \twhile (a && b) {\n\t\tstruct node@ **least = a->key <= b->key ? &a : &b;\n\
     \t\ttail->next = *least;\n\t\ttail = *least;\n\t\t*least = (*least)->next;\n\t}\n\
     \ttail->next = a ? a : b;\n\treturn head.next;\n}\n\
     static struct node@ *sort@(struct node@ *list)\n{\n\
     \tstruct node@ *slow = list, *fast, *half;\n\
     \tif (!list || !list->next)\n\t\treturn list;\n\
     \tfor (fast = list->next; fast && fast->next; fast = fast->next->next)\n\t\tslow = slow->next;\n\
     \thalf = slow->next;\n\tslow->next = NULL;\n\
     \treturn merge@(sort@(list), sort@(half));\n}\n\
     int check@(void)\n{\n\tstruct node@ nodes[#], *at;\n\tint i, n = 1;\n\
     \tfor (i = 0; i < #; i++) {\n\t\tnodes[i].key = i * 7919L % 1009;\n\
     \t\tnodes[i].next = i + 1 < # ? &nodes[i + 1] : NULL;\n\t}\n\
     \tfor (at = sort@(nodes); at->next; at = at->next, n++)\n\
     \t\tif (at->key > at->next->key)\n\t\t\treturn 0;\n\
     \treturn n == #;\n}\n",
    "static unsigned hash@(const char *text)\n{\n\tunsigned hash = 5381 + #;\n\
     \twhile (*text)\n\t\thash = hash * 33 ^ (unsigned char)*text++;\n\treturn hash;\n}\n\
     struct entry@ { char name[24]; int value; int used; };\n\
     static struct entry@ *find@(struct entry@ *table, unsigned size, const char *name)\n{\n\
     \tunsigned at = hash@(name) % size;\n\
     \twhile (table[at].used && strcmp(table[at].name, name) != 0)\n\t\tat = (at + 1) % size;\n\
     \treturn &table[at];\n}\n\
     int check@(void)\n{\n\tstatic struct entry@ table[211];\n\tchar name[24];\n\tint i, found = 0;\n\
     \tfor (i = 0; i < #; i++) {\n\t\tstruct entry@ *entry;\n\
     \t\tsnprintf(name, sizeof name, \"name %d\", i * 3);\n\
     \t\tentry = find@(table, 211, name);\n\
     \t\tstrcpy(entry->name, name);\n\t\tentry->value = i;\n\t\tentry->used = 1;\n\t}\n\
     \tfor (i = 0; i < 211; i++)\n\t\tfound += table[i].used;\n\
     \treturn found == #;\n}\n",
    "enum state@ { START@, NUMBER@, WORD@, QUOTE@, END@ };\n\
     static int tokens@(const char *at)\n{\n\tenum state@ state = START@;\n\tint count = 0;\n\
     \tfor (; state != END@; at++) {\n\t\tswitch (state) {\n\
     \t\tcase START@:\n\t\t\tif (isdigit((unsigned char)*at)) { state = NUMBER@; count++; }\n\
     \t\t\telse if (isalpha((unsigned char)*at)) { state = WORD@; count++; }\n\
     \t\t\telse if (*at == '\"') { state = QUOTE@; count++; }\n\
     \t\t\telse if (!*at) state = END@;\n\t\t\tbreak;\n\
     \t\tcase NUMBER@:\n\t\t\tif (!isdigit((unsigned char)*at)) { state = START@; at--; }\n\t\t\tbreak;\n\
     \t\tcase WORD@:\n\t\t\tif (!isalnum((unsigned char)*at)) { state = START@; at--; }\n\t\t\tbreak;\n\
     \t\tcase QUOTE@:\n\t\t\tif (*at == '\"' || !*at) state = *at ? START@ : END@;\n\t\t\tbreak;\n\
     \t\tdefault:\n\t\t\tbreak;\n\t\t}\n\t}\n\treturn count;\n}\n\
     int check@(void)\n{\n\treturn tokens@(\"set # ways \\\"of a cache\\\" x1 22\") == 6;\n}\n",
    "static void multiply@(double *to, const double *a, const double *b, int n)\n{\n\tint i, j, k;\n\
     \tfor (i = 0; i < n; i++)\n\t\tfor (j = 0; j < n; j++) {\n\t\t\tdouble sum = 0;\n\
     \t\t\tfor (k = 0; k < n; k++)\n\t\t\t\tsum += a[i * n + k] * b[k * n + j];\n\
     \t\t\tto[i * n + j] = sum;\n\t\t}\n}\n\
     int check@(void)\n{\n\tdouble a[64], one[64], to[64];\n\tint i;\n\
     \tfor (i = 0; i < 64; i++) {\n\t\ta[i] = i * 0.5 + #;\n\t\tone[i] = i % 9 == 0;\n\t}\n\
     \tmultiply@(to, a, one, 8);\n\treturn memcmp(to, a, sizeof a) == 0;\n}\n",
    "static int bits@(unsigned long x)\n{\n\tint n = 0;\n\twhile (x) {\n\t\tx &= x - 1;\n\t\tn++;\n\t}\n\treturn n;\n}\n\
     static unsigned long reverse@(unsigned long x)\n{\n\tunsigned long y = 0;\n\tint i;\n\
     \tfor (i = 0; i < 32; i++)\n\t\ty |= (x >> i & 1) << (31 - i);\n\treturn y;\n}\n\
     int check@(void)\n{\n\tunsigned long x;\n\tfor (x = 1; x < 100000; x = x * 3 + #)\n\
     \t\tif (reverse@(reverse@(x)) != x || bits@(x) != bits@(reverse@(x)))\n\t\t\treturn 0;\n\
     \treturn 1;\n}\n",
    "struct ring@ { int items[#]; int head, count; };\n\
     static int put@(struct ring@ *ring, int item)\n{\n\tif (ring->count == #)\n\t\treturn 0;\n\
     \tring->items[(ring->head + ring->count++) % #] = item;\n\treturn 1;\n}\n\
     static int take@(struct ring@ *ring, int *item)\n{\n\tif (!ring->count)\n\t\treturn 0;\n\
     \t*item = ring->items[ring->head];\n\tring->head = (ring->head + 1) % #;\n\tring->count--;\n\treturn 1;\n}\n\
     int check@(void)\n{\n\tstruct ring@ ring = { { 0 }, 0, 0 };\n\tint i, item, sum = 0, want = 0;\n\
     \tfor (i = 0; i < 500; i++) {\n\t\tif (put@(&ring, i))\n\t\t\twant += i;\n\
     \t\tif (i % 3 && take@(&ring, &item))\n\t\t\tsum += item;\n\t}\n\
     \twhile (take@(&ring, &item))\n\t\tsum += item;\n\treturn sum == want;\n}\n",
];

/// The library: names and contents of its files, always identical.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut state = 7u32;
    let mut draw = |below: usize| {
        // The constants of Numerical Recipes; the upper bits are the most random.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let mut header = String::new();
    let mut check = String::from(
        "#include <stdio.h>\n#include \"parts.h\"\n\nint main(void)\n{\n\tint good = 0;\n",
    );
    for file in 0..FILES {
        let mut text = format!(
            "/* part {file} */\n#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"parts.h\"\n\n"
        );
        let _ = writeln!(header, "int part{file}(void);");
        let _ = writeln!(check, "\tgood += part{file}();");
        let first = draw(TEMPLATES.len());
        let mut all = String::new();
        for part in 0..PARTS {
            let id = format!("{file}_{part}");
            // Sizes of arrays: the hash table has 211 places.
            let number = (40 + draw(150)).to_string();
            let template = TEMPLATES[(first + part) % TEMPLATES.len()];
            text += &template
                .replace('@', &id)
                .replace('#', &number)
                .replace("int check", "static int check");
            text.push('\n');
            let _ = write!(all, "{}check{id}()", if part == 0 { "" } else { " && " });
        }
        let _ = write!(text, "int part{file}(void)\n{{\n\treturn {all};\n}}\n");
        files.push((format!("part{file}.c"), text));
    }
    check += "\tprintf(\"%d parts\\n\", good);\n\treturn 0;\n}\n";
    let objects: Vec<String> = (0..FILES).map(|file| format!("part{file}.o")).collect();
    let makefile = format!(
        "OBJECTS = {}\nlibparts.a: $(OBJECTS)\n\tar rcs $@ $(OBJECTS)\n%.o: %.c\n\tcc $(CFLAGS) -c -o $@ $<\n",
        objects.join(" ")
    );
    files.push(("parts.h".into(), header));
    files.push(("check.c".into(), check));
    files.push(("Makefile".into(), makefile));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_the_same_every_time_and_of_a_plausible_size() {
        let files = sources();
        assert_eq!(files, sources());
        assert_eq!(files.len(), FILES + 3);
        for (name, text) in files
            .iter()
            .filter(|(name, _)| name.starts_with("part") && name.ends_with(".c"))
        {
            assert!(
                (1_000..6_000).contains(&text.len()),
                "{name}: {}",
                text.len()
            );
            // Except for preprocessor signs, every number is filled in.
            assert!(
                !text.contains('@') && !text.replace("#include", "").contains('#'),
                "{name}"
            );
        }
    }
}
