//! What an ELF file of 64 bits, least byte first, asks its loader for (elf(5)).

/// `p_type` of the segment that holds the loader's path, and of the one that holds the table below.
const PT_INTERP: u64 = 3;
const PT_DYNAMIC: u64 = 2;
const PT_LOAD: u64 = 1;
/// Tags of that table: end, a library's name, the address of the names.
const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
/// Bytes of an entry of that table: a tag and a value.
const ENTRY: usize = 16;
/// Most libraries read: more than any program names.
const MOST_NEEDED: usize = 256;

/// What a dynamically linked program needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// Path of its loader.
    pub interpreter: String,
    /// Names of the libraries it names itself.
    pub needed: Vec<String>,
}

/// What the program in `elf` needs; `None` for anything but a dynamically linked program.
pub fn dynamic(elf: &[u8]) -> Option<Dynamic> {
    let file = Elf::new(elf)?;
    Some(Dynamic {
        interpreter: file.interpreter()?,
        needed: file.needed().unwrap_or_default(),
    })
}

/// The loader that the program in `elf` asks for.
pub(crate) fn interpreter(elf: &[u8]) -> Option<String> {
    Elf::new(elf)?.interpreter()
}

struct Elf<'a>(&'a [u8]);

/// A row of the program header table.
struct Segment {
    kind: u64,
    offset: usize,
    address: u64,
    len: usize,
}

impl<'a> Elf<'a> {
    fn new(bytes: &'a [u8]) -> Option<Elf<'a>> {
        // Magic, then class 2 (64 bits) and data 1 (least byte first).
        (bytes.get(..6)? == b"\x7fELF\x02\x01").then_some(Elf(bytes))
    }

    fn number(&self, at: usize, width: usize) -> Option<u64> {
        let bytes = self.0.get(at..at.checked_add(width)?)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |n, &byte| n << 8 | u64::from(byte)),
        )
    }

    fn place(&self, at: usize) -> Option<usize> {
        usize::try_from(self.number(at, 8)?).ok()
    }

    fn segments(&self) -> impl Iterator<Item = Segment> + '_ {
        let (table, width, count) = (self.place(32), self.number(54, 2), self.number(56, 2));
        (0..count.unwrap_or(0)).map_while(move |index| {
            let at = table?.checked_add(usize::try_from(index * width?).ok()?)?;
            Some(Segment {
                kind: self.number(at, 4)?,
                offset: self.place(at.checked_add(8)?)?,
                address: self.number(at.checked_add(16)?, 8)?,
                len: self.place(at.checked_add(32)?)?,
            })
        })
    }

    /// Text up to the next NUL.
    fn text(&self, at: usize) -> Option<String> {
        let bytes = self.0.get(at..)?.split(|&byte| byte == 0).next()?;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }

    fn interpreter(&self) -> Option<String> {
        let segment = self.segments().find(|s| s.kind == PT_INTERP)?;
        // Within the segment, whose end the text must not pass.
        self.0
            .get(segment.offset..segment.offset.checked_add(segment.len)?)?;
        self.text(segment.offset)
            .filter(|path| path.starts_with('/'))
    }

    fn needed(&self) -> Option<Vec<String>> {
        let table = self.segments().find(|s| s.kind == PT_DYNAMIC)?;
        let mut entries = Vec::new();
        for index in 0..table.len / ENTRY {
            let at = table.offset.checked_add(index * ENTRY)?;
            match (self.number(at, 8)?, self.number(at.checked_add(8)?, 8)?) {
                (DT_NULL, _) => break,
                entry => entries.push(entry),
            }
        }
        let address = entries.iter().find(|(tag, _)| *tag == DT_STRTAB)?.1;
        let loaded = self.segments().find(|s| {
            s.kind == PT_LOAD
                && (s.address..s.address.saturating_add(s.len as u64)).contains(&address)
        })?;
        let names = loaded
            .offset
            .checked_add(usize::try_from(address - loaded.address).ok()?)?;
        let needed = entries
            .iter()
            .filter(|(tag, _)| *tag == DT_NEEDED)
            .take(MOST_NEEDED);
        needed
            .map(|&(_, name)| self.text(names.checked_add(usize::try_from(name).ok()?)?))
            .collect()
    }
}
