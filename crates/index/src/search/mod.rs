//! Searches: the scope of a request, its statistics, the lists of candidates, and the views of a
//! caller.

mod bounds;
mod candidates;
mod dense;
mod lexical;
mod marks;
mod neighbours;
pub(super) mod part;
pub(super) mod scope;
mod similarity;
pub(super) mod statistics;
mod sweep;
mod views;
