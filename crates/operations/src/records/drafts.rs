//! Converts the input of a caller to unwritten records: their texts, keys and metadata. Pure,
//! except for the last step.

use jiff::tz::TimeZone;
use loci_engine::records::NewRecord;
use loci_engine::records::record_builder::{Building, Origin};
use loci_model::memory::strategy::Strategy;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{RecordId, Result, Timestamp};
use serde_json::{Value, json};

use super::incident_name::incident_name;
use super::index_text::index_text;
use super::investigation::Investigation;
use super::knowledge::{self, Knowledge};
use super::namespace_rules;
use super::precedence::{DIGEST, KEYS, seal};
use super::save::{SaveOrigin, SreSave};
use crate::contacts::known_contacts;
use crate::contacts::protected_preferences::{Class, PreferenceMember, needs_person};
use crate::input::canonical_json;
use crate::preferences::preference::Preference;
use crate::settings::SreSettings;

/// The reason for rejecting a preference of the class risk.
const REFUSED: &str = "only a person may set what lets things happen without asking";
/// The reason for holding a contact as pending.
pub(crate) const WAITS: &str = "a contact counts when a person has confirmed it";

/// An unwritten record.
pub(crate) struct Draft {
    kind: RecordKind,
    /// The source of the statement.
    pub(crate) source: SreSource,
    stored: Value,
    digest: String,
    subtype: String,
    keys: Vec<String>,
    observed_at: Timestamp,
    /// True if a person must confirm it first.
    pub(crate) waits: bool,
    more: Vec<(&'static str, String)>,
    /// Its key in the response.
    pub(crate) key: Option<String>,
    /// The reason for not storing it.
    pub(crate) refused: Option<String>,
}

/// The author of the input, with the settings that the server applies.
pub(crate) struct Speaker<'a> {
    /// The memory's settings.
    pub(crate) settings: &'a SreSettings,
    /// The name of the connection.
    pub(crate) name: &'a str,
    /// The status of an investigation according to a notice of another system.
    pub(crate) noticed: Option<ResolutionStatus>,
    /// The time zone of times of day.
    pub(crate) zone: &'a TimeZone,
    /// True if the user states it over the user's own connection: it is not a model's reply, tool
    /// output or a log.
    pub(crate) in_person: bool,
}

/// Returns the drafts of an input. `random` is the suffix of a generated incident name.
pub(crate) fn drafts(
    asked: &SreSave,
    speaker: &Speaker<'_>,
    random: &str,
    now: Timestamp,
) -> Result<Vec<Draft>> {
    let data = asked.data.clone();
    Ok(match asked.kind {
        SreType::Preferences => of_preference(asked, speaker, &Preference::read(data, now)?),
        SreType::Infrastructure => of_items(asked, data, now)?,
        SreType::Investigations => {
            let mut said = Investigation::read(data, speaker.zone, now)?;
            said.noticed = speaker.noticed;
            vec![of_investigation(asked, &said, random, now)]
        }
    })
}

/// Reads each item separately. An invalid item is rejected and the others are kept; an invalid
/// single item is an error.
fn of_items(asked: &SreSave, data: Value, now: Timestamp) -> Result<Vec<Draft>> {
    let items = knowledge::items(data)?;
    let is_alone = items.len() == 1;
    let one = |(place, item): (String, Value)| match Knowledge::read(item, &place, now) {
        Ok(known) => Ok(of_knowledge(asked, &known)),
        Err(error) if is_alone => Err(error),
        Err(error) => {
            let place = error.field.as_deref().unwrap_or(&place);
            Ok(Draft::refused(RecordKind::Fact, now, format!("{place}: {}", error.message)))
        }
    };
    items.into_iter().map(one).collect()
}

fn of_preference(asked: &SreSave, speaker: &Speaker<'_>, said: &Preference) -> Vec<Draft> {
    let guarded = needs_person(asked.source);
    let draft = |one: crate::preferences::preference::PreferenceKey| {
        let whole = PreferenceMember {
            kind: &said.kind,
            member: &one.member,
            value: &one.value,
            context: said.context.as_deref(),
        };
        let class = whole.class(speaker.settings);
        // A contact that the operator knows needs no confirmation if the user's own connection
        // states it.
        let is_known = guarded
            && speaker.in_person
            && class == Class::Contact
            && !whole.leads_elsewhere()
            && speaker.name == asked.actor
            && known_contacts::are_known(&one.value, speaker.name, speaker.settings);
        Draft {
            kind: RecordKind::Preference,
            source: if is_known { SreSource::Human } else { asked.source },
            stored: said.stored(&asked.actor, &one),
            digest: canonical_json::digest(&json!([said.kind, one.key, one.value])),
            subtype: format!("{}/{}", said.kind, one.key),
            keys: vec![one.key.clone()],
            observed_at: said.said_at,
            waits: guarded && class == Class::Contact && !is_known,
            more: vec![("preference_type", said.kind.clone()), ("key", one.key.clone())],
            key: Some(one.key),
            refused: (guarded && class == Class::Risk).then(|| REFUSED.to_owned()),
        }
    };
    said.keys().into_iter().map(draft).collect()
}

