//! Dhrystone 2.1: the mix of statements, operators and operands that R. Weicker published in 1984
//! and 1988 for programs that compute no floating-point numbers.
//!
//! One turn makes 13 kinds of procedure calls, copies one record and one string of 30 letters,
//! compares two strings, and writes to two arrays. The rules that came with it are kept: procedures
//! are not merged into their callers, and nothing is removed; arguments and results are hidden from
//! the compiler, as they were when it saw one file at a time. The variables outside of all procedures
//! are fields of a `World`.

use std::cell::Cell;
use std::cmp::Ordering;

use crate::opaque::opaque;

/// A string of 30 letters and the zero that ends it.
type Words = [u8; 31];

const IN_RECORDS: &Words = b"DHRYSTONE PROGRAM, SOME STRING\0";
const FIRST: &Words = b"DHRYSTONE PROGRAM, 1'ST STRING\0";
const SECOND: &Words = b"DHRYSTONE PROGRAM, 2'ND STRING\0";
const THIRD: &Words = b"DHRYSTONE PROGRAM, 3'RD STRING\0";

/// The values of the enumeration, which is an integer so that it can be hidden.
const IDENT_1: i32 = 0;
const IDENT_2: i32 = 1;
const IDENT_3: i32 = 2;
const IDENT_4: i32 = 3;
const IDENT_5: i32 = 4;

/// Elements of the one array, and of each row and column of the other.
const SIDE: usize = 50;

/// A record with its variant part, of which only the first variant is used.
struct Entry<'a> {
    next: Cell<Option<&'a Entry<'a>>>,
    kind: Cell<i32>,
    choice: Cell<i32>,
    number: Cell<i32>,
    words: Cell<Words>,
}

impl<'a> Entry<'a> {
    fn new() -> Self {
        Entry {
            next: Cell::new(None),
            kind: Cell::new(IDENT_1),
            choice: Cell::new(IDENT_1),
            number: Cell::new(0),
            words: Cell::new([0; 31]),
        }
    }

    /// Takes over all that `other` holds.
    fn assign(&self, other: &Entry<'a>) {
        self.next.set(other.next.get());
        self.kind.set(other.kind.get());
        self.choice.set(other.choice.get());
        self.number.set(other.number.get());
        self.words.set(other.words.get());
    }
}

/// The variables outside of all procedures.
struct World<'a> {
    entry: Cell<Option<&'a Entry<'a>>>,
    number: Cell<i32>,
    truth: Cell<bool>,
    letter_1: Cell<u8>,
    letter_2: Cell<u8>,
    row: [Cell<i32>; SIDE],
    square: [[Cell<i32>; SIDE]; SIDE],
}

/// What the variables hold after the last turn: they show that all of it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The number outside of all procedures: 5.
    pub number: i32,
    /// Its truth value: true.
    pub truth: bool,
    /// Its two letters: A and B.
    pub letters: [char; 2],
    /// Element 8 of the array: 7.
    pub row: i32,
    /// Element 8, 7 of the square: the count of turns, and 10.
    pub square: i32,
    /// Kind, choice and number of the two records: 0, 2, 17 and 0, 1, 18.
    pub records: [[i32; 3]; 2],
    /// The main loop's numbers: 5, 13, 7.
    pub numbers: [i32; 3],
    /// The main loop's choice: 1.
    pub choice: i32,
}

/// Makes `turns` turns, at least one.
pub fn dhrystone(turns: u64) -> Outcome {
    let (second, first) = (Entry::new(), Entry::new());
    first.next.set(Some(&second));
    first.choice.set(IDENT_3);
    first.number.set(40);
    first.words.set(*IN_RECORDS);
    let world = World {
        entry: Cell::new(Some(&first)),
        number: Cell::new(0),
        truth: Cell::new(false),
        letter_1: Cell::new(0),
        letter_2: Cell::new(0),
        row: [const { Cell::new(0) }; SIDE],
        square: [const { [const { Cell::new(0) }; SIDE] }; SIDE],
    };
    world.square[8][7].set(10);
    let (numbers, choice) = main_loop(std::hint::black_box(&world), turns);
    let of = |e: &Entry<'_>| [e.kind.get(), e.choice.get(), e.number.get()];
    Outcome {
        number: world.number.get(),
        truth: world.truth.get(),
        letters: [world.letter_1.get().into(), world.letter_2.get().into()],
        row: world.row[8].get(),
        square: world.square[8][7].get(),
        records: [of(&first), of(&second)],
        numbers,
        choice,
    }
}

/// The loop that is measured.
fn main_loop(world: &World<'_>, turns: u64) -> ([i32; 3], i32) {
    let words_1 = std::hint::black_box(*FIRST);
    let mut words_2 = [0; 31];
    let (mut numbers, mut choice) = ([0; 3], IDENT_1);
    for turn in 1..=turns.max(1) {
        reset(world);
        set_letter(world);
        let [mut one, mut two, mut three] = [opaque(2), opaque(3), 0];
        words_2 = *SECOND;
        choice = IDENT_2;
        world.truth.set(!compare(world, &words_1, &words_2));
        while one < two {
            three = 5 * one - two;
            add(one, two, &mut three);
            one += 1;
        }
        fill(world, one, three);
        if let Some(entry) = world.entry.get() {
            link(world, entry);
        }
        let mut letter = b'A';
        while letter <= world.letter_2.get() {
            if choice == differ(world, letter, b'C') {
                choose(world, IDENT_1, &mut choice);
                words_2 = *THIRD;
                two = turn as i32;
                world.number.set(turn as i32);
            }
            letter += 1;
        }
        two *= one;
        one = two / opaque(three);
        two = 7 * (two - three) - one;
        count_down(world, &mut one);
        numbers = [opaque(one), opaque(two), three];
    }
    std::hint::black_box(&words_2);
    (numbers, choice)
}

