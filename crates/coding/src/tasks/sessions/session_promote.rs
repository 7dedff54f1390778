//! The verb `session_promote`: selected events of a session become learnings, like all learnings,
//! while the session is open.

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::safety::{SafetyPolicy, Tally};
use loci_engine::strategies::learnings;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::provenance::Source;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::SessionItem;
use loci_model::{Error, JobId, RecordId, Result, TaskId, Timestamp, limits};

use super::{ended, read_in_full, session_of};
use crate::Coding;
use crate::learnings::consolidation::SimilarRecords;
use crate::learnings::learning_write::{LearnedKind, LearningWriter};
use crate::tasks::log_fields::Call;
use crate::tasks::reports::completion::Learned;
use crate::tasks::task_namespaces;

/// The result of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promoted {
    /// The number of the event in its session.
    pub seq: u64,
    /// The learnings of the event, one for each paragraph; empty if its text says that none exist.
    pub learned: Vec<Learned>,
}

/// The result of a promotion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPromoted {
    /// The events, in the order of the request.
    pub events: Vec<Promoted>,
    /// Warnings about checks that could not run.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Creates learnings from events: self-feedback with `as_feedback`, else about the repository.
    ///
    /// # Errors
    /// `Invalid` if an event does not exist or has no words; `Conflict` if the session has ended;
    /// `NotFound`; `Denied` without grants of read and write, because the answer has the topics of
    /// the events.
    pub async fn session_promote(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        seqs: Vec<u64>,
        as_feedback: bool,
    ) -> Result<SessionPromoted> {
        Call::write("session_promote", Some(id))
            .told(async {
                let max = limits::LEARNINGS_PER_REPORT_MAX;
                if seqs.is_empty() || seqs.len() > max {
                    return Err(Error::invalid("seq", format!("seq must have 1 to {max} members")));
                }
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let view = access::record_view(caller, &memory, Capability::Write)?;
                let (task, commit) = self.task_at(caller, &memory, id).await?;
                let read = self.read_docs(&task, commit.as_deref()).await?;
                // Similar records are searched within the write, by words only.
                let (warnings, now) = (read.warnings.clone(), self.engine.now());
                let around = SimilarRecords::default();
                let fresh = |_| RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()));
                let ids = (0..max).map(fresh).collect::<Result<Vec<_>>>()?;
                let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
                let kind = if as_feedback { LearnedKind::SelfFeedback } else { LearnedKind::Knowledge };
                let (caller, id, settings) = (caller.clone(), id.clone(), self.engine.settings().clone());
                let store = self.engine.store();
                let (events, found) = store
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let mut task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let items = chosen(tx, &caller, &task, &seqs, now)?;
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        let (memory, view, by) = (&memory, &view, caller.name.as_str());
                        let building = Building { memory, view, policy, expiry: None, by, now };
                        let (mut found, mut left, mut events) =
                            (Tally::default(), ids.as_slice(), Vec::new());
                        for item in &items {
                            let parsed = learnings::parse(item.text.as_deref().unwrap_or_default());
                            let (here, rest) = left.split_at(parsed.len().min(left.len()));
                            left = rest;
                            let learner = LearningWriter {
                                building: &building,
                                task: &task,
                                read: &read,
                                commit: item.commit.as_deref().or(commit.as_deref()),
                                prompt: None,
                                sources: &source(item),
                                kind,
                                around: &around,
                                observed_at: now,
                                marks: &[],
                            };
                            let learned = learner.write_all(tx, &parsed, here, &mut found)?;
                            events.push(Promoted { seq: item.seq, learned });
                        }
                        if note(tx, &mut task, kind, &events, now)? {
                            batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                        }
                        Ok((events, found))
                    })
                    .await?;
                found.tell(self.engine.observe().as_ref());
                self.engine.wake().call();
                Ok(SessionPromoted { events, warnings })
            })
            .await
    }
}

/// Returns the events with these numbers, with their words.
fn chosen(
    tx: &dyn ReadTx,
    caller: &Principal,
    task: &Task,
    seqs: &[u64],
    now: Timestamp,
) -> Result<Vec<SessionItem>> {
    if !task_namespaces::may(caller, task, Capability::Read) {
        return Err(access::needs_reading("a promotion"));
    }
    if session_of(tx, task, now)?.ended_at.is_some() {
        return Err(ended("promote before its end, or store a note"));
    }
    let mut items = Vec::with_capacity(seqs.len());
    for seq in seqs {
        let item = tx.task_sessions().item(&task.memory, &task.id, *seq)?;
        let unknown = || Error::invalid("seq", format!("there is no event {seq} in this session"));
        let mut item = item.ok_or_else(unknown)?;
        read_in_full(tx, task, &mut item, now)?;
        if item.text.as_deref().is_none_or(str::is_empty) {
            return Err(Error::invalid("seq", format!("event {seq} has no words that could be promoted")));
        }
        items.push(item);
    }
    Ok(items)
}

fn source(item: &SessionItem) -> Vec<Source> {
    item.event.iter().map(|event| Source { event: event.clone(), message: 0, part: 0 }).collect()
}

/// Counts the new learnings on the task. Returns false if there are none.
fn note(
    tx: &mut dyn Tx,
    task: &mut Task,
    kind: LearnedKind,
    events: &[Promoted],
    now: Timestamp,
) -> Result<bool> {
    let all = events.iter().flat_map(|one| &one.learned);
    let added = all.filter(|one| one.action.is_added()).count();
    if added == 0 {
        return Ok(false);
    }
    let counted = match kind {
        LearnedKind::Knowledge => &mut task.written.learnings,
        LearnedKind::SelfFeedback => &mut task.written.self_feedback,
    };
    *counted = counted.saturating_add(u32::try_from(added).unwrap_or(u32::MAX));
    task.updated_at = now;
    tx.tasks_mut().put(task)?;
    Ok(true)
}
