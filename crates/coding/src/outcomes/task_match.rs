//! Maps a pull request to its tasks: the tasks that name it, else the one that its branch names,
//! else those that the trailers of its commits name. Also maps a commit to its tasks. Outcomes and
//! reviews share this module.
//!
//! Branches and commits of another repository do not count, because anyone can create a fork.

use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, TaskQuery};
use loci_model::principal::Principal;
use loci_model::tasks::pull_request::{PullRequest, PullRequestCommit};
use loci_model::tasks::review::ForgeUser;
use loci_model::tasks::task::{Task, TaskKind};
use loci_model::{ActorId, MemoryId, Result, TaskId};

use super::{TASKS_MAX, trailers};
use crate::commits::blame;

/// The default patterns of task branches.
pub(crate) const BRANCH_PATTERNS: &[&str] = &["agent/{task_id}", "agent/{task_id}-*"];
const TASK: &str = "{task_id}";
/// The maximum number of task ids that are tried for one branch and pattern.
const READINGS_MAX: usize = 16;
/// The tolerance before the creation of a task, in milliseconds. Clocks differ, and a task may be
/// created slightly later than the time in its pull request.
const BEFORE_MS: i64 = 60 * 60 * 1_000;

/// Returns the tasks of a pull request, the newest first, without tasks that only review it.
///
/// # Errors
/// Errors of the store.
pub(crate) fn tasks_of(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    pr: &PullRequest,
) -> Result<Vec<Task>> {
    let found = named(tx, repository, actor, pr)?;
    Ok(found.into_iter().filter(|task| task.kind != TaskKind::PrReview).collect())
}

fn named(tx: &dyn ReadTx, repository: &Repository, actor: &ActorId, pr: &PullRequest) -> Result<Vec<Task>> {
    let all =
        || TaskQuery { actors: vec![actor.clone()], ..TaskQuery::all(repository.memory.clone(), TASKS_MAX) };
    let by_number = tx.tasks().list(&TaskQuery { pr: Some(pr.number), ..all() })?;
    let reviews_it = |task: &Task| task.kind == TaskKind::PrReview;
    if pr.is_fork || !by_number.iter().all(reviews_it) {
        return Ok(by_number);
    }
    let is_free = |task: &Task| {
        let has_other = task.pr.as_ref().is_some_and(|other| other.number != pr.number);
        task.actor == *actor && !has_other && task.created_at.plus_millis(-BEFORE_MS) <= pr.updated_at
    };
    if pr.head_ref != pr.base_ref {
        let on_branch = tx.tasks().list(&TaskQuery { branch: Some(pr.head_ref.clone()), ..all() })?;
        let on_branch: Vec<Task> = on_branch.into_iter().filter(is_free).collect();
        if !on_branch.is_empty() {
            return Ok(on_branch);
        }
        for id in by_branch(patterns(repository), &pr.head_ref) {
            if let Some(task) = tx.tasks().get(&repository.memory, &id)?.filter(is_free) {
                return Ok(vec![task]);
            }
        }
    }
    let mut by_trailer: Vec<Task> = Vec::new();
    for id in pr.commits.iter().flat_map(|commit| trailers::task_ids(&commit.message)) {
        let is_known = by_trailer.iter().any(|known| known.id == id);
        if !is_known && by_trailer.len() < TASKS_MAX {
            by_trailer.extend(tx.tasks().get(&repository.memory, &id)?.filter(is_free));
        }
    }
    Ok(by_trailer)
}

fn patterns(repository: &Repository) -> Vec<&str> {
    match &repository.settings.reviews.branch_patterns {
        Some(own) => own.iter().map(String::as_str).collect(),
        None => BRANCH_PATTERNS.to_vec(),
    }
}

