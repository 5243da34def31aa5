//! JSON of any other program: each number is a row, called after the keys that lead to it.

use std::collections::BTreeSet;

use serde_json::{Deserializer, Map, Value};
use whyslow_model::Better;
use whyslow_model::text::AT_ONCE;

use crate::amount::{Cell, cell};
use crate::direction::{of_unit, of_words};
use crate::sheet::unusable;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "json",
    what: "JSON of any other program: each number is a row, called after the keys that lead to it",
    repeats: "numbers of one list",
    silent: "how the figures were measured, or what was run",
    roles: &[],
    looks,
    part: None,
    known: &[],
    read,
};

/// Keys of numbers that were not measured.
const NO_RESULTS: &[&str] = &[
    "timestamp",
    "date",
    "version",
    "seed",
    "pid",
    "port",
    "epoch",
    "year",
    "id",
];

/// Does the key have the name of a test?
fn is_name(key: &str) -> bool {
    const NAMES: [&str; 6] = ["name", "title", "test", "benchmark", "label", "workload"];
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// More rows are a log of something, not results.
const MOST: usize = 20_000;

/// 1 where all of it is JSON with numbers in it: any format that knows its own keys looks more like it.
fn looks(text: &Text) -> usize {
    let numbers = values(text).is_ok_and(|values| !leaves(&values).is_empty());
    usize::from(numbers)
}

/// The values of a text, one or several behind each other.
fn values(text: &Text) -> Result<Vec<Value>, serde_json::Error> {
    if !text.whole().trim_start().starts_with(['{', '[']) {
        return Ok(Vec::new());
    }
    Deserializer::from_str(text.whole()).into_iter().collect()
}

/// A number, the keys that lead to it, and its unit where it is a text, `"12 ms"`.
struct Leaf {
    path: Vec<String>,
    value: f64,
    unit: String,
}

fn leaves(values: &[Value]) -> Vec<Leaf> {
    let mut found = Vec::new();
    // Several behind each other have names as those of a list.
    let names = names(values);
    for (at, value) in values.iter().enumerate() {
        let own = names.get(at).filter(|_| values.len() > 1);
        walk(value, &mut own.cloned().into_iter().collect(), &mut found);
    }
    found
}

/// Adds the numbers of `value`, which stands below `path`.
fn walk(value: &Value, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    if found.len() > MOST {
        return;
    }
    let mut add = |value: f64, unit: &str, path: &[String]| {
        let last = path.last().map_or("", String::as_str).to_lowercase();
        let mut words = last.split(|c: char| !c.is_alphanumeric());
        // How many worked at once is what it was measured at.
        let setting = AT_ONCE.contains(&last.as_str());
        if !path.is_empty() && !setting && !words.any(|word| NO_RESULTS.contains(&word)) {
            found.push(Leaf {
                path: path.to_vec(),
                value,
                unit: unit.to_owned(),
            });
        }
    };
    match value {
        Value::Number(number) => add(number.as_f64().unwrap_or(f64::NAN), "", path),
        Value::String(text) => {
            let name = path.last().is_some_and(|key| is_name(key));
            if let Cell::Amount(value, unit) = cell(text)
                && !name
            {
                add(value, unit, path);
            }
        }
        Value::Array(values) => {
            let names = names(values);
            for (at, value) in values.iter().enumerate() {
                // Numbers of a list are repetitions.
                let name = value.is_object() || value.is_array();
                if name {
                    path.push(names.get(at).cloned().unwrap_or(format!("{}", at + 1)));
                }
                walk(value, path, found);
                if name {
                    path.pop();
                }
            }
        }
        Value::Object(keys) => {
            for (key, value) in keys {
                path.push(key.clone());
                walk(value, path, found);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// What the objects of a list are called: the first of their texts that tells them apart, or the first number of what works at
/// once or of a size.
fn names(values: &[Value]) -> Vec<String> {
    let objects: Option<Vec<&Map<String, Value>>> = values.iter().map(Value::as_object).collect();
    let Some(objects) = objects else {
        return Vec::new();
    };
    let Some(first) = objects.first() else {
        return Vec::new();
    };
    let by = |key: &String, is: fn(&Value) -> Option<String>| -> Option<Vec<String>> {
        let names: Option<Vec<String>> = objects.iter().map(|o| is(o.get(key)?)).collect();
        let names = names?;
        let distinct: BTreeSet<&String> = names.iter().collect();
        (distinct.len() == names.len()).then_some(names)
    };
    let text = |value: &Value| {
        let text = value.as_str()?.trim();
        matches!(cell(text), Cell::Words(_)).then(|| text.to_owned())
    };
    let count = |value: &Value| value.as_u64().map(|count| count.to_string());
    // `12 threads, full contention` is a name where its key says so.
    let whole = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    let named = first
        .keys()
        .filter(|key| is_name(key))
        .find_map(|key| by(key, whole));
    let texts = named.or_else(|| first.keys().find_map(|key| by(key, text)));
    let counts = || {
        let mut settings = first.keys().filter(|key| is_setting(key));
        let (key, names) = settings.find_map(|key| Some((key, by(key, count)?)))?;
        let names = names.iter().map(|name| format!("{key} {name}"));
        Some(names.collect())
    };
    texts.or_else(counts).unwrap_or_default()
}

/// Does the key say what it was measured at?
fn is_setting(key: &str) -> bool {
    const SIZES: [&str; 9] = [
        "size",
        "bytes",
        "length",
        "depth",
        "qd",
        "iodepth",
        "connections",
        "concurrency",
        "block",
    ];
    let key = key.to_lowercase();
    let mut words = key.split(|c: char| !c.is_alphanumeric());
    words.any(|word| AT_ONCE.contains(&word) || SIZES.contains(&word))
}

/// How many keys at the start are the same for all.
fn common(leaves: &[Leaf]) -> usize {
    let Some((first, rest)) = leaves.split_first() else {
        return 0;
    };
    let most = leaves.iter().map(|leaf| leaf.path.len() - 1).min();
    let same = |at: &usize| rest.iter().all(|leaf| leaf.path[*at] == first.path[*at]);
    (0..most.unwrap_or(0)).take_while(same).count()
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let values = values(text).map_err(|why| Fault::of_json(&why, "JSON"))?;
    let leaves = leaves(&values);
    if leaves.len() > MOST {
        return Err(Fault::whole(format!(
            "more than {MOST} numbers in it; cut out what was measured"
        )));
    }
    let common = common(&leaves);
    for leaf in &leaves {
        sheet.entry();
        if let Some(why) = unusable(leaf.value) {
            sheet.refuse(text.count(), why);
            continue;
        }
        let keys: Vec<&str> = leaf.path[common..]
            .iter()
            .map(String::as_str)
            .filter(|key| !key.is_empty())
            .collect();
        let title = if keys.is_empty() {
            "result".to_owned()
        } else {
            keys.join(" ")
        };
        let last = leaf.path.last().map_or("", String::as_str).to_lowercase();
        let unit = last.rsplit(['_', ' ', '-', '.']).next().unwrap_or_default();
        let (unit, better) = match (leaf.unit.as_str(), of_unit(unit)) {
            ("", Some(better)) if unit != last => (unit, Some(better)),
            (unit, _) => (unit, of_unit(unit)),
        };
        let better = better
            .or_else(|| of_words(&last.replace('_', " ")))
            .or_else(|| of_words(&title.replace('_', " ")));
        let row = Row::new("columns", &title, unit, better.unwrap_or(Better::Unsaid));
        sheet.add("", row, leaf.value, 0)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<(String, f64)> {
        let values: Vec<Value> = Deserializer::from_str(text)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let leaves = leaves(&values);
        let all = leaves.iter();
        all.map(|leaf| (leaf.path.join("/"), leaf.value)).collect()
    }

    #[test]
    fn numbers_are_called_after_their_keys() {
        let text = r#"{"date": 20220101, "functions": {"malloc": {"": {"max_rss": 7908, "time": "12 ms"}}}}"#;
        assert_eq!(
            paths(text),
            [
                ("functions/malloc//max_rss".to_owned(), 7908.0),
                ("functions/malloc//time".to_owned(), 12.0)
            ]
        );
    }

    #[test]
    fn objects_of_a_list_are_called_by_what_tells_them_apart() {
        let text =
            r#"[{"kind": "x", "name": "a", "ns": [1, 2]}, {"kind": "x", "name": "b", "ns": [3]}]"#;
        let found = paths(text);
        assert_eq!(found[1], ("a/ns".to_owned(), 2.0));
        assert_eq!(found[2], ("b/ns".to_owned(), 3.0));
        let text = r#"[{"threads": 1, "ops": 5}, {"threads": 2, "ops": 9}]"#;
        assert!(paths(text).contains(&("threads 2/ops".to_owned(), 9.0)));
    }

    #[test]
    fn values_behind_each_other_are_repetitions() {
        let found = paths("{\"ns\": 1}\n{\"ns\": 2}\n");
        assert_eq!(found, [("ns".to_owned(), 1.0), ("ns".to_owned(), 2.0)]);
    }
}
