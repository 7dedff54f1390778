//! The kinds of shown memory, in the order in which they share the budget, and the tier of each.

use loci_model::facts::repository::Tiers;
use loci_model::tasks::task::MemoryArm;

use crate::settings::Shares;

/// A kind of shown memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HydrationKind {
    /// Rules from reviews.
    Rules,
    /// Learnings about the repository.
    Knowledge,
    /// Episodes of earlier tasks.
    Episodes,
    /// Preferences of the task's user.
    Preferences,
    /// Reflections on several episodes.
    Reflections,
}

impl HydrationKind {
    /// All kinds, in the order in which they share the budget.
    pub const ALL: &'static [Self] =
        &[Self::Rules, Self::Knowledge, Self::Episodes, Self::Preferences, Self::Reflections];

    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Knowledge => "knowledge",
            Self::Episodes => "episodes",
            Self::Preferences => "preferences",
            Self::Reflections => "reflections",
        }
    }

    /// True if tasks of this arm are shown the kind.
    pub(super) fn is_of(self, arm: MemoryArm) -> bool {
        let tier = match self {
            Self::Knowledge | Self::Episodes => 1,
            Self::Rules => 2,
            Self::Preferences | Self::Reflections => 3,
        };
        let upto = match arm {
            MemoryArm::Off => 0,
            MemoryArm::Tier1 => 1,
            MemoryArm::Tier2 => 2,
            MemoryArm::Tier3 | MemoryArm::On => 3,
        };
        tier <= upto
    }

    /// True if the tiers of a repository enable the kind.
    pub(super) fn is_on(self, tiers: &Tiers) -> bool {
        let own = match self {
            Self::Rules => tiers.rules,
            Self::Knowledge => tiers.knowledge,
            Self::Episodes => tiers.episodes,
            Self::Preferences => tiers.preferences,
            Self::Reflections => tiers.reflections,
        };
        own.unwrap_or(true)
    }

    /// True if the kind takes no more than its share while others could use it. Preferences have
    /// the lowest priority, followed by reflections.
    pub(super) fn yields(self) -> bool {
        match self {
            Self::Rules | Self::Knowledge | Self::Episodes => false,
            Self::Preferences | Self::Reflections => true,
        }
    }

    pub(super) fn share(self, shares: &Shares) -> u32 {
        match self {
            Self::Rules => shares.rules,
            Self::Knowledge => shares.knowledge,
            Self::Episodes => shares.episodes,
            Self::Preferences => shares.preferences,
            Self::Reflections => shares.reflections,
        }
    }
}

/// The status of reading a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindStatus {
    /// The read found records.
    Ok,
    /// The read found nothing.
    Empty,
    /// The read exceeded its deadline.
    Timeout,
    /// The read failed.
    Error,
    /// The kind is not enabled for this task, or not requested.
    Disabled,
    /// The request has no query to search with.
    Skipped,
    /// Records were found and could not be screened before display, so none are shown.
    ScreeningFailed,
}

impl KindStatus {
    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::Timeout => "timeout",
            Self::Error => "error",
            Self::Disabled => "disabled",
            Self::Skipped => "skipped",
            Self::ScreeningFailed => "screening_failed",
        }
    }

    /// True if records may be missing.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Timeout | Self::Error | Self::ScreeningFailed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers() {
        let shown = |arm: MemoryArm| -> Vec<&str> {
            HydrationKind::ALL.iter().filter(|kind| kind.is_of(arm)).map(|kind| kind.as_str()).collect()
        };
        assert!(shown(MemoryArm::Off).is_empty());
        assert_eq!(shown(MemoryArm::Tier1), ["knowledge", "episodes"]);
        assert_eq!(shown(MemoryArm::Tier2), ["rules", "knowledge", "episodes"]);
        assert_eq!(shown(MemoryArm::Tier3), shown(MemoryArm::On));
        assert_eq!(shown(MemoryArm::On).len(), HydrationKind::ALL.len());
    }
}
