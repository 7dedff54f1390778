//! `related_files`: files that changed together with others (coding-agent-memory.md §15). Laid out, so that its name and arguments are
//! kept for it; nothing answers yet.

use super::shapes::limit;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, list, open, word};
use crate::tools::shapes::{path, repo};
use crate::tools::tool::{Annotations, Scope, Tool};

/// Items where nobody says.
const ITEMS: u32 = 20;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "related_files",
        dotted: None,
        description: "Files that usually change together with these ones, and how often.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(false),
        input: closed(
            [("repo", repo()), ("paths", list(path(), 1, 200)), ("limit", limit(ITEMS))],
            &["repo", "paths"],
        ),
        output: open([("files", array(anything())), ("warnings", array(word()))], &["files"]),
        work: None,
    }
}
