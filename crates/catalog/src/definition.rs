//! What is comparable over tools: one quantity, and the points that have it.

use std::collections::BTreeMap;

use whyslow_model::Better;
use whyslow_model::summary::Summary;

/// One quantity. Figures of another definition, be it a size or a kind of pages, are never put beside it.
#[derive(Debug)]
pub struct Definition {
    /// Its name in a line.
    pub title: &'static str,
    /// What exactly it is.
    pub what: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// Ways to get it, the first that a record has.
    forms: &'static [Form],
}

/// A way to get a value: a point, less another one, times a factor.
#[derive(Debug)]
struct Form {
    point: &'static str,
    less: Option<&'static str>,
    times: f64,
}

/// A load from the first-level cache, which tinymembench has left out of its latencies.
const FIRST_LEVEL: Option<&str> = Some("mem.latency{size=1KiB,order=random,pages=4k}");

/// tinymembench counts a copied byte once and in MB/s; here what is read and what is written count, in GB/s.
const COPIED: f64 = 2e-3;

/// All of them.
pub const DEFINITIONS: &[Definition] = &[
    Definition {
        title: "memory latency, 4 KiB pages",
        what: "a random load in 64 MiB that waits for the one before it, less one from the first-level cache; pages of 4 KiB",
        unit: "ns",
        better: Better::Lower,
        forms: &[
            Form {
                point: "mem.latency{size=64MiB,order=random,pages=4k}",
                less: FIRST_LEVEL,
                times: 1.0,
            },
            Form {
                point: "tinymembench.single_random_read{block=67108864,pages=nohuge}",
                less: None,
                times: 1.0,
            },
        ],
    },
    Definition {
        title: "memory latency, huge pages",
        what: "the same, where the kernel was asked for transparent huge pages",
        unit: "ns",
        better: Better::Lower,
        forms: &[
            Form {
                point: "mem.latency{size=64MiB,order=random,pages=thp}",
                less: FIRST_LEVEL,
                times: 1.0,
            },
            Form {
                point: "tinymembench.single_random_read{block=67108864,pages=huge}",
                less: None,
                times: 1.0,
            },
        ],
    },
    Definition {
        title: "the C library's memcpy from memory",
        what: "one CPU copies 32 MiB by memcpy; what is read and what is written count",
        unit: "GB/s",
        better: Better::Higher,
        forms: &[
            Form {
                point: "tinymembench.libc_memcpy_copy",
                less: None,
                times: COPIED,
            },
            Form {
                point: "tinymembench.standard_memcpy",
                less: None,
                times: COPIED,
            },
        ],
    },
];

/// The values of a machine, by point.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(BTreeMap<String, f64>);

impl Values {
    pub(crate) fn new(values: impl IntoIterator<Item = (String, f64)>) -> Values {
        Values(values.into_iter().collect())
    }

    /// Of records, in the units that their source printed.
    pub(crate) fn of(summaries: &[Summary]) -> Values {
        let points = summaries.iter().flat_map(|summary| &summary.points);
        Values::new(points.filter_map(|p| Some((p.point.to_string(), p.value?.value))))
    }

    /// The value of `definition`, in its unit; none where there is no point for it, or the difference is none.
    pub fn value(&self, definition: &Definition) -> Option<f64> {
        let of = |form: &Form| {
            let point = self.0.get(form.point)?;
            let less = match form.less {
                Some(less) => *self.0.get(less)?,
                None => 0.0,
            };
            Some((point - less) * form.times)
        };
        let found = definition.forms.iter().find_map(of);
        found.filter(|value| *value > 0.0)
    }
}
