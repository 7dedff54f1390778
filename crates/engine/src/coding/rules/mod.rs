//! Rules that reviews leave (coding-agent-memory.md §12): a rule is a record, what supports it an entry of the ledger beside it.
//!
//! | file | idea |
//! |---|---|
//! | `extracting` | which rules follow from what a reviewer wrote: pure |
//! | `taking` | `learn_from_review`: what a review supported before is replaced by what it supports now |
//! | `modelled` | the same review, read by a model where one is asked |
//! | `answers`, `dissenting`, `examples` | answers that speak against rules or approve one; corrections of one place |
//! | `weighing` | what all of it weighs, and whether that is enough: pure |
//! | `settling` | a rule is brought to the state that follows, each step with its row of telemetry |
//! | `contradicting` | rules of one scope that say otherwise |
//! | `relevance`, `told` | whether rules still matter, counted where tasks tell and end |
//! | `adding`, `deciding`, `provenance`, `promoting` | the verbs of people; `patching`: a bullet more as a patch, pure |
//! | `forgetting` | rules without the words of one person |
//!
//! Whatever changes what supports a rule calls `settling::settle`, which alone moves states by what is said; `relevance` moves them by time.

mod adding;
mod answers;
mod contradicting;
mod deciding;
mod dissenting;
mod examples;
pub mod extracting;
mod forgetting;
mod modelled;
mod patching;
mod promoting;
mod provenance;
mod relevance;
mod settling;
mod taking;
mod told;
mod weighing;

pub use adding::NewRule;
pub use deciding::RuleDecision;
pub(super) use forgetting::forget_login;
pub use promoting::RulePromotion;
pub use provenance::{RuleExposure, RuleProvenance};
pub use taking::ReviewLearned;
pub(super) use told::told;
