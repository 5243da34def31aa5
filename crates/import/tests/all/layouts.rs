//! Layouts of posted tables, each with names of its own: what a careful reader takes from them.

use crate::common::assert_layouts as check;

#[test]
fn a_header_goes_on_below() {
    check(&[
        (
            "+--------+-------+-------+\n\
             | Kernel | plain | disk  |\n\
             |        |       | load  |\n\
             +--------+-------+-------+\n\
             | old    | 175 s | 185 s |\n\
             | new    | 182 s | 201 s |\n",
            &[
                "plain|old|175 Lower",
                "plain|new|182 Lower",
                "disk load|old|185 Lower",
                "disk load|new|201 Lower",
            ],
        ),
        (
            "| Test | before | after |\n|      | (us)   | (us)  |\n|------|--------|-------|\n\
             | pipe | 5.5    | 6.5   |\n| fork | 80.5   | 85.5  |\n",
            &[
                "before (us)|pipe|5.5 Lower",
                "before (us)|fork|80.5 Lower",
                "after (us)|pipe|6.5 Lower",
                "after (us)|fork|85.5 Lower",
            ],
        ),
        (
            "throughput\nv1 v1 v2\nopt none none\ncopy 5.5 4.5 3.5\nscan 7.5 6.5 8.5\n",
            &[
                "v1 opt|copy|5.5 Higher",
                "v1 opt|scan|7.5 Higher",
                "v1 none|copy|4.5 Higher",
                "v1 none|scan|6.5 Higher",
                "v2 none|copy|3.5 Higher",
                "v2 none|scan|8.5 Higher",
            ],
        ),
    ]);
}

#[test]
fn a_name_stands_over_several_columns() {
    check(&[
        (
            "Threads    Baseline (ops/s)        Patched (ops/s)\n           Mean      Stdev         Mean     Stdev\n\
             a          100210    120           101200   340\nb          198000    220           201100   540\n",
            &[
                "Baseline (ops/s)|a|100210 Higher",
                "Baseline (ops/s)|b|198000 Higher",
                "Patched (ops/s)|a|101200 Higher",
                "Patched (ops/s)|b|201100 Higher",
            ],
        ),
        (
            "|      | before |       | after  |       |\n\
             | size | MB/s   | us    | MB/s   | us    |\n\
             |------|--------|-------|--------|-------|\n\
             | 4K   | 100.5  | 9.5   | 120.5  | 8.5   |\n\
             | 8K   | 150.5  | 12.5  | 160.5  | 11.5  |\n",
            &[
                "before|4K MB/s|100.5 Higher",
                "before|4K us|9.5 Lower",
                "before|8K MB/s|150.5 Higher",
                "before|8K us|12.5 Lower",
                "after|4K MB/s|120.5 Higher",
                "after|4K us|8.5 Lower",
                "after|8K MB/s|160.5 Higher",
                "after|8K us|11.5 Lower",
            ],
        ),
        (
            "            latency (us)     rate (ops/s)\n\
             test        base   patched   base   patched\n\
             x           1.5    2.5       30.5   40.5\n\
             y           3.5    4.5       50.5   60.5\n",
            &[
                "base|x latency (us)|1.5 Lower",
                "base|x rate (ops/s)|30.5 Higher",
                "base|y latency (us)|3.5 Lower",
                "base|y rate (ops/s)|50.5 Higher",
                "patched|x latency (us)|2.5 Lower",
                "patched|x rate (ops/s)|40.5 Higher",
                "patched|y latency (us)|4.5 Lower",
                "patched|y rate (ops/s)|60.5 Higher",
            ],
        ),
    ]);
}

#[test]
fn columns_without_names_of_labels() {
    check(&[
        (
            "Old rate | Old share | New rate | New share | |\n---|---|---|---|---|\n\
             copy | 2482MB/s | 78% | 2221MB/s | 69% |\nadd | 2350MB/s | 73% | 2130MB/s | 67% |\n",
            &[
                "Old rate|copy|2482 Higher",
                "Old rate|add|2350 Higher",
                "New rate|copy|2221 Higher",
                "New rate|add|2130 Higher",
            ],
        ),
        (
            "- hackbench -g 1 -l 1000\n| Baseline | stddev | Patch | stddev |\n|----|----|----|----|\n\
             | 135.5 | 3.21 | 158.5 (-17.03%) | 4.69 |\n",
            &[
                "Baseline|hackbench -g 1 -l 1000|135.5 Lower",
                "Patch|hackbench -g 1 -l 1000|158.5 Lower",
            ],
        ),
    ]);
}

