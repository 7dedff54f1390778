//! The verbs `repository_quarantine` and `repository_release`: quarantine records of a repository,
//! with effect from the next hydration, and release them. The kernel defines the quarantine and the
//! state after it (`loci_engine::records`, `quarantine`).

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::reason_text;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::{QuarantinedRecords, batch, quarantine};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{JobId, RecordId, Result, limits};

use super::RepositoryShare;
use super::selection::Selection;
use crate::Coding;
use crate::rules;
use crate::settings::CodingSettings;

/// The number of records that one write changes.
const ROWS: usize = 1_000;

/// The request of a quarantine or a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryQuarantineAsk {
    /// The selected records.
    pub which: Selection,
    /// The reason, 1 to 500 characters; stored with each record.
    pub reason: String,
    /// True to only return the selected records.
    pub dry_run: bool,
}

/// Changes some records, by the settings of the server.
type ChangeSome = fn(&mut dyn Tx, &StateTransition<'_>, &[RecordId], &str, &CodingSettings) -> Result<()>;

impl Coding {
    /// Quarantines records of a repository that are in force, waiting, or stale.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without administration of the repository's actor; `Invalid` without
    /// a condition or a reason; `TooLarge` for more records than one call may change.
    pub async fn repository_quarantine(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: RepositoryQuarantineAsk,
    ) -> Result<QuarantinedRecords> {
        let ask = RepositoryQuarantineAsk { reason: reason_text::required(&ask.reason)?, ..ask };
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let states = [RecordState::Active, RecordState::Candidate, RecordState::Stale];
        let found = self.selected(caller, &part, &ask.which, &states, false).await?;
        self.change_all(caller, &part, found, &ask, |tx, changing, ids, reason, _| {
            quarantine::hold(tx, changing, ids, reason)
        })
        .await
    }

    /// Releases quarantined records: each returns to its former state.
    ///
    /// # Errors
    /// Errors of [`Coding::repository_quarantine`].
    pub async fn repository_release(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: RepositoryQuarantineAsk,
    ) -> Result<QuarantinedRecords> {
        let ask = RepositoryQuarantineAsk { reason: reason_text::required(&ask.reason)?, ..ask };
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let found = self.selected(caller, &part, &ask.which, &[RecordState::Quarantined], false).await?;
        self.change_all(caller, &part, found, &ask, |tx, changing, ids, reason, server| {
            for record in tx.records().get_many(&changing.memory.id, ids)? {
                if record.state == RecordState::Quarantined {
                    quarantine::release(tx, changing, &record, reason)?;
                }
            }
            rules::weigh_again(tx, changing, ids, server)
        })
        .await
    }

    async fn change_all(
        &self,
        caller: &Principal,
        part: &RepositoryShare,
        found: Vec<RecordId>,
        ask: &RepositoryQuarantineAsk,
        change: ChangeSome,
    ) -> Result<QuarantinedRecords> {
        if !ask.dry_run {
            let now = self.engine.now();
            for ids in found.chunks(ROWS) {
                let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
                let (memory, ids) = (part.memory.clone(), ids.to_vec());
                let (reason, by) = (ask.reason.clone(), caller.name.clone());
                let server = self.parts.settings.clone();
                self.engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let changing = StateTransition { memory: &memory, by: &by, at: now };
                        change(tx, &changing, &ids, &reason, &server)?;
                        // A record that was never active has no vector yet.
                        batch::ask_for_vectors(tx, &memory.id, &job, now)
                    })
                    .await?;
            }
            self.engine.wake().call();
        }
        let matched = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let ids = found.into_iter().take(limits::QUARANTINE_IDS_MAX).collect();
        Ok(QuarantinedRecords { matched, ids, applied: !ask.dry_run })
    }
}
