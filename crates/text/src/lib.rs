//! Text analysis of Loci: everything that turns text into numbers and words, and nothing else.
//!
//! Pure: no clock, no files, no threads of its own, and it sees no other crate of the project. Stores, the index and
//! the engine all call these functions, so every back end analyses and scores alike. It does *not* rank (that is
//! `engine/retrieval`), hold postings (`index`) or embed (`embed`).
//!
//! | module | idea |
//! |---|---|
//! | [`analysis`] | text → terms, the same for turns and questions |
//! | [`flags`] | what a turn says about time, quantity, people: one byte |
//! | [`turn`] | a turn at write: terms, flags, `Name: ` prefix |
//! | [`question`] | a question: q⁻, Q, its type and its date |
//! | [`question_date`] | the date a question names, and its worth for a turn |
//! | [`relative_date`] | "last week", "3 days ago" against a given now |
//! | [`bm25`] | the one scoring formula and its views |
//! | [`quotation`] | what stands between quotation marks |
//! | [`similarity`] | Jaccard over terms |
//! | [`marks`] | numbers, negations and dates that forbid folding |
//! | [`split`] | sentences, and cutting what is too long |
//! | [`sections`] | a document into chunks |
//! | [`code_mentions`] | files, lines and symbols in a text |
//! | [`code_path`] | rules for paths of citations |
//! | [`tokens`] | token estimates |
//!
//! Adding a kind of analysis: one file named by its idea, its row here, its tests at the bottom of the file. A change
//! that alters any term of any text raises [`ANALYSER_VERSION`], which makes stores analyse again.

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

/// Version of everything stored that this crate computes (terms and flags). Stores keep it beside the rows and analyse
/// again when it differs.
pub const ANALYSER_VERSION: u32 = 1;
