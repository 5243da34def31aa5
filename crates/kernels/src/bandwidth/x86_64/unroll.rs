//! Repeats a line of assembly, so that each loop is declared by its one typical instruction.

/// `lines!(N line)`: the text of `line!(i v g)` for i = 0..N, in order: `i` the index, `v` the
/// number of a vector register (i mod 8) and `g` the name of a general one (r8 to r11 in turn).
///
/// Eight vector registers hide the latency of an addition (one to three cycles) at two loads a
/// cycle; four general ones do at a latency of one cycle and four loads.
macro_rules! lines {
    (4 $l:ident) => {
        concat!($l!(0 0 "r8"), $l!(1 1 "r9"), $l!(2 2 "r10"), $l!(3 3 "r11"))
    };
    (8 $l:ident) => {
        concat!(
            lines!(4 $l),
            $l!(4 4 "r8"), $l!(5 5 "r9"), $l!(6 6 "r10"), $l!(7 7 "r11")
        )
    };
    (16 $l:ident) => {
        concat!(
            lines!(8 $l),
            $l!(8 0 "r8"), $l!(9 1 "r9"), $l!(10 2 "r10"), $l!(11 3 "r11"),
            $l!(12 4 "r8"), $l!(13 5 "r9"), $l!(14 6 "r10"), $l!(15 7 "r11")
        )
    };
    (32 $l:ident) => {
        concat!(
            lines!(16 $l),
            $l!(16 0 "r8"), $l!(17 1 "r9"), $l!(18 2 "r10"), $l!(19 3 "r11"),
            $l!(20 4 "r8"), $l!(21 5 "r9"), $l!(22 6 "r10"), $l!(23 7 "r11"),
            $l!(24 0 "r8"), $l!(25 1 "r9"), $l!(26 2 "r10"), $l!(27 3 "r11"),
            $l!(28 4 "r8"), $l!(29 5 "r9"), $l!(30 6 "r10"), $l!(31 7 "r11")
        )
    };
}

pub(super) use lines;
