//! `whyslow host`: facts and state in words.

mod facts;
mod state;
mod words;

use whyslow_model::host::{Host, Known};
use whyslow_model::state::State;

use crate::Look;
use crate::page::Screen;
use crate::text::Text;

/// Columns of the names; the longest is `address space randomisation`.
const NAMES: usize = 22;

/// The whole page.
pub(crate) fn page(host: &Host, state: &State, look: Look) -> String {
    let mut page = Screen::new(look);
    facts::sections(host, &mut page);
    state::sections(state, &mut page);
    page.finish()
}

/// A known text, or the reason why it is not.
fn fact<T>(page: &mut Screen, name: &str, value: &Known<T>, text: impl Fn(&T) -> String) {
    let text = match value {
        Known::Is(value) => match text(value) {
            empty if empty.is_empty() => Text::dim("none"),
            text => Text::plain(text),
        },
        Known::Unknown(why) => Text::dim(format!("unknown: {}", why.unknown)),
    };
    page.field(0, NAMES, name, text);
}

/// A text that is always known.
fn plain(page: &mut Screen, name: &str, text: impl AsRef<str>) {
    page.field(0, NAMES, name, Text::plain(text));
}
