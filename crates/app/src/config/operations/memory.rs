//! `[memory.sre]`: the settings of a memory for operations agents. `loci_operations` uses the
//! values. This module reads the file of known contacts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use loci_model::limits;
use loci_operations::{PastScope, SreSettings, SreSettingsByMemory, SreSynonyms};
use serde::{Deserialize, Serialize};

use crate::config::MemoryEntry;
use crate::input::file_text;

/// The profile of operations memory.
const PROFILE: &str = "sre";
/// The maximum number of bytes of a file of known contacts.
const ROSTER_BYTES_MAX: u64 = 1_048_576;
/// The maximum token budget of a block.
const BUDGET_TOKENS_MAX: u32 = 100_000;

/// `[memory.sre]`: an absent key has the default of operations memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SreSection {
    /// Worker agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Aliases of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_aliases: Option<BTreeMap<String, String>>,
    /// Agents whose answers are searched for knowledge blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_agents: Option<Vec<String>>,
    /// The token budget of the session-start block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_budget_tokens: Option<u32>,
    /// True if contacts and channels in answers become proposals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_capture_preferences: Option<bool>,
    /// True if knowledge blocks in answers are saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_capture_infrastructure: Option<bool>,
    /// True if completed investigations are saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_generate_summaries: Option<bool>,
    /// `team` or `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past_investigations_scope: Option<String>,
    /// The time zone of users without a preference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_timezone: Option<String>,
    /// The absolute path of a synonym table that replaces the shipped one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synonyms: Option<PathBuf>,
    /// Domains whose addresses need no confirmation by a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_allow_domains: Option<Vec<String>>,
    /// The absolute path of a file with known contacts, one per line. `# ` begins a comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_roster: Option<PathBuf>,
    /// Keys that only people may set, in addition to the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_keys: Option<Vec<String>>,
}

/// Returns the settings of operations memory for all memories.
pub(in crate::config) fn settings(memories: &[MemoryEntry]) -> Result<SreSettingsByMemory> {
    let mut settings = SreSettingsByMemory::default();
    for entry in memories {
        if let Some(own) = of_entry(entry)? {
            settings.named.insert(entry.name.clone(), own);
        }
    }
    Ok(settings)
}

/// Returns the overrides of one memory. `None` if it has none.
fn of_entry(entry: &MemoryEntry) -> Result<Option<SreSettings>> {
    let flags = [
        entry.enabled,
        entry.auto_capture_preferences,
        entry.auto_capture_infrastructure,
        entry.auto_generate_summaries,
    ];
    let says_nothing = entry.sre.is_none()
        && entry.description.is_none()
        && entry.strategy.is_empty()
        && flags.iter().all(Option::is_none);
    if says_nothing {
        return Ok(None);
    }
    if entry.profile != PROFILE {
        bail!("memory {}: description, enabled, auto_*, strategy and sre are of the profile sre", entry.name);
    }
    let mut settings = entry.sre.clone().unwrap_or_default().settings()?;
    settings.enabled = entry.enabled.unwrap_or(settings.enabled);
    settings.description.clone_from(&entry.description);
    // A value in [memory.sre] takes precedence.
    let section = entry.sre.clone().unwrap_or_default();
    let flag = |own: Option<bool>, of_entry: Option<bool>, else_: bool| own.or(of_entry).unwrap_or(else_);
    settings.auto_capture_preferences = flag(
        section.auto_capture_preferences,
        entry.auto_capture_preferences,
        settings.auto_capture_preferences,
    );
    settings.auto_capture_infrastructure = flag(
        section.auto_capture_infrastructure,
        entry.auto_capture_infrastructure,
        settings.auto_capture_infrastructure,
    );
    settings.auto_generate_summaries = flag(
        section.auto_generate_summaries,
        entry.auto_generate_summaries,
        settings.auto_generate_summaries,
    );
    for strategy in &entry.strategy {
        strategy.apply(&mut settings)?;
    }
    Ok(Some(settings))
}

