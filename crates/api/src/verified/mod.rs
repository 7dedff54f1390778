//! Shapes of the product of verified facts: repositories, evidence, verdicts, proposals of
//! citations.

pub mod evidence;
pub mod fact;
pub mod proposal;
pub mod repository;
pub mod table;
pub mod verdict;
