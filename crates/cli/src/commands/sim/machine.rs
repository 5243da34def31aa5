//! The machine that `whyslow sim` was asked for.

use anyhow::{Context, Result, bail};
use whyslow_model::size;
use whyslow_sim::{
    Inclusion, IndexKind, LevelSpec, MachineSpec, Policy, Replacement, TlbSpec, Writes, folded,
};

use crate::args::{PolicyArgument, Sim};

/// Bytes of a line; all machines of today that we know of have this, or twice as many.
pub(super) const LINE: u32 = 64;

/// Caches where none are given: those of a current server core.
const USUAL: [&str; 3] = ["48KiB:12", "1MiB:16", "32MiB:16"];

/// The machine without a record.
pub(super) fn machine(args: &Sim, policy: Policy) -> Result<MachineSpec> {
    let usual = USUAL.map(str::to_owned);
    let caches = if args.cache.is_empty() {
        &usual[..]
    } else {
        &args.cache
    };
    let caches = (1..)
        .zip(caches)
        .map(|(at, text)| level(at, text).with_context(|| format!("--cache {text}")));
    let tlbs = args.tlb.iter().map(|text| {
        let (entries, ways) = text.split_once(':').context("ENTRIES:WAYS is expected")?;
        Ok(TlbSpec {
            entries: entries.parse()?,
            ways: ways.parse()?,
        })
    });
    let tlbs = tlbs
        .zip(&args.tlb)
        .map(|(tlb, text): (Result<TlbSpec>, _)| tlb.with_context(|| format!("--tlb {text}")));
    let mut spec = MachineSpec {
        caches: caches.collect::<Result<_>>()?,
        tlbs: tlbs.collect::<Result<_>>()?,
        walk: 1,
        policy,
        others: 0.0,
    };
    change(args, &mut spec, LINE)?;
    Ok(spec)
}

fn level(at: u32, text: &str) -> Result<LevelSpec> {
    let mut parts = text.split(':');
    let bytes = parts
        .next()
        .and_then(size::parse)
        .context("SIZE:WAYS is expected, such as 1MiB:16")?;
    let ways = parts
        .next()
        .context("SIZE:WAYS is expected, such as 1MiB:16")?;
    let lines = lines(bytes, LINE)?;
    let ways = ways
        .parse()
        .with_context(|| format!("{ways} is no number of ways"))?;
    let mut level = LevelSpec::lru(&format!("L{at}"), lines, ways);
    for part in parts {
        match part {
            "inclusive" => level.inclusion = Inclusion::Inclusive,
            "pairs" => level.pairs = true,
            "exclusive" => level.inclusion = Inclusion::Exclusive,
            "no-allocate" => level.cache.writes = Writes::BackNoAllocate,
            "through" => level.cache.writes = Writes::Through,
            "through-no-allocate" => level.cache.writes = Writes::ThroughNoAllocate,
            policy => level.cache.replacement = replacement(policy)?,
        }
    }
    Ok(level)
}

fn lines(bytes: u64, line: u32) -> Result<u64> {
    if bytes == 0 || !bytes.is_multiple_of(u64::from(line)) {
        bail!("{bytes} bytes are no whole number of lines of {line}");
    }
    Ok(bytes / u64::from(line))
}

fn replacement(name: &str) -> Result<Replacement> {
    Ok(match name {
        "lru" => Replacement::Lru,
        "bit-plru" => Replacement::BitPlru,
        "tree-plru" => Replacement::TreePlru,
        "srrip" => Replacement::Srrip,
        "brrip" => Replacement::Brrip,
        "random" => Replacement::Random,
        _ => bail!("{name} is none of lru, bit-plru, tree-plru, srrip, brrip, random"),
    })
}

/// Policy of placement by its name.
pub(super) fn policy(named: PolicyArgument, age: u32) -> Policy {
    match named {
        PolicyArgument::Stock => Policy::Stock(age),
        PolicyArgument::Virtual => Policy::Virtual,
        PolicyArgument::Sequential => Policy::Sequential,
        PolicyArgument::Random => Policy::Random,
        PolicyArgument::Colored => Policy::Colored,
        PolicyArgument::Hopping => Policy::Hopping,
        PolicyArgument::Huge => Policy::Huge,
    }
}

/// Changes the machine by the what-if flags; true if there are any.
pub(super) fn change(args: &Sim, spec: &mut MachineSpec, line: u32) -> Result<bool> {
    let flags = [
        ("--size", &args.size),
        ("--ways", &args.ways),
        ("--replacement", &args.replacement),
        ("--hash", &args.hash),
    ];
    let mut any = false;
    if let (Some(named), true) = (args.policy, args.like.is_some()) {
        if named == PolicyArgument::Huge {
            bail!("--policy huge: other pages are translated otherwise too; use --pages thp");
        }
        spec.policy = policy(named, args.age);
        any = true;
    }
    for (flag, texts) in flags {
        for text in texts {
            one(flag, text, spec, line).with_context(|| format!("{flag} {text}"))?;
            any = true;
        }
    }
    Ok(any)
}

fn one(flag: &str, text: &str, spec: &mut MachineSpec, line: u32) -> Result<()> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let names: Vec<String> = spec.caches.iter().map(|level| level.name.clone()).collect();
    let level = spec.caches.iter_mut().find(|level| level.name == name);
    let Some(level) = level else {
        bail!("there is no level {name}, only {}", names.join(", "));
    };
    let cache = &mut level.cache;
    match flag {
        "--size" => {
            let bytes = size::parse(value).context("LEVEL=SIZE is expected, such as L2=2MiB")?;
            cache.lines = lines(bytes, line)?;
        }
        "--ways" => {
            cache.ways = value
                .parse()
                .context("LEVEL=WAYS is expected, such as L2=8")?
        }
        "--replacement" => cache.replacement = replacement(value)?,
        _ if value.is_empty() => {
            let sets = cache.lines / u64::from(cache.ways.max(1));
            cache.index = IndexKind::Hashed(folded(u32::try_from(sets)?));
        }
        _ => {
            let mask = |text: &str| {
                let digits = text.trim_start_matches("0x");
                let mask = u64::from_str_radix(digits, 16).ok()?;
                u32::try_from(mask >> line.ilog2()).ok()
            };
            let masks: Option<Vec<u32>> = value.split(',').map(mask).collect();
            let masks =
                masks.context("masks of addresses in hexadecimal, below 256 GiB, are expected")?;
            cache.index = IndexKind::Hashed(masks);
        }
    }
    Ok(())
}
