//! `records_create`: stores records written by a client; they are never deduplicated.

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Capability, Principal};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::{Record, RecordKind};
use loci_model::{
    Error, ErrorKind, ErrorText, FieldName, JobId, MemoryId, Namespace, RecordId, Result, limits,
};
use serde::{Deserialize, Serialize};

use super::batch::{self, Outcomes};
use super::record_builder::{Building, Origin};
use super::{BatchOutcome, ItemOutcome, RecordsCreate};
use crate::admin::erasure::{Tombstones, refusal};
use crate::calls::idempotency::{ClientToken, IfErased, look_up, remember, replayed};
use crate::calls::operation_tracing::CREATE;
use crate::memories::existing;
use crate::safety::{SafetyPolicy, Tally, check_name};
use crate::{Engine, access};

const OPERATION: &str = "BatchCreateMemoryRecords";
/// Minimum retention of a record in days.
const EXPIRY_DAYS_MIN: u32 = 31;

/// An item's outcome as stored with the token.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RememberedItem {
    id: RecordId,
    request: Option<String>,
    /// Index of the error kind in [`FAILURES`], and the message.
    failure: Option<(usize, String)>,
}

/// The error kinds that a single item can have.
const FAILURES: [ErrorKind; 5] =
    [ErrorKind::NotFound, ErrorKind::Conflict, ErrorKind::Invalid, ErrorKind::TooLarge, ErrorKind::Denied];

impl Engine {
    /// Writes records. Violations of the form fail the whole request; violations that depend on the
    /// state fail their item.
    pub async fn records_create(
        &self,
        caller: &Principal,
        request: RecordsCreate,
        token: Option<ClientToken>,
    ) -> Result<BatchOutcome> {
        let watch = self.watch(CREATE, Some(&request.memory));
        let outcome = self.create_records(caller, request, token).await;
        if let Some(watch) = watch {
            watch.tell_batch(&outcome);
        }
        outcome
    }

    async fn create_records(
        &self,
        caller: &Principal,
        request: RecordsCreate,
        token: Option<ClientToken>,
    ) -> Result<BatchOutcome> {
        let view =
            access::bound_view(&self.products, caller, &request.memory, Capability::Write, self.clock.now())?;
        check_request(&request)?;
        let token = token.map(|token| token.of(caller, &request.memory)).transpose()?;
        let now = self.clock.now();
        let fresh = || RecordId::compose(&uuid7(self.ids.as_ref(), now.millis()));
        let ids = request.records.iter().map(|_| fresh()).collect::<Result<Vec<_>>>()?;
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let by = caller.name.clone();
        let (settings, vault, products) = (self.settings.clone(), self.vault.clone(), self.products.clone());
        let texts = request.records.iter().map(|record| record.text.clone()).collect();
        let texts = self.safe_beforehand(&request.memory, texts).await?;
        let (outcome, found) = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &request.memory)?;
                let place = Some(&memory.id);
                let (of_client, vault) = (token.as_ref(), vault.as_ref());
                let before = look_up::<Vec<RememberedItem>>(tx, vault, of_client, place, OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok((recall(first), Tally::default()));
                }
                let if_erased = token.as_ref().map_or(IfErased::Answer, |token| token.if_erased);
                let erased = ErasedOrigins { vault, memory: &memory.id, if_erased };
                let view = view.within(&memory);
                let mut outcomes = Outcomes::with_capacity(ids.len());
                let mut found = Tally::default();
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let building =
                    Building { memory: &memory, view: &view, policy, expiry: request.expiry, by: &by, now };
                for (at, (new, id)) in request.records.iter().zip(&ids).enumerate() {
                    let safe = texts.get(at, &policy);
                    let path = new.path.as_deref().unwrap_or_default();
                    let named = check_name("path", path, policy.secrets);
                    let built = named.and_then(|()| building.build_from(new, id, Origin::default(), safe));
                    let written = built.and_then(|(mut record, safe)| {
                        found.add(&safe);
                        products.admit(&memory, &mut record);
                        erased.check_record(tx, &record)?;
                        building.insert(tx, &record)
                    });
                    outcomes.add(id.clone(), Some(new.request.clone()), written)?;
                }
                let outcome = outcomes.finish();
                if outcome.any_done() {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                // A request without any success may be repeated, because its cause may be corrected
                // by then.
                if outcome.any_done() {
                    remember(tx, token.as_ref(), place, OPERATION, &notes(&outcome), expires)?;
                }
                Ok((outcome, found))
            })
            .await?;
        found.tell(self.observe.as_ref());
        self.wake.call();
        Ok(outcome)
    }
}

