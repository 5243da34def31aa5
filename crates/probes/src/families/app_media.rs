//! Whole programs: decoding a video, typesetting a document.

use std::fmt::Write;
use std::process::{Command, Stdio};

use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PointPlan, Probe, Stop};
use crate::program::{Folder, note_versions, output, repeat, run};
use crate::tools;

/// Size of the clip: as in the reference measurements of 1995.
const WIDTH: u32 = 400;
const HEIGHT: u32 = 300;

/// Frames: 4 s at 25 per second, at least a quarter of a second of work.
const FRAMES: u32 = 100;

/// Approximate pages of the document.
const SECTIONS: usize = 30;

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: "app.video",
        title: "video, per frame",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Decoding a clip of 400 by 300 in one process and scaling its frames in another, which reads them from a pipe; per frame.",
        how: "The host's ffmpeg, whose version is in the record, on an MPEG-1 clip that it encoded from its own test picture; one thread each, and the output is discarded. The pipe carries 180 kB per frame.",
        needs: &["ffmpeg with the mpeg1video codec"],
        params: &[(
            "zoom",
            "1: original size; 2: scaled to twice the width and height",
        )],
        names: Names::NONE,
        roles: Roles::All(Role::Application),
        // 10,000 cycles: less than writing one frame.
        bounds: Bounds { fastest: 1e4 },
        usual_marks: USUAL,
        points: |_| {
            ["1", "2"]
                .map(|zoom| {
                    Offer::Point(plan(
                        Point::new("app.video").with("zoom", zoom),
                        CpuChoice::Free,
                    ))
                })
                .into()
        },
        measure: video,
    },
    Probe {
        id: "app.latex",
        title: "LaTeX document",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Typesetting a document of some 20 pages with formulas, tables and references, one pass.",
        how: "The host's latex, whose version is in the record, on a file that this program writes; the first pass, which is not timed, creates the references.",
        needs: &["latex"],
        params: &[],
        names: Names::NONE,
        roles: Roles::All(Role::Application),
        // 1,000,000 cycles: less than its formats take to load.
        bounds: Bounds { fastest: 1e6 },
        usual_marks: USUAL,
        points: |_| vec![Offer::Point(plan(Point::new("app.latex"), CpuChoice::One))],
        measure: latex,
    },
];

/// Other processes do the work; this one waits for them.
const USUAL: &[MarkKind] = &[
    MarkKind::Switches,
    MarkKind::Migrations,
    MarkKind::Faults,
    MarkKind::RunDelayNs,
];

fn plan(point: Point, cpus: CpuChoice) -> PointPlan {
    PointPlan {
        cpus,
        draws: 1,
        // A run is long and averages within itself; intervals come from the processes.
        samples: 2,
        batch_ns: 2e7,
        scratch: true,
        extra: true,
        suites: &["apps"],
        ..PointPlan::new(point)
    }
}

