//! Rules from reviews: a rule is a record, and its support is an entry of the ledger.
//!
//! | file | idea |
//! |---|---|
//! | `extraction` | extracts rules from a reviewer's text: pure |
//! | `support_update` | `learn_over`: replaces the former support of a review by its present one |
//! | `statement_metadata` | the statements of a review, in the stored form of rules: pure |
//! | `model_extraction` | reads the same review by a model, if one is configured |
//! | `answers`, `examples` | answers that oppose or approve rules; corrections of one place |
//! | `support` | the reviewers who count, the weight of their words, and their dissent |
//! | `state_transition` | brings a rule to its state, each step with its row of telemetry |
//! | `contradictions` | contradicting rules of one scope |
//! | `relevance`, `task_feedback` | the relevance of rules, counted from tasks' reports and ends |
//! | `rules_list`, `add`, `decision`, `provenance`, `promotion` | the verbs of people |
//! | `markdown_patch` | a bullet as a patch: pure |
//! | `reviewer_erasure`, `safeguard_effects` | erasure of one person; the effects of safeguards on rules |
//!
//! Every change of a rule's support calls `state_transition::settle`, the only function that
//! changes states because of statements; `relevance` changes them because of time.

mod add;
mod answers;
mod contradictions;
mod decision;
mod examples;
pub mod extraction;
mod markdown_patch;
mod model_extraction;
mod promotion;
mod provenance;
mod relevance;
mod reviewer_erasure;
pub(super) mod rules_list;
mod safeguard_effects;
mod state_transition;
mod statement_metadata;
mod support;
mod support_update;
mod task_feedback;

pub use decision::RuleDecision;
pub use provenance::{RuleExposure, RuleProvenance};
pub(super) use reviewer_erasure::forget_login;
pub(crate) use safeguard_effects::{bar, support_of, take_back, weigh_again};
pub(super) use support::reviewers::{CountedReviewers, ReviewerStatement};
pub(super) use support::reweigh::reweigh;
pub use support_update::ReviewLearned;
pub(super) use task_feedback::told;
