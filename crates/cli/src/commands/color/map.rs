//! `whyslow color map`.

use std::process::ExitCode;

use anyhow::Result;
use whyslow_model::color::{
    CacheNeighbor, ClaimedCache, ColorAgreement, ColorMap, FrameTruth, HugePieces,
};
use whyslow_model::host::Known;
use whyslow_page_color::arena::page_size;
use whyslow_page_color::survey::{Survey, survey};

use super::{claims, print, refused};
use crate::args::ColorMap as Args;
use crate::{exit, file, output};

/// Why the last level is left alone.
const LAST_LEVEL: &str = "not looked at: it is shared, cut into slices by a hash, and needs some \
    hundred times as many pages as the second level to fill, each of them slower to test";

/// Finds the colors and prints them.
pub(super) fn map(args: &Args) -> Result<ExitCode> {
    let claims = claims();
    match survey(&claims.options(args.seed, args.budget)) {
        Ok(found) => {
            let document = document(found, claims.second);
            if let Some(path) = &args.html {
                let page = whyslow_report::color_map_html(&document, env!("CARGO_PKG_VERSION"));
                file::save(path, page.as_bytes())?;
            }
            print(
                args.format,
                &document,
                serde_json::to_string_pretty,
                |map| match args.kernel {
                    true => whyslow_report::color_kernel(map, output::look()),
                    false => whyslow_report::color_map(map, output::look()),
                },
            )?;
            let hidden = args.kernel && document.frames.value().is_none_or(|f| f.masks.is_empty());
            Ok(match hidden {
                true => ExitCode::from(exit::UNDECIDED),
                false => ExitCode::SUCCESS,
            })
        }
        Err(reason) => refused(args.format, &reason),
    }
}

fn document(found: Survey, claimed: Known<ClaimedCache>) -> ColorMap {
    let palette = &found.palette;
    let page = page_size() as u64;
    let neighbors = found.neighbors.map(|all| {
        let each = all.into_iter().map(|n| CacheNeighbor {
            cpu: n.cpu,
            shares: n.shares(),
            lost_idle: n.lost_idle,
            lost_busy: n.lost_busy,
        });
        each.collect()
    });
    ColorMap {
        colors: palette.len() as u32,
        ways: palette.ways.count,
        ways_sharp: [palette.ways.below, palette.ways.at],
        page_bytes: page,
        cache_bytes: u64::from(palette.pages()) * page,
        claimed,
        cpu: found.cpu,
        method: "timing".to_owned(),
        pages: found.pages as u32,
        without_color: palette.colors.iter().filter(|c| c.is_none()).count() as u32,
        population: palette.population(),
        took_ms: found.took.as_secs_f64() * 1e3,
        agreement: ColorAgreement {
            pages: found.agreement.pages,
            one_vote: found.agreement.one_vote,
            three_votes: found.agreement.three_votes,
        },
        frames: known(found.frames.map(|t| {
            FrameTruth {
                pages: t.pages,
                same: t.same,
                chance: t.chance,
                linear: t.index.is_some(),
                masks: t
                    .index
                    .iter()
                    .flat_map(|i| i.masks.iter().map(|mask| mask * page))
                    .collect(),
                masks_agree: t.index.as_ref().map(|i| i.agree),
            }
        })),
        huge_pages: known(found.huge.map(|h| HugePieces {
            pages: h.huge_pages,
            chi_square: h.chi_square,
            groups: h.groups,
            complete: h.complete,
            contiguous: h.contiguous(),
        })),
        disturbance: found.disturbance,
        neighbors: known(neighbors),
        mechanism: known(
            found
                .mechanism
                .map(str::to_owned)
                .map_err(|e| e.to_string()),
        ),
        last_level: Known::unknown(LAST_LEVEL),
    }
}

fn known<T>(value: Result<T, String>) -> Known<T> {
    value.map_or_else(Known::unknown, Known::Is)
}
