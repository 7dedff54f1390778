//! The memory tool of Anthropic's models, `memory_20250818`: six commands on files below
//! `/memories`. The texts of the answers follow Anthropic's definition exactly.
//!
//! Pure: a command works on a [`ToolTree`], which `mounts` implements within one transaction, and
//! returns a text for the model. Fixtures define every text. The module knows no caller and records
//! nothing.
//!
//! To add a command: a variant in `command`, a file with its function, and a line in [`run`].

mod command;
mod file_operations;
pub mod scratch;
mod size;
mod text_edits;
mod tool_path;
mod tree;
mod view;

use command::Command;
use loci_model::{Error, ErrorKind, Reason, Result, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_path::Mounted;
pub use tree::{ToolEntry, ToolTree};

/// The root directory of the tool's files, as models see it.
pub const ROOT: &str = "/memories";

/// The settings of the memory tool (`[memory_tool]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryToolSettings {
    /// True if error texts for the model begin with `Error: `.
    pub error_prefix: bool,
    /// True if the command `create` replaces an existing file. Otherwise it fails.
    pub create_overwrites: bool,
    /// The maximum number of characters of a file that `view` shows without a line range.
    pub view_max_chars: usize,
    /// True if directory listings show the descriptions of documents that a writer gave.
    pub annotate: bool,
    /// The maximum share of a tree's documents that one `delete` may remove, in percent.
    pub max_recursive_delete: usize,
    /// The maximum number of documents in a small tree. In a small tree, `max_recursive_delete`
    /// does not apply: one `delete` may remove everything.
    pub small_tree: usize,
    /// The maximum size of a file, in bytes.
    pub max_bytes: usize,
    /// True if callers with a grant of admin may write below `/memories/system/`. Otherwise that
    /// directory is read-only for all callers.
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

/// The answer of the memory tool to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The text for the model.
    pub content: String,
    /// True if the command failed and changed nothing. The text then states the reason.
    pub is_error: bool,
}

impl ToolAnswer {
    /// Returns the answer for an error of the tree that a model can understand and resolve. `None`
    /// for other errors.
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
    /// Returns an error answer for a failure outside of this module, with the configured prefix.
    #[must_use]
    pub fn refused(why: String, settings: &MemoryToolSettings) -> Self {
        answer(Err(why), settings)
    }
}

/// The result of a command: a text for the model, as a success or as an error.
type CommandResult = std::result::Result<String, String>;

/// Runs a command of the memory tool. If the answer is an error, the command changed nothing.
///
/// # Errors
/// The errors of the tree. The caller must then roll back all changes; [`ToolAnswer::of_refusal`]
/// may convert the error to an answer.
pub fn run(tree: &mut dyn ToolTree, input: &Value, settings: &MemoryToolSettings) -> Result<ToolAnswer> {
    let told = match Command::read(input) {
        Ok(command) => carried_out(tree, &command, settings)?,
        Err(fault) => Err(fault),
    };
    Ok(answer(told, settings))
}

/// Returns true if the command only reads.
#[must_use]
pub fn only_reads(input: &Value) -> bool {
    input.get("command").and_then(Value::as_str) == Some("view")
}

/// Returns the paths in a command as they were sent, the main path first.
pub fn paths(input: &Value) -> impl Iterator<Item = &str> {
    ["path", "old_path", "new_path"].into_iter().filter_map(|name| input.get(name)?.as_str())
}

fn carried_out(
    tree: &mut dyn ToolTree,
    command: &Command,
    settings: &MemoryToolSettings,
) -> Result<CommandResult> {
    let mut mounted = Mounted { tree, settings };
    match command {
        Command::View { path, range } => view::view(&mounted, path, *range),
        Command::Create { path, text } => file_operations::create(&mut mounted, path, text),
        Command::Replace { path, old, new } => text_edits::replace(&mut mounted, path, old, new),
        Command::Insert { path, line, text } => text_edits::insert(&mut mounted, path, *line, text),
        Command::Delete { path } => file_operations::delete(&mut mounted, path),
        Command::Rename { old, new } => file_operations::rename(&mut mounted, old, new),
    }
}

fn answer(told: CommandResult, settings: &MemoryToolSettings) -> ToolAnswer {
    match told {
        Ok(content) => ToolAnswer { content, is_error: false },
        Err(why) if settings.error_prefix => ToolAnswer { content: format!("Error: {why}"), is_error: true },
        Err(content) => ToolAnswer { content, is_error: true },
    }
}

#[cfg(test)]
mod tests;
