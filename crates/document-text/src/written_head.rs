//! The head of a file as its author wrote it, which a file needs to be reproduced byte for byte.
//! Pure.

use super::content::DocumentContent;
use super::frontmatter::{self, Frontmatter};
use super::line_ends::line_end;
use super::path::DocumentPath;

/// Returns the part of a file before its text; empty if the file has no head.
pub(crate) fn before_text<'a>(file: &'a str, text: &str) -> &'a str {
    file.len().checked_sub(text.len()).and_then(|end| file.get(..end)).unwrap_or_default()
}

/// Joins a head and a text into a file, and returns it with the parsed head. Returns `None` if
/// parsing the file would not yield the two parts again.
pub(crate) fn joined(head: &str, text: &str) -> Option<(String, Frontmatter)> {
    let file = format!("{head}{text}");
    let parted = frontmatter::parse(&file).ok()?;
    let is_same = parted.body.len() == text.len();
    let said = parted.frontmatter.unwrap_or_default();
    is_same.then_some((file, said))
}

/// Returns true for the path of a document whose file has no head. Records outside of a tree have
/// paths too.
pub(crate) fn has_no_head(path: Option<&str>) -> bool {
    let is_document = |path: &&str| path.starts_with("knowledge/");
    path.filter(is_document)
        .and_then(|path| DocumentPath::check(path).ok())
        .is_some_and(|path| !path.is_markdown())
}

impl DocumentContent {
    /// Reads a file written at a path, together with its head. The head is reproduced byte for byte
    /// until the document's content changes. Only Markdown has a head that Loci interprets.
    pub fn of_written_file(path: &DocumentPath, file: &str) -> (Self, Vec<String>) {
        if !path.is_markdown() {
            return (Self::raw(file.to_owned()), Vec::new());
        }
        let (content, warnings) = Self::of_file(file);
        if content.is_raw {
            return (content, warnings);
        }
        let written_head = Some(before_text(file, &content.body).to_owned());
        (Self { written_head, ..content }, warnings)
    }

    /// Returns the document at a path. A file that is not Markdown consists of its text, and its
    /// metadata is stored outside of the file.
    #[must_use]
    pub fn at(self, path: &DocumentPath) -> Self {
        let content = Self { is_raw: self.is_raw || !path.is_markdown(), ..self };
        let is_mixed = content.written_head.is_none() && line_end(&content.body) == "\r\n";
        if content.is_raw || !is_mixed {
            return content;
        }
        // A head whose line ends differ from the text's would make a file with mixed line ends.
        let written_head = Some(content.shown_head().render_with("", "\r\n"));
        Self { written_head, ..content }
    }

    /// Renders the file in the native layout. Equal content always yields equal bytes. A head
    /// written by an author keeps its form.
    pub fn file(&self) -> String {
        if self.is_raw {
            return self.body.clone();
        }
        let written = self.written_head.as_deref().and_then(|head| joined(head, &self.body));
        match written.filter(|(_, head)| self.is_said_by(head)) {
            Some((file, _)) => file,
            None => self.shown_head().render_with(&self.body, self.line_end()),
        }
    }

    /// Returns true if the head states the document's content. A derived description may stand in
    /// the head in an older form.
    fn is_said_by(&self, head: &Frontmatter) -> bool {
        let said = Self::default().with_head(head.clone());
        let more = |content: &Self| {
            let entries = content.head.entries().filter(|(key, _)| *key != "description");
            entries.map(|(key, value)| (key.to_owned(), value.clone())).collect::<Vec<_>>()
        };
        said.title == self.title
            && said.scope == self.scope
            && (self.description.is_none() || said.description == self.description)
            && more(&said) == more(self)
    }

    /// Returns the line end of the file's head. A file without a written head has `\n`.
    pub fn line_end(&self) -> &'static str {
        match self.written_head.as_deref() {
            Some("") => line_end(&self.body),
            Some(head) => line_end(head),
            None => "\n",
        }
    }

    /// Returns the document with a current description, if its written head contains one derived
    /// from an earlier text.
    pub fn described(&self) -> Option<Self> {
        let head = self.written_head.as_deref().filter(|_| !self.is_raw && self.description.is_none())?;
        let (_, said) = joined(head, "")?;
        let is_stale = said.text("description")? != self.shown_description();
        let made = || self.shown_head().render_with("", self.line_end());
        is_stale.then(|| Self { written_head: Some(made()), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_and_its_text_are_joined_where_they_can_be_parted_again() {
        let check = |head: &str, text: &str, expect: bool| {
            let file = joined(head, text).map(|(file, _)| file);
            assert_eq!(file, expect.then(|| format!("{head}{text}")), "{head:?} {text:?}");
        };
        check("", "a\n", true);
        check("", "\u{feff}a\r\n", true);
        check("", "# T\n\n---\n", true);
        check("", "---\na: 1\n---\n", false);
        check("---\na: 1\n---\n", "b", true);
        check("---\na: 1\n---\n\n", "\nb", true);
        check("---\na: 1\n---\n", "\nb", false);
        check("---\na: 1\n---", "b", false);
        check("\u{feff}---\r\n# c\r\n---\r\n", "b\r\n", true);
        check("---\na: [1\n---\n", "b", false);
    }
}
