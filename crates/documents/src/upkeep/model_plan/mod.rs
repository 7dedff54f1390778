//! Plans by a model after those of rules: the job that requests them, and its question.

pub(super) mod planning_job;
mod question;