impl SreSection {
    fn settings(&self) -> Result<SreSettings> {
        let own = self.clone();
        let base = SreSettings::default();
        let lower = |words: Vec<String>| words.into_iter().map(|word| word.to_lowercase()).collect();
        let past = match &own.past_investigations_scope {
            None => base.past_investigations,
            Some(word) => PastScope::parse(word).with_context(|| {
                format!("memory.sre.past_investigations_scope must be team or user, not {word}")
            })?,
        };
        let budget = own.context_budget_tokens.unwrap_or(base.context_budget_tokens);
        if budget > BUDGET_TOKENS_MAX {
            bail!("memory.sre.context_budget_tokens must be at most {BUDGET_TOKENS_MAX}, not {budget}");
        }
        let roster = own.contact_roster.as_deref().filter(|path| !path.as_os_str().is_empty());
        let synonyms = own.synonyms.as_deref().map(table).transpose()?;
        let settings = SreSettings {
            agents: own.agents.unwrap_or(base.agents),
            agent_aliases: own.agent_aliases.unwrap_or(base.agent_aliases),
            capture_agents: own.capture_agents.unwrap_or(base.capture_agents),
            context_budget_tokens: budget,
            auto_capture_preferences: own.auto_capture_preferences.unwrap_or(base.auto_capture_preferences),
            auto_capture_infrastructure: own
                .auto_capture_infrastructure
                .unwrap_or(base.auto_capture_infrastructure),
            auto_generate_summaries: own.auto_generate_summaries.unwrap_or(base.auto_generate_summaries),
            past_investigations: past,
            default_timezone: own.default_timezone.unwrap_or(base.default_timezone),
            // The table is read once, and stays for the life of the process.
            synonyms: synonyms.map(|table| &*Box::leak(Box::new(table))),
            contact_allow_domains: own.contact_allow_domains.map_or(base.contact_allow_domains, lower),
            contact_roster: roster.map(known_contacts).transpose()?.unwrap_or_default(),
            protected_keys: own.protected_keys.unwrap_or(base.protected_keys),
            ..base
        };
        settings.check().map_err(|error| anyhow!("memory.sre.default_timezone: {}", error.message))?;
        Ok(settings)
    }
}

fn table(path: &Path) -> Result<SreSynonyms> {
    if !path.is_absolute() {
        bail!("memory.sre.synonyms must be an absolute path, not {}", path.display());
    }
    let reading = || format!("memory.sre.synonyms: reading {}", path.display());
    let text = file_text(path).with_context(reading)?;
    if text.len() > limits::PATTERNS_BYTES_MAX {
        bail!("memory.sre.synonyms: {} is larger than {} bytes", path.display(), limits::PATTERNS_BYTES_MAX);
    }
    SreSynonyms::parse(&text).map_err(|error| {
        let field = error.field.as_deref().unwrap_or("the file");
        anyhow!("memory.sre.synonyms: {}: {field}: {}", path.display(), error.message)
    })
}

fn known_contacts(path: &Path) -> Result<Vec<String>> {
    if !path.is_absolute() {
        bail!("memory.sre.contact_roster must be an absolute path, not {}", path.display());
    }
    let reading = || format!("memory.sre.contact_roster: reading {}", path.display());
    if std::fs::metadata(path).with_context(reading)?.len() > ROSTER_BYTES_MAX {
        bail!("memory.sre.contact_roster: {} has more than {ROSTER_BYTES_MAX} bytes", path.display());
    }
    let text = file_text(path).with_context(reading)?;
    let contacts = text.lines().map(|line| line.split("# ").next().unwrap_or_default().trim().to_lowercase());
    Ok(contacts.filter(|contact| !contact.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SreSettings> {
        toml::from_str::<SreSection>(text).unwrap().settings()
    }

    #[test]
    fn what_is_absent_is_as_the_engine_has_it() {
        assert_eq!(read("").unwrap(), SreSettings::default());
        let set = read(
            "context_budget_tokens = 500\npast_investigations_scope = \"user\"\ncontact_allow_domains = [\"Example.com\"]\n",
        );
        let set = set.unwrap();
        assert_eq!((set.context_budget_tokens, set.past_investigations), (500, PastScope::User));
        assert_eq!(set.contact_allow_domains, ["example.com"]);
    }

    #[test]
    fn what_does_not_hold_is_named() {
        let check = |text: &str, part: &str| {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        check("past_investigations_scope = \"all\"\n", "past_investigations_scope");
        check("context_budget_tokens = 1000000\n", "context_budget_tokens");
        check("contact_roster = \"contacts.txt\"\n", "absolute");
        check("default_timezone = \"Mars/Base\"\n", "default_timezone");
        check("synonyms = \"own.toml\"\n", "absolute");
        check("synonyms = \"/nowhere/own.toml\"\n", "reading");
        check("contact_roster = \"/nowhere/contacts.txt\"\n", "/nowhere/contacts.txt");
    }

    #[test]
    fn known_contacts_are_one_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contacts.txt");
        std::fs::write(&path, "# people\nOps@Example.com # the team\n\n+49 30 123\n").unwrap();
        assert_eq!(known_contacts(&path).unwrap(), ["ops@example.com", "+49 30 123"]);
    }
    #[test]
    fn a_table_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        let read = || read(&format!("synonyms = {path:?}\n"));
        std::fs::write(&path, "form = 2\nversion = 7\nfailing = []\n").unwrap();
        assert!(format!("{:#}", read().unwrap_err()).contains("form must be 1"));
        std::fs::write(&path, "form = 1\nversion = 7\nfailing = []\n").unwrap();
        assert_eq!(read().unwrap().synonyms.unwrap().version(), 7);
    }
}
