//! Secrets in the names of a task: a branch or a page with a login, a model or a version with a
//! key. Each is masked before the task is stored, like its description, because names are copied
//! from the task to episodes, learnings and lists. Ids are not checked, because they identify the
//! owner.

use loci_engine::safety::{RedactionMode, secrets};
use loci_model::tasks::task::Task;

/// Masks the secrets in every name of a task.
pub(super) fn mask(task: &mut Task, mode: RedactionMode) {
    let prompt = task
        .prompt
        .as_mut()
        .map(|prompt| [&mut prompt.template_id, &mut prompt.template_sha256, &mut prompt.overrides_sha256]);
    let pr = task.pr.as_mut().map(|pr| [&mut pr.url, &mut pr.head_sha, &mut pr.merge_commit_sha]);
    let names = [
        &mut task.forge,
        &mut task.user,
        &mut task.branch,
        &mut task.base,
        &mut task.base_sha,
        &mut task.prompt_version,
        &mut task.model,
        &mut task.variant,
    ];
    let named = prompt.into_iter().flatten().chain(pr.into_iter().flatten()).chain(names);
    for name in named {
        *name = name.take().map(|name| secrets::redact(name, mode).0);
    }
}
