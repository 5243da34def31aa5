//! What an experiment measures, and in which order. Which arm is which is known here alone.

use whyslow_model::{Point, size};
use whyslow_runner::{TrialPlan, TrialPoint};

use super::ExperimentError;
use crate::switch::{SECOND_LEVEL, Switch};

/// The arms of every experiment before the doses, ascending, and on.
const REFERENCE: usize = 0;
const OFF: usize = 1;

/// The arms and points of an experiment.
#[derive(Debug)]
pub(super) struct Layout {
    plan: TrialPlan,
    /// So many of the points must move; the others must not.
    moves: usize,
    doses: &'static [&'static [&'static str]],
}

impl Layout {
    /// For `switch`, on a host with a second-level cache of so many bytes, where it has one.
    ///
    /// # Errors
    /// When the switch names something that is no point, or a size that this host lacks.
    pub(super) fn of(
        switch: &Switch,
        blocks: u32,
        second_level: Option<u64>,
    ) -> Result<Layout, ExperimentError> {
        let arms = arms(switch);
        let on = arms.len() - 1;
        let point = |text: &&str| point(text, second_level);
        let mut points = Vec::new();
        for (i, name) in switch.moves.iter().enumerate() {
            let own = point(name)?;
            let other = |list: &[&'static str]| list.get(i).map_or(Ok(own.clone()), point);
            let mut measured = vec![Some(own.clone()); arms.len()];
            measured[REFERENCE] = Some(other(switch.reference_points)?);
            measured[OFF] = Some(other(switch.off_points)?);
            points.push(TrialPoint {
                point: own,
                arms: measured,
            });
        }
        for name in switch.spares {
            let own = point(name)?;
            let mut measured = vec![None; arms.len()];
            measured[OFF] = Some(own.clone());
            measured[on] = Some(own.clone());
            points.push(TrialPoint {
                point: own,
                arms: measured,
            });
        }
        let plan = TrialPlan {
            points,
            sensed: vec![OFF, on],
            arms,
            blocks,
            first_cpu: switch.first_cpu,
            draws: switch.draws,
            batch_ns: switch.batch_ns,
        };
        Ok(Layout {
            plan,
            moves: switch.moves.len(),
            doses: switch.doses,
        })
    }

    /// What to measure.
    pub(super) fn plan(&self) -> &TrialPlan {
        &self.plan
    }

    /// Points that the cause must move; the first is the one that decides.
    pub(super) fn moves(&self) -> &[TrialPoint] {
        &self.plan.points[..self.moves]
    }

    /// Points that it must not move.
    pub(super) fn spares(&self) -> &[TrialPoint] {
        &self.plan.points[self.moves..]
    }

    /// The arm that never met the switch.
    pub(super) fn reference(&self) -> usize {
        REFERENCE
    }

    /// The arm without the cause.
    pub(super) fn off(&self) -> usize {
        OFF
    }

    /// The arm with the cause.
    pub(super) fn on(&self) -> usize {
        self.plan.arms.len() - 1
    }

    /// The arms with less of the cause, ascending, each with its conditions as text.
    pub(super) fn doses(&self) -> impl Iterator<Item = (usize, String)> {
        let each = self.doses.iter().enumerate();
        each.map(|(i, dose)| (OFF + 1 + i, dose.join(" ")))
    }

    /// The conditions of an arm.
    pub(super) fn conditions(&self, arm: usize) -> &[String] {
        self.plan.arms.get(arm).map_or(&[], Vec::as_slice)
    }
}

/// Conditions by arm.
fn arms(switch: &Switch) -> Vec<Vec<String>> {
    let own = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect();
    let ends = [switch.reference, switch.off];
    let mut arms: Vec<Vec<String>> = ends.into_iter().map(own).collect();
    arms.extend(switch.doses.iter().map(|dose| own(dose)));
    arms.push(own(switch.on));
    arms
}

/// The point of `text`, which may name the size of the second-level cache.
fn point(text: &str, second_level: Option<u64>) -> Result<Point, ExperimentError> {
    let text = match (text.contains(SECOND_LEVEL), second_level) {
        (true, Some(bytes)) => text.replace(SECOND_LEVEL, &size::format(bytes)),
        (true, None) => return Err(ExperimentError::NoSecondLevel),
        (false, _) => text.to_owned(),
    };
    text.parse()
        .map_err(|source| ExperimentError::NoPoint { text, source })
}
