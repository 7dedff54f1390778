//! The job of an alert: processes all pending notices of one alert in order. Updating an
//! investigation and completing the delivery happen in one transaction. Opening an investigation is
//! a separate transaction before the delivery is completed. After a crash between the two, the
//! retry finds the investigation open and changes nothing.

use loci_engine::access;
use loci_engine::deliveries::incoming_deliveries::{JOB_KEY, ProcessingEnd, ignored};
use loci_engine::memories::existing;
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::services::alert_notice::{AlertNotice, AlertSource};
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{Error, ErrorKind, MemoryId, Result, Timestamp};
use serde_json::{Map, Value, json};

use super::super::SreSave;
use super::super::investigations::{StoredInvestigation, of_fingerprint};
use super::alert_delivery::StoredNotice;
use super::effect::{Effect, effect};
use crate::Operations;
use crate::records::incident_name::{incident_name, incident_random};
use crate::records::save::{InvestigationSeed, SaveAs};

/// The maximum number of deliveries per round.
const DELIVERIES: usize = 200;
/// The maximum number of attempts to apply a notice after write conflicts.
const TRIES: u32 = 5;

impl Operations {
    /// Processes the pending deliveries of the alert that a job names.
    pub(crate) async fn handle_alert(&self, job: &Job) -> Result<ProcessingEnd> {
        let key = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default().to_owned();
        let memory = job.memory.clone();
        let direction = DeliveryDirection::In;
        let waiting = self
            .engine
            .store()
            .read(move |tx| tx.deliveries().of_key(&memory, direction, &key, DELIVERIES))
            .await?;
        let is_full = waiting.len() == DELIVERIES;
        let mut failed = None;
        for row in in_order(waiting)? {
            let now = self.engine.now();
            let Err(error) = self.deal_with_alert_anew(&row, now).await else { continue };
            match self.engine.note_failed(vec![row], &error, now).await? {
                // Later deliveries of the alert wait for this one.
                again @ ProcessingEnd::Again { .. } => return Ok(again),
                given_up => failed = Some(given_up),
            }
        }
        let goes_on = if is_full { ProcessingEnd::Later(self.engine.now()) } else { ProcessingEnd::Done };
        Ok(failed.filter(|_| !is_full).unwrap_or(goes_on))
    }

    /// Applies a notice, and retries if another writer changed the investigation in the meantime.
    async fn deal_with_alert_anew(&self, row: &Delivery, now: Timestamp) -> Result<()> {
        for _ in 1..TRIES {
            match self.deal_with_alert(row, now).await {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                done => return done,
            }
        }
        self.deal_with_alert(row, now).await
    }

    async fn deal_with_alert(&self, row: &Delivery, now: Timestamp) -> Result<()> {
        let kept = StoredNotice::read(&row.body)?;
        let Some(news) = kept.alert.clone() else {
            return self.engine.note_received(vec![done(row, kept, None, now)?]).await;
        };
        if !self.settings.of(&row.memory).enabled {
            return self.engine.note_received(vec![done(row, kept, Some("memory_off"), now)?]).await;
        }
        let source = AlertSource::parse(&row.target)
            .ok_or_else(|| Error::bug("an alert that came in is of no known source"))?;
        // The hook endpoint has authenticated the sender; `effect` limits the changes that a notice
        // can make.
        let caller = Principal::administrator(format!("hook {}", source.as_str()));
        let known = self.alert_known(&caller, &row.memory, &news, now).await?;
        match effect(source, &news, &known, now) {
            Effect::Nothing(why) => {
                self.engine.note_received(vec![done(row, kept, Some(why), now)?]).await?;
                self.sre_tell_alert(source, "ignored");
                Ok(())
            }
            Effect::Opens(content) => {
                self.open_by_alert(&caller, &row.memory, source, content, now).await?;
                self.sre_tell_alert(source, "opened");
                self.engine.note_received(vec![done(row, kept, None, now)?]).await
            }
            Effect::Adds(at, content) => {
                let Some(one) = known.get(at).cloned() else {
                    return Err(Error::bug("an alert's investigation is lost"));
                };
                self.add_to_investigation(&caller, one, content, done(row, kept, None, now)?).await?;
                self.sre_tell_alert(source, "joined");
                Ok(())
            }
        }
    }

