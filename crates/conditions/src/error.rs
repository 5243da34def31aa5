//! Why a condition cannot be applied, or a change cannot be put back.

use std::io;
use std::path::{Path, PathBuf};

use whyslow_model::text::visible;

use crate::text::plain;

/// Why a condition cannot be applied, or a change cannot be put back. Quoted text of files has what a
/// terminal would act on written out.
#[derive(Debug, thiserror::Error)]
pub enum ConditionError {
    /// This user lacks the right.
    #[error("{what}: {source}")]
    NotPermitted {
        /// The file or the call.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A file, folder or program cannot be used, for another reason than a missing right.
    #[error("{}: {source}", shown(path))]
    Io {
        /// Where it is.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A call fails that concerns no file, for another reason than a missing right.
    #[error("{what}: {source}")]
    Call {
        /// What was to be done.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// This host lacks what the condition needs.
    #[error("{0}")]
    Unavailable(String),
    /// No such condition, or a value that it does not take.
    #[error("{0}")]
    BadValue(String),
    /// A setting reads differently after it was written.
    #[error("{path}: is {} after writing {}", plain(now), plain(wanted))]
    WoundBack {
        /// The file of the setting.
        path: String,
        /// The value that it has.
        now: String,
        /// The value that was written.
        wanted: String,
    },
    /// A process of this program that was killed changed it, and it was not put back.
    #[error(
        "{0}: an experiment was interrupted and left it changed; put it back with `whyslow restore`"
    )]
    LeftChanged(String),
    /// A process that the program depends on exited.
    #[error("{0}")]
    Exited(&'static str),
    /// Another user could have made or written it.
    #[error("{0}")]
    NotBelieved(String),
    /// A journal cannot be read; the message that names it says where.
    #[error("{0}")]
    Unreadable(#[source] io::Error),
    /// A journal is left as it is.
    #[error("refused: {0}; look at it, and remove it")]
    Refused(Box<ConditionError>),
    /// Nothing was changed, because the change could not be recorded first.
    #[error("no journal can be kept: {0}")]
    NoJournal(#[source] Box<ConditionError>),
    /// No control group can be made.
    #[error("{0}; it requires root or a delegated group (systemd-run --user --scope)")]
    NoGroup(Box<ConditionError>),
    /// One condition of several cannot be applied.
    #[error("{condition}: {source}")]
    Condition {
        /// As it was written.
        condition: String,
        /// The reason.
        source: Box<ConditionError>,
    },
}

impl ConditionError {
    /// No such condition, or no value of one.
    pub(crate) fn bad_value(why: impl Into<String>) -> ConditionError {
        ConditionError::BadValue(why.into())
    }

    /// Not to be had on this host.
    pub(crate) fn unavailable(why: impl Into<String>) -> ConditionError {
        ConditionError::Unavailable(why.into())
    }

    /// Another user could have made it.
    pub(crate) fn not_believed(why: impl Into<String>) -> ConditionError {
        ConditionError::NotBelieved(why.into())
    }

    /// The use of `path` failed.
    pub(crate) fn at(path: &Path, why: impl Into<io::Error>) -> ConditionError {
        match why.into() {
            source if source.kind() == io::ErrorKind::PermissionDenied => {
                let what = shown(path);
                ConditionError::NotPermitted { what, source }
            }
            source => ConditionError::Io {
                path: path.to_owned(),
                source,
            },
        }
    }

    /// The call for `what` failed.
    pub(crate) fn call(what: impl Into<String>, why: impl Into<io::Error>) -> ConditionError {
        let (what, source) = (what.into(), why.into());
        match source.kind() {
            io::ErrorKind::PermissionDenied => ConditionError::NotPermitted { what, source },
            _ => ConditionError::Call { what, source },
        }
    }
}

fn shown(path: &Path) -> String {
    // Whole, as where it is matters.
    visible(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_right_is_told_apart_and_reads_the_same() {
        let path = Path::new("/sys/\u{1b}x");
        for (kind, permitted) in [
            (io::ErrorKind::PermissionDenied, false),
            (io::ErrorKind::NotFound, true),
        ] {
            let error = ConditionError::at(path, kind);
            let told = matches!(error, ConditionError::Io { .. });
            assert_eq!(told, permitted, "{error:?}");
            let text = format!("/sys/\\u001bx: {}", io::Error::from(kind));
            assert_eq!(error.to_string(), text);
            let error = ConditionError::call("nice", kind);
            let told = matches!(error, ConditionError::Call { .. });
            assert_eq!(told, permitted, "{error:?}");
        }
    }
}
