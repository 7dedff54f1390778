//! Prompts: versions of those that agents are given, the prompt of a task, and the prompts of
//! extraction with their evaluation.

pub(super) mod evaluation;
pub(super) mod extraction;
pub mod task_prompt;
pub(super) mod versions;
