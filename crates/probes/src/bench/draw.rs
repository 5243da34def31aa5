//! One draw: a fresh allocation, in which all variants are measured in turn.

use std::collections::BTreeMap;

use whyslow_model::record::{Draw, Mark, Series};

use super::{Bench, Variant, shuffle};
use crate::stop::Stop;
use crate::team::Around;

/// A series with a first batch slower than that of the fastest by this factor is not the best.
const CLEARLY: f64 = 1.3;

/// Longest interruption that excuses a slow batch, ns: some time slices of a scheduler, ours or the host's. One of a
/// millisecond may be slow for nothing else, one of forty is not three times as long by it.
const INTERRUPTION_NS: f64 = 1e7;

/// Draws begun again because a batch proved too short, before it is refused: each finds the count of iterations anew.
const TRIES_OF_SHORT: u32 = 3;

/// By the first batches of a draw, can the series numbered `i` be the best? One with marks may have been interrupted.
fn can_be_best(series: &[Series], i: usize) -> bool {
    let first = |s: &Series, lost: f64| {
        let ns = s.ns.first().map_or(f64::INFINITY, |ns| ns - lost);
        ns / s.work
    };
    let best = series.iter().map(|s| first(s, 0.0));
    let best = best.fold(f64::INFINITY, f64::min);
    let lost = match series[i].marks.is_empty() {
        true => 0.0,
        false => INTERRUPTION_NS,
    };
    first(&series[i], lost) <= best * CLEARLY
}

impl Bench<'_> {
    /// Measures one draw: every variant once untimed, then `samples` times each, interleaved in
    /// random order so that drift does not fall on one variant.
    ///
    /// # Errors
    /// When the work fails, or a guard refuses the result.
    pub fn draw(&mut self, variants: &mut [Variant<'_>]) -> Result<(), Stop> {
        let frames = self.frames.take();
        for _ in 1..TRIES_OF_SHORT {
            self.frames.clone_from(&frames);
            match self.draw_once(variants) {
                // The count was found, here or in an earlier process, where the work was held up every time, as a wake-up
                // on a busy CPU is. Copies agree on theirs.
                Err(Stop::Short(_)) if self.meeting.is_none() => self.forget_counts(),
                other => return other,
            }
        }
        self.frames = frames;
        self.draw_once(variants)
    }

    /// The next draw finds its counts of iterations itself.
    fn forget_counts(&mut self) {
        const NONE: &BTreeMap<String, u64> = &BTreeMap::new();
        self.given = NONE;
        self.measured.iterations.clear();
    }

    fn draw_once(&mut self, variants: &mut [Variant<'_>]) -> Result<(), Stop> {
        let only = &self.job.only_series;
        let wanted = |v: &&mut Variant<'_>| only.is_empty() || only.contains(&v.name);
        let mut variants: Vec<&mut Variant<'_>> = variants.iter_mut().filter(wanted).collect();
        if variants.is_empty() {
            return Err(Stop::Unavailable(format!(
                "none of the series {} is known here",
                only.join(", ")
            )));
        }
        let mut draw = Draw {
            frames: self.frames.take(),
            ..Draw::default()
        };
        let (mut counts, mut warms) = (Vec::new(), Vec::new());
        for variant in variants.iter_mut() {
            let mut is_warm = false;
            let iterations = match self.measured.iterations.get(&variant.name) {
                Some(&n) => n,
                None => match self.given.get(&variant.name) {
                    Some(&n) => n,
                    None => {
                        let found = self.calibrate(variant)?;
                        is_warm = true;
                        match &self.meeting {
                            Some(meeting) => meeting.agree(found)?,
                            None => found,
                        }
                    }
                },
            };
            self.measured
                .iterations
                .insert(variant.name.clone(), iterations);
            // Warms up code and data; a quarter of a batch is enough. One pass over more than the caches hold has
            // nothing to warm.
            if !is_warm && (iterations > 1 || !self.beyond_caches()) {
                (variant.run)(iterations.div_ceil(4), Around::default())?;
            }
            counts.push(iterations);
            warms.push(self.fits(iterations));
            draw.series.push(Series {
                name: variant.name.clone(),
                work: variant.work * iterations as f64,
                ns: Vec::new(),
                marks: Vec::new(),
                handover_ns: Vec::new(),
                slots: Vec::new(),
            });
        }
        let mut order: Vec<usize> = (0..variants.len()).collect();
        let mut before = self.handover_now()?;
        let mut slots_before = self.slots_now()?;
        for sample in 0..self.job.samples {
            shuffle(&mut order, &mut self.order);
            for &i in &order {
                let waited = match self.core.as_mut().zip(slots_before.as_mut()) {
                    Some((core, before)) => core.wait(before)?,
                    None => false,
                };
                // The previous variant may have evicted this one's lines: non-temporal stores do. So
                // may the SMT sibling.
                // A team warms itself in any case.
                let by_team = self.team_warm_up(counts[i]) > 0;
                if (order.len() > 1 || waited) && warms[i] && !by_team {
                    self.settle(variants[i], counts[i])?;
                }
                if let Some(meeting) = &self.meeting {
                    meeting.wait()?;
                }
                let batch = self.labelled(variants[i], counts[i])?;
                let series = &mut draw.series[i];
                series.ns.push(batch.ns);
                series
                    .marks
                    .extend(batch.marks.into_iter().map(|(what, count)| Mark {
                        sample,
                        what,
                        count,
                    }));
                let slots_after = self.slots_now()?;
                let after = self.handover_now()?;
                let series = &mut draw.series[i];
                series
                    .slots
                    .extend(slots_before.zip(slots_after).map(|(b, a)| [b, a]));
                series
                    .handover_ns
                    .extend(batch.labels.or(before.zip(after).map(|(b, a)| [b, a])));
                // A label takes long enough for the state of the SMT sibling to change.
                slots_before = match after {
                    Some(_) => self.slots_now()?,
                    None => slots_after,
                };
                before = after;
            }
            if sample == 0 && self.job.best_counts && self.meeting.is_none() {
                order.retain(|&i| can_be_best(&draw.series, i));
            }
        }
        self.measured.draws.push(draw);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyslow_model::record::MarkKind;

    #[test]
    fn a_batch_is_excused_by_an_interruption_as_long_as_those_are() {
        let of = |work: f64, ns: f64, marked: bool| Series {
            name: String::new(),
            work,
            ns: vec![ns],
            marks: Vec::from_iter(marked.then_some(Mark {
                sample: 0,
                what: MarkKind::Switches,
                count: 1,
            })),
            handover_ns: Vec::new(),
            slots: Vec::new(),
        };
        let can = |best: f64, ns: f64, marked| {
            let both = [of(1.0, best, false), of(1.0, ns, marked)];
            can_be_best(&both, 1)
        };
        assert!(can(1e6, 1.2e6, false) && !can(1e6, 1.4e6, false));
        assert!(can(1e6, 9e6, true) && !can(13e6, 35e6, true));
        assert!(can(13e6, 25e6, true));
    }
}
