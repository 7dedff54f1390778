//! `[[memory.strategy]]`: overrides of a type of operations memory. The type determines the kind
//! and the keys, which may be stated but not changed. `PUT /v1/memories/{name}` adds strategies
//! with other names.

use anyhow::{Result, bail};
use loci_model::NamespaceTemplate;
use loci_model::services::knowledge::SreType;
use loci_operations::SreSettings;
use serde::{Deserialize, Serialize};

/// The maximum number of results of one type.
const TOP_K_MAX: usize = 200;
/// The maximum retention of a record in days, equal to that of events.
const DAYS_MAX: u32 = 3_650;

/// `[[memory.strategy]]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrategySection {
    /// `user_preferences`, `infrastructure_knowledge` or `investigation_summaries`.
    pub name: String,
    /// The kind, which must equal that of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The namespace of records, for a newly created memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The retention: a number of days, like `30d`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The retention of a confirmed record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_confirmed: Option<String>,
    /// The retrieval, which must equal that of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieve: Option<String>,
    /// The default number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// The maximum number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k_max: Option<usize>,
    /// The key, which must equal that of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Vec<String>>,
    /// The scope, which must equal that of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// The properties that the type determines.
struct Fixed {
    kind: &'static str,
    retrieve: &'static str,
    key: &'static [&'static str],
    scope: &'static str,
}

fn fixed(kind: SreType) -> Fixed {
    match kind {
        SreType::Preferences => {
            Fixed { kind: "preference", retrieve: "all", key: &["preference_type", "key"], scope: "private" }
        }
        SreType::Infrastructure => Fixed {
            kind: "semantic",
            retrieve: "semantic",
            key: &["service_name", "knowledge_type", "metric", "environment"],
            scope: "team",
        },
        SreType::Investigations => Fixed { kind: "summary", retrieve: "semantic", key: &[], scope: "team" },
    }
}

impl StrategySection {
    /// Applies the overrides to the settings of the memory.
    pub(super) fn apply(&self, settings: &mut SreSettings) -> Result<()> {
        let Some(kind) = SreType::ALL.iter().copied().find(|kind| kind.strategy_name() == self.name) else {
            bail!(
                "memory.strategy.name must be user_preferences, infrastructure_knowledge or investigation_summaries, not {}: \
                 PUT /v1/memories/NAME adds strategies of other names",
                self.name
            );
        };
        self.check_fixed(&fixed(kind))?;
        let of_type = settings.of_type_mut(kind);
        if let Some(template) = &self.namespace {
            NamespaceTemplate::parse(template.as_str())
                .map_err(|error| anyhow::anyhow!("memory.strategy.namespace: {}", error.message))?;
            check_segments(kind, template)?;
            of_type.namespace = Some(template.clone());
        }
        if let Some(ttl) = &self.ttl {
            of_type.ttl_days = Some(days("ttl", ttl)?);
        }
        if let Some(ttl) = &self.ttl_confirmed {
            if kind == SreType::Preferences {
                bail!(
                    "memory.strategy.ttl_confirmed is of infrastructure_knowledge and investigation_summaries"
                );
            }
            of_type.ttl_confirmed_days = Some(days("ttl_confirmed", ttl)?);
        }
        of_type.top_k_max = self.top_k_max.unwrap_or(of_type.top_k_max);
        of_type.top_k = self.top_k.unwrap_or(of_type.top_k.min(of_type.top_k_max));
        if !(1..=TOP_K_MAX).contains(&of_type.top_k_max) || !(1..=of_type.top_k_max).contains(&of_type.top_k)
        {
            bail!("memory.strategy.top_k must be 1 to top_k_max, and top_k_max at most {TOP_K_MAX}");
        }
        Ok(())
    }

