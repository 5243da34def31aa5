//! The HTML page in a real browser: from disk, without a network, with records of known content.

use std::fs;

use serde_json::{Value, json};
use whyslow_model::Record;
use whyslow_model::record::{Line, Note};
use whyslow_model::store::{self, Journal};

use crate::browser::Browser;
use crate::env::TestEnv;
use crate::gallery::two_records;

/// Two records and their page.
fn two() -> TestEnv {
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    let said = env.run("report a b -o page.html");
    assert_eq!(said.code, Some(0), "{said:?}");
    env
}

/// The value of `point` in the record `name`.
fn value(env: &TestEnv, name: &str, point: &str) -> f64 {
    let shown = env.shown(name);
    shown.summary.point(point).unwrap().value.unwrap().value
}

#[test]
fn the_page_of_two_records_shows_what_they_hold() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let env = two();
    browser.open(&env.path("page.html"));
    browser.is_clean();
    curves(&mut browser, &env);
    hover(&mut browser, &env);
    tables(&mut browser);
    samples(&mut browser, &env);
    keyboard(&mut browser);
    looks(&mut browser);
    browser.is_clean();
}

/// The curve has a mark for each size of each record, and higher values lie higher.
fn curves(browser: &mut Browser, env: &TestEnv) {
    let marks = browser.eval(
        "[...document.querySelectorAll('#latency figure svg.wide g[data-s=\"0\"] circle')]\
         .map((c) => [Number(c.getAttribute('cx')), Number(c.getAttribute('cy')), c.dataset.t])",
    );
    let marks = marks.as_array().unwrap();
    let shown = env.shown("a");
    let mut sizes: Vec<(u64, f64)> = shown
        .summary
        .points
        .iter()
        .filter(|p| p.point.probe == "mem.latency" && p.point.get("pages") == Some("4k"))
        .filter_map(|p| Some((p.size_bytes?, p.value?.value)))
        .collect();
    sizes.sort_by_key(|(size, _)| *size);
    assert!(sizes.len() >= 3, "{sizes:?}");
    assert_eq!(marks.len(), sizes.len());
    let place = |i: usize, at: usize| marks[i][at].as_f64().unwrap();
    for i in 1..marks.len() {
        assert!(place(i, 0) > place(i - 1, 0), "sizes go from left to right");
        let (before, here) = (sizes[i - 1].1, sizes[i].1);
        if (here / before - 1.0).abs() > 0.05 {
            assert_eq!(place(i, 1) < place(i - 1, 1), here > before, "{marks:#?}");
        }
    }
    // Drawn, not only written: the line covers a part of the screen.
    let wide = browser
        .eval("document.querySelector('#latency svg.wide polyline').getBoundingClientRect().width");
    assert!(wide.as_f64().unwrap() > 300.0, "{wide}");
    let empty = browser.eval(
        "[...document.querySelectorAll('svg.wide')].filter((s) => s.getBoundingClientRect().height < 20 \
         || s.querySelectorAll('[data-t]').length === 0).map((s) => s.getAttribute('aria-label'))",
    );
    assert_eq!(empty, json!([]), "charts without marks");
}

/// What is said of a mark under the pointer is the value of the record.
fn hover(browser: &mut Browser, env: &TestEnv) {
    let point = "os.null_call";
    let mark = "[...document.querySelectorAll('#values svg.wide [data-t]')]\
                .find((m) => m.dataset.t.startsWith('A: os.null_call'))";
    assert_eq!(browser.eval("document.getElementById('tip').hidden"), true);
    browser.point_at(mark);
    let tip = browser.eval(
        "document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent",
    );
    let said = tip.as_str().unwrap();
    let number: f64 = said
        .lines()
        .nth(1)
        .and_then(|line| line.split(|c: char| c != '.' && !c.is_ascii_digit()).next())
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no number in {said:?}"));
    let held = value(env, "a", point);
    assert!((number / held - 1.0).abs() < 0.06, "{said} is not {held}");
}

