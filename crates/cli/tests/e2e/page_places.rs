//! Places in the page: links to points, and what stands in the first screen of a page of one load or of many records.

use std::fs;

use serde_json::json;

use crate::browser::Browser;
use crate::env::{TestEnv, wait_for};
use crate::gallery::two_records;

/// The place of what `selector` finds first: its top and foot in the window.
fn place(browser: &mut Browser, selector: &str) -> [f64; 2] {
    let found = browser.eval(&format!(
        "(() => {{ const b = document.querySelector({}).getBoundingClientRect(); return [b.top, b.bottom]; }})()",
        json!(selector)
    ));
    [0, 1].map(|at| found[at].as_f64().unwrap())
}

/// Height of the window.
const HIGH: f64 = 900.0;

#[test]
fn a_link_to_a_point_leads_to_its_samples() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    assert_eq!(env.run("report a b -o page.html").code, Some(0));
    let page = env.path("page.html");
    browser.open_at(&page, "#point=os.read");
    let shown = "new Promise((done) => { const look = () => document.getElementById('of-point').textContent \
                 ? setTimeout(() => done(document.getElementById('of-point').textContent), 300) : setTimeout(look, 20); look(); })";
    assert_eq!(browser.eval(shown), "os.read");
    assert_eq!(
        browser.eval("document.getElementById('point').value"),
        "os.read"
    );
    let [top, foot] = place(&mut browser, "#of-point");
    assert!(top >= 0.0 && foot <= HIGH, "{top} {foot}");
    assert_eq!(
        browser.eval("document.querySelector('tr:target').id"),
        "point=os.read"
    );
    // A row of a table and a mark of a chart lead there too.
    let link = "[...document.querySelectorAll('#differences td a')].find((a) => a.textContent === 'os.null_call')";
    browser.eval(&format!("{link}.click()"));
    browser.eval("new Promise((done) => setTimeout(() => done(1), 300))");
    assert_eq!(
        browser.eval("document.getElementById('of-point').textContent"),
        "os.null_call"
    );
    let mark = "[...document.querySelectorAll('#values svg.wide [data-p=\"os.read\"]')][0]";
    browser.point_at(mark);
    browser.click();
    browser.eval("new Promise((done) => setTimeout(() => done(1), 300))");
    assert_eq!(
        browser.eval("document.getElementById('of-point').textContent"),
        "os.read"
    );
    assert_eq!(browser.eval("location.hash"), "#point=os.read");
    browser.is_clean();
    // Every link leads somewhere, and every place is there once.
    let lost = browser.eval(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href').slice(1))\
         .filter((id) => !document.getElementById(id))",
    );
    assert_eq!(lost, json!([]));
    let twice = browser.eval(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); \
         return ids.filter((id, i) => ids.indexOf(id) !== i); })()",
    );
    assert_eq!(twice, json!([]));
    // Without the script the browser itself goes to the row.
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    );
    browser.open_at(&page, "#point=os.read");
    // Its scrolling takes a moment.
    wait_for("the row in the window", || {
        let [top, foot] = place(&mut browser, "tr:target");
        (top >= 0.0 && foot <= HIGH).then_some(())
    });
}

#[test]
fn the_page_of_a_load_answers_in_its_first_screen() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let env = TestEnv::new();
    let loaded = env.run("load -j 1,2,4 --repeat 3 -o load.whyslow -- sleep 0.0{j}");
    assert_eq!(loaded.code, Some(0), "{loaded:?}");
    assert_eq!(env.run("report load.whyslow -o load.html").code, Some(0));
    for width in [390, 1280] {
        browser.width(width);
        browser.open(&env.path("load.html"));
        browser.is_clean();
        let [_, foot] = place(&mut browser, ".answer");
        assert!(foot < HIGH, "{foot}");
    }
    let answer = browser.eval("document.querySelector('.answer').textContent");
    assert!(answer.as_str().unwrap().contains("-j 1"), "{answer}");
    // A mark a level, each with its interval.
    let marks = browser.eval("[...document.querySelectorAll('#load svg.wide')[0].querySelectorAll('[data-t]')].map((m) => m.dataset.t)");
    let marks: Vec<String> = serde_json::from_value(marks).unwrap();
    assert_eq!(marks.len(), 3, "{marks:?}");
    for level in [1, 2, 4] {
        let of = |m: &&String| m.contains(&format!("-j {level}\n")) && m.contains('[');
        assert_eq!(marks.iter().filter(of).count(), 1, "{marks:?}");
    }
}

/// Largest page of fifty short records.
const MOST_BYTES: u64 = 6_000_000;

#[test]
fn fifty_records_are_ranked_in_the_first_screen() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let env = TestEnv::new();
    two_records(&env, ["a", "b"]);
    let mut names = vec!["a".to_owned(), "b".to_owned()];
    for i in 2..50 {
        let name = format!("copy-{i}-of-a-machine-with-a-long-name.whyslow");
        fs::copy(env.path(["a", "b"][i % 2]), env.path(&name)).unwrap();
        names.push(name);
    }
    let said = env.run(&format!("report {} -o page.html", names.join(" ")));
    assert_eq!(said.code, Some(0), "{said:?}");
    let size = fs::metadata(env.path("page.html")).unwrap().len();
    assert!(size < MOST_BYTES, "{size}");
    for width in [390, 1440] {
        browser.width(width);
        browser.open(&env.path("page.html"));
        browser.is_clean();
        let [_, foot] = place(&mut browser, ".answer");
        assert!(foot < HIGH, "{foot}");
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= width.into(), "{wide}");
        let rows =
            browser.eval("document.querySelectorAll('#answer table.ranking tbody tr').length");
        assert_eq!(rows, 50);
        // Small charts stand beside each other and nowhere over each other.
        let over = browser.eval(
            "(() => { const all = [...document.querySelectorAll('.minis > div')].map((d) => d.getBoundingClientRect()); \
             let over = 0; all.forEach((a, i) => all.slice(0, i).forEach((b) => { \
             if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) over++; })); \
             return [all.length, over]; })()",
        );
        assert_eq!(over, json!([50, 0]));
    }
    let one_more = format!("report {} copy.whyslow -o page.html", names.join(" "));
    env.run(&one_more).refuses(&["51 records", "at most 50"]);
}
