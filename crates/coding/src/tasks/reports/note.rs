//! The verb `task_note`: one learning of a task in progress, stored at once like all learnings.

use loci_api::coding::task::end::TaskNote;
use loci_engine::calls::call_context::CallContext;
use loci_engine::strategies::learnings::{self, Category, Learning, TOPIC_CHARS_MAX, scope_of};
use loci_model::principal::Principal;
use loci_model::{Error, Result, TaskId, Timestamp, limits};

use super::completion::Learned;
use crate::Coding;
use crate::tasks::log_fields::Call;

/// The result of storing a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskNoted {
    /// The learning.
    pub learned: Learned,
    /// Warnings about checks that could not run.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Stores a note.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound`; `Denied`.
    pub async fn task_note(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        note: TaskNote,
    ) -> Result<TaskNoted> {
        let observed_at = Timestamp::read("observed_at", note.observed_at.as_deref())?;
        Call::write("task_note", Some(id))
            .told(async {
                let learning = learning(&note)?;
                let learned = self.learn(caller, standing, id, vec![learning], observed_at).await?;
                let warnings = learned.warnings;
                let learned = learned.learned.into_iter().next();
                let learned = learned.ok_or_else(|| Error::bug("a note without an answer"))?;
                Ok(TaskNoted { learned, warnings })
            })
            .await
    }
}

fn learning(note: &TaskNote) -> Result<Learning> {
    let empty = || Error::invalid("text", "text must say something");
    let mut learning = learnings::one(&note.text).ok_or_else(empty)?;
    if let Some(topic) = &note.topic {
        if !(1..=TOPIC_CHARS_MAX).contains(&topic.chars().count()) {
            let rule = format!("topic must have 1 to {TOPIC_CHARS_MAX} characters");
            return Err(Error::invalid("topic", rule));
        }
        learning.topic = Some(topic.clone());
        learning.scope = scope_of(topic).or(learning.scope);
    }
    if let Some(scope) = &note.scope {
        if scope.chars().count() > limits::SHORT_TEXT_CHARS_MAX {
            return Err(Error::invalid("scope", "scope must have at most 4,096 characters"));
        }
        let rule = "scope must be a path, a glob or module:<name>";
        learning.scope = Some(scope_of(scope).ok_or_else(|| Error::invalid("scope", rule))?);
    }
    if let Some(category) = &note.category {
        let rule = "category must be one of architecture, convention, tooling, gotcha";
        learning.category = Some(Category::parse(category).ok_or_else(|| Error::invalid("category", rule))?);
    }
    learning.is_vague = learning.is_vague && learning.scope.is_none();
    Ok(learning)
}
