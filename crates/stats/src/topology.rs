//! Where the CPUs of a multi-CPU sample were, from core-to-core latency around it.
//!
//! A guest is not told when its vCPUs move to other cores. Core-to-core latency before and after a
//! sample shows it: the classes are well separated.

use crate::InputError;
use crate::modes::{Clusters, cluster_by_gap};

/// Smallest ratio of adjacent times that separates two classes.
///
/// One way within an L3 complex takes 22 to 29 ns, across complexes 117 to 125 ns (measured on a
/// Zen 5 guest): 1.3 within a class, 4 between. Across packages against across complexes is about
/// 2, SMT siblings against cores about 3. 1.8 is below the real steps and well above the spread of
/// a class.
pub const DEFAULT_RATIO: f64 = 1.8;

/// Core-to-core latency around one sample, one-way ns (any unit, the same for all).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Around {
    /// Just before the sample.
    pub before: f64,
    /// Just after it.
    pub after: f64,
}

/// Location of the CPUs during one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// Before and after in the same class: index into [`Clusters::classes`], nearest first.
    Class(usize),
    /// In different classes: the CPUs moved during the sample, which belongs to neither.
    Moved,
}

/// Labels of all samples, and the classes they refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// One label per sample, in the order of the input.
    pub labels: Vec<Label>,
    /// Classes found over all times, before and after together.
    pub clusters: Clusters,
}

/// Labels each sample by the class of its core-to-core latency; `ratio` as for [`cluster_by_gap`],
/// usually [`DEFAULT_RATIO`].
///
/// # Errors
/// No samples, a time that is not positive and finite, or a ratio not above 1.
pub fn label(samples: &[Around], ratio: f64) -> Result<Labels, InputError> {
    let times: Vec<f64> = samples.iter().flat_map(|s| [s.before, s.after]).collect();
    let clusters = cluster_by_gap(&times, ratio)?;
    let labels = clusters
        .class_of
        .chunks_exact(2)
        .map(|pair| {
            if pair[0] == pair[1] {
                Label::Class(pair[0])
            } else {
                Label::Moved
            }
        })
        .collect();
    Ok(Labels { labels, clusters })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(pairs: &[(f64, f64)]) -> Vec<Around> {
        let pairs = pairs.iter();
        pairs
            .map(|&(before, after)| Around { before, after })
            .collect()
    }

    #[test]
    fn near_far_and_moved() {
        let samples = around(&[(22.0, 29.0), (117.0, 125.0), (25.0, 119.0), (28.0, 23.0)]);
        let labels = label(&samples, DEFAULT_RATIO).unwrap();
        assert_eq!(
            labels.labels,
            [
                Label::Class(0),
                Label::Class(1),
                Label::Moved,
                Label::Class(0)
            ]
        );
        assert_eq!(labels.clusters.classes.len(), 2);
    }

    #[test]
    fn a_single_far_sample_has_its_class() {
        let labels = label(&around(&[(24.0, 24.0), (120.0, 120.0)]), DEFAULT_RATIO).unwrap();
        assert_eq!(labels.labels, [Label::Class(0), Label::Class(1)]);
    }

    #[test]
    fn one_sample_is_one_class() {
        let labels = label(&around(&[(24.0, 26.0)]), DEFAULT_RATIO).unwrap();
        assert_eq!(labels.labels, [Label::Class(0)]);
        assert!(label(&[], DEFAULT_RATIO).is_err());
        assert!(label(&around(&[(24.0, f64::NAN)]), DEFAULT_RATIO).is_err());
    }
}
