//! Units and directions.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit of a point's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum Unit {
    /// Nanoseconds per operation.
    #[serde(rename = "ns")]
    Ns,
    /// 10^9 bytes per second; a copy counts bytes read plus bytes written, and write-allocate
    /// traffic is not counted.
    #[serde(rename = "GB/s")]
    GbPerS,
    /// 10^9 cycles per second.
    #[serde(rename = "GHz")]
    Ghz,
    /// Bytes, of 8 bits.
    #[serde(rename = "B")]
    Bytes,
    /// A plain number: a count, or a figure published by another tool, with that tool's unit stored
    /// separately.
    #[serde(rename = "count")]
    Count,
}

impl Unit {
    /// True if the value is work per time (a rate) rather than time per work.
    pub fn is_rate(self) -> bool {
        matches!(self, Unit::GbPerS | Unit::Ghz)
    }

    /// The value of a batch that did `work` (operations, bytes or cycles) in `ns` nanoseconds. For
    /// amounts (bytes, counts) `ns` is the amount itself and `work` its divisor.
    pub fn value(self, work: f64, ns: f64) -> f64 {
        if self.is_rate() { work / ns } else { ns / work }
    }

    /// The unit as written after a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Ns => "ns",
            Unit::GbPerS => "GB/s",
            Unit::Ghz => "GHz",
            Unit::Bytes => "B",
            Unit::Count => "",
        }
    }
}

/// Which direction of a value is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Smaller is better.
    Lower,
    /// Larger is better.
    Higher,
    /// The source does not say: what is published differs, and is called neither better nor worse.
    Unsaid,
}

impl Better {
    /// How many times worse, as a logarithm, a value is whose ratio has the logarithm `ln`; nothing where it is not known
    /// which direction is good.
    pub fn worse(self, ln: f64) -> Option<f64> {
        match self {
            Better::Lower => Some(ln),
            Better::Higher => Some(-ln),
            Better::Unsaid => None,
        }
    }
}
