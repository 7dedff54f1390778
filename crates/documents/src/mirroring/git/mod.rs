//! A mirror that is a bare repository: the history of the tree as commits, made of the log alone,
//! so that the same log gives the same commits; and edits that people committed in a clone, taken
//! as edits of any mirror.
//!
//! `grouping`: which changes are one commit; `message`: what a commit says, and who made it; both pure. `telling`: what changes did to files;
//! `rendering_git`: commits behind the newest one; `restore_commit`: one on top of another store's
//! commits, as after a restore; `pulling`: a clone's edits;
//! `rendered_commits`: conversations and the changelog among those commits.

mod grouping;
mod message;
mod pulling;
mod rendered_commits;
mod rendering_git;
mod restore_commit;
mod telling;
