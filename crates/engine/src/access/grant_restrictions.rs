//! Grants restricted to metadata or age: the events that a caller sees, and the metadata that its
//! writes get. [`crate::access::View`] applies the same restrictions to records.
//!
//! If a restriction leaves one possible value, the engine fills in the metadata that the caller
//! omits. It rejects other values and names the field.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::event::Event;
use loci_model::ports::store::{EventQuery, ReadTx};
use loci_model::principal::bounds::Bounds;
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::{ActorId, Error, ErrorText, FieldName, MemoryId, Result, SessionId, Timestamp};

use crate::access;

/// The events of a session that a caller may read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventView {
    /// The restrictions of the caller's grants. An event must meet at least one of them; an empty
    /// list means all events.
    parts: Vec<Bounds>,
}

/// The metadata that the restrictions of a grant add to a write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// The keys and values that the caller omitted and the engine adds.
    pub(crate) added: BTreeMap<String, String>,
    /// The metadata keys that the grant restricts.
    pub(crate) bound: BTreeSet<String>,
}

impl EventView {
    /// Creates the view that is the union of several grants on the same events.
    pub(crate) fn of(mut parts: Vec<Bounds>) -> Self {
        if parts.iter().any(Bounds::is_none) {
            parts.clear();
        }
        Self { parts }
    }

    /// Returns the restrictions for an [`EventQuery`]; `None` if the caller may see all events.
    pub fn only(&self) -> Option<Vec<Bounds>> {
        (!self.is_whole()).then(|| self.parts.clone())
    }

    /// Returns true if the view contains all events.
    pub(crate) fn is_whole(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns true if the caller may see the event.
    pub(crate) fn admits(&self, event: &Event) -> bool {
        self.is_whole() || self.parts.iter().any(|part| part.admits_event(event))
    }

    /// Returns the metadata to add to a new event with this metadata and time, so that the event
    /// is in the view.
    ///
    /// # Errors
    /// `Denied` if the event is outside the view; `Invalid` if the caller must choose a value.
    pub(crate) fn stamp(&self, metadata: &BTreeMap<String, String>, time: Timestamp) -> Result<Stamp> {
        let held = |key: &str| {
            metadata.get(key).map_or(KeyMetadataValue::Nothing, |text| KeyMetadataValue::Text(text))
        };
        completed(self.parts.iter(), held, (time, &FieldName::Time.into()))
    }
}

/// Adds metadata to a record before the write, so that the record meets one of the restrictions
/// `parts`, which all apply to its namespace.
///
/// # Errors
/// As [`EventView::stamp`].
pub(crate) fn stamp_record<'a>(parts: impl Iterator<Item = &'a Bounds>, record: &mut Record) -> Result<()> {
    let held = |key: &str| match record.metadata.get(key) {
        None => KeyMetadataValue::Nothing,
        Some(MetadataValue::String(text)) => KeyMetadataValue::Text(text),
        Some(MetadataValue::StringList(_) | MetadataValue::Number(_) | MetadataValue::DateTime(_)) => {
            KeyMetadataValue::Other
        }
    };
    let stamp = completed(parts, held, (record.timestamp, &"timestamp".into()))?;
    let added = stamp.added.into_iter().map(|(key, text)| (key, MetadataValue::String(text)));
    record.metadata.extend(added);
    Ok(())
}

/// Returns true if the caller may see some or all events of the session.
pub(crate) fn shows(
    tx: &dyn ReadTx,
    caller: &Principal,
    (memory, actor, session): (&MemoryId, &ActorId, &SessionId),
    now: Timestamp,
) -> Result<bool> {
    let Ok(view) = access::event_view(caller, memory, actor, Some(session), Capability::Read, now) else {
        return Ok(false);
    };
    if view.is_whole() {
        return Ok(true);
    }
    let query = EventQuery {
        memory: memory.clone(),
        actor: actor.clone(),
        session: session.clone(),
        branches: None,
        metadata: Vec::new(),
        only: view.only(),
        before: None,
        limit: 1,
        now,
        with_payload: false,
    };
    Ok(!tx.events().list(&query)?.is_empty())
}

/// The value of an item under one metadata key.
enum KeyMetadataValue<'a> {
    Nothing,
    Text(&'a str),
    /// A value that is not a text: a list, a number or a time.
    Other,
}

