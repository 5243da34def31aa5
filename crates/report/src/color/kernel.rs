//! `whyslow color map --kernel`: what kernels and hypervisors with page coloring are to be told of the cache.

use whyslow_model::color::{ColorMap, FrameTruth};
use whyslow_model::host::Known;

use crate::Look;
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

/// Columns of the names; the longest is `sure to`.
const NAMES: usize = 7;

/// The lines to paste, or why there are none.
pub(crate) fn kernel(map: &ColorMap, look: Look) -> String {
    let mut page = Screen::new(look);
    page.heading(
        &format!("{} page colors for a kernel", map.colors),
        &format!("CPU {}, found by {}", map.cpu, map.method),
    );
    match frames(map) {
        Ok(frames) => lines(&mut page, map, frames),
        Err(reason) => page.field(0, NAMES, "none", Text::plain(reason)),
    }
    page.finish()
}

fn frames(map: &ColorMap) -> Result<&FrameTruth, String> {
    match &map.frames {
        Known::Is(frames) if !frames.masks.is_empty() => Ok(frames),
        Known::Is(frames) => Err(format!(
            "the numbers of {} frames do not tell the color ({} of pairs alike by number are alike by time, {} by \
             chance). In a virtual machine they are the guest's own; they tell the color on the host, or where the \
             host backs the guest with huge pages",
            numbers::count(frames.pages.into()),
            numbers::percent(frames.same),
            numbers::percent(frames.chance)
        )),
        Known::Unknown(unknown) => Err(unknown.unknown.clone()),
    }
}

fn lines(page: &mut Screen, map: &ColorMap, frames: &FrameTruth) {
    let sure = format!(
        "{} of {} pages have the color that {} of the physical address give",
        numbers::count(
            (frames.masks_agree.unwrap_or(0.0) * f64::from(frames.pages)).round() as u64
        ),
        numbers::count(frames.pages.into()),
        bits(&frames.masks)
    );
    page.field(0, NAMES, "sure to", Text::plain(sure));
    let kernels = [
        (
            "Linux",
            "boot parameter of the patches in kernel/",
            linux(map, &frames.masks),
        ),
        (
            "PALLOC",
            "as root, its kernel running",
            palloc(&frames.masks),
        ),
        (
            "Xen",
            "boot parameters on Arm, where this is the last level",
            xen(map, &frames.masks),
        ),
    ];
    for (name, remark, lines) in kernels {
        page.heading(name, remark);
        match lines {
            Ok(lines) => {
                for line in lines {
                    page.whole(Text::plain(line));
                }
            }
            Err(reason) => page.flow(0, 0, Text::plain(reason)),
        }
    }
}

/// The bits in words, as `bits 12 to 15` or `bits 12^17, 13^18`.
fn bits(masks: &[u64]) -> String {
    let each: Vec<Vec<u32>> = masks.iter().map(|mask| places(*mask)).collect();
    if let (true, Some(first)) = (is_plain(masks), each.first()) {
        let first = first.first().copied().unwrap_or(0);
        return format!("bits {first} to {}", first + masks.len() as u32 - 1);
    }
    let names = each.iter().map(|bits| {
        let names: Vec<String> = bits.iter().map(u32::to_string).collect();
        names.join("^")
    });
    format!("bits {}", names.collect::<Vec<_>>().join(", "))
}

fn places(mask: u64) -> Vec<u32> {
    (0..u64::BITS).filter(|bit| mask >> bit & 1 == 1).collect()
}

/// True if the color is the bits directly above the page.
fn is_plain(masks: &[u64]) -> bool {
    let first = masks.first().copied().unwrap_or(0);
    first.is_power_of_two()
        && masks
            .iter()
            .enumerate()
            .all(|(i, mask)| *mask == first << i)
}

fn linux(map: &ColorMap, masks: &[u64]) -> Result<Vec<String>, String> {
    if is_plain(masks) {
        return Ok(vec![format!(
            "page_color={},{}",
            map.cache_bytes >> 10,
            map.ways
        )]);
    }
    if !tells_neighbors_apart(masks, map.page_bytes) {
        return Err(format!(
            "not possible: of {} pages in one aligned block, two have the same color, and the allocator needs one of each",
            map.colors
        ));
    }
    let each: Vec<String> = masks.iter().map(|mask| format!("{mask:x}")).collect();
    Ok(vec![format!("page_color=xor:{}", each.join(","))])
}

/// True if an aligned block of as many pages as there are colors holds each color once.
fn tells_neighbors_apart(masks: &[u64], page: u64) -> bool {
    let color = |frame: u64| {
        let each = masks.iter().enumerate();
        each.map(|(bit, mask)| u64::from(((frame * page) & mask).count_ones() & 1) << bit)
            .sum::<u64>()
    };
    let mut colors: Vec<u64> = (0..1 << masks.len()).map(color).collect();
    colors.sort_unstable();
    colors.windows(2).all(|pair| pair[0] != pair[1])
}

/// PALLOC takes a mask of bits, and one further bit for each of them to be added without carry.
fn palloc(masks: &[u64]) -> Result<Vec<String>, String> {
    const FOLDER: &str = "/sys/kernel/debug/palloc";
    let mut own = 0_u64;
    let mut pairs = Vec::new();
    for mask in masks {
        match places(*mask)[..] {
            [low] => own |= 1 << low,
            [low, high] => {
                own |= 1 << low;
                pairs.push((low, high));
            }
            _ => {
                return Err(
                    "not possible: it adds at most two bits for one bit of the color".to_owned(),
                );
            }
        }
    }
    if own.count_ones() as usize != masks.len() {
        return Err("not possible: two bits of the color have the same lowest bit".to_owned());
    }
    let mut lines = vec![format!("echo {own:#x} > {FOLDER}/palloc_mask")];
    for (low, high) in &pairs {
        lines.push(format!("echo xor {low} {high} > {FOLDER}/control"));
    }
    if !pairs.is_empty() {
        lines.push(format!("echo 1 > {FOLDER}/use_mc_xor"));
    }
    Ok(lines)
}

fn xen(map: &ColorMap, masks: &[u64]) -> Result<Vec<String>, String> {
    if !is_plain(masks) {
        return Err("not possible: it knows caches without a hashed index only".to_owned());
    }
    Ok(vec![format!(
        "llc-coloring=on llc-size={}K llc-nr-ways={}",
        map.cache_bytes >> 10,
        map.ways
    )])
}
