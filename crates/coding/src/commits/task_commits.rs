//! The verb `task_commits`: reports of git hooks. A report may arrive late, twice, and from several
//! clones. Each commit is one row, which a repetition does not change. The first task that claims a
//! commit stays its task.

use loci_api::coding::commit::{ReportedCommit, TaskCommits, TaskCommitsTaken};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, secrets};
use loci_model::facts::code::ObjectId;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Error, MemoryId, Result, TaskId, Timestamp, limits};

use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::{field_checks, task_namespaces};

/// A commit with parsed ids and time.
struct ReadCommit {
    sha: ObjectId,
    parents: Vec<ObjectId>,
    authored_at: Option<Timestamp>,
    said: ReportedCommit,
}

/// A report with parsed ids.
struct CommitsRequest {
    commits: Vec<ReadCommit>,
    rewrites: Vec<(ObjectId, ObjectId)>,
}

impl Coding {
    /// Stores a report of hooks.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound`; `Denied`.
    pub async fn task_commits(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        report: TaskCommits,
    ) -> Result<TaskCommitsTaken> {
        Call::write("task_commits", Some(id))
            .told(async {
                let read = read(report)?;
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let (caller, id, now, settings) =
                    (caller.clone(), id.clone(), self.engine.now(), self.engine.settings().clone());
                self.engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        let mut taken = TaskCommitsTaken::default();
                        for commit in &read.commits {
                            take(tx, &task, commit, policy.secrets, now, &mut taken)?;
                        }
                        for (old, new) in &read.rewrites {
                            rewrite(tx, &task, old, new, now, &mut taken)?;
                        }
                        Ok(taken)
                    })
                    .await
            })
            .await
    }
}

/// Stores the commits that an agent names at the end of its task. Only their ids are known; a
/// hook's report, earlier or later, supplies the rest. An entry that is not a full id is ignored.
pub(crate) fn told(tx: &mut dyn Tx, task: &Task, shas: &[String], now: Timestamp) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    for sha in shas.iter().take(limits::COMMITS_PER_REPORT_MAX).filter_map(|sha| ObjectId::parse(sha)) {
        let (mut commit, _) = row(tx, (&task.memory, &task.actor), &sha, now)?;
        match &commit.task {
            None => {
                commit.task = Some(task.id.clone());
                tx.commits_mut().put(&commit)?;
            }
            Some(other) if *other != task.id => warnings.push(conflict(&sha, other)),
            Some(_) => {}
        }
    }
    Ok(warnings)
}

fn conflict(sha: &ObjectId, other: &TaskId) -> String {
    format!("ATTRIBUTION_CONFLICT: {sha} was reported by task {other} before")
}

/// Returns the row of a commit, existing or new, and a flag that is true if it exists.
pub(crate) fn row(
    tx: &dyn Tx,
    (memory, actor): (&MemoryId, &ActorId),
    sha: &ObjectId,
    now: Timestamp,
) -> Result<(TaskCommit, bool)> {
    let known = tx.commits().get(memory, actor, sha)?;
    let is_known = known.is_some();
    Ok((known.unwrap_or_else(|| TaskCommit::bare(memory.clone(), actor.clone(), *sha, now)), is_known))
}

fn take(
    tx: &mut dyn Tx,
    task: &Task,
    ReadCommit { sha, parents, authored_at, said }: &ReadCommit,
    mode: RedactionMode,
    now: Timestamp,
    taken: &mut TaskCommitsTaken,
) -> Result<()> {
    let (known, _) = row(tx, (&task.memory, &task.actor), sha, now)?;
    if let Some(other) = known.task.as_ref().filter(|other| **other != task.id) {
        taken.warnings.push(conflict(sha, other));
        return Ok(());
    }
    let clean = |text: &String| secrets::redact(text.clone(), mode).0;
    let mut commit = TaskCommit {
        task: Some(task.id.clone()),
        user: said.user.as_ref().map(clean).or_else(|| task.user.clone()),
        prompt_version: said.prompt_hash.as_ref().map(clean).or_else(|| task.prompt_version.clone()),
        parents: parents.clone(),
        branch: said.branch.as_ref().map(clean),
        author: said.author.as_ref().map(clean),
        authored_at: *authored_at,
        trailers: said.trailers.iter().map(|(name, value)| (clean(name), clean(value))).collect(),
        patch_id: said.patch_id.as_ref().map(clean),
        ..known.clone()
    };
    if known.task.is_some() {
        commit = filled_in(&known, commit);
    }
    if commit != known {
        tx.commits_mut().put(&commit)?;
        taken.stored = taken.stored.saturating_add(1);
    }
    Ok(())
}

