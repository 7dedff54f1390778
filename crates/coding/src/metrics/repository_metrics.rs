//! The verb `repository_metrics`: measures of the tasks of a repository, and the usefulness of its
//! records.

use loci_api::coding::metrics::{MetricsAsk, TaskMeasures, Usefulness};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::words::word;
use loci_model::{RecordId, Result, Timestamp, limits};
use loci_verified::find_repository;

use super::metric_groups::{MetricsBy, groups};
use super::metric_inputs::{Cut, gather};
use super::usefulness;
use crate::Coding;
use crate::tasks::task_namespaces;

/// The measures of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// The groups, in the order of their keys.
    pub groups: Vec<TaskMeasures>,
    /// The usefulness of the records that were shown most.
    pub records: Vec<Usefulness>,
    /// The method by which comments were compared with rules: `vectors` or `words`.
    pub compared_by: &'static str,
    /// The data left out because of limits.
    pub cut: Cut,
}

impl Coding {
    /// Returns the measures of a repository's newest tasks.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller may not read all of the repository's data.
    pub async fn repository_metrics(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: MetricsAsk,
    ) -> Result<Metrics> {
        let by = word("by", ask.by.as_deref(), MetricsBy::ALL, MetricsBy::as_str)?.unwrap_or_default();
        let since = Timestamp::read("since", ask.since.as_deref())?;
        let record = RecordId::read("record", ask.record.as_deref())?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        let gathered = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, Capability::Read)?;
                gather(tx, &repository, &actor, since, now)
            })
            .await?;
        let (repeated, compared_by) = self.repeated(&gathered).await?;
        let mut records = usefulness::of_records(&gathered.tasks);
        match &record {
            Some(id) => records.retain(|one| one.record_id == id.as_str()),
            None => records.truncate(limits::METRICS_RECORDS_MAX),
        }
        Ok(Metrics {
            groups: groups(by, &gathered.tasks, &repeated),
            records,
            compared_by: compared_by.as_str(),
            cut: gathered.cut,
        })
    }
}
