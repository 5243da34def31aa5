//! Pages of every kind in a browser: the answer and its chart are in the first screen of a phone and of a desk, nothing
//! goes wrong, and what a reader without eyes or mouse needs is there.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::browser::Browser;
use crate::gallery::gallery;

/// A phone and a desk: width and height of the window.
const SCREENS: [(u32, u32); 2] = [(390, 844), (1440, 900)];

/// The foot of the answer, and the top and foot of the first chart that is shown, in the window; the width of the page.
const PLACES: &str = "(() => { const box = (e) => e.getBoundingClientRect(); \
    const answer = document.querySelector('#answer .answer, #answer li'); \
    const chart = [...document.querySelectorAll('#answer svg.chart, #answer svg.mini')].find((s) => box(s).height > 20); \
    return [answer ? box(answer).bottom : -1, chart ? box(chart).top : -1, chart ? box(chart).bottom : -1, \
    document.documentElement.scrollWidth]; })()";

#[test]
fn every_page_answers_in_its_first_screen() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let made = gallery();
    let mut wrong = Vec::new();
    for page in &made.pages {
        for (width, height) in SCREENS {
            browser.screen(width, height);
            browser.open(&made.env.path(&format!("{page}.html")));
            let found = browser.eval(PLACES);
            let [answer, top, foot, wide] = [0, 1, 2, 3].map(|at| found[at].as_f64().unwrap());
            let high = f64::from(height);
            if !(answer > 0.0 && answer <= high && top > 0.0 && foot <= high)
                || wide > f64::from(width)
            {
                wrong.push(format!("{page} at {width}x{height}: answer to {answer}, chart {top} to {foot}, {wide} wide"));
            }
            browser.is_clean();
            kept(&mut browser, page, width);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Keeps a picture of the screen where a folder for it is named, as `docs/screens.sh` does.
fn kept(browser: &mut Browser, page: &str, width: u32) {
    let Some(folder) = std::env::var_os("WHYSLOW_SCREENS") else {
        return;
    };
    // A desk at half its size is still to be read.
    let scale = if width > 600 { 0.5 } else { 1.0 };
    let [(_, low), (_, high)] = SCREENS;
    let height = if width > 600 { high } else { low };
    let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": scale});
    let taken = browser.call(
        "Page.captureScreenshot",
        json!({"format": "png", "clip": clip}),
    );
    let bytes = base64(taken["data"].as_str().unwrap());
    fs::write(
        Path::new(&folder).join(format!("{page}-{width}.png")),
        bytes,
    )
    .unwrap();
}

/// The bytes of a text in base64.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit);
        let bits = bits << (6 * (4 - four.len()));
        [16, 8, 0]
            .map(|at| (bits >> at) as u8)
            .into_iter()
            .take(four.len() - 1)
    });
    bytes.collect()
}

/// What is wrong with the page for those who do not see it or have no mouse: an empty list.
const ACCESSIBLE: &str = "(() => { const bad = []; const all = (q) => [...document.querySelectorAll(q)]; \
    const say = (what, e) => bad.push(what + ': ' + (e && e.outerHTML ? e.outerHTML.slice(0, 120) : e)); \
    const name = (e) => (e.getAttribute('aria-label') || (e.labels && e.labels[0] && e.labels[0].textContent) \
        || e.textContent || e.title || '').trim(); \
    if (!document.documentElement.lang) say('no language', 'html'); \
    if (!document.title.trim()) say('no title', 'head'); \
    for (const q of ['h1', 'main', 'header', 'footer']) { if (all(q).length !== 1) say(all(q).length + ' ' + q, q); } \
    let last = 0; for (const h of all('h1,h2,h3,h4')) { const n = Number(h.tagName[1]); \
        if (n > last + 1) say('a heading leaves a level out', h); if (!h.textContent.trim()) say('an empty heading', h); last = n; } \
    for (const e of all('nav')) if (!name(e) || !e.getAttribute('aria-label')) say('a nav without a name', e); \
    for (const e of all('[role=region],[role=group]')) if (!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')) say('no name', e); \
    for (const e of all('a[href],button,input,select,summary')) if (!name(e)) say('a control without a name', e); \
    for (const e of all('svg')) if (e.getAttribute('aria-hidden') !== 'true' && !(e.getAttribute('role') && e.getAttribute('aria-label'))) \
        say('a picture without a name', e); \
    for (const e of all('img')) if (!e.hasAttribute('alt')) say('a picture without a text', e); \
    for (const e of all('th')) if (!e.textContent.trim()) say('a head without a text', e); \
    for (const e of all('table')) if (!e.querySelector('th')) say('a table without a head', e); \
    for (const e of all('ul,ol')) for (const c of e.children) if (c.tagName !== 'LI') say('no entry of a list', c); \
    for (const e of all('dl')) for (const c of e.children) if (!['DT', 'DD', 'DIV'].includes(c.tagName)) say('no entry of a list', c); \
    for (const e of all('body *')) { const s = getComputedStyle(e); \
        if (e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(s.overflowX) && e.clientWidth > 0 && e.tabIndex < 0 \
        && !e.querySelector('a,button,input,select,[tabindex]')) say('scrolls without a key', e); } \
    for (const e of all('[aria-labelledby]')) for (const id of e.getAttribute('aria-labelledby').split(' ')) \
        if (!document.getElementById(id)) say('named by nothing', e); \
    const marks = all('section[aria-labelledby],nav,[role=region]').map((e) => (e.getAttribute('aria-label') \
        || document.getElementById(e.getAttribute('aria-labelledby')).textContent).trim()); \
    for (const m of marks) if (marks.indexOf(m) !== marks.lastIndexOf(m)) say('two landmarks of one name', m); \
    const ids = all('[id]').map((e) => e.id); for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) say('twice', id); \
    return bad; })()";

