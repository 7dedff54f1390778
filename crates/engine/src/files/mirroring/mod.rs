//! Mirrors (files-and-git.md §§8, 9): a tree as files elsewhere, kept the same from both sides.
//!
//! | file | idea |
//! |---|---|
//! | [`sync_plan`] | what is to be done, from what the tree, the mirror and their last agreement hold: pure |
//! | [`guards`] | what keeps a mirror that is gone, or another's, from deleting anything: pure |

pub mod guards;
pub mod sync_plan;
