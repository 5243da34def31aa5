//! Examples of each command, for its help and its man page.

/// What is typed, and what that does.
pub(crate) type Example = (&'static str, &'static str);

/// Examples of each command; the path of a subcommand has a blank in it.
pub(super) const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "",
        &[
            ("whyslow", "measure this machine: about a minute"),
            (
                "whyslow doctor",
                "what here would spoil a run, and how to mend it",
            ),
            (
                "whyslow compare a.whyslow b.whyslow",
                "which differences are real",
            ),
            (
                "whyslow explain a.whyslow b.whyslow",
                "which causes fit them",
            ),
        ],
    ),
    (
        "run",
        &[
            (
                "whyslow run --standard -o before.whyslow",
                "10 processes a point, for records that will be compared",
            ),
            ("whyslow run --only 'os.*,ctx.*'", "some points only"),
            (
                "whyslow run --until ±3%",
                "until half of the points are known within 3 %",
            ),
            (
                "whyslow run --resume before.whyslow",
                "go on with a run that was stopped",
            ),
            (
                "whyslow run --against before.whyslow -o after.whyslow",
                "measure on only where the difference is open",
            ),
        ],
    ),
    (
        "list",
        &[
            (
                "whyslow list 'mem.*'",
                "what these probes measure, how, and what others call it",
            ),
            (
                "whyslow list --points --suite byte",
                "the points of a suite that a run would measure here",
            ),
        ],
    ),
    (
        "host",
        &[
            ("whyslow host", "facts and state for reading"),
            (
                "whyslow host --format json > before.json",
                "to be compared later: whyslow compare before.json after.json",
            ),
        ],
    ),
    (
        "show",
        &[
            (
                "whyslow show before.whyslow",
                "what the run printed at its end",
            ),
            (
                "whyslow show before.whyslow --format csv",
                "every point, for a spreadsheet",
            ),
            (
                "whyslow show a.whyslow b.whyslow --format lmbench",
                "lmbench's summary tables, a row a machine",
            ),
        ],
    ),
    (
        "import",
        &[
            (
                "whyslow import results.txt",
                "another tool's results to a record; its format is recognized",
            ),
            (
                "whyslow import results.txt --fact kernel=6.1 --fact hypervisor=kvm",
                "with what is known of the machine",
            ),
        ],
    ),
    (
        "compare",
        &[
            (
                "whyslow compare before.whyslow after.whyslow",
                "which differences are real",
            ),
            (
                "whyslow compare before.whyslow after.whyslow --fail-on slower",
                "exit code 1 only if something became slower",
            ),
            (
                "whyslow compare table.txt#stock table.txt#patched",
                "two columns of another tool's output",
            ),
        ],
    ),
    (
        "explain",
        &[
            ("whyslow explain a.whyslow", "what holds one machine back"),
            (
                "whyslow explain a.whyslow b.whyslow",
                "causes that fit the difference, with the evidence",
            ),
            (
                "whyslow explain a.whyslow b.whyslow --experiment",
                "settles on this host what the records leave open",
            ),
        ],
    ),
    (
        "report",
        &[
            (
                "whyslow report a.whyslow -o a.html",
                "one machine on one page",
            ),
            (
                "whyslow report a.whyslow b.whyslow -o ab.html",
                "two compared, explained and drawn",
            ),
            (
                "whyslow report *.whyslow -o all.html",
                "up to fifty, ranked beside the first",
            ),
        ],
    ),
    (
        "catalog",
        &[
            (
                "whyslow catalog",
                "machines with their memory latency, and who published it",
            ),
            (
                "whyslow show a.whyslow --no-catalog",
                "a record without where it stands among them",
            ),
        ],
    ),
    (
        "plot",
        &[
            (
                "whyslow plot mem.latency a.whyslow b.whyslow -o curve.svg",
                "two latency curves",
            ),
            (
                "whyslow plot 'os.*' a.whyslow -o calls.png --theme dark",
                "a picture for a slide",
            ),
            (
                "whyslow plot mem.latency a.whyslow b.whyslow --names before,after --width 440 -o column.svg",
                "a column of a paper",
            ),
        ],
    ),
    (
        "card",
        &[
            ("whyslow card a.whyslow -o card.png", "one machine"),
            (
                "whyslow card a.whyslow --against b.whyslow -o card.svg",
                "two, with the ratios",
            ),
        ],
    ),
    (
        "mcp",
        &[(
            "whyslow mcp",
            "what the configuration of an agent names as the command of a server",
        )],
    ),
    (
        "doctor",
        &[
            ("whyslow doctor", "what to mend before a run"),
            ("whyslow doctor --format json", "the same for a program"),
        ],
    ),
    (
        "color",
        &[
            ("whyslow color map", "how many page colors this host has"),
            (
                "whyslow color run -- ./program",
                "a program with its large blocks on colored pages",
            ),
        ],
    ),
    (
        "color map",
        &[
            (
                "whyslow color map --budget 30",
                "search for longer on a busy host",
            ),
            (
                "whyslow color map --kernel",
                "the boot parameter for a kernel with page coloring",
            ),
        ],
    ),
    (
        "color bench",
        &[(
            "whyslow color bench --draws 20",
            "narrower intervals, twice the time",
        )],
    ),
    (
        "color run",
        &[
            (
                "whyslow color run -- ./program --its-option",
                "all colors in turn",
            ),
            (
                "whyslow color run --colors 0-3 -- ./program",
                "only a part of the cache",
            ),
        ],
    ),
    (
        "load",
        &[
            (
                "whyslow load -j 1..4 -- make -j{j}",
                "a command under levels of load",
            ),
            (
                "whyslow load -L n=1..3 --prepare 'make clean' -- ./bench {n}",
                "a command with values put in",
            ),
            (
                "whyslow load --arm before --arm after=malloc-keep -- ./bench",
                "as it is and under a setting, in turns",
            ),
        ],
    ),
    (
        "tune",
        &[
            (
                "whyslow tune -- ./program",
                "settings that make it faster, each proven; nothing is applied",
            ),
            (
                "whyslow tune --setting env:OMP_NUM_THREADS=2 -- ./program",
                "a variable of your own",
            ),
        ],
    ),
    (
        "tune libc",
        &[(
            "whyslow tune libc -- ./program",
            "thresholds of the C library's copies, tried on a program",
        )],
    ),
    (
        "tune run",
        &[(
            "whyslow tune run -- ./program",
            "on memory routines that measuring chose",
        )],
    ),
    (
        "sim",
        &[
            (
                "whyslow sim --like a.whyslow",
                "the latency curve of a record under other placements of pages",
            ),
            (
                "whyslow sim --pattern stride --stride 256 --memory 4MiB",
                "misses of a pattern of accesses",
            ),
        ],
    ),
    (
        "fleet",
        &[
            (
                "whyslow fleet run records --slurm",
                "a record of every node, by jobs of Slurm",
            ),
            (
                "whyslow fleet report records",
                "which nodes are slow, in what, and why",
            ),
        ],
    ),
    (
        "fleet run",
        &[
            (
                "whyslow fleet run records --slurm --nodes 'n[01-64]' -- --standard",
                "10 processes a point on each of 64 nodes; the same again goes on with what is missing",
            ),
            (
                "whyslow fleet run records --slurm --confirm",
                "what the report suspects again, beside ordinary nodes",
            ),
            (
                "whyslow fleet run records --ssh hosts.txt --copy",
                "by ssh, with this program taken along",
            ),
            (
                "whyslow fleet run records --kubernetes REGISTRY/whyslow > jobs.yaml",
                "manifests of Jobs, to look at; --apply applies them and collects the records",
            ),
            (
                "whyslow fleet run records --launcher 'docker exec {node} {command}' --nodes c1,c2",
                "by anything that runs a command and passes its output on",
            ),
        ],
    ),
    (
        "fleet report",
        &[
            (
                "whyslow fleet report records --html nodes.html",
                "the verdicts, and the nodes by families on a page",
            ),
            (
                "whyslow fleet report records --format drain",
                "lines that drain the slow nodes in Slurm, to look at first",
            ),
            (
                "whyslow fleet report records --format csv > values.csv",
                "the values behind it, a line for each node, record and point",
            ),
        ],
    ),
    (
        "fleet index",
        &[(
            "whyslow fleet index records --rebuild",
            "the index anew from the records",
        )],
    ),
    (
        "fleet history",
        &[
            (
                "whyslow fleet history records n1 --html n1.html",
                "when the node became slower, by families, and a page with charts",
            ),
            (
                "whyslow fleet history records n1 --point 'os.*'",
                "the same of some points",
            ),
        ],
    ),
    (
        "selfcheck",
        &[
            (
                "whyslow selfcheck",
                "how often two runs of one host seem to differ",
            ),
            (
                "whyslow selfcheck --causes",
                "plant causes here: are they named?",
            ),
        ],
    ),
    (
        "restore",
        &[("whyslow restore", "after a run or an experiment was killed")],
    ),
    (
        "completions",
        &[
            (
                "whyslow completions bash > ~/.local/share/bash-completion/completions/whyslow",
                "for one user",
            ),
            ("whyslow completions fish | source", "for this shell alone"),
        ],
    ),
    (
        "man",
        &[
            ("whyslow man | man -l -", "the page of whyslow itself"),
            ("whyslow man compare | man -l -", "of one command"),
            (
                "whyslow man --all ~/.local/share/man/man1",
                "all of them as files",
            ),
        ],
    ),
];