/// Text that is too near to what lies behind it: WCAG 2.1 AA, as computed by the browser.
const CONTRAST: &str = "(() => { const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; }; \
    const lum = (c) => { const f = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; \
        return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); }; \
    const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1); \
    const ground = (e) => { let stack = []; for (let p = e; p; p = p.parentElement) stack.push(parse(getComputedStyle(p).backgroundColor)); \
        return stack.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]); }; \
    const bad = []; const seen = new Set(); \
    for (const e of document.querySelectorAll('body *')) { \
        if (e.closest('svg') || e.closest('script') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue; \
        const box = e.getBoundingClientRect(); if (!box.width || !box.height) continue; \
        const s = getComputedStyle(e); const back = ground(e); \
        let alpha = 1; for (let p = e; p; p = p.parentElement) alpha *= Number(getComputedStyle(p).opacity); \
        const c = parse(s.color); const fore = over([c[0], c[1], c[2], c[3] * alpha], back); \
        const [a, b] = [lum(fore), lum(back)].sort((x, y) => y - x); const ratio = (a + 0.05) / (b + 0.05); \
        const size = parseFloat(s.fontSize); const large = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700); \
        if (ratio < (large ? 3 : 4.5)) { const key = e.tagName + '.' + e.className; \
            if (!seen.has(key)) { seen.add(key); bad.push(key + ' ' + ratio.toFixed(2) + ': ' + e.textContent.slice(0, 40)); } } } \
    return bad; })()";

#[test]
fn every_page_is_for_all_readers() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let made = gallery();
    for page in &made.pages {
        browser.screen(1440, 900);
        browser.open(&made.env.path(&format!("{page}.html")));
        browser.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
        assert_eq!(browser.eval(ACCESSIBLE), json!([]), "{page}");
        for scheme in ["light", "dark"] {
            browser.prefers(scheme);
            assert_eq!(browser.eval(CONTRAST), json!([]), "{page}, {scheme}");
        }
        browser.prefers("light");
        browser.is_clean();
    }
}

/// Axes that say one value twice. The two sides of a ratio say the same, and the side says which is meant.
const AXES: &str = "[...document.querySelectorAll('svg.chart')].flatMap((s) => ['tx', 'ty'].flatMap((axis) => { \
    const said = [...s.querySelectorAll('text.' + axis)].map((t) => t.textContent).filter((t) => !t.endsWith('×')); \
    return new Set(said).size === said.length ? [] : [s.getAttribute('aria-label') + ': ' + said.join(', ')]; }))";

#[test]
fn no_axis_says_one_value_twice() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let made = gallery();
    let mut ticks = 0;
    for page in &made.pages {
        browser.open(&made.env.path(&format!("{page}.html")));
        let found = browser.eval("document.querySelectorAll('text.tx, text.ty').length");
        ticks += found.as_u64().unwrap();
        assert_eq!(browser.eval(AXES), json!([]), "{page}");
        let text = browser.eval("document.body.textContent");
        let text = text.as_str().unwrap();
        // An interval in percent of a value that is hardly known.
        let wide = text.match_indices('±').find_map(|(at, _)| {
            let digits = text[at + '±'.len_utf8()..]
                .split(|c: char| !c.is_ascii_digit())
                .next()?;
            (digits.len() > 3).then(|| text[at..].chars().take(20).collect::<String>())
        });
        assert_eq!(wide, None, "{page}");
    }
    assert!(ticks > 100, "{ticks}");
}
