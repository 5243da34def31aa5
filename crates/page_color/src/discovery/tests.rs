//! Discovery finds the colors of a simulated cache.

use super::simulated::{Bursts, Index, Noise, Replacement, Simulated};
use super::*;

/// Noise that never ends is given so many tries.
const FEW_TRIES: Duration = Duration::from_millis(200);

/// Checks the colors found against the truth: the same partition of the pages.
fn assert_found(cache: &Simulated, palette: &Palette, strays: usize, what: &str) {
    assert_eq!(palette.len() as u64, cache.colors, "{what}: colors");
    assert_eq!(palette.ways.count as usize, cache.ways, "{what}: ways");
    // The simulated color of each color found, by majority of its pages.
    let mut table = vec![vec![0_usize; palette.len()]; palette.len()];
    for (i, color) in palette.colors.iter().enumerate() {
        if let Some(color) = color {
            let truth = cache.truth(Page(i as u32));
            table[usize::from(*color)][usize::from(truth)] += 1;
        }
    }
    let most = |row: &Vec<usize>| (0..row.len()).max_by_key(|&truth| row[truth]);
    let mut names: Vec<_> = table.iter().filter_map(most).collect();
    let right: usize = table.iter().filter_map(|row| row.iter().max()).sum();
    let wrong = palette.colors.len() - right;
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), palette.len(), "{what}: one color found twice");
    assert!(
        wrong <= strays,
        "{what}: {wrong} pages wrong or without color"
    );
}

/// Three times the cache: enough that every color has more than its ways.
fn pages(colors: u64, ways: usize) -> usize {
    (colors as usize * ways * 3).max(512)
}

#[test]
fn finds_linear_and_hashed_indexes_of_all_shapes() {
    for (colors, ways) in [
        (8, 4),
        (8, 20),
        (16, 8),
        (16, 12),
        (16, 16),
        (32, 10),
        (64, 8),
    ] {
        for index in [Index::Linear, Index::Hashed] {
            let what = format!("{colors} colors, {ways} ways, {index:?}");
            let mut cache = Simulated {
                index,
                ..Simulated::new(colors, ways, pages(colors, ways), 5)
            };
            // As if L1 were 16 KiB, the only plausible size for an L2 of 128 KiB.
            let settings = Settings::new(7).with_first_level(16 << 10, 4096);
            let palette = discover(&mut cache, &settings).expect(&what);
            assert_found(&cache, &palette, 0, &what);
            assert!(
                palette.ways.below == 0.0 && palette.ways.at == 1.0,
                "{what}"
            );
        }
    }
}

#[test]
fn a_number_of_colors_that_is_no_power_of_two_is_believed_when_found_again() {
    let mut cache = Simulated::new(24, 12, 2000, 3);
    let once = Settings::new(1).with_budget(Duration::ZERO);
    let refused = discover(&mut cache, &once).unwrap_err();
    assert_eq!(refused.tries, [Refusal::OddCount { colors: 24 }]);
    let palette = discover(&mut cache, &Settings::new(1)).unwrap();
    assert_found(&cache, &palette, 0, "24 colors");
}

#[test]
fn a_color_that_has_half_as_many_pages_again_is_one() {
    for seed in 0..4 {
        let mut cache = Simulated::new(32, 8, 3200, seed);
        // As left by a program that chose its pages by color.
        let color = cache.truth(Page(0));
        let others: Vec<usize> = (0..3200)
            .filter(|&i| cache.truth(Page(i as u32)) != color)
            .take(70)
            .collect();
        for (i, other) in others.into_iter().enumerate() {
            cache.frames[other] = (1 << 24 | i as u64) * 32 + u64::from(color);
        }
        let palette = discover(&mut cache, &Settings::new(seed)).unwrap();
        assert_found(&cache, &palette, 0, "one color of many pages");
        assert!(*palette.population().iter().max().unwrap() >= 150);
    }
}

