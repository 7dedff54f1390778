//! Anchors: the data of cited lines that is stored to find them again, and citations without an
//! anchor.

pub(super) mod anchor;
pub(super) mod given_hash;
pub(super) mod grounding;
pub(in crate::verifier) mod information;
mod line_commit;
mod unanchored_citations;
