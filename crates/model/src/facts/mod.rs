//! Nouns of facts that cite code: facts, citations, claims, verdicts, repositories, code as a
//! verifier names it.

pub mod branch_fact;
pub mod citation;
pub mod claim;
pub mod code;
pub mod fact;
pub mod repository;
pub mod revision_name;
pub mod support;
pub mod verdict;
