//! Straight copies: all loads, upward, then all stores, so that blocks may overlap.

/// Loads every register from its place in the source, then stores every one to its place in the destination.
macro_rules! moves {
    ($p:literal, $(($register:expr, $at:expr))+) => {
        concat!(
            $($p, "movups ", $register, ", [rsi", $at, "]\n",)+
            $($p, "movups [rdi", $at, "], ", $register, "\n",)+
        )
    };
}

/// So many vectors of `$w` bytes from the first byte on, and so many up to the last.
macro_rules! straight {
    ($p:literal, (1 + 1) $w:literal, $r:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + rdx - ", $w))
        )
    };
    ($p:literal, (2 + 2) $w:literal, $r:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + rdx - 2*", $w)
            )(concat!($r, "3"), concat!(" + rdx - ", $w))
        )
    };
    ($p:literal, (4 + 4) $w:literal, $r:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + 2*", $w)
            )(concat!($r, "3"), concat!(" + 3*", $w))(
                concat!($r, "4"), concat!(" + rdx - 4*", $w)
            )(concat!($r, "5"), concat!(" + rdx - 3*", $w))(
                concat!($r, "6"),
                concat!(" + rdx - 2*", $w)
            )(concat!($r, "7"), concat!(" + rdx - ", $w))
        )
    };
    ($p:literal, (8 + 2) $w:literal, $r:literal, $s:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + 2*", $w)
            )(concat!($r, "3"), concat!(" + 3*", $w))(
                concat!($r, "4"), concat!(" + 4*", $w)
            )(concat!($r, "5"), concat!(" + 5*", $w))(
                concat!($r, "6"), concat!(" + 6*", $w)
            )(concat!($r, "7"), concat!(" + 7*", $w))(
                concat!($r, "8"), concat!(" + rdx - 2*", $w)
            )(concat!($r, "9"), concat!(" + rdx - ", $w))
        )
    };
    ($p:literal, (8 + 4) $w:literal, $r:literal, $s:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + 2*", $w)
            )(concat!($r, "3"), concat!(" + 3*", $w))(
                concat!($r, "4"), concat!(" + 4*", $w)
            )(concat!($r, "5"), concat!(" + 5*", $w))(
                concat!($r, "6"), concat!(" + 6*", $w)
            )(concat!($r, "7"), concat!(" + 7*", $w))(
                concat!($r, "8"), concat!(" + rdx - 4*", $w)
            )(concat!($r, "9"), concat!(" + rdx - 3*", $w))(
                concat!($s, "0"),
                concat!(" + rdx - 2*", $w)
            )(concat!($s, "1"), concat!(" + rdx - ", $w))
        )
    };
    ($p:literal, (12 + 2) $w:literal, $r:literal, $s:literal, $q0:literal, $q1:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + 2*", $w)
            )(concat!($r, "3"), concat!(" + 3*", $w))(
                concat!($r, "4"), concat!(" + 4*", $w)
            )(concat!($r, "5"), concat!(" + 5*", $w))(
                concat!($r, "6"), concat!(" + 6*", $w)
            )(concat!($r, "7"), concat!(" + 7*", $w))(
                concat!($r, "8"), concat!(" + 8*", $w)
            )(concat!($r, "9"), concat!(" + 9*", $w))(
                concat!($s, "0"), concat!(" + 10*", $w)
            )(concat!($s, "1"), concat!(" + 11*", $w))($q0, concat!(" + rdx - 2*", $w))(
                $q1,
                concat!(" + rdx - ", $w)
            )
        )
    };
    ($p:literal, (12 + 4) $w:literal, $r:literal, $s:literal, $q0:literal, $q1:literal, $q2:literal, $q3:literal) => {
        moves!(
            $p,
            (concat!($r, "0"), "")(concat!($r, "1"), concat!(" + ", $w))(
                concat!($r, "2"),
                concat!(" + 2*", $w)
            )(concat!($r, "3"), concat!(" + 3*", $w))(
                concat!($r, "4"), concat!(" + 4*", $w)
            )(concat!($r, "5"), concat!(" + 5*", $w))(
                concat!($r, "6"), concat!(" + 6*", $w)
            )(concat!($r, "7"), concat!(" + 7*", $w))(
                concat!($r, "8"), concat!(" + 8*", $w)
            )(concat!($r, "9"), concat!(" + 9*", $w))(
                concat!($s, "0"), concat!(" + 10*", $w)
            )(concat!($s, "1"), concat!(" + 11*", $w))($q0, concat!(" + rdx - 4*", $w))(
                $q1,
                concat!(" + rdx - 3*", $w)
            )($q2, concat!(" + rdx - 2*", $w))($q3, concat!(" + rdx - ", $w))
        )
    };
}
