//! The policy of serving facts: what is verified, withheld, worded and written down before an
//! answer leaves.

mod assurance;
pub(super) mod missing_code;
mod prompt_block;
pub(super) mod served_facts;
pub(super) mod shown_facts;
pub(super) mod withheld_statements;
