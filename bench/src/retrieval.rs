//! Recall of the ranking alone, in this process: index, model and signals without a server. For work on the ranking; what
//! counts is `wire-retrieval`.
//!
//! The shipped weights were fitted on these sets: the figures are in-sample.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use loci_embed::MiniLm;
use loci_engine::retrieval::ranking::{self, Ranked};
use loci_engine::retrieval::signals::SIGNALS;
use loci_engine::retrieval::weights::Weights;
use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::event::Role;
use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::scope::RecordScope;
use loci_model::{ActorId, MemoryId, RecordId, SessionId, Timestamp};
use loci_text::{analyse_turn, question};

use crate::dev_set::{self, Conversation};
use crate::recall::{self, Outcome};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets.
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// Other weights, in the form of the engine's `weights.json`.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Rank by one signal alone.
    #[arg(long)]
    by: Option<String>,
    /// Words alone.
    #[arg(long)]
    no_vectors: bool,
    /// Candidates per list.
    #[arg(long, default_value_t = 200)]
    candidates: usize,
}

/// Measures each set.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let weights = weights(&arguments)?;
    let model = (!arguments.no_vectors).then(MiniLm::new);
    for set in &arguments.set {
        println!("{} (IN-SAMPLE: the weights were fitted on such sets)", set.display());
        let outcomes = measure(set, &weights, model.as_ref(), arguments.candidates)?;
        print!("{}", recall::table(&recall::rows(&outcomes)));
    }
    Ok(())
}

fn weights(arguments: &Arguments) -> Result<Weights> {
    let mut weights = match &arguments.weights {
        Some(path) => Weights::parse(&std::fs::read_to_string(path)?).map_err(|error| anyhow!("{error}"))?,
        None => Weights::shipped().map_err(|error| anyhow!("{error}"))?.clone(),
    };
    if let Some(wanted) = &arguments.by {
        let at =
            SIGNALS.iter().position(|signal| signal.name == wanted).context("there is no such signal")?;
        for (place, weight) in weights.signals.iter_mut().enumerate() {
            *weight = if place == at { 1.0 } else { 0.0 };
        }
    }
    Ok(weights)
}

fn measure(set: &Path, weights: &Weights, model: Option<&MiniLm>, candidates: usize) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for (number, conversation) in dev_set::read(set)?.iter().enumerate() {
        let indexed = index(conversation, model)?;
        let scope = RecordScope::whole(memory()?, Timestamp::clamped(1_795_000_000_000));
        let names = indexed.known_names(&scope);
        eprintln!("{}", conversation.id);
        for asked in &conversation.questions {
            let read = question::parse(&asked.text, &names, Some(scope.now.civil()));
            let terms = ranking::distinct_terms(&read);
            let vector =
                model.map(|model| (model.embed_question(&read.text).vector, model.model_id().to_owned()));
            let lists = ListLengths { window: candidates, turn: candidates, dense: candidates };
            let set = indexed.candidates(&CandidateRequest {
                scope: scope.clone(),
                terms: terms.clone(),
                vector,
                lists: Some(lists),
            });
            let ranked = ranking::rank(&read, &terms, &set, weights);
            let listed = listed(conversation, &ranked)?;
            outcomes.push(Outcome {
                conversation: number,
                category: asked.category.clone(),
                found: recall::found(&listed, &asked.gold_turns, &asked.gold_sessions),
            });
        }
    }
    Ok(outcomes)
}

fn memory() -> Result<MemoryId> {
    MemoryId::parse("bench-0123456789").map_err(|error| anyhow!("{error}"))
}

/// Turn and session of each ranked record, whose id is its place.
fn listed<'a>(conversation: &'a Conversation, ranked: &[Ranked<'_>]) -> Result<Vec<(&'a str, &'a str)>> {
    let turn = |ranked: &Ranked<'_>| {
        let digits = ranked.candidate.record.as_str().trim_start_matches("mem-");
        let turn = conversation.turns.get(digits.parse::<usize>()?).context("an unknown record")?;
        Ok((turn.id.as_str(), turn.session.as_str()))
    };
    ranked.iter().map(turn).collect()
}

fn index(conversation: &Conversation, model: Option<&MiniLm>) -> Result<MemoryIndex> {
    let mut index = MemoryIndex::new();
    for (place, (turn, sent)) in conversation.turns.iter().zip(conversation.sent()?).enumerate() {
        let vector = model.and_then(|model| {
            let made = model.embed(&[&sent.text]).pop()?;
            Some(StoredVector::quantise(&made, model.model_id()))
        });
        let bad = |error: loci_model::Error| anyhow!("{error}");
        let time = Timestamp::clamped(sent.seconds * 1000);
        let session = format!("s-{}", turn.session.replace('.', "-"));
        let role = if turn.role == "assistant" { Role::Assistant } else { Role::User };
        let passage = IndexPassage { part: 0, analysis: analyse_turn(&sent.text), vector };
        index.apply(IndexRecord {
            record: RecordId::compose(&format!("{place:036}")).map_err(bad)?,
            version: 1,
            sequence: place as u64 + 1,
            content: 0,
            kind: RecordKind::Fact,
            state: RecordState::Active,
            namespace: "/facts/user/".to_owned(),
            strategy: None,
            actor: Some(ActorId::parse("user").map_err(bad)?),
            session: Some(SessionId::parse(session).map_err(bad)?),
            branch: None,
            verbatim: true,
            role: Some(role),
            position: Position { run: None, time, event: format!("{place:09}"), message: 0, part: (0, 0) },
            has_time: true,
            created_at: time,
            updated_at: time,
            origin: RecordOrigin::Extracted,
            valid_from: time,
            valid_to: None,
            known_to: None,
            expires_at: None,
            metadata: Default::default(),
            path: None,
            passages: vec![passage],
        });
    }
    Ok(index)
}
