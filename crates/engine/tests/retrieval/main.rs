//! Retrieval over the embedded store and its index: who sees what, what a request may ask, what an answer says of itself.
//!
//! What the ranking is worth is measured elsewhere; here it only has to find the obvious.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod folding;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod world;
