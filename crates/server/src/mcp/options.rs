//! Settings of the MCP interface. The module reads no file.

use super::revision::Revision;
use crate::tools::profile::Profile;

/// The default maximum number of bytes in a request's body, and in a line on stdio.
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// The naming of tools in lists. Calls may use both names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// `memory_store`
    #[default]
    Underscore,
    /// `memory.store`, which several clients reject.
    Dotted,
}

/// The allowed origins of requests over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// Allowed origins of pages, in addition to those of this machine.
    pub origins: Vec<String>,
    /// Allowed host names of this server. By default those of this machine on loopback, and any
    /// elsewhere, where a token is required.
    pub hosts: Option<Vec<String>>,
}

/// Settings of tools and of MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpOptions {
    /// The profiles whose tools the endpoint `/mcp` lists.
    pub profiles: Vec<Profile>,
    /// The form of the tool names that the endpoint `/mcp` lists.
    pub naming: Naming,
    /// True if tools outside of the profile can be called by name.
    pub allow_unlisted: bool,
    /// The supported revisions.
    pub revisions: Vec<Revision>,
    /// The allowed origins of requests.
    pub guard: Guard,
    /// The maximum number of bytes in a request's body.
    pub body_bytes_max: usize,
    /// The default memory of the tools: a name or an id.
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
