//! The verb `task_feedback`: feedback of a task, or a person, on records that it was shown: used,
//! helpful, harmful. A record that several tasks or one person report as harmful is quarantined
//! until a person decides. Feedback has no other effect.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::access::{self, View};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, secrets};
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::task::{Harm, Task, TaskFeedback};
use loci_model::{Error, RecordId, Result, TaskId, Timestamp, limits};

use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::reports::completion::Completion;
use crate::tasks::task_namespaces;
use crate::{preferences, rules};

/// The number of tasks that must report a record as harmful before it is quarantined.
const TASKS_ENOUGH: usize = 2;
/// The maximum number of tasks that are counted for a quarantine.
const TASKS_MAX: usize = 1_000;

/// Feedback on records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewFeedback {
    /// The ids of shown records that the agent used.
    pub used: Vec<RecordId>,
    /// The ids of shown records that helped the agent.
    pub helpful: Vec<RecordId>,
    /// Records that misled, with a reason of at most 500 characters.
    pub harmful: Vec<(RecordId, Option<String>)>,
    /// True for feedback of a person, for which one report is sufficient.
    pub by_human: bool,
}

/// The result of feedback.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeedbackTaken {
    /// All feedback of the task so far.
    pub feedback: TaskFeedback,
    /// Records that are quarantined from now on.
    pub quarantined: Vec<RecordId>,
    /// Warnings about unknown records.
    pub warnings: Vec<String>,
}

impl NewFeedback {
    fn check(&self) -> Result<()> {
        let lists = [self.used.len(), self.helpful.len(), self.harmful.len()];
        if lists.iter().any(|count| *count > limits::FEEDBACK_RECORDS_MAX) {
            return Err(Error::invalid("used", "used, helpful and harmful must have at most 500 items each"));
        }
        let reasons = self.harmful.iter().filter_map(|(_, reason)| reason.as_ref());
        for reason in reasons {
            if reason.chars().count() > limits::REASON_CHARS_MAX {
                return Err(Error::invalid("harmful.reason", "reason must have at most 500 characters"));
            }
        }
        Ok(())
    }

    /// Returns the feedback that a report contains.
    pub(in crate::tasks) fn of_report(said: &Completion) -> Self {
        let ids = |ids: &[String]| ids.iter().filter_map(|id| RecordId::parse(id.as_str()).ok()).collect();
        let harmful: Vec<RecordId> = ids(&said.harmful_memory_ids);
        Self {
            used: ids(&said.used_memory_ids),
            helpful: ids(&said.helpful_memory_ids),
            harmful: harmful.into_iter().map(|id| (id, None)).collect(),
            by_human: false,
        }
    }

    fn named(&self) -> BTreeSet<&RecordId> {
        self.used.iter().chain(&self.helpful).chain(self.harmful.iter().map(|(id, _)| id)).collect()
    }
}

impl Coding {
    /// Stores feedback on records, any number of times and in any state of the task.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound`; `Denied` for a person's feedback from a
    /// caller who does not administer the actor.
    pub async fn task_feedback(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        mut said: NewFeedback,
    ) -> Result<FeedbackTaken> {
        Call::write("task_feedback", Some(id))
            .told(async {
                said.check()?;
                // Masked under all settings, because a reason is stored with the record.
                for reason in said.harmful.iter_mut().filter_map(|(_, reason)| reason.as_mut()) {
                    *reason = secrets::redact(std::mem::take(reason), RedactionMode::Mask).0;
                }
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let view = access::record_view(caller, &memory, Capability::Read)?;
                let (caller, id, at) = (caller.clone(), id.clone(), self.engine.now());
                let settings = self.parts.settings.clone();
                self.engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let mut task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        if said.by_human {
                            task_namespaces::require_all(
                                &caller,
                                &memory.id,
                                &task.actor,
                                Capability::Admin,
                            )?;
                        }
                        let changing = StateTransition { memory: &memory, by: &caller.name, at };
                        let before = task.clone();
                        let taken = take(tx, &changing, &view, &mut task, &said)?;
                        task.updated_at = at;
                        tx.tasks_mut().put(&task)?;
                        rules::told(tx, &changing, &settings, (&before, &task))?;
                        Ok(taken)
                    })
                    .await
            })
            .await
    }
}

