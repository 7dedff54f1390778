//! Compares the index with a reference implementation that computes every formula of the ranking
//! from raw texts, and with results computed by hand.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod filters;
#[cfg(test)]
mod large_memories;
#[cfg(test)]
mod manual_cases;
#[cfg(test)]
mod raw_records;
#[cfg(test)]
mod reference_ranking;
#[cfg(test)]
mod snapshots;
