//! Rules that reviews leave (coding-agent-memory.md §12): a rule is a record, what supports it an entry of the ledger beside it.
//!
//! | file | idea |
//! |---|---|
//! | `extracting` | which rules follow from what a reviewer wrote: pure |
//! | `taking` | `learn_from_review`: what a review supported before is replaced by what it supports now |
//! | `taught` | what a review teaches, in the form in which rules keep it: pure |
//! | `modelled` | the same review, read by a model where one is asked |
//! | `answers`, `dissenting`, `examples` | answers that speak against rules or approve one; corrections of one place |
//! | `heard` | whose words count where several tasks are looked at together: pure |
//! | `maintainers` | whether a repository has one maintainer |
//! | `weighing` | what all of it weighs, and whether that is enough: pure |
//! | `settling` | a rule is brought to the state that follows, each step with its row of telemetry |
//! | `reweighing` | rules are weighed again when the settings have changed |
//! | `contradicting` | rules of one scope that say otherwise |
//! | `relevance`, `told` | whether rules still matter, counted where tasks tell and end |
//! | `adding`, `deciding`, `provenance`, `promoting` | the verbs of people; `patching`: a bullet more as a patch, pure |
//! | `forgetting`, `undone` | rules without the words of one person; what safeguards do beside their records |
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
mod heard;
mod maintainers;
mod modelled;
mod patching;
mod promoting;
mod provenance;
mod relevance;
mod reweighing;
mod settling;
mod taking;
mod taught;
mod told;
mod undone;
mod weighing;

pub use adding::NewRule;
pub use deciding::RuleDecision;
pub(super) use forgetting::forget_login;
pub(super) use heard::{Heard, Hearing};
pub use promoting::RulePromotion;
pub use provenance::{RuleExposure, RuleProvenance};
pub(super) use reweighing::reweigh;
pub(super) use taking::Over;
pub use taking::ReviewLearned;
pub(super) use told::told;
pub(crate) use undone::{bar, support_of, take_back, weigh_again};
