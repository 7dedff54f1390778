//! Plans by a model: the job that asks for them behind the rules, and its question.

pub(super) mod planning_job;
mod question;
