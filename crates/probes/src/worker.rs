//! A worker: reads a job, measures one point, answers, exits.

use std::hint::black_box;
use std::io::{self, Read, Write};

use whyslow_model::job::{Answer, Fault, Job};
use whyslow_model::record::{Failure, FailureKind};

use crate::bench::Bench;
use crate::copies;
use crate::stop::Stop;

/// Runs the one job on `input` and writes the answer to `output`.
///
/// # Errors
/// When the job cannot be read or the answer cannot be written; the runner sees that as a crash.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let job: Job = serde_json::from_slice(&text)?;
    match job.fault {
        Some(Fault::Crash) => std::process::abort(),
        Some(Fault::Hang) => loop {
            std::thread::park();
        },
        None => {}
    }
    let answer = on_moved_stack(job.randomization.stack_offset, || {
        match copies::wanted(&job) {
            Some(count) => copies::lead(&job, count, measure),
            None => measure(&job),
        }
    });
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
}

/// Measures the point of `job`.
pub fn measure(job: &Job) -> Answer {
    let measured = (|| {
        let probe = crate::probe(&job.point.probe).ok_or_else(|| {
            Stop::Unavailable(format!(
                "there is no probe '{}' in this build",
                job.point.probe
            ))
        })?;
        let mut bench = Bench::new(job, probe.bounds, probe.unit)?;
        (probe.measure)(&mut bench)?;
        Ok(bench.finish())
    })();
    match measured {
        Ok(measured) => Answer::Measured(measured),
        Err(stop) => Answer::Failed(Failure {
            how: match stop {
                Stop::Unavailable(_) => FailureKind::Unavailable,
                Stop::Refused(_) | Stop::Short(_) => FailureKind::Refused,
            },
            why: stop.to_string(),
        }),
    }
}

/// Runs `work` with the stack at least `bytes` lower.
fn on_moved_stack<T>(bytes: u32, work: impl FnOnce() -> T) -> T {
    let pad = [0u8; 64];
    black_box(&pad);
    let done = match bytes.checked_sub(64) {
        None => work(),
        Some(less) => on_moved_stack(less, work),
    };
    // Keeps the frame alive across the call, which would otherwise become a tail jump.
    black_box(&pad);
    done
}
