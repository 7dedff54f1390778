//! The frontmatter of a file: the lines between two fences at its top, a subset of YAML.
//!
//! It is read from parser events and written in one canonical form. A frontmatter that breaks a
//! rule is no error of the write: the caller stores the file raw and returns a warning. Values keep
//! their spelling, so that `1.10` stays `1.10`. Comments and layout are lost when the frontmatter
//! is rewritten. This module does not interpret the keys.

mod read;
mod value;
mod write;

use std::fmt;

use loci_json::without_mark;
use loci_model::limits;

pub use value::{FrontmatterEntry, Value};

/// The keys that Loci interprets. All others are stored unchanged.
pub const KNOWN_KEYS: [&str; 14] = [
    "title",
    "description",
    "id",
    "key",
    "scope",
    "tags",
    "type",
    "trust",
    "pinned",
    "priority",
    "expires_at",
    "valid_from",
    "links",
    "derived_from",
];

/// Keys whose values are always written as one quoted line.
const QUOTED_KEYS: [&str; 2] = ["title", "description"];
const FENCE: &str = "---";

/// The table in the frontmatter of a file, with its keys in order. Keys are unique.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter {
    entries: Vec<FrontmatterEntry>,
}

/// A file split into its two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parted<'a> {
    /// The frontmatter, if the file begins with one.
    pub frontmatter: Option<Frontmatter>,
    /// The text after the frontmatter, byte for byte; the whole file if there is none.
    pub body: &'a str,
}

/// The reason why the frontmatter of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontmatterFault {
    /// The first line opens a frontmatter, and no line closes it.
    Unclosed,
    /// The frontmatter exceeds the size limit, as it is or as it would be written.
    TooLarge,
    /// Lists and tables in the frontmatter are nested too deeply.
    TooDeep,
    /// The frontmatter is not YAML. The text is the parser's message.
    NotYaml(String),
    /// The frontmatter is YAML, but not a table of keys and values.
    NotATable,
    /// A key in the frontmatter is not a scalar.
    ComplexKey,
    /// A table in the frontmatter contains this key twice.
    DuplicateKey(String),
    /// The frontmatter contains an anchor or an alias.
    Anchor,
    /// The frontmatter contains a tag.
    Tag,
    /// The frontmatter contains a merge key (`<<`).
    Merge,
    /// The frontmatter contains several YAML documents, or a document marker.
    Documents,
    /// The value of this key, a title or a description, is not text.
    NotText(String),
}

impl fmt::Display for FrontmatterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The frontmatter is not read: ")?;
        match self {
            Self::Unclosed => f.write_str("no line `---` closes it; add one, or begin the file otherwise."),
            Self::TooLarge => {
                write!(f, "it takes more than {} bytes; shorten it.", limits::FRONTMATTER_BYTES_MAX)
            }
            Self::TooDeep => write!(
                f,
                "lists and tables lie more than {} deep in one another; flatten them.",
                limits::FRONTMATTER_DEPTH_MAX
            ),
            Self::NotYaml(why) => write!(f, "it is not YAML ({why}); correct it, or quote its values."),
            Self::NotATable => f.write_str("it is no table; write lines `key: value`."),
            Self::ComplexKey => f.write_str("a key is a list or a table; give it a name."),
            Self::DuplicateKey(key) => write!(f, "the key {key:?} stands twice; keep one."),
            Self::Anchor => f.write_str("it has anchors or aliases; write their values out."),
            Self::Tag => f.write_str("it has tags; leave them out."),
            Self::Merge => f.write_str("it has a merge key `<<`; write its values out."),
            Self::Documents => f.write_str("it is more than one document; leave the markers out."),
            Self::NotText(key) => write!(f, "{key:?} is no text; write one in quotes."),
        }
    }
}

