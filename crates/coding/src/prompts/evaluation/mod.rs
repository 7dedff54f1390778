//! Evaluation of extraction prompts: each prompt is asked about a small labelled set, by a
//! configured model or by a model of the caller's (pull mode), and the figures are kept with the
//! version.
//!
//! | file | idea |
//! |---|---|
//! | `golden` | the labelled set, and the question of each case: pure |
//! | `scoring` | an answer against its labels: pure |
//! | `evaluate` | the verbs |
//!
//! To add a case: one line in `golden.jsonl`. The digest of the set is part of every figure:
//! figures of different sets are not compared.

mod evaluate;
mod golden;
mod scoring;

pub use evaluate::PromptAnswers;
pub(super) use evaluate::is_evaluated;
