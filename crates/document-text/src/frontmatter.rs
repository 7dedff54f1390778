//! The lines between two fences at the top of a file: YAML of a small kind, read as events and
//! written in one way.
//!
//! A file whose frontmatter breaks a rule is no error of the file's: whoever takes it in keeps it as it is, raw, with a warning. Values keep
//! their spelling, so that `1.10` stays `1.10`; comments and the layout of what is rewritten are not kept. What the keys mean is not decided here.

mod read;
mod value;
mod write;

use std::fmt;

use loci_json::without_mark;
use loci_model::limits;

pub use value::{Entry, Value};

/// The keys that mean something; all others are kept as they are.
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

/// Keys that are always written as one quoted line.
const QUOTED_KEYS: [&str; 2] = ["title", "description"];
const FENCE: &str = "---";

/// A table of a file, in its order, each key once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter {
    entries: Vec<Entry>,
}

/// A file in its two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parted<'a> {
    /// The frontmatter, where the file begins with one.
    pub frontmatter: Option<Frontmatter>,
    /// Everything behind it, byte for byte; the whole file where there is none.
    pub body: &'a str,
}

/// Why a frontmatter is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontmatterFault {
    /// The first line opens one, and no line closes it.
    Unclosed,
    /// It takes too many bytes, as it is or as it would be written.
    TooLarge,
    /// Lists and tables lie too deep in one another.
    TooDeep,
    /// It is not YAML; the parser's words.
    NotYaml(String),
    /// It is YAML, and no table.
    NotATable,
    /// A key is no scalar.
    ComplexKey,
    /// A key stands twice in one table.
    DuplicateKey(String),
    /// An anchor or an alias.
    Anchor,
    /// A tag.
    Tag,
    /// A merge key.
    Merge,
    /// More than one document, or a marker of one.
    Documents,
    /// A title or a description that is no text.
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

/// Parts a file. A byte order mark before the first fence is dropped; in a file without a frontmatter it is part of the body.
///
/// # Errors
/// Why what the first line opens is no frontmatter; the caller then keeps the whole file as it is.
pub fn parse(file: &str) -> Result<Parted<'_>, FrontmatterFault> {
    let Some((lines, rest)) = fenced(file)? else {
        return Ok(Parted { frontmatter: None, body: file });
    };
    Ok(Parted { frontmatter: Some(read::table(lines)?), body: without_blank_line(rest) })
}

/// Returns the table at the top of a file as YAML means it, also where it breaks a rule of
/// frontmatters: an alias stands for its value, a merge for its members, a key may stand twice,
/// tags do not count. Nothing is written from it. `None` where there is no table, or where it is no
/// YAML, too large or too deep.
#[must_use]
pub fn searched(file: &str) -> Option<Frontmatter> {
    let (lines, _) = fenced(file).ok()??;
    read::searched_table(lines).ok()
}

/// Returns the text between the fences of a file, and the text behind them; `None` where no fence
/// opens it.
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

/// The text of a file below the lines between two fences at its top, whether or not they can be read; the
/// whole file where none are there.
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
    /// A file of this table and a body.
    #[must_use]
    pub fn render(&self, body: &str) -> String {
        self.render_with(body, "\n")
    }

    /// A file of this table and a body, with this line end in the table and behind it.
    #[must_use]
    pub fn render_with(&self, body: &str, line_end: &str) -> String {
        let lines = self.lines().replace('\n', line_end);
        format!("{FENCE}{line_end}{lines}{FENCE}{line_end}{line_end}{body}")
    }

    /// What stands between the fences: every line with its end.
    #[must_use]
    pub fn lines(&self) -> String {
        write::lines(&self.entries)
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
    }

    /// The entries whose keys mean nothing here, in order.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries().filter(|(key, _)| !KNOWN_KEYS.contains(key))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The text of a key; `None` where it is not there, is no scalar, or is null, a boolean or a number.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::text)
    }

    /// Gives a key its value, where it stands or behind the others.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => entry.value = value,
            None => self.entries.push(Entry { key: key.to_owned(), value }),
        }
    }

    /// Changes every text that a key has, however deep.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(String) -> String) {
        self.entries.iter_mut().for_each(|entry| entry.value.change_texts(change));
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at).value)
    }

    /// True where it may be written: within its limits as parsing will find them.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.lines().len() <= limits::FRONTMATTER_BYTES_MAX
            && value::depth(&self.entries) <= limits::FRONTMATTER_DEPTH_MAX
    }
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
