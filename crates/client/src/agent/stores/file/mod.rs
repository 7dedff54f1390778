//! A store of notes in a directory of Markdown files: its layout, its search, its appends.

mod layout;
mod note_folder;
mod search;
mod semantic_search;
pub(super) mod store;
