//! Rules from reviews: a rule is a record, and its support is an entry of the ledger.
//!
//! | file | idea |
//! |---|---|
//! | `extracting` | extracts rules from a reviewer's text: pure |
//! | `taking` | `learn_over`: replaces the former support of a review by its present one |
//! | `taught` | the statements of a review, in the stored form of rules: pure |
//! | `modelled` | reads the same review by a model, if one is configured |
//! | `answers`, `examples` | answers that oppose or approve rules; corrections of one place |
//! | `support` | the reviewers who count, the weight of their words, and their dissent |
//! | `settling` | brings a rule to its state, each step with its row of telemetry |
//! | `contradicting` | contradicting rules of one scope |
//! | `relevance`, `told` | the relevance of rules, counted from tasks' reports and ends |
//! | `rules_list`, `adding`, `deciding`, `provenance`, `promoting` | the verbs of people |
//! | `patching` | a bullet as a patch: pure |
//! | `forgetting`, `undone` | erasure of one person; the effects of safeguards on rules |
//!
//! Every change of a rule's support calls `settling::settle`, the only function that changes states
//! because of statements; `relevance` changes them because of time.

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
