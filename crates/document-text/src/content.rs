//! A record as a document: its content, its properties, and both as one file in the native layout.
//! Pure.
//!
//! `frontmatter` reads and writes the head of a file. `trees/reconciliation` decides its place in a
//! tree.

use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::{Record, RecordKind, TrustTier};
use loci_model::trees::tree_entry::{EntryStanding, PathOrigin, TreeEntry, owner_of};
use loci_model::{Error, ErrorKind, Result, Timestamp, limits};
use loci_text::sections::first_heading;
use sha2::{Digest, Sha256};
use unicode_normalization::is_nfc;

use super::claims::Granted;
use super::derived_names::{derived_description, shortened};
use super::frontmatter::{self, Frontmatter, Value, text_below};
use super::path::DocumentPath;
use super::written_head::has_no_head;

/// The metadata key that marks a raw document: its file is the text, without a separate head.
const RAW: &str = "file_raw";
/// The metadata key of the entries in the file's head, in order.
const HEAD: &str = "file_head";
/// The metadata key of the head as its author wrote it. The value starts with a mark, because the
/// head may be empty.
const WRITTEN_HEAD: &str = "file_written_head";
/// The mark at the start of a stored head.
const HEAD_MARK: char = '|';
/// The metadata key that marks an executable file.
const EXECUTABLE: &str = "file_executable";
/// The metadata key of the path in a git commit, if its Unicode composition differs from the
/// document's path.
const COMMITTED_PATH: &str = "file_committed_path";
/// The metadata key of the members that need a grant, if the head of the file claims other values.
const GRANTED: &str = "file_granted";
/// The metadata key that marks redacted content.
const REDACTED: &str = "file_redacted";
/// The members of a head that Loci does not take from a file: it assigns ids itself, and a file may
/// only lower its trust.
pub const NOT_KEPT: [&str; 2] = ["id", TRUST];
/// The member of a head with the trust tier that the file requests.
pub const TRUST: &str = "trust";

/// Returns the path of a record's file in git commits. `None` if it is the same as the document's
/// path.
pub fn committed_path(record: &Record) -> Option<&str> {
    match record.metadata.get(COMMITTED_PATH) {
        Some(MetadataValue::String(path)) => Some(path),
        Some(_) | None => None,
    }
}

/// The content of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentContent {
    /// The text of the document.
    pub body: String,
    /// The title that a writer gave. `None` if there is none.
    pub title: Option<String>,
    /// The description that a writer gave. `None` if there is none.
    pub description: Option<String>,
    /// The scope to which the document applies. `None` means everything.
    pub scope: Option<String>,
    /// The other entries of the file's head, and the positions of title, description and scope
    /// among them.
    pub head: Frontmatter,
    /// The head of the file as its author wrote it, byte for byte; empty if the file has no head.
    /// It is used until the document's members differ from it.
    pub written_head: Option<String>,
    /// True if the file is the text alone, with no head added.
    pub is_raw: bool,
    /// True if the file is executable. `None` keeps the value of the version before, which is false
    /// for a new document.
    pub executable: Option<bool>,
    /// The path of the file in git commits. `None` keeps the value of the version before, which is
    /// the document's path for a new document.
    pub committed_path: Option<String>,
    /// The trust tier that the head of the file requests, if it is lower than that of the writer.
    pub lowered_to: Option<TrustTier>,
    /// The members that need a grant, with the values that apply instead of those in the head.
    /// `None` lets the head apply.
    pub granted: Option<Granted>,
}

impl DocumentContent {
    /// Reads the content of a record.
    pub fn of(record: &Record) -> Self {
        let head = match record.metadata.get(HEAD) {
            Some(MetadataValue::String(lines)) => head_of(lines),
            Some(_) | None => Frontmatter::default(),
        };
        let written_head = match record.metadata.get(WRITTEN_HEAD) {
            Some(MetadataValue::String(marked)) => marked.strip_prefix(HEAD_MARK).map(ToOwned::to_owned),
            Some(_) | None => None,
        };
        Self {
            body: record.text.clone(),
            title: record.title.clone(),
            description: record.description.clone(),
            scope: record.scope.clone(),
            head,
            written_head,
            is_raw: record.metadata.contains_key(RAW) || has_no_head(record.path.as_deref()),
            executable: record.metadata.contains_key(EXECUTABLE).then_some(true),
            committed_path: committed_path(record).map(ToOwned::to_owned),
            lowered_to: None,
            granted: match record.metadata.get(GRANTED) {
                Some(MetadataValue::String(granted)) => Granted::parse(granted),
                Some(_) | None => None,
            },
        }
    }

