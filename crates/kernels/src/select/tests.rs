//! Every loop selects what it is said to, as often as it is said to.

use super::*;

#[test]
fn every_form_adds_where_conditions_hold() {
    let mixed = [0x8000_0000_0000_0001, 0, u64::MAX, 0x0123_4567_89ab_cdef];
    for conditions in [&mixed[..], &[0], &[u64::MAX], &[1 << 63]] {
        let set: u64 = conditions.iter().map(|w| u64::from(w.count_ones())).sum();
        for form in Form::ALL {
            for passes in [1, 3] {
                let expected = 5 + 7 * set * passes;
                assert_eq!(select(form, conditions, passes, 5, 7), expected, "{form:?}");
                // SAFETY: the words of the slice.
                let portably = unsafe {
                    portable::kernel(form)(conditions.as_ptr(), conditions.len(), passes, 5, 7)
                };
                assert_eq!(portably, expected, "{form:?}");
            }
            // At least one pass.
            assert_eq!(select(form, conditions, 0, 0, 1), set);
        }
    }
}
