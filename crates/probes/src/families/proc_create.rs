//! Starting processes, from a small one.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use whyslow_kernels::tiny::{dynamic_image, static_image, tiny_program};
use whyslow_model::id;
use whyslow_model::record::MarkKind;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::between_runs;
use crate::probe::{Bounds, Names, Offer, PointPlan, Probe, Stop};

/// Another process does the work; this one waits.
const USUAL: &[MarkKind] = &[
    MarkKind::Switches,
    MarkKind::Migrations,
    MarkKind::RunDelayNs,
];

/// 1,000 cycles: less than any process.
const BOUNDS: Bounds = Bounds { fastest: 1_000.0 };

const IMAGE: (&str, &str) = (
    "image",
    "static: a program of two pages; dynamic: one that the host's loader starts with the host's C library, as most programs are",
);

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::PROC_FORK,
        title: "fork, exit, wait",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A small process forks a copy of itself, which exits at once, and waits for it.",
        how: "A tiny program without a C library forks; its dynamic image has the loader and the C library mapped, as any C program.",
        needs: &[
            "a directory that allows running programs",
            "image=dynamic: a dynamic loader and C library",
        ],
        params: &[IMAGE],
        names: Names {
            lmbench: &["lat_proc fork", "fork proc"],
            byte: &["Process Creation"],
            ramspeed: &[],
        },
        roles: Roles::All(Role::Fork),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |_| images(id::PROC_FORK),
        measure: |bench| serve(bench, Creation::Fork),
    },
    Probe {
        id: id::PROC_EXEC,
        title: "fork, exec, exit, wait",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A small process starts a tiny program, which writes a line to /dev/null and exits, and waits for it.",
        how: "A tiny program forks and executes its own image: static, or dynamic with the host's loader and C library.",
        needs: &[
            "a directory that allows running programs",
            "image=dynamic: a dynamic loader and C library",
        ],
        params: &[IMAGE],
        names: Names {
            lmbench: &["lat_proc exec", "exec proc"],
            byte: &["Exec System Call Overhead"],
            ramspeed: &[],
        },
        roles: Roles::All(Role::ProgramStart),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |_| images(id::PROC_EXEC),
        measure: |bench| serve(bench, Creation::Exec),
    },
    Probe {
        id: id::PROC_EXECL,
        title: "exec of itself",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A small program executes itself repeatedly in one process.",
        how: "A tiny program executes its own image, static or dynamic with the host's loader and C library, and passes the count on as an argument. UnixBench's program times itself in whole seconds.",
        needs: &[
            "a directory that allows running programs",
            "image=dynamic: a dynamic loader and C library",
        ],
        params: &[IMAGE],
        names: Names {
            byte: &["Execl Throughput"],
            ..Names::NONE
        },
        roles: Roles::All(Role::ProgramStart),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |_| {
            let extra = |offer| match offer {
                Offer::Point(plan) => Offer::Point(PointPlan {
                    extra: true,
                    suites: &["byte"],
                    ..plan
                }),
                skip => skip,
            };
            images(id::PROC_EXECL).into_iter().map(extra).collect()
        },
        measure: |bench| serve(bench, Creation::Execl),
    },
    Probe {
        id: id::PROC_SHELL,
        title: "fork, sh -c, exit, wait",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "A small process has the host's shell start a tiny program, and waits for it.",
        how: "As proc.exec with the dynamic image, through /bin/sh -c.",
        needs: &["/bin/sh", "a directory that allows running programs"],
        params: &[],
        names: Names {
            lmbench: &["lat_proc shell", "sh proc"],
            ..Names::NONE
        },
        roles: Roles::All(Role::ProgramStart),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |_| vec![plan(Point::new(id::PROC_SHELL))],
        measure: |bench| serve(bench, Creation::Shell),
    },
];

fn plan(point: Point) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        scratch: true,
        // 10 ms: a handful of the slowest (a shell takes 1 ms), 100 of the fastest.
        batch_ns: 1e7,
        between_runs: between_runs::SWITCHES,
        ..PointPlan::new(point)
    })
}

fn images(id: &str) -> Vec<Offer> {
    ["static", "dynamic"]
        .map(|image| plan(Point::new(id).with("image", image)))
        .into()
}

/// The operation requested from the tiny program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Creation {
    Fork,
    Exec,
    Execl,
    Shell,
}

