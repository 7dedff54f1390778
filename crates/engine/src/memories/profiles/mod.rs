//! Profiles as readable files: those that come with this version, a server's own, and applying one to a memory.
//!
//! A profile is settings and strategies under a name. Finding one gives a new memory its settings;
//! strategies come by applying alone, for a memory made over the wire has those its client asked for.

mod apply;
mod ensure;
mod file;
mod list;
pub(crate) mod shipped;
pub(crate) mod template_change;

pub use ensure::{MemoryEnsure, MemoryEnsured};
pub use file::{Profile, ProfileSettings, parse};

pub(crate) use apply::set;
pub(crate) use shipped::{all, known_by, named};