/// Returns the metadata that makes an item meet one of the restrictions, if only one choice of
/// values does.
fn completed<'a, 'h>(
    parts: impl Iterator<Item = &'a Bounds>,
    held: impl Fn(&str) -> KeyMetadataValue<'h>,
    time: (Timestamp, &ErrorText),
) -> Result<Stamp> {
    let mut found: Option<Stamp> = None;
    let mut refused = None;
    for part in parts {
        match completed_for(part, &held, time) {
            Ok(stamp) if stamp.added.is_empty() => return Ok(stamp),
            Ok(stamp) => match &found {
                Some(other) if other.added != stamp.added => {
                    let mut keys = stamp.added.keys().chain(other.added.keys());
                    let key = keys.next().map_or("", String::as_str);
                    let rule = format!(
                        "the caller's grants allow several values of metadata.{key}: say which one it is"
                    );
                    return Err(Error::invalid(format!("metadata.{key}"), rule));
                }
                Some(_) => {}
                None => found = Some(stamp),
            },
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    match (found, refused) {
        (Some(stamp), _) => Ok(stamp),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Stamp::default()),
    }
}

fn completed_for<'h>(
    part: &Bounds,
    held: &impl Fn(&str) -> KeyMetadataValue<'h>,
    (time, member): (Timestamp, &ErrorText),
) -> Result<Stamp> {
    if !part.admits_time(time) {
        let rule = " is older than the caller's grant allows: what is written could not be read again";
        return Err(Error::denied(member.clone() + rule).on(member.clone()));
    }
    let mut stamp = Stamp::default();
    for (key, allowed) in &part.metadata {
        let member = format!("metadata.{key}");
        match held(key) {
            KeyMetadataValue::Text(text) if allowed.contains(text) => {}
            KeyMetadataValue::Text(_) | KeyMetadataValue::Other => {
                let rule = format!("the caller's grants do not allow this value of {member}: leave it out");
                return Err(Error::denied(rule).on(member));
            }
            KeyMetadataValue::Nothing => {
                let mut values = allowed.iter();
                let (Some(only), None) = (values.next(), values.next()) else {
                    let choice = allowed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                    let rule = format!("{member} must be one of: {choice}");
                    return Err(Error::invalid(member, rule));
                };
                stamp.added.insert(key.clone(), only.clone());
            }
        }
        stamp.bound.insert(key.clone());
    }
    Ok(stamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::ErrorKind;

    fn bounds(pairs: &[(&str, &[&str])], since: Option<i64>) -> Bounds {
        let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        Bounds {
            metadata: pairs.iter().map(|(key, values)| ((*key).to_owned(), texts(values))).collect(),
            since: since.map(Timestamp::clamped),
        }
    }

    fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_a_write_is_given() {
        let check = |parts: &[Bounds], said: &[(&str, &str)], expect: &[(&str, &str)]| {
            let stamp = EventView::of(parts.to_vec()).stamp(&texts(said), Timestamp::clamped(10)).unwrap();
            assert_eq!(stamp.added, texts(expect), "{parts:?} {said:?}");
        };
        let red = bounds(&[("team", &["red"])], None);
        check(&[], &[], &[]);
        check(std::slice::from_ref(&red), &[], &[("team", "red")]);
        check(std::slice::from_ref(&red), &[("team", "red")], &[]);
        check(&[red.clone(), Bounds::default()], &[], &[]);
        let both = bounds(&[("team", &["blue", "red"])], None);
        check(std::slice::from_ref(&both), &[("team", "blue")], &[]);
        check(&[bounds(&[], Some(10))], &[], &[]);
        // The restriction that needs no value from the caller applies.
        check(
            &[bounds(&[("team", &["red"])], Some(11)), bounds(&[("team", &["blue"])], None)],
            &[],
            &[("team", "blue")],
        );
    }

    #[test]
    fn what_a_write_may_not_say() {
        let check = |parts: &[Bounds], said: &[(&str, &str)], kind: ErrorKind, field: &str| {
            let error =
                EventView::of(parts.to_vec()).stamp(&texts(said), Timestamp::clamped(10)).unwrap_err();
            assert_eq!((error.kind, error.field.as_deref()), (kind, Some(field)), "{parts:?} {said:?}");
        };
        let (red, blue) = (bounds(&[("team", &["red"])], None), bounds(&[("team", &["blue"])], None));
        check(std::slice::from_ref(&red), &[("team", "blue")], ErrorKind::Denied, "metadata.team");
        check(&[bounds(&[("team", &["blue", "red"])], None)], &[], ErrorKind::Invalid, "metadata.team");
        check(&[red, blue], &[], ErrorKind::Invalid, "metadata.team");
        check(&[bounds(&[], Some(11))], &[], ErrorKind::Denied, "time");
    }
}
