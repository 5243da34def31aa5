//! The last lines of x264, x265 and ffmpeg: frames a second of an encoder.

use whyslow_model::Better::{Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "video-encoders",
    what: "x264, x265 and ffmpeg (encoded 600 frames in 24.25s (24.74 fps), 1512.25 kb/s)",
    repeats: "runs of the encoder",
    silent: "the film, the machine, or which instructions were used",
    roles: &[
        ("video.bit_rate", "", Roles::All(Role::Count)),
        ("video.", "", Roles::All(Role::Application)),
    ],
    looks,
    part: Some(|line| encoded(line).is_some() || progress(line).is_some()),
    known: &[
        "[info]",
        "x264 [",
        "x265 [",
        "Stream #",
        "Duration:",
        "encoder ",
        "libav",
        "libsw",
        "video:",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        encoded(line).is_some() || progress(line).is_some()
    }) * 4
}

/// `encoded 600 frames in 24.25s (24.74 fps), 1512.25 kb/s, Avg QP:32.75`, `encoded 11812 frames, 51.25 fps, 1841.25
/// kb/s`.
struct Encoded {
    frames: f64,
    seconds: Option<f64>,
    fps: f64,
    bit_rate: Option<f64>,
}

fn encoded(line: &str) -> Option<Encoded> {
    let at = line.to_ascii_lowercase().find("encoded ")?;
    let rest = line.get(at + "encoded ".len()..)?;
    let (frames, rest) = number_in_front(rest)?;
    let rest = after(rest, "frames")?;
    let seconds = after(rest, "in ").and_then(|rest| {
        let (value, unit) = number_in_front(rest)?;
        unit.starts_with('s').then_some(value)
    });
    let (front, behind) = rest.split_once(" fps")?;
    let fps = front.rsplit([' ', '(', ',']).next().and_then(plain)?;
    let bit_rate = behind
        .split_once(" kb/s")
        .and_then(|(front, _)| plain(front.rsplit([' ', ',', ')']).next()?));
    Some(Encoded {
        frames,
        seconds,
        fps,
        bit_rate,
    })
}

/// `frame= 1234 fps= 56 q=28.0 size= 2048kB time=00:00:41.13 bitrate= 407.9kbits/s speed=1.87x`: the last of them counts.
fn progress(line: &str) -> Option<(f64, f64)> {
    let last = line.rsplit('\r').next().unwrap_or(line);
    let rest = after(last, "frame=")?;
    let (frames, rest) = number_in_front(rest)?;
    let rest = after(rest, "fps=")?;
    let (fps, _) = number_in_front(rest)?;
    Some((frames, fps))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    let lines: Vec<(usize, &str)> = text.lines().collect();
    for (at, (number, line)) in lines.iter().enumerate() {
        let number = *number;
        let row = |id: &str, title: &str, unit: &str, better| {
            commands.on(Row::new("video", title, unit, better).id("video", id))
        };
        if let Some(found) = encoded(line) {
            sheet.add(
                "",
                row("fps", "encoded fps", "fps", Higher),
                found.fps,
                number,
            )?;
            sheet.add(
                "",
                row("frames", "encoded frames", "frames", Unsaid),
                found.frames,
                number,
            )?;
            if let Some(value) = found.seconds {
                sheet.add("", row("seconds", "encoded in", "s", Lower), value, number)?;
            }
            if let Some(value) = found.bit_rate {
                sheet.add(
                    "",
                    row("bit_rate", "bit rate", "kb/s", Unsaid),
                    value,
                    number,
                )?;
            }
        } else if let Some((frames, fps)) = progress(line) {
            let next = lines.get(at + 1).and_then(|(_, line)| progress(line));
            // What it printed before is where it stood.
            if next.is_some_and(|(later, _)| later > frames) || fps == 0.0 {
                sheet.aside(number);
                continue;
            }
            sheet.add("", row("fps", "encoded fps", "fps", Higher), fps, number)?;
            sheet.add(
                "",
                row("frames", "encoded frames", "frames", Unsaid),
                frames,
                number,
            )?;
        } else if commands.at(line) {
            sheet.aside(number);
        }
    }
    Ok(())
}
