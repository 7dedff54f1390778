//! A frontmatter from the events of a YAML parser. Whatever lets one line stand for another is refused: anchors, tags, merges, twice the same key.

use loci_model::limits;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::value::{Entry, Value, depth, is_null};
use super::{Frontmatter, FrontmatterFault, QUOTED_KEYS};

/// A list or a table that is not closed yet.
enum Open {
    List(Vec<Value>),
    Table(Vec<Entry>, Option<String>),
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    root: Option<Value>,
    documents: usize,
}

/// The table of a text without its fences.
pub(super) fn table(text: &str) -> Result<Frontmatter, FrontmatterFault> {
    if text.len() > limits::FRONTMATTER_BYTES_MAX {
        return Err(FrontmatterFault::TooLarge);
    }
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|fault| FrontmatterFault::NotYaml(fault.info().to_owned()))?;
        reader.take(event)?;
    }
    let entries = match reader.root {
        Some(Value::Table(entries)) => entries,
        // Nothing, or comments, between the fences.
        None => Vec::new(),
        Some(Value::Literal(text)) if text.is_empty() => Vec::new(),
        Some(_) => return Err(FrontmatterFault::NotATable),
    };
    if let Some(entry) = entries.iter().find(|entry| !is_as_its_key_asks(entry)) {
        return Err(FrontmatterFault::NotText(entry.key.clone()));
    }
    if depth(&entries) > limits::FRONTMATTER_DEPTH_MAX {
        return Err(FrontmatterFault::TooDeep);
    }
    let frontmatter = Frontmatter { entries };
    if frontmatter.fits() { Ok(frontmatter) } else { Err(FrontmatterFault::TooLarge) }
}

/// Titles and descriptions are texts; a number is taken for its spelling, and null for none.
fn is_as_its_key_asks(entry: &Entry) -> bool {
    !QUOTED_KEYS.contains(&entry.key.as_str()) || entry.value.spelling().is_some()
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), FrontmatterFault> {
        match event {
            Event::DocumentStart(explicit) => {
                self.documents += 1;
                if explicit || self.documents > 1 {
                    return Err(FrontmatterFault::Documents);
                }
            }
            Event::Alias(_) => return Err(FrontmatterFault::Anchor),
            Event::Scalar(text, style, anchor, tag) => {
                is_bare(anchor, tag.is_some())?;
                return self.scalar(text.into_owned(), style == ScalarStyle::Plain);
            }
            Event::SequenceStart(anchor, tag) => {
                is_bare(anchor, tag.is_some())?;
                return self.begin(Open::List(Vec::new()));
            }
            Event::MappingStart(anchor, tag) => {
                is_bare(anchor, tag.is_some())?;
                return self.begin(Open::Table(Vec::new(), None));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let value = match self.open.pop() {
                    Some(Open::List(items)) => Value::List(items),
                    Some(Open::Table(entries, _)) => Value::Table(entries),
                    None => return Err(FrontmatterFault::NotATable),
                };
                return self.put(value);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn begin(&mut self, open: Open) -> Result<(), FrontmatterFault> {
        if let Some(Open::Table(_, None)) = self.open.last() {
            return Err(FrontmatterFault::ComplexKey);
        }
        self.open.push(open);
        // The outermost table is not counted.
        if self.open.len() > limits::FRONTMATTER_DEPTH_MAX + 1 {
            Err(FrontmatterFault::TooDeep)
        } else {
            Ok(())
        }
    }

    fn scalar(&mut self, text: String, plain: bool) -> Result<(), FrontmatterFault> {
        if let Some(Open::Table(entries, key @ None)) = self.open.last_mut() {
            if plain && text == "<<" {
                return Err(FrontmatterFault::Merge);
            }
            if entries.iter().any(|entry| entry.key == text) {
                return Err(FrontmatterFault::DuplicateKey(text));
            }
            *key = Some(text);
            return Ok(());
        }
        self.put(if plain { Value::of_plain(text) } else { Value::Text(text) })
    }

    fn put(&mut self, value: Value) -> Result<(), FrontmatterFault> {
        let at_top = self.open.len() == 1;
        match self.open.last_mut() {
            Some(Open::List(items)) => items.push(value),
            Some(Open::Table(entries, key)) => match key.take() {
                Some(key) => {
                    let asks_text = at_top && QUOTED_KEYS.contains(&key.as_str());
                    let value = match value {
                        Value::Literal(text) if asks_text && !is_null(&text) => Value::Text(text),
                        value => value,
                    };
                    entries.push(Entry { key, value });
                }
                None => return Err(FrontmatterFault::ComplexKey),
            },
            None => self.root = Some(value),
        }
        Ok(())
    }
}

fn is_bare(anchor: usize, tagged: bool) -> Result<(), FrontmatterFault> {
    if anchor > 0 {
        return Err(FrontmatterFault::Anchor);
    }
    if tagged { Err(FrontmatterFault::Tag) } else { Ok(()) }
}
