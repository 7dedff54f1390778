//! Decisions on the proposals of a round: by rules, by a model, judged as a plan, and carried out
//! in the write.

pub mod carry_out;
pub(in crate::consolidation) mod decide;
pub(super) mod merged_words;
pub(crate) mod model_decisions;
mod validation;
