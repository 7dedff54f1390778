//! The verbs `evaluation_add` and `evaluation_list`: findings of evaluations in the work of tasks.
//! A finding becomes a record like every learning, in the write of the evaluation, and names its
//! source. A suggestion for a prompt waits for a person's decision. Repeating an evaluation of a
//! task returns the stored one.

use loci_api::coding::evaluation::{EvaluationAdd, EvaluationFindingAdd, EvaluationListing};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, secrets};
use loci_engine::strategies::learnings::{self, Learning, scope_of};
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::tasks::evaluation::{Evaluation, EvaluationFinding, FailureCategory};
use loci_model::{Error, Result, TaskId, Timestamp, limits};
use sha2::{Digest, Sha256};

use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::reports::completion::Learned;
use crate::tasks::reports::learnings::NewLearnings;
use crate::tasks::{list, task_namespaces};

/// The number of hex digits of an evaluation's id.
const ID_DIGITS: usize = 24;
/// The source type of a finding's record.
const SOURCE: &str = "evaluation";

/// A stored evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationAdded {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// The results of the findings, in their order.
    pub learned: Vec<Learned>,
    /// Warnings about checks that could not run.
    pub warnings: Vec<String>,
}

/// An evaluation with parsed ids and words.
struct EvaluationRequest {
    asked: EvaluationAdd,
    task: TaskId,
    categories: Vec<FailureCategory>,
}

impl EvaluationRequest {
    fn of(asked: EvaluationAdd) -> Result<Self> {
        let (task, field) = (TaskId::parse(asked.task_id.as_str())?, "findings.category");
        let missing = || Error::invalid(field, "category is required");
        let category = |one: &EvaluationFindingAdd| {
            FailureCategory::read(field, Some(&one.category))?.ok_or_else(missing)
        };
        let categories = asked.findings.iter().map(category).collect::<Result<_>>()?;
        Ok(Self { asked, task, categories })
    }

    /// Returns its findings, each with its category.
    fn findings(&self) -> impl Iterator<Item = (&EvaluationFindingAdd, FailureCategory)> {
        self.asked.findings.iter().zip(self.categories.iter().copied())
    }

    fn learnings(&self) -> Result<Vec<Learning>> {
        let EvaluationAdd { findings, prompt_suggestion, .. } = &self.asked;
        if findings.is_empty() && prompt_suggestion.is_none() {
            return Err(Error::invalid(
                "findings",
                "findings must not be empty where no prompt_suggestion is given",
            ));
        }
        if findings.len() > limits::LEARNINGS_PER_REPORT_MAX {
            let rule = format!("findings must be at most {}: send several", limits::LEARNINGS_PER_REPORT_MAX);
            return Err(Error::invalid("findings", rule));
        }
        text("prompt_suggestion", prompt_suggestion.as_ref())?;
        findings.iter().map(learning).collect()
    }

    /// Returns its learnings. Each record names the evaluation that found it.
    fn lessons(&self, learnings: Vec<Learning>) -> NewLearnings {
        let id = self.id();
        let text = |text: &str| MetadataValue::String(text.to_owned());
        let mark = |category: &FailureCategory| {
            Metadata::from([
                ("source_type".to_owned(), text(SOURCE)),
                ("failure_category".to_owned(), text(category.as_str())),
                ("evaluation_id".to_owned(), text(&id)),
            ])
        };
        NewLearnings { learnings, marks: self.categories.iter().map(mark).collect(), observed_at: None }
    }

    /// Returns the id, which is equal for equal evaluations of a task.
    fn id(&self) -> String {
        let mut hasher = Sha256::new();
        let mut add = |part: &str| {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        };
        add(self.task.as_str());
        for (finding, category) in self.findings() {
            add(category.as_str());
            add(&finding.text);
            add(finding.scope.as_deref().unwrap_or_default());
            add(finding.evidence.as_deref().unwrap_or_default());
        }
        add(self.asked.prompt_suggestion.as_deref().unwrap_or_default());
        let digest = hex::encode(hasher.finalize());
        format!("eval_{}", digest.get(..ID_DIGITS).unwrap_or_default())
    }
}

fn learning(finding: &EvaluationFindingAdd) -> Result<Learning> {
    let empty = || Error::invalid("findings.text", "text must say something");
    text("findings.evidence", finding.evidence.as_ref())?;
    let mut learning = learnings::one(&finding.text).ok_or_else(empty)?;
    if let Some(scope) = &finding.scope {
        let rule = "scope must be a path, a glob or module:<name>";
        let found = scope_of(scope).filter(|_| scope.chars().count() <= limits::SHORT_TEXT_CHARS_MAX);
        learning.scope = Some(found.ok_or_else(|| Error::invalid("findings.scope", rule))?);
        learning.is_vague = false;
    }
    Ok(learning)
}

fn text(field: &'static str, value: Option<&String>) -> Result<()> {
    let max = limits::EVALUATION_TEXT_CHARS_MAX;
    match value.map(|text| text.chars().count()) {
        Some(count) if count == 0 || count > max => {
            Err(Error::invalid(field, format!("{field} must have 1 to {max} characters")))
        }
        _ => Ok(()),
    }
}

