//! `loci search`: a question, and the records that answer it best.

use anyhow::Result;
use clap::Args;
use loci_api::search as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::output::notices;
use crate::session::Session;

/// Characters of a record's text that are shown.
const TEXT_CHARS: usize = 160;
/// Signals that are shown for a hit.
const SIGNALS_SHOWN: usize = 3;

/// Find records for a question
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question
    query: String,
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// Only this node and everything beneath it; may be repeated
    #[arg(long = "namespace", value_name = "NAMESPACE")]
    namespaces: Vec<String>,
    /// How many
    #[arg(long, default_value_t = 10)]
    top_k: u32,
    /// Only of this state instead of active ones; may be repeated
    #[arg(long = "state", value_name = "STATE")]
    states: Vec<String>,
    /// Only of this kind; may be repeated
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// What was true and known then, RFC 3339
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// At most so many tokens of text
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Why each was found
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

/// A hit for people: place, relevance, date, session, text, and why where that was asked for.
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

/// The signals that raised a hit most.
pub(crate) fn why(hit: &shape::Hit) -> String {
    let mut signals: Vec<_> = hit.explanation.iter().filter(|signal| signal.contribution > 0.0).collect();
    signals.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.name.cmp(&b.name)));
    let named = signals
        .iter()
        .take(SIGNALS_SHOWN)
        .map(|signal| format!("{} +{:.2}", signal.name, signal.contribution));
    named.collect::<Vec<_>>().join(", ")
}
