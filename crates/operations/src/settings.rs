//! What may be set of operations memory: defaults in code, overridden by the binary's
//! configuration, for all memories or for the one of a name. Pure: a roster of contacts is read by
//! whoever configures, and given here as a list.

use std::collections::BTreeMap;

use loci_model::services::knowledge::SreType;
use loci_model::{Error, MemoryId, Result};

use crate::retrieval::synonyms::SreSynonyms;
use crate::times::time_zone;

/// The agent whose knowledge it is where no agent is named: the one that plans and calls the tools.
pub const SUPERVISOR: &str = "supervisor";

/// Whose past investigations a start is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PastScope {
    /// The user's own.
    User,
    /// Everybody's, as far as the caller may read it.
    #[default]
    Team,
}

impl PastScope {
    /// From the word of configurations.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "user" => Some(Self::User),
            "team" => Some(Self::Team),
            _ => None,
        }
    }

    /// The word of configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Team => "team",
        }
    }
}

/// Settings of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreTypeSettings {
    /// Results where nobody says how many.
    pub top_k: usize,
    /// At most so many results.
    pub top_k_max: usize,
    /// Days that what was confirmed stays; preferences are not confirmed by outcomes.
    pub ttl_confirmed_days: Option<u32>,
    /// Where a memory that is made puts its records; `None`: as the profile says.
    pub namespace: Option<String>,
    /// Days that records of a memory that is made stay; `None`: as the profile says.
    pub ttl_days: Option<u32>,
}

impl SreTypeSettings {
    fn of(kind: SreType) -> Self {
        let (top_k, top_k_max, ttl_confirmed_days) = match kind {
            SreType::Preferences => (10, 50, None),
            SreType::Infrastructure => (50, 100, Some(400)),
            SreType::Investigations => (5, 20, Some(730)),
        };
        Self { top_k, top_k_max, ttl_confirmed_days, namespace: None, ttl_days: None }
    }
}

/// Settings of the memory of operations agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreSettings {
    /// False: the memory is off. Hooks are told nothing, and nothing is saved.
    pub enabled: bool,
    /// What a memory that is made is for; `None`: as the profile says.
    pub description: Option<String>,
    /// What is known of users' wishes.
    pub preferences: SreTypeSettings,
    /// What is known of services.
    pub infrastructure: SreTypeSettings,
    /// What was looked into.
    pub investigations: SreTypeSettings,
    /// The worker agents whose knowledge a start is shown, each under its name.
    pub agents: Vec<String>,
    /// Names that stand for another agent.
    pub agent_aliases: BTreeMap<String, String>,
    /// The agents whose answers are read for knowledge.
    pub capture_agents: Vec<String>,
    /// Tokens of the block of a start, where the request says nothing.
    pub context_budget_tokens: u32,
    /// What agents say of contacts and channels becomes proposals.
    pub auto_capture_preferences: bool,
    /// Knowledge in agents' answers is saved: their blocks, and what a model reads beside them.
    pub auto_capture_infrastructure: bool,
    /// A completed investigation is saved.
    pub auto_generate_summaries: bool,
    /// Whose past investigations a start is shown.
    pub past_investigations: PastScope,
    /// The IANA name of the time zone of whoever has no preference.
    pub default_timezone: String,
    /// What operations people call one thing, in place of the shipped table; read once for the whole process.
    pub synonyms: Option<&'static SreSynonyms>,
    /// Domains whose addresses a user may make contacts without a confirmation, in lower case.
    pub contact_allow_domains: Vec<String>,
    /// Addresses that a user may make contacts without a confirmation, in lower case.
    pub contact_roster: Vec<String>,
    /// Keys of preferences that only people may set, beside those that every memory has; `*` stands for any characters.
    pub protected_keys: Vec<String>,
}

impl Default for SreSettings {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let alias = |(alias, agent): (&str, &str)| (alias.to_owned(), agent.to_owned());
        let aliases =
            [("sre-agent-kubernetes", "kubernetes-agent"), ("kubernetes", "kubernetes-agent")].map(alias);
        Self {
            enabled: true,
            description: None,
            preferences: SreTypeSettings::of(SreType::Preferences),
            infrastructure: SreTypeSettings::of(SreType::Infrastructure),
            investigations: SreTypeSettings::of(SreType::Investigations),
            agents: names(&["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"]),
            agent_aliases: BTreeMap::from(aliases),
            capture_agents: names(&["kubernetes-agent", "logs-agent", "metrics-agent"]),
            context_budget_tokens: 2_000,
            auto_capture_preferences: true,
            auto_capture_infrastructure: true,
            auto_generate_summaries: true,
            past_investigations: PastScope::Team,
            default_timezone: "UTC".to_owned(),
            synonyms: None,
            contact_allow_domains: Vec::new(),
            contact_roster: Vec::new(),
            protected_keys: names(&["*bypass*"]),
        }
    }
}

