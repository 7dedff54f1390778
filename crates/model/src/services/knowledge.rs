//! Words of the memory of operations agents. What is remembered are records; what a record of these
//! types must say, and which one counts, is the engine's matter.

use crate::words::closed_words;

closed_words! {
    /// The types of an operations agent's memory. The profile has a strategy for each.
    SreType {
        /// How somebody wants to be worked for.
        Preferences = "preferences",
        /// What is known of services.
        Infrastructure = "infrastructure",
        /// What was looked into, and what came of it.
        Investigations = "investigations",
    }
}

impl SreType {
    /// From its word, as one or as many.
    pub fn parse_input(word: &str) -> Option<Self> {
        match word {
            "preference" => Some(Self::Preferences),
            "investigation" => Some(Self::Investigations),
            _ => Self::parse(word),
        }
    }

    /// The name of its strategy in the profile.
    pub fn strategy_name(self) -> &'static str {
        match self {
            Self::Preferences => "user_preferences",
            Self::Infrastructure => "infrastructure_knowledge",
            Self::Investigations => "investigation_summaries",
        }
    }
}

closed_words! {
    /// What is known of a service.
    KnowledgeType {
        /// What it needs.
        Dependency = "dependency",
        /// What happens again and again; known issues and what helps.
        Pattern = "pattern",
        /// How it is set up.
        Config = "config",
        /// What is usual.
        Baseline = "baseline",
    }
}

closed_words! {
    /// How far an investigation came.
    #[derive(Default)]
    ResolutionStatus {
        /// It is resolved.
        Completed = "completed",
        /// It goes on, or nobody said anything else.
        #[default]
        Ongoing = "ongoing",
        /// Somebody else has it.
        Escalated = "escalated",
    }
}

closed_words! {
    /// What a finding is.
    FindingCategory {
        /// Why it happened.
        RootCause = "root_cause",
        /// What to do.
        Recommendation = "recommendation",
        /// What was seen.
        Observation = "observation",
    }
}

closed_words! {
    /// Who says something. Whose word counts more is its rank.
    SreSource {
        /// A person.
        Human = "human",
        /// A file that a person applied.
        Declared = "declared",
        /// Another system's notice.
        Webhook = "webhook",
        /// An agent.
        Agent = "agent",
        /// It was read out of talk.
        Extracted = "extracted",
        /// It was known elsewhere.
        Imported = "imported",
    }
}

impl SreSource {
    /// How much its word counts: a greater rank is not overwritten by a lesser one.
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
