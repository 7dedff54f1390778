//! Retrieval of operations memory: the query, the search, the scores and the result list.

mod filters;
pub(super) mod history;
mod result_list;
pub(super) mod retrieve;
pub(super) mod scores;
mod search;
pub(super) mod synonyms;
mod word_similarity;
