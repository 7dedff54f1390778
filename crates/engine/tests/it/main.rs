//! The engine on the embedded store: extraction, its runner, and what becomes of both when writes fail.
//!
//! Searching is a plain look at every record here (`world`), so these tests rest on the tables alone.

mod crashes;
mod extraction;
mod failures;
mod housekeeping;
mod repeats;
mod world;
