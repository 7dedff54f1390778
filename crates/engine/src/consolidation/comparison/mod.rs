//! The comparison of two statements: clauses, places of values, matters, changes, and the guards that keep
//! both.
//!
//! * `compare`, `slot`, `scope`: clause by clause;
//! * `gist`: what a statement is about, whatever its sentence; `paraphrase`, `value_change`, `guards`: two of those;
//! * `choice`: a move away from one of several things, with or without a purpose in common;
//! * `wording`: the difference of two texts that are nearly the same;
//! * `speakers`: two people, each of whom speaks of themselves;
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
pub(super) mod wording;
