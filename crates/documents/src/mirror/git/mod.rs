//! Mirrors that are bare git repositories. They contain the history of the tree as commits, made
//! from the change log alone, so that equal logs give equal commits. Commits that people make in a
//! clone are imported like edits in any mirror.
//!
//! `commit_groups`: the changes of one commit; `message`: the message and the author of a commit;
//! both pure. `file_changes`: the effects of changes on files; `rendering_git`: commits after the
//! newest one; `restore_commit`: one on top of another store's commits, as after a restore; `pull`:
//! a clone's edits; `rendered_commits`: conversations and the changelog among those commits.

mod commit_groups;
mod file_changes;
mod message;
mod pull;
mod rendered_commits;
mod rendering_git;
mod restore_commit;
