//! Summaries: the strategy of summaries, their topics and their text form, and its question to a
//! model.

pub mod summary;
pub mod summary_model;
pub mod summary_topics;
pub mod topic_markup;
