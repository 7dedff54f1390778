//! A topic file: `name`, `description` and `metadata.type` above the text. Other members of a head
//! stay there.

use loci_engine::document_text::frontmatter::{Frontmatter, FrontmatterEntry, Value};
use loci_engine::document_text::{DocumentContent, derived_title};
use loci_model::record::RecordKind;

use super::super::LaidDocument;

const NAME: &str = "name";
const METADATA: &str = "metadata";
const TYPE: &str = "type";

/// The kind of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TopicKind {
    /// Information about the user, such as preferences.
    User,
    /// A correction that the user made.
    Feedback,
    /// Facts about a project.
    Project,
    /// A reference to other information.
    Reference,
}

impl TopicKind {
    const ALL: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// Returns the directory of such documents in the tree.
    pub(super) const fn directory(self) -> &'static str {
        match self {
            Self::User => "knowledge/preferences",
            Self::Feedback => "knowledge/feedback",
            Self::Project => "knowledge/facts",
            Self::Reference => "knowledge/reference",
        }
    }

    /// Returns the kind in a head.
    pub(super) fn of_head(head: &Frontmatter) -> Option<Self> {
        let Some(Value::Table(entries)) = head.get(METADATA) else { return None };
        let word = entries.iter().find(|entry| entry.key == TYPE)?.value.text()?;
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Returns the kind of a document: that of its head, else that of its record or its directory.
    fn of(document: &LaidDocument) -> Self {
        let placed = || Self::ALL.into_iter().find(|kind| document.path.is_below(kind.directory()));
        Self::of_head(&document.content.head).unwrap_or_else(|| match document.kind {
            RecordKind::Preference => Self::User,
            RecordKind::Rule | RecordKind::Reflection => Self::Feedback,
            RecordKind::Fact if document.content.scope.is_some() => Self::Project,
            RecordKind::Document => placed().unwrap_or(Self::Reference),
            RecordKind::Fact | RecordKind::Summary | RecordKind::Episode | RecordKind::Investigation => {
                Self::Reference
            }
        })
    }
}

/// Returns the name of a topic.
pub(super) fn name(document: &LaidDocument) -> String {
    let content = &document.content;
    let given = content.title.clone().filter(|title| !title.trim().is_empty());
    let name = given.unwrap_or_else(|| derived_title(content.prose()));
    if name.is_empty() { document.path.stem().to_owned() } else { name }
}

/// Returns the file of a document: only its text, if it was written as a whole file.
pub(super) fn file(document: &LaidDocument) -> String {
    let content = &document.content;
    if content.is_raw {
        return content.body.clone();
    }
    let mut head = Frontmatter::default();
    head.set(NAME, Value::of(name(document)));
    head.set("description", Value::of(content.shown_description()));
    head.set(METADATA, metadata(content.head.get(METADATA), TopicKind::of(document)));
    if let Some(scope) = &content.scope {
        head.set("scope", Value::of(scope.as_str()));
    }
    for (key, value) in content.head.entries() {
        if ![NAME, "title", "description", METADATA, "scope"].contains(&key) {
            head.set(key, value.clone());
        }
    }
    head.render_with(&content.body, content.line_end())
}

/// Returns the table of a head with its type.
fn metadata(before: Option<&Value>, kind: TopicKind) -> Value {
    let mut entries = match before {
        Some(Value::Table(entries)) => entries.clone(),
        Some(_) | None => Vec::new(),
    };
    let value = Value::of(kind.as_str());
    match entries.iter_mut().find(|entry| entry.key == TYPE) {
        Some(entry) => entry.value = value,
        None => entries.push(FrontmatterEntry { key: TYPE.to_owned(), value }),
    }
    Value::Table(entries)
}

/// Returns the content of a file, and warnings about it. Its name is the document's title.
pub(super) fn read(file: &str, known: Option<&LaidDocument>) -> (DocumentContent, Vec<String>) {
    if let Some(document) = known.filter(|document| document.content.is_raw) {
        return (document.content.clone().with_body(file.to_owned()), Vec::new());
    }
    let (mut content, warnings) = DocumentContent::of_file(file);
    if !content.is_raw {
        let name = content.head.text(NAME).map(|name| name.trim().to_owned());
        content.title = name.filter(|name| !name.is_empty()).or(content.title);
        content.head.remove(NAME);
        // A derived name in the file is no title that a person set.
        if let Some(before) = known.filter(|before| before.content.title.is_none())
            && content.title.as_deref() == Some(name_shown(before).as_str())
        {
            content.title = None;
        }
    }
    (content, warnings)
}

fn name_shown(document: &LaidDocument) -> String {
    name(document).trim().to_owned()
}
