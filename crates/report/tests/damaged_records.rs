//! Damaged records, and all that is printed of them; the example `fuzz_records` does the same a million times.

mod damage;

use damage::{Dice, check, check_printed, damaged, sample};

/// Records: some seconds.
const RECORDS: usize = 1_500;

#[test]
fn no_damage_panics_or_prints_what_is_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let sample = sample(folder.path());
    let path = folder.path().join("damaged");
    let mut dice = Dice::new(5);
    let mut read = 0;
    for _ in 0..RECORDS {
        std::fs::write(&path, damaged(&sample, &mut dice)).unwrap();
        if let Some(record) = check(&path) {
            read += 1;
            if dice.below(8) == 0 {
                check_printed(record, &sample);
            }
        }
    }
    assert!(read > RECORDS / 10, "{read}");
}
