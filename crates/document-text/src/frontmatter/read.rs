//! Builds a frontmatter from the events of a YAML parser.
//!
//! It rejects every construct by which a line can mean something else than it says: anchors, tags,
//! merges, duplicate keys. A table that is only searched is read with the full rules of YAML.

use std::collections::BTreeMap;

use loci_model::limits;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::value::{FrontmatterEntry, Value, depth, is_null};
use super::{Frontmatter, FrontmatterFault, QUOTED_KEYS};

/// The key of a merge.
const MERGE: &str = "<<";

/// A list or a table that the parser has not closed yet, with the number of its anchor, or 0.
enum OpenNode {
    List(Vec<Value>, usize),
    Table(Vec<FrontmatterEntry>, Option<String>, usize),
}

#[derive(Default)]
struct Reader {
    open: Vec<OpenNode>,
    root: Option<Value>,
    documents: usize,
    /// The values that aliases refer to. `None` unless the table is only searched.
    aliases: Option<Aliases>,
}

/// The values of anchors, which aliases refer to.
struct Aliases {
    values: BTreeMap<usize, Value>,
    /// The number of values that aliases may still copy. It limits the growth by aliases of
    /// aliases.
    left: usize,
}

/// Parses the table of a text without its fences.
pub(crate) fn table(text: &str) -> Result<Frontmatter, FrontmatterFault> {
    let entries = entries(text, Reader::default())?;
    if let Some(entry) = entries.iter().find(|entry| !is_as_its_key_asks(entry)) {
        return Err(FrontmatterFault::NotText(entry.key.clone()));
    }
    if depth(&entries) > limits::FRONTMATTER_DEPTH_MAX {
        return Err(FrontmatterFault::TooDeep);
    }
    let frontmatter = Frontmatter { entries };
    if frontmatter.fits() { Ok(frontmatter) } else { Err(FrontmatterFault::TooLarge) }
}

/// Parses the table of a text without its fences, with YAML's full semantics.
pub(crate) fn searched_table(text: &str) -> Result<Frontmatter, FrontmatterFault> {
    let aliases = Aliases { values: BTreeMap::new(), left: limits::FRONTMATTER_BYTES_MAX };
    let reader = Reader { aliases: Some(aliases), ..Reader::default() };
    Ok(Frontmatter { entries: entries(text, reader)? })
}

fn entries(text: &str, mut reader: Reader) -> Result<Vec<FrontmatterEntry>, FrontmatterFault> {
    if text.len() > limits::FRONTMATTER_BYTES_MAX {
        return Err(FrontmatterFault::TooLarge);
    }
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|fault| FrontmatterFault::NotYaml(fault.info().to_owned()))?;
        reader.take(event)?;
    }
    match reader.root {
        Some(Value::Table(entries)) => Ok(entries),
        // The space between the fences is empty or has only comments.
        None => Ok(Vec::new()),
        Some(Value::Literal(text)) if text.is_empty() => Ok(Vec::new()),
        Some(_) => Err(FrontmatterFault::NotATable),
    }
}

