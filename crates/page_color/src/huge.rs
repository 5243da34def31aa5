//! Whether a huge page is contiguous in host memory. In a guest it need not be.

/// Statistics of the colors inside huge pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pieces {
    /// Huge pages examined.
    pub huge_pages: u32,
    /// Mean chi-square of the colors of a huge page's pieces against an even spread: 0 if contiguous,
    /// the number of colors less one if its pieces are scattered.
    pub chi_square: f64,
    /// Groups of as many neighboring pieces as there are colors.
    pub groups: u32,
    /// Of these, the ones with every color once: all if contiguous, hardly any otherwise.
    pub complete: u32,
}

impl Pieces {
    /// Contiguous, scattered, or neither.
    pub fn contiguous(&self) -> Option<bool> {
        // A hash may break groups, and a vote may be wrong; almost all is far from chance, where with
        // 16 colors one group in a million is complete.
        match f64::from(self.complete) / f64::from(self.groups.max(1)) {
            share if share > 0.9 => Some(true),
            share if share < 0.1 => Some(false),
            _ => None,
        }
    }
}

/// Least share of pieces with a known color for a huge page to count, in percent.
const KNOWN: usize = 90;

/// Evaluates the colors of the pieces of huge pages, each in address order. Groups with a piece of
/// unknown color do not count, nor do huge pages with many such; `None` if none is left.
pub fn pieces(huge: &[Vec<Option<usize>>], colors: usize) -> Option<Pieces> {
    let (mut pages, mut chi_square, mut groups, mut complete) = (0, 0.0, 0, 0);
    for page in huge
        .iter()
        .filter(|page| page.len() >= colors && colors > 1)
    {
        let known: Vec<usize> = page.iter().flatten().copied().collect();
        if known.len() * 100 < page.len() * KNOWN {
            continue;
        }
        pages += 1;
        let mut count = vec![0_u32; colors];
        for &color in &known {
            count[color] += 1;
        }
        let expected = known.len() as f64 / colors as f64;
        let squares = count
            .iter()
            .map(|&n| (f64::from(n) - expected).powi(2) / expected);
        chi_square += squares.sum::<f64>();
        for group in page
            .chunks_exact(colors)
            .filter(|group| !group.contains(&None))
        {
            let mut seen = vec![false; colors];
            for &color in group.iter().flatten() {
                seen[color] = true;
            }
            groups += 1;
            complete += u32::from(seen.iter().all(|seen| *seen));
        }
    }
    (pages > 0).then(|| Pieces {
        huge_pages: pages,
        chi_square: chi_square / f64::from(pages),
        groups,
        complete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_has_every_color_in_every_group() {
        let huge = vec![(0..512).map(|i| Some(i % 16)).collect(); 2];
        let pieces = pieces(&huge, 16).unwrap();
        assert_eq!(
            (pieces.chi_square, pieces.groups, pieces.complete),
            (0.0, 64, 64)
        );
        assert_eq!(pieces.contiguous(), Some(true));
    }

    #[test]
    fn scattered_pieces_do_not() {
        let mut x = 1_u32;
        let mut random = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some((x >> 28) as usize)
        };
        let huge: Vec<Vec<_>> = (0..8)
            .map(|_| (0..512).map(|_| random()).collect())
            .collect();
        let pieces = pieces(&huge, 16).unwrap();
        assert!((8.0..24.0).contains(&pieces.chi_square), "{pieces:?}");
        assert_eq!((pieces.complete, pieces.contiguous()), (0, Some(false)));
    }

    #[test]
    fn unknown_pieces_leave_out_their_group_or_page() {
        let mut page: Vec<_> = (0..512).map(|i| Some(i % 16)).collect();
        page[7] = None;
        let found = pieces(&[page], 16).unwrap();
        assert_eq!(
            (found.huge_pages, found.groups, found.complete),
            (1, 31, 31)
        );
        assert_eq!(pieces(&[vec![None; 512]], 16), None);
        assert_eq!(pieces(&[], 16), None);
    }
}
