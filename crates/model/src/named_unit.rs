//! Units in documents: the source's own where there is one.
//!
//! A figure of another tool is a plain number to whyslow, and has the unit that was printed beside it
//! as its symbol. A program that reads a document looks at `unit`, so that is what stands there.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Unit;

/// A unit with the source's own symbol beside it, as one text.
pub(crate) struct Named<'a>(pub(crate) Unit, pub(crate) Option<&'a str>);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (Unit::Count, Some(symbol)) if !symbol.is_empty() => serializer.serialize_str(symbol),
            (unit, _) => unit.serialize(serializer),
        }
    }
}

/// Reads a unit; a source's own is a plain number.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Unit, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Read {
        Own(Unit),
        Other(#[allow(dead_code)] String),
    }
    Ok(match Read::deserialize(deserializer)? {
        Read::Own(unit) => unit,
        Read::Other(_) => Unit::Count,
    })
}

/// What is left out of a document where there is none of it.
pub(crate) trait Absent {
    /// Is there none?
    fn is_absent(&self) -> bool;
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// Serialises and reads a type with the fields `unit` and `symbol`, the unit as [`Named`]: first the fields that
/// are always there, then those that may be absent. Every field has to be named: one that is forgotten
/// is an error of the compiler.
macro_rules! serialize_with_named_unit {
    ($type:ident, [$($field:ident),*], [$($optional:ident),*]) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                let $type { unit, symbol, $($field,)* $($optional,)* } = self;
                let mut fields = serializer.serialize_struct(stringify!($type), 1)?;
                let unit = $crate::named_unit::Named(*unit, symbol.as_deref());
                $(fields.serialize_field(stringify!($field), $field)?;)*
                fields.serialize_field("unit", &unit)?;
                if symbol.is_some() {
                    fields.serialize_field("symbol", symbol)?;
                }
                $(if !$crate::named_unit::Absent::is_absent($optional) {
                    fields.serialize_field(stringify!($optional), $optional)?;
                })*
                fields.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // What is derived for the type itself.
                let mut read = $type::deserialize(deserializer)?;
                if read.symbol.is_some() {
                    read.unit = $crate::Unit::Count;
                }
                Ok(read)
            }
        }
    };
}

pub(crate) use serialize_with_named_unit;
