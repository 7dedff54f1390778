//! The kinds of what is shown, in the order in which the budget is shared out; and which tier of memory each belongs to.

use loci_model::facts::repository::Tiers;
use loci_model::tasks::task::MemoryArm;

use crate::settings::Shares;

/// A kind of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HydrationKind {
    /// Rules from reviews.
    Rules,
    /// What was learned about the repository.
    Knowledge,
    /// What happened in earlier tasks.
    Episodes,
    /// What whoever asked prefers.
    Preferences,
    /// What several episodes teach.
    Reflections,
}

impl HydrationKind {
    /// All, in the order in which the budget is shared out.
    pub const ALL: &'static [Self] =
        &[Self::Rules, Self::Knowledge, Self::Episodes, Self::Preferences, Self::Reflections];

    /// The word of requests and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Knowledge => "knowledge",
            Self::Episodes => "episodes",
            Self::Preferences => "preferences",
            Self::Reflections => "reflections",
        }
    }

    /// Whether a task of this arm is shown it.
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

    /// Whether a repository's tasks are shown it.
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

    /// Whether it takes no more than its share while others could use it: preferences are the last
    /// of the priorities, and what several tasks teach stands behind them.
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

/// How reading a kind went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindStatus {
    /// Something was found.
    Ok,
    /// Nothing is there.
    Empty,
    /// Time was over.
    Timeout,
    /// It could not be read.
    Error,
    /// It is not for this task, or not asked for.
    Disabled,
    /// There was nothing to look by.
    Skipped,
    /// It was found, and could not be looked at before it was shown: none of it is.
    ScreeningFailed,
}

impl KindStatus {
    /// The word of answers.
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

    /// True where something may be missing.
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
