//! `sre_import`: imports lines of an export as records, each by the rules of its type and with its
//! own event. The caller must administer the memory. By default the source is `imported`, which has
//! the lowest rank: contacts wait for a person, and preferences of the class risk are rejected.
//! With `keep_sources` the administrator vouches for the file, as for a declared one, and each line
//! keeps its original source.

use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::admin::erasure::{SRE_IMPORT_ID, Tombstones};
use loci_engine::calls::idempotency::IfErased;
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::memories::existing;
use loci_engine::records::NewRecord;
use loci_engine::records::batch;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{Error, ErrorKind, EventId, MemoryId, RecordId, Result, Timestamp, limits};
use serde_json::{Value, json};

use super::erased_lines::LinePlace;
use super::record_lines::{ContentAdditions, SreLine, SreRecordContent, is_of_alert, parted};
use crate::Operations;
use crate::contacts::protected_preferences::needs_person;
use crate::input::{canonical_json, secret_mask};
use crate::investigations::OUTCOME;
use crate::preferences::preference;
use crate::records::drafts::{Draft, Speaker, WAITS, drafts};
use crate::records::namespace_rules;
use crate::records::precedence::{CONFLICT, DIGEST, GONE, SreAction, keep, said_of_it, seal, word};
use crate::records::repetition::TIMES;
use crate::records::save::{EVENT_TYPE, OWNER, SCOPE, SCOPE_PRIVATE, SaveOrigin, SreKept, SreSave, near};
use crate::retrieval::scores::{CONFIRMED_BY, REFUTED_BY, TRUST, UNTRUSTED};
use crate::settings::SreSettings;
use crate::times::users_zone::UsersZone;

/// A request to import lines.
#[derive(Clone, PartialEq)]
pub struct SreImport {
    /// The memory into which the lines are imported.
    pub memory: MemoryId,
    /// The lines; at most [`limits::SRE_BATCH_ITEMS_MAX`].
    pub lines: Vec<SreLine>,
    /// True to keep the source of each line, on the authority of the importing administrator.
    pub keep_sources: bool,
    /// True for a dry run: the call reports the changes and writes nothing.
    pub dry_run: bool,
    /// The treatment of lines whose records were erased here.
    pub if_erased: IfErased,
}

/// The result for a line: an error if it breaks a rule; `None` for a valid line of a dry run.
pub type SreImportedLine = std::result::Result<Option<SreKept>, Error>;

/// A validated line.
struct ValidLine {
    at: usize,
    line: SreLine,
    asked: SreSave,
    told: ContentAdditions,
    /// `None` for plain text, which is stored unchanged.
    draft: Option<Draft>,
    event: PreparedEvent,
}

