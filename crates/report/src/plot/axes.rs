//! Logarithmic axes with their ticks.

use crate::numbers;
use crate::text::TIE;

/// A logarithmic axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// From the least to the largest value, times `margin` at either end, and spanning at least a
    /// doubling: a flat curve is drawn flat, not as its own noise. `None` without positive values.
    pub(crate) fn over(values: impl Iterator<Item = f64>, margin: f64) -> Option<Axis> {
        let mut axis: Option<Axis> = None;
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            let axis = axis.get_or_insert(Axis {
                low: value,
                high: value,
            });
            axis.low = axis.low.min(value);
            axis.high = axis.high.max(value);
        }
        let mut axis = axis?;
        if axis.high < 2.0 * axis.low {
            let middle = (axis.low * axis.high).sqrt();
            axis = Axis {
                low: middle / 2f64.sqrt(),
                high: middle * 2f64.sqrt(),
            };
        }
        Some(Axis {
            low: axis.low / margin,
            high: axis.high * margin,
        })
    }

    /// Where a value lies, 0 at the low end and 1 at the high one.
    pub(crate) fn share(&self, value: f64) -> f64 {
        ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    /// Does a value lie on the axis?
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Steps of 1, 2, 5 or of 1 alone, with about two rows or more for each.
    pub(crate) fn steps(&self, rows: usize) -> Vec<(f64, String)> {
        let decades = (self.high / self.low).log10();
        let digits: &[f64] = if decades * 3.0 * 1.5 <= rows as f64 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let (from, to) = (
            self.low.log10().floor() as i32,
            self.high.log10().ceil() as i32,
        );
        (from..=to)
            .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
            .filter(|value| self.holds(*value))
            .map(|value| {
                (
                    self.share(value),
                    format!("{}", (value * 1e6).round() / 1e6),
                )
            })
            .collect()
    }
}

/// The line of the axis (true) with its ticks, and the sizes below it (false).
pub(crate) fn size_ticks(x: &Axis, columns: usize) -> Vec<(bool, String)> {
    /// Columns for a label such as `512 KiB` and a gap.
    const APART: f64 = 10.0;
    let octaves = (x.high / x.low).log2();
    let per_octave = columns as f64 / octaves;
    let every = [1, 2, 3, 4, 5, 6, 8, 10]
        .into_iter()
        .find(|e| per_octave * f64::from(*e) >= APART)
        .unwrap_or(10);
    let mut axis = vec!['─'; columns];
    let mut labels = vec![' '; columns];
    let mut free = 0;
    // Powers of two, so that the labels are short.
    let first = x.low.log2().ceil() as u32;
    for power in (first..63).step_by(every as usize) {
        let bytes = 1u64 << power;
        if !x.holds(bytes as f64) {
            break;
        }
        let at = super::column(x, bytes as f64, columns);
        let label = numbers::size(bytes).replace(TIE, " ");
        let wide = label.chars().count();
        let start = at
            .saturating_sub(wide / 2)
            .min(columns.saturating_sub(wide));
        if start < free {
            continue;
        }
        axis[at] = '┬';
        labels[start..start + wide]
            .iter_mut()
            .zip(label.chars())
            .for_each(|(cell, c)| *cell = c);
        free = start + wide + 1;
    }
    [(true, axis), (false, labels)]
        .map(|(is, line)| (is, line.into_iter().collect()))
        .into()
}

/// A line with `sign` at each place and the names beside, where there is room for them.
pub(crate) fn flags(places: &[(&str, usize)], sign: char, columns: usize) -> String {
    let mut line = vec![' '; columns];
    for (_, at) in places {
        line[*at] = sign;
    }
    for (name, at) in places {
        let name: Vec<char> = name.chars().collect();
        let blank =
            |cells: Option<&[char]>| cells.is_some_and(|cells| cells.iter().all(|c| *c == ' '));
        let behind = at + 1..at + 1 + name.len();
        let before = at.saturating_sub(name.len())..*at;
        // A blank more than the name: names must not run into the next sign.
        let spot =
            if blank(line.get(behind.clone())) && line.get(behind.end).is_none_or(|c| *c == ' ') {
                behind
            } else if before.len() == name.len() && blank(line.get(before.clone())) {
                before
            } else {
                continue;
            };
        line[spot].copy_from_slice(&name);
    }
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_beside_their_signs() {
        assert_eq!(
            flags(&[("L1", 2), ("L2", 6), ("L3", 11)], '▲', 12),
            "  ▲L1 ▲L2L3▲"
        );
        assert_eq!(flags(&[("L1", 0), ("L2", 1)], '▲', 6), "▲▲L2  ");
    }

    #[test]
    fn a_flat_curve_spans_a_doubling() {
        let axis = Axis::over([1.0, 1.01].into_iter(), 1.0).unwrap();
        assert!((axis.high / axis.low - 2.0).abs() < 1e-9);
        assert!((axis.share(1.005) - 0.5).abs() < 0.01);
        assert!(Axis::over([0.0, f64::NAN, -1.0].into_iter(), 1.0).is_none());
    }

    #[test]
    fn sizes_do_not_run_into_each_other() {
        let axis = Axis::over([1024.0, 268435456.0].into_iter(), 1.0).unwrap();
        let ticks = size_ticks(&axis, 72);
        assert_eq!(
            ticks[1].1.split_whitespace().collect::<Vec<_>>().join(" "),
            "1 KiB 8 KiB 64 KiB 512 KiB 4 MiB 32 MiB 256 MiB"
        );
        assert!(ticks.iter().all(|(_, line)| line.chars().count() == 72));
    }
}
