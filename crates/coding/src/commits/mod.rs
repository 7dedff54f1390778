//! Commits of tasks, and the tasks, prompts and people that code leads back to.

pub(super) mod attribution;
pub(super) mod blame;
pub(super) mod newest_commit;
pub(super) mod task_commits;
