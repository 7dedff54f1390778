//! The steps that find a citation again, in order: the same blob, equal lines in the file, in other
//! files, with other line breaks, similar lines, nothing.
//!
//! [`search`] runs them. `in_file` has steps 2, 3, 3b and 6 for one candidate file, `elsewhere`
//! returns the candidate files of step 4, `rewrapped` is step 5, `similar` is step 7. `equal_text`
//! detects equal text with another meaning.

mod elsewhere;
mod equal_text;
#[cfg(test)]
mod equal_text_tests;
mod in_file;
#[cfg(test)]
mod namesake_tests;
mod rewrapped;
mod search;
mod similar;
#[cfg(test)]
mod step_tests;
mod tried;

pub(super) use elsewhere::{same_name, too_late, too_many};
pub(super) use in_file::occurrences;
pub(super) use search::search;
