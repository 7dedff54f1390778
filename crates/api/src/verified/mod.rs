//! Types of the verified product: repositories, evidence, facts, verdicts, and proposals of
//! citations.

pub mod evidence;
pub mod fact;
pub mod proposal;
pub mod repository;
pub mod table;
pub mod verdict;
