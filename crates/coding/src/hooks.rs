//! The hooks of coding memory: deletion of dependent data together with a record or an event, rules
//! released from quarantine, and follow-up work after a repository check.

use futures::future::BoxFuture;
use loci_engine::hooks::{EventHooks, RecordHooks};
use loci_engine::records::state_transition::StateTransition;
use loci_model::event::Event;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::ids::{IdSource, uuid7};
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::Record;
use loci_model::{ActorId, JobId, MemoryId, RecordId, Result, SessionId, Timestamp};
use loci_verified::{RepositoryHooks, Verified};

use crate::code_graph::co_change::ask_where_unread;
use crate::reflection::due_by_time;
use crate::rules;
use crate::tasks::alert_hold;
use crate::tasks::sessions::deletion;
use crate::{Coding, CodingParts};

/// The hooks of the kernel.
pub(super) struct Hooks {
    pub(super) parts: CodingParts,
}

impl RecordHooks for Hooks {
    fn deleted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        deletion::of_record(tx, record, at)
    }

    fn released(&self, tx: &mut dyn Tx, changing: &StateTransition<'_>, records: &[RecordId]) -> Result<()> {
        rules::weigh_again(tx, changing, records, &self.parts.settings)
    }
}

impl EventHooks for Hooks {
    fn deleted(&self, tx: &mut dyn Tx, event: &Event) -> Result<()> {
        deletion::of_event(tx, event)
    }
}

/// The hooks of verified memory.
pub(super) struct OnRepositories {
    pub(super) parts: CodingParts,
}

impl OnRepositories {
    fn coding(&self, verified: &Verified) -> Coding {
        Coding::new(verified.clone(), &self.parts)
    }
}

impl RepositoryHooks for OnRepositories {
    fn checked(
        &self,
        tx: &mut dyn Tx,
        repository: &Repository,
        tip: Option<&ObjectId>,
        ids: &dyn IdSource,
        now: Timestamp,
    ) -> Result<()> {
        let id = || JobId::parse(uuid7(ids, now.millis()));
        due_by_time(tx, repository, &id()?, now)?;
        match tip {
            Some(tip) => ask_where_unread(tx, repository, tip, &id()?, now),
            None => Ok(()),
        }
    }

    fn round_ended<'a>(
        &'a self,
        verified: &'a Verified,
        repository: &'a Repository,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        let coding = self.coding(verified);
        Box::pin(async move { coding.rest_outcomes(repository, now).await })
    }

    fn tip_arrived<'a>(
        &'a self,
        verified: &'a Verified,
        repository: &'a Repository,
        tip: ObjectId,
    ) -> BoxFuture<'a, Result<bool>> {
        let coding = self.coding(verified);
        Box::pin(async move {
            let is_landed = coding.land_branch_facts(repository, tip).await?;
            Ok(coding.expire_documented(repository, tip).await? && is_landed)
        })
    }

    fn session_of_label(&self, label: &str) -> Option<SessionId> {
        alert_hold::session_of_label(label)
    }

    fn held_back(
        &self,
        tx: &dyn ReadTx,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        label: Option<&str>,
    ) -> Result<Option<String>> {
        alert_hold::held_by_label(tx, memory, actor, label)
    }
}