/// Splits a file. A byte order mark before the first fence is dropped; in a file without a
/// frontmatter it is part of the body.
///
/// # Errors
/// The rule that the frontmatter breaks. The caller then stores the whole file unchanged.
pub fn parse(file: &str) -> Result<Parted<'_>, FrontmatterFault> {
    let Some((lines, rest)) = fenced(file)? else {
        return Ok(Parted { frontmatter: None, body: file });
    };
    Ok(Parted { frontmatter: Some(read::table(lines)?), body: without_blank_line(rest) })
}

/// Returns the table at the top of a file with YAML's full semantics, even if it breaks a rule of
/// frontmatters. An alias stands for its value, a merge for its members, a key may occur twice, and
/// tags are ignored. The result is for search only and is never written. Returns `None` if there is
/// no table, or if it is not YAML, too large or too deep.
#[must_use]
pub fn searched(file: &str) -> Option<Frontmatter> {
    let (lines, _) = fenced(file).ok()??;
    read::searched_table(lines).ok()
}

/// Returns the text between the fences of a file, and the text after them. Returns `None` if no
/// fence opens the file.
fn fenced(file: &str) -> Result<Option<(&str, &str)>, FrontmatterFault> {
    let text = without_mark(file);
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().unwrap_or_default();
    if without_line_end(opening) != FENCE {
        return Ok(None);
    }
    let start = opening.len();
    let mut at = start;
    for line in lines {
        if without_line_end(line) == FENCE {
            let rest = text.get(at + line.len()..).unwrap_or_default();
            return Ok(Some((text.get(start..at).unwrap_or_default(), rest)));
        }
        at += line.len();
        if at - start > limits::FRONTMATTER_BYTES_MAX {
            return Err(FrontmatterFault::TooLarge);
        }
    }
    Err(FrontmatterFault::Unclosed)
}

/// Returns the text of a file below the fences at its top, even if the frontmatter is invalid.
/// Returns the whole file if there are no fences.
#[must_use]
pub fn text_below(file: &str) -> &str {
    let text = without_mark(file);
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().unwrap_or_default();
    if without_line_end(opening) != FENCE {
        return file;
    }
    let mut at = opening.len();
    for line in lines {
        at += line.len();
        if without_line_end(line) == FENCE {
            return without_blank_line(text.get(at..).unwrap_or_default());
        }
        if at - opening.len() > limits::FRONTMATTER_BYTES_MAX {
            break;
        }
    }
    file
}

fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn without_blank_line(rest: &str) -> &str {
    rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n")).unwrap_or(rest)
}

impl Frontmatter {
    /// Renders a file of this table and a body.
    #[must_use]
    pub fn render(&self, body: &str) -> String {
        self.render_with(body, "\n")
    }

    /// Renders a file of this table and a body, with this line end in the table and after it.
    #[must_use]
    pub fn render_with(&self, body: &str, line_end: &str) -> String {
        let lines = self.lines().replace('\n', line_end);
        format!("{FENCE}{line_end}{lines}{FENCE}{line_end}{line_end}{body}")
    }

    /// Returns the lines between the fences, each with its line end.
    #[must_use]
    pub fn lines(&self) -> String {
        write::lines(&self.entries)
    }

    /// Returns the entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
    }

    /// Returns the entries with keys that Loci does not interpret, in order.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries().filter(|(key, _)| !KNOWN_KEYS.contains(key))
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Returns the text of a key. Returns `None` if the key is absent, or if its value is not a
    /// scalar, null, a boolean or a number.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::text)
    }

    /// Sets the value of a key, at its position or at the end.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => entry.value = value,
            None => self.entries.push(FrontmatterEntry { key: key.to_owned(), value }),
        }
    }

    /// Applies `change` to every text in the values, at any depth.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(String) -> String) {
        self.entries.iter_mut().for_each(|entry| entry.value.change_texts(change));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at).value)
    }

    /// Returns true if the written form stays within the limits of parsing.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.lines().len() <= limits::FRONTMATTER_BYTES_MAX
            && value::depth(&self.entries) <= limits::FRONTMATTER_DEPTH_MAX
    }
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
