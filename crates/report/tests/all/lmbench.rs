//! The summary tables of lmbench.

use crate::common::{Maker, check, plain};
use whyslow_model::Unit;
use whyslow_model::record::{Origin, Record};
use whyslow_model::summary::Summary;

fn shown(records: &[(Record, Summary)], width: usize) -> String {
    let records: Vec<(&Record, &Summary)> = records.iter().map(|(r, s)| (r, s)).collect();
    let text = whyslow_report::lmbench(&records, plain(width));
    check(&text, width);
    text
}

/// A machine that everything was measured on.
fn measured() -> (Record, Summary) {
    let mut maker = Maker::new();
    maker.all();
    let times = [
        ("os.write", 80.0),
        ("os.select{on=tcp,fds=100}", 2500.0),
        ("os.select{on=file,fds=100}", 900.0),
        ("os.signal_install", 90.0),
        ("os.signal_handle", 700.0),
        ("proc.fork{image=dynamic}", 1e5),
        ("cpu.op{op=add,type=int}", 0.25),
        ("cpu.op{op=bogomflops,type=double}", 2.5),
        ("ctx.ring{procs=8,size=16KiB,cpus=free}", 4000.0),
        ("ctx.ring{procs=8,size=16KiB,cpus=same-cpu}", 2000.0),
        ("net.latency{over=tcp,cpus=free}", 21_000.0),
        ("net.rpc{over=udp,cpus=free}", 31_000.0),
        ("net.connect{over=tcp,cpus=free}", 51_000.0),
        ("fs.create{size=0,after=fresh}", 5000.0),
        ("fs.create{size=0,after=deletes}", 155_000.0),
        ("fs.delete{size=10KiB}", 6000.0),
        ("vm.mmap{size=1MiB}", 9000.0),
        ("vm.mmap{size=64MiB}", 90_000.0),
        ("vm.page_fault{of=file,order=random,step=page}", 150.0),
        (
            "mem.latency{size=64MiB,order=stride,stride=128,pages=4k}",
            12.0,
        ),
    ];
    for (point, ns) in times {
        maker.single(point, Unit::Ns, ns);
    }
    let rates = [
        ("ipc.bandwidth{over=pipe,cpus=free}", 5.0),
        ("file.read{how=read,size=64MiB}", 8.0),
        ("mem.libc{op=memcpy,level=L1}", 400.0),
        ("mem.libc{op=memcpy,level=DRAM}", 30.0),
        ("mem.bandwidth{op=read,level=DRAM,cpus=1}", 40.0),
    ];
    for (point, rate) in rates {
        maker.single(point, Unit::GbPerS, rate);
    }
    maker.done()
}

/// A row of a published summary.
fn imported() -> (Record, Summary) {
    let mut maker = Maker::new();
    maker.record.host = None;
    maker.record.states.clear();
    maker.record.origin = Some(Origin {
        format: "lmbench".into(),
        file: "summary.txt".into(),
        system: "ds10 Linux 2.4.23".into(),
        unit_of_repetition: "lmbench runs".into(),
        stated: Default::default(),
    });
    for (point, value) in [
        ("lmbench.null_call", 0.32),
        ("lmbench.ctxsw{procs=2,size=0K}", 1.85),
        ("lmbench.bcopy_libc", 241.7),
    ] {
        maker.single(point, Unit::Count, value);
    }
    for planned in &mut maker.record.plan.points {
        planned.title = Some("as published".into());
        planned.symbol = Some("us".into());
    }
    maker.done()
}

#[test]
fn two_records() {
    insta::assert_snapshot!(shown(&[measured(), imported()], 110));
}

#[test]
fn a_copied_byte_counts_once_and_memory_is_meant() {
    let text = shown(&[measured()], 110);
    let row = text
        .lines()
        .skip_while(|l| !l.contains("Bcopy (libc)"))
        .nth(1)
        .unwrap()
        .to_owned();
    assert!(row.contains(" 15000 "), "{row}");
}

#[test]
fn calls_are_those_through_the_c_library_where_they_were_measured() {
    let mut maker = Maker::new();
    for (point, ns) in [
        ("os.null_call", 130.0),
        ("os.null_call{via=libc}", 190.0),
        ("os.stat", 700.0),
        ("ipc.pipe{cpus=same-cpu}", 4000.0),
        ("ipc.pipe{cpus=same-cpu,via=libc}", 5000.0),
    ] {
        maker.single(point, Unit::Ns, ns);
    }
    let text = shown(&[maker.done()], 110);
    for wanted in ["0.19", "0.70", "5.0"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    for absent in ["0.13", "4.0"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn narrow_and_empty() {
    shown(&[measured(), imported()], 60);
    let text = shown(&[Maker::new().done()], 80);
    assert!(text.contains("--suite lmbench"), "{text}");
}
