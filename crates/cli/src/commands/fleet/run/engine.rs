//! The engine that was asked for, and the program as its nodes find it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use whyslow_fleet::launch::engine::{Children, Engine, Kubernetes, Slurm, Ssh, Steps, Template};
use whyslow_fleet::launch::{Setup, hosts, hosts_of_file};
use whyslow_model::fleet::FleetPlan;

use crate::args::FleetRun;

/// Where an image of ours has the program.
const IN_IMAGE: &str = "/whyslow";

/// The copy of the program that nodes of Slurm start.
const COPY: &str = ".whyslow-program";

/// An engine, with what its tasks have in common.
pub(super) struct Chosen {
    pub(super) engine: Box<dyn Engine>,
    pub(super) setup: Setup,
}

/// The nodes that were named; none where the engine is to say.
pub(super) fn named(args: &FleetRun) -> Result<Option<Vec<String>>> {
    if let Some(template) = &args.launcher
        && !Template::is_complete(template)
    {
        bail!("--launcher '{template}' has to say {{node}}, and {{command}} or {{line}}");
    }
    if args.launcher.is_some() && args.nodes.is_none() && !args.confirm {
        bail!("--launcher knows no nodes; name them with --nodes");
    }
    if let Some(list) = &args.ssh {
        let path = Path::new(list);
        let named = match path.is_file() {
            true => {
                let text = fs::read_to_string(path).with_context(|| format!("--ssh {list}"))?;
                hosts_of_file(&text)
            }
            false => hosts(list),
        };
        let named = named.context("--ssh")?;
        if named.is_empty() {
            bail!("--ssh {list} names no host");
        }
        return Ok(Some(named));
    }
    let named = args
        .nodes
        .as_ref()
        .map(|list| hosts(list).context("--nodes"));
    let named = named.transpose()?;
    if named.as_ref().is_some_and(Vec::is_empty) {
        bail!("--nodes names no node");
    }
    Ok(named)
}

/// The engine for a plan. Only where `may_write` is set, the program is copied.
pub(super) fn engine(
    args: &FleetRun,
    folder: &Path,
    plan: &FleetPlan,
    named: Option<Vec<String>>,
    may_write: bool,
) -> Result<Chosen> {
    let own = || env::current_exe().context("this program cannot be found; name it with --binary");
    let program = match (
        &args.binary,
        args.kubernetes.is_some(),
        args.slurm && args.copy,
    ) {
        (Some(binary), ..) => on_nodes(args, binary)?,
        (None, true, _) => PathBuf::from(IN_IMAGE),
        (None, false, true) => {
            let copy = folder.join(COPY);
            if may_write {
                place(&own()?, &copy).with_context(|| copy.display().to_string())?;
            }
            copy
        }
        (None, false, false) => own()?,
    };
    let setup = Setup {
        name: Setup::name(&plan.id, folder.as_os_str().as_encoded_bytes()),
        program,
        run: plan.run.clone(),
        limit: Duration::from_secs(args.timeout.into()),
    };
    let of = setup.clone();
    let listed = || named.clone().unwrap_or_default();
    let engine: Box<dyn Engine> = if args.slurm {
        Box::new(Slurm::new(of, args.partition.clone(), named))
    } else if args.in_allocation {
        let allocated = env::var("SLURM_JOB_NODELIST").ok();
        let allocated = allocated.context(
            "--in-allocation: this runs in no allocation of Slurm; use salloc, or --slurm in its place",
        )?;
        Box::new(Children::new(Steps {
            setup: of,
            allocated,
            named,
        }))
    } else if let Some(image) = &args.kubernetes {
        let namespace = args.namespace.clone();
        // Without --apply nothing is asked of a cluster that may not be there.
        match (args.apply, &named) {
            (true, _) => Box::new(Kubernetes::new(of, image.clone(), namespace, named)),
            (false, Some(_)) => Box::new(Kubernetes::offline(of, image.clone(), namespace, named)),
            (false, None) => Box::new(Kubernetes::new(of, image.clone(), namespace, None)),
        }
    } else if let Some(template) = &args.launcher {
        Box::new(Children::new(Template {
            setup: of,
            template: template.clone(),
            nodes: listed(),
        }))
    } else {
        let copy = match args.copy {
            true => {
                let own = own()?;
                let size = fs::metadata(&own).with_context(|| own.display().to_string())?;
                Some((own, size.len()))
            }
            false => None,
        };
        Box::new(Children::new(Ssh {
            setup: of,
            nodes: listed(),
            copy,
        }))
    };
    Ok(Chosen { engine, setup })
}

/// The path that was named: what lies on a shared file system is found from anywhere.
fn on_nodes(args: &FleetRun, binary: &Path) -> Result<PathBuf> {
    let shared = args.slurm || args.in_allocation;
    if shared && !binary.is_file() {
        bail!("--binary {} is no file", binary.display());
    }
    match shared {
        true => Ok(std::path::absolute(binary)?),
        false => Ok(binary.to_owned()),
    }
}

/// Copies the program, whole or not at all: jobs may be running the one before.
fn place(from: &Path, to: &Path) -> Result<()> {
    let new = to.with_extension("new");
    let copied = fs::copy(from, &new).and_then(|_| fs::rename(&new, to));
    if copied.is_err() {
        // Half of it is of no use.
        let _ = fs::remove_file(&new);
    }
    Ok(copied?)
}
