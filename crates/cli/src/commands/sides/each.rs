//! Parts that are lists: each is compared with its own.

use std::path::{Path, PathBuf};

use whyslow_compare::{beside, pieces};
use whyslow_model::Record;

use super::{Records, file_and_part, found, is_paired};

/// The sides where a part is a list: each of its parts beside the other side, or beside the part at its place in a list of as
/// many.
pub(super) fn each(a: &[PathBuf], b: &[PathBuf]) -> Option<(Records, Records)> {
    let ([one], [other]) = (a, b) else {
        return None;
    };
    let [(file_a, part_a), (file_b, part_b)] = [one, other].map(|path| file_and_part(path));
    let (part_a, part_b) = (part_a?, part_b?);
    let [of_a, of_b] = [&part_a, &part_b].map(|part| pieces(part));
    let paired = match (of_a.len(), of_b.len()) {
        (0, 0) => return None,
        (0, count) => (vec![part_a.as_str(); count], of_b.clone()),
        (count, 0) => (of_a.clone(), vec![part_b.as_str(); count]),
        (first, second) if first == second => (of_a.clone(), of_b.clone()),
        _ => return None,
    };
    let names = if of_b.is_empty() { &of_a } else { &of_b };
    let (mut all_a, mut all_b) = (Vec::new(), Vec::new());
    for (piece_a, piece_b) in paired.0.iter().zip(&paired.1) {
        let path = |file: &Path, piece: &str| PathBuf::from(format!("{}#{piece}", file.display()));
        let sides = found(&[path(&file_a, piece_a)], &[path(&file_b, piece_b)]).ok()?;
        if !is_paired(&sides) {
            return None;
        }
        let (mut a, mut b) = sides;
        all_a.push(a.pop()?.1);
        all_b.push(b.pop()?.1);
    }
    let side = |path: &Path, records: &[Record], part: &str| {
        let record = beside(names, records, part)?;
        Some(vec![(path.display().to_string(), record)])
    };
    Some((side(one, &all_a, &part_a)?, side(other, &all_b, &part_b)?))
}
