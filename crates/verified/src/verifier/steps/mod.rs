//! The steps that find a citation again, in order: the same blob, equal lines in the file, in other
//! files, with other line breaks, similar lines, nothing.
//!
//! [`search`] runs them. `file_search` has steps 2, 3, 3b and 6 for one candidate file,
//! `candidate_files` returns the candidate files of step 4, `rewrapped_block` is step 5,
//! `similar_lines` is step 7. `equal_text` detects equal text with another meaning.

mod candidate_files;
mod equal_text;
#[cfg(test)]
mod equal_text_tests;
mod file_search;
#[cfg(test)]
mod namesake_tests;
mod rewrapped_block;
mod search;
mod searched_file;
mod similar_lines;
#[cfg(test)]
mod step_tests;

pub(super) use candidate_files::{same_name, too_late, too_many};
pub(super) use file_search::occurrences;
pub(super) use search::search;
