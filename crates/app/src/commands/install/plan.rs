//! Plans an installation: from the texts of the files to their new texts. Pure: reads and writes
//! nothing, so that the cases of all clients are a table of texts.

use serde_json::json;

use super::client::{FilePurpose, InstallFile, ServerListFormat};
use super::json_edit::{self, EditRefusal};
use super::request::InstallRequest;
use super::{entry, hook, snippet};

/// A file of an installation, before and after. `None` means no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileEdit {
    pub(super) target: InstallFile,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl FileEdit {
    /// True if the edit changes the file.
    pub(super) fn is_change(&self) -> bool {
        self.before != self.after
    }
}

/// Returns the edit of one file.
///
/// # Errors
///
/// The reason why its text cannot be changed. In that case nothing of the installation may be
/// written.
pub(super) fn edit(
    target: &InstallFile,
    before: Option<String>,
    request: &InstallRequest,
) -> Result<FileEdit, EditRefusal> {
    let after = match &before {
        None if request.remove => None,
        text => wanted(target.part, text.as_deref().unwrap_or_default(), request)?,
    };
    Ok(FileEdit { target: target.clone(), before, after })
}

/// True if a file belongs to the request. A removal considers all files.
pub(super) fn is_asked(target: &InstallFile, request: &InstallRequest) -> bool {
    match target.part {
        FilePurpose::Servers(_) => true,
        FilePurpose::Hook(_) => request.hook || request.remove,
        FilePurpose::Instructions { .. } => request.instructions || request.remove,
    }
}

fn wanted(part: FilePurpose, text: &str, request: &InstallRequest) -> Result<Option<String>, EditRefusal> {
    let body = loci_json::without_mark(text);
    let mark = text.strip_suffix(body).unwrap_or_default();
    let is_json = matches!(part, FilePurpose::Servers(ServerListFormat::Json(_)) | FilePurpose::Hook(_));
    let body = if is_json && body.trim().is_empty() { "{}\n" } else { body };
    let changed = match part {
        FilePurpose::Servers(servers) => Some(entry::edited(body, servers, request)?),
        FilePurpose::Hook(shape) => Some(hook::edited(body, shape, request)?),
        FilePurpose::Instructions { front } if request.remove => snippet::remove(body, front)?,
        FilePurpose::Instructions { front } => Some(snippet::set(body, front)?),
    };
    let changed =
        changed.filter(|changed| !(request.remove && changed != body && says_nothing(part, changed)));
    Ok(changed.map(|changed| if changed == body { text.to_owned() } else { [mark, &changed].concat() }))
}

/// True if a file contains nothing useful after a removal.
fn says_nothing(part: FilePurpose, text: &str) -> bool {
    let is_json = matches!(part, FilePurpose::Servers(ServerListFormat::Json(_)) | FilePurpose::Hook(_));
    if !is_json {
        return text.trim().is_empty();
    }
    let has_comments = text.contains("//") || text.contains("/*");
    let value = json_edit::get(text, &[]).ok().flatten();
    !has_comments && value.is_some_and(|value| value == json!({}) || value == json!({ "version": 1 }))
}
