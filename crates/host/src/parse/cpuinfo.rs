//! `/proc/cpuinfo`: one block of `key : value` lines for each online CPU.

use std::str::FromStr;

use whyslow_model::host::Known;

/// One CPU's block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processor<'a> {
    pub(crate) cpu: u32,
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Processor<'a> {
    pub(crate) fn get(&self, key: &str) -> Known<&'a str> {
        self.lines
            .iter()
            .find(|(name, value)| *name == key && !value.is_empty())
            .map_or_else(
                || Known::unknown(format!("no {key:?} in /proc/cpuinfo")),
                |(_, value)| Known::Is(*value),
            )
    }

    pub(crate) fn text(&self, key: &str) -> Known<String> {
        self.get(key).map(str::to_owned)
    }

    pub(crate) fn value<T: FromStr>(&self, key: &str) -> Known<T> {
        self.get(key)
            .and_then(|text| text.parse().map_or_else(|_| bad(key, text), Known::Is))
    }

    /// A number in hexadecimal, as Arm writes its identity.
    pub(crate) fn hex(&self, key: &str) -> Known<u32> {
        self.get(key).and_then(|text| {
            u32::from_str_radix(text.trim_start_matches("0x"), 16)
                .map_or_else(|_| bad(key, text), Known::Is)
        })
    }
}

fn bad<T>(key: &str, text: &str) -> Known<T> {
    let start: String = text.chars().take(40).collect();
    Known::unknown(format!("not understood: {key} in /proc/cpuinfo: {start:?}"))
}

/// Every block that has a `processor` number, in the order of the file.
pub(crate) fn processors(text: &str) -> Vec<Processor<'_>> {
    let mut found: Vec<Processor<'_>> = vec![];
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        // Old Arm kernels also print "Processor : <name>", with a capital.
        if let ("processor", Ok(cpu)) = (key, value.parse()) {
            found.push(Processor { cpu, lines: vec![] });
        } else if let Some(processor) = found.last_mut() {
            processor.lines.push((key, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks() {
        let found = processors(
            "processor\t: 0\nmodel\t\t: 85\n\nprocessor\t: 3\nCPU part\t: 0xd0c\nmodel: x\n",
        );
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].cpu, found[1].cpu), (0, 3));
        assert_eq!(found[0].value::<u32>("model"), Known::Is(85));
        assert_eq!(found[1].hex("CPU part"), Known::Is(0xd0c));
        assert_eq!(
            found[1].value::<u32>("model").why(),
            Some(r#"not understood: model in /proc/cpuinfo: "x""#)
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(processor|[a-z:\n \t0-9])*") {
            processors(&text);
        }
    }
}
