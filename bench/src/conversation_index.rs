//! Conversations in an index of this process, without a server. The passages equal those of the
//! wire.

use anyhow::{Context, Result, anyhow};
use loci_engine::retrieval::ranking;
use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::event::Role;
use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{Candidate, CandidateRequest, CandidateSet, ListLengths};
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, MemoryId, SessionId, Timestamp};
use loci_text::analyse_turn;
use loci_text::question::{self, Question};

use crate::dev_set::{Conversation, SentTurn, Turn};
use crate::plain_record::plain_record;
use crate::vectors::{Side, Vectors};

/// The clock of the requests, in milliseconds. It is later than every set.
const NOW_MS: i64 = 1_795_000_000_000;

/// Conversations in sequence in one index.
pub(crate) struct Indexed<'a> {
    index: MemoryIndex,
    scope: RecordScope,
    names: Vec<String>,
    /// The turns in the order of their positions, with their conversation.
    turns: Vec<(&'a Conversation, &'a Turn)>,
}

/// A question as the engine interprets it.
pub(crate) struct ParsedQuestion {
    /// The parsed question.
    pub(crate) question: Question,
    /// Its distinct terms.
    pub(crate) terms: Vec<String>,
    /// Its vector and the model's name.
    pub(crate) vector: Option<(Vector, String)>,
}

impl<'a> Indexed<'a> {
    /// Indexes conversations, with vectors if there is a model.
    pub(crate) fn new(conversations: &[&'a Conversation], mut vectors: Option<&mut Vectors>) -> Result<Self> {
        let mut index = MemoryIndex::new();
        let mut turns = Vec::new();
        for (number, conversation) in conversations.iter().enumerate() {
            let sent = conversation.sent()?;
            let texts: Vec<&str> = sent.iter().map(|sent| sent.text.as_str()).collect();
            if let Some(vectors) = &mut vectors {
                vectors.learn(Side::Turn, &texts)?;
            }
            for (turn, sent) in conversation.turns.iter().zip(&sent) {
                let vector = match &mut vectors {
                    None => None,
                    Some(vectors) => {
                        let made = vectors.of(Side::Turn, &sent.text)?;
                        Some(StoredVector::quantise(&made, vectors.model_id()))
                    }
                };
                let session = format!("s-{number}-{}", turn.session.replace('.', "-"));
                index.apply(record(turns.len(), turn, sent, session, vector)?);
                turns.push((*conversation, turn));
            }
        }
        let memory = MemoryId::parse("bench-0123456789").map_err(|error| anyhow!("{error}"))?;
        let scope = RecordScope::whole(memory, Timestamp::clamped(NOW_MS));
        let names = index.known_names(&scope);
        Ok(Self { index, scope, names, turns })
    }

    /// Returns the number of turns.
    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Returns the conversation and the turn of a candidate.
    pub(crate) fn turn(&self, candidate: &Candidate) -> Result<(&'a Conversation, &'a Turn)> {
        self.turns.get(place(candidate)?).copied().context("an unknown record")
    }

    /// Parses a question.
    pub(crate) fn ask(&self, text: &str, vectors: Option<&mut Vectors>) -> Result<ParsedQuestion> {
        let question = question::parse(text, &self.names, Some(self.scope.now.civil()));
        let terms = ranking::distinct_terms(&question);
        let vector = match vectors {
            None => None,
            Some(vectors) => {
                Some((vectors.of(Side::Question, &question.text)?, vectors.model_id().to_owned()))
            }
        };
        Ok(ParsedQuestion { question, terms, vector })
    }

    /// Returns candidates, from lists of one length.
    pub(crate) fn candidates(&self, asked: &ParsedQuestion, length: usize) -> CandidateSet {
        self.index.candidates(&CandidateRequest {
            scope: self.scope.clone(),
            terms: asked.terms.clone(),
            vector: asked.vector.clone(),
            earlier: None,
            lists: Some(ListLengths { window: length, turn: length, dense: length }),
        })
    }
}

/// Returns the position of a candidate among the turns, from its id.
pub(crate) fn place(candidate: &Candidate) -> Result<usize> {
    Ok(candidate.record.as_str().trim_start_matches("mem-").parse()?)
}

fn record(
    place: usize,
    turn: &Turn,
    sent: &SentTurn,
    session: String,
    vector: Option<StoredVector>,
) -> Result<IndexRecord> {
    let bad = |error: loci_model::Error| anyhow!("{error}");
    let time = Timestamp::clamped(sent.seconds * 1000);
    let role = if turn.role == "assistant" { Role::Assistant } else { Role::User };
    Ok(IndexRecord {
        namespace: "/facts/user/".to_owned(),
        actor: Some(ActorId::parse("user").map_err(bad)?),
        session: Some(SessionId::parse(session).map_err(bad)?),
        verbatim: true,
        role: Some(role),
        passages: vec![IndexPassage { part: 0, analysis: analyse_turn(&sent.text), vector }],
        ..plain_record(place as u64, time)?
    })
}
