//! Every layout of every format, to the last figure.

use whyslow_import::{Format, formats, import, recognise};

#[test]
fn every_layout_gives_its_figures() {
    for (format, name, bytes) in crate::common::samples() {
        let imported = import(&bytes, &name, None).unwrap_or_else(|e| panic!("{format}: {e}"));
        assert_eq!(imported.formats[0].name(), format, "{name}");
        assert!(imported.recognised);
        crate::common::assert_all_stand_in(&bytes, &imported);
        insta::assert_snapshot!(
            format!("{format}/{name}").replace('/', "__"),
            crate::common::shown(&imported)
        );
    }
}

#[test]
fn every_format_has_three_layouts() {
    let samples = crate::common::samples();
    for (format, what) in formats() {
        let layouts = samples.iter().filter(|(f, ..)| f == format).count();
        assert!(layouts >= 3, "{format}: {layouts} layouts");
        assert!(what.len() > 5);
        assert_eq!(Format::named(format).unwrap().name(), format);
    }
    assert!(Format::named("nonsense").is_none());
}

#[test]
fn line_ends_do_not_matter() {
    for (format, name, bytes) in crate::common::samples() {
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        let plain = import(text.as_bytes(), &name, None).unwrap();
        for ends in ["\r\n", "\r"] {
            let other = text.replace('\n', ends);
            let other = import(other.as_bytes(), &name, None).unwrap();
            assert_eq!(other.systems, plain.systems, "{format} {name}");
        }
    }
}

#[test]
fn a_named_format_is_taken_at_its_word() {
    let (_, name, bytes) = crate::common::samples().swap_remove(0);
    let format = recognise(&bytes).unwrap();
    assert!(!import(&bytes, &name, Some(format)).unwrap().recognised);
    let wrong = import(&bytes, "x.txt", Format::named("mbw")).unwrap_err();
    insta::assert_snapshot!(wrong, @"x.txt: no figure found in it as mbw (mbw (MEMCPY, DUMB, MCBLOCK)); is it another format?");
}