#[test]
fn noise_and_a_replacement_that_is_not_quite_lru_do_not_matter() {
    let noise = Noise {
        interrupted: 10,
        jitter: 15,
        foreign: 4,
    };
    for (colors, ways) in [(8, 8), (16, 16), (32, 8)] {
        for replacement in [Replacement::Lru, Replacement::NearLru] {
            let what = format!("{colors} colors, {ways} ways, {replacement:?}, noise");
            let mut cache = Simulated {
                noise,
                replacement,
                index: Index::Hashed,
                ..Simulated::new(colors, ways, pages(colors, ways), 11)
            };
            let palette = discover(&mut cache, &Settings::new(13)).expect(&what);
            // 1 % of the walks are interrupted: a few pages may be lost.
            assert_found(&cache, &palette, cache.pages() as usize / 100, &what);
            let known: Vec<(Page, Color)> = (0..cache.pages())
                .filter_map(|i| Some((Page(i), palette.colors[i as usize]?)))
                .filter(|(page, color)| !palette.sets[usize::from(*color)].contains(page))
                .collect();
            let seen = agreement(&mut cache, &palette, &known);
            assert_eq!(seen.pages as usize, known.len(), "{what}");
            assert!(seen.three_votes >= seen.one_vote, "{what}: {seen:?}");
            assert!(seen.three_votes * 100 > seen.pages * 95, "{what}: {seen:?}");
        }
    }
}

#[test]
fn further_pages_get_the_same_colors() {
    let mut cache = Simulated::new(16, 8, 1024, 21);
    let palette = discover(&mut cache, &Settings::new(2)).unwrap();
    let some: Vec<Page> = (0..1024).step_by(7).map(Page).collect();
    let colors = colors_of(&mut cache, &palette, &some);
    let free = |page: &Page| !palette.sets.iter().any(|set| set.contains(page));
    for (page, color) in some.iter().zip(colors).filter(|(page, _)| free(page)) {
        assert_eq!(color, palette.colors[page.0 as usize], "{page:?}");
    }
}

#[test]
fn refuses_a_cache_without_an_edge() {
    // All pages fit.
    let mut cache = Simulated::new(64, 20, 600, 1);
    let refused = discover(&mut cache, &Settings::new(1).with_budget(FEW_TRIES)).unwrap_err();
    let no_edge = |refusal: &Refusal| matches!(refusal, Refusal::NoEdge { .. });
    assert!(refused.tries.iter().all(no_edge), "{refused}");
    // A miss is hardly slower than a hit.
    let mut cache = Simulated {
        ticks: [20, 22],
        ..Simulated::new(16, 8, 1024, 1)
    };
    let refused = discover(&mut cache, &Settings::new(1).with_budget(FEW_TRIES)).unwrap_err();
    let no_edge = |refusal: &Refusal| matches!(refusal, Refusal::NoEdge { .. });
    assert!(refused.tries.iter().all(no_edge), "{refused}");
}

#[test]
fn refuses_too_few_pages() {
    let mut cache = Simulated::new(16, 8, 100, 1);
    let refused = discover(&mut cache, &Settings::new(1)).unwrap_err();
    // No moment makes more of them.
    assert_eq!(
        refused.tries,
        [Refusal::TooFew {
            have: 100,
            need: 197
        }]
    );
}

/// A neighbor that loads `lines` between any two walks of a test, which loads its set twice.
fn crowded(lines: u32) -> Simulated {
    let noise = Noise {
        interrupted: 0,
        jitter: 20,
        foreign: lines / 2,
    };
    Simulated {
        noise,
        ..Simulated::new(16, 8, 1024, 1)
    }
}

