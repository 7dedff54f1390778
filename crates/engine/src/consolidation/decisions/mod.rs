//! Decisions on the proposals of a round: by rules, by a model, judged as a plan, and carried out
//! in the write.

pub(in crate::consolidation) mod decide;
pub mod decision_write;
pub(super) mod merged_words;
pub(crate) mod model_decisions;
mod validation;