    /// Reads a whole file with its head. If the head cannot be read, the whole file becomes the
    /// text, and a warning gives the reason.
    pub fn of_file(file: &str) -> (Self, Vec<String>) {
        match frontmatter::parse(file) {
            Ok(parted) => {
                let head = parted.frontmatter.unwrap_or_default();
                (Self { body: parted.body.to_owned(), ..Self::default() }.with_head(head), Vec::new())
            }
            Err(fault) => (Self::raw(file.to_owned()), vec![fault.to_string()]),
        }
    }

    /// Reads a file that is all text. Title and description are taken from the text and never
    /// written into the file. If they are longer than a listing permits, they are shortened and not
    /// rejected, because the author controls the text.
    pub fn raw(file: String) -> Self {
        let head = frontmatter::parse(&file).ok().and_then(|parted| parted.frontmatter);
        let read = Self::default().with_head(head.unwrap_or_default());
        let Self { title, description, lowered_to, .. } = read;
        let title = title.map(|text| line_of(&text, limits::FILE_TITLE_CHARS_MAX));
        let description = description.map(|text| line_of(&text, limits::FILE_DESCRIPTION_CHARS_MAX));
        Self { body: file, title, description, is_raw: true, lowered_to, ..Self::default() }
    }

    /// Returns the document with another text.
    #[must_use]
    pub fn with_body(self, body: String) -> Self {
        if self.is_raw {
            return self.with_raw_text(body);
        }
        let next = Self { body, ..self };
        next.described().unwrap_or(next)
    }

    /// Replaces the text of a raw document. A title and a description that were taken from the text
    /// are taken again; given ones stay.
    fn with_raw_text(self, text: String) -> Self {
        let (before, now) = (Self::raw(self.body.clone()), Self::raw(text));
        let followed = |given: Option<String>, read_before: &Option<String>, read_now: Option<String>| {
            if given == *read_before { read_now } else { given }
        };
        Self {
            title: followed(self.title, &before.title, now.title),
            description: followed(self.description, &before.description, now.description),
            body: now.body,
            lowered_to: now.lowered_to,
            ..self
        }
    }

    /// Returns the document as the next version of `before`. A description that equals the one
    /// derived from the earlier text does not count as given.
    #[must_use]
    pub fn after(mut self, before: &Self) -> Self {
        let made = before.description.is_none().then(|| before.shown_description());
        if self.description.is_some() && self.description == made {
            self.description = None;
        }
        self.executable = self.executable.or(before.executable);
        // A caller that sends a document in parts does not specify the form of its head.
        if self.written_head.is_none() && !self.is_raw {
            self.written_head.clone_from(&before.written_head);
        }
        self
    }

    pub(crate) fn with_head(mut self, mut head: Frontmatter) -> Self {
        let text =
            |key: &str| head.text(key).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        self.title = text("title");
        self.description = text("description");
        self.scope = text("scope");
        self.lowered_to = text(TRUST).as_deref().and_then(TrustTier::parse_input);
        for key in NOT_KEPT {
            head.remove(key);
        }
        self.head = head;
        self
    }

    /// Returns the text of the document below the frontmatter of its file.
    pub fn prose(&self) -> &str {
        if self.is_raw { text_below(&self.body) } else { &self.body }
    }

    /// Returns the head to write into the file. It always contains a description.
    pub(crate) fn shown_head(&self) -> Frontmatter {
        let mut head = Frontmatter::default();
        if self.head.get("description").is_none() {
            head.set("description", Value::of(self.shown_description()));
        }
        for (key, value) in self.head.entries() {
            head.set(key, value.clone());
        }
        head.set("description", Value::of(self.shown_description()));
        for (key, text) in [("title", &self.title), ("scope", &self.scope)] {
            match text {
                Some(text) => head.set(key, Value::of(text.as_str())),
                None if head.get(key).is_some_and(|value| value.text().is_none()) => {}
                None => drop(head.remove(key)),
            }
        }
        head
    }

