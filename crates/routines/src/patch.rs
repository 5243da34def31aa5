//! Writes a choice into the file of the library: symbols get the addresses of the chosen shapes, and the table its limits.
//!
//! The file is ours, of the build script's making: what is looked up must be there, and what is not there is an error.

use crate::limits::{MAGIC, NUMBERS};

/// Type of the section with the symbols that the loader sees.
const DYNAMIC_SYMBOLS: u32 = 11;

/// Bytes of a section's header, and of a symbol.
const HEADER: usize = 64;
const SYMBOL: usize = 24;

/// The library's bytes lack something.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the library as built lacks {0}")]
pub struct Lacks(String);

fn lacks(what: &str) -> Lacks {
    Lacks(what.to_owned())
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    number(bytes, at).map(|n| usize::from(u16::from_le_bytes(n)))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u32::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    number(bytes, at).and_then(|n| usize::try_from(u64::from_le_bytes(n)).ok())
}

/// The library with other addresses and limits.
#[derive(Debug, Clone)]
pub struct Library {
    bytes: Vec<u8>,
    /// Where each symbol lies in the file.
    symbols: Vec<(String, usize)>,
}

impl Library {
    /// Reads the symbols of a library of 64 bits, little-endian.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(bytes: &[u8]) -> Result<Library, Lacks> {
        let symbols = symbols(bytes).ok_or_else(|| lacks("symbols"))?;
        Ok(Library {
            bytes: bytes.to_vec(),
            symbols,
        })
    }

    fn symbol(&self, name: &str) -> Result<usize, Lacks> {
        let found = self.symbols.iter().find(|(own, _)| own == name);
        found.map(|(_, at)| *at).ok_or_else(|| lacks(name))
    }

    /// Lets the symbol `name` be what `shape` is.
    ///
    /// # Errors
    /// When either is not there.
    pub fn let_be(&mut self, name: &str, shape: &str) -> Result<(), Lacks> {
        let (to, from) = (self.symbol(name)?, self.symbol(shape)?);
        // A symbol's section, address and size are its last 18 bytes but for the name, type and visibility before.
        let place: [u8; SYMBOL - 6] = number(&self.bytes, from + 6).ok_or_else(|| lacks(shape))?;
        let own = self.bytes.get_mut(to + 6..to + SYMBOL);
        own.ok_or_else(|| lacks(name))?.copy_from_slice(&place);
        Ok(())
    }

    /// Writes the limits.
    ///
    /// # Errors
    /// When there is no table, or more than one thing looks like it.
    pub fn set_limits(&mut self, limits: &[u64; NUMBERS]) -> Result<(), Lacks> {
        let mut places = self.bytes.windows(MAGIC.len()).enumerate();
        let mut next = || {
            places
                .find(|(_, window)| *window == MAGIC)
                .map(|(at, _)| at)
        };
        let (Some(at), None) = (next(), next()) else {
            return Err(lacks("one table of limits"));
        };
        let table = self.bytes.get_mut(at + MAGIC.len()..);
        let table = table.filter(|table| table.len() >= 8 * NUMBERS);
        let table = table.ok_or_else(|| lacks("a whole table of limits"))?;
        for (place, limit) in table.chunks_exact_mut(8).zip(limits) {
            place.copy_from_slice(&limit.to_le_bytes());
        }
        Ok(())
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn symbols(bytes: &[u8]) -> Option<Vec<(String, usize)>> {
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (headers, size, count) = (long(bytes, 40)?, half(bytes, 58)?, half(bytes, 60)?);
    if size != HEADER {
        return None;
    }
    let header = |index: usize| headers.checked_add(index.checked_mul(HEADER)?);
    let place = |at: usize| Some((long(bytes, at + 24)?, long(bytes, at + 32)?));
    let of_symbols = (0..count)
        .filter_map(header)
        .find(|at| word(bytes, at + 4) == Some(DYNAMIC_SYMBOLS))?;
    let (start, length) = place(of_symbols)?;
    let names = header(usize::try_from(word(bytes, of_symbols + 40)?).ok()?)?;
    let (names, names_length) = place(names)?;
    let names = bytes.get(names..names.checked_add(names_length)?)?;
    let mut found = Vec::new();
    for index in 0..length / SYMBOL {
        let at = start.checked_add(index * SYMBOL)?;
        let name = usize::try_from(word(bytes, at)?).ok()?;
        let name = names.get(name..)?.split(|byte| *byte == 0).next()?;
        // One symbol has no name.
        found.push((String::from_utf8(name.to_vec()).ok()?, at));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::LIBRARY;

    fn address(library: &Library, name: &str) -> usize {
        long(library.bytes(), library.symbol(name).unwrap() + 8).unwrap()
    }

    #[test]
    fn a_symbol_gets_the_address_of_another_and_nothing_else_changes() {
        let mut library = Library::read(LIBRARY).unwrap();
        let (own, shape) = (
            address(&library, "memset"),
            address(&library, "whyslow_set_16"),
        );
        assert_ne!(own, shape);
        library.let_be("memset", "whyslow_set_16").unwrap();
        assert_eq!(address(&library, "memset"), shape);
        let changed = LIBRARY.iter().zip(library.bytes()).filter(|(a, b)| a != b);
        assert!((1..=18).contains(&changed.count()));
        assert!(library.let_be("memset", "no_such_shape").is_err());
        assert!(
            library
                .let_be("no_such_function", "whyslow_set_16")
                .is_err()
        );
    }

    #[test]
    fn limits_are_written_behind_the_magic() {
        let mut library = Library::read(LIBRARY).unwrap();
        library
            .set_limits(&[1, 2, 3, 4, 5, 6, 7, 0x0102_0304])
            .unwrap();
        let at = library
            .bytes()
            .windows(16)
            .position(|w| w == MAGIC)
            .unwrap();
        assert_eq!(long(library.bytes(), at + 16), Some(1));
        assert_eq!(long(library.bytes(), at + 16 + 56), Some(0x0102_0304));
        // A second table would be another one's.
        library.bytes.extend(MAGIC);
        library.bytes.extend([0; 64]);
        assert!(library.set_limits(&[0; 8]).is_err());
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        for cut in [0, 5, 63, 64, 1000, LIBRARY.len() / 2] {
            assert!(Library::read(&LIBRARY[..cut]).is_err(), "{cut}");
        }
    }
}
