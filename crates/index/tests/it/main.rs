//! Compares the index with a reference implementation that computes every formula of the ranking
//! from raw texts, and with results computed by hand.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod by_hand;
#[cfg(test)]
mod filters;
#[cfg(test)]
mod great;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod twin;
#[cfg(test)]
mod world;
