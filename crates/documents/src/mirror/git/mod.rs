//! A mirror that is a bare repository: the history of the tree as commits, derived from the log
//! only, so that equal logs give equal commits; and edits that people committed in a clone, taken
//! like edits of any mirror.
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