impl Coding {
    /// Stores an evaluation.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound`; `Denied` if the caller may not write all
    /// data of the task's actor, such as the task's own agent.
    pub async fn evaluation_add(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: EvaluationAdd,
    ) -> Result<EvaluationAdded> {
        let new = EvaluationRequest::of(asked)?;
        let task = new.task.clone();
        Call::write("evaluation_add", Some(&task))
            .told(async {
                let learnings = new.learnings()?;
                let memory = self.verified.code_memory(caller, standing).await?;
                self.known_task(&memory, &task).await?;
                let (of, by, id) = (memory.clone(), caller.clone(), task.clone());
                self.engine
                    .store()
                    .read(move |tx| {
                        let task =
                            task_namespaces::visible(&by, &id, tx.tasks().get(&of, &id)?, Capability::Write)?;
                        task_namespaces::require_all(&by, &of, &task.actor, Capability::Write)
                    })
                    .await?;
                let said = new.lessons(learnings);
                let (taken, evaluation) = if said.learnings.is_empty() {
                    let (by, now) = (caller.name.clone(), self.engine.now());
                    let write = move |tx: &mut dyn Tx| {
                        let memory = existing(tx, &memory)?;
                        store(tx, &StateTransition { memory: &memory, by: &by, at: now }, &new, &[])
                    };
                    (crate::LearningsTaken::default(), self.engine.store().write(write).await?)
                } else {
                    // One write: if it does not complete, nothing was learned, and the caller
                    // repeats the whole request.
                    let also = move |tx: &mut dyn Tx, changing: &StateTransition<'_>, learned: &[Learned]| {
                        store(tx, changing, &new, learned)
                    };
                    self.learn_and(caller, standing, &task, said, also).await?
                };
                self.engine.wake().call();
                Ok(EvaluationAdded { evaluation, learned: taken.learned, warnings: taken.warnings })
            })
            .await
    }

    /// Returns a page of evaluations, the newest first.
    ///
    /// # Errors
    /// `Invalid` if neither a repository nor a task is named; `REPO_UNKNOWN`; `NotFound`; `Denied`.
    pub async fn evaluation_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        listing: EvaluationListing,
        (after, limit): (Option<(Timestamp, String)>, u32),
    ) -> Result<Page<Evaluation, (Timestamp, String)>> {
        let task = TaskId::read("task", listing.task.as_deref())?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let caller = caller.clone();
        let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let actor = match (&listing.repo, &task) {
                    (Some(repo), _) => list::actors(tx, &caller, &memory, Some(repo.as_str()))?.pop(),
                    (None, Some(id)) => {
                        let task = tx.tasks().get(&memory, id)?;
                        Some(task_namespaces::visible(&caller, id, task, Capability::Read)?.actor)
                    }
                    (None, None) => return Err(Error::invalid("repo", "repo or task must be given")),
                };
                let found: Vec<Evaluation> = tx.ledger().nouns(&LedgerPage {
                    memory: memory.clone(),
                    shelf: Evaluation::SHELF,
                    actor,
                    subject: task.as_ref().map(ToString::to_string),
                    after: after.clone(),
                    limit: limit + 1,
                })?;
                Ok(Page::cut(found, limit, |one| (one.at(), one.key())))
            })
            .await
    }
}

/// Writes the evaluation together with the results of its findings.
fn store(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    new: &EvaluationRequest,
    learned: &[Learned],
) -> Result<Evaluation> {
    let memory = &changing.memory.id;
    let id = new.id();
    if let Some(known) = tx.ledger().noun::<Evaluation>(memory, &id)? {
        return Ok(known);
    }
    let gone = || Error::not_found(format!("there is no task {} here", new.task)).on("task_id");
    let mut task = tx.tasks().get(memory, &new.task)?.ok_or_else(gone)?;
    // Secrets are masked under all settings, because only people read this text.
    let masked = |text: &String| secrets::redact(text.clone(), RedactionMode::Mask).0;
    let mut findings = Vec::with_capacity(new.categories.len());
    for (place, (finding, category)) in new.findings().enumerate() {
        let record = learned.get(place).and_then(|learned| learned.id.clone());
        let evidence = finding.evidence.as_ref().map(masked);
        findings.push(EvaluationFinding { category, evidence, record });
    }
    if let (None, Some(first)) = (&task.failure_category, new.categories.first()) {
        task.failure_category = Some(first.as_str().to_owned());
        task.updated_at = changing.at;
        tx.tasks_mut().put(&task)?;
    }
    let evaluation = Evaluation {
        memory: memory.clone(),
        actor: task.actor,
        id,
        task: task.id,
        findings,
        prompt_suggestion: new.asked.prompt_suggestion.as_ref().map(masked),
        prompt_version: task.prompt_version,
        by: changing.by.to_owned(),
        at: changing.at,
    };
    tx.ledger_mut().put_noun(&evaluation)?;
    Ok(evaluation)
}
