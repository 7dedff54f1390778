//! `[mcp]`: the listed tools, their names, and the callers that may use them over HTTP.

use anyhow::{Context, Result, bail};
use loci_server::mcp::revision::Revision;
use loci_server::mcp::{Guard, McpOptions, Naming};
use loci_server::tools::profile::Profile;
use serde::{Deserialize, Serialize};

/// The naming scheme of listed tools. Calls accept both names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ToolNames {
    /// memory_store
    #[default]
    Underscore,
    /// memory.store: several clients reject it
    Dotted,
}

impl ToolNames {
    /// Returns the scheme as a type of the MCP interface.
    pub(crate) fn naming(self) -> Naming {
        match self {
            Self::Underscore => Naming::Underscore,
            Self::Dotted => Naming::Dotted,
        }
    }
}

/// `[mcp]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSection {
    /// The listed profiles: `core`, `verified`, `recall`, `coding`, `files`, `sre`, `full`.
    pub profile: Vec<String>,
    /// `underscore` or `dotted`.
    pub tool_names: ToolNames,
    /// True if tools outside the profile can be called by name.
    pub allow_unlisted: bool,
    /// The served revisions of the protocol.
    pub protocols: Vec<String>,
    /// Origins of pages that may call, in addition to those of this machine.
    pub allowed_origins: Vec<String>,
    /// Host names by which clients may call this server. Absent means those of this machine on
    /// loopback, else any.
    pub allowed_hosts: Option<Vec<String>>,
    /// The maximum number of bytes of a message.
    pub max_body_bytes: usize,
    /// The default memory of tools: a name or an id.
    pub memory: Option<String>,
}

impl Default for McpSection {
    fn default() -> Self {
        let defaults = McpOptions::default();
        Self {
            profile: defaults.profiles.iter().map(|profile| profile.as_str().to_owned()).collect(),
            tool_names: ToolNames::default(),
            allow_unlisted: defaults.allow_unlisted,
            protocols: defaults.revisions.iter().map(|revision| revision.as_str().to_owned()).collect(),
            allowed_origins: Vec::new(),
            allowed_hosts: None,
            max_body_bytes: defaults.body_bytes_max,
            memory: None,
        }
    }
}

impl McpSection {
    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        self.options().map(|_| ())
    }

    /// Returns the options of the MCP interface.
    ///
    /// # Errors
    /// A profile or a revision is unknown.
    pub fn options(&self) -> Result<McpOptions> {
        let profiles = Profile::parse_several(&self.profile.join(",")).context("mcp.profile")?;
        let mut revisions = Vec::new();
        for text in &self.protocols {
            let Some(revision) = Revision::parse(text) else {
                let known: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
                bail!("mcp.protocols: {text} is no revision: there are {}", known.join(", "));
            };
            revisions.push(revision);
        }
        if revisions.is_empty() {
            bail!("mcp.protocols must name a revision");
        }
        if self.max_body_bytes < 1024 {
            bail!("mcp.max_body_bytes must be at least 1024");
        }
        Ok(McpOptions {
            profiles,
            naming: self.tool_names.naming(),
            allow_unlisted: self.allow_unlisted,
            revisions,
            guard: Guard { origins: self.allowed_origins.clone(), hosts: self.allowed_hosts.clone() },
            body_bytes_max: self.max_body_bytes,
            memory: self.memory.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_must_be() {
        let check = |text: &str, expect: &str| {
            let section: McpSection = toml::from_str(text).unwrap();
            let said = section.check().map_or_else(|error| format!("{error:#}"), |()| String::new());
            assert!(
                if expect.is_empty() { said.is_empty() } else { said.contains(expect) },
                "{text}: {said}"
            );
        };
        check("", "");
        check(
            "profile = [\"core\", \"recall\"]\ntool_names = \"dotted\"\nallowed_hosts = [\"memory.example\"]",
            "",
        );
        check("profile = [\"everything\"]", "there are core, verified, recall, coding, files, sre, full");
        check("profile = []", "no such profile");
        check("protocols = [\"2026-07-28\"]", "");
        check("protocols = [\"2023-01-01\"]", "is no revision");
        check("protocols = []", "must name a revision");
        check("max_body_bytes = 10", "at least 1024");
    }
}