    async fn alert_known(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        news: &AlertNotice,
        now: Timestamp,
    ) -> Result<Vec<StoredInvestigation>> {
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, now)?;
        let (id, fingerprint) = (memory.clone(), news.fingerprint.clone());
        let same = self
            .engine
            .store()
            .read(move |tx| of_fingerprint(tx, &existing(tx, &id)?, &view, &fingerprint, now))
            .await?;
        if same.is_partial {
            tracing::warn!(%memory, "an alert has more investigations than are looked at: the newest count");
        }
        // A user's private investigation is not the team's investigation.
        Ok(same.known.into_iter().filter(|one| one.private_to().is_none()).collect())
    }

    /// Opens an investigation for the team. Its actor is the name of the alerting system, because
    /// it belongs to no user.
    async fn open_by_alert(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        source: AlertSource,
        mut content: Map<String, Value>,
        now: Timestamp,
    ) -> Result<()> {
        let incident = incident_name(&incident_random(self.engine.ids().as_ref()), now);
        content.insert("incident_id".to_owned(), json!(incident));
        let fingerprint = content.get("fingerprint").and_then(Value::as_str).unwrap_or_default().to_owned();
        // The save derives the source of the status from the source of the request.
        content.remove("status_source");
        let status = content.remove("resolution_status");
        let noticed = status.as_ref().and_then(Value::as_str).and_then(ResolutionStatus::parse);
        let save = SreSave {
            memory: memory.clone(),
            kind: SreType::Investigations,
            actor: source.as_str().to_owned(),
            session: Some(incident),
            data: Value::Object(content),
            source: SreSource::Webhook,
        };
        // If a concurrent writer opens one, the next attempt of the job sees it.
        let first_of = (!fingerprint.is_empty()).then_some(InvestigationSeed {
            fingerprint,
            user: None,
            is_private: false,
        });
        let how = SaveAs { joined: true, noticed, first_of, ..SaveAs::default() };
        self.sre_save_as(caller, save, how).await.map(drop)
    }

    async fn add_to_investigation(
        &self,
        caller: &Principal,
        known: StoredInvestigation,
        content: Map<String, Value>,
        row: Delivery,
    ) -> Result<()> {
        let place = (row.memory.clone(), known.record.id.clone());
        let changed = || Error::conflict("the investigation was changed meanwhile: it is read again");
        let added = self.rewrite(caller, (&place.0, &place.1), move |tx, rewriting| {
            if rewriting.known.record.version != known.record.version {
                return Err(changed());
            }
            let status = content.get("resolution_status").and_then(Value::as_str).map(str::to_owned);
            rewriting.write(tx, content.clone(), "its alert said more", |next| {
                let status =
                    status.map(|status| ("resolution_status".to_owned(), MetadataValue::String(status)));
                next.metadata.extend(status);
            })?;
            tx.deliveries_mut().note_received(&row).map(drop)
        });
        added.await.map_err(|error| if error.kind == ErrorKind::NotFound { changed() } else { error })
    }
}

/// Sorts deliveries by the time of the event they report, or else by arrival. Notices that arrive
/// out of order are thus reordered while both are pending.
fn in_order(waiting: Vec<Delivery>) -> Result<Vec<Delivery>> {
    let mut all = waiting
        .into_iter()
        .map(|row| {
            let alert = StoredNotice::read(&row.body)?.alert;
            let at =
                alert.as_ref().and_then(|news| news.ends_at.or(news.starts_at)).unwrap_or(row.created_at);
            Ok((at, row.created_at, row.id.clone(), row))
        })
        .collect::<Result<Vec<_>>>()?;
    all.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    Ok(all.into_iter().map(|(.., row)| row).collect())
}

/// Returns a completed delivery: its id stays, its notice is removed.
fn done(row: &Delivery, kept: StoredNotice, why: Option<&str>, now: Timestamp) -> Result<Delivery> {
    Ok(Delivery {
        state: DeliveryState::Done,
        due: now,
        last_error: why.map(ignored),
        body: StoredNotice { alert: None, ..kept }.document()?,
        ..row.clone()
    })
}
