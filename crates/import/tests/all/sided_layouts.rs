//! More layouts in which two sides of a page are found by their names alone, with made-up figures.

use whyslow_import::{as_one, sided};

use crate::common::{assert_rows, titled};

#[test]
fn sides_are_found_in_many_layouts() {
    /// A page, the names of its sides, and what each has.
    type Page = (
        &'static str,
        [&'static str; 2],
        &'static [&'static str],
        &'static [&'static str],
    );
    let pages: [Page; 11] = [
        // The name of the test over the names of the sides.
        (
            "./map1 -t 4\nv1.0 (plain)\naverage:1500\nv1.0 + series\naverage:1750\n\n+16%\n\n\
             ./brk1 -t 4\nv1.0 (plain)\naverage:2500\nv1.0 + series\naverage:2750\n",
            ["v1.0 (plain)", "v1.0 + series"],
            &[
                "./map1 -t 4 v1.0 average: 1500",
                "./brk1 -t 4 v1.0 average: 2500",
            ],
            &[
                "./map1 -t 4 v1.0 average: 1750",
                "./brk1 -t 4 v1.0 average: 2750",
            ],
        ),
        // Words beside the name tell the blocks apart; runs stand in brackets.
        (
            "deep boost\n/dev/x\n[125, 126, 127]\ndeep no boost\n/dev/x\n[85, 86, 87]\n\
             flat boost\n/dev/x\n[135, 136, 137]\nflat no boost\n/dev/x\n[95, 96, 97]\n",
            ["deep", "flat"],
            &["boost result: 125 126 127", "no boost result: 85 86 87"],
            &["boost result: 135 136 137", "no boost result: 95 96 97"],
        ),
        // One name is the beginning of others, and a column says what a row was measured at.
        (
            "kernel     Tasks  Rate/s  Real\n2.6-as     32     601.5   316.25\n2.6-as2    32     304.5   624.5\n\
             2.6        32     299.5   634.25\n\n2.6-as     64     782.5   485.75\n2.6        64     450.5   843.5\n",
            ["2.6 ", "2.6-as "],
            &[
                "Rate/s, Tasks 32: 299.5",
                "Real, Tasks 32: 634.25",
                "Rate/s, Tasks 64: 450.5",
                "Real, Tasks 64: 843.5",
            ],
            &[
                "Rate/s, Tasks 32: 601.5",
                "Real, Tasks 32: 316.25",
                "Rate/s, Tasks 64: 782.5",
                "Real, Tasks 64: 485.75",
            ],
        ),
        // Runs with their mean behind an arrow, below the name of the test.
        (
            "one thread, build time only:\n\nV512  5.25  5.25 5.5 => 5.3\nV256  6.25  6.5 6.75 => 6.5\n\n\
             two threads, wall time:\n\nV512  20.5 20.75      => 20.6\nV256  19.5 19.75      => 19.6\n",
            ["V512", "V256"],
            &[
                "one thread, build time only: 5.25 5.25 5.5",
                "two threads, wall time: 20.5 20.75",
            ],
            &[
                "one thread, build time only: 6.25 6.5 6.75",
                "two threads, wall time: 19.5 19.75",
            ],
        ),
        // Names of the columns behind a mark, rows in single spaces.
        (
            "# test allocator elapsed rss\n\nsort mi 9.25 3440\nsort sn 9.5 12724\n\n\
             tree mi 7.25 5920\ntree sn 7.5 11856\n",
            ["mi", "sn"],
            &[
                "sort elapsed: 9.25",
                "sort rss: 3440",
                "tree elapsed: 7.25",
                "tree rss: 5920",
            ],
            &[
                "sort elapsed: 9.5",
                "sort rss: 12724",
                "tree elapsed: 7.5",
                "tree rss: 11856",
            ],
        ),
        // Rows of a tool with the name of the side in front.
        (
            "v1pre3ll   Throughput 22.25 MB/sec 64 procs\nv1         Throughput 12.5 MB/sec 64 procs\n\n\
             v1pre3ll   Throughput 14.75 MB/sec 128 procs\nv1         Throughput 7.5 MB/sec 128 procs\n",
            ["v1pre3ll", "v1"],
            &["Throughput 64 procs: 22.25", "Throughput 128 procs: 14.75"],
            &["Throughput 64 procs: 12.5", "Throughput 128 procs: 7.5"],
        ),
        // A name in front of one row of each paragraph.
        (
            "                  OLD        NEW   OLD-X\n\n           # Min Latencies: 00006      00007      00008\n\
             NICE(0)    # Max Latencies: 00191      00122      00089\n\n\
             \x20          # Min Latencies: 00016      00017      00018\n\
             NICE(9)    # Max Latencies: 00466      00277      00289\n",
            ["OLD", "NEW"],
            &[
                "NICE(0) # Min Latencies: 6",
                "NICE(0) # Max Latencies: 191",
                "NICE(9) # Min Latencies: 16",
                "NICE(9) # Max Latencies: 466",
            ],
            &[
                "NICE(0) # Min Latencies: 7",
                "NICE(0) # Max Latencies: 122",
                "NICE(9) # Min Latencies: 17",
                "NICE(9) # Max Latencies: 277",
            ],
        ),
        // Sizes that shrink over the figures.
        (
            "Block Size (KB):\t1024\t 512\t 256\nplain:\t4528MiB/s\t4501MiB/s\t4391MiB/s\n\
             coded:\t1749MiB/s\t1738MiB/s\t1702MiB/s\n",
            ["plain", "coded"],
            &["1024: 4528", "512: 4501", "256: 4391"],
            &["1024: 1749", "512: 1738", "256: 1702"],
        ),
        // A name that another one has a part of is the cell that is that name alone.
        (
            "| Setup | Native | Sync |\n|       |        | Own | :Native_osx |\n| --- | --- | --- | --- |\n\
             | one box | 12.25s | 0.25s | n/a |\n| two boxes | 3.5s | 0.5s | n/a |\n",
            ["Native", "Own"],
            &["one box n/a: 12.25", "two boxes n/a: 3.5"],
            &["one box n/a: 0.25", "two boxes n/a: 0.5"],
        ),
        // By place: the second of three figures in each cell, the right half of each line.
        (
            "size       rate\n 600     1828 / 1829 / 1830\n 700     2143 / 2145 / 2132\n",
            ["first of three", "second of three"],
            &["size 600: 1828", "size 700: 2143"],
            &["size 600: 1829", "size 700: 2145"],
        ),
        (
            "RNG      20 MB took 1.25 seconds,   15.5 MB/s   |   RNG      65 MB took 1.5 seconds,   62.5 MB/s\n\
             AES      25 MB took 1.125 seconds,  22.25 MB/s  |   AES     515 MB took 1.25 seconds,  511.5 MB/s\n",
            ["first column", "second column"],
            &["RNG: 15.5", "AES: 22.25"],
            &["RNG: 62.5", "AES: 511.5"],
        ),
    ];
    for (text, names, a, b) in pages {
        let found = sided(text.as_bytes(), "x.txt", names).unwrap();
        let [left, right] = found.unwrap_or_else(|| panic!("no sides in\n{text}"));
        assert_eq!([titled(&left), titled(&right)], [a, b], "{text}");
    }
}

