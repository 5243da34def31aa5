//! The tower of Hanoi: a procedure that calls itself.

use crate::opaque::opaque;

/// Disks on each of the pegs 1 to 3. Peg 0 is unused, so that two bits of a number always name a peg
/// and no bounds check is part of the work.
type Pegs = [i32; 4];

/// Moves a tower of `disks` from the first peg to the third, `times` times (resetting the tower is
/// free), and returns the disks on each peg after the last: all on the third. Each time takes 2^disks
/// - 1 moves; at most 30 disks.
pub fn towers(disks: u32, times: u64) -> [i32; 3] {
    let disks = disks.min(30) as i32;
    let mut pegs = [0; 4];
    for _ in 0..times {
        pegs = [0, disks, 0, 0];
        carry(&mut pegs, opaque(disks), 1, 3);
    }
    let [_, first, second, third] = pegs;
    [first, second, third]
}

/// Moves `disks` disks. A tower of one is moved by the procedure, too, as in the test of BYTE.
#[inline(never)]
fn carry(pegs: &mut Pegs, disks: i32, from: i32, to: i32) {
    let (disks, from, to) = (opaque(disks), opaque(from), opaque(to));
    if disks <= 1 {
        pegs[from as usize & 3] -= disks;
        pegs[to as usize & 3] += disks;
        return;
    }
    let other = 6 - from - to;
    carry(pegs, disks - 1, from, other);
    carry(pegs, 1, from, to);
    carry(pegs, disks - 1, other, to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tower_ends_on_the_third_peg() {
        for disks in [0, 1, 2, 3, 10] {
            assert_eq!(towers(disks, 2), [0, 0, disks as i32]);
        }
    }
}
