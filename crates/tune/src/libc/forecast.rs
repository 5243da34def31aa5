//! What the curves say of a program's copies.

use whyslow_model::tune::{
    CopyCell, CopyClass, CopyForecast, DistanceClass, LibcTuning, ProgramCopies, TuneVerdict,
};

/// A cell's rates as it is and with the settings, GB/s read plus written.
struct Rate {
    cell: CopyCell,
    now: f64,
    with: Option<f64>,
}

/// The time that the counted copies take by the rates of the nearest block and distance, now and with the settings.
/// None where nothing was measured.
pub fn forecast(tuning: &LibcTuning, copies: &ProgramCopies) -> Option<CopyForecast> {
    let tried = matches!(tuning.verdict, TuneVerdict::Set | TuneVerdict::Mixed);
    let rates: Vec<Rate> = match tried {
        true => {
            let rate = |gain: &whyslow_model::tune::CopyGain| Rate {
                cell: gain.cell,
                now: gain.before,
                with: Some(gain.after),
            };
            tuning.gains.iter().map(rate).collect()
        }
        false => {
            let rate = |rate: &whyslow_model::tune::CopyRates| Rate {
                cell: rate.cell,
                now: rate.now,
                with: None,
            };
            tuning.rates.iter().map(rate).collect()
        }
    };
    let smallest = rates.iter().map(|rate| rate.cell.block_bytes).min()?;
    let (mut now_s, mut with_s) = (0.0, 0.0);
    for class in &copies.classes {
        let Some(distance) = class.distance else {
            continue;
        };
        let rate = nearest(&rates, class, distance)?;
        // A byte copied is read and written.
        let seconds = |rate: f64| 2.0 * class.bytes as f64 / (rate * 1e9);
        let now = seconds(rate.now);
        now_s += now;
        // No threshold reaches below the curves: what differs there is noise.
        with_s += match rate.with {
            Some(with) if mean(class) >= smallest as f64 => seconds(with),
            _ => now,
        };
    }
    let with_s = tried.then_some(with_s);
    // Copies on several CPUs may take longer than the run.
    let whole = copies.run_s.max(now_s);
    Some(CopyForecast {
        now_s,
        with_s,
        less: with_s
            .filter(|_| whole > 0.0)
            .map(|with_s| (now_s - with_s) / whole),
    })
}

/// Bytes of a call of the class.
fn mean(class: &CopyClass) -> f64 {
    class.bytes as f64 / class.calls.max(1) as f64
}

/// The cell whose block is the nearest by ratio, and of these the one whose distance is.
fn nearest<'a>(rates: &'a [Rate], class: &CopyClass, distance: DistanceClass) -> Option<&'a Rate> {
    let bytes = mean(class).max(1.0).ln();
    let place = match distance {
        DistanceClass::Alike => 0,
        DistanceClass::Short => 8,
        DistanceClass::Line => 48,
        // The middle of a page.
        DistanceClass::Far => 2048_u64,
    };
    let far = |rate: &Rate| {
        let block = ((rate.cell.block_bytes as f64).ln() - bytes).abs();
        (block, rate.cell.distance.abs_diff(place))
    };
    rates.iter().min_by(|a, b| {
        let ((a_block, a_distance), (b_block, b_distance)) = (far(a), far(b));
        a_block
            .total_cmp(&b_block)
            .then(a_distance.cmp(&b_distance))
    })
}

#[cfg(test)]
mod tests {
    use whyslow_model::experiment::Estimated;
    use whyslow_model::host::Known;
    use whyslow_model::tune::{CopyGain, CopyRates, SCHEMA};

    use super::*;

    /// Rates as it is and with the settings: by block and distance.
    const TABLE: [(u64, u64, f64, f64); 8] = [
        (1024, 0, 100.0, 125.0),
        (1024, 8, 100.0, 125.0),
        (1024, 64, 100.0, 125.0),
        (1024, 2048, 100.0, 125.0),
        (16384, 0, 50.0, 50.0),
        (16384, 8, 2.0, 40.0),
        (16384, 64, 50.0, 25.0),
        (16384, 2048, 20.0, 40.0),
    ];