impl Operations {
    /// Imports lines, or validates them. Invalid lines are reported, and the others are written in
    /// one transaction.
    ///
    /// # Errors
    /// `Denied` if the caller does not administer the whole memory; `Invalid` for more lines than
    /// one request may have.
    pub async fn sre_import(&self, caller: &Principal, asked: SreImport) -> Result<Vec<SreImportedLine>> {
        access::require_whole(caller, &asked.memory, Capability::Admin)?;
        if asked.lines.len() > limits::SRE_BATCH_ITEMS_MAX {
            let rule = format!("records must have at most {} items", limits::SRE_BATCH_ITEMS_MAX);
            return Err(Error::invalid("records", rule));
        }
        let id = asked.memory.clone();
        let memory = self.engine.store().read(move |tx| existing(tx, &id)).await?;
        let now = self.engine.now();
        let naming = self.sre_naming(now)?;
        let mut results: Vec<SreImportedLine> = Vec::new();
        let mut ready = Vec::new();
        for (at, line) in asked.lines.iter().enumerate() {
            let one = self.sre_ready(caller, &memory, (at, line), asked.keep_sources, now);
            match one {
                Ok(one) => {
                    results.push(Ok(one.draft.as_ref().and_then(refused)));
                    if matches!(results.last(), Some(Ok(None))) {
                        ready.push(one);
                    }
                }
                Err(error) if is_of_line(error.kind) => results.push(Err(error)),
                Err(error) => return Err(error),
            }
        }
        if ready.is_empty() {
            return Ok(results);
        }
        let (operations, caller, if_erased) = (self.clone(), caller.clone(), asked.if_erased);
        if asked.dry_run {
            return self.sre_would_import(memory, ready, results, if_erased).await;
        }
        let kept = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory.id)?;
                let mut kept = Vec::new();
                for (one, id) in ready.iter().zip(naming.ids()) {
                    kept.push((
                        one.at,
                        operations.sre_import_in(tx, &caller, (&memory, one), (id, if_erased), now)?,
                    ));
                }
                batch::ask_for_vectors(tx, &memory.id, naming.job(), now)?;
                Ok(kept)
            })
            .await?;
        for (at, kept) in kept {
            if let Some(result) = results.get_mut(at) {
                *result = kept.map(Some);
            }
        }
        self.engine.wake().call();
        Ok(results)
    }

    /// Returns the results of a dry run. A line whose record was erased here would be rejected.
    async fn sre_would_import(
        &self,
        memory: Memory,
        ready: Vec<ValidLine>,
        mut results: Vec<SreImportedLine>,
        if_erased: IfErased,
    ) -> Result<Vec<SreImportedLine>> {
        if if_erased == IfErased::Restore {
            return Ok(results);
        }
        let (operations, vault) = (self.clone(), self.engine.vault().clone());
        let refused = self
            .engine
            .store()
            .read(move |tx| {
                let tombstones = Tombstones { vault: vault.as_ref(), memory: &memory.id };
                let settings = operations.settings.of(&memory.id);
                let mut refused = Vec::new();
                for one in &ready {
                    match one.place(&memory, settings, |place| place.refuse(tx, &tombstones)) {
                        Ok(()) => {}
                        Err(error) if is_of_line(error.kind) => refused.push((one.at, error)),
                        Err(error) => return Err(error),
                    }
                }
                Ok(refused)
            })
            .await?;
        for (at, error) in refused {
            if let Some(result) = results.get_mut(at) {
                *result = Err(error);
            }
        }
        Ok(results)
    }

    /// Validates a line by the rules of its type, and masks its secrets.
    fn sre_ready(
        &self,
        caller: &Principal,
        memory: &Memory,
        (at, line): (usize, &SreLine),
        keep_sources: bool,
        now: Timestamp,
    ) -> Result<ValidLine> {
        namespace_rules::strategy(memory, line.kind)?;
        line.check(now)?;
        let settings = self.settings.of(&memory.id);
        let masks = SafetyPolicy::of(self.engine.settings(), &memory.settings).secrets;
        let (data, mut told) = match &line.said {
            SreRecordContent::Data(data) => parted(line.kind, data.clone())?,
            SreRecordContent::Text(text) => (json!({ "text": text }), ContentAdditions::default()),
        };
        if let Some(outcome) = told.outcome_mut() {
            secret_mask::mask(outcome, masks);
        }
        let mut asked = SreSave {
            memory: memory.id.clone(),
            kind: line.kind,
            actor: line.actor.clone(),
            session: line.session.clone(),
            data,
            source: if keep_sources { line.source } else { SreSource::Imported },
        };
        let event = self.sre_imported_event(caller, &asked, now)?;
        self.sre_masked(memory, &mut asked);
        let draft = match &line.said {
            SreRecordContent::Text(_) => None,
            SreRecordContent::Data(_) => {
                let zone = &UsersZone::default(&settings.default_timezone).zone;
                let (name, noticed) = (caller.name.as_str(), told.noticed);
                let speaker = Speaker { settings, name, zone, noticed, in_person: false };
                let draft = only(drafts(&asked, &speaker, "", now)?)?;
                named(&asked)?;
                Some(draft)
            }
        };
        let draft = draft.map(|draft| draft.said_at(line.observed_at));
        Ok(ValidLine { at, line: line.clone(), asked, told, draft, event })
    }

    fn sre_imported_event(
        &self,
        caller: &Principal,
        asked: &SreSave,
        now: Timestamp,
    ) -> Result<PreparedEvent> {
        let actor = namespace_rules::actor(asked.kind, &asked.actor, self.settings.of(&asked.memory))?;
        let session = namespace_rules::session(asked.kind, asked.session.as_deref())?;
        let view = access::event_view(caller, &asked.memory, &actor, Some(&session), Capability::Write, now)?;
        let mut event = self.engine.prepare(NewEvent {
            memory: asked.memory.clone(),
            actor,
            session: Some(session),
            time: None,
            payload: Vec::new(),
            branch: None,
            metadata: BTreeMap::from([(EVENT_TYPE.to_owned(), asked.kind.as_str().to_owned())]),
            extraction: ExtractionMode::Skip,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        })?;
        event.put_within(&view)?;
        Ok(event)
    }

    /// Writes a line. Errors of the line are returned before anything of it is written.
    fn sre_import_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        (memory, ready): (&Memory, &ValidLine),
        (id, if_erased): (&RecordId, IfErased),
        now: Timestamp,
    ) -> Result<std::result::Result<SreKept, Error>> {
        let asked = &ready.asked;
        let tombstones = Tombstones { vault: self.engine.vault().as_ref(), memory: &memory.id };
        let settings = self.settings.of(&memory.id);
        let checked =
            ready.place(memory, settings, |place| place.restore_or_refuse(tx, &tombstones, if_erased));
        match checked {
            Ok(()) => {}
            Err(error) if is_of_line(error.kind) => return Ok(Err(error)),
            Err(error) => return Err(error),
        }
        let strategy = namespace_rules::strategy(memory, asked.kind)?;
        let view = access::bound_view(self.engine.products(), caller, &memory.id, Capability::Write, now)?;
        let masks = SafetyPolicy::of(self.engine.settings(), &memory.settings);
        let by = caller.name.as_str();
        let declared = asked.source == SreSource::Declared;
        let days = strategy.record_expiry_days.filter(|_| !declared).into_iter();
        // Confirmed records keep their longer retention.
        let days = days.map(|days| ready.line.expiry_days.map_or(days, |own| own.max(days))).next();
        let expiry = days.map(ExpirySpecification::Days);
        // JSON content is already masked, value by value; plain text is masked when the record is
        // built.
        let secrets = if ready.draft.is_some() { RedactionMode::Off } else { masks.secrets };
        let policy = SafetyPolicy { secrets, ..masks };
        let building = Building { memory, view: &view, policy, expiry, by, now };
        let of = (ready.event.actor(), ready.event.session());
        let private_to = ready.line.private_to.as_deref();
        // Build the record before writing its event: if this fails, nothing of the line is stored.
        let to_come = EventId::compose(now.millis(), 0);
        let spring = SaveOrigin { actor: of.0, session: of.1, event: &to_come, of, private_to, making: None };
        let made = self.sre_imported_record(&building, strategy, ready, spring, id);
        let text = canonical_json::text(&asked.data);
        let payload = vec![PayloadItem::Conversational { role: Role::Assistant, text }];
        let event = ready.event.with_masked(payload);
        let written = made.and_then(|record| {
            let stored = self.engine.event_store_in(tx, caller, memory, &event, None)?;
            Ok((record, stored.event.id))
        });
        let (mut record, event) = match written {
            Ok(written) => written,
            Err(error) if matches!(error.kind, ErrorKind::Invalid | ErrorKind::TooLarge) => {
                return Ok(Err(error));
            }
            Err(error) => return Err(error),
        };
        for source in &mut record.provenance.sources {
            source.event = event.clone();
        }
        let spring = SaveOrigin { event: &event, ..spring };
        let scope = near(memory, asked, spring, now)?;
        let scope = RecordScope { view: view.clauses().to_vec(), ..scope };
        let key = ready.draft.as_ref().and_then(|draft| draft.key.clone());
        let reason = record.state_reason.clone();
        let (record, action) = ready.keep(tx, &building, record, scope)?;
        Ok(Ok(SreKept { record: Some(record), key, action, reason }))
    }

    /// Returns the unwritten record of a line.
    fn sre_imported_record(
        &self,
        building: &Building<'_>,
        strategy: &Strategy,
        ready: &ValidLine,
        spring: SaveOrigin<'_>,
        id: &RecordId,
    ) -> Result<Record> {
        let asked = &ready.asked;
        let mut record = match &ready.draft {
            Some(draft) => draft.record(building, strategy, asked, (spring, 0), id)?,
            None => {
                let mut record = in_words(building, ready, (spring, spring.event), id)?;
                let settings = self.settings.of(&building.memory.id);
                let is_protected = asked.kind == SreType::Preferences
                    && needs_person(asked.source)
                    && preference::is_protected(&record.text, settings);
                if is_protected {
                    waits(&mut record);
                }
                record
            }
        };
        ready.finish(&mut record);
        Ok(record)
    }
}

