//! A store of notes in a directory of Markdown files: its layout, its search, its appends.

mod layout;
mod meaning;
mod note_folder;
mod search;
pub(super) mod store;