    fn tuning(verdict: TuneVerdict) -> LibcTuning {
        let cell = |block_bytes, distance| CopyCell {
            block_bytes,
            distance,
        };
        let times = Estimated {
            value: 1.0,
            range: [1.0, 1.0],
        };
        LibcTuning {
            schema: SCHEMA,
            library: Known::unknown("a test"),
            used: Known::unknown("a test"),
            rates: TABLE
                .map(|(block, distance, now, _)| CopyRates {
                    cell: cell(block, distance),
                    now,
                    by_path: Default::default(),
                })
                .into(),
            settings: Vec::new(),
            taken: None,
            gains: TABLE
                .map(|(block, distance, before, after)| CopyGain {
                    cell: cell(block, distance),
                    before,
                    after,
                    times,
                    together: [1.0, 1.0],
                    moved: true,
                })
                .into(),
            verdict,
            copies: None,
            forecast: None,
            command: None,
            notes: Vec::new(),
        }
    }

    fn copies(classes: &[(Option<DistanceClass>, u64, u64)], run_s: f64) -> ProgramCopies {
        let class = |&(distance, size, calls): &(Option<DistanceClass>, u64, u64)| CopyClass {
            caller: "a program".to_owned(),
            distance,
            least_bytes: size,
            next_bytes: 2 * size,
            calls,
            bytes: size * calls,
        };
        ProgramCopies {
            programs: 1,
            beyond: 0,
            run_s,
            classes: classes.iter().map(class).collect(),
        }
    }

    #[test]
    fn time_is_that_of_the_nearest_block_and_distance() {
        use DistanceClass::{Alike, Far, Line, Short};
        // Bytes read and written of a million calls in GB, over the rates.
        for (distance, size, now_s, with_s) in [
            (Some(Short), 16384, 32.768 / 2.0, 32.768 / 40.0),
            (Some(Alike), 16384, 32.768 / 50.0, 32.768 / 50.0),
            (Some(Line), 16384, 32.768 / 50.0, 32.768 / 25.0),
            (Some(Far), 16384, 32.768 / 20.0, 32.768 / 40.0),
            // Nearer to 16 KiB by ratio, and to 1 KiB.
            (Some(Short), 5000, 10.0 / 2.0, 10.0 / 40.0),
            (Some(Short), 3000, 6.0 / 100.0, 6.0 / 125.0),
            (Some(Short), 1 << 20, 2097.152 / 2.0, 2097.152 / 40.0),
            // Below the curves nothing is moved.
            (Some(Short), 500, 1.0 / 100.0, 1.0 / 100.0),
            // Fills are not copies.
            (None, 16384, 0.0, 0.0),
        ] {
            let copies = copies(&[(distance, size, 1_000_000)], 5000.0);
            let found = forecast(&tuning(TuneVerdict::Set), &copies).unwrap();
            let less = (now_s - with_s) / 5000.0;
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(near(found.now_s, now_s), "{distance:?} {size} {found:?}");
            assert!(near(found.with_s.unwrap(), with_s), "{size} {found:?}");
            assert!(near(found.less.unwrap(), less), "{size} {found:?}");
        }
    }

    #[test]
    fn classes_add_up_and_save_no_more_than_the_run() {
        let classes = [
            (Some(DistanceClass::Short), 16384, 1_000_000),
            (Some(DistanceClass::Alike), 16384, 1_000_000),
        ];
        let now_s = 32.768 / 2.0 + 32.768 / 50.0;
        let saved = 32.768 / 2.0 - 32.768 / 40.0;
        for (run_s, whole) in [(100.0, 100.0), (1.0, now_s)] {
            let found = forecast(&tuning(TuneVerdict::Mixed), &copies(&classes, run_s)).unwrap();
            assert!((found.now_s - now_s).abs() < 1e-9);
            assert!((found.less.unwrap() - saved / whole).abs() < 1e-9);
        }
    }

    #[test]
    fn without_settings_there_is_no_gain_to_forecast() {
        let copies = copies(&[(Some(DistanceClass::Short), 16384, 1000)], 1.0);
        let found = forecast(&tuning(TuneVerdict::Nothing), &copies).unwrap();
        assert!(found.now_s > 0.0 && found.with_s.is_none() && found.less.is_none());
        let mut empty = tuning(TuneVerdict::Set);
        empty.gains.clear();
        assert_eq!(forecast(&empty, &copies), None);
    }
}
