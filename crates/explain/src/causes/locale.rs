//! Language settings: how text is compared.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "locale",
    title: "the locale",
    said: "lc_all; locale; lang=; environment.locale; utf-8 locale; lc_ctype; lc_collate; collation; en_us; \
        de_de; c.utf-8; posix locale; c locale; utf8mb4; unicode_ci; utf8mb4_bin; mbrtowc; multibyte; \
        wide characters; utf8_general_ci; grep -i utf; lang=c; collate c; collate utf8; collate posix; \
        single-byte mode; unibyte",
    reaches: Role::STARTS,
    what: "In a locale other than C, text tools load its data at their start and compare by its rules.",
    advice: &["Run text tools with LC_ALL=C where their order does not matter."],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Programs],
    may: &[Role::ProgramStart],
    spares: &[
        Role::Compute,
        Role::SystemCall,
        Role::SwitchSameCpu,
        Role::Fork,
    ],
    facts: &["environment.locale"],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether the locale is it",
        "LC_ALL=C whyslow run --only 'proc.*'",
    ))
}
