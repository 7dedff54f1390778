//! Document text: a record as a file, with its path, its head and its derived names. Pure.

pub mod areas;
pub mod case_folding;
mod claims;
pub mod content;
pub mod derived_names;
pub mod frontmatter;
pub mod line_ends;
pub mod path;
pub mod path_rule;
pub mod slug;
mod written_head;

pub use content::{DocumentContent, is_title};
pub use derived_names::{derived_description, derived_directory, derived_path, derived_title};
pub use path::{DocumentPath, PathKey};
pub use path_rule::PathRule;
