//! Anchors: the parts of cited lines that are kept to find them again, and citations without them.

pub(super) mod anchor;
mod commit_of_lines;
pub(super) mod given_hash;
pub(super) mod grounding;
pub(in crate::verifier) mod information;
mod unanchored_citations;