/// A head sorts by the values, and a text filters.
fn tables(browser: &mut Browser) {
    let table = "document.querySelector('#differences table.sort')";
    let column = |browser: &mut Browser| -> Vec<f64> {
        let values = browser.eval(&format!(
            "[...{table}.tBodies[0].rows].map((r) => r.cells[2].dataset.v).filter((v) => v !== undefined).map(Number)"
        ));
        values
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect()
    };
    let count = column(browser).len();
    assert!(count > 5, "{count}");
    browser.eval(&format!(
        "{table}.tHead.rows[0].cells[2].querySelector('button').click()"
    ));
    let up = column(browser);
    assert!(up.windows(2).all(|w| w[0] <= w[1]), "{up:?}");
    assert_eq!(
        browser.eval(&format!(
            "{table}.tHead.rows[0].cells[2].getAttribute('aria-sort')"
        )),
        "ascending"
    );
    browser.eval(&format!(
        "{table}.tHead.rows[0].cells[2].querySelector('button').click()"
    ));
    let down = column(browser);
    assert!(down.windows(2).all(|w| w[0] >= w[1]), "{down:?}");
    let search = "document.querySelector('#differences .tools input[type=search]')";
    browser.eval(&format!(
        "(() => {{ const s = {search}; s.value = 'os.null'; s.dispatchEvent(new Event('input')); }})()"
    ));
    let left = browser.eval(&format!(
        "[...{table}.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.cells[1].textContent)"
    ));
    // In the order of the column, which two runs decide.
    let mut left: Vec<String> = serde_json::from_value(left).unwrap();
    left.sort_unstable();
    assert_eq!(left, ["os.null_call", "os.null_call{via=libc}"]);
}

/// The samples in the page are those of the records, to the last digit.
fn samples(browser: &mut Browser, env: &TestEnv) {
    let found = browser.eval(
        "(() => { const all = whyslow.samples(); const of = (side) => all.filter((s) => s.side === side); \
         return ['A', 'B'].map((side) => [of(side).length, of(side).reduce((sum, s) => sum + s.ns, 0), \
         of(side).reduce((sum, s) => sum + s.value, 0)]); })()",
    );
    for (side, name) in ["a", "b"].iter().enumerate() {
        let shown = env.shown(name);
        let (mut count, mut ns, mut values) = (0u64, 0.0, 0.0);
        for planned in &shown.record.plan.points {
            for (_, draws) in shown.record.measured(&planned.point) {
                for series in draws.iter().flat_map(|d| &d.series) {
                    count += series.ns.len() as u64;
                    ns += series.ns.iter().sum::<f64>();
                    values += series
                        .ns
                        .iter()
                        .map(|t| planned.unit.value(series.work, *t))
                        .sum::<f64>();
                }
            }
        }
        let held = &found[side];
        assert_eq!(held[0], count);
        for (at, sum) in [(1, ns), (2, values)] {
            let is = held[at].as_f64().unwrap();
            assert!((is / sum - 1.0).abs() < 1e-9, "{is} is not {sum}");
        }
    }
    let lines = browser.eval("whyslow.csv('os.null_call').trim().split('\\n').length");
    let drawn = browser.eval("document.querySelectorAll('#order [data-t]').length");
    assert!(
        lines.as_u64().unwrap() > 10 && drawn.as_u64().unwrap() > 5,
        "{lines} {drawn}"
    );
}

/// Values can be stepped through, and are said to those who do not see them.
fn keyboard(browser: &mut Browser) {
    browser.eval("document.querySelector('#latency svg.wide').focus()");
    browser.press("ArrowRight");
    let first = browser.eval("document.getElementById('spoken').textContent");
    browser.press("ArrowRight");
    let second = browser.eval("document.getElementById('spoken').textContent");
    assert!(first.as_str().unwrap().contains("ns"), "{first}");
    assert_ne!(first, second);
    let unnamed = browser.eval(
        "[...document.querySelectorAll('svg.chart')].filter((s) => !s.getAttribute('aria-label')).length",
    );
    assert_eq!(unnamed, 0);
    let bare = browser.eval(
        "[...document.querySelectorAll('figure')].filter((f) => !f.querySelector('table') \
         && !f.closest('section').querySelector('table')).length",
    );
    assert_eq!(bare, 0, "every chart has a table");
}

