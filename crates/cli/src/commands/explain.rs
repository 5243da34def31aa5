//! `whyslow explain`: why two records differ, or what holds one machine back.

mod experiment;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use whyslow_compare::{Options, compare};
use whyslow_explain::{chosen, explain_one, explain_one_tried, explain_tried};
use whyslow_model::Record;
use whyslow_model::comparison::Comparison;
use whyslow_model::experiment::Experiment;
use whyslow_model::explanation::Explanation;
use whyslow_model::summary::Summary;
use whyslow_stats::record::summarise;

use crate::args::{Explain, ExplainFormat, Run};
use crate::commands::{page, restore, run, sides};
use crate::exit;
use crate::output;

/// Explains them.
pub(crate) fn explain(args: &Explain) -> Result<ExitCode> {
    restore::warn_of_left_behind();
    let known = Known::read(args)?;
    let mut explanation = known.explained(&[]);
    let mut code = ExitCode::SUCCESS;
    if let Some(named) = &args.experiment {
        let records = args.a.is_some().then_some(&explanation);
        let named = (!named.is_empty()).then_some(named.as_str());
        let causes = chosen(named, records)?;
        if causes.is_empty() {
            output::warn("nothing that these records leave open can be switched; name a cause");
        }
        let request = run::resolve(&Run {
            quick: true,
            seed: args.seed,
            ..Run::default()
        })?;
        let tried = experiment::try_all(&causes, &request, args.blocks);
        explanation = known.explained(&tried.done);
        explanation.not_tried = tried.not_tried;
        if request.stop.load(Ordering::Relaxed) {
            code = ExitCode::from(exit::INTERRUPTED);
        }
    }
    if let Some(path) = &args.html {
        known.page(path, &explanation, args.no_catalog)?;
    }
    output::print(&match args.format {
        ExplainFormat::Table => whyslow_report::explanation(&explanation, output::look()),
        ExplainFormat::Json => serde_json::to_string_pretty(&explanation)? + "\n",
    })?;
    Ok(code)
}

/// What there is to explain from.
enum Known {
    /// This host alone.
    Host,
    /// One record.
    One(Box<(String, Record)>, Box<Summary>),
    /// Two sides and what comparing them found.
    Two(sides::Records, sides::Records, Box<Comparison>),
}

impl Known {
    fn read(args: &Explain) -> Result<Known> {
        let Some(a) = &args.a else {
            return Ok(Known::Host);
        };
        let Some(b) = &args.b else {
            let record = sides::one(a)?;
            let summary = summarise(&record);
            let name = a.display().to_string();
            return Ok(Known::One(Box::new((name, record)), Box::new(summary)));
        };
        let (a, b) = sides::both(
            &sides::paths(a, &args.also_a),
            &sides::paths(b, &args.also_b),
        )?;
        let found = compare(&sides::named(&a), &sides::named(&b), &Options::default())
            .context("these records cannot be compared, so nothing can be explained")?;
        Ok(Known::Two(a, b, Box::new(found)))
    }

    fn explained(&self, experiments: &[Experiment]) -> Explanation {
        match self {
            Known::Host => explain_one_tried(None, "this host", experiments),
            Known::One(one, summary) if experiments.is_empty() => {
                explain_one(&one.1, summary, &one.0)
            }
            Known::One(one, summary) => {
                explain_one_tried(Some((&one.1, summary)), &one.0, experiments)
            }
            Known::Two(a, b, found) => match (a.first(), b.first()) {
                (Some(a), Some(b)) => explain_tried(found, &a.1, &b.1, experiments),
                // A side is made of at least one record.
                _ => explain_one_tried(None, "no record", experiments),
            },
        }
    }
}

impl Known {
    /// The page of what is known, and of the explanation.
    fn page(&self, path: &Path, explanation: &Explanation, no_catalog: bool) -> Result<()> {
        let explanations = std::slice::from_ref(explanation);
        match self {
            Known::Host => page::write(path, &[], &[], explanations, no_catalog),
            Known::One(one, _) => page::write(
                path,
                &[std::slice::from_ref(&**one)],
                &[],
                explanations,
                no_catalog,
            ),
            Known::Two(a, b, found) => {
                let comparisons = std::slice::from_ref(&**found);
                page::write(path, &[a, b], comparisons, explanations, no_catalog)
            }
        }
    }
}
