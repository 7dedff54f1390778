//! Words of the memory of operations agents. Its contents are records. The engine defines the
//! required content of these types and their precedence.

use crate::words::closed_words;

closed_words! {
    /// The types of an operations agent's memory. The profile has a strategy for each.
    SreType {
        /// Working preferences of a user.
        Preferences = "preferences",
        /// Knowledge about services.
        Infrastructure = "infrastructure",
        /// Investigations and their results.
        Investigations = "investigations",
    }
}

impl SreType {
    /// Returns the type for its word, in singular or plural.
    pub fn parse_input(word: &str) -> Option<Self> {
        match word {
            "preference" => Some(Self::Preferences),
            "investigation" => Some(Self::Investigations),
            _ => Self::parse(word),
        }
    }

    /// Returns the name of its strategy in the profile.
    pub fn strategy_name(self) -> &'static str {
        match self {
            Self::Preferences => "user_preferences",
            Self::Infrastructure => "infrastructure_knowledge",
            Self::Investigations => "investigation_summaries",
        }
    }
}

closed_words! {
    /// A type of knowledge about a service.
    KnowledgeType {
        /// A dependency of the service.
        Dependency = "dependency",
        /// Recurring behaviour; known issues and their remedies.
        Pattern = "pattern",
        /// The configuration of the service.
        Config = "config",
        /// The usual behaviour.
        Baseline = "baseline",
    }
}

closed_words! {
    /// The status of an investigation.
    #[derive(Default)]
    ResolutionStatus {
        /// The investigation is resolved.
        Completed = "completed",
        /// The investigation continues. The default.
        #[default]
        Ongoing = "ongoing",
        /// The investigation was escalated to someone else.
        Escalated = "escalated",
    }
}

closed_words! {
    /// The category of a finding.
    FindingCategory {
        /// A root cause.
        RootCause = "root_cause",
        /// A recommended action.
        Recommendation = "recommendation",
        /// An observation.
        Observation = "observation",
    }
}

closed_words! {
    /// The source of a statement. Its rank determines the precedence.
    SreSource {
        /// A person stated it.
        Human = "human",
        /// A file that a person applied.
        Declared = "declared",
        /// A notice of another system.
        Webhook = "webhook",
        /// An agent stated it.
        Agent = "agent",
        /// Extracted from a conversation.
        Extracted = "extracted",
        /// Imported from another system.
        Imported = "imported",
    }
}

impl SreSource {
    /// Returns the rank of the source: a source of lesser rank does not overwrite one of greater
    /// rank.
    pub fn rank(self) -> u8 {
        match self {
            Self::Human | Self::Declared => 5,
            Self::Webhook => 4,
            Self::Agent => 3,
            Self::Extracted => 2,
            Self::Imported => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many_are_the_same_type() {
        let check =
            |word: &str, expect: Option<SreType>| assert_eq!(SreType::parse_input(word), expect, "{word}");
        check("preference", Some(SreType::Preferences));
        check("preferences", Some(SreType::Preferences));
        check("infrastructure", Some(SreType::Infrastructure));
        check("investigation", Some(SreType::Investigations));
        check("investigations", Some(SreType::Investigations));
        check("Preferences", None);
        check("", None);
    }

    #[test]
    fn ranks_fall_from_people_to_imports() {
        let ranks: Vec<u8> = SreSource::ALL.iter().map(|source| source.rank()).collect();
        assert_eq!(ranks, [5, 5, 4, 3, 2, 1]);
    }
}