    fn check_fixed(&self, fixed: &Fixed) -> Result<()> {
        let words = [
            ("kind", &self.kind, fixed.kind),
            ("retrieve", &self.retrieve, fixed.retrieve),
            ("scope", &self.scope, fixed.scope),
        ];
        for (name, said, is) in words {
            if said.as_deref().is_some_and(|said| said != is) {
                bail!("memory.strategy.{name} of {} is {is}, and cannot be otherwise", self.name);
            }
        }
        if self.key.as_ref().is_some_and(|key| key.iter().map(String::as_str).ne(fixed.key.iter().copied())) {
            bail!("memory.strategy.key of {} is {:?}, and cannot be otherwise", self.name, fixed.key);
        }
        Ok(())
    }
}

/// Checks that each user or agent has a namespace of its own, with one per session beneath it if
/// the type has sessions.
fn check_segments(kind: SreType, template: &str) -> Result<()> {
    let place = |wanted: &str| template.split('/').position(|segment| segment == wanted);
    let (actor, session) = (place("{actorId}"), place("{sessionId}"));
    let is_good = match kind {
        SreType::Preferences => actor.is_some() && !template.contains("{sessionId}"),
        SreType::Infrastructure | SreType::Investigations => {
            actor.zip(session).is_some_and(|(actor, session)| actor < session)
        }
    };
    if !is_good {
        bail!(
            "memory.strategy.namespace must have the segment {{actorId}}, and of infrastructure and investigations {{sessionId}} behind \
             it, not {template}"
        );
    }
    Ok(())
}

/// Parses a number of days, like `30d`.
fn days(name: &str, text: &str) -> Result<u32> {
    let days = text.strip_suffix('d').and_then(|number| number.parse::<u32>().ok());
    match days.filter(|days| (1..=DAYS_MAX).contains(days)) {
        Some(days) => Ok(days),
        None => bail!("memory.strategy.{name} must be a number of days from 1d to {DAYS_MAX}d, not {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SreSettings> {
        let section: StrategySection = toml::from_str(text).unwrap();
        let mut settings = SreSettings::default();
        section.apply(&mut settings).map(|()| settings)
    }

    #[test]
    fn a_type_otherwise_than_the_profile_has_it() {
        let settings = read(
            "name = \"infrastructure_knowledge\"\nkind = \"semantic\"\nttl = \"10d\"\nttl_confirmed = \"500d\"\nretrieve = \"semantic\"\n\
             top_k = 20\ntop_k_max = 40\nkey = [\"service_name\", \"knowledge_type\", \"metric\", \"environment\"]\nscope = \"team\"\n\
             namespace = \"/ops/{actorId}/{sessionId}\"\n",
        );
        let settings = settings.unwrap();
        let own = &settings.infrastructure;
        assert_eq!(
            (own.ttl_days, own.ttl_confirmed_days, own.top_k, own.top_k_max),
            (Some(10), Some(500), 20, 40)
        );
        assert_eq!(own.namespace.as_deref(), Some("/ops/{actorId}/{sessionId}"));
        assert_eq!(settings.preferences, SreSettings::default().preferences);
    }

    #[test]
    fn what_does_not_hold_is_named() {
        let check = |text: &str, part: &str| {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        check("name = \"other\"\n", "memory.strategy.name");
        check("name = \"user_preferences\"\nkind = \"semantic\"\n", "memory.strategy.kind");
        check("name = \"user_preferences\"\nscope = \"team\"\n", "memory.strategy.scope");
        check("name = \"user_preferences\"\nkey = [\"key\"]\n", "memory.strategy.key");
        check("name = \"user_preferences\"\nttl = \"90\"\n", "memory.strategy.ttl");
        check("name = \"user_preferences\"\nttl = \"0d\"\n", "memory.strategy.ttl");
        check("name = \"user_preferences\"\nttl_confirmed = \"9d\"\n", "ttl_confirmed");
        check("name = \"user_preferences\"\ntop_k = 60\n", "top_k");
        check("name = \"user_preferences\"\nnamespace = \"/a/{nobody}\"\n", "memory.strategy.namespace");
        check("name = \"user_preferences\"\nnamespace = \"/prefs\"\n", "{actorId}");
        check("name = \"infrastructure_knowledge\"\nnamespace = \"/a/{sessionId}\"\n", "{actorId}");
        check("name = \"infrastructure_knowledge\"\nnamespace = \"/a/{actorId}\"\n", "{sessionId}");
    }
}