impl ValidLine {
    /// Runs `look` on the line and its destination.
    fn place(
        &self,
        memory: &Memory,
        settings: &SreSettings,
        look: impl FnOnce(&LinePlace<'_>) -> Result<()>,
    ) -> Result<()> {
        let (actor, session) = (self.event.actor(), self.event.session());
        let namespace =
            namespace_rules::namespace(namespace_rules::strategy(memory, self.asked.kind)?, actor, session)?;
        look(&LinePlace { line: &self.line, actor, namespace: &namespace, settings })
    }

    /// Adds the members and metadata of the line that are not part of the author's content.
    fn finish(&self, record: &mut Record) {
        let line = &self.line;
        if let Ok(Value::Object(mut content)) = serde_json::from_str::<Value>(&record.text)
            && self.draft.is_some()
        {
            let before = content.clone();
            self.told.with(&mut content);
            if content != before {
                let content = Value::Object(content);
                record.text = canonical_json::text(&content);
                record.index_text = Some(canonical_json::values_text(&content));
                seal(record, self.asked.source);
            }
        }
        let text = |text: &str| MetadataValue::String(text.to_owned());
        let mut put = |key: &str, value: Option<MetadataValue>| {
            record.metadata.extend(value.map(|value| (key.to_owned(), value)));
        };
        let list = |all: &[String]| (!all.is_empty()).then(|| MetadataValue::StringList(all.to_vec()));
        put(OUTCOME, self.told.judged().map(text));
        put(GONE, list(&line.superseded_keys));
        put(CONFIRMED_BY, list(&line.confirmed_by));
        put(REFUTED_BY, list(&line.refuted_by));
        put(TIMES, line.seen.map(|times| MetadataValue::Number(times as f64)));
        put(SRE_IMPORT_ID, line.record.as_ref().map(|id| text(id.as_str())));
        put(SCOPE, line.private_to.as_ref().map(|_| text(SCOPE_PRIVATE)));
        put(OWNER, line.private_to.as_deref().map(text));
        // The source of an imported record no longer shows that its text is only that of an alert.
        let is_untrusted = line.untrusted
            || matches!(&line.said, SreRecordContent::Data(data) if is_of_alert(line.source, data));
        put(TRUST, is_untrusted.then(|| text(UNTRUSTED)));
        if line.waits {
            waits(record);
        }
    }

    /// Saves the record among the known ones. A conflict in the source memory is a conflict here if
    /// the other record was imported too.
    fn keep(
        &self,
        tx: &mut dyn Tx,
        building: &Building<'_>,
        mut record: Record,
        scope: RecordScope,
    ) -> Result<(RecordId, SreAction)> {
        let rivals = said_of_it(tx, scope.clone(), record.subtype.as_deref().unwrap_or_default())?;
        let came_from = |one: &&Record, id: &RecordId| word(one, SRE_IMPORT_ID) == Some(id.as_str());
        let is_again = |one: &&Record| {
            self.line.record.as_ref().is_some_and(|id| came_from(one, id))
                && word(one, DIGEST) == word(&record, DIGEST)
                && one.state == record.state
        };
        if let Some(known) = rivals.iter().find(is_again) {
            return Ok((known.id.clone(), SreAction::Duplicate));
        }
        let greater =
            self.line.contradicts.as_ref().and_then(|id| {
                rivals.iter().find(|one| one.state == RecordState::Active && came_from(one, id))
            });
        let Some(greater) = greater.filter(|_| record.state == RecordState::Active) else {
            return keep(tx, building, record, scope);
        };
        record.metadata.insert(CONFLICT.to_owned(), MetadataValue::String(greater.id.to_string()));
        building.insert(tx, &record)?;
        Ok((record.id, SreAction::Conflict))
    }
}

fn waits(record: &mut Record) {
    if record.state == RecordState::Active {
        record.state = RecordState::Candidate;
        record.state_reason = Some(WAITS.to_owned());
    }
}

/// Returns the only draft of a line.
fn only(mut drafts: Vec<Draft>) -> Result<Draft> {
    let rule =
        "a line is one record: preference_value must have one member, and infrastructure be one object";
    match (drafts.pop(), drafts.is_empty()) {
        (Some(draft), true) => Ok(draft),
        (Some(_) | None, _) => Err(Error::invalid("data", rule)),
    }
}

/// Requires that a line names its incident. Otherwise each import would create another incident.
fn named(asked: &SreSave) -> Result<()> {
    let incident = asked.data.get("incident_id").and_then(Value::as_str).unwrap_or_default();
    if asked.kind == SreType::Investigations && incident.trim().is_empty() {
        return Err(Error::invalid(
            "data.incident_id",
            "incident_id is required in a line of an investigation",
        ));
    }
    Ok(())
}

fn refused(draft: &Draft) -> Option<SreKept> {
    let reason = draft.refused.clone()?;
    let action = SreAction::Rejected;
    Some(SreKept { record: None, key: draft.key.clone(), action, reason: Some(reason) })
}

/// True for errors of a single line, which do not affect the others.
fn is_of_line(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::Conflict)
}

