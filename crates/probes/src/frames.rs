//! The frames that back a buffer, where the kernel shows them (to root).

use std::fs::File;
use std::os::unix::fs::FileExt;

use whyslow_model::record::Frames;

use crate::buffer::Buffer;

/// Bytes of an entry of `/proc/self/pagemap` (kernel documentation, `admin-guide/mm/pagemap`).
const ENTRY: usize = 8;
/// Bits 0 to 54 are the frame number, zero without the privilege to see it.
const NUMBER: u64 = (1 << 55) - 1;
/// Bit 63 is set if the page is present.
const PRESENT: u64 = 1 << 63;

/// Counts the frames backing `buffer` by color; `None` where no frame number is shown.
pub fn by_color(buffer: &Buffer, colors: u32) -> Option<Frames> {
    let page = rustix::param::page_size();
    let first = buffer.start().addr() / page;
    let last = (buffer.start().addr() + buffer.len().max(1) - 1) / page;
    let mut entries = vec![0u8; (last - first + 1) * ENTRY];
    let pagemap = File::open("/proc/self/pagemap").ok()?;
    pagemap
        .read_exact_at(&mut entries, (first * ENTRY) as u64)
        .ok()?;
    let entries = entries.chunks_exact(ENTRY).map(|e| {
        let mut bytes = [0; ENTRY];
        bytes.copy_from_slice(e);
        u64::from_ne_bytes(bytes)
    });
    count(entries, colors)
}

/// Frames placed by a color that was found by timing.
pub(crate) fn placed(by_color: &[u64]) -> Frames {
    Frames {
        by_color: by_color.iter().map(|&n| n as u32).collect(),
        unknown: 0,
    }
}

/// Counts pagemap entries by color.
fn count(entries: impl Iterator<Item = u64>, colors: u32) -> Option<Frames> {
    let mut frames = Frames {
        by_color: vec![0; colors as usize],
        unknown: 0,
    };
    for entry in entries {
        match entry & NUMBER {
            number if entry & PRESENT != 0 && number != 0 => {
                frames.by_color[(number % u64::from(colors)) as usize] += 1;
            }
            _ => frames.unknown += 1,
        }
    }
    frames.by_color.iter().any(|&n| n > 0).then_some(frames)
}

/// Adds the counts of another buffer in the same draw.
pub(crate) fn add(sum: &mut Option<Frames>, more: Option<Frames>) {
    match (sum.as_mut(), more) {
        (Some(sum), Some(more)) => {
            for (a, b) in sum.by_color.iter_mut().zip(more.by_color) {
                *a += b;
            }
            sum.unknown += more.unknown;
        }
        (None, more) => *sum = more,
        (Some(_), None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_color() {
        let present = |number: u64| PRESENT | number;
        let entries = [present(1), present(5), present(6), 7, PRESENT];
        let frames = count(entries.into_iter(), 4).unwrap();
        assert_eq!(frames.by_color, [0, 2, 1, 0]);
        assert_eq!(frames.unknown, 2);
    }

    #[test]
    fn hidden_numbers_are_not_color_zero() {
        assert_eq!(count([PRESENT, PRESENT].into_iter(), 4), None);
    }
}
