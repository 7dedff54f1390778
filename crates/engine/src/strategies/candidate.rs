//! A candidate: a record that a strategy proposes, before its id, write times and neighbours are
//! known.

use loci_model::event::{Role, RunPlace};
use loci_model::record::RecordKind;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Source;
use loci_model::{Timestamp, limits};

use super::turns::turn::Turn;

/// The rule by which a new record is combined with existing records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoinMode {
    /// If a record with the same text exists, it gains a source; records with nearly the same
    /// text are superseded.
    Duplicates,
    /// The subtype of the candidate is a key: an existing record with the same key is superseded,
    /// unless its content is the same.
    Key {
        /// True if the text states a change: records whose key contains this key, or is contained
        /// in it, are superseded too.
        changed: bool,
    },
    /// The candidate is always stored as a separate record.
    Add,
    /// The candidate becomes the next version of the session's record with the same subtype, if
    /// there is one.
    InPlace,
}

/// A record that a strategy proposes for storage.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// The kind of the proposed record.
    pub kind: RecordKind,
    /// The subtype of the record; for a preference, its key.
    pub subtype: Option<String>,
    /// The title of the record, if it has one.
    pub title: Option<String>,
    /// The description of the record, if it has one.
    pub description: Option<String>,
    /// The text of the record as it is shown.
    pub text: String,
    /// The text to index and embed; `None` if it is the shown text.
    pub index_text: Option<String>,
    /// The messages from which the record is derived, oldest first; never empty.
    pub sources: Vec<Source>,
    /// True if the text is the unchanged text of the first source.
    pub verbatim: bool,
    /// The role of the message that the text repeats verbatim; `None` for other texts.
    pub role: Option<Role>,
    /// The position of that message's event in a run of the client, if the client stated one.
    pub run: Option<RunPlace>,
    /// The time of the newest source.
    pub time: Timestamp,
    /// The part of a codebase that the text names as its scope: a path or a component.
    pub scope: Option<String>,
    /// Metadata values that a model inferred, checked against the schema of the strategy.
    pub inferred: Metadata,
    /// The rule by which the candidate is combined with existing records.
    pub joining: JoinMode,
}

impl Candidate {
    /// Creates a candidate derived from one turn.
    pub fn of_turn(turn: &Turn, kind: RecordKind, text: String, joining: JoinMode) -> Self {
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

    /// Returns the indexed text.
    pub fn indexed(&self) -> &str {
        self.index_text.as_deref().unwrap_or(&self.text)
    }

    /// Returns true if a record can hold the text.
    pub fn fits(&self) -> bool {
        self.text.chars().count() <= limits::RECORD_TEXT_CHARS_MAX
    }
}

impl std::fmt::Debug for Candidate {
    /// Content is sensitive, so only identifying fields are printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidate")
            .field("kind", &self.kind)
            .field("sources", &self.sources)
            .field("text_bytes", &self.text.len())
            .field("joining", &self.joining)
            .finish_non_exhaustive()
    }
}
