//! The published tables in `docs/seeds`: each is imported as it is, systems and figures complete.

use std::path::Path;

use whyslow_import::{Imported, import, save};
use whyslow_model::store;

fn seed(name: &str) -> Imported {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeds");
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let imported = import(&bytes, name, None).unwrap();
    crate::common::assert_all_stand_in(&bytes, &imported);
    imported
}

fn systems(imported: &Imported) -> Vec<&str> {
    let origins = imported.systems.iter().map(|r| r.origin.as_ref().unwrap());
    origins.map(|o| o.system.as_str()).collect()
}

fn values(imported: &Imported, system: usize, point: &str) -> Vec<f64> {
    let all = crate::common::values(&imported.systems[system]).into_iter();
    all.filter(|(p, ..)| p == point).map(|(.., v)| v).collect()
}

#[test]
fn seed_2_is_two_kernels_with_three_runs_each() {
    let two = seed("seed2-lmbench.txt");
    assert_eq!(two.formats[0].name(), "lmbench");
    assert_eq!(systems(&two), ["ds10 Linux 2.4.23", "ds10 Linux 2.4.23a"]);
    for record in &two.systems {
        assert_eq!(record.header.rounds, 3);
        let origin = record.origin.as_ref().unwrap();
        assert_eq!(origin.unit_of_repetition, "lmbench runs");
        for planned in &record.plan.points {
            assert_eq!(
                record.measured(&planned.point).count(),
                3,
                "{}",
                planned.point
            );
        }
    }
    // 11 + 7 + 8 + 9 columns, 2p/0K printed again, RPC and UDP blank.
    assert_eq!(two.systems[0].plan.points.len(), 11 + 7 + 4 + 8 + 9);
    let get = |system, point| values(&two, system, point);
    assert_eq!(get(0, "lmbench.stat"), [3.27, 3.31, 3.43]);
    assert_eq!(get(1, "lmbench.stat"), [3.80, 3.68, 3.68]);
    assert_eq!(get(1, "lmbench.file_delete_0k"), [10.9, 10.9, 11.0]);
    assert_eq!(get(0, "lmbench.mmap_latency"), [411.0, 412.0, 7143.0]);
    assert_eq!(get(0, "lmbench.ctxsw{procs=2,size=0K}"), [1.85, 1.46, 1.57]);
    assert_eq!(get(0, "lmbench.tcp_latency"), [42.6, 41.2, 41.0]);
    assert_eq!(get(0, "lmbench.tcp_conn"), [169.0, 171.0, 176.0]);
    assert_eq!(get(0, "lmbench.sh_proc"), [11e3, 11e3, 12e3]);
    assert_eq!(get(1, "lmbench.file_reread"), [328.0, 326.3, 324.6]);
    insta::assert_snapshot!(crate::common::shown(&two));
}

#[test]
fn seed_3_is_two_machines() {
    let byte = seed("seed3-byte.txt");
    assert_eq!(byte.formats[0].name(), "byte");
    assert_eq!(systems(&byte), ["appserver.geo", "beastie.lab"]);
    assert_eq!(byte.systems[0].plan.points.len(), 27);
    let switching = "byte.pipe_based_context_switching_test";
    assert_eq!(values(&byte, 0, switching), [340_616.2]);
    assert_eq!(values(&byte, 1, switching), [89_968.4]);
    insta::assert_snapshot!(crate::common::shown(&byte));

    let ramspeed = seed("seed3-ramspeed.txt");
    assert_eq!(ramspeed.formats[0].name(), "ramspeed");
    assert_eq!(systems(&ramspeed), ["appserver.geo", "beastie.lab"]);
    let first = "ramspeed.speed{column=1,block=512Kb}";
    assert_eq!(values(&ramspeed, 1, first), [849.7]);
    insta::assert_snapshot!(crate::common::shown(&ramspeed));
}

#[test]
fn seeds_1_and_5_are_tables() {
    let smp = seed("seed5-smp.txt");
    assert_eq!(smp.formats[0].name(), "table");
    assert_eq!(systems(&smp), ["1.2.5", "1.3.37 SMP"]);
    assert_eq!(values(&smp, 1, "table.sieve{processes=2}"), [27.0]);
    insta::assert_snapshot!(crate::common::shown(&smp));

    let curve = seed("seed1-curve.txt");
    assert_eq!(systems(&curve), ["Linux 2.2.1", "Digital Unix"]);
    insta::assert_snapshot!(crate::common::shown(&curve));
}

#[test]
fn a_saved_record_reads_back_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.whyslow");
    let record = seed("seed3-byte.txt").systems.remove(0);
    assert_eq!(save(record.clone(), &path).unwrap(), path);
    let mut back = store::read(&path).unwrap();
    assert!(back.footer.take().is_some());
    assert_eq!(back, record);
    let before = std::fs::read(&path).unwrap();
    let again = save(record, &path).unwrap_err().to_string();
    assert!(again.contains("exists already"), "{again}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// Both tables on one page, as its text is when it is copied: each cell on a line of its own.
#[test]
fn seed_3_as_it_was_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeds");
    let mut page = String::from("Updated January 31, 2004\nTwo machines, and a table of each:\n");
    let mut tables = Vec::new();
    for (name, words) in [
        ("seed3-byte.txt", "The figures of the suite follow.\n"),
        (
            "seed3-ramspeed.txt",
            "The figures of the other (in KB/s) follow.\n",
        ),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        page += words;
        for line in text
            .lines()
            .filter(|l| l.starts_with('|') && !l.contains("---|"))
        {
            let cells = line.trim_matches('|').split('|').map(str::trim);
            page += &cells.fold("|\n".to_owned(), |row, cell| row + cell + " |\n");
        }
        tables.push(seed(name));
    }
    page += "So an advantage of about 4% is left, with caches (<= 64KB) and without.\n";
    let both = import(page.as_bytes(), "page", None).unwrap();
    assert_eq!((both.kept, &both.refusals), (42, &Vec::new()));
    assert_eq!(systems(&both), ["appserver.geo", "beastie.lab"]);
    for (at, record) in both.systems.iter().enumerate() {
        assert_eq!(record.origin.as_ref().unwrap().format, "byte, ramspeed");
        let apart = tables
            .iter()
            .flat_map(|t| crate::common::values(&t.systems[at]));
        assert_eq!(crate::common::values(record), apart.collect::<Vec<_>>());
    }
}
