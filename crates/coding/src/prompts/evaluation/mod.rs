//! Evaluation of extraction prompts: each prompt is run on a small labelled set, by a configured
//! model or by a model of the caller (pull mode), and the results are stored with the version.
//!
//! | file | idea |
//! |---|---|
//! | `golden` | the labelled set, and the question of each case: pure |
//! | `answer_score` | compares an answer with its labels: pure |
//! | `evaluate` | the verbs |
//!
//! To add a case: one line in `golden.jsonl`. Every result names the digest of the set, because
//! results of different sets are not comparable.

mod answer_score;
mod evaluate;
mod golden;

pub use evaluate::PromptAnswers;
pub(super) use evaluate::is_evaluated;
