//! Indexes of `whyslow fleet` in PostgreSQL: what they tell, several writers, other versions, and a server that goes away.

use std::path::Path;

use whyslow_fleet::index::open;
use whyslow_fleet::{folder, read};

use crate::database::Server;
use crate::env::{Said, TestEnv};
use crate::fleet::fleet;

#[test]
fn a_database_tells_the_same_to_the_byte_as_a_file() {
    let Some(server) = Server::new() else { return };
    let env = TestEnv::new();
    fleet(&env);
    std::fs::write(env.path("fleet/n0/2.whyslow"), "no record").unwrap();
    let name = server.database("same");
    let said = env.run(&format!("fleet index fleet --index {name}"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.starts_with("11 records, of which 11 were read"),
        "{said:?}"
    );
    for format in ["json", "table", "drain"] {
        let told = |index: &str| env.run(&format!("fleet report fleet --format {format} {index}"));
        let (file, database) = (told(""), told(&format!("--index {name}")));
        assert_eq!(file.code, Some(1), "{file:?}");
        assert_eq!((file.code, &file.out), (database.code, &database.out));
        assert!(file.out.contains("n9"), "{file:?}");
    }
    // Other programs ask for rows.
    let rows = "SELECT count(*), count(DISTINCT node), bool_and(processes = 2) FROM whyslow_fleet.value \
                WHERE point <> family";
    let rows = server.ask("same", rows);
    let [values, nodes, processes] = rows.split('|').collect::<Vec<_>>()[..] else {
        panic!("{rows}");
    };
    assert!(values.parse::<u32>().unwrap() >= 60, "{rows}");
    assert_eq!((nodes, processes), ("10", "t"));
    // What is gone from the folder is gone from there.
    std::fs::remove_dir_all(env.path("fleet/n9")).unwrap();
    let said = env.run(&format!("fleet report fleet --index {name}"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("9 nodes"), "{said:?}");
}

#[test]
fn writers_and_readers_at_once_do_not_disturb_each_other() {
    let Some(server) = Server::new() else { return };
    let env = TestEnv::new();
    fleet(&env);
    let name = server.database("several");
    let alone = env.run("fleet report fleet --format json");
    for _ in 0..3 {
        let start = |args: &str| env.whyslow(args).spawn().unwrap();
        let writers = [0, 1].map(|_| start(&format!("fleet index fleet --rebuild --index {name}")));
        let reports =
            [0, 1].map(|_| start(&format!("fleet report fleet --format json --index {name}")));
        for writer in writers {
            let said = Said::of(writer.wait_with_output().unwrap());
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        for report in reports {
            let said = Said::of(report.wait_with_output().unwrap());
            assert_eq!((said.code, &said.out), (alone.code, &alone.out), "{said:?}");
        }
    }
    let told = env.run(&format!("fleet report fleet --format json --index {name}"));
    assert_eq!((told.code, told.out), (alone.code, alone.out));
    let doubled = "SELECT count(*) - count(DISTINCT path) FROM whyslow_fleet.record";
    assert_eq!(server.ask("several", doubled), "0");
}

#[test]
fn an_older_index_is_made_again_and_a_newer_or_foreign_one_left_alone() {
    let Some(server) = Server::new() else { return };
    let env = TestEnv::new();
    fleet(&env);
    let name = server.database("versions");
    let index = || env.run(&format!("fleet index fleet --index {name}"));
    assert_eq!(index().code, Some(0));
    assert!(index().out.contains("of which 0 were read"));
    // Other tables than today's.
    server.ask(
        "versions",
        "UPDATE whyslow_fleet.meta SET version = '0 of families';
         ALTER TABLE whyslow_fleet.record DROP COLUMN logs CASCADE;
         ALTER TABLE whyslow_fleet.point RENAME COLUMN name TO title",
    );
    let said = index();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("of which 10 were read"), "{said:?}");
    let told = env.run(&format!("fleet report fleet --format json --index {name}"));
    let file = env.run("fleet report fleet --format json");
    assert_eq!((told.code, told.out), (file.code, file.out));
    server.ask(
        "versions",
        "UPDATE whyslow_fleet.meta SET version = '4000000000 of families'",
    );
    index().refuses(&["newer whyslow", "--index", "/versions"]);
    let kept = server.ask("versions", "SELECT count(*) FROM whyslow_fleet.record");
    assert_eq!(kept, "10");

    let name = server.database("theirs");
    server.ask(
        "theirs",
        "CREATE SCHEMA whyslow_fleet CREATE TABLE accounts (name TEXT)",
    );
    let said = env.run(&format!("fleet index fleet --index {name}"));
    said.refuses(&["another program", "--index"]);
    let kept = "SELECT count(*) FROM pg_tables WHERE schemaname = 'whyslow_fleet'";
    assert_eq!(server.ask("theirs", kept), "1");

    let latin = "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0";
    server.ask("postgres", latin);
    let said = env.run(&format!(
        "fleet index fleet --index {}",
        server.name("latin")
    ));
    said.refuses(&["LATIN1", "UTF8"]);
}

#[test]
fn a_server_that_goes_away_costs_one_line_and_nothing_that_was_written() {
    let Some(mut server) = Server::new() else {
        return;
    };
    let env = TestEnv::new();
    fleet(&env);
    let name = server.database("lost");
    let place = env.path("fleet");
    let files: Vec<_> = folder::files(&place).unwrap();
    let read: Vec<_> = files.iter().map(|file| read(&place, file)).collect();
    let mut index = open(Path::new(&name), None).unwrap();
    index.put(&read[..4]).unwrap();
    server.lose();
    let why = index.put(&read[4..]).unwrap_err().to_string();
    assert!(
        why.contains("/lost") && why.contains("what was written stays"),
        "{why}"
    );
    assert_eq!(why.lines().count(), 1, "{why}");
    // Neither then nor later: what was named is not replaced by another index.
    for command in ["index", "report"] {
        let said = env.run(&format!("fleet {command} fleet --index {name}"));
        said.refuses(&["/lost", "once the server can be used"]);
    }
    server.start();
    let said = env.run(&format!("fleet index fleet --index {name}"));
    assert!(
        said.out.starts_with("10 records, of which 6 were read"),
        "{said:?}"
    );
    let told = env.run(&format!("fleet report fleet --format json --index {name}"));
    let file = env.run("fleet report fleet --format json");
    assert_eq!((told.code, told.out), (file.code, file.out));
}

#[test]
fn names_that_lead_nowhere_are_one_line_without_the_password() {
    let env = TestEnv::new();
    std::fs::create_dir(env.path("fleet")).unwrap();
    for name in [
        "postgresql://me:secret@%2Fno%2Fsuch%2Fsocket/fleet",
        "postgresql://me:secret@localhost:none/fleet",
        "postgres://me:secret@127.0.0.1:1/fleet",
    ] {
        let said = env.run(&format!("fleet index fleet --index {name}"));
        said.refuses(&["postgresql://"]);
        assert!(!said.err.contains("secret"), "{said:?}");
    }
}