#[test]
fn spreads_and_remarks_are_no_columns() {
    check(&[
        (
            "             base           new\n\
             Elapsed Time     10.5 (0.1)     11.5 (0.2)    1%\n\
             System  Time     9.5  (2.8)     9.75 (7.5)   2%\n\
             Context Switches 85380   (3419.5)      84748   (1904.4)    -0.7%\n",
            &[
                "base|Elapsed Time|10.5 Lower",
                "base|System Time|9.5 Lower",
                "base|Context Switches|85380 Lower",
                "new|Elapsed Time|11.5 Lower",
                "new|System Time|9.75 Lower",
                "new|Context Switches|84748 Lower",
            ],
        ),
        (
            "Machine one\n--\n          Time (s)        Delta (%)\n\
             old()     22.5 ( +- 0.14s )           #  9.21 bytes/ns\n\
             new()     16.5 ( +- 0.06s )  -26.28%  # 12.50 bytes/ns\n",
            &["old()|Time (s)|22.5 Lower", "new()|Time (s)|16.5 Lower"],
        ),
        (
            "L1 Cache | 32KB | 49.5 GB/s\nMemory | 7.65GB | 10.5 GB/s\n",
            &["|L1 Cache|49.5 Higher", "|Memory|10.5 Higher"],
        ),
    ]);
}

#[test]
fn runs_and_sections() {
    check(&[
        (
            "without patch:\n  run 1: 12.25s\n  run 2: 12.5s\nwith patch:\n  run 1: 11.25s\n  run 2: 10.75s\n",
            &[
                "without patch|result|12.25 12.5 Lower",
                "with patch|result|11.25 10.75 Lower",
            ],
        ),
        (
            "kernel    run1   run2   avg\nvanilla   10.125   10.25   10.2 sec\npatched    9.125    9.5   9.1 sec\n",
            &[
                "vanilla|result|10.125 10.25 Lower",
                "patched|result|9.125 9.5 Lower",
            ],
        ),
        (
            "## Pipes\n```\nbench sched pipe -l 400000\n```\n|Test|Time (sec)|\n|:--|:--|\n\
             |old-0|1.5|\n|old-1|1.75|\n|fast-0|2.5|\n|fast-1|2.75|\n\
             ## Threads\n```\nbench threads -t 4\n```\n|Test|Events/sec|\n|:--|:--|\n\
             |old-0|10.5|\n|old-1|11.5|\n|fast-0|12.5|\n|fast-1|13.5|\n",
            &[
                "old-0|Pipes Time (sec)|1.5 Lower",
                "old-0|Threads Events/sec|10.5 Higher",
                "old-1|Pipes Time (sec)|1.75 Lower",
                "old-1|Threads Events/sec|11.5 Higher",
                "fast-0|Pipes Time (sec)|2.5 Lower",
                "fast-0|Threads Events/sec|12.5 Higher",
                "fast-1|Pipes Time (sec)|2.75 Lower",
                "fast-1|Threads Events/sec|13.5 Higher",
            ],
        ),
        (
            "Board A\nRead | 4.5 us\nScan | 6.5 us\n\nBoard 7\nRead | 5.5 us\nScan | 7.5 us\n",
            &[
                "Board A|Read|4.5 Lower",
                "Board A|Scan|6.5 Lower",
                "Board 7|Read|5.5 Lower",
                "Board 7|Scan|7.5 Lower",
            ],
        ),
    ]);
}

#[test]
fn directions_by_growth() {
    check(&[
        (
            "#jobs   stock          other / speedup\n 1   2000.5 (8.5)   1990.5 (7.5) / 0.995\n 2   4000.5 (9.5)   4100.5 (3.5) / 1.025\n",
            &[
                "stock|jobs 1|2000.5 Higher",
                "stock|jobs 2|4000.5 Higher",
                "other|jobs 1|1990.5 Higher",
                "other|jobs 2|4100.5 Higher",
            ],
        ),
        (
            "step      0 |      1 |\n----\ns8:     100 |    110 |\ns16     200 |    210 |\ns32     400 |    410 |\n\
             s64     800 |    810 |\ns128   1600 |   1610 |\n",
            &[
                "step 0|s8|100 Lower",
                "step 0|s16|200 Lower",
                "step 0|s32|400 Lower",
                "step 0|s64|800 Lower",
                "step 0|s128|1600 Lower",
                "step 1|s8|110 Lower",
                "step 1|s16|210 Lower",
                "step 1|s32|410 Lower",
                "step 1|s64|810 Lower",
                "step 1|s128|1610 Lower",
            ],
        ),
        (
            "threads | base | patch | %\n---|---|---|---\n1 | 21000 | 22000 | +4%\n2 | 41000 | 42000 | +2%\n4 | 80000 | 81000 | +1%\n",
            &[
                "base|threads 1|21000 Higher",
                "base|threads 2|41000 Higher",
                "base|threads 4|80000 Higher",
                "patch|threads 1|22000 Higher",
                "patch|threads 2|42000 Higher",
                "patch|threads 4|81000 Higher",
            ],
        ),
    ]);
}

