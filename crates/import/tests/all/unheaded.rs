//! Layouts of pages without a whole header, or without any: what a careful reader takes from them. The figures are made up.

use whyslow_import::import;

/// `system|title|values direction` of each row, and the rows that are refused.
fn check(layouts: &[(&str, &[&str], usize)]) {
    for (page, wanted, refused) in layouts {
        let imported = import(page.as_bytes(), "x", None).unwrap_or_else(|e| panic!("{e}: {page}"));
        assert_eq!(crate::common::rows_of(&imported), *wanted, "{page}");
        assert_eq!(imported.refused, *refused, "{page}");
    }
}

#[test]
fn columns_without_names_have_their_place() {
    check(&[
        (
            "alpha 1.5 2.5 3.5 4.5\nbeta 5.5 6.5 7.5 8.5\n",
            &[
                "column 1|alpha|1.5 Unsaid",
                "column 1|beta|5.5 Unsaid",
                "column 2|alpha|2.5 Unsaid",
                "column 2|beta|6.5 Unsaid",
                "column 3|alpha|3.5 Unsaid",
                "column 3|beta|7.5 Unsaid",
                "column 4|alpha|4.5 Unsaid",
                "column 4|beta|8.5 Unsaid",
            ],
            0,
        ),
        // Units that differ say what each figure is.
        (
            "1000x512  0.5 s  1187.5 MFLOPS\n1000x256  0.25 s  1981.5 MFLOPS\n",
            &[
                "|1000x512 s|0.5 Lower",
                "|1000x512 MFLOPS|1187.5 Higher",
                "|1000x256 s|0.25 Lower",
                "|1000x256 MFLOPS|1981.5 Higher",
            ],
            0,
        ),
        // A row with fewer figures than the others lacks one, and it is not known which.
        (
            "alpha 1.5 2.5 3.5 4.5\nbeta 5.5 6.5 7.5 8.5\ngamma 9.5 10.5 11.5\n",
            &[
                "column 1|alpha|1.5 Unsaid",
                "column 1|beta|5.5 Unsaid",
                "column 2|alpha|2.5 Unsaid",
                "column 2|beta|6.5 Unsaid",
                "column 3|alpha|3.5 Unsaid",
                "column 3|beta|7.5 Unsaid",
                "column 4|alpha|4.5 Unsaid",
                "column 4|beta|8.5 Unsaid",
            ],
            1,
        ),
    ]);
}

#[test]
fn names_over_figures_by_where_they_stand() {
    check(&[
        // The change behind the last column has no name, and the first name is that of the labels.
        (
            "fstat:\nproc\tstock\tno-pause\n1\t100\t101\t(+1%)\n2\t200\t210\t(+5%)\n8\t300\t450\t(+50%)\n",
            &[
                "stock|proc 1|100 Unsaid",
                "stock|proc 2|200 Unsaid",
                "stock|proc 8|300 Unsaid",
                "no-pause|proc 1|101 Unsaid",
                "no-pause|proc 2|210 Unsaid",
                "no-pause|proc 8|450 Unsaid",
            ],
            0,
        ),
        (
            "results in ns:\n\n  depth:  ones  twos three\n     4k: 1.681 1.671 1.669\n     8k: 1.667 1.669 1.671\n",
            &[
                "ones|4k|1.681 Lower",
                "ones|8k|1.667 Lower",
                "twos|4k|1.671 Lower",
                "twos|8k|1.669 Lower",
                "three|4k|1.669 Lower",
                "three|8k|1.671 Lower",
            ],
            0,
        ),
        // A cell is missing in the middle, between bars the last.
        (
            "Test      before     patched    tuned\npipe      1.5 us     2.5 us     3.5 us\nfork      4.5 us                5.5 us\n",
            &[
                "before|pipe|1.5 Lower",
                "before|fork|4.5 Lower",
                "patched|pipe|2.5 Lower",
                "tuned|pipe|3.5 Lower",
                "tuned|fork|5.5 Lower",
            ],
            0,
        ),
        (
            "| Test | before | after | tuned |\n|---|---|---|---|\n| pipe (us) | 1.5 | 2.5 | 3.5 |\n| fork (us) | 4.5 | 5.5 |\n",
            &[
                "before|pipe (us)|1.5 Lower",
                "before|fork (us)|4.5 Lower",
                "after|pipe (us)|2.5 Lower",
                "after|fork (us)|5.5 Lower",
                "tuned|pipe (us)|3.5 Lower",
            ],
            0,
        ),
    ]);
}

