//! The comparison of two statements: clauses, value slots, content words, changes, and the guards
//! that keep both.
//!
//! * `compare`, `slot`, `scope`: clause by clause;
//! * `gist`: the content words of a statement of any form; `paraphrase`, `value_change`, `guards`:
//!   two gists;
//! * `choice`: a move away from one of several things, with or without a common purpose;
//! * `wording_difference`: the difference of two nearly equal texts;
//! * `speakers`: two people, each of whom speaks about themselves;
//! * `word_pairs`: the budget of comparisons in one write.

pub(super) mod choice;
pub(super) mod compare;
pub(super) mod gist;
pub(super) mod guards;
pub(super) mod paraphrase;
pub mod scope;
mod slot;
pub(super) mod speakers;
pub(super) mod value_change;
pub(super) mod word_pairs;
pub(super) mod wording_difference;