/// Returns the task ids that a branch name may contain, the longest first within a pattern.
fn by_branch(patterns: Vec<&str>, branch: &str) -> Vec<TaskId> {
    let mut found = Vec::new();
    for pattern in patterns {
        let Some((before, behind)) = pattern.split_once(TASK) else { continue };
        let Some(rest) = branch.strip_prefix(before) else { continue };
        let ends = rest.char_indices().map(|(start, one)| start + one.len_utf8()).rev();
        let fits = |end: usize| {
            let (id, tail) = (rest.get(..end)?, rest.get(end..)?);
            matches(behind, tail).then(|| TaskId::parse(id).ok()).flatten()
        };
        found.extend(ends.filter_map(fits).take(READINGS_MAX));
    }
    found
}

/// True if a text matches a pattern in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.ends_with(last)
}

/// True if an account is one of the repository's agents.
pub(crate) fn is_agent(repository: &Repository, user: &ForgeUser) -> bool {
    let logins = repository.settings.reviews.agent_logins.iter().flatten();
    logins.into_iter().any(|login| login.eq_ignore_ascii_case(&user.login))
}

/// Returns the tasks that a commit leads back to according to the reports.
pub(super) fn tasks_of_commit(
    tx: &dyn ReadTx,
    (memory, actor): (&MemoryId, &ActorId),
    sha: &ObjectId,
) -> Result<Vec<TaskId>> {
    let (_, tasks) = blame::reported(tx, &Principal::administrator("loci"), (memory, actor), sha)?;
    Ok(tasks)
}

/// Returns the number of a pull request's commits by people: not by tasks, agents or other
/// programs, and not merges of its base. `None` if its commits are unknown.
pub(super) fn human_commits(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    pr: &PullRequest,
) -> Result<Option<u32>> {
    let mut count = 0_u32;
    for commit in &pr.commits {
        if is_of_person(tx, repository, actor, pr, commit)? {
            count = count.saturating_add(1);
        }
    }
    Ok((!pr.commits.is_empty()).then_some(count))
}

fn is_of_person(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    pr: &PullRequest,
    commit: &PullRequestCommit,
) -> Result<bool> {
    let by_program =
        commit.author.as_ref().is_some_and(|author| author.is_bot || is_agent(repository, author));
    if by_program || brings_base(pr, &commit.message) {
        return Ok(false);
    }
    let memory = &repository.memory;
    if let Some(sha) = ObjectId::parse(&commit.sha)
        && !tasks_of_commit(tx, (memory, actor), &sha)?.is_empty()
    {
        return Ok(false);
    }
    for id in trailers::task_ids(&commit.message) {
        if tx.tasks().get(memory, &id)?.is_some_and(|task| task.actor == *actor) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for the message of a forge's button that updates a branch, which changes nothing.
fn brings_base(pr: &PullRequest, message: &str) -> bool {
    let base = &pr.base_ref;
    ["Merge branch '", "Merge remote-tracking branch 'origin/"].iter().any(|start| {
        message.strip_prefix(start).is_some_and(|rest| rest.starts_with(&format!("{base}' into")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_name_tasks() {
        let check = |patterns: &[&str], branch: &str, expect: &[&str]| {
            let found: Vec<String> =
                by_branch(patterns.to_vec(), branch).iter().map(ToString::to_string).collect();
            assert_eq!(found, expect, "{patterns:?} {branch}");
        };
        check(BRANCH_PATTERNS, "agent/t-001", &["t-001", "t"]);
        check(BRANCH_PATTERNS, "agent/t-001-add-pages", &["t-001-add-pages", "t-001-add", "t-001", "t"]);
        check(BRANCH_PATTERNS, "feature/t-001", &[]);
        check(BRANCH_PATTERNS, "agent/", &[]);
        check(&["bot/*/{task_id}"], "bot/x/t-001", &[]);
        check(&["{task_id}/*"], "t-001/work", &["t-001"]);
        check(&["work"], "work", &[]);
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expect) in [
            ("", "", true),
            ("", "a", false),
            ("-*", "-a", true),
            ("-*", "-", true),
            ("-*", "a", false),
            ("/*/end", "/a/b/end", true),
            ("/*/end", "/end", false),
            ("*", "a/b", true),
            ("*-a-*", "x-a-y", true),
            ("*-a-*", "x-b-y", false),
        ] {
            assert_eq!(matches(pattern, text), expect, "{pattern} {text}");
        }
    }
}
