//! ELF images around a piece of machine code.
//!
//! Just what the kernel and the loaders of glibc and musl need; no section headers, which serve
//! linkers and debuggers. Structures and numbers are those of the System V ABI (generic part,
//! x86-64 and aarch64 supplements) and of its GNU extensions.

/// The largest page that kernels of this architecture may have: segments with different rights must
/// not share one.
const PAGE: u64 = if cfg!(target_arch = "aarch64") {
    64 << 10
} else {
    4 << 10
};
/// Where a static image lies: the traditional place on x86-64 and aarch64.
const BASE: u64 = 0x40_0000;

const FILE_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;

/// The architectures that have a program to wrap; elsewhere "no machine", which no kernel runs.
const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else {
    0
};

const TYPE_EXECUTABLE: u16 = 2;
const TYPE_SHARED: u16 = 3;

const READ: u32 = 4;
const WRITE: u32 = 2;
const EXECUTE: u32 = 1;

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;
const PROGRAM_HEADERS: u32 = 6;
/// Without it the stack is executable and newer kernels and loaders complain.
const GNU_STACK: u32 = 0x6474_e551;

/// A program header.
struct Segment {
    kind: u32,
    rights: u32,
    /// Offset in the file.
    offset: u64,
    /// Address before relocation.
    address: u64,
    size: u64,
    align: u64,
}

impl Segment {
    const STACK: Self = Self {
        kind: GNU_STACK,
        rights: READ | WRITE,
        offset: 0,
        address: 0,
        size: 0,
        align: 16,
    };
}

/// File header and program headers.
fn headers(kind: u16, entry: u64, segments: &[Segment]) -> Vec<u8> {
    let mut out = Vec::new();
    // Magic, 64-bit, little-endian, version 1, System V ABI.
    out.extend_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    out.extend(kind.to_le_bytes());
    out.extend(MACHINE.to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    out.extend(entry.to_le_bytes());
    out.extend(FILE_HEADER.to_le_bytes()); // program headers follow at once
    out.extend(0_u64.to_le_bytes()); // no section headers
    out.extend(0_u32.to_le_bytes()); // no flags
    let counts = [
        FILE_HEADER as u16,
        PROGRAM_HEADER as u16,
        segments.len() as u16,
        64, // size of a section header, of which there are none
        0,
        0,
    ];
    out.extend(counts.iter().flat_map(|n| n.to_le_bytes()));
    for s in segments {
        out.extend(s.kind.to_le_bytes());
        out.extend(s.rights.to_le_bytes());
        let words = [s.offset, s.address, s.address, s.size, s.size, s.align];
        out.extend(words.iter().flat_map(|n| n.to_le_bytes()));
    }
    out
}

/// A static executable whose entry is the first byte of `program`: one segment for headers and
/// code, no data, no loader.
pub fn static_image(program: &[u8]) -> Vec<u8> {
    // Entry on a cache line, as a linker would place it.
    let start = (FILE_HEADER + 2 * PROGRAM_HEADER).next_multiple_of(64);
    let size = start + program.len() as u64;
    let code = Segment {
        kind: LOAD,
        rights: READ | EXECUTE,
        offset: 0,
        address: BASE,
        size,
        align: PAGE,
    };
    let mut out = headers(TYPE_EXECUTABLE, BASE + start, &[code, Segment::STACK]);
    out.resize(start as usize, 0);
    out.extend_from_slice(program);
    out
}

/// A position-independent executable that names `interpreter` as its loader and `needed` as the
/// libraries to load, and whose entry is the first byte of `program`.
///
/// The kernel maps it and the loader, the loader maps, relocates and initializes the libraries and
/// enters the program, as for a small C program. What is missing against one is the resolution of
/// its few symbols and its start-up code.
///
/// Three segments with the rights that linkers give them today: tables (read), code (read,
/// execute), and the dynamic section (read, write: the loader fills in its debug entry).
pub fn dynamic_image(program: &[u8], interpreter: &str, needed: &[&str]) -> Vec<u8> {
    const SEGMENTS: u64 = 7;

    // The tables, with offset equal to address throughout.
    let interpreter_at = FILE_HEADER + SEGMENTS * PROGRAM_HEADER;
    let interpreter_size = interpreter.len() as u64 + 1;
    let hash_at = (interpreter_at + interpreter_size).next_multiple_of(8);
    // One bucket, one chain, both ending in symbol 0. Loaders divide by the number of buckets.
    let hash = [1_u32, 1, 0, 0];
    let symbols_at = hash_at + 4 * hash.len() as u64;
    const SYMBOL: u64 = 24; // of which there is one, the empty first
    let strings_at = symbols_at + SYMBOL;
    let mut strings = vec![0];
    let mut names = Vec::new();
    for name in needed {
        names.push(strings.len() as u64);
        strings.extend_from_slice(name.as_bytes());
        strings.push(0);
    }
    let tables_end = strings_at + strings.len() as u64;

    let code_at = tables_end.next_multiple_of(PAGE);
    let dynamic_at = (code_at + program.len() as u64).next_multiple_of(PAGE);

    const NEEDED: u64 = 1;
    let mut entries: Vec<(u64, u64)> = names.iter().map(|&at| (NEEDED, at)).collect();
    entries.extend([
        (4, hash_at),               // DT_HASH
        (5, strings_at),            // DT_STRTAB
        (6, symbols_at),            // DT_SYMTAB
        (10, strings.len() as u64), // DT_STRSZ
        (11, SYMBOL),               // DT_SYMENT
        (21, 0),                    // DT_DEBUG, for the loader to fill in
        (0x6fff_fffb, 0x0800_0000), // DT_FLAGS_1: DF_1_PIE
        (0, 0),                     // DT_NULL
    ]);
    let dynamic: Vec<u8> = entries
        .iter()
        .flat_map(|&(tag, value)| [tag, value])
        .flat_map(u64::to_le_bytes)
        .collect();

    let segment = |kind, rights, at: u64, size: u64, align| Segment {
        kind,
        rights,
        offset: at,
        address: at,
        size,
        align,
    };
    let dynamic_size = dynamic.len() as u64;
    let segments = [
        segment(
            PROGRAM_HEADERS,
            READ,
            FILE_HEADER,
            SEGMENTS * PROGRAM_HEADER,
            8,
        ),
        segment(INTERPRETER, READ, interpreter_at, interpreter_size, 1),
        segment(LOAD, READ, 0, tables_end, PAGE),
        segment(LOAD, READ | EXECUTE, code_at, program.len() as u64, PAGE),
        segment(LOAD, READ | WRITE, dynamic_at, dynamic_size, PAGE),
        segment(DYNAMIC, READ | WRITE, dynamic_at, dynamic_size, 8),
        Segment::STACK,
    ];

    let mut out = headers(TYPE_SHARED, code_at, &segments);
    let mut put = |at: u64, bytes: &[u8]| {
        out.resize(at as usize, 0);
        out.extend_from_slice(bytes);
    };
    put(interpreter_at, interpreter.as_bytes());
    put(
        hash_at,
        &hash
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect::<Vec<_>>(),
    );
    put(symbols_at, &[0; SYMBOL as usize]);
    put(strings_at, &strings);
    put(code_at, program);
    put(dynamic_at, &dynamic);
    out
}
