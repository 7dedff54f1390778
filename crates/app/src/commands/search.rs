//! `loci search`: finds the records that best answer a question.

use anyhow::Result;
use clap::Args;
use loci_api::search as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::output::notices;
use crate::session::Session;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 160;
/// The number of signals per hit.
const SIGNALS_SHOWN: usize = 3;

/// Search records for a question
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question
    query: String,
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// Only this namespace and those beneath it; repeatable
    #[arg(long = "namespace", value_name = "NAMESPACE")]
    namespaces: Vec<String>,
    /// The number of hits
    #[arg(long, default_value_t = 10)]
    top_k: u32,
    /// Only records in this state instead of active ones; repeatable
    #[arg(long = "state", value_name = "STATE")]
    states: Vec<String>,
    /// Only this kind; repeatable
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Only records valid and known at this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// The maximum number of tokens of text
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Show why each hit was found
    #[arg(long)]
    explain: bool,
}

impl Search {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let question = shape::Search {
            memory: session.memory(&self.memory).await?,
            query: self.query,
            namespace_paths: self.namespaces,
            top_k: Some(self.top_k),
            states: self.states,
            kinds: self.kinds,
            as_of: self.as_of,
            budget_tokens: self.budget,
            explain: self.explain,
            ..shape::Search::default()
        };
        let answer = session.client.search(&question).await?;
        output::result(session.json, &answer, |answer| {
            for (at, hit) in answer.hits.iter().enumerate() {
                show(at + 1, hit);
            }
            if answer.hits.is_empty() {
                output::note("No records match.");
            }
            notices::print(&answer.notices);
        })?;
        session.end().await
    }
}

/// Prints a hit for people: rank, relevance, date, session, text, and the reasons if requested.
pub(crate) fn show(place: usize, hit: &shape::Hit) {
    let date = hit.time.get(..10).unwrap_or(&hit.time);
    let session = hit.record.provenance.session.as_deref().unwrap_or("-");
    output::line(format!(
        "{place:>2}. {:.2}  {date}  {session}  {}{}",
        hit.relevance,
        output::short(&hit.record.text, TEXT_CHARS),
        if hit.provisional { "  (not extracted yet)" } else { "" }
    ));
    if !hit.explanation.is_empty() {
        output::line(format!("    because {}", why(hit)));
    }
}

/// Returns the signals that raised a hit most.
pub(crate) fn why(hit: &shape::Hit) -> String {
    let mut signals: Vec<_> = hit.explanation.iter().filter(|signal| signal.contribution > 0.0).collect();
    signals.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.name.cmp(&b.name)));
    let named = signals
        .iter()
        .take(SIGNALS_SHOWN)
        .map(|signal| format!("{} +{:.2}", signal.name, signal.contribution));
    named.collect::<Vec<_>>().join(", ")
}