#[test]
fn spreads_and_counts_are_no_parameters() {
    check(&[
        (
            "Benchmark       (size)   Mode  Cnt   Score   Error    Units\n\
             Bench.one         1000  thrpt   20  11.439 ± 0.317  ops/min\n\
             Bench.one         2000  thrpt   20   9.439 ±  0.25  ops/min\n",
            &[
                "|Bench.one (size=1000) thrpt|11.439 Higher",
                "|Bench.one (size=2000) thrpt|9.439 Higher",
            ],
            0,
        ),
        (
            "Benchmark     Mode  Cnt      Score   Error  Units\n\
             Some.put     thrpt    2  11557.376          ops/s\n",
            &["|Some.put thrpt|11557.376 Higher"],
            0,
        ),
    ]);
}

#[test]
fn cells_of_several_figures_are_rows_of_their_own() {
    check(&[
        (
            "Place | read | write\n--- | --- | ---\nvolume | 87 IOPS / 1.5MiB/s | 84 IOPS / 1.25MiB/s\n",
            &[
                "read|volume IOPS|87 Higher",
                "read|volume MiB/s|1.5 Higher",
                "write|volume IOPS|84 Higher",
                "write|volume MiB/s|1.25 Higher",
            ],
            0,
        ),
        (
            "| Benchmark | Base | PR |\n|---|---|---|\n| alias | aliased u32: 1086.5<br/>plain: 1060.5 | aliased u32: 1091.5<br/>plain: 1085.5 |\n",
            &[
                "Base|alias aliased u32|1086.5 Lower",
                "Base|alias plain|1060.5 Lower",
                "PR|alias aliased u32|1091.5 Lower",
                "PR|alias plain|1085.5 Lower",
            ],
            0,
        ),
        (
            "keys Signing\n old: [207, 208, 209]\n new: [210, 211, 212]\n",
            &[
                "old|Signing|207 208 209 Unsaid",
                "new|Signing|210 211 212 Unsaid",
            ],
            0,
        ),
    ]);
}

#[test]
fn lines_of_words_and_of_logs() {
    check(&[
        (
            "libc memset:  copied 8 GB in 5335 milliseconds (1535 MiB/sec)\nmemcpy: copied 8 GB in 9624 milliseconds (851 MiB/sec)\n",
            &[
                "|libc memset: copied, milliseconds|5335 Lower",
                "|libc memset: copied, MiB/sec|1535 Higher",
                "|memcpy: copied, milliseconds|9624 Lower",
                "|memcpy: copied, MiB/sec|851 Higher",
            ],
            0,
        ),
        (
            "[2018-07-29 13:40:21] Total: 3.5 kH/s\n[2018-07-29 13:40:26] CPU #0: 0.75 kH/s\n[2018-07-29 13:40:31] Total: 3.25 kH/s\n",
            &["|Total|3.5 3.25 Higher", "|CPU #0|0.75 Higher"],
            0,
        ),
        (
            "http - keepalive x 386 ops/sec ±3.51% (265 runs sampled)\nsome - stream x 1,197 ops/sec ±1.66% (262 runs sampled)\n",
            &["|http - keepalive|386 Higher", "|some - stream|1197 Higher"],
            0,
        ),
        (
            "- plain 1MB sm,sock -> 3.5GB/s\n- pinned 1MB sm,sock -> 8.5GB/s\n",
            &[
                "|plain 1MB sm,sock|3.5 Higher",
                "|pinned 1MB sm,sock|8.5 Higher",
            ],
            0,
        ),
    ]);
}

#[test]
fn what_the_rows_are_called_is_said_to_be_missing() {
    let imported = import(b"alpha 1.5 2.5 3.5 4.5\nbeta 5.5 6.5 7.5 8.5\n", "x", None).unwrap();
    let notes = &imported.systems[0].notes;
    assert!(
        notes
            .iter()
            .any(|note| note.text.starts_with("no line names the columns of 2 rows")),
        "{notes:?}"
    );
}
