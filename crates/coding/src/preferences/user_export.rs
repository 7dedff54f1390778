//! The verb `user_export`: the data of a person, for that person or an administrator: identity,
//! preferences, proved tasks, and comments in reviews. A task that merely names the person is not
//! included; a warning states the number of such tasks.

use loci_api::coding::preference as shape;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::review::{ForgeUser, Review};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Result, limits};

use super::named_people::pseudonym::ErasedPerson;
use super::owner::{self, PreferenceOwner};
use super::preferences_list::{person, preference_shown, shown};
use super::requester::is_proved;
use crate::Coding;

impl Coding {
    /// Exports the data of a person.
    ///
    /// # Errors
    /// `Denied` if the caller is neither that person nor an administrator.
    pub async fn user_export(
        &self,
        caller: &Principal,
        standing: &CallContext,
        user: &str,
    ) -> Result<shape::UserExport> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, user, now) = (caller.clone(), user.to_owned(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let (memory, whose) = person(tx, &caller, &memory, &user, Capability::Read)?;
                let preferences = owner::all_of(tx, &memory.id, &whose.place, now)?;
                let is_whole = may_read_whole(&caller, &memory.id);
                let TasksOfUser { tasks, is_all, unproved } = tasks_of(tx, &memory.id, &whose, is_whole)?;
                let (reviews, all_reviews) = reviews_of(tx, &memory.id, &whose)?;
                let most = limits::USER_EXPORT_ITEMS_MAX;
                let cut = |what: &str| format!("EXPORT_CUT: only the {most} newest {what} are here");
                let warnings = [("tasks", is_all), ("reviews", all_reviews)];
                let warnings = warnings.iter().filter(|(_, all)| !all).map(|(what, _)| cut(what));
                let warnings = warnings.chain(left_out(unproved)).collect();
                let user = shown(&whose);
                Ok(shape::UserExport {
                    preferences: preferences.into_iter().map(preference_shown).collect(),
                    tasks: tasks.into_iter().map(task).collect(),
                    reviews: reviews.into_iter().map(|one| review(one, &user)).collect(),
                    user,
                    warnings,
                })
            })
            .await
    }
}

fn task(task: Task) -> shape::UserTask {
    shape::UserTask {
        task_id: task.id.to_string(),
        actor: task.actor.to_string(),
        description: task.description,
        status: task.status.as_str().to_owned(),
        created_at: task.created_at.to_rfc3339(),
    }
}

/// Returns the person's own part of a review.
fn review(review: Review, of: &shape::User) -> shape::UserReview {
    let is_theirs = |person: &ForgeUser| match (&of.user_id, person.id) {
        (Some(id), number) if number != 0 => *id == number.to_string(),
        _ => of.login.as_deref() == Some(person.login.to_lowercase().as_str()),
    };
    let comments = review.comments.iter().filter(|comment| is_theirs(&comment.author));
    shape::UserReview {
        repo: review.actor.to_string(),
        pr: review.pr,
        comments: comments.map(|comment| comment.body.clone()).collect(),
        body: is_theirs(&review.reviewer).then(|| review.body.clone()).filter(|body| !body.is_empty()),
        submitted_at: review.submitted_at.to_rfc3339(),
    }
}

/// The tasks of a person.
struct TasksOfUser {
    /// The proved tasks, the newest first.
    tasks: Vec<Task>,
    /// False if there are more.
    is_all: bool,
    /// The number of other tasks that name the person.
    unproved: usize,
}

/// True for a caller who may read, or administers, the whole memory.
fn may_read_whole(caller: &Principal, memory: &MemoryId) -> bool {
    [Capability::Read, Capability::Admin]
        .into_iter()
        .any(|capability| access::require_whole(caller, memory, capability).is_ok())
}

/// Returns the warning about tasks that name the person and are not included.
fn left_out(unproved: usize) -> Option<String> {
    (unproved > 0).then(|| {
        format!(
            "TASKS_NOT_PROVED: {unproved} tasks name this user and are not here, because no key that may \
             read this user's preferences sent them: send a task again with such a key, or list them by \
             GET /v1/tasks?user="
        )
    })
}

/// Returns the tasks that were done for a person. A task from before proofs were stored is included
/// only for a caller with access to the whole memory.
fn tasks_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    whose: &PreferenceOwner,
    is_whole: bool,
) -> Result<TasksOfUser> {
    let of = ErasedPerson::of(whose, "");
    let is_theirs = |task: &Task| is_proved(task, whose) || (is_whole && task.requester_proof.is_none());
    let (mut tasks, mut unproved, mut after) = (Vec::new(), 0, None);
    loop {
        let query = TaskQuery { after, ..TaskQuery::all(memory.clone(), limits::PAGE_ITEMS_MAX as usize) };
        let page = tx.tasks().list(&query)?;
        let is_last = page.len() < query.limit;
        after = page.last().map(|task| (task.created_at, task.id.clone()));
        let named = page.into_iter().filter(|task| of.is_task(task));
        let (theirs, others): (Vec<Task>, Vec<Task>) = named.partition(is_theirs);
        unproved += others.len();
        tasks.extend(theirs);
        if is_last || tasks.len() > limits::USER_EXPORT_ITEMS_MAX {
            let is_all = tasks.len() <= limits::USER_EXPORT_ITEMS_MAX;
            tasks.truncate(limits::USER_EXPORT_ITEMS_MAX);
            return Ok(TasksOfUser { tasks, is_all, unproved });
        }
    }
}

fn reviews_of(tx: &dyn ReadTx, memory: &MemoryId, whose: &PreferenceOwner) -> Result<(Vec<Review>, bool)> {
    let of = ErasedPerson::of(whose, "");
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let limit = limits::PAGE_ITEMS_MAX as usize;
        let (shelf, actor, subject) = (Review::SHELF, None, None);
        let entries =
            tx.ledger().list(&LedgerPage { memory: memory.clone(), shelf, actor, subject, after, limit })?;
        let is_last = entries.len() < limit;
        after = entries.last().map(|entry| (entry.at, entry.key.clone()));
        for entry in entries {
            let review: Review = entry.read()?;
            let is_in = review.comments.iter().any(|comment| of.is_person(&comment.author));
            if is_in || of.is_person(&review.reviewer) {
                found.push(review);
            }
        }
        if is_last || found.len() > limits::USER_EXPORT_ITEMS_MAX {
            let is_all = found.len() <= limits::USER_EXPORT_ITEMS_MAX;
            found.truncate(limits::USER_EXPORT_ITEMS_MAX);
            return Ok((found, is_all));
        }
    }
}