#[test]
fn what_cannot_be_read_is_one_clear_line() {
    let error = |bytes: &[u8]| {
        let error = import(bytes, "x.txt", None).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    let mut lines = vec![
        error(b""),
        error(b"\n\n"),
        error(b"hello\n"),
        error(b"\x7fELF\0\0\0\0\0\0"),
        error(
            &"name,value"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>(),
        ),
        error(b"name,value,unit\ny,2,s"),
        error(b"name,value,unit\nx,1.5.2,s\n"),
        error(b"name,value,unit\nx,\"1,5\",s\n"),
        error(b"name,value,better\nx,15,left\n"),
        error(b"name,value,unit\nx,15,s,3\n"),
        error(b"real 2m73.5s\n"),
        error(b"real 2,5\n"),
        error(b"{\"results\": [{\"command\": \"x\", \"times\": [1.5, 2"),
        error(b"# Running sched/pipe benchmark...\n  3,76 usecs/op\n"),
    ];
    // lmbench: a row of which it is not certain what is where.
    let table = "Context switching - times in microseconds - smaller is better\n\
                 Host                 OS  2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K\n                         ctxsw  ctxsw  ctxsw ctxsw  ctxsw   ctxsw   ctxsw\n\
                 --------- ------------- ------ ------ ------ ------ ------ ------- -------\n";
    lines.push(error(
        format!("{table}ds10 Linux 2.4 1.5 2.5 3.5\n").as_bytes(),
    ));
    lines.push(error(
        format!(
            "{table}ds10       Linux 2.4.23 1.8500 1.5200   23.0 7.33x0   36.0    10.7    47.3\n"
        )
        .as_bytes(),
    ));
    lines.push(error(
        format!("{table}ds10       Linux 2.4.23 1.8500 1.5200   23.0 7.3300   36.0    10.7    47.")
            .as_bytes(),
    ));
    insta::assert_snapshot!(lines.join("\n"), @r"
    x.txt: is empty
    x.txt: holds nothing but spaces
    x.txt: no known format recognized in it; name one with --format (apache-bench, armmem, autocannon, benchmark-js, benchstat, bonnie, bpf-bench, byte, catch2, columns, core-to-core, coremark, cpuminer, critcmp, criterion, cryptsetup, crystaldiskmark, cyclictest, db_bench, dbench, dd, disk-tools, filebench, fio, fs-mark, ggml-timings, glmark2, google-benchmark, h2load, hackbench, hammerdb, hey, hpl, hyperfine, hyperfine-text, io500, ior, iozone, iperf, jmh, json, k6, kbench, kernbench, lat_mem_rd, libtest, likwid-bench, linpack, linpackc, lkp, lmbench, lmbench-results, mbw, mdtest, memtier, ministat, mlc, mmtests, mpi, nbench, netperf, netperf-omni, numademo, openssl-speed, password-crackers, perf-bench, perf-stat, pft, pgbench, phoronix, phoronix-bars, ping, poop, pyperf, qperf, r-summary, ramlat, ramspeed, rdma, redis-benchmark, reframe, sbc-bench, schbench, score-list, seccomp-bench, 7-zip, slab_test, sockperf, spoken, stream, stress-ng, sysbench, sysstat, systemd-analyze, table, tcrypt, test-robot, time, time_bench, timeit, tinymembench, turbostat, ucx-perftest, usemem, vegeta, video-encoders, vmstat, will-it-scale, wrk, xdp-bench, yabs, ycsb)
    x.txt: is not text (byte 0x00 at offset 4); import takes the text that a tool printed
    x.txt: is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE
    x.txt:2: the input ends within this line, so its last number may be cut short; if it is whole, add a line end
    x.txt:2: '1.5.2' is no number; write it with digits and a decimal point only, without commas
    x.txt:2: '1,5' is no number; write it with digits and a decimal point only, without commas
    x.txt:2: 'left' is no direction; write lower or higher, or leave it out
    x.txt:2: 4 cells under a header of 3; fill the row up or take it out
    x.txt:1: '2m73.5s' is no time; set LC_ALL=C for the command
    x.txt:1: '2,5' is no time; set LC_ALL=C for the command
    x.txt:1: not JSON as hyperfine exports it (EOF while parsing a list); is the file whole?
    x.txt:2: '3,76' is no number; run perf bench with LC_ALL=C
    x.txt:5: cannot tell where the system's name ends and the numbers begin in 'ds10 Linux 2.4 1.5 2.5 3.5'; write the row under its header as lmbench printed it, or take it out
    x.txt:5: '7.33x0' is no number in 'ds10       Linux 2.4.23 1.8500 1.5200   23.0 7.33x0   36.0  ...'; write the row under its header as lmbench printed it, or take it out
    x.txt:5: the input ends within this line, so its last number may be cut short; if it is whole, add a line end
    ");
}

#[test]
fn the_largest_inputs_are_answered_soon() {
    let mut slow = Vec::new();
    for line in [
        "x\n",
        "Copy: 1.0 0.1 0.1 0.1\n",
        "a line of a log that has nothing to do with it, and that says that something took 17 ms\n",
    ] {
        let bytes = line.repeat((15 << 20) / line.len());
        let started = std::time::Instant::now();
        let error = import(bytes.as_bytes(), "big.log", None)
            .unwrap_err()
            .to_string();
        slow.push((started.elapsed().as_secs(), error));
    }
    for size in [15 << 20, 100 << 20] {
        let one = "9".repeat(size);
        let error = import(one.as_bytes(), "big.log", None).unwrap_err();
        slow.push((0, error.to_string()));
    }
    let errors: Vec<&str> = slow.iter().map(|(_, e)| e.as_str()).collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    big.log: has more than 250000 lines; cut out the results and import those
    big.log: has more than 250000 lines; cut out the results and import those
    big.log: no known format recognized in it; name one with --format (apache-bench, armmem, autocannon, benchmark-js, benchstat, bonnie, bpf-bench, byte, catch2, columns, core-to-core, coremark, cpuminer, critcmp, criterion, cryptsetup, crystaldiskmark, cyclictest, db_bench, dbench, dd, disk-tools, filebench, fio, fs-mark, ggml-timings, glmark2, google-benchmark, h2load, hackbench, hammerdb, hey, hpl, hyperfine, hyperfine-text, io500, ior, iozone, iperf, jmh, json, k6, kbench, kernbench, lat_mem_rd, libtest, likwid-bench, linpack, linpackc, lkp, lmbench, lmbench-results, mbw, mdtest, memtier, ministat, mlc, mmtests, mpi, nbench, netperf, netperf-omni, numademo, openssl-speed, password-crackers, perf-bench, perf-stat, pft, pgbench, phoronix, phoronix-bars, ping, poop, pyperf, qperf, r-summary, ramlat, ramspeed, rdma, redis-benchmark, reframe, sbc-bench, schbench, score-list, seccomp-bench, 7-zip, slab_test, sockperf, spoken, stream, stress-ng, sysbench, sysstat, systemd-analyze, table, tcrypt, test-robot, time, time_bench, timeit, tinymembench, turbostat, ucx-perftest, usemem, vegeta, video-encoders, vmstat, will-it-scale, wrk, xdp-bench, yabs, ycsb)
    big.log:1: is longer than 1 MiB, which no result is; cut out the results and import those
    big.log: is larger than 16 MiB; cut out the results and import those
    ");
    // Anything that is not linear would take hours.
    assert!(slow.iter().all(|(seconds, _)| *seconds < 60), "{slow:?}");
}