/// Light and dark, narrow, and on paper.
fn looks(browser: &mut Browser) {
    let ground = "getComputedStyle(document.body).backgroundColor";
    browser.prefers("dark");
    assert_eq!(browser.eval(ground), "rgb(20, 24, 29)");
    browser.eval("document.getElementById('theme').click()");
    assert_eq!(browser.eval(ground), "rgb(255, 255, 255)");
    browser.prefers("light");
    browser.width(400);
    let wide = browser.eval("document.documentElement.scrollWidth");
    assert!(wide.as_u64().unwrap() <= 400, "{wide}");
    let shown = "(kind) => [...document.querySelectorAll('main svg.' + kind)].filter((s) => s.getBoundingClientRect().width > 0).length";
    assert_eq!(browser.eval(&format!("({shown})('wide')")), 0);
    assert_ne!(browser.eval(&format!("({shown})('narrow')")), 0);
    browser.width(1280);
    let printed = browser.call("Page.printToPDF", json!({"printBackground": true}));
    let data = printed["data"].as_str().unwrap();
    // `%PDF-` in base64, and more than a blank sheet.
    assert!(
        data.starts_with("JVBERi0") && data.len() > 40_000,
        "{}",
        data.len()
    );
}

#[test]
fn compare_and_explain_write_the_same_page() {
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    for args in [
        "report a b -o report.html",
        "explain a b --html explain.html",
    ] {
        let said = env.run(args);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let compared = env.run("compare a b --html compare.html");
    assert!(matches!(compared.code, Some(0 | 1 | 3)), "{compared:?}");
    let read = |name: &str| fs::read_to_string(env.path(name)).unwrap();
    assert_eq!(read("report.html"), read("explain.html"));
    assert_eq!(read("report.html"), read("compare.html"));
    assert_eq!(env.run("explain a --html one.html").code, Some(0));
    assert_eq!(env.run("report a -o one-too.html").code, Some(0));
    assert_eq!(read("one.html"), read("one-too.html"));
    env.run("report a missing -o x.html").refuses(&["missing"]);
    env.run("report a -o no/such/folder.html")
        .refuses(&["no/such/folder.html"]);
}

/// A record whose every name is an attack.
fn hostile(env: &TestEnv) -> Record {
    assert_eq!(
        env.run("run --only os.null_call --rounds 2 -o plain").code,
        Some(0)
    );
    let mut record = store::read(&env.path("plain")).unwrap();
    let attack = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'";
    if let Some(host) = &mut record.host {
        host.name = whyslow_model::host::Known::Is(attack.repeat(100_000 / attack.len()));
    }
    record.header.version = attack.into();
    record.notes.push(Note {
        about: attack.into(),
        text: "x".repeat(10 << 20),
    });
    record
}

fn write(env: &TestEnv, record: Record, name: &str) {
    let mut journal = Journal::create(&env.path(name)).unwrap();
    let mut lines = vec![Line::Header(record.header)];
    lines.extend(record.host.map(Line::Host));
    lines.extend(record.states.into_iter().map(|s| Line::State(Box::new(s))));
    lines.push(Line::Plan(record.plan));
    lines.extend(
        record
            .processes
            .into_iter()
            .map(|p| Line::Process(Box::new(p))),
    );
    lines.extend(record.notes.into_iter().map(Line::Note));
    for line in &lines {
        journal.add(line).unwrap();
    }
}

#[test]
fn a_hostile_record_is_only_text() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let env = TestEnv::new();
    let record = hostile(&env);
    write(&env, record, "hostile");
    let said = env.run("report plain hostile -o page.html");
    assert_eq!(said.code, Some(0), "{said:?}");
    let size = fs::metadata(env.path("page.html")).unwrap().len();
    assert!(size < 1_500_000, "{size}");
    browser.open(&env.path("page.html"));
    browser.is_clean();
    assert_eq!(browser.eval("typeof window.hacked"), "undefined");
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    let name = browser.eval("document.querySelector('h1').textContent");
    assert!(
        name.as_str()
            .unwrap()
            .contains("</script><script>window.hacked=1"),
        "{name}"
    );
    // The policy of the page itself stops what would be written into it later.
    let inserted = browser.eval(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.late = 1'; \
         document.body.append(s); return typeof window.late; })()",
    );
    assert_eq!(inserted, Value::from("undefined"));
}
