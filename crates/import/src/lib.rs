//! Other tools' results to records.
//!
//! A record made here is of intensity `published`: it has no host and no state, because no such
//! format says them, and every number in it is one that stands in the input, in the unit it was
//! printed in. Suffixes for thousands count as part of the number: `11.K` is 11000. Where it is not
//! certain which row or column a number belongs to, the import is refused: a wrong number is worse.
//!
//! A format is one file in `src/formats/`; the build finds it.

mod error;
mod grid;
mod lmbench;
mod number;
mod pattern;
mod reader;
mod save;
mod sheet;
mod slug;
mod text;

mod formats {
    include!(concat!(env!("OUT_DIR"), "/formats.rs"));
}

use whyslow_model::Record;

pub use error::ImportError;
pub use reader::Format;
pub use save::{save, slug};

pub(crate) use error::Fault;
pub(crate) use reader::Reader;
pub(crate) use sheet::{Row, Sheet};
pub(crate) use text::Text;

/// What an input held.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The format it was read as.
    pub format: Format,
    /// True when the format was recognised rather than named.
    pub recognised: bool,
    /// One record for each system (host, kernel, column) that the input tells apart, in the order in
    /// which they appear; at least one.
    pub systems: Vec<Record>,
}

/// Every format that can be read: its name and what it is.
pub fn formats() -> Vec<(&'static str, &'static str)> {
    Format::all().map(|f| (f.name(), f.what())).collect()
}

/// Which format `bytes` are in.
///
/// # Errors
/// When they are not text, or no format or several formats fit.
pub fn recognise(bytes: &[u8]) -> Result<Format, ImportError> {
    let name = "input";
    Text::read(bytes)
        .and_then(|text| reader::recognise(&text))
        .map_err(|fault| fault.within(name))
}

/// Reads `bytes`, which came from the file `file_name`, as `format` or as what it looks like.
///
/// # Errors
/// When the input is empty, too large, binary or UTF-16, of no known format, or holds something that
/// cannot be read with certainty. The error is one line with file, line and what to do.
pub fn import(
    bytes: &[u8],
    file_name: &str,
    format: Option<Format>,
) -> Result<Imported, ImportError> {
    read(bytes, file_name, format).map_err(|fault| fault.within(file_name))
}

fn read(bytes: &[u8], file_name: &str, format: Option<Format>) -> Result<Imported, Fault> {
    let text = Text::read(bytes)?;
    let recognised = format.is_none();
    let format = match format {
        Some(format) => format,
        None => reader::recognise(&text)?,
    };
    let mut sheet = Sheet::default();
    format.read(&text, &mut sheet)?;
    text.must_be_whole(sheet.last_line())?;
    let systems = sheet.records(format, file_name)?;
    Ok(Imported {
        format,
        recognised,
        systems,
    })
}
