//! Times as records have them.

/// Seconds of a time as records have it, `2026-11-25T03:00:00Z`, from some day on; fractions of a second are cut. None of a
/// text that is no time.
pub fn seconds(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Days of the proleptic Gregorian calendar, from March on (Hinnant, "chrono-compatible date algorithms").
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day;
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) as f64)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_ordered_over_days_months_and_years() {
        let day = |a: &str, b: &str| seconds(b).unwrap() - seconds(a).unwrap();
        assert_eq!(day("2026-02-28T23:59:59Z", "2026-03-01T00:00:00.5Z"), 1.0);
        assert_eq!(
            day("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z"),
            2.0 * 86_400.0
        );
        assert_eq!(
            day("2025-12-31T12:00:00Z", "2026-01-01T13:00:00Z"),
            25.0 * 3600.0
        );
        assert_eq!(seconds("yesterday"), None);
    }
}