fn video(bench: &mut Bench) -> Result<(), Stop> {
    let zoom: u32 = match bench.param("zoom")? {
        "1" => 1,
        "2" => 2,
        other => return Err(Stop::Unavailable(format!("zoom={other}: it is 1 or 2"))),
    };
    let folder = Folder::of(bench)?;
    let source = format!("testsrc=size={WIDTH}x{HEIGHT}:rate=25");
    let frames = FRAMES.to_string();
    let ffmpeg = |arguments: &[&str]| {
        let mut command = folder.program("ffmpeg")?;
        command
            .args(["-nostdin", "-loglevel", "error"])
            .args(arguments);
        Ok::<Command, Stop>(command)
    };
    let make = [
        "-f",
        "lavfi",
        "-i",
        &source,
        "-frames:v",
        &frames,
        "-c:v",
        "mpeg1video",
        "-q:v",
        "4",
        "clip.mpg",
    ];
    run(&mut ffmpeg(&make)?, "ffmpeg, making the clip")?;
    let decode = [
        "-threads", "1", "-i", "clip.mpg", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
    ];
    let raw = output(&mut ffmpeg(&decode)?, "ffmpeg, decoding")?;
    // One byte of luma per pixel, and two of chroma for every four pixels.
    let expected = (WIDTH * HEIGHT * 3 / 2 * FRAMES) as usize;
    if raw.len() != expected {
        return Err(Stop::Refused(format!(
            "ffmpeg decoded {} bytes, not {expected}",
            raw.len()
        )));
    }
    note_versions(bench, &[ffmpeg_version(&folder)?]);
    let size = format!("{WIDTH}x{HEIGHT}");
    let scale = format!("scale={}:{}", WIDTH * zoom, HEIGHT * zoom);
    let mut consume = vec![
        "-threads", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", &size, "-i", "-",
    ];
    if zoom > 1 {
        consume.extend(["-vf", scale.as_str()]);
    }
    consume.extend(["-f", "null", "-"]);
    repeat(bench, f64::from(FRAMES), || {
        let mut decoder = ffmpeg(&decode)?;
        let mut decoder = decoder
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| Stop::unavailable("ffmpeg", e))?;
        let frames = decoder.stdout.take().map_or_else(Stdio::null, Stdio::from);
        let consumed = run(ffmpeg(&consume)?.stdin(frames), "ffmpeg, scaling");
        let decoded = decoder.wait().map_err(|e| Stop::unavailable("ffmpeg", e))?;
        consumed?;
        match decoded.success() {
            true => Ok(()),
            false => Err(Stop::Unavailable(format!(
                "ffmpeg, decoding, failed: {decoded}"
            ))),
        }
    })
}

/// ffmpeg's version: it does not support `--version`.
fn ffmpeg_version(folder: &Folder) -> Result<String, Stop> {
    let said = output(folder.program("ffmpeg")?.arg("-version"), "ffmpeg -version")?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(said.lines().next().unwrap_or("ffmpeg").to_owned())
}

fn latex(bench: &mut Bench) -> Result<(), Stop> {
    let folder = Folder::of(bench)?;
    folder.write("paper.tex", document())?;
    let mut command = folder.program("latex")?;
    command.args(["-interaction=batchmode", "-halt-on-error", "paper.tex"]);
    run(
        &mut command,
        "latex (its messages are not kept; can it typeset an article?)",
    )?;
    let log = folder.read("paper.log")?;
    let log = String::from_utf8_lossy(&log).into_owned();
    if !log.contains("Output written on paper.dvi") {
        return Err(Stop::Refused("latex wrote no document".into()));
    }
    note_versions(bench, &[tools::version("latex")?]);
    repeat(bench, 1.0, || run(&mut command, "latex"))
}

/// An article that needs no package.
fn document() -> String {
    let mut text = String::from(
        "\\documentclass{article}\n\\begin{document}\n\\title{Sets and ways}\\author{whyslow}\\maketitle\n\\tableofcontents\n",
    );
    for section in 0..SECTIONS {
        let _ = write!(
            text,
            "\\section{{Level {section}}}\\label{{level{section}}}\n\
             As section~\\ref{{level{}}} has shown,\n\
             \\begin{{equation}}\\label{{sum{section}}}\n\
             \\sum_{{k=0}}^{{{section}}} {{n \\choose k}} p^k (1-p)^{{n-k}} = \\int_0^{{1-p}} \\frac{{t^{{n-k-1}}}}{{\\sqrt{{1+t^2}}}} \\, dt\n\
             \\end{{equation}}\n\
             \\begin{{tabular}}{{lrr}} size & latency & ways \\\\ \\hline\n",
            (section + 7) % SECTIONS
        );
        for row in 0..8 {
            let _ = writeln!(
                text,
                "{} KiB & {}.{} & {} \\\\",
                1 << row,
                section + row,
                row * 7 % 10,
                2 << (row % 4)
            );
        }
        text += "\\end{tabular}\n\n";
        for paragraph in 0..3 {
            for sentence in 0..9 {
                let _ = writeln!(
                    text,
                    "A page of color {} falls into set {} of the cache, and \\emph{{pages}} of one color share its ways ($x_{{{}}}^2$).",
                    section * 9 + sentence,
                    paragraph * 64 + sentence,
                    sentence
                );
            }
            text.push('\n');
        }
    }
    text + "\\end{document}\n"
}