#[test]
fn a_direction_that_nothing_says_is_kept_open() {
    check(&[
        (
            "Threads   base     patched   change\n1         15250    16250     +6.5%\n2         16125    17125     +6.2%\n",
            &[
                "base|Threads 1|15250 Unsaid",
                "base|Threads 2|16125 Unsaid",
                "patched|Threads 1|16250 Unsaid",
                "patched|Threads 2|17125 Unsaid",
            ],
        ),
        // Decimals alone do not make a time.
        (
            "           origin    patched\nset one    7545.25   7790.5\nset two    9359.5    9832.25\n",
            &[
                "origin|set one|7545.25 Unsaid",
                "origin|set two|9359.5 Unsaid",
                "patched|set one|7790.5 Unsaid",
                "patched|set two|9832.25 Unsaid",
            ],
        ),
        // What one column says is not said of another.
        (
            "build    throughput   peak RSS\nold      525.5        10.25\nnew      636.5        12.5\n",
            &[
                "old|throughput|525.5 Higher",
                "old|peak RSS|10.25 Lower",
                "new|throughput|636.5 Higher",
                "new|peak RSS|12.5 Lower",
            ],
        ),
    ]);
}

#[test]
fn changes_and_labels_stand_anywhere() {
    check(&[
        // Labels behind their figures.
        (
            "Score Before   Score After   Change Model\n   105.5          101.25       -4.0% alpha\n   132.5          122.25       -7.7% beta\n",
            &[
                "Score Before|alpha|105.5 Higher",
                "Score Before|beta|132.5 Higher",
                "Score After|alpha|101.25 Higher",
                "Score After|beta|122.25 Higher",
            ],
        ),
        // Spreads and changes without columns, and a number that belongs to the label.
        (
            "           ondemand (BASELINE)            performance\nHmean  1    427.25  +- 0.16% (       )     778.5  +- 0.10% (  82.20%)\n\
             Hmean  2    853.75  +- 0.09% (       )    1536.25 +- 0.03% (  79.93%)\n",
            &[
                "ondemand (BASELINE)|Hmean 1|427.25 Unsaid",
                "ondemand (BASELINE)|Hmean 2|853.75 Unsaid",
                "performance|Hmean 1|778.5 Unsaid",
                "performance|Hmean 2|1536.25 Unsaid",
            ],
        ),
        // Numbers with words behind them are part of the label.
        (
            "Test Before After Change (positive is better)\nCopy 256 bufsize 500 maxblocks 1255.5 922.25 -26.5%\n\
             Pipe Throughput 1672.5 765.5 -54.2%\n",
            &[
                "Before|Copy 256 bufsize 500 maxblocks|1255.5 Higher",
                "Before|Pipe Throughput|1672.5 Higher",
                "After|Copy 256 bufsize 500 maxblocks|922.25 Higher",
                "After|Pipe Throughput|765.5 Higher",
            ],
        ),
        // Marks of a diff in front of bars.
        (
            " | Item | old    | new    |\n |------|--------|--------|\n-| a    | 5.5 ms | 6.5 ms |\n+| b    | 7.5 ms | 6.5 ms |\n",
            &[
                "old|a|5.5 Lower",
                "old|b|7.5 Lower",
                "new|a|6.5 Lower",
                "new|b|6.5 Lower",
            ],
        ),
    ]);
}

