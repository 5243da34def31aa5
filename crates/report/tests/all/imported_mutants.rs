//! Damaged samples of every import format, and all that is printed of them; the example `fuzz_import`
//! does the same a million times a format.

use crate::mutants::{Dice, check, check_printed, damaged, samples};
use whyslow_import::Format;

/// Inputs a format: seconds in all.
const INPUTS: usize = 300;

#[test]
fn no_damage_prints_what_is_no_number_or_loses_a_row() {
    let mut printed = 0;
    for format in Format::all() {
        let own = samples(format);
        let mut dice = Dice::new(23);
        for _ in 0..INPUTS {
            let bytes = damaged(&own, &mut dice);
            let named = (dice.below(2) == 0).then_some(format);
            if let Some(imported) = check(&bytes, named) {
                if dice.below(16) == 0 {
                    crate::mutants::common::assert_all_stand_in(&bytes, &imported);
                }
                check_printed(imported);
                printed += 1;
            }
        }
    }
    assert!(printed > INPUTS, "{printed}");
}
