//! The verifier checks that cited code still exists and that claims about it hold.
//!
//! It is deterministic and uses no language model. It reads a
//! [`CodeSource`](loci_model::ports::code::CodeSource) only: no store, no clock of its own, no
//! network.
//!
//! Usage: create one [`Verifier`] per source and revision. Call [`Verifier::anchor`] when a
//! citation is stored, and [`Verifier::verify`] when it is read. All verifiers of a process share a
//! [`LineCache`].
//!
//! | folder | idea |
//! |---|---|
//! | [`thresholds`] | every number that decides |
//! | `session` | reading once: one look at one repository at one revision |
//! | `lines` | files as lines: normal forms, hashes, blocks, differences, cache |
//! | `anchors`, `steps` | the stored data of cited lines, and the steps that find them again |
//! | `names` | paths, patterns, refs, generated files, kinds of files |
//! | `mentions` | the names in a text, and their places |
//! | `claims` | parsing and evaluating claims |
//! | `statements` | values of a statement, and the support that code gives them |
//! | `code_structure` | comments, nesting, definitions and places of names, without a grammar |
//! | `verify` | the verdict from citations and claims |

mod anchors;
mod claims;
mod code_structure;
mod lines;
mod mentions;
mod names;
mod scanners;
mod session;
mod statements;
mod steps;
pub mod thresholds;
mod verify;
#[cfg(test)]
mod verify_tests;

pub use anchors::anchor::{AnchorError, MadeAnchor, check_place};
pub use anchors::given_hash::{HashAgreement, compare_hash};
pub use anchors::information::{Information, information};
pub use claims::{check_claim, read_claims};
pub use lines::line_cache::LineCache;
pub use lines::line_diff::common_pairs;
pub use lines::plain_lines::ReadLines;
pub use loci_text::code_mentions::{Mention, has_mentions, mentions};
pub use loci_text::code_path::{PathRejected, check_path};
pub use mentions::path_refs::{PATH_REFS_MAX, PathRef, path_refs};
pub use names::generated_files::is_generated_path;
pub use names::glob::{BadGlob, Glob};
pub use names::ref_name::{is_ref_name, is_revision_name};
pub(crate) use scanners::SCANNERS;
pub use session::verifier::{Verifier, VerifierLimits};
pub use verify::{Quorum, verdict_of};