#[test]
fn a_neighbor_in_the_cache_leaves_fewer_ways_and_that_shows() {
    // A quarter of a cache each time: the effective number of ways is lower, without a sharp edge.
    let mut cache = crowded(16 * 64 * 8 / 4);
    let palette = discover(&mut cache, &Settings::new(1)).unwrap();
    assert_eq!(palette.len(), 16);
    assert!((4..8).contains(&palette.ways.count), "{:?}", palette.ways);
    assert!(
        palette.ways.at - palette.ways.below < 0.9,
        "{:?}",
        palette.ways
    );
}

#[test]
fn a_neighbor_never_makes_other_colors() {
    for eighths in 1..=12 {
        let mut cache = crowded(16 * 64 * 8 * eighths / 8);
        let settings = Settings::new(1).with_budget(FEW_TRIES);
        if let Ok(palette) = discover(&mut cache, &settings) {
            assert_eq!(palette.len(), 16, "{eighths} eighths of the cache");
        }
    }
}

#[test]
fn refuses_where_a_neighbor_takes_all() {
    let mut cache = crowded(16 * 64 * 8 * 3);
    let settings = Settings::new(1).with_budget(FEW_TRIES);
    let refused = discover(&mut cache, &settings).unwrap_err();
    // As often as the budget allows, and no try is begun after it; what they saw is said.
    assert!(refused.tries.len() > 1, "{refused}");
    assert!(refused.took < 3 * FEW_TRIES, "{refused}");
    let said = refused.to_string();
    let tries = format!("{} tries in 0.", refused.tries.len());
    assert!(
        said.starts_with(&tries) && said.contains("no second-level cache showed"),
        "{said}"
    );
}

/// A neighbor that takes the whole cache for 0.2 s, again and again, with 0.1 s between.
fn with_bursts(seed: u64) -> Simulated {
    Simulated {
        bursts: Some(Bursts {
            there: 200_000_000,
            gone: 100_000_000,
            foreign: 16 * 64 * 8 * 3,
        }),
        // The search begins anywhere in it.
        passed: seed * 31_000_000,
        ..Simulated::new(16, 8, 1024, seed)
    }
}

#[test]
fn bursts_of_noise_are_waited_out() {
    let settings = |seed| Settings::new(seed).with_first_level(16 << 10, 4096);
    for seed in 0..10 {
        let mut cache = with_bursts(seed);
        let what = format!("bursts, seed {seed}");
        let palette = discover(&mut cache, &settings(seed)).expect(&what);
        // Up to 2 % of the pages may be left without a color.
        assert_found(&cache, &palette, 20, &what);
    }
}

#[test]
fn random_replacement_is_refused_or_not_called_sure() {
    let mut cache = Simulated {
        replacement: Replacement::Random,
        ..Simulated::new(16, 8, 1024, 1)
    };
    // So many pages push a page out sometimes only: whatever is said must not be said to be sharp.
    let settings = Settings::new(1).with_budget(FEW_TRIES);
    if let Ok(palette) = discover(&mut cache, &settings) {
        let ways = palette.ways;
        assert!(ways.count != 8 || ways.at - ways.below < 0.9, "{ways:?}");
    }
}

#[test]
fn a_miss_that_went_to_memory_makes_no_scale() {
    let mut cache = Simulated::new(16, 8, pages(16, 8), 5);
    let palette = discover(&mut cache, &Settings::new(7)).unwrap();
    let right = palette.scale;
    let far = Scale {
        outside: 2 * right.outside,
        threshold: right.inside + (2 * right.outside - right.inside) / 2,
        ..right
    };
    let of_color = |color: usize| -> Vec<Page> {
        let colors = palette.colors.iter().enumerate();
        let same = colors.filter(|(_, found)| **found == Some(color as Color));
        same.map(|(page, _)| Page(page as u32)).collect()
    };
    let all: Vec<Vec<Page>> = (0..palette.len()).map(of_color).collect();
    let known = || {
        palette
            .sets
            .iter()
            .zip(&all)
            .map(|(set, all)| (set.as_slice(), all.as_slice()))
    };
    assert_eq!(calibrate::again(&mut cache, far, known()), right);
    assert_eq!(calibrate::again(&mut cache, right, known()), right);
}