fn serve(bench: &mut Bench, work: Creation) -> Result<(), Stop> {
    let folder = bench
        .job
        .scratch
        .as_ref()
        .map(PathBuf::from)
        .ok_or_else(|| {
            Stop::Unavailable("no temporary directory could be created; set TMPDIR".into())
        })?;
    let image = bench.job.point.get("image").unwrap_or("dynamic");
    let program = tiny_program().ok_or_else(|| {
        Stop::Unavailable("no tiny program has been written for this architecture".into())
    })?;
    let image = match image {
        "static" => static_image(program),
        _ => {
            let (loader, library) = loader_and_library()?;
            dynamic_image(program, &loader, &[&library])
        }
    };
    let path = folder.join("tiny");
    write_program(&path, &image)?;
    if work == Creation::Shell {
        bench.note(format!("the shell is {}", shell()));
    }
    let mut server = Server::start(&path, work)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            Ok(Timed::Inside {
                ns: server.ask(n)?,
                marks: Vec::new(),
            })
        })])?;
    }
    Ok(())
}

/// Identifies `/bin/sh`: its real path and size distinguish the shells and versions of a host.
fn shell() -> String {
    let found = fs::canonicalize("/bin/sh").and_then(|path| Ok((fs::metadata(&path)?.len(), path)));
    match found {
        Ok((bytes, path)) => format!("{} ({bytes} bytes)", path.display()),
        Err(why) => format!("unknown ({why})"),
    }
}

fn write_program(path: &Path, image: &[u8]) -> Result<(), Stop> {
    let fail = |e| Stop::unavailable(&path.display().to_string(), e);
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o755)
        .open(path)
        .map_err(fail)?;
    file.write_all(image).map_err(fail)
}

/// A tiny program that measures on request.
struct Server {
    child: Child,
}

impl Server {
    fn start(path: &Path, work: Creation) -> Result<Server, Stop> {
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        match work {
            Creation::Fork => command.arg("f"),
            Creation::Exec => command.arg("e").arg(path),
            Creation::Execl => command.arg("x").arg(path),
            Creation::Shell => {
                if !Path::new("/bin/sh").exists() {
                    return Err(Stop::Unavailable(
                        "/bin/sh: there is no shell on this host".into(),
                    ));
                }
                command.arg("s").arg(path)
            }
        };
        // Started programs write to standard error; standard output carries the answers.
        let null = OpenOptions::new()
            .write(true)
            .open("/dev/null")
            .map_err(|e| Stop::unavailable("/dev/null", e))?;
        let child = command
            .stderr(null)
            .spawn()
            .map_err(|e| Stop::unavailable(&format!("running {}", path.display()), e))?;
        Ok(Server { child })
    }

    /// Has it do the work `n` times. Returns the total ns.
    fn ask(&mut self, n: u64) -> Result<f64, Stop> {
        let gone = || Stop::Unavailable("the tiny program ended".into());
        let (Some(input), Some(output)) = (&mut self.child.stdin, &mut self.child.stdout) else {
            return Err(gone());
        };
        let mut answer = [0u8; 16];
        input
            .write_all(&n.to_ne_bytes())
            .and_then(|()| output.read_exact(&mut answer))
            .map_err(|e| Stop::unavailable("the tiny program ended", e))?;
        let word = |at: usize| {
            answer[at..at + 8]
                .try_into()
                .map(u64::from_ne_bytes)
                .unwrap_or(u64::MAX)
        };
        match (word(0), word(8)) {
            (u64::MAX, status) => Err(Stop::Unavailable(failure(status as i64))),
            (ns, _) => Ok(ns as f64),
        }
    }
}

/// Converts a wait status or negative errno to an error.
fn failure(status: i64) -> String {
    match status {
        error @ ..0 => format!(
            "starting a process: {}",
            std::io::Error::from_raw_os_error(-error as i32)
        ),
        status if status & 0x7f != 0 => {
            format!("a started process was killed by signal {}", status & 0x7f)
        }
        status => format!("a started process exited with {}", (status >> 8) & 0xff),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Closing its input ends it; the kill is for a stuck one.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The host's dynamic loader and C library, taken from its shell or another common program.
fn loader_and_library() -> Result<(String, String), Stop> {
    const PROGRAMS: [&str; 4] = ["/bin/sh", "/usr/bin/env", "/bin/ls", "/bin/cat"];
    PROGRAMS
        .iter()
        .find_map(|path| whyslow_host::elf::dynamic(&fs::read(path).ok()?))
        .and_then(|found| {
            let library = found
                .needed
                .iter()
                .find(|n| n.starts_with("libc.") || n.starts_with("libc-"))?;
            Some((found.interpreter.clone(), library.clone()))
        })
        .ok_or_else(|| {
            Stop::Unavailable(
                "no dynamically linked program was found to learn the loader and C library from"
                    .into(),
            )
        })
}
