//! The table of tools: one line each. Names, listings and scopes are all read from it.

use loci_model::principal::Principal;

use super::profile::Profile;
use super::tool::{Tool, Work};
use super::{coding, documents, operations, recall, verified};

/// The tools of this server, in the order in which they are listed.
#[derive(Debug)]
pub struct Table {
    tools: Vec<Tool>,
}

impl Table {
    /// All tools that there are.
    pub fn shipped() -> Self {
        Self {
            tools: vec![
                verified::store::tool(),
                verified::get_recent::tool(),
                verified::search::tool(),
                verified::verify_citations::tool(),
                verified::supersede::tool(),
                verified::invalidate::tool(),
                verified::log_applied::tool(),
                verified::search_by_path::tool(),
                verified::read_citation::tool(),
                verified::refresh::tool(),
                verified::stats::tool(),
                verified::get::tool(),
                verified::history::tool(),
                verified::delete::tool(),
                recall::search_memory::tool(),
                recall::add_memory::tool(),
                coding::hydrate::tool(),
                coding::note::tool(),
                coding::feedback::tool(),
                coding::rules_list::tool(),
                coding::related_files::tool(),
                coding::task_history::tool(),
                coding::attribution_lookup::tool(),
                documents::memory_list::tool(),
                documents::memory_read::tool(),
                documents::memory_grep::tool(),
                documents::memory::tool(),
                operations::save_preference::tool(),
                operations::save_infrastructure::tool(),
                operations::save_investigation::tool(),
                operations::retrieve_memory::tool(),
            ],
        }
    }

    /// Every tool, also those that cannot be called yet.
    pub fn all(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of a name, dotted or not, with its work.
    pub fn find(&self, name: &str) -> Option<(&Tool, Work)> {
        let tool = self.tools.iter().find(|tool| tool.name == name || tool.dotted == Some(name))?;
        tool.work.map(|work| (tool, work))
    }

    /// The tools of some profiles.
    pub fn of<'a>(&'a self, profiles: &'a [Profile]) -> impl Iterator<Item = &'a Tool> {
        self.tools.iter().filter(|tool| {
            tool.work.is_some() && tool.profiles.iter().any(|profile| profiles.contains(profile))
        })
    }

    /// The tools of some profiles that a caller may call.
    pub fn for_caller<'a>(
        &'a self,
        profiles: &'a [Profile],
        caller: &'a Principal,
    ) -> impl Iterator<Item = &'a Tool> {
        self.of(profiles).filter(|tool| tool.is_open_to(|scope| scope.is_held(caller)))
    }
}
