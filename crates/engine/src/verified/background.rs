//! In the background: new commits of default branches are seen, and the facts of their repositories verified there; facts that
//! nobody confirmed, used or found valid for too long expire; kept verdicts go when they are old.

use std::sync::Arc;

use loci_model::code::ObjectId;
use loci_model::fact::{FactEvent, FactEventKind};
use loci_model::job::{DueRule, Job, JobKind, NewJob};
use loci_model::ports::code::CodeSource;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::repository::Repository;
use loci_model::time::DAY_MS;
use loci_model::{JobId, MemoryId, RecordId, RepositoryId, Result, Timestamp};

use super::answers::VerifyMode;
use super::events::Scene;
use super::remembered::Remembered;
use super::repositories::{Told, learn};
use super::settling::Origin;
use super::standing::Standing;
use super::writing;
use crate::Engine;
use crate::memories::existing;

/// Repositories whose tips are looked at in one round.
const REPOSITORIES: usize = 50;
/// Facts that are verified in one look.
const FACTS: usize = 100;
/// Rows of one write.
const ROWS: usize = 500;
/// A job's key, before the repository's id.
const JOB_KEY: &str = "verify:";
/// Verdicts are kept so long.
const VERDICT_DAYS: i64 = 30;

impl Engine {
    /// Asks for the verification of repositories whose default branch moved on, expires facts, removes old verdicts. Bounded.
    pub(crate) async fn sweep_verified(&self, now: Timestamp) -> Result<()> {
        let before = now.plus_millis(-self.settings.verified.check_every_ms);
        let due = self.store.read(move |tx| tx.repositories().unchecked_since(before, REPOSITORIES)).await?;
        for repository in due {
            let tip = self.default_tip(&repository).await;
            let is_new = tip.is_some() && tip != repository.verified_tip;
            let told = self.told_of(&repository).await;
            self.note_checked(&repository, is_new, told, now).await?;
        }
        self.expire_facts(now).await?;
        let old = now.plus_millis(-VERDICT_DAYS * DAY_MS);
        self.store.write(move |tx| tx.verdicts_mut().remove_before(old, ROWS).map(drop)).await
    }

    /// The tip of the default branch, where it can be read.
    async fn default_tip(&self, repository: &Repository) -> Option<ObjectId> {
        let default = repository.default_ref.clone();
        let work = move |source: &dyn CodeSource| match &default {
            Some(name) => Ok(source.resolve(name)?.and_then(|revision| revision.commit())),
            None => Ok(source.default_branch()?.map(|(_, tip)| tip)),
        };
        self.on_code(repository, &Standing::default(), Arc::new(work)).await.ok().flatten()
    }

    async fn note_checked(
        &self,
        repository: &Repository,
        is_new: bool,
        told: Option<Told>,
        now: Timestamp,
    ) -> Result<()> {
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, id) = (repository.memory.clone(), repository.id.clone());
        self.store
            .write(move |tx| {
                let Some(mut repository) = tx.repositories().get(&memory, &id)? else { return Ok(()) };
                repository.checked_at = Some(now);
                if let Some(told) = &told {
                    learn(tx, &mut repository, told)?;
                }
                tx.repositories_mut().put(&repository)?;
                if is_new && tx.memories().get(&memory)?.is_some() {
                    ask(tx, &memory, &id, &job, now)?;
                }
                Ok(())
            })
            .await
    }

    /// Verifies all facts of a repository at the tip of its default branch. Run twice, it finds its own verdicts.
    pub(crate) async fn verify_repository(&self, job: &Job) -> Result<()> {
        let named = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default();
        let Ok(id) = RepositoryId::parse(named) else { return Ok(()) };
        let memory = job.memory.clone();
        let place = memory.clone();
        let found = self.store.read(move |tx| tx.repositories().get(&place, &id)).await?;
        let Some(repository) = found else { return Ok(()) };
        let Some(tip) = self.default_tip(&repository).await else { return Ok(()) };
        let mut after = None;
        let mut all_read = true;
        loop {
            let (page, next) = self.page(&repository, after).await?;
            if !page.is_empty() {
                all_read &= self.verify_page(&repository, tip, page).await?;
            }
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        if !all_read {
            return Ok(()); // Something could not be read: the next round looks again.
        }
        self.store
            .write(move |tx| {
                let Some(mut repository) = tx.repositories().get(&memory, &repository.id)? else {
                    return Ok(());
                };
                repository.verified_tip = Some(tip);
                tx.repositories_mut().put(&repository)
            })
            .await
    }

    /// Facts to verify, and where the next page starts.
    async fn page(
        &self,
        repository: &Repository,
        after: Option<(Timestamp, RecordId)>,
    ) -> Result<(Vec<Remembered>, Option<(Timestamp, RecordId)>)> {
        let (memory, id) = (repository.memory.clone(), repository.id.clone());
        self.store
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
                let next = next.filter(|_| facts.len() == FACTS);
                let held = |status: RecordState, gone: bool| status == RecordState::Quarantined && !gone;
                let facts: Vec<_> =
                    facts.into_iter().filter(|fact| !held(fact.status, fact.detail.gone.is_some())).collect();
                let ids: Vec<RecordId> = facts.iter().map(|fact| fact.record.clone()).collect();
                let records = tx.records().get_many(&memory, &ids)?;
                let joined = facts.into_iter().filter_map(|fact| {
                    let record = records.iter().find(|record| record.id == fact.record)?.clone();
                    Some(Remembered { record, fact })
                });
                Ok((joined.filter(Remembered::is_whole).collect(), next))
            })
            .await
    }

    /// True when everything could be read.
    async fn verify_page(
        &self,
        repository: &Repository,
        tip: ObjectId,
        facts: Vec<Remembered>,
    ) -> Result<bool> {
        let (nobody, reference) = (Standing::default(), tip.to_string());
        let looked = self.look(repository, &nobody, Some(&reference), &facts, VerifyMode::Fresh).await?;
        let all_read = looked.checked.iter().all(|one| one.verification.verdict.is_conclusive());
        let scene =
            Scene::new(&Principal::engine(), &nobody, &repository.memory, &repository.id, self.clock.now())
                .at_revision(&reference, Some(tip));
        let names: Vec<RecordId> = facts.into_iter().map(|fact| fact.record.id).collect();
        let engine = self.clone();
        self.store
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                engine.write_checked(tx, &memory, &scene, &names, &looked, Origin::Background)
            })
            .await?;
        Ok(all_read)
    }

    /// Facts past their time expire, each with its row.
    async fn expire_facts(&self, now: Timestamp) -> Result<()> {
        loop {
            let due = self.store.read(move |tx| tx.facts().expired_by(now, ROWS)).await?;
            let is_last = due.len() < ROWS;
            for (memory, id) in due {
                let engine = self.clone();
                self.store.write(move |tx| engine.expire_fact(tx, &memory, &id, now)).await?;
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
        let scene = Scene::new(&Principal::engine(), &Standing::default(), &memory.id, &fact.repository, now);
        let (to, reason) = (RecordState::Expired, "neither confirmed, used nor found valid in time");
        writing::state(tx, &memory, &record, to, reason, &scene.principal, now)?;
        fact.status = to;
        let event = FactEvent {
            cause: Some("time".to_owned()),
            ..scene.event(self.ids.as_ref(), FactEventKind::Expired, Some(id))
        };
        writing::fact(tx, &fact, &[event])
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
        kind: JobKind::Verify,
        unique_key: format!("{JOB_KEY}{repository}"),
        strategy: None,
        actor: None,
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&job, now).map(drop)
}
