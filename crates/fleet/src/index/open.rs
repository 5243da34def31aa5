//! Which kind of index a name means.

use std::path::Path;

use super::{Index, IndexError};

/// How the name of a database begins. No file can be meant: it would have a folder without a name in it.
const DATABASE: [&str; 2] = ["postgresql://", "postgres://"];

/// Opens the index `place`, a file or `postgresql://USER@HOST/DATABASE`, or makes it. `password` is for a database whose name
/// has none.
///
/// # Errors
/// When it cannot be used, or this program was built without what it takes.
pub fn open(place: &Path, password: Option<&str>) -> Result<Box<dyn Index>, IndexError> {
    let name = place.to_str().unwrap_or_default();
    match DATABASE.iter().any(|start| name.starts_with(start)) {
        true => database(name, password),
        false => file(place),
    }
}

/// The index in the file `place` made again, empty, if it is one of ours by its mark: for one that is damaged. None of what is not
/// ours.
pub fn anew(place: &Path) -> Option<Result<Box<dyn Index>, IndexError>> {
    #[cfg(feature = "sqlite")]
    if super::SqliteIndex::is_ours(place) {
        let made = super::SqliteIndex::anew(place);
        return Some(made.map(|index| Box::new(index) as Box<dyn Index>));
    }
    let _ = place;
    None
}

#[cfg(feature = "postgres")]
fn database(name: &str, password: Option<&str>) -> Result<Box<dyn Index>, IndexError> {
    Ok(Box::new(super::PostgresIndex::open(name, password)?))
}

#[cfg(not(feature = "postgres"))]
fn database(_name: &str, _password: Option<&str>) -> Result<Box<dyn Index>, IndexError> {
    Err(IndexError::NotBuilt { what: "PostgreSQL" })
}

#[cfg(feature = "sqlite")]
fn file(place: &Path) -> Result<Box<dyn Index>, IndexError> {
    Ok(Box::new(super::SqliteIndex::open(place)?))
}

#[cfg(not(feature = "sqlite"))]
fn file(_place: &Path) -> Result<Box<dyn Index>, IndexError> {
    Err(IndexError::NotBuilt { what: "SQLite" })
}
