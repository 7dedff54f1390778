//! Settings of the door. It reads no file.

use super::revision::Revision;
use crate::tools::profile::Profile;

/// Bytes of a request's body, and of a line on stdio.
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// How tools are named where they are listed. Both names are always taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// `memory_store`
    #[default]
    Underscore,
    /// `memory.store`, which several clients refuse.
    Dotted,
}

/// From where requests over HTTP may come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// Origins of pages that may ask, beside those of this machine.
    pub origins: Vec<String>,
    /// Names of hosts under which this server may be asked; absent: those of this machine on loopback, any elsewhere, where a
    /// token is needed.
    pub hosts: Option<Vec<String>>,
}

/// Settings of tools and of MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpOptions {
    /// What `/mcp` lists.
    pub profiles: Vec<Profile>,
    /// How it names them.
    pub naming: Naming,
    /// Tools outside the profile answer by name.
    pub allow_unlisted: bool,
    /// Revisions that are served.
    pub revisions: Vec<Revision>,
    /// From where requests may come.
    pub guard: Guard,
    /// Bytes of a request's body.
    pub body_bytes_max: usize,
    /// The memory that tools mean where nothing else says: a name or an id.
    pub memory: Option<String>,
}

impl Default for McpOptions {
    fn default() -> Self {
        Self {
            profiles: vec![Profile::Core],
            naming: Naming::default(),
            allow_unlisted: true,
            revisions: Revision::ALL.to_vec(),
            guard: Guard::default(),
            body_bytes_max: BODY_BYTES_MAX,
            memory: None,
        }
    }
}
