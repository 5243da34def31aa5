//! The report of BYTE's rows.

use crate::common::{Maker, check, plain};
use whyslow_model::Unit;

/// Every row of the index, as a machine near the one of the research had them.
const ROWS: [(&str, Unit, f64); 12] = [
    ("cpu.dhrystone", Unit::Ns, 11.5),
    ("cpu.whetstone{section=all}", Unit::Ns, 0.09),
    ("proc.execl{image=dynamic}", Unit::Ns, 420_000.0),
    ("file.byte{op=copy,buffer=256}", Unit::GbPerS, 0.33),
    ("file.byte{op=copy,buffer=1024}", Unit::GbPerS, 1.28),
    ("file.byte{op=copy,buffer=4096}", Unit::GbPerS, 4.2),
    ("ipc.pipe_self", Unit::Ns, 450.0),
    ("ipc.pipe{cpus=free}", Unit::Ns, 29_000.0),
    ("proc.fork{image=dynamic}", Unit::Ns, 120_000.0),
    ("proc.shell_scripts{concurrent=1}", Unit::Ns, 5.5e6),
    ("proc.shell_scripts{concurrent=8}", Unit::Ns, 27e6),
    ("os.call_mix", Unit::Ns, 107.0),
];

fn all() -> Maker {
    let mut maker = Maker::new();
    for (point, unit, value) in ROWS {
        maker.single(point, unit, value);
    }
    maker
}

fn shown(maker: &mut Maker, width: usize) -> String {
    let (record, summary) = maker.done();
    let text = whyslow_report::byte(&record, &summary, plain(width));
    check(&text, width);
    text
}

#[test]
fn whole_index() {
    let mut maker = all();
    maker.single("ipc.pipe{cpus=same-cpu}", Unit::Ns, 3800.0);
    maker.single("cpu.arith{type=short}", Unit::Ns, 150.0);
    insta::assert_snapshot!(shown(&mut maker, 100));
}

#[test]
fn part_of_the_index_with_copies() {
    let mut maker = Maker::new();
    maker.single("cpu.dhrystone", Unit::Ns, 10.0);
    maker.single("cpu.dhrystone{copies=2}", Unit::Ns, 5.0);
    maker.single("os.call_mix", Unit::Ns, 100.0);
    insta::assert_snapshot!(shown(&mut maker, 100));
}

/// 10 ns a loop are 1e8 loops a second: 10 / 116,700 times that.
#[test]
fn converts_as_it_says() {
    let mut maker = Maker::new();
    maker.noise = 0.0;
    maker.single("cpu.dhrystone", Unit::Ns, 10.0);
    maker.single("os.call_mix", Unit::Ns, 100.0);
    maker.single("cpu.whetstone{section=all}", Unit::Ns, 0.1);
    maker.single("file.byte{op=copy,buffer=1024}", Unit::GbPerS, 1.024);
    let text = shown(&mut maker, 100);
    let row = |name: &str| {
        text.lines()
            .find(|l| l.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(row("Dhrystone 2").contains("100,000,000 lps"), "{text}");
    assert!(
        row("System Call Overhead").contains("2,000,000 lps"),
        "{text}"
    );
    assert!(row("Double-Precision").contains("10,000 MWIPS"), "{text}");
    assert!(row("File Copy 1024").contains("1,000,000 KBps"), "{text}");
    assert!(text.contains("8,570"), "{text}");
}

#[test]
fn narrow_and_empty() {
    let text = shown(&mut all(), 60);
    assert!(text.contains("Index Score"));
    let text = shown(&mut Maker::new(), 80);
    assert!(text.contains("none of BYTE's rows"), "{text}");
}
