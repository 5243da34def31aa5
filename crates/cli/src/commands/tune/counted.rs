//! What the command of `tune libc` copies, counted in a run that is not timed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow};
use whyslow_model::host::Known;
use whyslow_model::tune::{CopyClass, DistanceClass, ProgramCopies};
use whyslow_routines::counted::{Caller, Counted, NotCounted, count, time};

/// Callers that are told apart.
const CALLERS: usize = 10;

/// Counts, and then runs the command as it is; nothing where the user asked for the end.
///
/// # Errors
/// When the command cannot be run as it is.
pub(super) fn counted(
    command: &[String],
    stop: &AtomicBool,
) -> Result<Option<Known<ProgramCopies>>> {
    let words: Vec<OsString> = command.iter().map(OsString::from).collect();
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| anyhow!("no program is given"))?;
    let counted = match count(program, arguments, stop) {
        Err(NotCounted::Stopped) => return Ok(None),
        Err(why @ NotCounted::Program(_)) => return Err(why.into()),
        other => other,
    };
    let run_s = match time(program, arguments, stop) {
        Err(NotCounted::Stopped) => return Ok(None),
        Err(why) => return Err(anyhow!("{}: {why}", command.join(" "))),
        Ok(time) => time.as_secs_f64(),
    };
    Ok(Some(match counted {
        Ok(counted) => Known::Is(copies(counted, run_s)),
        Err(why) => Known::unknown(why.to_string()),
    }))
}

fn copies(counted: Counted, run_s: f64) -> ProgramCopies {
    let mut by_caller: BTreeMap<&Caller, u64> = BTreeMap::new();
    for (class, amount) in &counted.classes {
        *by_caller.entry(&class.caller).or_default() += amount.bytes;
    }
    let mut callers: Vec<(&Caller, u64)> = by_caller.into_iter().collect();
    callers.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let named = |caller: &Caller| {
        let known = callers.iter().take(CALLERS).any(|(own, _)| *own == caller);
        match caller {
            Caller::File(path) if known => path.clone(),
            Caller::NoFile if known => "code without a file".to_owned(),
            _ => "others".to_owned(),
        }
    };
    let mut classes: BTreeMap<(String, Option<usize>, u64, u64), [u64; 2]> = BTreeMap::new();
    for (class, amount) in &counted.classes {
        let key = (
            named(&class.caller),
            class.distance,
            class.least,
            class.next,
        );
        let own = classes.entry(key).or_default();
        own[0] += amount.calls;
        own[1] += amount.bytes;
    }
    type CountRow = ((String, Option<usize>, u64, u64), [u64; 2]);
    let class =
        |((caller, distance, least_bytes, next_bytes), [calls, bytes]): CountRow| CopyClass {
            caller,
            distance: distance.and_then(|at| DistanceClass::ALL.get(at).copied()),
            least_bytes,
            next_bytes,
            calls,
            bytes,
        };
    let mut classes: Vec<CopyClass> = classes.into_iter().map(class).collect();
    classes.sort_by_key(|class| std::cmp::Reverse(class.bytes));
    ProgramCopies {
        programs: counted.programs,
        beyond: counted.beyond,
        run_s,
        classes,
    }
}