/// Procedure 1: copies a record, and changes what both hold.
#[inline(never)]
fn link<'a>(world: &World<'a>, entry: &'a Entry<'a>) {
    let (Some(next), Some(global)) = (entry.next.get(), world.entry.get()) else {
        return;
    };
    next.assign(global);
    entry.number.set(5);
    next.number.set(entry.number.get());
    next.next.set(entry.next.get());
    follow(world, &next.next);
    if next.kind.get() == IDENT_1 {
        next.number.set(6);
        let mut choice = next.choice.get();
        choose(world, entry.choice.get(), &mut choice);
        next.choice.set(choice);
        next.next.set(global.next.get());
        let mut number = 0;
        add(next.number.get(), 10, &mut number);
        next.number.set(number);
    } else {
        entry.assign(next);
    }
}

/// Procedure 2: a loop that is gone through once.
#[inline(never)]
fn count_down(world: &World<'_>, number: &mut i32) {
    let mut local = opaque(*number) + 10;
    loop {
        let mut choice = IDENT_2;
        if world.letter_1.get() == b'A' {
            local -= 1;
            *number = local - world.number.get();
            choice = IDENT_1;
        }
        if opaque(choice) == IDENT_1 {
            return;
        }
    }
}

/// Procedure 3: a pointer to a pointer.
#[inline(never)]
fn follow<'a>(world: &World<'a>, place: &Cell<Option<&'a Entry<'a>>>) {
    if let Some(global) = world.entry.get() {
        place.set(global.next.get());
        let mut number = 0;
        add(10, world.number.get(), &mut number);
        global.number.set(number);
    }
}

/// Procedure 4.
#[inline(never)]
fn set_letter(world: &World<'_>) {
    let is_a = world.letter_1.get() == b'A';
    world.truth.set(is_a | world.truth.get());
    world.letter_2.set(b'B');
}

/// Procedure 5.
#[inline(never)]
fn reset(world: &World<'_>) {
    world.letter_1.set(b'A');
    world.truth.set(false);
}

/// Procedure 6: a choice among five.
#[inline(never)]
fn choose(world: &World<'_>, given: i32, choice: &mut i32) {
    let given = opaque(given);
    *choice = given;
    if !is_third(given) {
        *choice = IDENT_4;
    }
    match given {
        IDENT_1 => *choice = IDENT_1,
        IDENT_2 if world.number.get() > 100 => *choice = IDENT_1,
        IDENT_2 => *choice = IDENT_4,
        IDENT_3 => *choice = IDENT_2,
        IDENT_5 => *choice = IDENT_3,
        _ => {}
    }
}

/// Procedure 7: three numbers, one of them by reference.
#[inline(never)]
fn add(one: i32, two: i32, sum: &mut i32) {
    let local = opaque(one) + 2;
    *sum = opaque(two) + local;
}

/// Procedure 8: two arrays.
#[inline(never)]
fn fill(world: &World<'_>, one: i32, two: i32) {
    let (local, two) = (opaque(one) + 5, opaque(two));
    let at = local as usize;
    // One check in place of one for every element; C makes none.
    if at == 0 || at >= SIDE - 30 {
        return;
    }
    let (row, square) = (&world.row, &world.square);
    row[at].set(two);
    row[at + 1].set(row[at].get());
    row[at + 30].set(local);
    for element in &square[at][at..=at + 1] {
        element.set(local);
    }
    let before = &square[at][at - 1];
    before.set(before.get().wrapping_add(1));
    square[at + 20][at].set(row[at].get());
    world.number.set(5);
}

/// Function 1: do two letters differ?
#[inline(never)]
fn differ(world: &World<'_>, one: u8, two: u8) -> i32 {
    let (one, two) = (opaque(i32::from(one)), opaque(i32::from(two)));
    opaque(if one != two {
        IDENT_1
    } else {
        world.letter_1.set(one as u8);
        IDENT_2
    })
}

/// Function 2: does the first string come after the second?
#[inline(never)]
fn compare(world: &World<'_>, one: &Words, two: &Words) -> bool {
    let (mut at, mut letter) = (2i32, b'B');
    while at <= 2 {
        let (a, b) = (one[at as usize & 15], two[(at as usize + 1) & 15]);
        if differ(world, a, b) == IDENT_1 {
            letter = b'A';
            at += 1;
        }
    }
    let letter = opaque(i32::from(letter));
    if (i32::from(b'W')..i32::from(b'Z')).contains(&letter) {
        at = 7;
    }
    if letter == i32::from(b'R') {
        return true;
    }
    if order(one, two) == Ordering::Greater {
        world.number.set(at + 7);
        return true;
    }
    false
}

/// The strings' order, letter by letter up to the zero, as the C library's comparison has it.
fn order(one: &Words, two: &Words) -> Ordering {
    // Both end in the same place and hold no other zero, so the order of all bytes is that of the
    // letters; and that is a call of the C library's comparison, as in C.
    std::hint::black_box(one).cmp(std::hint::black_box(two))
}

/// Function 3.
#[inline(never)]
fn is_third(choice: i32) -> bool {
    opaque(i32::from(opaque(choice) == IDENT_3)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The final values that were published with the program.
    #[test]
    fn ends_as_published() {
        for turns in [1, 2, 1000] {
            let published = Outcome {
                number: 5,
                truth: true,
                letters: ['A', 'B'],
                row: 7,
                square: turns as i32 + 10,
                records: [[0, 2, 17], [0, 1, 18]],
                numbers: [5, 13, 7],
                choice: 1,
            };
            assert_eq!(dhrystone(turns), published);
        }
    }
}
