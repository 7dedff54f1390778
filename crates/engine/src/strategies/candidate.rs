//! A candidate: a record that a strategy proposes, before ids, times of writing and neighbours are known.

use loci_model::event::{Role, RunPlace};
use loci_model::record::RecordKind;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Source;
use loci_model::{Timestamp, limits};

use super::turns::turn::Turn;

/// How a candidate meets what is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joining {
    /// An exact repeat adds its source; near-duplicates are superseded.
    Duplicates,
    /// The candidate's subtype is a key: an earlier record of that key is superseded unless it says the same.
    Key {
        /// The text says that something changed: records whose key holds this one's, or the other way round, are
        /// superseded too.
        changed: bool,
    },
    /// Always a record of its own.
    Add,
    /// The next version of this session's record of that subtype, where there is one.
    InPlace,
}

/// A record that a strategy proposes.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// What it is.
    pub kind: RecordKind,
    /// A finer word, or the key of a preference.
    pub subtype: Option<String>,
    /// A title, where it has one.
    pub title: Option<String>,
    /// A short description, where it has one.
    pub description: Option<String>,
    /// What is remembered, as shown.
    pub text: String,
    /// What the index reads, where that differs.
    pub index_text: Option<String>,
    /// The messages it rests on, oldest first; never empty.
    pub sources: Vec<Source>,
    /// The text is the first source, word for word.
    pub verbatim: bool,
    /// Role of the message held verbatim.
    pub role: Option<Role>,
    /// Place in a client's run of the event held verbatim.
    pub run: Option<RunPlace>,
    /// Time of the newest source.
    pub time: Timestamp,
    /// To what it is limited (a path, a component), where it says so.
    pub scope: Option<String>,
    /// Values of the strategy's schema that a model inferred, checked.
    pub inferred: Metadata,
    /// How it meets what is there.
    pub joining: Joining,
}

impl Candidate {
    /// A candidate that rests on one turn.
    pub fn of_turn(turn: &Turn, kind: RecordKind, text: String, joining: Joining) -> Self {
        Self {
            kind,
            subtype: None,
            title: None,
            description: None,
            text,
            index_text: None,
            sources: vec![turn.source.clone()],
            verbatim: false,
            role: None,
            run: None,
            time: turn.time,
            scope: None,
            inferred: Metadata::new(),
            joining,
        }
    }

    /// The text the index reads.
    pub fn indexed(&self) -> &str {
        self.index_text.as_deref().unwrap_or(&self.text)
    }

    /// True when a record can hold it.
    pub fn fits(&self) -> bool {
        self.text.chars().count() <= limits::RECORD_TEXT_CHARS_MAX
    }
}

impl std::fmt::Debug for Candidate {
    /// Content is sensitive: only what identifies the candidate is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidate")
            .field("kind", &self.kind)
            .field("sources", &self.sources)
            .field("text_bytes", &self.text.len())
            .field("joining", &self.joining)
            .finish_non_exhaustive()
    }
}
