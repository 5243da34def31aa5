//! A fact that may be missing, and a limit that may be absent.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A fact, or the reason why it is missing.
///
/// Written as the bare value, or as `{"unknown": "why"}`, so that a reader can never mistake a
/// missing fact for a zero or an empty string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Known<T> {
    /// The reason why there is no value. First, because `untagged` tries the variants in order and
    /// this one matches only its own form.
    Unknown(Unknown),
    /// The value.
    Is(T),
}

/// Why a fact is missing, naming the file or call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Unknown {
    /// One line, without a full stop.
    pub unknown: String,
}

impl<'de> Deserialize<'de> for Unknown {
    /// From a map only. The derived deserializer would also accept a list of one string, and so
    /// treat a known `["tsc"]` as a reason.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = BTreeMap::<String, String>::deserialize(deserializer)?;
        match fields.remove("unknown") {
            Some(unknown) if fields.is_empty() => Ok(Self { unknown }),
            _ => Err(D::Error::custom("expected the one field `unknown`")),
        }
    }
}

impl<T> Known<T> {
    /// A missing fact with its reason.
    pub fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown(Unknown {
            unknown: why.into(),
        })
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown(_) => None,
        }
    }

    /// The value itself, if there is one.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown(_) => None,
        }
    }

    /// The reason, if there is no value.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Is(_) => None,
            Self::Unknown(unknown) => Some(&unknown.unknown),
        }
    }

    /// True if there is a value.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Is(_))
    }

    /// The same fact by reference.
    pub fn as_ref(&self) -> Known<&T> {
        match self {
            Self::Is(value) => Known::Is(value),
            Self::Unknown(unknown) => Known::Unknown(unknown.clone()),
        }
    }

    /// Changes the value, keeps the reason.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Known<U> {
        match self {
            Self::Is(value) => Known::Is(f(value)),
            Self::Unknown(unknown) => Known::Unknown(unknown),
        }
    }

    /// Maps the value to another fact, keeps the reason.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Known<U>) -> Known<U> {
        match self {
            Self::Is(value) => f(value),
            Self::Unknown(unknown) => Known::Unknown(unknown),
        }
    }

    /// The first source with a value; if none has one, the first reason, because the first source
    /// is the preferred one.
    pub fn or_else(self, f: impl FnOnce() -> Known<T>) -> Known<T> {
        match self {
            Self::Is(value) => Known::Is(value),
            Self::Unknown(unknown) => match f() {
                Known::Is(value) => Known::Is(value),
                Known::Unknown(_) => Known::Unknown(unknown),
            },
        }
    }
}

impl<T> From<Result<T, String>> for Known<T> {
    fn from(result: Result<T, String>) -> Self {
        match result {
            Ok(value) => Self::Is(value),
            Err(why) => Self::unknown(why),
        }
    }
}

/// A limit: a number, or the word `unlimited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Limit<T> {
    /// No limit is set.
    None(Unlimited),
    /// The limit.
    At(T),
}

/// The word `unlimited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unlimited {
    /// No limit is set.
    Unlimited,
}

impl<T: Copy> Limit<T> {
    /// No limit.
    pub const UNLIMITED: Self = Self::None(Unlimited::Unlimited);

    /// The limit, if one is set.
    pub fn at(&self) -> Option<T> {
        match self {
            Self::At(value) => Some(*value),
            Self::None(_) => None,
        }
    }
}

impl<T> From<Option<T>> for Limit<T> {
    fn from(limit: Option<T>) -> Self {
        limit.map_or(Self::None(Unlimited::Unlimited), Self::At)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn known_is_written_bare_and_comes_back() {
        for (fact, text) in [
            (Known::Is(7_u64), "7"),
            (Known::Is(u64::MAX), "18446744073709551615"),
            (
                Known::unknown("no such file: /x"),
                r#"{"unknown":"no such file: /x"}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&fact).unwrap(), text);
            assert_eq!(serde_json::from_str::<Known<u64>>(text).unwrap(), fact);
        }
    }

    #[test]
    fn a_list_of_one_text_is_no_reason() {
        let fact = Known::Is(vec!["tsc".to_owned()]);
        let text = serde_json::to_string(&fact).unwrap();
        assert_eq!(
            serde_json::from_str::<Known<Vec<String>>>(&text).unwrap(),
            fact
        );
    }

    #[test]
    fn limit_is_a_number_or_a_word() {
        for (limit, text) in [
            (Limit::At(7_u64), "7"),
            (Limit::UNLIMITED, r#""unlimited""#),
        ] {
            assert_eq!(serde_json::to_string(&limit).unwrap(), text);
            assert_eq!(serde_json::from_str::<Limit<u64>>(text).unwrap(), limit);
        }
    }

    #[test]
    fn or_else_keeps_the_first_reason() {
        let first: Known<u8> = Known::unknown("first");
        assert_eq!(
            first.or_else(|| Known::unknown("second")).why(),
            Some("first")
        );
        assert_eq!(
            Known::unknown("first").or_else(|| Known::Is(1)),
            Known::Is(1)
        );
    }
}
