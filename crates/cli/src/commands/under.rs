//! The hidden commands that play a part in experiments: `whyslow __under CONDITION... -- PROGRAM...`,
//! `whyslow __beside PART CPU` and `whyslow __sense`.

use std::io::stdout;
use std::process::ExitCode;

use anyhow::Result;
use whyslow_conditions::{Condition, ConditionError};

use crate::args::{Beside, Under};
use crate::output;
use crate::program::own_program;

/// Runs a program under conditions.
pub(crate) fn under(args: &Under) -> Result<ExitCode> {
    let conditions: Result<Vec<Condition>, ConditionError> =
        args.conditions.iter().map(|c| c.parse()).collect();
    let own = own_program();
    let code = whyslow_conditions::under(&conditions?, &own, whyslow_runner::UNDER, &args.program)?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Plays a part until killed.
pub(crate) fn beside(args: &Beside) -> Result<()> {
    Ok(whyslow_conditions::beside(&args.args, stdout().lock())?)
}

/// Says what a process here sees.
pub(crate) fn sense() -> Result<()> {
    let sensed = whyslow_conditions::sense();
    output::print(&(serde_json::to_string(&sensed)? + "\n"))
}
