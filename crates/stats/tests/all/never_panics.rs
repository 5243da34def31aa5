//! Any input gives a result or an error.

use proptest::prelude::*;
use whyslow_stats::modes::{cluster_by_gap, find_modes};
use whyslow_stats::nested::decompose;
use whyslow_stats::summary::{DrawSamples, ProcessSamples, Sample, estimate, summarise};
use whyslow_stats::topology::{Around, DEFAULT_RATIO, label};

/// Valid times, and occasionally arbitrary values.
fn time() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => 1e-3_f64..1e9,
        1 => prop::num::f64::ANY,
    ]
}

fn processes() -> impl Strategy<Value = Vec<ProcessSamples>> {
    let sample = (time(), any::<bool>()).prop_map(|(ns, kept)| Sample { ns, kept });
    let draw = prop::collection::vec(sample, 0..5).prop_map(|samples| DrawSamples { samples });
    let process = prop::collection::vec(draw, 0..4).prop_map(|draws| ProcessSamples { draws });
    prop::collection::vec(process, 0..6)
}

fn is_time(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn summaries_hold_together(input in processes()) {
        let all: Vec<f64> = input
            .iter()
            .flat_map(|p| &p.draws)
            .flat_map(|d| &d.samples)
            .map(|s| s.ns)
            .collect();
        match summarise(&input) {
            Err(_) => prop_assert!(all.is_empty() || all.iter().any(|&v| !is_time(v))),
            Ok(summary) => {
                prop_assert!(all.iter().all(|&v| is_time(v)));
                prop_assert!(summary.min <= summary.median && summary.median <= summary.max);
                let tolerance = 1.0 + 1e-9;
                prop_assert!(summary.min <= summary.estimate.value * tolerance);
                prop_assert!(summary.estimate.value <= summary.max * tolerance);
                prop_assert_eq!(summary.n_samples, all.len());
            }
        }
    }

    #[test]
    fn shares_of_variance_are_shares(input in processes()) {
        if let Ok(split) = decompose(&input) {
            let parts = [split.sample, split.draw, split.process];
            let shares: Vec<f64> = parts.into_iter().flatten().map(|c| c.share).collect();
            prop_assert!(shares.iter().all(|s| (0.0..=1.0).contains(s)));
            let total: f64 = shares.iter().sum();
            prop_assert!(total == 0.0 || (total - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn modes_and_classes_hold_every_value(values in prop::collection::vec(time(), 0..30)) {
        let good = !values.is_empty() && values.iter().all(|&v| is_time(v));
        let modes = find_modes(&values);
        prop_assert_eq!(modes.is_ok(), good);
        if let Ok(modes) = modes {
            prop_assert_eq!(modes.iter().map(|m| m.count).sum::<usize>(), values.len());
        }
        let clusters = cluster_by_gap(&values, DEFAULT_RATIO);
        prop_assert_eq!(clusters.is_ok(), good);
        if let Ok(clusters) = clusters {
            for (value, &class) in values.iter().zip(&clusters.class_of) {
                let class = clusters.classes[class];
                prop_assert!(class.lo <= *value && *value <= class.hi);
            }
        }
        prop_assert_eq!(estimate(&values).is_ok(), good);
    }

    #[test]
    fn every_sample_has_a_label(pairs in prop::collection::vec((time(), time()), 0..20)) {
        let samples: Vec<Around> = pairs
            .iter()
            .map(|&(before, after)| Around { before, after })
            .collect();
        if let Ok(labels) = label(&samples, DEFAULT_RATIO) {
            prop_assert_eq!(labels.labels.len(), samples.len());
        }
    }
}