impl SreSettings {
    /// What they must be.
    ///
    /// # Errors
    /// `Invalid` on `default_timezone`.
    pub fn check(&self) -> Result<()> {
        time_zone::zone(&self.default_timezone, "default_timezone").map(drop)
    }

    /// The settings of a type.
    pub fn of_type(&self, kind: SreType) -> &SreTypeSettings {
        match kind {
            SreType::Preferences => &self.preferences,
            SreType::Infrastructure => &self.infrastructure,
            SreType::Investigations => &self.investigations,
        }
    }

    /// The same, to be set.
    pub fn of_type_mut(&mut self, kind: SreType) -> &mut SreTypeSettings {
        match kind {
            SreType::Preferences => &mut self.preferences,
            SreType::Infrastructure => &mut self.infrastructure,
            SreType::Investigations => &mut self.investigations,
        }
    }

    /// Nothing is saved where the memory is off.
    ///
    /// # Errors
    /// `Conflict`, with the remedy.
    pub(crate) fn require_on(&self) -> Result<()> {
        if self.enabled {
            return Ok(());
        }
        Err(Error::conflict("the memory is off: set enabled = true in its [[memory]]").on("memory"))
    }

    /// The name under which an agent's knowledge is kept: one agent has one place, however it is
    /// called.
    pub(crate) fn known_as<'a>(&'a self, name: &'a str) -> &'a str {
        self.agent_aliases.get(name).map_or(name, String::as_str)
    }

    /// Returns true where starts show an agent's knowledge.
    pub(crate) fn is_read(&self, agent: &str) -> bool {
        let agent = self.known_as(agent);
        agent == SUPERVISOR || self.agents.iter().any(|name| name == agent)
    }

    /// The agents whose knowledge starts show, each once: the configured ones in their order, then
    /// the supervisor.
    pub(crate) fn agents_read(&self) -> impl Iterator<Item = &str> {
        let has_own = self.agents.iter().any(|name| name == SUPERVISOR);
        let agents = self.agents.iter().map(String::as_str);
        agents.chain((!has_own).then_some(SUPERVISOR))
    }

    /// True where an agent's answers are read for blocks of knowledge.
    pub(crate) fn captures(&self, agent: &str) -> bool {
        let agent = self.known_as(agent);
        self.capture_agents.iter().any(|name| self.known_as(name) == agent)
    }
}

/// The settings of all memories, and those of memories by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SreSettingsByMemory {
    /// For every memory that has none of its own.
    pub all: SreSettings,
    /// By the memory's name.
    pub named: BTreeMap<String, SreSettings>,
}

impl SreSettingsByMemory {
    /// Those of a memory: an id begins with its memory's name.
    pub fn of(&self, memory: &MemoryId) -> &SreSettings {
        self.of_name(memory.as_str().rsplit_once('-').map_or(memory.as_str(), |(name, _)| name))
    }

    /// Those of a memory by its name.
    pub fn of_name(&self, name: &str) -> &SreSettings {
        self.named.get(name).unwrap_or(&self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_one_agent() {
        let settings = SreSettings::default();
        let check = |name: &str, expect: &str, captured: bool| {
            assert_eq!((settings.known_as(name), settings.captures(name)), (expect, captured), "{name}");
        };
        check("sre-agent-kubernetes", "kubernetes-agent", true);
        check("kubernetes", "kubernetes-agent", true);
        check("kubernetes-agent", "kubernetes-agent", true);
        check("logs-agent", "logs-agent", true);
        check("runbooks-agent", "runbooks-agent", false);
        check("another", "another", false);
    }

    #[test]
    fn starts_read_the_supervisor_once() {
        let mut settings = SreSettings::default();
        let read =
            |settings: &SreSettings| settings.agents_read().filter(|agent| *agent == SUPERVISOR).count();
        assert_eq!((read(&settings), settings.agents_read().count()), (1, 5));
        settings.agents.insert(0, SUPERVISOR.to_owned());
        assert_eq!((read(&settings), settings.agents_read().count()), (1, 5));
        for (agent, expect) in
            [("supervisor", true), ("kubernetes", true), ("logs-agent", true), ("db-agent", false)]
        {
            assert_eq!(settings.is_read(agent), expect, "{agent}");
        }
    }

    #[test]
    fn a_memory_has_its_own_by_its_whole_name() {
        let own = SreSettings { context_budget_tokens: 1, ..SreSettings::default() };
        let settings = SreSettingsByMemory {
            named: BTreeMap::from([("sre_agent_memory".to_owned(), own)]),
            ..SreSettingsByMemory::default()
        };
        let check = |id: &str, expect: u32| {
            let id = MemoryId::parse(id).unwrap();
            assert_eq!(settings.of(&id).context_budget_tokens, expect, "{id}");
        };
        check("sre_agent_memory-0123456789", 1);
        check("sre_agent_memory_test-0123456789", 2_000);
    }
}
