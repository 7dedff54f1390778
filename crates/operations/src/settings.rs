//! Settings of operations memory: defaults in code, overridden by the binary's configuration, for
//! all memories or for one by name. Pure: the binary reads the contact roster from its file and
//! passes it as a list.

use std::collections::BTreeMap;

use loci_model::services::knowledge::SreType;
use loci_model::{Error, MemoryId, Result};

use crate::retrieval::synonyms::SreSynonyms;
use crate::times::time_zone;

/// The default agent of knowledge: the one that plans and calls the tools.
pub const SUPERVISOR: &str = "supervisor";

/// The scope of past investigations in the context of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PastScope {
    /// The user's own investigations.
    User,
    /// All investigations that the caller may read.
    #[default]
    Team,
}

impl PastScope {
    /// Parses the name used in configurations.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "user" => Some(Self::User),
            "team" => Some(Self::Team),
            _ => None,
        }
    }

    /// Returns the name used in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Team => "team",
        }
    }
}

/// The settings of a record type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreTypeSettings {
    /// The default number of results.
    pub top_k: usize,
    /// The maximum number of results.
    pub top_k_max: usize,
    /// The retention of confirmed records, in days. Outcomes do not confirm preferences.
    pub ttl_confirmed_days: Option<u32>,
    /// The namespace template of new memories. `None`: that of the profile.
    pub namespace: Option<String>,
    /// The retention of records of new memories, in days. `None`: that of the profile.
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

/// Settings of operations memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreSettings {
    /// False if the memory is off: hooks return no context, and nothing is saved.
    pub enabled: bool,
    /// The description of new memories. `None`: that of the profile.
    pub description: Option<String>,
    /// The settings of preferences.
    pub preferences: SreTypeSettings,
    /// The settings of knowledge about services.
    pub infrastructure: SreTypeSettings,
    /// The settings of investigations.
    pub investigations: SreTypeSettings,
    /// The worker agents whose knowledge a start shows.
    pub agents: Vec<String>,
    /// Aliases of agents, and the names they stand for.
    pub agent_aliases: BTreeMap<String, String>,
    /// The agents whose answers are read for knowledge.
    pub capture_agents: Vec<String>,
    /// The default token budget of the block of a start.
    pub context_budget_tokens: u32,
    /// True to save contacts and channels in agents' answers as proposals.
    pub auto_capture_preferences: bool,
    /// True to save knowledge in agents' answers: knowledge blocks, and items that a model or rules
    /// read in the prose.
    pub auto_capture_infrastructure: bool,
    /// True to save completed investigations.
    pub auto_generate_summaries: bool,
    /// The scope of past investigations in the context of a start.
    pub past_investigations: PastScope,
    /// The IANA name of the time zone of users without a preference.
    pub default_timezone: String,
    /// A table of synonyms that replaces the shipped one. Read once per process.
    pub synonyms: Option<&'static SreSynonyms>,
    /// Domains in lower case whose addresses a user may set as contacts without confirmation.
    pub contact_allow_domains: Vec<String>,
    /// Addresses in lower case that a user may set as contacts without confirmation.
    pub contact_roster: Vec<String>,
    /// Additional keys of preferences that only people may set. `*` matches any characters.
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
    /// Checks the settings.
    ///
    /// # Errors
    /// `Invalid` on `default_timezone`.
    pub fn check(&self) -> Result<()> {
        time_zone::zone(&self.default_timezone, "default_timezone").map(drop)
    }

    /// Returns the settings of a type.
    pub fn of_type(&self, kind: SreType) -> &SreTypeSettings {
        match kind {
            SreType::Preferences => &self.preferences,
            SreType::Infrastructure => &self.infrastructure,
            SreType::Investigations => &self.investigations,
        }
    }

    /// Returns the settings of a type for modification.
    pub fn of_type_mut(&mut self, kind: SreType) -> &mut SreTypeSettings {
        match kind {
            SreType::Preferences => &mut self.preferences,
            SreType::Infrastructure => &mut self.infrastructure,
            SreType::Investigations => &mut self.investigations,
        }
    }

    /// Checks that the memory is on.
    ///
    /// # Errors
    /// `Conflict`, with the remedy.
    pub(crate) fn require_on(&self) -> Result<()> {
        if self.enabled {
            return Ok(());
        }
        Err(Error::conflict("the memory is off: set enabled = true in its [[memory]]").on("memory"))
    }

    /// Returns the name under which an agent's knowledge is stored. All aliases of an agent share
    /// one namespace.
    pub(crate) fn known_as<'a>(&'a self, name: &'a str) -> &'a str {
        self.agent_aliases.get(name).map_or(name, String::as_str)
    }

    /// True if starts show an agent's knowledge.
    pub(crate) fn is_read(&self, agent: &str) -> bool {
        let agent = self.known_as(agent);
        agent == SUPERVISOR || self.agents.iter().any(|name| name == agent)
    }

    /// Returns the agents whose knowledge starts show, each once: the configured ones in order,
    /// then the supervisor.
    pub(crate) fn agents_read(&self) -> impl Iterator<Item = &str> {
        let has_own = self.agents.iter().any(|name| name == SUPERVISOR);
        let agents = self.agents.iter().map(String::as_str);
        agents.chain((!has_own).then_some(SUPERVISOR))
    }

    /// True if knowledge blocks in an agent's answers are read.
    pub(crate) fn captures(&self, agent: &str) -> bool {
        let agent = self.known_as(agent);
        self.capture_agents.iter().any(|name| self.known_as(name) == agent)
    }
}

/// The settings of all memories, and those of individual memories by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SreSettingsByMemory {
    /// The settings of memories without their own.
    pub all: SreSettings,
    /// The operations settings, by the name of the memory.
    pub named: BTreeMap<String, SreSettings>,
}

impl SreSettingsByMemory {
    /// Returns the settings of a memory. The name is the prefix of the id.
    pub fn of(&self, memory: &MemoryId) -> &SreSettings {
        self.of_name(memory.as_str().rsplit_once('-').map_or(memory.as_str(), |(name, _)| name))
    }

    /// Returns the settings of a memory by name.
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
