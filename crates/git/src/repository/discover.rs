//! Describes the repository at a directory: its clone, worktree, remotes and root commits.

use loci_model::ports::code::{CodeResult, DiscoveredRepository};

use crate::repository::configuration;
use crate::repository::layout::Layout;
use crate::source::Source;

/// Describes an open repository.
pub(crate) fn describe(layout: &Layout, source: &Source) -> CodeResult<DiscoveredRepository> {
    let config = configuration(&source.repository.dir)?;
    let default = source.default()?;
    let tip = match &default {
        Some((_, tip)) => Some(*tip),
        None => source.head()?,
    };
    Ok(DiscoveredRepository {
        common_dir: layout.common.clone(),
        worktree: layout.worktree.clone(),
        remotes: config.remotes.into_iter().collect(),
        roots: tip.map(|tip| source.repository.roots(&tip)).transpose()?.unwrap_or_default(),
        default_branch: default.map(|(name, _)| name),
        branch: source.branch()?,
        head: source.head()?,
    })
}
