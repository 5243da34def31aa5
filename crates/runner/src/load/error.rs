//! Why commands cannot be measured: one line each, what is wrong and what to do.

use std::io;
use std::path::PathBuf;

/// More runs a round are a slip of the finger.
pub(super) const MOST: usize = 10_000;

/// Most copies of a command at once; beyond, processes run out before anything is learned.
pub(super) const MOST_COPIES: u32 = 4_096;

/// Why commands cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// What a run is to be within cannot be had.
    #[error("{0}")]
    Within(String),
    /// A parameter stands nowhere.
    #[error("the parameter '{0}' is used nowhere; write {{{0}}} in the command or in --prepare")]
    Unused(String),
    /// A parameter is given two times.
    #[error("the parameter '{0}' is given twice")]
    Twice(String),
    /// Cells that would be one point.
    #[error("two values look alike in the record ('{0}'); braces and commas in them are not kept")]
    Alike(String),
    /// A place for levels, and no level.
    #[error("the command has {{j}} but no levels are given; add -j 1,2,4")]
    NoLevels,
    /// A place for levels in some of the commands.
    #[error(
        "only some of the commands have {{j}}; write it in each (or in none, to run that many copies at once)"
    )]
    SomeLevels,
    /// Too many copies at once.
    #[error("{0} copies at once are more than {MOST_COPIES}")]
    Copies(u32),
    /// Too many cells.
    #[error("that is more than {MOST} different runs; give fewer values")]
    Runs,
    /// Commands that would be one point.
    #[error("two commands have the same name; give each --name one of its own")]
    Names,
    /// A line that means something to a shell alone.
    #[error("'{line}' needs a shell ('{}' means nothing without one); add --shell default", what.escape_default())]
    Shell {
        /// The line.
        line: String,
        /// What of it.
        what: char,
    },
    /// A quote that stays open.
    #[error("'{line}' has a {quote} without its partner")]
    Quote {
        /// The line.
        line: String,
        /// The quote.
        quote: char,
    },
    /// No word of a command.
    #[error("the command is empty")]
    Empty,
    /// The folder that it was begun in cannot be read.
    #[error("the current folder cannot be read: {0}")]
    Here(io::Error),
    /// The folder that it was begun in is gone.
    #[error(
        "{}: the folder that the command runs in is gone, removed by it or by another process; \
         make it anew with --prepare, from another folder", .0.display()
    )]
    Gone(PathBuf),
    /// A file for input or output.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A program that is there and does not start.
    #[error("{program}: cannot be started: {error}")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// A whole line where a program is expected.
    #[error(
        "'{0}': no such program; a whole command line needs --shell default, a program and \
         its arguments no quotes around them"
    )]
    LineAsProgram(String),
    /// A program whose own interpreter is missing.
    #[error(
        "{0}: the interpreter or loader that it names in its first line or header does not exist"
    )]
    Interpreter(String),
    /// No such file.
    #[error("{0}: no such program")]
    NoProgram(String),
    /// No such file in any folder of PATH.
    #[error("{0}: no such program in PATH")]
    NotInPath(String),
    /// The clock cannot be measured.
    #[error("{0}")]
    Clock(String),
    /// The first run of a command failed.
    #[error("'{title}' {why}; {advice}")]
    Command {
        /// The command.
        title: String,
        /// How it ended.
        why: String,
        /// What to do.
        advice: &'static str,
    },
    /// A command around the runs failed.
    #[error(
        "the {name} command '{text}' {how}; see what it says with --output inherit, or add '|| true'"
    )]
    Hook {
        /// Its option.
        name: String,
        /// The command.
        text: String,
        /// How it ended.
        how: String,
    },
}

/// What does not make a parameter, with how one looks.
#[derive(Debug, thiserror::Error)]
#[error("'{text}': {why}; a parameter looks like NAME=a,b,c or NAME=1..10 or NAME=1..10..3")]
pub struct ParameterError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub why: NoParameter,
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoParameter {
    /// A name alone.
    #[error("there is no '='")]
    NoValue,
    /// A name of other letters.
    #[error("a name has letters, digits, '_' and '-'")]
    Name,
    /// A name with a meaning of its own.
    #[error("this name is taken (-j gives the values of j)")]
    Taken,
    /// Two values that are one.
    #[error("a value occurs twice")]
    Twice,
    /// Too many values.
    #[error("that is more than 1,000 values")]
    Many,
    /// Numbers beyond what is counted with.
    #[error("the numbers are too large")]
    Large,
    /// A range that ends before it begins.
    #[error("a range goes upwards in steps above zero")]
    Range,
}
