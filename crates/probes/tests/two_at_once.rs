//! Two concurrent copies of whyslow share no port, socket or file: both measure.

#![allow(clippy::unwrap_used)] // test helpers

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use whyslow_model::job::{Answer, Job};
use whyslow_model::record::Randomization;
use whyslow_probes::clock;
use whyslow_probes::peer::Peer;
use whyslow_probes::worker::measure;

/// Probes that use a port, a socket or a file.
const POINTS: [&str; 10] = [
    "net.latency{over=tcp,cpus=free}",
    "net.latency{over=udp,cpus=free}",
    "net.connect{over=tcp,cpus=free}",
    "net.connect{over=unix,cpus=free}",
    "net.rpc{over=udp,cpus=free}",
    "net.rpc{over=tcp,cpus=free}",
    "net.http{size=1KiB,cpus=free}",
    "ipc.bandwidth{over=tcp,cpus=free}",
    "file.read{how=open_read,size=512KiB}",
    "file.write{size=512KiB,sync=no}",
];

fn job(point: &str, scratch: &Path) -> Job {
    Job {
        // The same seed for both: separation must not depend on it.
        randomization: Randomization::default(),
        samples: 5,
        batch_ns: 5e6,
        clock: Some(clock::measure().unwrap()),
        size_bytes: Some(512 << 10),
        scratch: Some(scratch.display().to_string()),
        ..Job::new(point.parse().unwrap())
    }
}

/// A process that measures `job` on request, and reports success.
fn worker(job: Job) -> (Peer, UnixStream) {
    let (here, mut there) = UnixStream::pair().unwrap();
    let peer = Peer::start(None, move || {
        there.read_exact(&mut [0]).unwrap();
        let said = match measure(&job) {
            Answer::Measured(_) => "measured".to_owned(),
            Answer::Failed(failure) => failure.why,
        };
        there.write_all(said.as_bytes())
    });
    (peer.unwrap(), here)
}

#[test]
fn two_copies_share_nothing() {
    let scratch = std::env::temp_dir().join(format!("whyslow-two{}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    for point in POINTS {
        let job = job(point, &scratch);
        let mut both = [worker(job.clone()), worker(job)];
        for (_, wire) in &mut both {
            wire.write_all(b"!").unwrap();
        }
        for (_, wire) in &mut both {
            let mut said = String::new();
            wire.read_to_string(&mut said).unwrap();
            assert_eq!(said, "measured", "{point}");
        }
    }
    let left: Vec<_> = fs::read_dir(&scratch).unwrap().flatten().collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    fs::remove_dir(&scratch).unwrap();
}
