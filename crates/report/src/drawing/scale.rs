//! Scales: where a value lies, and which values are written beside an axis.

/// How a scale divides its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Equal ratios take equal room.
    Log,
    /// Equal differences take equal room.
    Linear,
}

/// A scale from values to places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    /// Places of the ends.
    from: f64,
    to: f64,
}

impl Scale {
    /// Over all of `values` that it can hold, with a margin of `share` of the room at both ends.
    /// `None` if it can hold none of them.
    pub(crate) fn over(kind: Kind, values: impl Iterator<Item = f64>, share: f64) -> Option<Scale> {
        let fits = |v: &f64| v.is_finite() && (kind == Kind::Linear || *v > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(fits) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return None;
        }
        let (mut a, mut b) = match kind {
            Kind::Log => (low.ln(), high.ln()),
            Kind::Linear => (low, high),
        };
        // A flat curve is drawn flat, not as its own noise: a doubling, or as much as the value.
        let least = match kind {
            Kind::Log => 2f64.ln(),
            Kind::Linear => (low.abs().max(high.abs()) * 0.5).max(f64::MIN_POSITIVE * 1e6),
        };
        if b - a < least {
            let middle = a / 2.0 + b / 2.0;
            (a, b) = (middle - least / 2.0, middle + least / 2.0);
        }
        let margin = (b - a) * share;
        (a, b) = (a - margin, b + margin);
        let (low, high) = match kind {
            Kind::Log => (a.exp(), b.exp()),
            Kind::Linear => (a, b),
        };
        (low.is_finite() && high.is_finite() && low < high).then_some(Scale {
            kind,
            low,
            high,
            from: 0.0,
            to: 1.0,
        })
    }

    /// The same between two places.
    pub(crate) fn between(self, from: f64, to: f64) -> Scale {
        Scale { from, to, ..self }
    }

    /// The place of a value; values beyond an end are put there.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Kind::Log => 0.0,
            Kind::Linear => (value - self.low) / (self.high - self.low),
        };
        let share = if share.is_nan() { 0.0 } else { share };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Does it hold a value?
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// At most about `most` values to write beside it.
    pub(crate) fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        match self.kind {
            Kind::Linear => self.even(most),
            Kind::Log if self.high / self.low < 4.0 => self.even(most),
            Kind::Log => {
                let decades = (self.high / self.low).log10();
                let digits: &[f64] = match most as f64 / decades {
                    n if n >= 3.0 => &[1.0, 2.0, 5.0],
                    n if n >= 2.0 => &[1.0, 3.0],
                    _ => &[1.0],
                };
                let every = (decades / most as f64).ceil().max(1.0) as usize;
                let from = self.low.log10().floor() as i32;
                let to = self.high.log10().ceil() as i32;
                (from..=to)
                    .step_by(every)
                    .flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)))
                    .filter(|v| self.holds(*v))
                    .collect()
            }
        }
    }

    /// Round values at equal distances.
    fn even(&self, most: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / most as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|d| d * power)
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * power);
        if !(step.is_finite() && step > 0.0) {
            return Vec::new();
        }
        let first = (self.low / step).ceil();
        (0..=most)
            .map(|i| (first + i as f64) * step)
            .filter(|v| self.holds(*v))
            .collect()
    }

    /// Powers of two, at most about `most`.
    pub(crate) fn octaves(&self, most: usize) -> Vec<f64> {
        if self.low <= 0.0 {
            return Vec::new();
        }
        let octaves = (self.high / self.low).log2();
        let every = (octaves / most.max(1) as f64).ceil().max(1.0) as i32;
        let from = self.low.log2().ceil() as i32;
        let to = self.high.log2().floor() as i32;
        (from..=to)
            .filter(|power| power.rem_euclid(every) == 0)
            .map(|power| 2f64.powi(power))
            .collect()
    }
}

/// A value beside an axis: as few digits as say it, so that no two ticks read alike; from a million on in the letters of
/// the SI, beyond these in powers of ten.
pub(crate) fn label(value: f64) -> String {
    const LETTERS: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    // Ticks lie farther apart than this, whatever the axis is of.
    const EXACT: f64 = 1e-6;
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return "0".into();
    }
    let (by, unit) = match LETTERS.into_iter().find(|(by, _)| size >= *by) {
        Some((by, letter)) if size < 1e15 => (by, letter.to_owned()),
        None if size >= 1e-4 => (1.0, String::new()),
        _ => {
            let power = size.log10().floor() as i32;
            (10f64.powi(power), format!("e{power}"))
        }
    };
    let value = value / by;
    let said = (0..=9)
        .map(|places| format!("{value:.places$}"))
        .find(|text| {
            let read: f64 = text.parse().unwrap_or(f64::NAN);
            (read - value).abs() <= EXACT * value.abs()
        });
    format!("{}{unit}", said.unwrap_or_else(|| format!("{value:.9}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let over = |kind, lo, hi| Scale::over(kind, [lo, hi].into_iter(), 0.0).unwrap();
        assert_eq!(
            over(Kind::Log, 1.0, 100.0).ticks(8),
            [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        );
        assert_eq!(over(Kind::Log, 1.0, 1e9).ticks(5).len(), 5);
        assert_eq!(
            over(Kind::Linear, 0.0, 10.0).ticks(5),
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
        assert_eq!(
            over(Kind::Log, 1024.0, 1048576.0).octaves(6),
            [1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0]
        );
    }

    #[test]
    fn ticks_read_well_and_differ() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1e5, "100000"),
            (9.5e9, "9.5G"),
            (1e10, "10G"),
            (1.05e10, "10.5G"),
            (2e-5, "2e-5"),
            (-3.0, "-3"),
            (1.25e17, "1.25e17"),
        ] {
            assert_eq!(label(value), text);
        }
        // Axes over every magnitude, and from narrow to wide.
        for power in -9..16 {
            for span in [1.0001, 1.2, 1.9, 3.0, 5.0, 40.0, 1e4] {
                let low = 0.93 * 10f64.powi(power);
                for kind in [Kind::Log, Kind::Linear] {
                    let scale = Scale::over(kind, [low, low * span].into_iter(), 0.05).unwrap();
                    let ticks = scale.ticks(8);
                    let said: Vec<String> = ticks.iter().map(|v| label(*v)).collect();
                    let apart: std::collections::BTreeSet<&String> = said.iter().collect();
                    assert_eq!(apart.len(), said.len(), "{said:?}");
                    assert!(said.iter().all(|text| text.len() <= 8), "{said:?}");
                }
            }
        }
    }

    #[test]
    fn odd_values_do_not_break_it() {
        assert!(Scale::over(Kind::Log, [0.0, -1.0, f64::NAN].into_iter(), 0.0).is_none());
        assert!(Scale::over(Kind::Linear, std::iter::empty(), 0.0).is_none());
        for values in [[0.0, 0.0], [1e300, 1e308], [1e-300, 1e-300], [5.0, 5.0]] {
            for kind in [Kind::Log, Kind::Linear] {
                if let Some(scale) = Scale::over(kind, values.into_iter(), 0.05) {
                    let scale = scale.between(0.0, 100.0);
                    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, values[0]] {
                        assert!((0.0..=100.0).contains(&scale.at(value)));
                    }
                    assert!(scale.ticks(6).len() < 30);
                }
            }
        }
    }
}
