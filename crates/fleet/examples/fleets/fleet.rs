//! One simulated fleet: nodes, sessions, processes.

use crate::dice::Dice;

/// How values vary, on logarithms.
#[derive(Debug, Clone)]
pub(crate) struct Noise {
    /// Standard deviation between nodes.
    pub(crate) node: f64,
    /// Between sessions of a node.
    pub(crate) session: f64,
    /// Shares of the variances of nodes and of sessions that all points of a family have in common.
    pub(crate) shared: [f64; 2],
    /// Processes a session.
    pub(crate) processes: usize,
    /// Points: the family of each, and what its processes deviate by.
    pub(crate) points: Vec<(usize, Processes)>,
}

/// How the processes of a point vary.
#[derive(Debug, Clone)]
pub(crate) enum Processes {
    /// Normally, with this standard deviation.
    Normal(f64),
    /// As processes of a record did: deviations to draw from.
    Drawn(Vec<f64>),
}

impl Processes {
    fn draw(&self, dice: &mut Dice) -> f64 {
        match self {
            Processes::Normal(sd) => sd * dice.normal(),
            Processes::Drawn(all) => all[dice.below(all.len())],
        }
    }
}

impl Noise {
    /// `families` families of `each` points with normal noise.
    pub(crate) fn normal(
        families: usize,
        each: usize,
        node: f64,
        session: f64,
        process: f64,
    ) -> Noise {
        Noise {
            node,
            session,
            shared: [0.0, 0.5],
            processes: 5,
            points: (0..families * each)
                .map(|p| (p / each, Processes::Normal(process)))
                .collect(),
        }
    }

    pub(crate) fn family(&self) -> Vec<usize> {
        self.points.iter().map(|(family, _)| *family).collect()
    }

    pub(crate) fn families(&self) -> usize {
        let last = self.points.iter().map(|(family, _)| *family).max();
        last.map_or(0, |last| last + 1)
    }

    /// A deviation for each point, of which a share is common to its family.
    fn level(&self, sd: f64, shared: f64, dice: &mut Dice) -> Vec<f64> {
        let common: Vec<f64> = (0..self.families()).map(|_| dice.normal()).collect();
        let (of_family, own) = (shared.sqrt(), (1.0 - shared).sqrt());
        let point = |(family, _): &(usize, Processes)| {
            sd * (of_family * common[*family] + own * dice.normal())
        };
        self.points.iter().map(point).collect()
    }

    /// A node, without sessions.
    pub(crate) fn node(&self, dice: &mut Dice) -> Vec<f64> {
        self.level(self.node, self.shared[0], dice)
    }

    /// A session of a node.
    pub(crate) fn session(&self, node: &[f64], dice: &mut Dice) -> Vec<f64> {
        let mut session = self.level(self.session, self.shared[1], dice);
        let points = session.iter_mut().zip(node).zip(&self.points);
        for ((value, node), (_, processes)) in points {
            let sum: f64 = (0..self.processes).map(|_| processes.draw(dice)).sum();
            *value += node + sum / self.processes as f64;
        }
        session
    }
}

/// A fleet with slow nodes, the first ones, each in one family.
pub(crate) struct Fleet {
    /// What each node deviates by.
    pub(crate) nodes: Vec<Vec<f64>>,
    /// Its sessions.
    pub(crate) sessions: Vec<Vec<Vec<f64>>>,
    /// The family that each slow node is slow in.
    pub(crate) slow: Vec<usize>,
}

impl Fleet {
    pub(crate) fn of(
        noise: &Noise,
        nodes: usize,
        sessions: usize,
        bad: usize,
        effect: f64,
        dice: &mut Dice,
    ) -> Fleet {
        let slow: Vec<usize> = (0..bad).map(|_| dice.below(noise.families())).collect();
        let nodes: Vec<Vec<f64>> = (0..nodes)
            .map(|node| {
                let mut values = noise.node(dice);
                if let Some(family) = slow.get(node) {
                    let own = values.iter_mut().zip(&noise.points);
                    let own = own.filter(|(_, (of, _))| of == family);
                    own.for_each(|(value, _)| *value += effect.ln_1p());
                }
                values
            })
            .collect();
        let sessions = nodes
            .iter()
            .map(|node| (0..sessions).map(|_| noise.session(node, dice)).collect())
            .collect();
        Fleet {
            nodes,
            sessions,
            slow,
        }
    }

    /// Measures some nodes `times` more.
    pub(crate) fn again(&mut self, noise: &Noise, who: &[usize], times: usize, dice: &mut Dice) {
        for &node in who {
            for _ in 0..times {
                let session = noise.session(&self.nodes[node], dice);
                self.sessions[node].push(session);
            }
        }
    }
}
