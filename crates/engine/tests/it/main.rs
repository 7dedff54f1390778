//! The engine on the embedded store: extraction, its runner, and what becomes of both when writes fail.
//!
//! Searching is a plain look at every record here (`world`), so these tests rest on the tables alone.

#[cfg(test)]
mod crashes;
#[cfg(test)]
mod extraction;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod housekeeping;
#[cfg(test)]
mod repeats;
#[cfg(test)]
mod world;
