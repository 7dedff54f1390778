//! The steps by which a citation is found again (verified-memory.md §5.2), in their order: the same blob, the same lines in the
//! file, in other files, with other line breaks, similar lines, nothing.
//!
//! [`search`] runs them. `in_file` is steps 2, 3, 3b and 6 for one candidate file, `elsewhere` names the candidate files of step
//! 4, `rewrapped` is step 5, `similar` step 7; `equal_text` says where equal text may mean something else.

mod elsewhere;
mod equal_text;
mod in_file;
mod rewrapped;
mod search;
mod similar;
mod tried;

pub(super) use elsewhere::{same_name, too_late, too_many};
pub(super) use in_file::occurrences;
pub(super) use search::search;
