//! The mapping that an address is in, from the text of `/proc/self/maps`, byte after byte: the counting library has no
//! memory to keep the text in.

/// What is found in a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing yet.
    More,
    /// A byte of the path of the mapping with the address.
    Path(u8),
    /// The line of the mapping with the address has ended.
    Found,
}

/// Reads the text for one address.
#[derive(Debug)]
pub(crate) struct Finder {
    address: u64,
    /// The field of the line: its first address, the one behind its last, four others, and the path.
    field: u8,
    /// Whether the path has begun.
    begun: bool,
    /// First address of the mapping of this line.
    pub(crate) start: u64,
    /// Behind its last address.
    pub(crate) end: u64,
}

/// The field with the path.
const PATH: u8 = 6;

impl Finder {
    /// For this address.
    pub(crate) const fn new(address: u64) -> Finder {
        Finder {
            address,
            field: 0,
            begun: false,
            start: 0,
            end: 0,
        }
    }

    /// True if the address is in the mapping of this line.
    fn here(&self) -> bool {
        self.start <= self.address && self.address < self.end
    }

    /// Takes the next byte.
    pub(crate) fn take(&mut self, byte: u8) -> Step {
        match (self.field, byte) {
            (_, b'\n') if self.field > 1 && self.here() => return Step::Found,
            (_, b'\n') => *self = Finder::new(self.address),
            (0, b'-') => self.field = 1,
            (0, _) => self.start = self.start << 4 | digit(byte),
            (1, b' ') => self.field = 2,
            (1, _) => self.end = self.end << 4 | digit(byte),
            (2..PATH, b' ') => self.field += 1,
            (2..PATH, _) => {}
            // Any number of spaces stands before the path.
            (_, b' ') if !self.begun => {}
            (..) => {
                self.begun = true;
                if self.here() {
                    return Step::Path(byte);
                }
            }
        }
        Step::More
    }
}

fn digit(byte: u8) -> u64 {
    u64::from(match byte {
        b'0'..=b'9' => byte - b'0',
        _ => (byte | 0x20).wrapping_sub(b'a').wrapping_add(10) & 15,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
55d0c0a00000-55d0c0a02000 r--p 00000000 fe:01 1835                       /usr/bin/a program
55d0c0a02000-55d0c0a07000 r-xp 00002000 fe:01 1835                       /usr/bin/a program
7f0e12000000-7F0E12021000 rw-p 00000000 00:00 0\x20
7ffc0d9f2000-7ffc0d9f4000 r-xp 00000000 00:00 0                          [vdso]
";

    fn found(address: u64) -> Option<(u64, u64, String)> {
        let mut finder = Finder::new(address);
        let mut path = String::new();
        for byte in TEXT.bytes() {
            match finder.take(byte) {
                Step::More => {}
                Step::Path(byte) => path.push(char::from(byte)),
                Step::Found => return Some((finder.start, finder.end, path)),
            }
        }
        None
    }

    #[test]
    fn the_mapping_of_an_address_is_found_with_its_path() {
        for (address, wanted) in [
            (
                0x55d0_c0a0_1fff,
                Some((0x55d0_c0a0_0000, "/usr/bin/a program")),
            ),
            (
                0x55d0_c0a0_2000,
                Some((0x55d0_c0a0_2000, "/usr/bin/a program")),
            ),
            (0x55d0_c0a0_7000, None),
            (0x7f0e_1200_0001, Some((0x7f0e_1200_0000, ""))),
            (0x7ffc_0d9f_3fff, Some((0x7ffc_0d9f_2000, "[vdso]"))),
            (0, None),
        ] {
            let found = found(address);
            let found = found
                .as_ref()
                .map(|(start, _, path)| (*start, path.as_str()));
            assert_eq!(found, wanted, "{address:x}");
        }
    }
}
