//! Rules that reviews leave: a rule is a record, what supports it an entry of the ledger beside it.
//!
//! | file | idea |
//! |---|---|
//! | `extracting` | which rules follow from what a reviewer wrote: pure |
//! | `taking` | `learn_over`: what a review supported before is replaced by what it supports now |
//! | `taught` | what a review teaches, in the form in which rules keep it: pure |
//! | `modelled` | the same review, read by a model where one is asked |
//! | `answers`, `examples` | answers that speak against rules or approve one; corrections of one place |
//! | `support` | the reviewers who count, the weight of their words, and their dissent |
//! | `settling` | a rule is brought to the state that follows, each step with its row of telemetry |
//! | `contradicting` | rules of one scope that say otherwise |
//! | `relevance`, `told` | whether rules still matter, counted where tasks tell and end |
//! | `rules_list`, `adding`, `deciding`, `provenance`, `promoting` | the verbs of people; `patching`: a bullet more as a patch, pure |
//! | `forgetting`, `undone` | rules without the words of one person; what safeguards do beside their records |
//!
//! Whatever changes what supports a rule calls `settling::settle`, which alone moves states by what is said; `relevance` moves them by time.

mod adding;
mod answers;
mod contradicting;
mod deciding;
mod examples;
pub mod extracting;
mod forgetting;
mod modelled;
mod patching;
mod promoting;
mod provenance;
mod relevance;
pub(super) mod rules_list;
mod settling;
mod support;
mod taking;
mod taught;
mod told;
mod undone;

pub use deciding::RuleDecision;
pub(super) use forgetting::forget_login;
pub use provenance::{RuleExposure, RuleProvenance};
pub(super) use support::reviewers::{Heard, Hearing};
pub(super) use support::reweigh::reweigh;
pub use taking::ReviewLearned;
pub(super) use told::told;
pub(crate) use undone::{bar, support_of, take_back, weigh_again};
