//! The engine on the embedded store: extraction, its runner, and the effects of failed writes on
//! both.
//!
//! The embedder hashes words (`fixture`), so these tests do not measure retrieval quality.

#[cfg(test)]
mod arrivals;
#[cfg(test)]
#[path = "../coding/mod.rs"]
mod coding;
#[cfg(test)]
mod consolidation;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod erasure;
#[cfg(test)]
mod extraction;
#[cfg(test)]
mod fact_transfer;
#[cfg(test)]
#[path = "../facts/mod.rs"]
mod facts;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod feedback;
#[cfg(test)]
#[path = "../files/mod.rs"]
mod files;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod handovers;
#[cfg(test)]
mod housekeeping;
#[cfg(test)]
mod import_parts;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod overlaps;
#[cfg(test)]
mod process_death;
#[cfg(test)]
mod profiles;
#[cfg(test)]
mod provisional_records;
#[cfg(test)]
mod repeats;
#[cfg(test)]
mod safety;
#[cfg(test)]
#[path = "../scenarios/mod.rs"]
mod scenarios;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod write_answers;
