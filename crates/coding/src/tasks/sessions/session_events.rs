//! The verbs `session_events`: reads the events of a session by number; and `session_end`: ends a
//! session.

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_model::ports::store::{SessionItemQuery, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task_session::{Capture, SessionItem, SessionItemKind};
use loci_model::{MemoryId, Result, TaskId, Timestamp, limits};

use super::{archive_rules, deletion, everything, read_in_full, session_of};
use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::task_namespaces;

/// The filter of a session's events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionListing {
    /// The number after which the page starts.
    pub after_seq: Option<u64>,
    /// The kinds; empty means all.
    pub kinds: Vec<SessionItemKind>,
    /// The maximum number of events, 1 to 100.
    pub limit: u32,
}

/// A page of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEvents {
    /// The events, by number.
    pub page: Page<SessionItem, u64>,
    /// The greatest number of the session.
    pub last_seq: Option<u64>,
    /// The time of its end. After it, the page contains only archived data.
    pub ended_at: Option<Timestamp>,
}

impl Coding {
    /// Returns a page of a session's events.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn session_events(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        listing: SessionListing,
    ) -> Result<SessionEvents> {
        Call::load("session_events", Some(id))
            .told(async {
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let limit = listing.limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
                let (caller, id, now) = (caller.clone(), id.clone(), self.engine.now());
                self.engine
                    .store()
                    .read(move |tx| {
                        existing(tx, &memory)?;
                        let task = task_namespaces::visible(
                            &caller,
                            &id,
                            tx.tasks().get(&memory, &id)?,
                            Capability::Read,
                        )?;
                        let ended_at = session_of(tx, &task, now)?.ended_at;
                        let query = SessionItemQuery {
                            after: listing.after_seq,
                            kinds: listing.kinds.clone(),
                            ..everything(&task, now, limit + 1)
                        };
                        let mut items = tx.task_sessions().items(&query)?;
                        if ended_at.is_none() {
                            items.iter_mut().try_for_each(|item| read_in_full(tx, &task, item, now))?;
                        }
                        let last_seq = tx.task_sessions().last_seq(&memory, &id)?;
                        Ok(SessionEvents {
                            page: Page::cut(items, limit, |item| item.seq),
                            last_seq,
                            ended_at,
                        })
                    })
                    .await
            })
            .await
    }

    /// Ends a session. Returns false if it had already ended.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn session_end_of_task(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
    ) -> Result<bool> {
        Call::write("session_end", Some(id))
            .told(async {
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let (caller, id, now) = (caller.clone(), id.clone(), self.engine.now());
                let server = self.parts.settings.clone();
                let (of, ended_task) = (memory.clone(), id.clone());
                let ended = self
                    .engine
                    .store()
                    .write(move |tx| {
                        existing(tx, &memory)?;
                        let task = task_namespaces::visible(
                            &caller,
                            &id,
                            tx.tasks().get(&memory, &id)?,
                            Capability::Write,
                        )?;
                        // Other events of the session, written directly to the memory, are
                        // processed now.
                        tx.jobs_mut().make_due(&memory, Some(&task.actor), Some(&task.session), now)?;
                        let capture = server.of_task(tx, &task)?.capture;
                        archive_rules::end(tx, &task, &capture, now)
                    })
                    .await
                    .inspect(|_| self.engine.wake().call())?;
                self.forget_said(of, ended_task).await?;
                Ok(ended)
            })
            .await
    }

    /// Deletes the remaining words of an ended session that the archive does not keep, in small
    /// writes. If one fails, the next end of a session continues.
    pub(crate) async fn forget_said(&self, memory: MemoryId, id: TaskId) -> Result<()> {
        let (server, now) = (self.parts.settings.clone(), self.engine.now());
        let (of, task) = (memory.clone(), id.clone());
        let read = self.engine.store().read(move |tx| match tx.tasks().get(&of, &task)? {
            Some(task) => server.of_task(tx, &task).map(|settings| settings.capture.conversation),
            None => Ok(Capture::Full),
        });
        let capture = read.await?;
        if capture == Capture::Full {
            return Ok(());
        }
        let mut after = None;
        loop {
            let (of, task) = (memory.clone(), id.clone());
            let next = self
                .engine
                .store()
                .write(move |tx| {
                    let Some(task) = tx.tasks().get(&of, &task)? else { return Ok(None) };
                    deletion::of_ended(tx, &task, capture, after, now)
                })
                .await?;
            if next.is_none() {
                return Ok(());
            }
            after = next;
        }
    }
}
