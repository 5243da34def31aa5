//! glmark2: frames a second of each scene, and the score.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "glmark2",
    what: "glmark2 ([scene] option: FPS: FrameTime:, glmark2 Score)",
    repeats: "runs of glmark2",
    silent: "the driver, the size of the window, or the clock of the graphics device",
    roles: &[("glmark2.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| scene(line).is_some() || score(line).is_some()),
    known: &[
        "glmark2 20",
        "OpenGL Information",
        "GL_VENDOR",
        "GL_RENDERER",
        "GL_VERSION",
        "Surface Config",
        "Surface Size",
        "Not Supported",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| scene(line).is_some() || score(line).is_some()) * 4
}

/// `[texture] texture-filter=nearest: FPS: 1410 FrameTime: 0.709 ms`
fn scene(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let (name, rest) = line.trim().split_once(" FPS:")?;
    let name = name.trim_end_matches(':');
    let (fps, rest) = number_in_front(rest)?;
    let time = after(rest, "FrameTime:").and_then(number_in_front);
    name.starts_with('[')
        .then(|| (name, fps, time.map(|(value, _)| value)))
}

/// `                                  glmark2 Score: 1322`
fn score(line: &str) -> Option<f64> {
    plain(after(line, "glmark2 Score:")?)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((name, fps, time)) = scene(line) {
            sheet.add("", Row::new("glmark2", name, "fps", Higher), fps, number)?;
            if let Some(value) = time {
                let row = Row::new("glmark2", &format!("{name} FrameTime"), "ms", Lower);
                sheet.add("", row, value, number)?;
            }
        } else if let Some(value) = score(line) {
            let row = Row::new("glmark2", "glmark2 Score", "points", Higher);
            sheet.add("", row, value, number)?;
        } else if let Some(renderer) = after(line, "GL_RENDERER:") {
            sheet.state("", "other", renderer);
        }
    }
    Ok(())
}