/// What is above and between the rows says which table they are of.
#[test]
fn titles_and_rulers_part_tables() {
    for (text, names, a, b) in [
        (
            "idle:\nKernel [runs]   Time  CPU%\n1.1      2   78   94.5\n1.2      3   79   96.5\n\
             busy:\nKernel [runs]   Time  CPU%\n1.1      2   93   81.5\n1.2      3   91   82.5\n",
            ["1.1", "1.2"],
            [
                "idle Kernel [runs]: 2",
                "idle Time: 78",
                "idle CPU%: 94.5",
                "busy Time: 93",
            ],
            [
                "idle Kernel [runs]: 3",
                "idle Time: 79",
                "idle CPU%: 96.5",
                "busy Time: 91",
            ],
        ),
        (
            "One, 64 bytes:\n* 4,739,057 - base\n* 4,749,550 - no cache\n* 4,786,899 - with cache\n1% gain\n\n\
             Two, 1500 bytes:\n* 3,731,189 - base\n* 3,579,414 - no cache\n* 3,931,708 - with cache\n5% gain\n",
            ["no cache", "with cache"],
            [
                "One, 64 bytes: 4749550",
                "Two, 1500 bytes: 3579414",
                "One, 64 bytes: 4749550",
                "One, 64 bytes: 4749550",
            ],
            [
                "One, 64 bytes: 4786899",
                "Two, 1500 bytes: 3931708",
                "One, 64 bytes: 4786899",
                "One, 64 bytes: 4786899",
            ],
        ),
        (
            "before\t\tafter\n\n1 thread\navg:\t2961.5\t\t\t    avg:   12069.5\n\n2 thread\navg:   5020.5\t\t\t    avg:   17827.5\n",
            ["before", "after"],
            [
                "1 thread avg: 2961.5",
                "2 thread avg: 5020.5",
                "1 thread avg: 2961.5",
                "1 thread avg: 2961.5",
            ],
            [
                "1 thread avg: 12069.5",
                "2 thread avg: 17827.5",
                "1 thread avg: 12069.5",
                "1 thread avg: 12069.5",
            ],
        ),
        (
            "ops/s real (old patch)\tops/s real (new)\n\t3593\t 3268\n\t3571\t 3314\nHMean\t3567\t3295\n",
            ["old patch", "new"],
            [
                "ops/s real: 3593 3571",
                "HMean: 3567",
                "HMean: 3567",
                "HMean: 3567",
            ],
            [
                "ops/s real: 3268 3314",
                "HMean: 3295",
                "HMean: 3295",
                "HMean: 3295",
            ],
        ),
        (
            "======= ====== ====== ==== ====\nModel   Clock  1 Core 2    4\n======= ====== ====== ==== ====\n\
             4 X A75 2.0GHz 1500   1600 1800\nA75[2]  2.0GHz 1700   1900\n======= ====== ====== ==== ====\n",
            ["4 X A75", "A75[2]"],
            ["1 Core: 1500", "2: 1600", "4: 1800", "1 Core: 1500"],
            ["1 Core: 1700", "2: 1900", "2: 1900", "2: 1900"],
        ),
    ] {
        let found = sided(text.as_bytes(), "x.txt", names).unwrap();
        let [left, right] = found.unwrap_or_else(|| panic!("no sides in\n{text}"));
        for (record, wanted) in [(left, a), (right, b)] {
            let own = titled(&record);
            assert!(
                wanted.iter().all(|row| own.iter().any(|own| own == row)),
                "{own:?}"
            );
        }
    }
}