fn of_knowledge(asked: &SreSave, said: &Knowledge) -> Draft {
    let mut more = vec![
        ("service_name", said.service.clone()),
        ("knowledge_type", said.kind.as_str().to_owned()),
        ("environment", said.environment.clone()),
    ];
    more.extend(said.cluster.iter().map(|cluster| ("cluster", cluster.clone())));
    // Patterns have no keys, so none supersedes another. Similar patterns are merged as
    // repetitions.
    let about = canonical_json::digest(&json!([said.service, said.holds_in()]));
    Draft {
        kind: RecordKind::Fact,
        source: asked.source,
        stored: said.stored(&asked.actor),
        digest: said.digest(),
        subtype: format!("{}/{about}", said.kind.as_str()),
        keys: said.metrics(),
        observed_at: said.observed_at,
        waits: false,
        more,
        key: None,
        refused: None,
    }
}

fn of_investigation(asked: &SreSave, said: &Investigation, random: &str, now: Timestamp) -> Draft {
    let incident = said.incident.clone().unwrap_or_else(|| incident_name(random, now));
    let mut more =
        vec![("incident_id", incident.clone()), ("resolution_status", said.reached().as_str().to_owned())];
    more.extend(said.fingerprint.iter().map(|text| ("fingerprint", text.clone())));
    Draft {
        kind: RecordKind::Investigation,
        source: asked.source,
        stored: said.stored(&asked.actor, &incident),
        digest: canonical_json::digest(&Value::Object(said.said(&incident))),
        subtype: incident_subtype(&incident),
        keys: vec![incident.clone()],
        observed_at: said.observed_at,
        waits: false,
        more,
        key: Some(incident),
        refused: None,
    }
}

/// Returns the subtype of investigations of an incident. Their namespaces distinguish the sessions.
pub(crate) fn incident_subtype(incident: &str) -> String {
    format!("incident/{}", canonical_json::digest(&json!([incident])))
}

impl Draft {
    fn refused(kind: RecordKind, now: Timestamp, why: String) -> Self {
        Self {
            kind,
            source: SreSource::Agent,
            stored: Value::Null,
            digest: String::new(),
            subtype: String::new(),
            keys: Vec::new(),
            observed_at: now,
            waits: false,
            more: Vec::new(),
            key: None,
            refused: Some(why),
        }
    }

    /// Returns the type and the key of a preference.
    pub(crate) fn place(&self) -> (&str, &str) {
        let kind = self.more.iter().find(|(name, _)| *name == "preference_type");
        (kind.map_or("", |(_, kind)| kind.as_str()), self.key.as_deref().unwrap_or_default())
    }

    /// Returns the draft with another time of the statement.
    pub(crate) fn said_at(self, time: Timestamp) -> Self {
        Self { observed_at: time, ..self }
    }

    /// Builds the record, with safety checks and within the caller's grants.
    pub(crate) fn record(
        &self,
        building: &Building<'_>,
        strategy: &Strategy,
        asked: &SreSave,
        (spring, part): (SaveOrigin<'_>, u32),
        id: &RecordId,
    ) -> Result<Record> {
        let namespace = namespace_rules::namespace(strategy, spring.actor, spring.session)?;
        let text = |text: &str| MetadataValue::String(text.to_owned());
        let mut metadata = Metadata::from([
            ("sre_type".to_owned(), text(asked.kind.as_str())),
            (DIGEST.to_owned(), text(&self.digest)),
        ]);
        if !self.keys.is_empty() {
            metadata.insert(KEYS.to_owned(), MetadataValue::StringList(self.keys.clone()));
        }
        metadata.extend(self.more.iter().map(|(name, value)| ((*name).to_owned(), text(value))));
        let new = NewRecord {
            kind: self.kind,
            subtype: Some(self.subtype.clone()),
            strategy: Some(strategy.id.clone()),
            metadata,
            ..NewRecord::fact(
                String::new(),
                vec![namespace],
                canonical_json::text(&self.stored),
                self.observed_at,
            )
        };
        let provenance = Provenance {
            actor: Some(spring.of.0.clone()),
            session: Some(spring.of.1.clone()),
            sources: vec![Source { event: spring.event.clone(), message: 0, part }],
            ..Provenance::default()
        };
        let index_text = Some(index_text(&self.stored));
        let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text };
        let (mut record, _) = building.build(&new, id, from)?;
        seal(&mut record, self.source);
        if self.waits && record.state == RecordState::Active {
            record.state = RecordState::Candidate;
            record.state_reason = Some(WAITS.to_owned());
        }
        Ok(record)
    }
}