/// Returns true if the value fits its key. Titles and descriptions are texts; a number counts as
/// its spelling, and null as absent.
fn is_as_its_key_asks(entry: &FrontmatterEntry) -> bool {
    !QUOTED_KEYS.contains(&entry.key.as_str()) || entry.value.spelling().is_some()
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), FrontmatterFault> {
        match event {
            Event::DocumentStart(explicit) => {
                self.documents += 1;
                if self.aliases.is_none() && (explicit || self.documents > 1) {
                    return Err(FrontmatterFault::Documents);
                }
            }
            Event::Alias(anchor) => {
                let value = self.copied(anchor)?;
                return match value {
                    Value::Text(text) => self.scalar(text, false),
                    Value::Literal(text) => self.scalar(text, true),
                    Value::List(_) | Value::Table(_) => self.put(value),
                };
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.check_bare(anchor, tag.is_some())?;
                let (text, plain) = (text.into_owned(), style == ScalarStyle::Plain);
                self.name(anchor, &scalar_of(text.clone(), plain))?;
                return self.scalar(text, plain);
            }
            Event::SequenceStart(anchor, tag) => {
                self.check_bare(anchor, tag.is_some())?;
                return self.begin(OpenNode::List(Vec::new(), anchor));
            }
            Event::MappingStart(anchor, tag) => {
                self.check_bare(anchor, tag.is_some())?;
                return self.begin(OpenNode::Table(Vec::new(), None, anchor));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (value, anchor) = match self.open.pop() {
                    Some(OpenNode::List(items, anchor)) => (Value::List(items), anchor),
                    Some(OpenNode::Table(entries, _, anchor)) => (Value::Table(entries), anchor),
                    None => return Err(FrontmatterFault::NotATable),
                };
                self.name(anchor, &value)?;
                return self.put(value);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn begin(&mut self, open: OpenNode) -> Result<(), FrontmatterFault> {
        if let Some(OpenNode::Table(_, None, _)) = self.open.last() {
            return Err(FrontmatterFault::ComplexKey);
        }
        self.open.push(open);
        let deepest = match self.aliases {
            None => limits::FRONTMATTER_DEPTH_MAX,
            Some(_) => limits::FRONTMATTER_SEARCH_DEPTH_MAX,
        };
        // The outermost table does not count.
        if self.open.len() > deepest + 1 { Err(FrontmatterFault::TooDeep) } else { Ok(()) }
    }

    fn scalar(&mut self, text: String, plain: bool) -> Result<(), FrontmatterFault> {
        let is_searched = self.aliases.is_some();
        if let Some(OpenNode::Table(entries, key @ None, _)) = self.open.last_mut() {
            if !is_searched && plain && text == MERGE {
                return Err(FrontmatterFault::Merge);
            }
            if !is_searched && entries.iter().any(|entry| entry.key == text) {
                return Err(FrontmatterFault::DuplicateKey(text));
            }
            *key = Some(text);
            return Ok(());
        }
        self.put(scalar_of(text, plain))
    }

    fn put(&mut self, value: Value) -> Result<(), FrontmatterFault> {
        let (at_top, is_searched) = (self.open.len() == 1, self.aliases.is_some());
        match self.open.last_mut() {
            Some(OpenNode::List(items, _)) => items.push(value),
            Some(OpenNode::Table(entries, key, _)) => match key.take() {
                Some(key) if is_searched && key == MERGE => entries.extend(merged(value)),
                Some(key) => {
                    let asks_text = at_top && QUOTED_KEYS.contains(&key.as_str());
                    let value = match value {
                        Value::Literal(text) if asks_text && !is_null(&text) => Value::Text(text),
                        value => value,
                    };
                    entries.push(FrontmatterEntry { key, value });
                }
                None => return Err(FrontmatterFault::ComplexKey),
            },
            // Only the first of several documents counts.
            None if self.root.is_some() => {}
            None => self.root = Some(value),
        }
        Ok(())
    }

    fn check_bare(&self, anchor: usize, tagged: bool) -> Result<(), FrontmatterFault> {
        if self.aliases.is_some() {
            return Ok(());
        }
        if anchor > 0 {
            return Err(FrontmatterFault::Anchor);
        }
        if tagged { Err(FrontmatterFault::Tag) } else { Ok(()) }
    }

    /// Stores a value for the aliases of its anchor.
    fn name(&mut self, anchor: usize, value: &Value) -> Result<(), FrontmatterFault> {
        if let Some(aliases) = self.aliases.as_mut().filter(|_| anchor > 0) {
            let value = aliases.copy(value)?;
            aliases.values.insert(anchor, value);
        }
        Ok(())
    }

    /// Returns a copy of the value that an alias stands for.
    fn copied(&mut self, anchor: usize) -> Result<Value, FrontmatterFault> {
        let aliases = self.aliases.as_mut().ok_or(FrontmatterFault::Anchor)?;
        let value = aliases.values.remove(&anchor).ok_or(FrontmatterFault::Anchor)?;
        let copy = aliases.copy(&value);
        aliases.values.insert(anchor, value);
        copy
    }
}

impl Aliases {
    fn copy(&mut self, value: &Value) -> Result<Value, FrontmatterFault> {
        self.left = self.left.checked_sub(size(value)).ok_or(FrontmatterFault::TooLarge)?;
        Ok(value.clone())
    }
}

/// Returns the number of values in a value, including itself.
fn size(value: &Value) -> usize {
    match value {
        Value::Text(_) | Value::Literal(_) => 1,
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Table(entries) => 1 + entries.iter().map(|entry| size(&entry.value)).sum::<usize>(),
    }
}

fn scalar_of(text: String, plain: bool) -> Value {
    if plain { Value::of_plain(text) } else { Value::Text(text) }
}

/// Returns the members that a merge adds.
fn merged(value: Value) -> Vec<FrontmatterEntry> {
    match value {
        Value::Table(entries) => entries,
        Value::List(items) => items.into_iter().flat_map(merged).collect(),
        Value::Text(_) | Value::Literal(_) => Vec::new(),
    }
}
