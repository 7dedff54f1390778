//! A candidate: a record that a strategy proposes, before its id, write times and neighbours are
//! known.

use loci_model::event::{Role, RunPlace};
use loci_model::record::RecordKind;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Source;
use loci_model::{Timestamp, limits};

use super::turns::turn::Turn;

/// The treatment of a candidate relative to existing records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoinMode {
    /// An exact repetition adds its source; near-duplicates are superseded.
    Duplicates,
    /// The candidate's subtype is a key: an earlier record of that key is superseded unless it has
    /// the same content.
    Key {
        /// True if the text states a change: records whose key contains this one, or is contained
        /// in it, are superseded too.
        changed: bool,
    },
    /// Always a separate record.
    Add,
    /// The next version of this session's record of that subtype, if there is one.
    InPlace,
}

/// A record that a strategy proposes.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// The kind.
    pub kind: RecordKind,
    /// The subtype, or the key of a preference.
    pub subtype: Option<String>,
    /// The title, if any.
    pub title: Option<String>,
    /// The description, if any.
    pub description: Option<String>,
    /// The displayed text.
    pub text: String,
    /// The indexed text, if different.
    pub index_text: Option<String>,
    /// The messages it is derived from, oldest first; never empty.
    pub sources: Vec<Source>,
    /// True if the text is the first source verbatim.
    pub verbatim: bool,
    /// Role of the verbatim message.
    pub role: Option<Role>,
    /// Position of the verbatim event in a client's run.
    pub run: Option<RunPlace>,
    /// Time of the newest source.
    pub time: Timestamp,
    /// The scope (a path, a component), if it states one.
    pub scope: Option<String>,
    /// Checked values of the strategy's schema that a model inferred.
    pub inferred: Metadata,
    /// Its treatment relative to existing records.
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
