//! The catalog of machines, and where a value stands among theirs.

use crate::Better;

/// A value of a record among those of the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The quantity in a line.
    pub title: String,
    /// What exactly it is.
    pub what: String,
    /// Unit of the values.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// The record's own value.
    pub value: f64,
    /// Those of the machines.
    pub others: Vec<Peer>,
}

/// A machine with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// CPU and machine.
    pub name: String,
    /// When it was measured: year and month.
    pub measured: String,
    /// Who published it.
    pub published: String,
    /// The value, in the unit of the standing.
    pub value: f64,
}

/// All of the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// What is comparable: name, what exactly it is, and unit.
    pub quantities: Vec<[String; 3]>,
    /// The machines.
    pub machines: Vec<Listed>,
}

/// A machine of the catalog with all of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// CPU and machine.
    pub name: String,
    /// When it was measured: year and month.
    pub measured: String,
    /// Who published it.
    pub published: String,
    /// Where; empty of machines that this tool measured.
    pub source: String,
    /// A value for each quantity, where it has one.
    pub values: Vec<Option<f64>>,
}

impl Standing {
    /// Machines with a smaller value, and with a larger one.
    pub fn around(&self) -> [usize; 2] {
        let count = |is: fn(&f64, &f64) -> bool| {
            self.others
                .iter()
                .filter(|other| is(&other.value, &self.value))
                .count()
        };
        [count(f64::lt), count(f64::gt)]
    }

    /// The percentile among the machines: the share with a smaller value, and half of those with the same, 0 to 100.
    pub fn percentile(&self) -> f64 {
        let [less, more] = self.around();
        let all = self.others.len().max(1) as f64;
        let same = self.others.len().saturating_sub(less + more) as f64;
        100.0 * (less as f64 + same / 2.0) / all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_count_half_of_what_is_the_same() {
        let peer = |value| Peer {
            name: String::new(),
            measured: String::new(),
            published: String::new(),
            value,
        };
        let standing = Standing {
            title: String::new(),
            what: String::new(),
            unit: String::new(),
            better: Better::Lower,
            value: 2.0,
            others: [1.0, 2.0, 3.0, 4.0].map(peer).to_vec(),
        };
        assert_eq!(standing.around(), [1, 2]);
        assert_eq!(standing.percentile(), 37.5);
    }
}