    /// Returns the description that a listing shows: the given one, else one derived from the text.
    pub fn shown_description(&self) -> String {
        self.description.clone().unwrap_or_else(|| derived_description(self.prose()))
    }

    /// Returns true if the file is executable.
    pub fn is_executable(&self) -> bool {
        self.executable.unwrap_or_default()
    }

    /// Sets whether cleanup keeps the document and prompts show it before others.
    pub fn set_pinned(&mut self, pinned: bool) {
        self.head.set("pinned", Value::of_bool(pinned));
    }

    /// Sets the priority. Prompts show documents with a greater one first.
    pub fn set_priority(&mut self, priority: i64) {
        self.head.set("priority", Value::of_number(priority));
    }

    /// Returns the time under a key of the head. `None` if the value is not a time.
    pub fn time(&self, key: &str) -> Option<Timestamp> {
        self.head.text(key).and_then(|text| Timestamp::parse(text).ok())
    }

    /// Checks the members and the size of the document.
    ///
    /// # Errors
    /// `Invalid`, naming the member that breaks a rule; `TooLarge` for the document.
    pub fn check(&self, kind: RecordKind) -> Result<()> {
        let check = |name: &str, text: Option<&String>, max: usize| match text {
            Some(text) if !is_line(text, max) => {
                Err(Error::invalid(name, format!("{name} must be one line of 1 to {max} characters")))
            }
            Some(_) | None => Ok(()),
        };
        check("title", self.title.as_ref(), limits::FILE_TITLE_CHARS_MAX)?;
        check("description", self.description.as_ref(), limits::FILE_DESCRIPTION_CHARS_MAX)?;
        check("scope", self.scope.as_ref(), limits::SHORT_TEXT_CHARS_MAX)?;
        if !self.shown_head().fits() {
            let rule =
                format!("the head of the file must have at most {} bytes", limits::FRONTMATTER_BYTES_MAX);
            return Err(Error::invalid("head", rule));
        }
        let bytes = self.file().len();
        if bytes > limits::FILE_BYTES_MAX {
            return Err(too_large(bytes));
        }
        let is_document = kind == RecordKind::Document;
        if !is_document && !(1..=limits::RECORD_TEXT_CHARS_MAX).contains(&self.body.chars().count()) {
            let rule = format!(
                "a record of kind {} has 1 to {} characters: delete it instead, or write a document",
                kind.as_str(),
                limits::RECORD_TEXT_CHARS_MAX
            );
            return Err(Error::invalid("body", rule));
        }
        Ok(())
    }

    /// Returns the metadata of a record with this document's members. Other keys stay as in
    /// `before`.
    fn metadata_with(&self, before: &Metadata) -> Metadata {
        let mut metadata = before.clone();
        for key in [RAW, HEAD, WRITTEN_HEAD, EXECUTABLE, GRANTED, REDACTED] {
            metadata.remove(key);
        }
        for (key, _) in [(RAW, self.is_raw), (EXECUTABLE, self.is_executable())].iter().filter(|(_, is)| *is)
        {
            metadata.insert((*key).to_owned(), MetadataValue::String("true".to_owned()));
        }
        match &self.committed_path {
            Some(path) if is_nfc(path) => drop(metadata.remove(COMMITTED_PATH)),
            Some(path) => {
                metadata.insert(COMMITTED_PATH.to_owned(), MetadataValue::String(path.clone()));
            }
            None => {}
        }
        if let Some(head) = self.written_head.as_ref().filter(|_| !self.is_raw) {
            metadata.insert(WRITTEN_HEAD.to_owned(), MetadataValue::String(format!("{HEAD_MARK}{head}")));
        }
        if let Some(Granted { pinned, priority }) = self.granted {
            metadata.insert(GRANTED.to_owned(), MetadataValue::String(format!("{pinned} {priority}")));
        }
        let lines = self.head.lines();
        if !lines.is_empty() {
            metadata.insert(HEAD.to_owned(), MetadataValue::String(lines));
        }
        metadata
    }

