//! Names of block devices.

/// The name of a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device(String);

impl Device {
    /// The name `text`, if it is one that leads nowhere else as a part of a path.
    pub(crate) fn parse(text: &str) -> Option<Device> {
        // The kernel writes `/` in names as `!`.
        let safe = |c: char| c.is_ascii_alphanumeric() || "_-!".contains(c);
        let named = (1..=64).contains(&text.len()) && text.chars().all(safe);
        named.then(|| Device(text.to_owned()))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["sda", "nvme0n1", "dm-0", "cciss!c0d0", "md_d0"] {
            assert_eq!(Device::parse(name).unwrap().name(), name);
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "a b",
            "a\n",
            "\u{e9}",
            &"x".repeat(65),
        ] {
            assert_eq!(Device::parse(name), None, "{name}");
        }
    }
}
