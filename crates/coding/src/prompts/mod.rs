//! Prompts: versions of agents' prompts, the prompt of a task, and the prompts of extraction with
//! their evaluation.

pub(super) mod evaluation;
pub(super) mod extraction;
pub mod task_prompt;
pub(super) mod versions;