/// Returns plain text as a record. It is stored unchanged, and its digest identifies a repetition.
fn in_words(
    building: &Building<'_>,
    ready: &ValidLine,
    (spring, event): (SaveOrigin<'_>, &EventId),
    id: &RecordId,
) -> Result<Record> {
    let (asked, line) = (&ready.asked, &ready.line);
    let SreRecordContent::Text(text) = &line.said else { return Err(Error::bug("words that are none")) };
    let strategy = namespace_rules::strategy(building.memory, asked.kind)?;
    let namespace = namespace_rules::namespace(strategy, spring.actor, spring.session)?;
    let digest = canonical_json::digest(&json!([text]));
    let word = |text: &str| MetadataValue::String(text.to_owned());
    let new = NewRecord {
        kind: match asked.kind {
            SreType::Preferences => RecordKind::Preference,
            SreType::Infrastructure => RecordKind::Fact,
            SreType::Investigations => RecordKind::Investigation,
        },
        subtype: Some(format!("text/{digest}")),
        strategy: Some(strategy.id.clone()),
        metadata: [("sre_type".to_owned(), word(asked.kind.as_str())), (DIGEST.to_owned(), word(&digest))]
            .into(),
        ..NewRecord::fact(String::new(), vec![namespace], text.clone(), line.observed_at)
    };
    let provenance = Provenance {
        actor: Some(spring.of.0.clone()),
        session: Some(spring.of.1.clone()),
        sources: vec![Source { event: event.clone(), message: 0, part: 0 }],
        ..Provenance::default()
    };
    let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text: None };
    let (mut record, _) = building.build(&new, id, from)?;
    seal(&mut record, asked.source);
    Ok(record)
}
