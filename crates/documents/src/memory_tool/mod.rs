//! The memory tool of Anthropic's models, `memory_20250818`: six commands on files below
//! `/memories`, answered in exact words.
//!
//! Pure: it works on a [`ToolTree`], which `mounts` implements within one transaction, and returns
//! the text for the model. Fixtures decide every text. It does not know which tree, mount
//! or caller it works for, and it records nothing.
//!
//! To add a command: a variant in `command`, a file with its function, a line in [`run`].

mod arranging;
mod command;
mod editing;
mod place;
pub mod scratch;
mod size;
mod tree;
mod viewing;

use command::Command;
use loci_model::{Error, ErrorKind, Reason, Result, limits};
use place::Mounted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use tree::{ToolEntry, ToolTree};

/// Where the tool's files lie, as models see it.
pub const ROOT: &str = "/memories";

/// How the tool behaves (`[memory_tool]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryToolSettings {
    /// Texts of errors begin with `Error: `.
    pub error_prefix: bool,
    /// Creating a file that is there replaces it.
    pub create_overwrites: bool,
    /// Characters of a file that a view without a range shows.
    pub view_max_chars: usize,
    /// Listings show descriptions that somebody gave.
    pub annotate: bool,
    /// Share of a tree that one deletion may take, in percent.
    pub max_recursive_delete: usize,
    /// Trees of at most so many documents may be deleted at once.
    pub small_tree: usize,
    /// Bytes of a file.
    pub max_bytes: usize,
    /// `/memories/system/` may be written by callers with a grant of admin; nobody may without it.
    pub write_system: bool,
}

impl Default for MemoryToolSettings {
    fn default() -> Self {
        Self {
            error_prefix: false,
            create_overwrites: false,
            view_max_chars: 16_000,
            annotate: true,
            max_recursive_delete: 25,
            small_tree: 8,
            max_bytes: limits::FILE_BYTES_MAX,
            write_system: false,
        }
    }
}

/// What the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The text.
    pub content: String,
    /// True where nothing was done, and the text says why.
    pub is_error: bool,
}

impl ToolAnswer {
    /// An answer for what the tree refused, in its own words; `None` for what no model can do anything about.
    #[must_use]
    pub fn of_refusal(error: &Error, settings: &MemoryToolSettings) -> Option<Self> {
        if error.reason == Some(Reason::IdempotentParameterMismatch) {
            return None;
        }
        match error.kind {
            ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::Conflict | ErrorKind::Denied => {
                Some(answer(Err(error.message.clone()), settings))
            }
            ErrorKind::NotFound
            | ErrorKind::Unauthenticated
            | ErrorKind::Throttled
            | ErrorKind::Unavailable
            | ErrorKind::Upstream
            | ErrorKind::Bug => None,
        }
    }
}

impl ToolAnswer {
    /// An answer of something else than the tool's own commands, with the same words before errors.
    #[must_use]
    pub fn refused(why: String, settings: &MemoryToolSettings) -> Self {
        answer(Err(why), settings)
    }
}

/// What a command comes to: the text of what was done, or of why nothing was.
type Told = std::result::Result<String, String>;

/// Runs one command. Where the answer is an error, nothing was changed.
///
/// # Errors
/// Those of the tree; what it has done by then must be undone, and [`ToolAnswer::of_refusal`] may have an answer.
pub fn run(tree: &mut dyn ToolTree, input: &Value, settings: &MemoryToolSettings) -> Result<ToolAnswer> {
    let told = match Command::read(input) {
        Ok(command) => carried_out(tree, &command, settings)?,
        Err(fault) => Err(fault),
    };
    Ok(answer(told, settings))
}

/// True for a command that only reads.
#[must_use]
pub fn only_reads(input: &Value) -> bool {
    input.get("command").and_then(Value::as_str) == Some("view")
}

/// The paths that a command names, as they came: the one that it is about first.
pub fn paths(input: &Value) -> impl Iterator<Item = &str> {
    ["path", "old_path", "new_path"].into_iter().filter_map(|name| input.get(name)?.as_str())
}

fn carried_out(tree: &mut dyn ToolTree, command: &Command, settings: &MemoryToolSettings) -> Result<Told> {
    let mut mounted = Mounted { tree, settings };
    match command {
        Command::View { path, range } => viewing::view(&mounted, path, *range),
        Command::Create { path, text } => arranging::create(&mut mounted, path, text),
        Command::Replace { path, old, new } => editing::replace(&mut mounted, path, old, new),
        Command::Insert { path, line, text } => editing::insert(&mut mounted, path, *line, text),
        Command::Delete { path } => arranging::delete(&mut mounted, path),
        Command::Rename { old, new } => arranging::rename(&mut mounted, old, new),
    }
}

fn answer(told: Told, settings: &MemoryToolSettings) -> ToolAnswer {
    match told {
        Ok(content) => ToolAnswer { content, is_error: false },
        Err(why) if settings.error_prefix => ToolAnswer { content: format!("Error: {why}"), is_error: true },
        Err(content) => ToolAnswer { content, is_error: true },
    }
}

#[cfg(test)]
mod tests;
