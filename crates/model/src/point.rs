//! A point: a probe with its parameters, the thing that has a value.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A probe id with its parameters in the order in which the probe declares them, written
/// `mem.latency{size=1MiB,order=random,pages=4k}`. Two points are the same exactly when their texts
/// are equal; records of different hosts are matched by this text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Probe id such as `mem.latency`.
    pub probe: String,
    /// Parameters, name and value, in declaration order.
    pub params: Vec<(String, String)>,
}

impl Point {
    /// A point without parameters; add them with [`Point::with`].
    pub fn new(probe: &str) -> Self {
        Point {
            probe: probe.to_owned(),
            params: Vec::new(),
        }
    }

    /// The same point with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.params.push((name.to_owned(), value.to_string()));
        self
    }

    /// The value of the parameter `name`, if the point has it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.params
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.probe)?;
        for (i, (name, value)) in self.params.iter().enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { "{" } else { "," })?;
        }
        if !self.params.is_empty() {
            f.write_str("}")?;
        }
        Ok(())
    }
}

/// Why a text is not a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a point ({why}); a point looks like mem.latency{{size=1MiB,order=random}}"
)]
pub struct PointError {
    text: String,
    why: &'static str,
}

impl FromStr for Point {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        let fail = |why| PointError {
            text: text.to_owned(),
            why,
        };
        let (probe, rest) = match text.split_once('{') {
            None => (text, None),
            Some((probe, rest)) => {
                let inner = rest.strip_suffix('}').ok_or(fail("no closing brace"))?;
                (probe, Some(inner))
            }
        };
        if probe.is_empty() || probe.contains(['}', ',', '=']) {
            return Err(fail("no probe id"));
        }
        let mut params = Vec::new();
        for pair in rest.into_iter().flat_map(|r| r.split(',')) {
            let (name, value) = pair
                .split_once('=')
                .ok_or(fail("a parameter needs name=value"))?;
            if name.is_empty() || value.contains(['{', '}']) {
                return Err(fail("a parameter needs name=value"));
            }
            params.push((name.to_owned(), value.to_owned()));
        }
        Ok(Point {
            probe: probe.to_owned(),
            params,
        })
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Point {
    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A probe id with its parameters: mem.latency{size=1MiB,order=random,pages=4k}",
            "pattern": r"^[^{},=]+(\{[^{},=]+=[^{},]*(,[^{},=]+=[^{},]*)*\})?$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_it_writes() {
        let point = Point::new("mem.latency")
            .with("size", "1MiB")
            .with("order", "random");
        assert_eq!(point.to_string(), "mem.latency{size=1MiB,order=random}");
        assert_eq!(point.to_string().parse::<Point>().unwrap(), point);
        assert_eq!(
            "os.null_call".parse::<Point>().unwrap(),
            Point::new("os.null_call")
        );
    }

    #[test]
    fn refuses_what_is_not_a_point() {
        for text in ["", "{a=b}", "x{", "x{a}", "x{a=b", "x{=b}", "x{a=b}c"] {
            assert!(text.parse::<Point>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*") {
            if let Ok(point) = text.parse::<Point>() {
                prop_assert_eq!(point.to_string().parse::<Point>().unwrap(), point);
            }
        }
    }
}
