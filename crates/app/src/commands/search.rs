//! `loci search`: finds the records that best answer a question.

use anyhow::Result;
use clap::Args;
use loci_api::record::RecordListing;
use loci_api::search as shape;
use loci_model::limits;
use loci_model::warning::Degradation;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::output::{notices, reasons};
use crate::session::Session;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 160;

/// Search records for a question
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question
    query: String,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Only this node and everything beneath it; may be repeated
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
            memory: self.memory.id(&session).await?,
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
        let why_empty = match answer.hits.is_empty() && !session.json {
            true => why_empty(&session, &question.memory, &answer).await,
            false => "",
        };
        output::result(session.json, &answer, |answer| {
            for (at, hit) in answer.hits.iter().enumerate() {
                show(at + 1, hit);
            }
            note_next(answer, self.top_k, why_empty);
            notices::print(&answer.notices);
        })?;
        session.end().await
    }
}

/// Prints a hit: its rank, relevance, date, session and id, its text, and its signals if they were
/// requested.
fn show(place: usize, hit: &shape::Hit) {
    let date = hit.time.get(..10).unwrap_or(&hit.time);
    let session = hit.record.provenance.session.as_deref();
    let session = session.map(|session| format!("session {session}  ")).unwrap_or_default();
    let state = if hit.provisional { "  (not processed yet)" } else { "" };
    let (relevance, words) = (hit.relevance, in_words(hit.relevance));
    output::line(format!(
        "{place:>2}. {relevance:.2} {words:<11}  {date}  {session}{}{state}",
        hit.record.id
    ));
    output::line(format!("    {}", output::short(&hit.record.text, TEXT_CHARS)));
    reasons::lines(&hit.explanation).iter().for_each(|line| output::line(format!("    {line}")));
}

/// Returns a relevance, which is a probability of 0 to 1, in words.
fn in_words(relevance: f32) -> &'static str {
    match relevance {
        _ if relevance >= 0.75 => "very likely",
        _ if relevance >= 0.4 => "likely",
        _ if relevance >= 0.15 => "possible",
        _ => "unlikely",
    }
}

/// Returns the reason why a search found nothing, and what the user can do.
async fn why_empty(session: &Session, memory: &str, answer: &shape::SearchAnswer) -> &'static str {
    if answer.notices.degraded.iter().any(|code| code == Degradation::ExtractionPending.code()) {
        return "No records match yet: events are still being processed. Retry, or run `loci job wait`.";
    }
    let listing = RecordListing { limit: Some(1), ..RecordListing::default() };
    // The key may search, and not list.
    let listed = session.client.record_list(memory, &listing).await;
    if listed.is_ok_and(|list| list.records.is_empty()) {
        "The memory has no records: `loci event create` and `loci record create` add some."
    } else {
        "No records match: use other words or fewer conditions; `loci record list` shows the records."
    }
}

/// Prints a note after the hits about how to see more of them.
fn note_next(answer: &shape::SearchAnswer, top_k: u32, why_empty: &str) {
    if answer.hits.is_empty() {
        output::note(why_empty);
        return;
    }
    let next = top_k.saturating_mul(2).min(limits::TOP_K_MAX);
    let is_full = answer.hits.len() as u64 >= u64::from(top_k) && next > top_k;
    let more = if is_full { format!("; --top-k {next} may find more") } else { String::new() };
    output::note(format!("`loci record get ID` shows a whole record{more}"));
}
