//! The time zone that a user prefers: the keys of the preference, and the default. The caller
//! decides when it is needed, because reading preferences costs time.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use loci_engine::access;
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::services::knowledge::SreType;
use loci_model::{ErrorKind, MemoryId, Result, Timestamp};

use super::time_zone;
use crate::Operations;
use crate::SreSave;
use crate::preferences::current_set::{SrePreferences, merged};
use crate::preferences::preference_lists::records_of;
use crate::records::investigation::asks_for_zone;
use crate::records::namespace_rules;

/// Keys of a preference for a time zone.
const KEYS: [&str; 3] = ["timezone", "time_zone", "tz"];
const UNKNOWN: &str = "timezone is no IANA name of a time zone, like Europe/Berlin: the default is taken";

/// A user's time zone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UsersZone {
    /// Its IANA name.
    pub(crate) name: String,
    pub(crate) zone: TimeZone,
    /// A warning about a preference that cannot be parsed.
    pub(crate) warning: Option<&'static str>,
}

impl UsersZone {
    /// Returns the default time zone.
    pub(crate) fn default(name: &str) -> Self {
        let zone = TimeZone::get(name).unwrap_or(TimeZone::UTC);
        Self { name: name.to_owned(), zone, warning: None }
    }

    /// Returns the time zone in these preferences, from the first type that has one.
    pub(crate) fn of(wanted: &BTreeMap<String, SrePreferences>, default: &str) -> Self {
        let named = |one: &'_ SrePreferences| KEYS.iter().find_map(|key| one.value.get(*key)).cloned();
        let Some(value) = wanted.values().find_map(named) else { return Self::default(default) };
        let known = value.as_str().and_then(|name| Some((name, time_zone::zone(name, "timezone").ok()?)));
        match known {
            Some((name, zone)) => Self { name: name.trim().to_owned(), zone, warning: None },
            None => Self { warning: Some(UNKNOWN), ..Self::default(default) },
        }
    }
}

impl Operations {
    /// Returns the user's preferred time zone, if the caller may read it, or else the default.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) async fn users_zone(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
    ) -> Result<UsersZone> {
        let default = self.settings.of(memory).default_timezone.as_str();
        match self.sre_preferences(caller, memory, user).await {
            Ok(wanted) => Ok(UsersZone::of(&wanted, default)),
            // Not every caller is a user with preferences, and not every memory stores them.
            Err(error) if is_of_user(error.kind) => Ok(UsersZone::default(default)),
            Err(error) => Err(error),
        }
    }

    /// Returns the zone of times of day in an investigation that names none: the user's, if the
    /// caller may read it.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn zone_of_said(
        &self,
        tx: &dyn ReadTx,
        caller: &Principal,
        (memory, asked): (&Memory, &SreSave),
        now: Timestamp,
    ) -> Result<TimeZone> {
        let settings = self.settings.of(&memory.id);
        let default = || UsersZone::default(&settings.default_timezone).zone;
        if asked.kind != SreType::Investigations || !asks_for_zone(&asked.data) {
            return Ok(default());
        }
        let of_user = || {
            let actor = namespace_rules::actor(SreType::Preferences, &asked.actor, settings)?;
            access::require_user(caller, &memory.id, (&actor, &asked.actor), Capability::Read)?;
            let view = access::bound_view(self.engine.products(), caller, &memory.id, Capability::Read, now)?;
            records_of(tx, memory, Some(&view), Some(&actor), &[RecordState::Active], now)
        };
        match of_user() {
            Ok(records) => Ok(UsersZone::of(&merged(records, settings), &settings.default_timezone).zone),
            Err(error) if is_of_user(error.kind) => Ok(default()),
            Err(error) => Err(error),
        }
    }
}

/// True for errors that mean that this caller has no such preferences.
fn is_of_user(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Denied | ErrorKind::Invalid | ErrorKind::Conflict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_zone_is_named_under_any_of_its_keys() {
        let check = |value: Value, expect: &str, is_warned: bool| {
            let value = value.as_object().unwrap().clone();
            let one = SrePreferences { value, entries: Vec::new() };
            let found = UsersZone::of(&BTreeMap::from([("style".to_owned(), one)]), "Europe/Berlin");
            assert_eq!((found.name.as_str(), found.warning.is_some()), (expect, is_warned));
            assert_eq!(found.zone, TimeZone::get(expect).unwrap());
        };
        check(json!({"timezone": "Asia/Tokyo"}), "Asia/Tokyo", false);
        check(json!({"time_zone": " Asia/Tokyo "}), "Asia/Tokyo", false);
        check(json!({"tz": "Asia/Tokyo"}), "Asia/Tokyo", false);
        check(json!({"zone": "Asia/Tokyo"}), "Europe/Berlin", false);
        check(json!({"timezone": "Atlantis"}), "Europe/Berlin", true);
        check(json!({"timezone": 1}), "Europe/Berlin", true);
        check(json!({}), "Europe/Berlin", false);
    }
}
