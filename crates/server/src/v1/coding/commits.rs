//! Commits of tasks, and what a commit leads back to.

use loci_api::coding::commit as shape;
use loci_api::coding::table as api;
use loci_coding::{Blame, BlameAsk, BlamedTask, CommitReport, NewCommit};
use loci_model::Result;

use super::tasks::task_id;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::standing::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::TASK_COMMITS, report).query(api::BLAME, blame)
}

async fn report(call: Call, asked: shape::TaskCommits) -> Result<shape::TaskCommitsTaken> {
    let commits = asked.commits.into_iter().map(|commit| {
        Ok(NewCommit {
            authored_at: time("commits.authored_at", commit.authored_at.as_deref())?,
            sha: commit.sha,
            parents: commit.parents,
            branch: commit.branch,
            author: commit.author,
            user: commit.user,
            prompt_version: commit.prompt_hash,
            trailers: commit.trailers,
            patch_id: commit.patch_id,
        })
    });
    let rewrites = asked.rewrites.into_iter().map(|one| (one.old, one.new)).collect();
    let report = CommitReport { commits: commits.collect::<Result<_>>()?, rewrites };
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    call.doors.engine.coding.task_commits(&call.caller, &standing, &id, report).await
}

async fn blame(call: Call, asked: shape::BlameAsk) -> Result<shape::Blame> {
    let repo = repo(&call)?;
    let ids = asked.task_ids.as_deref().unwrap_or_default().split(',').map(str::trim);
    let ask = BlameAsk {
        commit: asked.commit.clone(),
        patch_id: asked.patch_id,
        task_ids: ids.filter(|id| !id.is_empty()).map(str::to_owned).collect(),
        authored_at: time("authored_at", asked.authored_at.as_deref())?,
    };
    let found = call.doors.engine.coding.blame(&call.caller, &standing(&call)?, &repo, ask).await?;
    Ok(shown(asked.commit, found))
}

fn shown(commit: String, found: Blame) -> shape::Blame {
    shape::Blame {
        commit,
        how: found.how.as_str().to_owned(),
        tasks: found.tasks.into_iter().map(task).collect(),
        attribution_conflict: found.conflict,
        warnings: found.warnings,
    }
}

/// What was reported of the commit comes before what is known of the task.
fn task(found: BlamedTask) -> shape::BlamedTask {
    let BlamedTask { task, commit } = found;
    let of = |commit: Option<String>, task: Option<String>| commit.or(task);
    let (sha, user, prompt) = commit
        .map(|commit| (Some(commit.sha.to_string()), commit.user, commit.prompt_version))
        .unwrap_or_default();
    shape::BlamedTask {
        task_id: task.id.to_string(),
        commit: sha,
        user: of(user, task.user),
        prompt_version: of(prompt, task.prompt_version),
        input_hash: task.input_hash,
        memory_hash: task.memory_hash,
        model: task.model,
        description: task.description,
        status: task.status.as_str().to_owned(),
        pr: task.pr.map(|pr| pr.number),
        session: task.session.to_string(),
        episode_id: task.written.episode.map(|episode| episode.to_string()),
    }
}
