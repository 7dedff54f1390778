//! Background work of verified memory.
//!
//! It finds new commits of default branches and verifies the facts of their repositories there. It
//! expires facts that were not confirmed, used or found valid in time, and removes old cached
//! verdicts.

use loci_engine::memories::existing;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ports::code::CodePlace;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::time::DAY_MS;
use loci_model::{JobId, MemoryId, RecordId, RepositoryId, Result, Timestamp};

use super::facts::events::Scene;
use super::facts::fact_record::Remembered;
use super::reads::answers::VerifyMode;
use super::repositories::default_tip::DefaultTip;
use super::repositories::{ForgeIdentity, learn};
use super::verification::retry_schedule::{Due, due, is_done};
use super::verification::state_change::Origin;
use super::verification::state_write;
use super::verification::verdicts::CodeVerdicts;
use crate::Verified;
use loci_engine::calls::call_context::CallContext;

/// The number of repositories whose tips one round checks.
const REPOSITORIES: usize = 50;
/// The number of facts in one look at the code.
const FACTS: usize = 100;
/// The number of facts in one write, so that calls do not wait longer.
const WRITTEN: usize = 20;
/// The number of rows in one write.
const ROWS: usize = 500;
/// The prefix of a job's key, before the repository's id.
const JOB_KEY: &str = "verify:";
/// The retention of cached verdicts, in days.
const VERDICT_DAYS: i64 = 30;

/// A page of a repository's facts.
#[derive(Debug, Default)]
struct Page {
    /// The facts to verify now.
    facts: Vec<Remembered>,
    /// True if one of the facts is due for a retry later.
    is_any_later: bool,
    /// The start of the next page.
    next: Option<(Timestamp, RecordId)>,
}

impl Verified {
    /// Requests the verification of repositories whose default branch moved, expires facts, and
    /// removes old verdicts. The work of one call is bounded.
    pub(crate) async fn sweep_verified(&self, now: Timestamp) -> Result<()> {
        let before = now.plus_millis(-self.parts.settings.check_every_ms);
        let due = self
            .engine
            .store()
            .read(move |tx| tx.repositories().unchecked_since(before, REPOSITORIES))
            .await?;
        for repository in due {
            let tip = self.default_tip(&repository).await;
            let told = self.told_of(&repository).await;
            self.note_checked(&repository, tip, told, now).await?;
            for hooks in &self.parts.repositories {
                hooks.round_ended(self, &repository, now).await?;
            }
        }
        self.expire_facts(now).await?;
        let old = now.plus_millis(-VERDICT_DAYS * DAY_MS);
        self.engine.store().write(move |tx| tx.verdicts_mut().remove_before(old, ROWS).map(drop)).await
    }

    async fn note_checked(
        &self,
        repository: &Repository,
        found: Option<DefaultTip>,
        told: Option<ForgeIdentity>,
        now: Timestamp,
    ) -> Result<()> {
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (hooks, ids) = (self.parts.repositories.clone(), self.engine.ids().clone());
        let (memory, id) = (repository.memory.clone(), repository.id.clone());
        let is_new = found.as_ref().is_some_and(|found| Some(found.tip) != repository.verified_tip);
        self.engine
            .store()
            .write(move |tx| {
                let Some(mut repository) = tx.repositories().get(&memory, &id)? else { return Ok(()) };
                repository.checked_at = Some(now);
                if let Some(told) = &told {
                    learn(tx, &mut repository, told)?;
                }
                if let Some(found) = &found {
                    put_first(&mut repository.places, &found.place);
                }
                tx.repositories_mut().put(&repository)?;
                if tx.memories().get(&memory)?.is_none() {
                    return Ok(());
                }
                if is_new {
                    ask(tx, &memory, &id, &job, now)?;
                }
                let tip = found.as_ref().map(|found| &found.tip);
                hooks.iter().try_for_each(|hooks| hooks.checked(tx, &repository, tip, ids.as_ref(), now))
            })
            .await
    }

