//! `document_append`: adds lines to a document in one step on the server. Lines of concurrent
//! writers are all kept, and a repeated line is added once.

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::calls::reason_text;
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::slug::topic_key;
use loci_engine::safety::check_name;
use loci_model::ports::store::Tx;
use loci_model::principal::Principal;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Error, Result};

use super::appended_lines::{appended, appended_unread};
use super::document_write::DocumentWriter;
use super::precondition::Precondition;
use super::write_answer::DocumentWritten;
use crate::Documents;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;

/// The maximum number of lines in a call.
const LINES_MAX: usize = 10_000;

/// The document to which lines are appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendTo {
    /// The document at a path.
    Path(String),
    /// The document of a topic, given by its title.
    Title(String),
}

/// A request to append lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentAppend {
    /// The tree that contains the document.
    pub tree: TreeAsk,
    /// The document to append to.
    pub to: AppendTo,
    /// The lines to append.
    pub lines: Vec<String>,
    /// True to create the document if it does not exist.
    pub if_absent_create: bool,
    /// The condition under which the lines are appended. `None` appends always.
    pub precondition: Option<Precondition>,
    /// The reason for the change, stored with the version.
    pub reason: Option<String>,
}

impl Documents {
    /// Adds lines to a document. A line that the document already has is added only if the caller
    /// may not read the document.
    ///
    /// # Errors
    /// `NotFound` if the document does not exist and `if_absent_create` is false; `STALE_VERSION`;
    /// `Denied`; `Invalid`; `TooLarge`.
    pub async fn document_append(
        &self,
        caller: &Principal,
        append: DocumentAppend,
        token: Option<ClientToken>,
    ) -> Result<DocumentWritten> {
        let append = DocumentAppend { reason: reason_text::optional(append.reason)?, ..append };
        if append.lines.is_empty() || append.lines.len() > LINES_MAX {
            return Err(Error::invalid("lines", format!("lines must be 1 to {LINES_MAX} lines")));
        }
        let path = match &append.to {
            AppendTo::Path(path) => Some(DocumentPath::parse(path)?),
            AppendTo::Title(title) if topic_key(title).is_empty() => {
                return Err(Error::invalid("title", "title must not be empty"));
            }
            AppendTo::Title(_) => None,
        };
        let write = TreeWrite::of(&append.tree, "AppendDocument", token);
        let asked = append.clone();
        self.tree_write(caller, write, move |tx, writing| {
            let written = match (&path, &asked.to) {
                (Some(path), _) => writing.append_at(tx, path, &asked)?,
                (None, AppendTo::Title(title)) => writing.append_under(tx, title, &asked)?,
                (None, AppendTo::Path(_)) => return Err(Error::bug("a path that was not read")),
            };
            Ok(writing.answer(written, path.as_ref(), false))
        })
        .await
    }
}

impl DocumentWriter<'_> {
    fn append_at(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        asked: &DocumentAppend,
    ) -> Result<DocumentWritten> {
        let found = self.find(tx, path)?;
        if let Some(precondition) = &asked.precondition {
            self.check(precondition, path, found.as_ref())?;
        }
        let reason = asked.reason.as_deref();
        let lines = asked.lines.iter().map(String::as_str);
        let Some(found) = found else {
            let (body, added) = appended("", lines);
            if !asked.if_absent_create {
                return Err(absent(path.as_str()));
            }
            check_name("path", path.as_str(), self.policy.secrets)?;
            let content = DocumentContent { body, ..DocumentContent::default() };
            let written = self.create(tx, path, &content, reason)?;
            return Ok(DocumentWritten { added: Some(added), ..written });
        };
        let (body, added) = self.appended(&found.record.text, lines);
        let content = DocumentContent::of(&found.record).with_body(body);
        let written = self.replace(tx, &found, &content, (DocumentOperation::Modified, reason))?;
        Ok(DocumentWritten { added: Some(added), ..written })
    }

    /// Returns a document's text with lines appended, and the number of appended lines. For a
    /// caller without read access, lines that the text already has are appended again, because
    /// otherwise the answer would reveal that they exist.
    pub(crate) fn appended<'a>(&self, text: &str, lines: impl IntoIterator<Item = &'a str>) -> (String, u64) {
        if self.may_read { appended(text, lines) } else { appended_unread(text, lines) }
    }

    fn append_under(&self, tx: &mut dyn Tx, title: &str, asked: &DocumentAppend) -> Result<DocumentWritten> {
        let reason = asked.reason.as_deref();
        let lines = || asked.lines.iter().map(String::as_str);
        if let Some(written) = self.append_to_topic(tx, title, lines(), reason)? {
            return Ok(written);
        }
        if !asked.if_absent_create {
            return Err(absent(title));
        }
        let (body, added) = appended("", lines());
        let content = DocumentContent { body, title: Some(title.to_owned()), ..DocumentContent::default() };
        let written = self.put_anywhere(tx, &content, reason)?;
        Ok(DocumentWritten { added: Some(added), ..written })
    }
}

fn absent(what: &str) -> Error {
    Error::not_found(format!("No memory file at {what}: send if_absent_create=true to make one"))
}
