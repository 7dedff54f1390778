//! The verb `rule_provenance`: the support of a rule and the dissent, each change of its state, and
//! the tasks that were shown it.

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::record::telemetry::StateChange;
use loci_model::tasks::exposure::Exposure;
use loci_model::tasks::rule::RuleSupport;
use loci_model::{ActorId, ExposureId, MemoryId, RecordId, Result, TaskId, Timestamp};
use loci_verified::find_repository;

use super::decision::{rule_of, support_of};
use super::support::weights::{authority, item_weight, weigh};
use crate::Coding;
use crate::tasks::task_namespaces;

/// The maximum number of tasks that are searched for exposures of the rule, the newest first.
const TASKS_MAX: usize = 100;
/// The maximum number of calls of one task that are read.
const CALLS_MAX: usize = 20;

/// The provenance and use of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleProvenance {
    /// The rule.
    pub rule: Record,
    /// The support of the rule, by pull request and review.
    pub support: RuleSupport,
    /// The weight of each support item, in the order of the items.
    pub weights: Vec<f64>,
    /// The weight of each dissent against the rule.
    pub against: Vec<f64>,
    /// The total weight of the rule's support, with dissent subtracted.
    pub weight: f64,
    /// The changes of the rule's state, the oldest first.
    pub transitions: Vec<StateChange>,
    /// The calls that showed it to the newest tasks, the newest first.
    pub exposures: Vec<RuleExposure>,
}

/// A call that showed a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleExposure {
    /// The id of the exposure.
    pub id: ExposureId,
    /// The id of the task that was shown the rule.
    pub task: TaskId,
    /// The time.
    pub at: Timestamp,
}

impl Coding {
    /// Returns the provenance of a rule.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if the repository has no such rule, or if the caller may not see
    /// it.
    pub async fn rule_provenance(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        id: &RecordId,
    ) -> Result<RuleProvenance> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let (caller, repo, id) = (caller.clone(), repo.to_owned(), id.clone());
        let server = self.parts.settings.clone();
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory.id, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                let rule = rule_of(tx, &memory.id, &actor, &id)?;
                if !view.admits(&rule) {
                    let missing = format!("the repository has no rule {id}");
                    return Err(loci_model::Error::not_found(missing).on("rule"));
                }
                let support = support_of(tx, &repository, &actor, &rule)?;
                let may_see_tasks =
                    task_namespaces::require_all(&caller, &memory.id, &actor, Capability::Read).is_ok();
                let exposures =
                    if may_see_tasks { exposures(tx, &memory.id, &actor, &id)? } else { Vec::new() };
                Ok(RuleProvenance {
                    weights: support.items.iter().map(item_weight).collect(),
                    against: support.dissent.iter().map(|item| authority(&item.authority)).collect(),
                    weight: weigh(&support, &server.of(Some(&repository)).rules).support,
                    transitions: tx.telemetry().of_record(&memory.id, &id)?,
                    exposures,
                    rule,
                    support,
                })
            })
            .await
    }
}

fn exposures(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    rule: &RecordId,
) -> Result<Vec<RuleExposure>> {
    let query = TaskQuery { actors: vec![actor.clone()], ..TaskQuery::all(memory.clone(), TASKS_MAX) };
    let mut found = Vec::new();
    for task in tx.tasks().list(&query)? {
        let calls = tx.exposures().of_task(memory, &task.id, None, CALLS_MAX)?;
        let shows =
            |call: &Exposure| call.records.iter().any(|one| one.record == *rule && one.decision == "shown");
        found.extend(calls.into_iter().filter(shows).map(|call| RuleExposure {
            id: call.id,
            task: call.task,
            at: call.at,
        }));
    }
    Ok(found)
}
