//! `user_export`: what is kept of somebody, for that person or an administrator: who they are, what they want, the tasks that were done for
//! them, what they said in reviews.

use loci_model::ledger::Shelf;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::review::Review;
use loci_model::task::Task;
use loci_model::{MemoryId, Result, limits};

use super::people::{self, Whose};
use super::preferences_list::{UserShown, person};
use super::pseudonym::Erased;
use crate::Engine;
use crate::verified::Standing;

/// What is kept of somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct UserExport {
    /// Somebody.
    pub user: UserShown,
    /// Every preference, whatever became of it, the newest first.
    pub preferences: Vec<Record>,
    /// Tasks that were done for them, the newest first.
    pub tasks: Vec<Task>,
    /// Reviews that they wrote, or wrote in, the newest first.
    pub reviews: Vec<Review>,
    /// What to know.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Everything that is kept of somebody.
    ///
    /// # Errors
    /// `Denied` for whoever is neither that person nor an administrator.
    pub async fn user_export(
        &self,
        caller: &Principal,
        standing: &Standing,
        user: &str,
    ) -> Result<UserExport> {
        let memory = self.code_memory(caller, standing).await?;
        let (caller, user, now) = (caller.clone(), user.to_owned(), self.clock.now());
        self.store
            .read(move |tx| {
                let (memory, whose) = person(tx, &caller, &memory, &user, Capability::Read)?;
                let preferences = people::all_of(tx, &memory.id, &whose.place, now)?;
                let (tasks, all_tasks) = tasks_of(tx, &memory.id, &whose)?;
                let (reviews, all_reviews) = reviews_of(tx, &memory.id, &whose)?;
                let most = limits::USER_EXPORT_ITEMS_MAX;
                let cut = |what: &str| format!("EXPORT_CUT: only the {most} newest {what} are here");
                let warnings = [("tasks", all_tasks), ("reviews", all_reviews)];
                let warnings = warnings.iter().filter(|(_, all)| !all).map(|(what, _)| cut(what)).collect();
                Ok(UserExport { user: UserShown::of(&whose), preferences, tasks, reviews, warnings })
            })
            .await
    }
}

/// Tasks that were done for somebody; false where there are more.
fn tasks_of(tx: &dyn ReadTx, memory: &MemoryId, whose: &Whose) -> Result<(Vec<Task>, bool)> {
    let of = Erased::of(whose, "");
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let query = TaskQuery { after, ..TaskQuery::all(memory.clone(), limits::PAGE_ITEMS_MAX as usize) };
        let page = tx.tasks().list(&query)?;
        let is_last = page.len() < query.limit;
        after = page.last().map(|task| (task.created_at, task.id.clone()));
        found.extend(page.into_iter().filter(|task| of.is_task(task)));
        if is_last || found.len() > limits::USER_EXPORT_ITEMS_MAX {
            let is_all = found.len() <= limits::USER_EXPORT_ITEMS_MAX;
            found.truncate(limits::USER_EXPORT_ITEMS_MAX);
            return Ok((found, is_all));
        }
    }
}

fn reviews_of(tx: &dyn ReadTx, memory: &MemoryId, whose: &Whose) -> Result<(Vec<Review>, bool)> {
    let of = Erased::of(whose, "");
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let limit = limits::PAGE_ITEMS_MAX as usize;
        let (shelf, actor, subject) = (Shelf::Review, None, None);
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
