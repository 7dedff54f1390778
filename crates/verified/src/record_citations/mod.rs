//! Citations of records that are not facts yet: found in text, proposed, confirmed, and checked at
//! hydration.

mod citing_records;
pub(super) mod hydration_check;
pub(super) mod path_refs;
pub(super) mod pending_citations;
pub(super) mod promotion;
pub mod proposals;
