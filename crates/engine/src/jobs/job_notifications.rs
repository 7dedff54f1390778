//! Notifications on the end of a job for the webhooks of the settings (`[[webhook]]`). They are
//! added to the outbox in the write that ends the job, and contain the job's state, never the
//! content that it read.

use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::Tx;
use loci_model::{DeliveryId, Document, Result, Timestamp};
use serde_json::json;

use crate::Engine;
use crate::deliveries::{self, NewDelivery, OrderKey};
use crate::settings::JobWebhook;

impl Engine {
    /// Returns the webhooks for jobs of this kind; empty for maintenance jobs of the store.
    pub(crate) fn job_news(&self, kind: &JobKind) -> Vec<JobWebhook> {
        if self.job_policy(kind).is_reported { self.settings.job_webhooks.clone() } else { Vec::new() }
    }
}

/// Adds the notification on a job's end to the outbox. A job that continues immediately, because it
/// was scheduled again meanwhile, has not ended.
pub(crate) fn job_ended(
    tx: &mut dyn Tx,
    hooks: &[JobWebhook],
    job: &Job,
    state: JobState,
    at: Timestamp,
) -> Result<()> {
    if hooks.is_empty() {
        return Ok(());
    }
    let Some(memory) = tx.memories().get(&job.memory)? else { return Ok(()) };
    let Some(job) = tx.jobs().get(&job.memory, &job.id)?.filter(|job| job.state == state) else {
        return Ok(());
    };
    let wants = |hook: &JobWebhook| {
        hook.on.contains(&state) && hook.memory.as_ref().is_none_or(|name| *name == memory.name)
    };
    for (number, hook) in hooks.iter().enumerate().filter(|(_, hook)| wants(hook)) {
        let target = hook.target.as_str();
        let new = NewDelivery {
            memory: &memory.id,
            id: DeliveryId::parse(format!("job-{number}-{}-{}", at.millis(), job.id))?,
            target,
            key: OrderKey::JobEnd { actor: job.actor.as_ref(), job: &job.id, target },
            body: said(&job, at)?,
            at,
        };
        deliveries::put(tx, new)?;
    }
    Ok(())
}

fn said(job: &Job, at: Timestamp) -> Result<Document> {
    Document::from_value(&json!({
        "type": format!("job.{}", job.state.as_str()),
        "job": {
            "id": job.id.as_str(),
            "memory": job.memory.as_str(),
            "kind": job.kind.as_str(),
            "strategy": job.strategy.as_ref().map(|id| id.as_str()),
            "actor": job.actor.as_ref().map(|id| id.as_str()),
            "session": job.session.as_ref().map(|id| id.as_str()),
            "state": job.state.as_str(),
            "attempts": job.attempts,
            "failure_reason": job.failure_reason,
            "fallback": job.fallback,
        },
        "at": at.to_rfc3339(),
    }))
}
