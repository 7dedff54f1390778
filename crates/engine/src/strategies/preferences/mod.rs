//! Preferences: the strategy of preferences that people state, their statements and categories, and
//! its question to a model.

pub mod preference;
pub mod preference_category;
pub mod preference_model;
pub mod preference_statement;
pub mod requester_words;