/// What two names with the same words differ in are their signs.
#[test]
fn signs_tell_names_apart() {
    let text = "threads   a + b    a - b\n1         10.5     11.5\n2         20.5     21.5\n";
    let found = sided(text.as_bytes(), "x.txt", ["a + b", "a - b"]).unwrap();
    let [left, right] = found.unwrap();
    assert_eq!(titled(&left), ["threads 1: 10.5", "threads 2: 20.5"]);
    assert_eq!(titled(&right), ["threads 1: 11.5", "threads 2: 21.5"]);
}

#[test]
fn columns_of_a_page_of_one_side_are_rows() {
    let text = "tasks   processes   threads\n16      8283274.5   5594261.5\n";
    let record = as_one(text.as_bytes(), "x.txt").unwrap().unwrap();
    assert_eq!(
        titled(&record),
        [
            "tasks 16, processes: 8283274.5",
            "tasks 16, threads: 5594261.5"
        ]
    );
}

#[test]
fn posted_tables_in_more_layouts() {
    for (text, wanted) in [
        // What tells rows of one label apart.
        (
            "| Build | Level | Before | After |\n|---|---|---|---|\n| gcc | 1 | 931.5 | 904.5 |\n| gcc | 2 | 849.5 | 822.5 |\n\
             | clang | 1 | 705.5 | 683.5 |\n| clang | 2 | 670.5 | 649.5 |\n",
            vec!["Before| gcc 1: 931.5", "Before| gcc 2: 849.5"],
        ),
        // Names behind the figures.
        (
            "| Base | Diff | Base/Diff | Test |\n|---|---|---|---|\n| 0.5 | 0.75 | 0.67 | A.B.Copy |\n| 1.5 | 1.25 | 1.2 | A.B.Move |\n",
            vec!["Base| A.B.Copy: 0.5", "Base| A.B.Move: 1.5"],
        ),
        // Means and runs before and behind an arrow, each with its spread and its own unit.
        (
            "- dump: 183 ms +- 4 ms -> 1.25 sec +- 0.1 sec: 6.83x slower\n- load: 6.25 ms +- 0.5 ms -> 6.5 ms +- 0.2 ms: 1.04x slower\n",
            vec![
                "first of each pair| dump: 183",
                "first of each pair| load: 6.25",
            ],
        ),
        // Names over the figures of an arrow.
        (
            "                xen        tsc\n                ------     ------\nGET             17504.5 => 20262.5 ( 15.76% )\nGET RANGE       12853.5 => 14707.5 ( 14.42% )\nGET KEY         11693.5 => 13057.5 ( 11.67% )\n",
            vec!["xen| GET: 17504.5", "tsc| GET RANGE: 14707.5"],
        ),
        // Headings that are drawn on both ends tell the same rows apart.
        (
            "--- reading rows ---\neast x 597,935 ops/sec ±0.21%\nwest x 9,086 ops/sec ±0.27%\n\n--- reading 100 rows ---\neast x 17,584 ops/sec ±0.19%\nwest x 4,493 ops/sec ±0.3%\n",
            vec!["reading rows| east: 597935", "reading 100 rows| west: 4493"],
        ),
        // A diff of two results.
        (
            "--- a/old\n+++ b/new\n@@ -1,3 +1,3 @@\n fixed: 3.5 s\n-get: 1.25 s\n-put: 2.25 s\n+get: 1.5 s\n+put: 2.5 s\n",
            vec![
                "lines with -| get: 1.25",
                "lines with +| put: 2.5",
                "lines with +| fixed: 3.5",
            ],
        ),
        // Keys whose figures a space parts from them, and what follows from both.
        (
            "gin (100k rows) base= 1448.2ms patch= 572.5ms 2.53x\ngin (300k rows) base= 3728.5ms patch= 1332.5ms 2.80x\n",
            vec![
                "gin (100k rows) base| result: 1448.2",
                "gin (300k rows) patch| result: 1332.5",
            ],
        ),
        // Hours, minutes and seconds with their letters.
        (
            "| version | east | west |\n|---|---|---|\n| 3.1 | 2h:55m:17s | 2h:49m:54s |\n| 3.2 | 2h:44m:31s | 2h:40m:04s |\n",
            vec!["east| version 3.1: 10517", "west| version 3.2: 9604"],
        ),
        // A comment of a patch, and the commands of a shell's trace.
        (
            "+# + env time /p/rm -rf 1\n+# 0.19user 12.09system 0:14.42elapsed 85%CPU (0avgtext+0avgdata 0maxresident)k\n+# + env time /q/rm -rf 2\n\
             +# 0.13user 0.93system 0:01.08elapsed 98%CPU (0avgtext+0avgdata 0maxresident)k\n",
            vec![
                "| user, env time /p/rm -rf 1: 0.19",
                "| sys (system), env time /q/rm -rf 2: 0.93",
            ],
        ),
        // A time with colons and its unit, behind the name that it has within another one.
        (
            "** east build time: `[INFO] Total time:  32.453 s`\n** west build time: `[INFO] Total time:  27:37 min`\n",
            vec!["| west build time: `[INFO] Total time: 1657"],
        ),
        // Figures that are marked as code, below names with the commits that they are of.
        (
            "| Benchmark suite | Current: 4b1e65e573db | Previous: 06ce6d2a95e7 | Ratio |\n|-|-|-|-|\n| `sort` | `1729.5` ops/sec (`±1.2%`) | `1606.5` ops/sec (`±0.9%`) | `0.93` |\n\
             | `seek` | `1502.5` ops/sec (`±1.2%`) | `1471.5` ops/sec (`±1.1%`) | `0.98` |\n",
            vec![
                "Current: 4b1e65e573db| sort: 1729.5",
                "Previous: 06ce6d2a95e7| seek: 1471.5",
            ],
        ),
        // Changes behind the last column that have no name.
        (
            "                              before     after\nExecl Throughput              29431.5   29545.8   0.39%\nPipe Throughput              8849077.7  8917009.4   0.77%\n\
             System Call Overhead         9248212.6  9353348.6   1.14%\nProcess Creation             4008.6     4419.6    +10.3%\n",
            vec![
                "before| System Call Overhead: 9248212.6",
                "after| Process Creation: 4419.6",
            ],
        ),
        // A cost of throughput is no throughput.
        (
            "| measurement | morning | evening |\n|---|---|---|\n| throughput_cost_all | 420.8 | 219.3 |\n| writes_per_second | 419.5 | 419.25 |\n",
            vec!["morning| throughput_cost_all: 420.8"],
        ),
        // Several named figures, each behind an arrow.
        (
            "1000 times get(8) -> 49 cycles put -> 77 cycles\n1000 times get(16) -> 51 cycles put -> 79 cycles\n",
            vec!["| times get(8): 49", "| put: 77 79", "| times get(16): 51"],
        ),
        // A row that says all of itself beside those of a tool.
        (
            "Build of everything: 319.5 s\n\nAVG\tMethod: MEMCPY\tElapsed: 0.05\tMiB: 1024.0\tCopy: 19159.5 MiB/s\n\
             AVG\tMethod: DUMB\tElapsed: 0.19\tMiB: 1024.0\tCopy: 5342.5 MiB/s\n",
            vec!["| Build of everything: 319.5"],
        ),
        // One label, and what it is of in brackets behind the figures.
        (
            "Time per request:   2777.5 [ms] (mean)\nTime per request:   277.5 [ms] (mean, across all)\n",
            vec![
                "| Time per request, mean: 2777.5",
                "| Time per request, mean, across all: 277.5",
            ],
        ),
    ] {
        assert_rows(text, &wanted);
    }
}

#[test]
fn names_are_compared_without_tags() {
    let cell = |words: &str| format!("<td>\n  {words}\n</td>\n");
    let row = |words: [&str; 4]| format!("<tr>\n{}</tr>\n", words.map(cell).concat());
    let page = [
        ["Test", "Box 3<br />old", "Box 7<br />old", "Box 7<br />new"],
        ["sort", "217.5", "1,450.5", "1,421.5"],
        ["seek", "524.5", "1,054", "874.5"],
    ]
    .map(row);
    let page = format!("<table>\n{}</table>\n", page.concat());
    for names in [
        ["Box 7<br />old", "Box 7<br />new"],
        ["<b>Box 7</b><br>old", "Box 7 new"],
    ] {
        let [a, b] = sided(page.as_bytes(), "x.html", names).unwrap().unwrap();
        let values = |record: &whyslow_model::Record| -> Vec<f64> {
            let all = crate::common::values(record).into_iter();
            all.map(|(.., value)| value).collect()
        };
        assert_eq!(values(&a), [1450.5, 1054.0], "{names:?}");
        assert_eq!(values(&b), [1421.5, 874.5], "{names:?}");
    }
}
