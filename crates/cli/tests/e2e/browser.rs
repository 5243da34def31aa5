//! A real browser without a window, driven over a pipe: no port, no network, no other program.
//!
//! It speaks the DevTools protocol, messages of JSON ended by a zero byte, as chromium does with
//! `--remote-debugging-pipe` on its file descriptors 3 and 4.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::env::need;

/// Longest that an answer may take on a busy machine.
const LONGEST: Duration = Duration::from_secs(90);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// Where the pointer was moved to last.
    pointer: [f64; 2],
    /// What it told without having been asked.
    pub(crate) events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it, if there is one.
    pub(crate) fn start() -> Option<Browser> {
        let found = Command::new("chromium").arg("--version").output().is_ok();
        if !need(found, "chromium") {
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        // The shell moves the pipes to where the browser looks for them.
        let script = "exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
             --no-first-run --disable-background-networking --disable-component-update \
             --disable-sync --disable-default-apps --host-resolver-rules='MAP * ~NOTFOUND' \
             --window-size=1280,900 --remote-debugging-pipe --user-data-dir=\"$1\" about:blank \
             3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (send, from) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let parsed = serde_json::from_slice(&message).unwrap_or(Value::Null);
                message.clear();
                if send.send(parsed).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            to,
            from,
            session: None,
            next: 0,
            pointer: [0.0; 2],
            events: Vec::new(),
            _profile: profile,
        };
        let made = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": made["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call(
            "Network.emulateNetworkConditions",
            json!({"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}),
        );
        Some(browser)
    }

    /// Asks for something and waits for the answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        self.to.flush().unwrap();
        loop {
            let answer = self.from.recv_timeout(LONGEST);
            let answer = answer.unwrap_or_else(|e| panic!("{method}: no answer: {e}"));
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file and waits until it has been loaded, and its samples unpacked.
    pub(crate) fn open(&mut self, path: &Path) {
        self.open_at(path, "");
        let ready = "new Promise((done) => { const look = () => \
             (!document.getElementById('raw') || !document.getElementById('raw').hidden) \
             ? done(true) : setTimeout(look, 20); look(); })";
        assert_eq!(self.eval(ready), true);
    }

    /// Opens a file at a place of it, such as `#answer`, and waits until it has been loaded.
    pub(crate) fn open_at(&mut self, path: &Path, place: &str) {
        let url = format!("file://{}{place}", path.canonicalize().unwrap().display());
        // From elsewhere: a place of the page that is open already would only be scrolled to.
        for url in ["about:blank", &url] {
            let is_load = |e: &Value| e["method"] == "Page.loadEventFired";
            self.events.retain(|e| !is_load(e));
            self.call("Page.navigate", json!({"url": url}));
            while !self.events.iter().any(is_load) {
                let event = self.from.recv_timeout(LONGEST).unwrap();
                self.events.push(event);
            }
        }
    }

    /// The value of an expression in the page; promises are waited for.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Holds that the page asked for nothing but itself, and that nothing went wrong in it.
    pub(crate) fn is_clean(&mut self) {
        // Whatever is still on its way has come when this is answered.
        self.eval("new Promise((done) => setTimeout(() => done(1), 100))");
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap();
                    let is_file = url.starts_with("file://") || url == "about:blank";
                    let document = params["type"] == "Document" && is_file;
                    let own = document || url.starts_with("data:") || url.starts_with("blob:");
                    assert!(own, "the page asked for {url}");
                }
                "Runtime.exceptionThrown" => panic!("{params:#}"),
                "Runtime.consoleAPICalled" => panic!("the page wrote to the console: {params:#}"),
                "Log.entryAdded" => {
                    assert_ne!(params["entry"]["level"], "error", "{params:#}");
                }
                _ => {}
            }
        }
    }

    /// The width of the page's window, in its own units.
    pub(crate) fn width(&mut self, width: u32) {
        self.screen(width, 900);
    }

    /// Width and height of the page's window, in its own units.
    pub(crate) fn screen(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// `light` or `dark`, as a system says that it prefers.
    pub(crate) fn prefers(&mut self, scheme: &str) {
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": feature}));
    }

    /// Moves the pointer onto the middle of the element that `expression` gives.
    pub(crate) fn point_at(&mut self, expression: &str) {
        let place = self.eval(&format!(
            "(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center', behavior: 'instant'}}); \
             const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
        ));
        // A scroll takes away what is shown; it is told a moment later.
        self.eval("new Promise((done) => setTimeout(() => done(1), 200))");
        let moved = json!({"type": "mouseMoved", "x": place[0], "y": place[1]});
        self.call("Input.dispatchMouseEvent", moved);
        self.pointer = [0, 1].map(|at| place[at].as_f64().unwrap());
    }

    /// Presses and releases the button of the mouse where the pointer was moved to last.
    pub(crate) fn click(&mut self) {
        let [x, y] = self.pointer;
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            let code = json!({"type": kind, "key": key, "code": key});
            self.call("Input.dispatchKeyEvent", code);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
