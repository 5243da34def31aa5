//! The shapes of x86-64.

mod copy;
mod historic;
mod read;
mod streams;
mod unroll;
mod write;

pub(super) use {copy::COPY, historic::HISTORIC, read::READ, write::WRITE};