#[test]
fn what_tells_rows_of_one_label_apart() {
    check(&[
        (
            "| CPUs | | old | new |\n|---|---|---|---|\n| 1 | one client | 5.5 ms | 6.5 ms |\n\
             | 1 | eight clients | 7.5 ms | 8.5 ms |\n| 4 | one client | 3.5 ms | 4.5 ms |\n",
            &[
                "old|1 one client|5.5 Lower",
                "old|1 eight clients|7.5 Lower",
                "old|4 one client|3.5 Lower",
                "new|1 one client|6.5 Lower",
                "new|1 eight clients|8.5 Lower",
                "new|4 one client|4.5 Lower",
            ],
        ),
        (
            "| lane | size | old | new |\n|---|---|---|---|\n| log | 1 MiB | 5.5 ms | 6.5 ms |\n\
             | log | 8 MiB | 7.5 ms | 8.5 ms |\n| raw | 1 MiB | 3.5 ms | 4.5 ms |\n\
             | raw | 8 MiB | 9.5 ms | 2.5 ms |\n",
            &[
                "old|log, size 1 MiB|5.5 Lower",
                "old|log, size 8 MiB|7.5 Lower",
                "old|raw, size 1 MiB|3.5 Lower",
                "old|raw, size 8 MiB|9.5 Lower",
                "new|log, size 1 MiB|6.5 Lower",
                "new|log, size 8 MiB|8.5 Lower",
                "new|raw, size 1 MiB|4.5 Lower",
                "new|raw, size 8 MiB|2.5 Lower",
            ],
        ),
        (
            "time per op/CAS, 1 domains:\n   5.5 ns\ntime per op/CAS, 2 domains:\n   6.5 ns\n\
             time per op/CAS, 4 domains:\n   7.5 ns\n",
            &[
                "|time per op/CAS, 1 domains|5.5 Lower",
                "|time per op/CAS, 2 domains|6.5 Lower",
                "|time per op/CAS, 4 domains|7.5 Lower",
            ],
        ),
    ]);
}

#[test]
fn what_a_test_was_given_is_no_result() {
    check(&[
        (
            " Host to Device, 1 Device(s)\n  Transfer Size (Bytes)   Bandwidth(MB/s)\n  4096                    150.5\n\n\
             \x20Device to Host, 1 Device(s)\n  Transfer Size (Bytes)   Bandwidth(MB/s)\n  4096                    250.5\n",
            &[
                "|Transfer Size (Bytes) 4096|150.5 Higher",
                "|Transfer Size (Bytes) 4096|250.5 Higher",
            ],
        ),
        // Guests are counted here, and are no side.
        (
            "#### RX\n| # of guest vCPUs | Before (Gbit/s) | After (Gbit/s) |\n|:---:|:---:|:---:|\n| 1 | 10.5 | 15.5 |\n\
             | 2 | 15.5 | 16.25 |\n#### TX\n| # of guest vCPUs | Before (Gbit/s) | After (Gbit/s) |\n|:---:|:---:|:---:|\n\
             | 1 | 8.5 | 13.5 |\n| 2 | 18.5 | 20.5 |\n",
            &[
                "Before (Gbit/s)|RX of guest vCPUs 1|10.5 Higher",
                "Before (Gbit/s)|RX of guest vCPUs 2|15.5 Higher",
                "Before (Gbit/s)|TX of guest vCPUs 1|8.5 Higher",
                "Before (Gbit/s)|TX of guest vCPUs 2|18.5 Higher",
                "After (Gbit/s)|RX of guest vCPUs 1|15.5 Higher",
                "After (Gbit/s)|RX of guest vCPUs 2|16.25 Higher",
                "After (Gbit/s)|TX of guest vCPUs 1|13.5 Higher",
                "After (Gbit/s)|TX of guest vCPUs 2|20.5 Higher",
            ],
        ),
    ]);
}

#[test]
fn tables_and_sentences_beside_what_a_tool_printed() {
    check(&[
        (
            "# Tests are approximate using memory only (no storage IO).\n\
             #     Algorithm |       Key |      Encryption |      Decryption\n\
             \x20       aes-xts        256b        18.5 MiB/s        18.25 MiB/s\n\n\
             | Run | Write (MB/s) | Read (MB/s) |\n| --- | --- | --- |\n| first | 14.5 | 10.5 |\n\
             | second | 17.5 | 10.25 |\n",
            &[
                "|aes-xts 256b encryption|18.5 Higher",
                "|aes-xts 256b decryption|18.25 Higher",
                "|Write (MB/s), first|14.5 Higher",
                "|Read (MB/s), first|10.5 Higher",
                "|Write (MB/s), second|17.5 Higher",
                "|Read (MB/s), second|10.25 Higher",
            ],
        ),
        (
            "Throughput 114.5 MB/sec (NB=143.25 MB/sec  1145.5 MBit/sec)\n\
             result with 1 handles, 100 loops: time  8.25 sec.\nresult with 1 handles, 100 loops: time  8.5 sec.\n",
            &[
                "|Throughput|114.5 Higher",
                "|result with 1 handles, 100 loops: time|8.25 8.5 Lower",
            ],
        ),
    ]);
}
