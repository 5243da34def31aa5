//! Why a slow node is slow: explained beside an ordinary node of its group.

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_model::Record;
use whyslow_model::comparison::FamilyVerdict;
use whyslow_model::explanation::{CauseVerdict, Finding};
use whyslow_model::fleet::{FleetNode, NodeCause, NodeVerdict, NodeWhy, OddFact};
use whyslow_model::store::{self, StoreError};

use crate::conditions::CONDITIONS;
use crate::report::{Assembled, can_move};

/// Characters of a fact's value in a sentence.
const LONGEST: usize = 80;

/// Records of a node that are explained: those of a second look and the first one, and some more.
const RECORDS: usize = 8;

/// Causes that are named.
const CAUSES: usize = 3;

/// Explains the first `most` slow nodes of a report, whose records are below `folder`, with `threads` threads.
pub fn why(assembled: &mut Assembled, folder: &Path, most: usize, threads: usize) {
    let Assembled { report, records } = assembled;
    let groups = &report.groups;
    let slow = report.nodes.iter_mut();
    let slow = slow.filter(|node| node.verdict == NodeVerdict::Slow);
    let next = Mutex::new(slow.take(most));
    let one = |node: &mut FleetNode| {
        let group = groups.iter().find(|group| group.id == node.group);
        let medoid = group.and_then(|group| group.medoid.as_ref());
        let against = medoid.filter(|medoid| **medoid != node.node)?;
        let (own, others) = records.get(&node.node).zip(records.get(against))?;
        of(folder, node, own, against, others)
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, most.max(1)) {
            scope.spawn(|| {
                // Simulated caches make one take seconds, so each thread takes the next.
                while let Some(node) = next.lock().ok().and_then(|mut next| next.next()) {
                    node.why = one(node);
                }
            });
        }
    });
}

/// Explains all records of a node beside those of an ordinary one: what made it slow was shown by all, and one of each may
/// leave it open.
fn of(
    folder: &Path,
    node: &FleetNode,
    own: &[String],
    against: &str,
    others: &[String],
) -> Option<NodeWhy> {
    let [own, others] = [own, others].map(|paths| &paths[..paths.len().min(RECORDS)]);
    let (record, also_records) = own.split_first()?;
    let (against_record, also_against) = others.split_first()?;
    let mut why = NodeWhy {
        against: against.to_owned(),
        against_record: against_record.clone(),
        also_against: also_against.to_vec(),
        record: record.clone(),
        also_records: also_records.to_vec(),
        answer: String::new(),
        causes: Vec::new(),
    };
    let read = |paths: &[String]| -> Result<Vec<Record>, StoreError> {
        let records = paths.iter().map(|path| store::read(&folder.join(path)));
        records.collect()
    };
    let (a, b) = match read(others).and_then(|a| Ok((a, read(own)?))) {
        Ok(both) => both,
        Err(error) => {
            why.answer = format!("cannot be explained: {error}");
            return Some(why);
        }
    };
    match compare(
        &named(against, &a),
        &named(&node.node, &b),
        &Options::default(),
    ) {
        Err(error) => why.answer = format!("cannot be explained: {error}"),
        Ok(comparison) => {
            let found = explain(&comparison, &a[0], &b[0]);
            why.answer = found.answer;
            let told = facts(node, &found.causes);
            if let Some((fact, _)) = told.first() {
                why.answer = format!("{}. {}", said(fact), why.answer);
            }
            let mut causes: Vec<NodeCause> = told.into_iter().map(|(_, cause)| cause).collect();
            let likely = found.causes.into_iter();
            for cause in likely.filter(|cause| cause.verdict <= CauseVerdict::Consistent) {
                if !causes.iter().any(|known| known.cause == cause.cause) {
                    causes.push(NodeCause {
                        cause: cause.cause,
                        title: cause.title,
                        verdict: cause.verdict,
                    });
                }
            }
            causes.truncate(CAUSES);
            why.causes = causes;
        }
    }
    Some(why)
}

fn named<'a>(name: &'a str, records: &'a [Record]) -> Vec<Named<'a>> {
    let named = records.iter().map(|record| Named { name, record });
    named.collect()
}

/// What the node alone has, or few do, and that can move a family that it is slow in: the first candidates, settings first, in
/// the order that the records give them. These may leave open what the group shows, so that only what contradicts a cause keeps
/// it out.
fn facts<'n>(node: &'n FleetNode, explained: &[Finding]) -> Vec<(&'n OddFact, NodeCause)> {
    let families = node.families.iter();
    let slow = families.filter(|family| family.verdict == FamilyVerdict::Slower);
    let slow: Vec<&str> = slow.map(|family| family.family.as_str()).collect();
    let mut found: Vec<((bool, usize), &OddFact, NodeCause)> = Vec::new();
    for fact in node.odd.iter().filter(|fact| can_move(fact, &slow)) {
        let (Some(cause), Some(title)) = (&fact.cause, &fact.title) else {
            continue;
        };
        let known = explained.iter().position(|known| known.cause == *cause);
        let verdict = known.map(|at| explained[at].verdict);
        let is_new = !found.iter().any(|(.., known)| known.cause == *cause);
        if verdict != Some(CauseVerdict::Contradicted) && is_new {
            let cause = NodeCause {
                cause: cause.clone(),
                title: title.clone(),
                verdict: verdict.map_or(CauseVerdict::Consistent, |own| {
                    own.min(CauseVerdict::Consistent)
                }),
            };
            // What was beside the work may be what a setting makes of it, as waiting is of a quota.
            let beside = CONDITIONS.iter().any(|known| known.name == fact.name);
            found.push(((beside, known.unwrap_or(usize::MAX)), fact, cause));
        }
    }
    found.sort_by_key(|(rank, ..)| *rank);
    let found = found.into_iter();
    found.map(|(_, fact, cause)| (fact, cause)).collect()
}

/// A fact in a sentence.
fn said(fact: &OddFact) -> String {
    let [value, usual] = [&fact.value, &fact.usual].map(|text| shortened(text));
    format!(
        "{}: {value} here, {usual} on {} nodes of its group, which speaks for {}",
        fact.name,
        fact.nodes,
        fact.title.as_deref().unwrap_or_default()
    )
}

/// A value that fits into a sentence.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
