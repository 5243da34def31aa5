//! What a record says of one point.

/// The value of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointValue {
    /// The point, with the part of it that the value is of.
    pub point: String,
    /// Its family.
    pub family: &'static str,
    /// Mean logarithm over the processes, larger where it is worse.
    pub log: f64,
    /// Variance of the processes' logarithms; absent with one process.
    pub variance: Option<f64>,
    /// Processes.
    pub processes: u32,
}