#[test]
fn pages_with_another_frame_are_strangers() {
    let mut cache = Simulated::new(16, 8, pages(16, 8), 6);
    let palette = discover(&mut cache, &Settings::new(8)).unwrap();
    let tests = |page: &Page| palette.sets.iter().any(|set| set.contains(page));
    let all = (0..palette.colors.len() as u32)
        .map(Page)
        .filter(|page| !tests(page));
    let known: Vec<(Page, Color)> = all
        .filter_map(|page| Some((page, palette.colors[page.0 as usize]?)))
        .collect();
    assert_eq!(strangers(&mut cache, &palette, &known), []);
    // Every 40th page moves, some of them to a frame of the same color.
    let mut moved = Vec::new();
    for (page, _) in known.iter().step_by(40) {
        let before = cache.truth(*page);
        cache.frames[page.0 as usize] += u64::from(page.0) % 3 + 15;
        if cache.truth(*page) != before {
            moved.push(*page);
        }
    }
    let mut found = strangers(&mut cache, &palette, &known);
    found.sort_unstable();
    assert!(moved.len() > 3);
    assert_eq!(found, moved);
}

/// A cache of which colors are known, and fresh pages beside those.
fn known_before(fresh: usize) -> (Simulated, kept::Old, Vec<Page>) {
    let mut cache = Simulated::new(16, 8, 1024, 21);
    let palette = discover(&mut cache, &Settings::new(2)).unwrap();
    let begin = cache.pages();
    let more = Simulated::new(16, 8, fresh, 22).frames;
    cache.frames.extend(more);
    let old = kept::Old {
        sets: palette.sets.clone(),
        ways: palette.ways,
        scale: palette.scale,
        batch: palette.batch(),
    };
    let fresh = (begin..cache.pages()).map(Page).collect();
    (cache, old, fresh)
}

#[test]
fn colors_are_recognized_by_pages_of_an_earlier_search() {
    let (mut cache, old, fresh) = known_before(16 * 8 * 3);
    assert_eq!(old.fresh_pages(), fresh.len());
    let palette = kept::recognize(&mut cache, &old, &fresh).unwrap();
    assert_eq!((palette.len(), palette.ways), (16, old.ways));
    for (set, old) in palette.sets.iter().zip(&old.sets) {
        assert!((10..=12).contains(&set.len()), "{}", set.len());
        let truth = cache.truth(old[0]);
        assert!(set.iter().all(|page| cache.truth(*page) == truth));
        assert!(set.iter().all(|page| fresh.contains(page)));
    }
}

#[test]
fn pages_that_lost_their_frames_recognize_nothing() {
    let (mut cache, old, fresh) = known_before(16 * 8 * 3);
    // As after the old pages had to leave memory: other frames beneath.
    for page in old.sets.iter().flatten() {
        cache.frames[page.0 as usize] = cache.rng.next_u64() >> 40;
    }
    assert!(kept::recognize(&mut cache, &old, &fresh).is_none());
    // One color alone.
    let (mut cache, old, fresh) = known_before(16 * 8 * 3);
    for page in &old.sets[3] {
        cache.frames[page.0 as usize] = cache.rng.next_u64() >> 40;
    }
    assert!(kept::recognize(&mut cache, &old, &fresh).is_none());
}

#[test]
fn another_cache_is_not_recognized() {
    for (colors, ways) in [(32, 8), (8, 16), (16, 16), (64, 4)] {
        let (cache, old, fresh) = known_before(16 * 8 * 3);
        let mut other = Simulated::new(colors, ways, 0, 1);
        other.frames = cache.frames;
        let found = kept::recognize(&mut other, &old, &fresh);
        assert!(found.is_none(), "{colors} colors, {ways} ways");
    }
}
