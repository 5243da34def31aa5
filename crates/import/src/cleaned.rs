//! What stands around results is taken off before any format reads them, once for all formats: what typesetters, mails,
//! terminals, logs, forums and wikis add. Figures stay as they are printed, and lines keep their numbers.

mod bracketed;
mod coded;
mod commented;
mod dashed;
mod decimal;
mod dress;
mod fallen;
mod framed;
mod indexed;
mod inner;
mod latex;
mod mail;
mod padded;
mod quiet;
mod ruled;
mod shares;
mod signs;
mod stray;
mod tabbed;
mod thousands;
mod underscored;

use std::borrow::Cow;

pub(crate) use dress::untagged;
pub(crate) use signs::is_picture;

/// Longer inputs are logs of other things, bytes.
const LARGEST: usize = 4 << 20;

type Step = for<'a> fn(Cow<'a, str>) -> Cow<'a, str>;

/// In this order, as each sees what the ones before it have left.
const STEPS: [Step; 25] = [
    signs::plain,
    commented::uncommented,
    indexed::unlisted,
    framed::bare,
    quiet::quiet,
    // Sentences around it may have hidden a frame.
    framed::bare,
    mail::cleaned,
    bracketed::bare,
    padded::joined,
    underscored::spaced,
    stray::untailed,
    tabbed::barred,
    latex::barred,
    fallen::rejoined,
    ruled::named,
    ruled::barred,
    inner::barred,
    dashed::barred,
    coded::uncoded,
    dress::undressed,
    indexed::unnumbered,
    indexed::unordered,
    // Groups of other figures say what `141.394` is.
    decimal::pointed,
    thousands::joined,
    shares::amounts,
];

/// `whole` without all of that.
pub(crate) fn cleaned(whole: Cow<'_, str>) -> Cow<'_, str> {
    if whole.len() > LARGEST {
        return whole;
    }
    STEPS.iter().fold(whole, |whole, step| step(whole))
}

/// What ends the lines of a text. Old Macs end them with a carriage return alone.
pub(crate) fn line_end(whole: &str) -> &'static str {
    if whole.contains('\n') { "\n" } else { "\r" }
}
