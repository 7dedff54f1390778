//! Weighs rules again after a change of their settings: in the write that changes a repository's
//! own settings, and in the next sweep after a change of the server's.

use std::collections::BTreeMap;

use loci_engine::records::{batch, state_transition::StateTransition};
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::tasks::rule::RuleSupport;
use loci_model::time::DAY_MS;
use loci_model::{JobId, Result, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Coding;
use crate::repositories::progress::{RepositoryProgress, RepositoryWork};
use crate::reviews::overridden;
use crate::rules::reviewer_erasure::shelf;
use crate::rules::state_transition::{News, RuleContext, settle};
use crate::rules::support_update::BY;
use crate::settings::CodingSettings;
use crate::tasks::task_namespaces;

/// The version of the weighing procedure. A new version weighs all rules again.
const WEIGHING: &str = "weighing@2";
/// The maximum number of repositories of one sweep.
const REPOSITORIES: usize = 1_000;

/// The settings by which the rules of a repository were last weighed.
#[derive(Debug, Serialize, Deserialize)]
struct WeighingSettings {
    settings: String,
}

impl RepositoryWork for WeighingSettings {
    const KEY: &'static str = "rules";
}

impl Coding {
    /// Weighs the rules of repositories whose settings in force differ from those of the last
    /// weighing.
    pub(crate) async fn sweep_rules(&self, now: Timestamp) -> Result<()> {
        let (all, server) = (now.plus_millis(DAY_MS), self.parts.settings.clone());
        let of = server.clone();
        let outdated = self
            .engine
            .store()
            .read(move |tx| {
                let mut outdated = Vec::new();
                for repository in tx.repositories().unchecked_since(all, REPOSITORIES)? {
                    if is_outdated(tx, &repository, &of)? {
                        outdated.push(repository);
                    }
                }
                Ok(outdated)
            })
            .await?;
        for repository in outdated {
            let (server, job) =
                (server.clone(), JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?);
            self.engine
                .store()
                .write(move |tx| {
                    let Some(memory) = tx.memories().get(&repository.memory)? else { return Ok(()) };
                    // Read again, because its own settings may have changed since.
                    let Some(repository) = tx.repositories().get(&memory.id, &repository.id)? else {
                        return Ok(());
                    };
                    let changing = StateTransition { memory: &memory, by: BY, at: now };
                    reweigh(tx, &changing, &repository, (&server, &job))
                })
                .await?;
            self.engine.wake().call();
        }
        Ok(())
    }
}

/// Weighs all rules of a repository by the settings in force, if they differ from the last ones.
/// Requests vectors of the rules that come into force.
pub(crate) fn reweigh(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    repository: &Repository,
    (server, job): (&CodingSettings, &JobId),
) -> Result<()> {
    if !is_outdated(tx, repository, server)? {
        return Ok(());
    }
    let actor = task_namespaces::actor_of(repository)?;
    let settings = server.of(Some(repository)).rules;
    let ruler = RuleContext { changing: *changing, actor: &actor, settings };
    for support in shelf::<RuleSupport>(tx, &changing.memory.id, &actor)? {
        // Another rule that was settled before may have changed it.
        let now: Option<RuleSupport> = tx.ledger().noun(&support.memory, support.rule.as_str())?;
        let Some(mut support) = now.filter(|support| support.repository == repository.id) else { continue };
        let intake = &repository.settings.reviews;
        for item in &mut support.items {
            item.authority.overridden = overridden(intake, &item.reviewer);
        }
        for item in &mut support.dissent {
            item.authority.overridden = overridden(intake, &item.author);
        }
        settle(tx, &ruler, &mut support, News::Quiet)?;
    }
    tx.ledger_mut().put_noun(&RepositoryProgress {
        memory: repository.memory.clone(),
        repository: repository.id.clone(),
        at: changing.at,
        actor,
        work: WeighingSettings { settings: settings_of(repository, server) },
    })?;
    batch::ask_for_vectors(tx, &changing.memory.id, job, changing.at)
}

/// True if a repository has rules that were weighed by other settings.
fn is_outdated(tx: &dyn ReadTx, repository: &Repository, server: &CodingSettings) -> Result<bool> {
    let memory = &repository.memory;
    let weighed = RepositoryProgress::<WeighingSettings>::read(tx, memory, &repository.id)?;
    if weighed.is_some_and(|weighed| weighed.work.settings == settings_of(repository, server)) {
        return Ok(false);
    }
    let any = LedgerPage {
        memory: memory.clone(),
        shelf: RuleSupport::SHELF,
        actor: Some(task_namespaces::actor_of(repository)?),
        subject: None,
        after: None,
        limit: 1,
    };
    Ok(!tx.ledger().list(&any)?.is_empty())
}

/// Returns all settings that affect the weight of a rule, as one text.
fn settings_of(repository: &Repository, server: &CodingSettings) -> String {
    let rules = server.of(Some(repository)).rules;
    let none = BTreeMap::new();
    let overrides = repository.settings.reviews.authority.as_ref().unwrap_or(&none);
    format!("{WEIGHING} {rules:?} {overrides:?}")
}
