//! What would be written: from the texts of the files to the texts they shall have. Pure: reads and writes nothing, so
//! that every client's every case is a table of texts.

use serde_json::json;

use super::client::{Part, Servers, Target};
use super::json_edit::{self, Refused};
use super::request::Request;
use super::{entry, hook, snippet};

/// A file of a set-up, as it is and as it shall be. `None`: no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) target: Target,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Edit {
    /// Whether something is to be done.
    pub(super) fn is_change(&self) -> bool {
        self.before != self.after
    }
}

/// The edit of one file.
///
/// # Errors
///
/// Why its text cannot be changed; nothing of the set-up is to be written then.
pub(super) fn edit(target: &Target, before: Option<String>, request: &Request) -> Result<Edit, Refused> {
    let after = match &before {
        None if request.remove => None,
        text => wanted(target.part, text.as_deref().unwrap_or_default(), request)?,
    };
    Ok(Edit { target: target.clone(), before, after })
}

/// Whether a file belongs to what is asked for. What is taken out is looked for everywhere.
pub(super) fn is_asked(target: &Target, request: &Request) -> bool {
    match target.part {
        Part::Servers(_) => true,
        Part::Hook(_) => request.hook || request.remove,
        Part::Instructions { .. } => request.instructions || request.remove,
    }
}

fn wanted(part: Part, text: &str, request: &Request) -> Result<Option<String>, Refused> {
    let body = loci_json::without_mark(text);
    let mark = text.strip_suffix(body).unwrap_or_default();
    let is_json = matches!(part, Part::Servers(Servers::Json(_)) | Part::Hook(_));
    let body = if is_json && body.trim().is_empty() { "{}\n" } else { body };
    let changed = match part {
        Part::Servers(servers) => Some(entry::edited(body, servers, request)?),
        Part::Hook(shape) => Some(hook::edited(body, shape, request)?),
        Part::Instructions { front } if request.remove => snippet::remove(body, front)?,
        Part::Instructions { front } => Some(snippet::set(body, front)?),
    };
    let changed =
        changed.filter(|changed| !(request.remove && changed != body && says_nothing(part, changed)));
    Ok(changed.map(|changed| if changed == body { text.to_owned() } else { [mark, &changed].concat() }))
}

/// Whether a file that something was taken out of has nothing left for anybody.
fn says_nothing(part: Part, text: &str) -> bool {
    let is_json = matches!(part, Part::Servers(Servers::Json(_)) | Part::Hook(_));
    if !is_json {
        return text.trim().is_empty();
    }
    let has_comments = text.contains("//") || text.contains("/*");
    let value = json_edit::get(text, &[]).ok().flatten();
    !has_comments && value.is_some_and(|value| value == json!({}) || value == json!({ "version": 1 }))
}
