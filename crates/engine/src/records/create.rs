//! `records_create`: stores records that a client wrote. These records are not compared with
//! stored ones.

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
/// The minimum expiry time of a record, in days after its creation.
const EXPIRY_DAYS_MIN: u32 = 31;

/// The outcome of one item as it is stored with the client token, so that a retry gets the same
/// answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RememberedItem {
    id: RecordId,
    request: Option<String>,
    /// The error of the item: the index of its kind in [`FAILURES`], and the message. `None` for
    /// a stored record.
    failure: Option<(usize, String)>,
}

/// The kinds of errors that a single item can have. Stored outcomes contain the index, so the
/// order must not change.
const FAILURES: [ErrorKind; 5] =
    [ErrorKind::NotFound, ErrorKind::Conflict, ErrorKind::Invalid, ErrorKind::TooLarge, ErrorKind::Denied];

impl Engine {
    /// Stores records that a client wrote. An item that is invalid by itself fails the whole
    /// request; an item that conflicts with the state of the memory fails alone.
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

/// Checks new records against the tombstones of erased content.
struct ErasedOrigins<'a> {
    vault: &'a dyn Vault,
    memory: &'a MemoryId,
    if_erased: IfErased,
}

impl ErasedOrigins<'_> {
    fn tombstones(&self) -> Tombstones<'_> {
        Tombstones { vault: self.vault, memory: self.memory }
    }

    /// Rejects an imported record whose content was erased in this store, or removes the
    /// tombstones if the caller may write the content again.
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

/// Checks that an expiry time in days is within the allowed range.
pub(super) fn check_days(days: u32) -> Result<()> {
    if days >= EXPIRY_DAYS_MIN {
        Ok(())
    } else {
        Err(Error::invalid(FieldName::Expiry, FieldName::ExpiryDays + " must be at least 31"))
    }
}

/// Checks that a record's text is not longer than its kind allows.
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

/// Returns the namespace of a new record. An item must name exactly one.
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
