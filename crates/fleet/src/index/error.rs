//! Why an index cannot be used.

/// Why an index cannot be used. Every message says which, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder of records.
    #[error(transparent)]
    Folder(#[from] crate::folder::FolderError),
    /// This program was built without it.
    #[error("this whyslow was built without {what}")]
    NotBuilt {
        /// What it takes.
        what: &'static str,
    },
    /// It is of another program.
    #[error("the index {place}: it is of another program; name another one with --index")]
    Foreign {
        /// The file or the database.
        place: String,
    },
    /// It is of a newer version of this program.
    #[error(
        "the index {place}: it was made by a newer whyslow; use that one, or name another index with --index"
    )]
    Newer {
        /// The file or the database.
        place: String,
    },
    /// Another version of this program emptied it meanwhile.
    #[error(
        "the index {place}: another version of whyslow made it again meanwhile; run this once more, or name another one with --index"
    )]
    Remade {
        /// The file or the database.
        place: String,
    },
    /// The SQLite file.
    #[cfg(feature = "sqlite")]
    #[error(
        "the index {place}: {source}; name another file with --index, or remove it if it is an index of this tool"
    )]
    Sqlite {
        /// The file.
        place: String,
        /// The error.
        source: rusqlite::Error,
    },
    /// The PostgreSQL database.
    #[cfg(feature = "postgres")]
    #[error(
        "the index {place}: {why}; what was written stays, and is gone on with once the server can be used"
    )]
    Postgres {
        /// Host and database, without a password.
        place: String,
        /// What the client or the server says, one line.
        why: String,
    },
    /// The name of a PostgreSQL database.
    #[cfg(feature = "postgres")]
    #[error("--index: {why}; name it as postgresql://USER@HOST/DATABASE")]
    Name {
        /// What is wrong with it.
        why: String,
    },
}

impl IndexError {
    /// Is it a file of SQLite whose content is damaged?
    pub fn is_damage(&self) -> bool {
        match self {
            #[cfg(feature = "sqlite")]
            IndexError::Sqlite { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
            ),
            _ => false,
        }
    }
}
