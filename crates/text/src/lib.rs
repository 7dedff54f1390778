//! Text analysis of Loci: the functions that turn text into numbers and words.
//!
//! Pure: no clock, no files, no threads, and no dependency on another crate of the project. Stores,
//! the index and the engine all call these functions, so every back end analyses and scores text in
//! one way. The crate does *not* rank (that is `engine/retrieval`), hold postings (`index`) or
//! embed (`embed`).
//!
//! | module | idea |
//! |---|---|
//! | [`analysis`] | text → terms, equal for turns and questions |
//! | [`flags`] | time, quantity and people in a turn: one byte |
//! | [`turn`] | a turn at write: terms, flags, `Name: ` prefix |
//! | [`question`] | a question: q⁻, Q, its type and its date |
//! | [`question_date`] | the date that a question names, and its value for a turn |
//! | [`relative_date`] | "last week", "3 days ago" against a given now |
//! | [`bm25`] | the scoring formula and its views |
//! | [`quotation`] | text between quotation marks |
//! | [`similarity`] | Jaccard over terms |
//! | [`marks`] | numbers, negations and dates that forbid folding |
//! | [`split`] | sentences, and cutting of long texts |
//! | [`sections`] | a document into chunks |
//! | [`code_mentions`] | files, lines and symbols in a text |
//! | [`code_path`] | rules for paths of citations |
//! | [`tokens`] | token estimates |
//!
//! To add a kind of analysis, add one file named after its idea, a row in this table, and tests at
//! the bottom of the file. A change that alters any term of any text raises [`ANALYSER_VERSION`],
//! which makes stores analyse their texts again.

pub mod analysis;
pub mod bm25;
pub mod code_mentions;
pub mod code_path;
pub mod flags;
pub mod marks;
mod normalise;
mod pattern;
pub mod question;
pub mod question_date;
pub mod quotation;
pub mod relative_date;
pub mod sections;
pub mod similarity;
pub mod split;
mod stems;
pub mod tokens;
pub mod turn;

pub use analysis::{path_terms, terms};
pub use flags::{TurnFlags, turn_flags};
pub use normalise::normalise_exact;
pub use turn::{SpeakerPrefix, TurnAnalysis, analyse_turn};

/// The version of every stored value that this crate computes (terms and flags). Stores keep it
/// with the rows and analyse them again when it differs.
pub const ANALYSER_VERSION: u32 = 1;