/// Stores feedback in a task, which the caller writes, and quarantines harmful records.
pub(crate) fn take(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    view: &View,
    task: &mut Task,
    said: &NewFeedback,
) -> Result<FeedbackTaken> {
    let ids: Vec<RecordId> = said.named().into_iter().cloned().collect();
    let found = tx.records().get_many(&task.memory, &ids)?;
    let known: BTreeMap<RecordId, Record> = found
        .into_iter()
        .filter(|record| record.state != RecordState::Erased && view.admits(record))
        .map(|record| (record.id.clone(), record))
        .collect();
    let mut warnings: Vec<String> = Vec::new();
    for id in ids.iter().filter(|id| !known.contains_key(*id)) {
        warnings.push(format!("RECORD_UNKNOWN: no record {id} is here: nothing is noted of it"));
    }
    let noted = note(&mut task.feedback, said, &known, changing.at);
    if !noted.fits {
        let most = limits::FEEDBACK_RECORDS_MAX;
        warnings.push(format!(
            "FEEDBACK_FULL: a task names at most {most} memories of each kind: the rest is not noted"
        ));
    }
    let of_user = preferences::requester_place(tx, task)?.map(|place| place.path);
    let standing: Vec<&Record> = noted
        .new_harms
        .iter()
        .filter_map(|id| known.get(id))
        .filter(|record| task_namespaces::is_of(task, of_user.as_deref(), &record.namespace))
        .filter(|record| matches!(record.state, RecordState::Active | RecordState::Candidate))
        .collect();
    let quarantined = hold(tx, changing, task, said.by_human, &standing)?;
    Ok(FeedbackTaken { feedback: task.feedback.clone(), quarantined, warnings })
}

/// The stored feedback.
struct Noted {
    /// True if all of it fit.
    fits: bool,
    /// Records that this task, or no person, had reported as harmful before. A repetition is not a
    /// new report.
    new_harms: BTreeSet<RecordId>,
}

/// Stores the feedback on existing records.
fn note(
    feedback: &mut TaskFeedback,
    said: &NewFeedback,
    known: &BTreeMap<RecordId, Record>,
    at: Timestamp,
) -> Noted {
    let most = limits::FEEDBACK_RECORDS_MAX;
    let mut fits = true;
    let mut new_harms = BTreeSet::new();
    for (list, ids) in [(&mut feedback.used, &said.used), (&mut feedback.helpful, &said.helpful)] {
        for id in ids.iter().filter(|id| known.contains_key(*id)) {
            if list.len() < most || list.contains(id) {
                list.insert(id.clone());
            } else {
                fits = false;
            }
        }
    }
    for (id, reason) in said.harmful.iter().filter(|(id, _)| known.contains_key(id)) {
        let of = &mut feedback.harmful;
        if of.len() < most || of.contains_key(id) {
            let is_known = of.contains_key(id);
            let before = of.entry(id.clone()).or_default();
            reason.iter().for_each(|reason| before.clone_from(reason));
            let was_by_human = feedback.harms.get(id).is_some_and(|harm| harm.by_human);
            if !is_known || (said.by_human && !was_by_human) {
                feedback.harms.insert(id.clone(), Harm { at, by_human: said.by_human });
                new_harms.insert(id.clone());
            }
        } else {
            fits = false;
        }
    }
    Noted { fits, new_harms }
}

/// Returns the time of a record's last release from quarantine. The release settles earlier
/// reports.
fn released(tx: &dyn ReadTx, record: &Record) -> Result<Option<Timestamp>> {
    let held = RecordState::Quarantined;
    let changes = tx.telemetry().of_record(&record.memory, &record.id)?;
    let last = changes.iter().rev().find(|change| change.from == Some(held) && change.to != held);
    Ok(last.map(|change| change.at))
}

/// Quarantines records that enough tasks of the same actor report as harmful. Reports on records of
/// other namespaces have no effect: tasks of one repository decide nothing for another.
fn hold(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    task: &Task,
    by_human: bool,
    standing: &[&Record],
) -> Result<Vec<RecordId>> {
    let mut held = Vec::new();
    for record in standing {
        let others = match by_human {
            true => Vec::new(),
            false => {
                let after = released(tx, record)?;
                tx.tasks().harmed_by(&task.memory, &record.id, &task.actor, after, TASKS_MAX)?
            }
        };
        let tasks = 1 + others.iter().filter(|other| **other != task.id).count();
        if !by_human && tasks < TASKS_ENOUGH {
            continue;
        }
        let who = if by_human { "a person".to_owned() } else { format!("{tasks} tasks") };
        let why = task.feedback.harmful.get(&record.id).filter(|reason| !reason.is_empty());
        let why = why.map(|reason| format!(": {reason}")).unwrap_or_default();
        let reason: String =
            format!("reported as harmful by {who}{why}").chars().take(limits::REASON_CHARS_MAX).collect();
        if changing.set_state(tx, record, RecordState::Quarantined, &reason)? {
            held.push(record.id.clone());
        }
    }
    Ok(held)
}
