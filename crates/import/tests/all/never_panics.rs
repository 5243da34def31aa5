//! Arbitrary and damaged inputs: no panic, one line of error, and no number that was not there.

use proptest::prelude::*;
use whyslow_import::{Format, import};

fn check(bytes: &[u8], format: Option<Format>) {
    match import(bytes, "x", format) {
        Ok(imported) => {
            assert!(!imported.systems.is_empty());
            crate::common::assert_all_stand_in(bytes, &imported);
        }
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains('\n') && error.starts_with("x:"), "{error}");
        }
    }
}

/// What a damaged sample may get in place of some bytes.
fn patch() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(Vec::new()),
        prop::sample::select(vec![
            "\n",
            "\r\n",
            " ",
            "\t",
            "|",
            ",",
            "-",
            "----",
            "1",
            "99.5",
            "1.5K",
            ".",
            "..",
            "e9",
            "é",
            "\u{feff}",
            "\0",
            "\"",
            "{",
            ">",
            "± ",
            ":",
            "name,value\n",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), which in 0usize..32) {
        check(&bytes, None);
        check(&bytes, Format::all().nth(which));
    }

    #[test]
    fn arbitrary_text(text in "[ -~\n\t|±]{0,400}", which in 0usize..32) {
        check(text.as_bytes(), None);
        check(text.as_bytes(), Format::all().nth(which));
    }

    #[test]
    fn damaged_samples(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, patch()), 0..6),
        keep in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let samples = crate::common::samples();
        let (format, _, bytes) = &samples[which.index(samples.len())];
        let mut bytes = bytes.clone();
        for (at, drop, put) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + drop).min(bytes.len());
            bytes.splice(at..end, put);
        }
        if cut {
            bytes.truncate(keep.index(bytes.len() + 1));
        }
        check(&bytes, None);
        check(&bytes, Format::named(format));
    }
}
