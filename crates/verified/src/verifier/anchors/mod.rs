//! Anchors: the data of cited lines that is stored to find them again, and citations without an
//! anchor.

pub(super) mod anchor;
mod commit_of_lines;
pub(super) mod given_hash;
pub(super) mod grounding;
pub(in crate::verifier) mod information;
mod unanchored_citations;
