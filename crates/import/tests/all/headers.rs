//! Rows of posted tables whose labels and names are not where they seem to be.

use crate::common::assert_rows;

#[test]
fn labels_and_names() {
    for (text, wanted) in [
        // The colon of a label between bars ends no row.
        (
            "| Benchmark | Time | Time Old | Time New |\n|---|---|---|---|\n| send | -0.0288 | 966 | 938 |\n| send/threads:4 | +0.0164 | 425 | 432 |\n",
            vec!["Time Old| send: 966", "Time Old| send/threads:4: 425"],
        ),
        // One space parts the label of one row from its first figure.
        (
            "           min      max      avg\nSLAB       22.75    23.25    22.98\nSLUB       22.80    25.75    23.46\nSLUB (new) 22.74    23.54    23.00\n",
            vec!["SLUB (new)| min: 22.74", "SLUB (new)| avg: 23"],
        ),
        // One space parts two names.
        (
            "# test     alloc   time  rss     faults reclaims\n\ncfrac      je      04.08 2896    374    19\ncfrac      mi      02.70 22592   1595   21\n",
            vec!["time| cfrac je: 4.08", "reclaims| cfrac mi: 21"],
        ),
        // What an arrow points from says nothing that was measured, and a missing figure names no column.
        (
            "orbint: 3.5 s\npotcode: 6.5 s    <=== much slower\ntree: N/A\nlast: 2.5 s\n",
            vec!["| potcode: 6.5", "| last: 2.5"],
        ),
        // Minutes with a change behind them.
        (
            "index-pack\n    sha1dc: 4m19s\n  openssl: 2m19s (-42%)\n",
            vec!["| openssl: 139"],
        ),
        // Numbers of a list, and figures that are about so much.
        (
            "Memory\n  1. east 4.2: ~402.5MB average\n  2. west: ~435.5MB average\n",
            vec!["| east 4.2: 402.5", "| west: 435.5"],
        ),
        // Strokes between figures that have their names in front.
        (
            "create real 0m19.5s / user 0m13.5s / sys 0m5.5s\nupdate real 0m6.5s / user 0m4.5s / sys 0m1.5s\n",
            vec!["| create real: 19.5", "| update sys: 1.5"],
        ),
        // Powers of two say at what the figures below were measured.
        (
            "Boxes  1     4     8     16\nRate   3801  3532  3089  3064\n",
            vec!["Boxes 1| Rate: 3801", "Boxes 16| Rate: 3064"],
        ),
        // Headings of how many worked at once.
        (
            "- Running with 0 writers and 2 reader threads\nlock one: 7430.5 kHz\n- Running with 0 writers and 4 reader threads\nlock one: 7550.5 kHz\n",
            vec![
                "| - Running with 0 writers and 2 reader threads lock one: 7430.5",
                "| - Running with 0 writers and 4 reader threads lock one: 7550.5",
            ],
        ),
        // A label may end with an option.
        (
            "- -n 1024 -r 100: 2.75s\n- -n 1024 -r 100 -M: 2.5s\n",
            vec!["| n 1024 -r 100: 2.75", "| n 1024 -r 100 -M: 2.5"],
        ),
        // Changes tell which words are one name.
        (
            "AFP NFS change vs AFP SMB change vs AFP\nWrite 57.25 25.5 -55.5% 36.75 -35.8%\nRead 64.5 73.25 +13.6% 41.5 -35.7%\n",
            vec!["AFP| Write: 57.25", "NFS| Write: 25.5", "SMB| Read: 41.5"],
        ),
        // One change has no name, and the labels have one; of several each has a name.
        (
            "threads before after\n1 926,867 916,862 unchanged\n8 556,739 2,456,548 4.4x\n16 292,833 3,294,383 11.3x\n",
            vec!["before| threads 8: 556739", "after| threads 1: 916862"],
        ),
        (
            "User System Total C++ previous\nPerl 12.5 6.25 18.75 209% 209%\nPHP 20.5 13.75 34.25 477% 86%\n",
            vec!["User| Perl: 12.5", "Total| PHP: 34.25"],
        ),
        // Two lines of names between tabs.
        (
            "\t\twall\tsys\tcreate rate\tPhysical IO\n\t\ttime\tCPU\t(files/s)\tIOPS\tBandwidth\n\t\t----\t---\t----\t----\t----\n\
             unpatched\t6m56s\t15m47s\t24,000+/-500\t26,000\t130MB/s\npatched\t\t5m06s\t13m28s\t32,800+/-600\t 1,500\t180MB/s\n",
            vec![
                "unpatched| wall time: 416",
                "patched| Physical IO IOPS: 1500",
                "patched| Bandwidth: 180",
            ],
        ),
        // Whatever stands above Markdown's ruler are names.
        (
            "| Test | 8.1 | 9.0 |\n|---|---|---|\n| set | 125.5 | 130.5 |\n| get | 225.5 | 230.5 |\n",
            vec!["8.1| set: 125.5", "9.0| get: 230.5"],
        ),
    ] {
        assert_rows(text, &wanted);
    }
}