    /// Returns the metadata of a record with this content, after `change` was applied to the texts
    /// of its head.
    pub fn metadata_changed(&self, before: &Metadata, change: &mut dyn FnMut(String) -> String) -> Metadata {
        let mut metadata = self.metadata_with(before);
        let mut head = self.head.clone();
        head.change_texts(&mut *change);
        let lines = head.lines();
        if !lines.is_empty() {
            metadata.insert(HEAD.to_owned(), MetadataValue::String(lines));
        }
        // A written head also has comments. If the change affects them, the written head is dropped
        // and rendered from its entries.
        if self.written_head.as_ref().is_some_and(|head| change(head.clone()) != *head) {
            metadata.remove(WRITTEN_HEAD);
        }
        metadata
    }

    /// Applies the document's trust and times to the record. `before` is the content of the version
    /// before.
    pub fn apply_standing(&self, record: &mut Record, before: Option<&Self>) {
        let rank = |tier: TrustTier| match tier {
            TrustTier::Confirmed => 3,
            TrustTier::Agent => 2,
            TrustTier::External => 1,
            TrustTier::Flagged => 0,
        };
        if let Some(tier) = self.lowered_to.filter(|tier| rank(*tier) < rank(record.tier)) {
            record.tier = tier;
        }
        let expires_at = self.time("expires_at");
        if expires_at != before.and_then(|before| before.time("expires_at")) {
            record.expires_at = expires_at;
            record.expiry_days = None;
        }
        // An author without the grant may not set a future `valid_from`, which would mark other
        // records as outdated.
        let is_believed = |from: &Timestamp| self.granted.is_none() || *from <= record.updated_at;
        if let Some(valid_from) = self.time("valid_from").filter(is_believed) {
            record.valid_from = valid_from;
        }
    }
}

/// Returns the error for a document that exceeds the size limit of a file.
pub(crate) fn too_large(bytes: usize) -> Error {
    let max = limits::FILE_BYTES_MAX;
    Error::new(
        ErrorKind::TooLarge,
        format!("the document would have {bytes} bytes, and at most {max} are allowed: split it"),
    )
    .on("body")
}

/// Returns true for a text that is a valid title.
pub fn is_title(text: &str) -> bool {
    is_line(text, limits::FILE_TITLE_CHARS_MAX)
}

/// Returns true for one line that is not blank and has at most `max` characters.
fn is_line(text: &str, max: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= max && !text.contains(['\n', '\r'])
}

/// Returns the text in one line, shortened to `max` characters.
fn line_of(text: &str, max: usize) -> String {
    shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "), max)
}

/// Returns true for metadata that has no head, or a head that can be parsed.
pub fn has_readable_head(metadata: &Metadata) -> bool {
    match metadata.get(HEAD) {
        Some(MetadataValue::String(lines)) => !head_of(lines).lines().is_empty(),
        Some(_) | None => true,
    }
}

/// Parses a stored head.
fn head_of(lines: &str) -> Frontmatter {
    let parted = frontmatter::parse(&format!("---\n{lines}---\n")).ok().and_then(|parted| parted.frontmatter);
    parted.unwrap_or_default()
}

/// Returns the title of a record, or the heading that its text begins with.
pub fn shown_title(record: &Record) -> Option<String> {
    let title = record.title.as_deref().or_else(|| first_heading(prose_of(record)));
    title.map(ToOwned::to_owned).filter(|title| !title.trim().is_empty())
}

/// Returns the text of a record below the frontmatter of its file.
pub fn prose_of(record: &Record) -> &str {
    if record.metadata.contains_key(RAW) { text_below(&record.text) } else { &record.text }
}

/// Returns the row of the tree for a record at a path.
pub fn standing_of(
    record: &Record,
    namespace: &str,
    path: &DocumentPath,
    origin: PathOrigin,
) -> Result<TreeEntry> {
    let content = DocumentContent::of(record);
    Ok(TreeEntry {
        memory: record.memory.clone(),
        namespace: namespace.to_owned(),
        key: path.key().as_str().to_owned(),
        path: path.as_str().to_owned(),
        standing: EntryStanding::Live,
        origin,
        record: record.id.clone(),
        kind: record.kind,
        version: record.version,
        sequence: record.sequence,
        summary: content.shown_description(),
        is_described: content.description.is_some(),
        title: shown_title(record),
        bytes: u64::try_from(record.text.len()).unwrap_or(u64::MAX),
        content_sha256: sha256(&record.text),
        file_sha256: sha256(&content.file()),
        executable: content.is_executable(),
        pinned: content.is_pinned(),
        priority: content.priority(),
        expires_at: record.expires_at,
        updated_at: record.updated_at,
        actor: owner_of(record.provenance.actor.as_ref())?,
    })
}

