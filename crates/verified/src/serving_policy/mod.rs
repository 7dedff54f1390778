//! The policy of serving facts: verification, withholding, wording and recording before an answer
//! is sent.

mod assurance;
pub(super) mod fact_shapes;
pub(super) mod missing_code;
mod prompt_block;
pub(super) mod served_facts;
pub(super) mod withheld_statements;
