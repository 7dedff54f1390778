//! Names of files and revisions: the rules for paths, patterns, generated files, kinds of files and
//! refs.

pub(super) mod file_kind;
pub(super) mod generated_files;
pub(super) mod glob;
pub(super) mod ref_name;
