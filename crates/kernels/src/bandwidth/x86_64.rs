//! The shapes of x86-64.

mod copy;
mod read;
mod streams;
mod unroll;
mod write;

pub(super) use {copy::COPY, read::READ, write::WRITE};
