//! The time that a retrieval is about (sre-memory.md ): what its arguments say, else a phrase of the question, in the user's days.

use jiff::tz::TimeZone;
use loci_model::principal::Principal;
use loci_model::{ErrorKind, MemoryId, Result, Timestamp};
use serde_json::Value;

use super::retrieving::{SreRetrieve, SreTimeFilter, SreTimeSource};
use super::{time_phrases, time_zone};
use crate::Engine;

/// Keys of a preference that is a time zone.
const ZONE_KEYS: [&str; 3] = ["timezone", "time_zone", "tz"];

/// The time, and the question without the words that say so.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct When {
    pub(super) filter: Option<SreTimeFilter>,
    pub(super) query: String,
    pub(super) warnings: Vec<String>,
}

impl When {
    /// The same question of any time.
    pub(super) fn relaxed(&self) -> Self {
        Self { filter: None, ..self.clone() }
    }

    /// From when on, and until just before when.
    pub(super) fn time(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        self.filter.as_ref().map_or((None, None), |filter| (filter.from, filter.to))
    }
}

impl Engine {
    /// The time that is asked for.
    ///
    /// # Errors
    /// `Invalid` on `since`, `until` or `tz`.
    pub(super) async fn sre_when(&self, caller: &Principal, asked: &SreRetrieve) -> Result<When> {
        let mut warnings = Vec::new();
        let own = asked.tz.as_deref().map(|name| time_zone::zone(name, "tz")).transpose()?;
        let zone = match own {
            Some(zone) => zone,
            None => self.users_zone(caller, &asked.memory, &mut warnings).await?,
        };
        // Words like "yesterday" mean what they mean now, whatever time the answer is to be of.
        let phrase = time_phrases::find(&asked.query, self.clock.now(), &zone);
        let query = phrase.as_ref().map_or_else(|| asked.query.clone(), |phrase| phrase.rest.clone());
        let given = |text: &Option<String>, field: &str| {
            let text = text.as_deref().filter(|text| !text.trim().is_empty());
            text.map(|text| time_zone::written(text.trim(), &zone, field)).transpose()
        };
        let (from, to) = (given(&asked.since, "since")?, given(&asked.until, "until")?);
        let filter = if from.is_some() || to.is_some() {
            let source = SreTimeSource::Argument;
            Some(SreTimeFilter { from, to, phrase: None, source, relaxed: false })
        } else {
            phrase.map(|phrase| SreTimeFilter {
                from: phrase.from,
                to: phrase.to,
                phrase: Some(phrase.words),
                source: SreTimeSource::Query,
                relaxed: false,
            })
        };
        if asked.explain && query != asked.query {
            warnings.push(format!("the question was read as \"{query}\""));
        }
        Ok(When { filter, query, warnings })
    }

    /// The time zone that the caller prefers, else the default.
    async fn users_zone(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        warnings: &mut Vec<String>,
    ) -> Result<TimeZone> {
        let default = time_zone::zone(&self.settings.sre.of(memory).default_timezone, "tz")?;
        let preferences = match self.sre_preferences(caller, memory, &caller.name).await {
            Ok(preferences) => preferences,
            // Not every caller is a user with preferences, and not every memory has them.
            Err(error) if is_of_user(error.kind) => return Ok(default),
            Err(error) => return Err(error),
        };
        let named = |key: &&str| preferences.values().find_map(|one| one.value.get(*key));
        let Some(name) = ZONE_KEYS.iter().find_map(named).and_then(Value::as_str) else {
            return Ok(default);
        };
        Ok(time_zone::zone(name, "timezone").unwrap_or_else(|_| {
            warnings.push(
                "the preferred time zone is none that is known: days are those of the default".to_owned(),
            );
            default
        }))
    }
}

/// True for errors that say that there are no such preferences for this caller.
fn is_of_user(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Denied | ErrorKind::Invalid | ErrorKind::Conflict)
}
