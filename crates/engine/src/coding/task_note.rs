//! `task_note`: one learning, said while the task is under way, stored at once on the way that all learnings go.

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, JobId, RecordId, Result, TaskId, limits};

use super::completion::{Learned, LearnedAction};
use super::learned::{LearnedKind, Learner};
use super::learnings::{self, Category, Learning, TOPIC_CHARS_MAX, scope_of};
use super::place;
use crate::Engine;
use crate::access;
use crate::memories::existing;
use crate::records::batch;
use crate::records::writing::Building;
use crate::safety::{SafetyPolicy, Tally};
use crate::verified::Standing;

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskNote {
    /// What was learned.
    pub text: String,
    /// What it is about; `None`: as its text begins.
    pub topic: Option<String>,
    /// To what it applies: a path, a glob, `module:<name>`; `None`: as the topic says.
    pub scope: Option<String>,
    /// `architecture`, `convention`, `tooling` or `gotcha`; `None`: as its words say.
    pub category: Option<String>,
}

/// What became of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskNoted {
    /// The learning.
    pub learned: Learned,
    /// What could not be looked at.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Stores a note.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound`; `Denied`.
    pub async fn task_note(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &TaskId,
        note: TaskNote,
    ) -> Result<TaskNoted> {
        let learning = learning(&note)?;
        let memory = self.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Write)?;
        let task = self.task_of(caller, &memory, id).await?;
        let commit = task.pr.as_ref().and_then(|pr| pr.head_sha.clone()).or_else(|| task.base_sha.clone());
        let read = self.read_docs(&task, commit.as_deref()).await?;
        let warnings = read.warnings.clone();
        let now = self.clock.now();
        let ids = [RecordId::compose(&uuid7(self.ids.as_ref(), now.millis()))?];
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (caller, id, settings) = (caller.clone(), id.clone(), self.settings.clone());
        let (learned, found) = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let task = tx.tasks().get(&memory.id, &id)?;
                let mut task = place::visible(&caller, &id, task, Capability::Write)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let by = caller.name.as_str();
                let building = Building { memory: &memory, view: &view, policy, expiry: None, by, now };
                let learner = Learner {
                    building: &building,
                    task: &task,
                    docs: read.docs.as_ref(),
                    commit: commit.as_deref(),
                    prompt: None,
                    sources: &[],
                    kind: LearnedKind::Knowledge,
                };
                let mut found = Tally::default();
                let learned = learner.write_all(tx, std::slice::from_ref(&learning), &ids, &mut found)?;
                let learned =
                    learned.into_iter().next().ok_or_else(|| Error::bug("a note without an answer"))?;
                if learned.action == LearnedAction::Added {
                    task.written.learnings = task.written.learnings.saturating_add(1);
                    task.updated_at = now;
                    tx.tasks_mut().put(&task)?;
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                Ok((learned, found))
            })
            .await?;
        found.tell(self.observe.as_ref());
        self.wake.call();
        Ok(TaskNoted { learned, warnings })
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
