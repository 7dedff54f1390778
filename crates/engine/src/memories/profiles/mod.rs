//! Profiles of memories: files that ship with this version or are in a server's configuration,
//! and their application to a memory.
//!
//! A profile is named settings and strategies. A matching profile gives a new memory only its
//! settings. Strategies require an explicit application, because a memory created over the wire has
//! the strategies that its client requested.

mod apply;
mod ensure;
mod file;
mod list;
pub(crate) mod shipped_profiles;
pub(crate) mod template_change;

pub use ensure::{MemoryEnsure, MemoryEnsured};
pub use file::{Profile, ProfileSettings, parse};

pub(crate) use apply::set;
pub(crate) use shipped_profiles::{all, known_by, named};
