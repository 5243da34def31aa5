//! What stands beside figures on a page and is none of them: numbers of what works at once, marks, empty columns. The figures
//! are made up.

use crate::common::assert_layouts as check;

#[test]
fn what_works_at_once_is_no_result() {
    check(&[
        (
            "| Command | Pipeline | io_threads | 8.1 | 9.0 | Diff | % Change |\n|---|---|---|---|---|---|---|\n\
             | GET rps | 1 | 9 | 1335.5 | 1352.5 | 17 | +1.3% |\n| GET rps | 4 | 9 | 1120.5 | 2531.5 | 1411 | +125.9% |\n",
            &[
                "8.1|GET rps 1|1335.5 Higher",
                "8.1|GET rps 4|1120.5 Higher",
                "9.0|GET rps 1|1352.5 Higher",
                "9.0|GET rps 4|2531.5 Higher",
            ],
        ),
        (
            "mutex test, write lock, 2 pinned threads 1547 ns\nmutex test, write lock, 4 pinned threads 1625 ns\n",
            &[
                "|mutex test, write lock, 2 pinned threads|1547 Lower",
                "|mutex test, write lock, 4 pinned threads|1625 Lower",
            ],
        ),
        (
            "writes of 1 MiB, 16 threads\n  IOPS:   1292   438   -66.1%\n  Bandwidth:   1323570   448910   -66.1%\n\n\
             writes of 1 MiB, 32 threads\n  IOPS:   1293   430   -66.7%\n  Bandwidth:   1324184   441188   -66.7%\n",
            &[
                "column 1|IOPS|1292 Higher",
                "column 1|Bandwidth|1323570 Higher",
                "column 1|IOPS|1293 Higher",
                "column 1|Bandwidth|1324184 Higher",
                "column 2|IOPS|438 Higher",
                "column 2|Bandwidth|448910 Higher",
                "column 2|IOPS|430 Higher",
                "column 2|Bandwidth|441188 Higher",
            ],
        ),
        (
            "test | first run | second run | difference\n-- | -- | -- | --\nlock_10M_ops | 0.157 | 0.158 | 0.6% |\n\
             lock_20M_ops | 0.945 | 0.943 | -0.2% |\n",
            &[
                "first run|lock_10M_ops|0.157 Unsaid",
                "first run|lock_20M_ops|0.945 Unsaid",
                "second run|lock_10M_ops|0.158 Unsaid",
                "second run|lock_20M_ops|0.943 Unsaid",
            ],
        ),
    ]);
}

#[test]
fn later_names_of_a_line_are_told_apart_by_the_first() {
    check(&[(
        "reads: 1.25K bandwidth: 4M\nwrites: 215K bandwidth: 16M\n",
        &[
            "|reads|1250 Higher",
            "|reads bandwidth|4000000 Higher",
            "|writes|215000 Higher",
            "|writes bandwidth|16000000 Higher",
        ],
    )]);
}

#[test]
fn a_column_of_changes_may_be_empty() {
    check(&[(
        "Device\tIOPS\tsys\tdiff\n==========\ndisk_a\t879K\t89\ndisk_b\t901K\t86\n",
        &[
            "disk_a|IOPS|879000 Higher",
            "disk_a|sys|89 Lower",
            "disk_b|IOPS|901000 Higher",
            "disk_b|sys|86 Lower",
        ],
    )]);
}

#[test]
fn marks_of_markdown_before_signs_are_none_of_the_figures() {
    check(&[(
        "| Test | old \\- rate (ops/s) | new \\- rate (ops/s) |\n|---|---|---|\n| set\\_one | 298540\\.5 | 301242\\.25 |\n",
        &[
            "old - rate (ops/s)|set_one|298540.5 Higher",
            "new - rate (ops/s)|set_one|301242.25 Higher",
        ],
    )]);
}
