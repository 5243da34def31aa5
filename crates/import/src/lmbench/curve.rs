//! Sizes of lmbench's latency curves: megabytes with five decimals, back to the bytes they were.

use whyslow_model::size;

use crate::Row;

/// `row` at the size that was printed as `printed`, which is `mb` megabytes of 2^20 bytes. Its name has the size as
/// printed, by which it is found in its source.
pub(crate) fn at_size(mut row: Row, printed: &str, mb: f64) -> Row {
    row.title = format!("{}, {printed}", row.title);
    match bytes(printed, mb) {
        Some(bytes) => row.with("size", &size::format(bytes)).sized(bytes),
        None => row.with("size", &format!("{printed}MB")),
    }
}

/// The one multiple of 64 bytes that prints so; `None` when there is none.
fn bytes(printed: &str, mb: f64) -> Option<u64> {
    /// The sizes are fractions of powers of two from 512 bytes on; between two multiples of this lie
    /// six steps of the last decimal.
    const STEP: f64 = 64.0;
    let exact = mb * f64::from(1 << 20);
    // 10^15: no buffer is larger, and all below is exact.
    if !(STEP..1e15).contains(&exact) {
        return None;
    }
    let bytes = (exact / STEP).round() * STEP;
    let decimals = printed.split_once('.')?.1.len();
    let again = format!("{:.decimals$}", bytes / f64::from(1 << 20));
    // More decimals are not printed by any version.
    (decimals <= 9 && again == printed).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_size_behind_the_decimals() {
        for (printed, size) in [
            ("0.00049", Some(512)),
            ("0.00098", Some(1024)),
            ("0.04688", Some(48 << 10)),
            ("64.00000", Some(64 << 20)),
            ("0.00001", None),
        ] {
            assert_eq!(bytes(printed, printed.parse().unwrap()), size, "{printed}");
        }
    }
}
