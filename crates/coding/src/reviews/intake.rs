//! The defaults for the reviews that rules are extracted from.

use loci_model::facts::repository::{Repository, ReviewIntake};

use crate::outcomes::task_match::BRANCH_PATTERNS;

/// Returns the intake settings of a repository, with all members set.
pub fn intake_of(repository: &Repository) -> ReviewIntake {
    let own = &repository.settings.reviews;
    let patterns = || BRANCH_PATTERNS.iter().map(|pattern| (*pattern).to_owned()).collect();
    ReviewIntake {
        agent_logins: Some(own.agent_logins.clone().unwrap_or_default()),
        allow_bots: Some(own.allow_bots.clone().unwrap_or_default()),
        ignore_drafts: Some(own.ignore_drafts.unwrap_or(true)),
        accept_unmapped_prs: Some(own.accept_unmapped_prs.unwrap_or(true)),
        branch_patterns: Some(own.branch_patterns.clone().unwrap_or_else(patterns)),
        authority: Some(own.authority.clone().unwrap_or_default()),
    }
}