/// Fills in the missing fields of a known commit from a further report. All other fields stay.
fn filled_in(known: &TaskCommit, said: TaskCommit) -> TaskCommit {
    let first = |before: &Option<String>, now: Option<String>| before.clone().or(now);
    TaskCommit {
        user: first(&known.user, said.user),
        prompt_version: first(&known.prompt_version, said.prompt_version),
        parents: if known.parents.is_empty() { said.parents } else { known.parents.clone() },
        branch: first(&known.branch, said.branch),
        author: first(&known.author, said.author),
        authored_at: known.authored_at.or(said.authored_at),
        trailers: if known.trailers.is_empty() { said.trailers } else { known.trailers.clone() },
        patch_id: first(&known.patch_id, said.patch_id),
        ..known.clone()
    }
}

fn rewrite(
    tx: &mut dyn Tx,
    task: &Task,
    old: &ObjectId,
    new: &ObjectId,
    now: Timestamp,
    taken: &mut TaskCommitsTaken,
) -> Result<()> {
    let place = (&task.memory, &task.actor);
    let (before, _) = row(tx, place, old, now)?;
    if before.rewritten_to.as_ref() != Some(new) {
        tx.commits_mut().put(&TaskCommit { rewritten_to: Some(*new), ..before.clone() })?;
        taken.rewritten = taken.rewritten.saturating_add(1);
    }
    let (mut after, _) = row(tx, place, new, now)?;
    if after.rewritten_from.contains(old) {
        return Ok(());
    }
    if after.rewritten_from.len() >= limits::COMMITS_PER_REPORT_MAX {
        taken.warnings.push(format!("TOO_MANY: {new} took the place of more commits than are kept"));
        return Ok(());
    }
    // A commit applied elsewhere keeps its patch id, unless it became part of a larger commit.
    let is_alone = after.rewritten_from.is_empty();
    after.patch_id = after.patch_id.or(before.patch_id).filter(|_| is_alone || after.task.is_some());
    after.rewritten_from.push(*old);
    tx.commits_mut().put(&after)
}

fn read(report: TaskCommits) -> Result<CommitsRequest> {
    let max = limits::COMMITS_PER_REPORT_MAX;
    for (field, count) in [("commits", report.commits.len()), ("rewrites", report.rewrites.len())] {
        if count > max {
            return Err(Error::invalid(
                field,
                format!("{field} must be at most {max} in one report: send several"),
            ));
        }
    }
    let mut commits = Vec::with_capacity(report.commits.len());
    for said in report.commits {
        let authored_at = Timestamp::read("commits.authored_at", said.authored_at.as_deref())?;
        check(&said)?;
        let parents = said.parents.iter().map(|parent| id("commits.parents", parent));
        let (sha, parents) = (id("commits.sha", &said.sha)?, parents.collect::<Result<_>>()?);
        commits.push(ReadCommit { sha, parents, authored_at, said });
    }
    let mut rewrites = Vec::with_capacity(report.rewrites.len());
    for one in report.rewrites {
        let (old, new) = (id("rewrites.old", &one.old)?, id("rewrites.new", &one.new)?);
        if old != new {
            rewrites.push((old, new));
        }
    }
    Ok(CommitsRequest { commits, rewrites })
}

/// Parses the id of a commit.
pub(crate) fn id(field: &'static str, text: &str) -> Result<ObjectId> {
    ObjectId::parse(text).ok_or_else(|| Error::invalid(field, format!("{field} must be 40 or 64 hex digits")))
}

fn check(new: &ReportedCommit) -> Result<()> {
    for (field, value) in [
        ("commits.branch", new.branch.as_ref()),
        ("commits.author", new.author.as_ref()),
        ("commits.user", new.user.as_ref()),
        ("commits.prompt_hash", new.prompt_hash.as_ref()),
        ("commits.patch_id", new.patch_id.as_ref()),
    ] {
        field_checks::name(field, value)?;
    }
    let max = limits::COMMIT_TRAILERS_MAX;
    if new.trailers.len() > max || new.parents.len() > max {
        return Err(Error::invalid("commits", format!("a commit has at most {max} trailers and parents")));
    }
    new.trailers
        .iter()
        .flat_map(|(name, value)| [name, value])
        .try_for_each(|text| field_checks::name("commits.trailers", Some(text)))
}
