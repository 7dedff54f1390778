//! A mirror that is a bare repository: the history of the tree as commits, derived from the log
//! only, so that equal logs give equal commits; and edits that people committed in a clone, taken
//! like edits of any mirror.
//!
//! `grouping`: the changes of one commit; `message`: the message and the author of a commit; both
//! pure. `telling`: the effects of changes on files; `rendering_git`: commits after the newest one;
//! `restore_commit`: one on top of another store's commits, as after a restore; `pulling`: a
//! clone's edits; `rendered_commits`: conversations and the changelog among those commits.

mod grouping;
mod message;
mod pulling;
mod rendered_commits;
mod rendering_git;
mod restore_commit;
mod telling;
