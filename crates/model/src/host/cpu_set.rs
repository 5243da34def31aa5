//! A set of CPU numbers, in the kernel's list form (`0-3,8`).

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Highest accepted CPU number. Linux supports at most 8,192 CPUs today; four times that leaves
/// room, and a damaged list such as `0-4294967295` cannot fill the memory.
const MAX_CPU: u32 = 32_767;

/// A set of CPU numbers, ascending, without repetition.
///
/// Written as by the kernel, such as `0-3,8`; the empty set is the empty string. As in the kernel,
/// a range may have a stride, `0-6:2/4`, which is read but never written.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CpuSet(Vec<u32>);

/// Why a text is not a CPU list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a CPU list: {0:?}")]
pub struct BadCpuSet(String);

impl CpuSet {
    /// CPU numbers, ascending.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// CPU numbers, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// How many CPUs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if `cpu` is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.binary_search(&cpu).is_ok()
    }

    /// The lowest CPU.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// The CPUs in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.iter().filter(|&cpu| other.contains(cpu)).collect())
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut cpus: Vec<u32> = cpus.into_iter().collect();
        cpus.sort_unstable();
        cpus.dedup();
        Self(cpus)
    }
}

impl FromStr for CpuSet {
    type Err = BadCpuSet;

    fn from_str(text: &str) -> Result<Self, BadCpuSet> {
        let bad = || BadCpuSet(text.chars().take(80).collect());
        let number = |digits: &str| match digits.parse::<u32>() {
            Ok(cpu) if cpu <= MAX_CPU => Ok(cpu),
            _ => Err(bad()),
        };
        let mut present = vec![];
        for part in text.trim().split(',').filter(|part| !part.is_empty()) {
            let (range, stride) = part
                .split_once(':')
                .map_or((part, None), |(range, stride)| (range, Some(stride)));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first)?, number(last)?);
            let (used, group) = match stride {
                None => (1, 1),
                Some(stride) => {
                    let (used, group) = stride.split_once('/').ok_or_else(bad)?;
                    (number(used)?, number(group)?)
                }
            };
            if first > last || group == 0 || used > group {
                return Err(bad());
            }
            // Marking instead of pushing: a list that repeats a wide range
            // many times stays as small as the range.
            let end = last as usize + 1;
            if present.len() < end {
                present.resize(end, false);
            }
            for cpu in (first..=last).filter(|cpu| (cpu - first) % group < used) {
                present[cpu as usize] = true;
            }
        }
        Ok(Self(
            (0_u32..)
                .zip(present)
                .filter_map(|(cpu, is_in)| is_in.then_some(cpu))
                .collect(),
        ))
    }
}

impl TryFrom<String> for CpuSet {
    type Error = BadCpuSet;

    fn try_from(text: String) -> Result<Self, BadCpuSet> {
        text.parse()
    }
}

impl From<CpuSet> for String {
    fn from(set: CpuSet) -> Self {
        set.to_string()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_slice();
        let mut comma = "";
        while let Some(&first) = rest.first() {
            let run = (first..)
                .zip(rest)
                .take_while(|(want, have)| want == *have)
                .count();
            let last = rest[run - 1];
            if run == 1 {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
            comma = ",";
            rest = &rest[run..];
        }
        Ok(())
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuSet({self})")
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for CpuSet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CpuSet".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "CPU numbers in the kernel's list form, such as 0-3,8",
            "pattern": "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$"
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_kernels_forms() {
        for (text, cpus) in [
            ("", &[][..]),
            ("\n", &[]),
            ("0", &[0]),
            ("0-3,8\n", &[0, 1, 2, 3, 8]),
            ("0-6:2/4", &[0, 1, 4, 5]),
            ("5,1-2,1", &[1, 2, 5]),
        ] {
            assert_eq!(text.parse::<CpuSet>().unwrap().as_slice(), cpus, "{text:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_list() {
        for text in [
            "a",
            "1-",
            "3-1",
            "-1",
            "0-4294967295",
            "1:2",
            "0-3:1/0",
            "0-3:5/4",
            "\0",
        ] {
            assert!(text.parse::<CpuSet>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn is_written_as_ranges() {
        let set: CpuSet = [8, 0, 1, 2, 3, 10, 11].into_iter().collect();
        assert_eq!(set.to_string(), "0-3,8,10-11");
        assert_eq!(serde_json::to_string(&set).unwrap(), r#""0-3,8,10-11""#);
    }
}