/// The erased sources of new records.
struct ErasedOrigins<'a> {
    vault: &'a dyn Vault,
    memory: &'a MemoryId,
    if_erased: IfErased,
}

impl ErasedOrigins<'_> {
    fn tombstones(&self) -> Tombstones<'_> {
        Tombstones { vault: self.vault, memory: self.memory }
    }

    /// Rejects an imported record that was erased here, or removes its tombstones.
    fn check_record(&self, tx: &mut dyn Tx, record: &Record) -> Result<()> {
        match self.tombstones().of_import(tx, record)? {
            Some(_) if self.if_erased == IfErased::Restore => self.tombstones().lift_import(tx, record),
            Some(at) => Err(refusal("the record", at)),
            None => Ok(()),
        }
    }
}

fn check_request(request: &RecordsCreate) -> Result<()> {
    let names: Vec<_> = request.records.iter().map(|record| &record.request).collect();
    batch::check_distinct(names.into_iter(), FieldName::Request)?;
    match request.expiry {
        Some(ExpirySpecification::Remove) => {
            let rule =
                ErrorText::from("REMOVE is for updates: leave ") + FieldName::ExpirySpecification + " out";
            return Err(Error::invalid(FieldName::ExpiryAction, rule));
        }
        Some(ExpirySpecification::Days(days)) => check_days(days)?,
        None => {}
    }
    for record in &request.records {
        batch::check_metadata(&record.metadata)?;
        check_text(&record.text, record.kind)?;
        for short in [&record.subtype, &record.title, &record.path, &record.description, &record.scope] {
            if short.as_ref().is_some_and(|text| text.chars().count() > limits::SHORT_TEXT_CHARS_MAX) {
                let rule = "subtype, title, path, description and scope must have at most 4,096 characters";
                return Err(Error::invalid("records", rule));
            }
        }
    }
    Ok(())
}

/// Checks a retention of records in days.
pub(super) fn check_days(days: u32) -> Result<()> {
    if days >= EXPIRY_DAYS_MIN {
        Ok(())
    } else {
        Err(Error::invalid(FieldName::Expiry, FieldName::ExpiryDays + " must be at least 31"))
    }
}

/// Checks the length of a record's text.
pub(super) fn check_text(text: &str, kind: RecordKind) -> Result<()> {
    let limit = match kind {
        RecordKind::Document => limits::DOCUMENT_TEXT_CHARS_MAX,
        RecordKind::Fact
        | RecordKind::Preference
        | RecordKind::Summary
        | RecordKind::Episode
        | RecordKind::Reflection
        | RecordKind::Rule
        | RecordKind::Investigation => limits::RECORD_TEXT_CHARS_MAX,
    };
    let length = text.chars().count();
    if (1..=limit).contains(&length) {
        Ok(())
    } else {
        Err(Error::invalid("content.text", format!("content.text must have 1 to {limit} characters")))
    }
}

/// Returns the one namespace of an item.
pub(super) fn one_namespace(namespaces: &[Namespace]) -> Result<&Namespace> {
    match namespaces {
        [one] => Ok(one),
        _ => Err(Error::invalid("namespaces", "a record is in exactly one namespace")),
    }
}

fn notes(outcome: &BatchOutcome) -> Vec<RememberedItem> {
    let failure = |kind: ErrorKind, message: &String| {
        let place = FAILURES.iter().position(|known| *known == kind).unwrap_or(FAILURES.len());
        (place, message.clone())
    };
    outcome
        .items
        .iter()
        .map(|item| RememberedItem {
            id: item.id.clone(),
            request: item.request.clone(),
            failure: item.result.as_ref().err().map(|(kind, message)| failure(*kind, message)),
        })
        .collect()
}

fn recall(items: Vec<RememberedItem>) -> BatchOutcome {
    let kind = |place: usize| FAILURES.get(place).copied().unwrap_or(ErrorKind::Invalid);
    let items = items.into_iter().map(|item| ItemOutcome {
        id: item.id,
        request: item.request,
        result: item.failure.map_or(Ok(()), |(place, message)| Err((kind(place), message))),
    });
    BatchOutcome { items: items.collect() }
}
