//! Retrieval on the embedded store and its index: permissions, request options, and response
//! details.
//!
//! Ranking quality is measured elsewhere; these tests only need obvious hits.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod near_duplicates;
#[cfg(test)]
mod scopes;
