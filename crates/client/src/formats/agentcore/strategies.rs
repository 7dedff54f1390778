//! Matches the strategies of two memories by name and kind, because the ids of one are unknown to
//! the other.

use std::collections::BTreeMap;

use loci_api::memory::{Strategy, StrategyKind};

use super::shapes::WireStrategy;

/// The strategy id on the wire of records without a strategy.
pub(super) const NONE: &str = "none";

/// The remote strategies and their local counterparts.
#[derive(Debug, Default)]
pub(super) struct Strategies {
    /// The name and the local counterpart by remote id.
    there: BTreeMap<String, There>,
    /// The remote id by local id.
    here: BTreeMap<String, String>,
    names_here: BTreeMap<String, String>,
}

#[derive(Debug)]
struct There {
    kind: Option<StrategyKind>,
    here: Option<String>,
}

impl Strategies {
    /// Matches the strategies of both sides.
    pub(super) fn of(there: &[WireStrategy], here: &[Strategy]) -> Self {
        let mut strategies = Self::default();
        for strategy in there {
            let kind = kind(strategy);
            let same =
                here.iter().find(|own| own.name == strategy.name && kind.is_none_or(|kind| kind == own.kind));
            if let Some(own) = same {
                strategies.here.insert(own.id.clone(), strategy.strategy_id.clone());
            }
            let found = There { kind, here: same.map(|own| own.id.clone()) };
            strategies.there.insert(strategy.strategy_id.clone(), found);
        }
        strategies.names_here = here.iter().map(|own| (own.id.clone(), own.name.clone())).collect();
        strategies
    }

    /// Returns the local counterpart of a remote strategy.
    pub(super) fn here(&self, there: &str) -> Option<&str> {
        self.there.get(there)?.here.as_deref()
    }

    /// Returns the remote counterpart of a local strategy.
    pub(super) fn there(&self, here: &str) -> Option<&str> {
        self.here.get(here).map(String::as_str)
    }

    /// Returns the name of a local strategy.
    pub(super) fn name_here(&self, here: &str) -> Option<&str> {
        self.names_here.get(here).map(String::as_str)
    }

    /// Returns the kind of a remote strategy's records, if they do not state it.
    pub(super) fn kind_of_records(&self, there: Option<&str>, text: &str) -> &'static str {
        let kind = there.and_then(|id| self.there.get(id)).and_then(|strategy| strategy.kind);
        match kind {
            Some(StrategyKind::UserPreference) => "preference",
            Some(StrategyKind::Summary) => "summary",
            Some(StrategyKind::Episodic) if is_reflection(text) => "reflection",
            Some(StrategyKind::Episodic) => "episode",
            Some(StrategyKind::Semantic | StrategyKind::SelfManaged) | None => "fact",
        }
    }
}

/// Returns the kind of a strategy, if its name is known.
pub(super) fn kind(strategy: &WireStrategy) -> Option<StrategyKind> {
    let custom = strategy.configuration.as_ref().and_then(|configuration| configuration.kind.as_deref());
    match (strategy.kind.as_str(), custom) {
        ("SEMANTIC", _) | ("CUSTOM", Some("SEMANTIC_OVERRIDE")) => Some(StrategyKind::Semantic),
        ("SUMMARIZATION", _) | ("CUSTOM", Some("SUMMARY_OVERRIDE")) => Some(StrategyKind::Summary),
        ("USER_PREFERENCE", _) | ("CUSTOM", Some("USER_PREFERENCE_OVERRIDE")) => {
            Some(StrategyKind::UserPreference)
        }
        ("EPISODIC", _) | ("CUSTOM", Some("EPISODIC_OVERRIDE")) => Some(StrategyKind::Episodic),
        ("CUSTOM", Some("SELF_MANAGED")) => Some(StrategyKind::SelfManaged),
        _ => None,
    }
}

/// True for a reflection. Reflections have the strategy of their episodes, so only their text
/// identifies them.
fn is_reflection(text: &str) -> bool {
    let members = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text);
    members.is_ok_and(|members| members.contains_key("use_cases") || members.contains_key("hints"))
}