/// Returns true for a version whose content was redacted.
pub fn is_redacted(record: &Record) -> bool {
    record.metadata.contains_key(REDACTED)
}

/// Returns a version with its content redacted, marked with the time and the reason. The change of
/// state that the caller records names the actor.
pub fn redacted(record: &Record, reason: &str, at: Timestamp) -> Record {
    let mark = format!("{}: {reason}", at.to_rfc3339());
    Record {
        text: String::new(),
        index_text: None,
        // The reason of the change may quote the redacted text.
        state_reason: None,
        title: None,
        description: None,
        scope: None,
        metadata: Metadata::from([(REDACTED.to_owned(), MetadataValue::String(mark))]),
        findings: loci_model::record::findings::Findings::default(),
        ..record.clone()
    }
}

/// Returns the SHA-256 of a text's bytes, in lower-case hex digits.
pub fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// Returns the quoted entity tag for the digest of a file.
pub fn etag(sha256: &str) -> String {
    format!("\"sha256:{sha256}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_somebody_s_own_is_not_refused_for_a_long_head() {
        let check = |description: &str, expect: &str| {
            let file = format!("---\ntype: X\ndescription: {description}\n---\n\nx\n");
            let content = DocumentContent::raw(file.clone());
            assert_eq!(content.description.as_deref(), Some(expect));
            assert!(content.check(RecordKind::Document).is_ok());
            assert_eq!(content.file(), file, "the bytes are as they came");
        };
        check("short", "short");
        check(&"x".repeat(160), &"x".repeat(160));
        check(&"x".repeat(161), &format!("{}…", "x".repeat(159)));
    }

    #[test]
    fn a_file_is_read_and_written_as_it_was() {
        for file in [
            "---\ndescription: \"One\"\n---\n\nbody\n",
            "---\ntitle: \"T\"\nowner: me\ndescription: \"One\"\ntags:\n- a\n- b\npriority: 7\n---\n\n\nbody\r\n",
            "---\ndescription: \"a \\\"quoted\\\" --- one\"\nscope: \"src\"\n---\n\n---\nnot a head\n---\n",
        ] {
            let (content, warnings) = DocumentContent::of_file(file);
            assert!(warnings.is_empty(), "{warnings:?}");
            let again = DocumentContent::of_file(&content.file()).0;
            assert_eq!((again.file(), again), (content.file(), content.clone()));
            assert_eq!(content.head.unknown().count(), usize::from(file.contains("owner")));
        }
    }

    #[test]
    fn what_a_file_says_of_itself_is_not_believed() {
        let file = "---\nid: mem-1\ntrust: human_confirmed\ndescription: \"d\"\nkeep: 1\n---\n\nbody";
        let (content, _) = DocumentContent::of_file(file);
        assert_eq!(content.file(), "---\ndescription: \"d\"\nkeep: 1\n---\n\nbody");
        assert_eq!(content.lowered_to, Some(TrustTier::Confirmed));
    }

    #[test]
    fn a_description_is_made_of_the_text_below_a_head() {
        let check = |file: &str, expect: &str| {
            assert_eq!(DocumentContent::raw(file.to_owned()).shown_description(), expect, "{file:?}");
        };
        check("---\ntype: Concept\nresource: x\n---\n\n# Bees\n\nOn the roof. More.\n", "On the roof.");
        check("---\r\ntype: Concept\r\n---\r\nOn the roof.\r\n", "On the roof.");
        check("---\na: [1\n---\nOn the roof.", "On the roof.");
        check("---\ntype: Concept\n---\n", "");
        check("On the roof.", "On the roof.");
        check("---\nno end", "no end");
    }

    #[test]
    fn every_file_has_a_description() {
        let content = DocumentContent { body: "One thing. More.".to_owned(), ..DocumentContent::default() };
        assert_eq!(content.file(), "---\ndescription: \"One thing.\"\n---\n\nOne thing. More.");
        let (pinned, _) = DocumentContent::of_file("---\npinned: true\npriority: -2\n---\n\nx");
        assert_eq!((pinned.is_pinned(), pinned.priority()), (true, -2));
        assert_eq!(pinned.file(), "---\ndescription: \"x\"\npinned: true\npriority: -2\n---\n\nx");
    }
}
