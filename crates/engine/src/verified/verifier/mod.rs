//! The verifier: is cited code still there, and do claims about it hold? (verified-memory.md §§5 to 8.) Deterministic, without
//! a language model; it reads a [`CodeSource`](loci_model::ports::code::CodeSource) and nothing else: no store, no clock of
//! its own, no network.
//!
//! How to use it: one [`Verifier`] per (source, revision); [`Verifier::anchor`] when a citation is stored, [`Verifier::verify`]
//! when it is read. [`LineCache`] is shared by all verifiers of a process.
//!
//! Its map: [`thresholds`] holds every number that decides; `normal_text`, `lines`, `line_shape`,
//! `line_hash`, `words`, `block` are normal forms; `line_cache`, `memo`, `session`, `ahead` are
//! reading once; `anchor`, `grounding`, `definitions`, `committed` make anchors; `line_diff` and
//! `steps` find them again; `diff_text` shows what changed; `path`, `ref_name`, `glob`, `generated`
//! judge names; `reading` gives lines as they are; `unanchored` does what it can without an anchor;
//! `given_hash` and `information` are gates of the store verb; `mentions`, `proposals` and
//! `path_refs` find what a text names, where that stands, and whether it is there still; `claims`
//! reads and evaluates claims; `verify` puts citations and claims together; `statement`, `literal`,
//! `stated_values`, `stated_versions`, `stated_words`, `denial` and `support` say whether the code
//! that was found supports a statement, and `support_cache` keeps that; `code_text`, `nesting` and
//! `file_kind` tell code from the rest of a file.

mod ahead;
mod anchor;
mod block;
mod claims;
mod code_text;
mod committed;
mod definitions;
mod denial;
mod diff_text;
#[cfg(test)]
mod equal_text_tests;
mod file_kind;
mod generated;
mod given_hash;
mod glob;
mod grounding;
mod information;
mod large;
mod line_cache;
mod line_diff;
mod line_hash;
mod line_shape;
mod lines;
mod literal;
mod memo;
mod mentions;
mod name_places;
#[cfg(test)]
mod namesake_tests;
mod nesting;
mod normal_text;
mod path;
mod path_refs;
mod proposals;
#[cfg(test)]
mod proposals_tests;
mod reading;
mod ref_name;
mod scanners;
mod session;
mod stated_values;
mod stated_versions;
mod stated_words;
mod statement;
#[cfg(test)]
mod step_tests;
mod steps;
mod support;
mod support_cache;
#[cfg(test)]
mod support_tests;
pub mod thresholds;
mod unanchored;
mod verify;
#[cfg(test)]
mod verify_tests;
mod words;

pub use anchor::{AnchorError, MadeAnchor, check_place};
pub use claims::{check_claim, read_claims};
pub use generated::is_generated_path;
pub use given_hash::{HashAgreement, compare_hash};
pub use glob::{BadGlob, Glob};
pub use information::{Information, information};
pub use line_cache::LineCache;
pub(crate) use line_diff::common_pairs;
pub use mentions::{Mention, has_mentions, mentions};
pub use path::{PathRejected, check_path};
pub use path_refs::{PATH_REFS_MAX, PathRef, path_refs};
pub use reading::ReadLines;
pub use ref_name::{is_ref_name, is_revision_name};
pub(crate) use scanners::SCANNERS;
pub use session::{Verifier, VerifierLimits};
pub use verify::{Quorum, verdict_of};