    /// Verifies all facts of a repository at the tip of its default branch, after the hooks of
    /// other products have processed that tip. A second run at one tip verifies only the facts that
    /// the first could not read.
    pub(crate) async fn verify_repository(&self, job: &Job) -> Result<()> {
        let named = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default();
        let Ok(id) = RepositoryId::parse(named) else { return Ok(()) };
        let memory = job.memory.clone();
        let place = memory.clone();
        let found = self.engine.store().read(move |tx| tx.repositories().get(&place, &id)).await?;
        let Some(repository) = found else { return Ok(()) };
        let Some(DefaultTip { place, tip, .. }) = self.default_tip(&repository).await else { return Ok(()) };
        // The work reads the place where the tip was found. That place was already checked to be
        // this repository and to decide the tip.
        let repository =
            Repository { places: vec![place], verified_tip: None, roots: Vec::new(), ..repository };
        self.ask_pending(&repository).await?;
        let mut is_done = true;
        for hooks in &self.parts.repositories {
            is_done &= hooks.tip_arrived(self, &repository, tip).await?;
        }
        let mut after = None;
        loop {
            let page = self.page(&repository, tip, after).await?;
            is_done &= !page.is_any_later;
            if !page.facts.is_empty() {
                is_done &= self.verify_page(&repository, tip, page.facts).await?;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        if !is_done {
            return Ok(()); // Something could not be read: a later round looks again.
        }
        self.engine
            .store()
            .write(move |tx| {
                let Some(mut repository) = tx.repositories().get(&memory, &repository.id)? else {
                    return Ok(());
                };
                repository.verified_tip = Some(tip);
                tx.repositories_mut().put(&repository)
            })
            .await
    }

    /// Returns a page of facts to verify at a tip now.
    async fn page(
        &self,
        repository: &Repository,
        tip: ObjectId,
        after: Option<(Timestamp, RecordId)>,
    ) -> Result<Page> {
        let (memory, id, now) = (repository.memory.clone(), repository.id.clone(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let facts = tx.facts().list(&FactPage {
                    memory: memory.clone(),
                    repository: id.clone(),
                    statuses: vec![RecordState::Active, RecordState::Quarantined],
                    choice: FactChoice::Both,
                    after: after.clone(),
                    limit: FACTS,
                })?;
                let next = facts.last().map(|fact| (fact.refreshed_at, fact.record.clone()));
                let mut page = Page { next: next.filter(|_| facts.len() == FACTS), ..Page::default() };
                let ids: Vec<RecordId> = facts.iter().map(|fact| fact.record.clone()).collect();
                let records = tx.records().get_many(&memory, &ids)?;
                for fact in facts {
                    let is_held = fact.status == RecordState::Quarantined && fact.detail.gone.is_none();
                    let record = records.iter().find(|record| record.id == fact.record).cloned();
                    let Some(record) = record.filter(|_| !is_held) else { continue };
                    let one = Remembered { record, fact };
                    if !one.is_whole() {
                        continue;
                    }
                    match due(tx, &one.fact, tip, now)? {
                        Due::Now => page.facts.push(one),
                        Due::Later => page.is_any_later = true,
                        Due::Never => {}
                    }
                }
                Ok(page)
            })
            .await
    }

    /// Verifies a page of facts. Returns true if none of them needs further work at this tip.
    async fn verify_page(
        &self,
        repository: &Repository,
        tip: ObjectId,
        facts: Vec<Remembered>,
    ) -> Result<bool> {
        let (nobody, reference) = (CallContext::default(), tip.to_string());
        let looked = self.look(repository, &nobody, Some(&reference), &facts, VerifyMode::Fresh).await?;
        let mut found = facts.iter().zip(&looked.checked);
        let are_done = found.all(|(one, checked)| is_done(&one.fact, &checked.verification));
        let scene =
            Scene::new(&Principal::engine(), &nobody, &repository.memory, &repository.id, self.engine.now())
                .at_revision(&reference, Some(tip));
        let names: Vec<RecordId> = facts.into_iter().map(|fact| fact.record.id).collect();
        let mut are_as_looked_at = true;
        for (names, checked) in names.chunks(WRITTEN).zip(looked.checked.chunks(WRITTEN)) {
            let part = CodeVerdicts {
                checked: checked.to_vec(),
                tip: looked.tip.clone(),
                ..CodeVerdicts::default()
            };
            let (verified, scene, names) = (self.clone(), scene.clone(), names.to_vec());
            are_as_looked_at &= self
                .engine
                .store()
                .write(move |tx| {
                    let memory = existing(tx, &scene.memory)?;
                    verified.write_checked(tx, &memory, &scene, &names, &part, Origin::Background)
                })
                .await?;
        }
        Ok(are_done && are_as_looked_at)
    }

    /// Expires facts past their expiry time, each with its event.
    async fn expire_facts(&self, now: Timestamp) -> Result<()> {
        loop {
            let due = self.engine.store().read(move |tx| tx.facts().expired_by(now, ROWS)).await?;
            let is_last = due.len() < ROWS;
            for (memory, id) in due {
                let verified = self.clone();
                self.engine.store().write(move |tx| verified.expire_fact(tx, &memory, &id, now)).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn expire_fact(&self, tx: &mut dyn Tx, memory: &MemoryId, id: &RecordId, now: Timestamp) -> Result<()> {
        let Some(memory) = tx.memories().get(memory)? else { return Ok(()) };
        let (fact, record) = (tx.facts().get(&memory.id, id)?, tx.records().get(&memory.id, id)?);
        let (Some(mut fact), Some(record)) = (fact, record) else { return Ok(()) };
        if fact.status != RecordState::Active || fact.expires_at > now {
            return Ok(());
        }
        let scene =
            Scene::new(&Principal::engine(), &CallContext::default(), &memory.id, &fact.repository, now);
        let (to, reason) = (RecordState::Expired, "neither confirmed, used nor found valid in time");
        state_write::state(tx, &memory, &record, to, reason, &scene.principal, now)?;
        fact.status = to;
        let event = FactEvent {
            cause: Some("time".to_owned()),
            ..scene.event(self.engine.ids().as_ref(), FactEventKind::Expired, Some(id))
        };
        state_write::fact(tx, &fact, &[event])
    }
}

/// Moves the clone with the furthest tip to the front, so that it is read first if the caller names
/// no clone.
fn put_first(places: &mut Vec<CodePlace>, best: &CodePlace) {
    let is_clone = matches!(best, CodePlace::Local(_));
    if let Some(at) = places.iter().position(|place| is_clone && place == best) {
        let best = places.remove(at);
        places.insert(0, best);
    }
}

fn ask(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    repository: &RepositoryId,
    id: &JobId,
    now: Timestamp,
) -> Result<()> {
    let job = NewJob {
        id: id.clone(),
        memory: memory.clone(),
        kind: crate::jobs::verify::KIND,
        unique_key: format!("{JOB_KEY}{repository}"),
        strategy: None,
        actor: None,
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&job, now).map(drop)
}
