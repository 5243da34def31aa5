//! Repeats a group of lines of assembly, so that each loop is declared by its one typical group.

/// `groups!(N size group)`: the text of `group!(offset)` for N groups of `size` bytes, in order.
///
/// A group is four pairs: 64 bytes of general registers, 128 of vectors.
macro_rules! groups {
    (4 64 $g:ident) => {
        concat!($g!(0), $g!(64), $g!(128), $g!(192))
    };
    (2 128 $g:ident) => {
        concat!($g!(0), $g!(128))
    };
}

/// `eight!(line)`: the text of `line!(i g v)` for the eight sums: the index `i` and the numbers of
/// the general register `g` and of the vector register `v` that hold one.
///
/// Eight sums hide the latency of an addition (one cycle of general registers, two of vectors) at
/// the four to six additions that a core makes in a cycle.
macro_rules! eight {
    ($l:ident) => {
        concat!(
            $l!(0 8 16), $l!(1 9 17), $l!(2 10 18), $l!(3 11 19),
            $l!(4 12 20), $l!(5 13 21), $l!(6 14 22), $l!(7 15 23)
        )
    };
}

pub(super) use {eight, groups};
