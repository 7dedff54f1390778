//! The table of tools, one list per family. It is the source of names, listings and scopes.

use std::sync::LazyLock;

use loci_model::principal::Principal;

#[cfg(feature = "coding")]
use super::coding;
#[cfg(feature = "documents")]
use super::documents;
#[cfg(feature = "operations")]
use super::operations;
use super::profile::Profile;
use super::recall;
use super::tool::{Tool, ToolFuture};
#[cfg(feature = "verified")]
use super::verified;

/// The tools of this server in listing order.
#[derive(Debug)]
pub struct Table {
    /// The tools, created at the first access. Their schemas would take a fifth of the start of a
    /// program that calls none.
    tools: LazyLock<Vec<Tool>>,
}

fn shipped() -> Vec<Tool> {
    let mut tools = Vec::new();
    #[cfg(feature = "verified")]
    tools.extend(verified::tools());
    tools.extend(recall::tools());
    #[cfg(feature = "coding")]
    tools.extend(coding::tools());
    #[cfg(feature = "documents")]
    tools.extend(documents::tools());
    #[cfg(feature = "operations")]
    tools.extend(operations::tools());
    tools
}

impl Table {
    /// Returns all tools that exist.
    pub fn shipped() -> Self {
        Self { tools: LazyLock::new(shipped) }
    }

    /// Returns every tool, including those that cannot be called yet.
    pub fn all(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the tool of a name, dotted or not, with its work.
    pub fn find(&self, name: &str) -> Option<(&Tool, ToolFuture)> {
        let tool = self.tools.iter().find(|tool| tool.name == name || tool.dotted == Some(name))?;
        tool.work.map(|work| (tool, work))
    }

    /// Returns the tools of some profiles.
    pub fn of<'a>(&'a self, profiles: &'a [Profile]) -> impl Iterator<Item = &'a Tool> {
        self.tools.iter().filter(|tool| {
            tool.work.is_some() && tool.profiles.iter().any(|profile| profiles.contains(profile))
        })
    }

    /// Returns the tools of some profiles that a caller may call.
    pub fn for_caller<'a>(
        &'a self,
        profiles: &'a [Profile],
        caller: &'a Principal,
    ) -> impl Iterator<Item = &'a Tool> {
        self.of(profiles).filter(|tool| tool.is_open_to(|scope| scope.is_held(caller)))
    }
}
