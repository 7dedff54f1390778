//! Finds a value of a YAML document by its path during the parser's events. Aliases refer to their
//! target and are never copied, so that no document grows. The only type distinction is quoted or
//! unquoted.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::config_file::{ConfigValue, index};

/// The maximum number of values in a document.
const NODES_MAX: usize = 200_000;
/// The deepest nesting of a document.
const DEPTH_MAX: usize = 128;

enum Node {
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<usize>),
    /// Keys and values in turn.
    Table(Vec<usize>),
}

#[derive(Default)]
struct Document {
    nodes: Vec<Node>,
    open: Vec<usize>,
    anchors: HashMap<usize, usize>,
    root: Option<usize>,
}

/// Returns the value at the end of `parts` in the first document of the text.
pub(super) fn value(text: &str, parts: &[String]) -> ConfigValue {
    let Some(document) = Document::read(text) else {
        return ConfigValue::Unknown("the file is not YAML".to_owned());
    };
    let found = parts.iter().try_fold(document.root, |node, part| match node {
        Some(node) => document.member(node, part).map(Some),
        None => None,
    });
    match found.flatten().and_then(|node| document.nodes.get(node)) {
        None => ConfigValue::NotThere,
        Some(Node::Scalar { text, plain: true }) => ConfigValue::Number(text.clone()),
        Some(Node::Scalar { text, plain: false }) => ConfigValue::Text(text.clone()),
        Some(Node::List(_) | Node::Table(_)) => ConfigValue::NoScalar,
    }
}

impl Document {
    fn read(text: &str) -> Option<Self> {
        let mut document = Self::default();
        for event in Parser::new_from_str(text) {
            let (event, _) = event.ok()?;
            match event {
                Event::Scalar(text, style, anchor, _) => {
                    let plain = style == ScalarStyle::Plain;
                    document.add(Node::Scalar { text: text.into_owned(), plain }, anchor)?;
                }
                Event::SequenceStart(anchor, _) => document.open(Node::List(Vec::new()), anchor)?,
                Event::MappingStart(anchor, _) => document.open(Node::Table(Vec::new()), anchor)?,
                Event::SequenceEnd | Event::MappingEnd => {
                    document.open.pop();
                }
                Event::Alias(anchor) => {
                    let node = *document.anchors.get(&anchor)?;
                    document.attach(node);
                }
                Event::DocumentEnd => break,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
            }
        }
        Some(document)
    }

    fn add(&mut self, node: Node, anchor: usize) -> Option<usize> {
        let at = self.nodes.len();
        if at >= NODES_MAX {
            return None;
        }
        self.nodes.push(node);
        if anchor > 0 {
            self.anchors.insert(anchor, at);
        }
        self.attach(at);
        Some(at)
    }

    fn open(&mut self, node: Node, anchor: usize) -> Option<()> {
        let at = self.add(node, anchor)?;
        self.open.push(at);
        (self.open.len() <= DEPTH_MAX).then_some(())
    }

    /// Attaches a node at the current position of the document.
    fn attach(&mut self, node: usize) {
        let parent = self.open.last().and_then(|open| self.nodes.get_mut(*open));
        match parent {
            Some(Node::List(items) | Node::Table(items)) => items.push(node),
            Some(Node::Scalar { .. }) | None => {
                self.root.get_or_insert(node);
            }
        }
    }

    /// Returns the member of a list or a table, or of a table that it merges. Each table is visited
    /// once, even if tables merge each other.
    fn member(&self, node: usize, part: &str) -> Option<usize> {
        let mut seen = HashSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            let children = match self.nodes.get(node)? {
                Node::List(items) => return items.get(index(part)?).copied(),
                Node::Table(children) => children,
                Node::Scalar { .. } => return None,
            };
            let pairs = || {
                children.chunks_exact(2).filter_map(|pair| Some((self.key(*pair.first()?)?, *pair.last()?)))
            };
            let own = pairs().filter(|(key, _)| *key == part).map(|(_, value)| value).next_back();
            if own.is_some() {
                return own;
            }
            // A value merged by `<<` counts if the table has none itself. The first table takes
            // precedence.
            let merged = pairs().filter(|(key, _)| *key == "<<").map(|(_, value)| value);
            let tables: Vec<usize> = merged.flat_map(|value| self.tables_of(value)).collect();
            open.extend(tables.into_iter().rev());
        }
        None
    }

    /// Returns the tables that a value of `<<` names.
    fn tables_of(&self, value: usize) -> Vec<usize> {
        let named = match self.nodes.get(value) {
            Some(Node::List(items)) => items.as_slice(),
            Some(Node::Table(_)) => return vec![value],
            Some(Node::Scalar { .. }) | None => &[],
        };
        let is_table = |node: &&usize| matches!(self.nodes.get(**node), Some(Node::Table(_)));
        named.iter().filter(is_table).copied().collect()
    }

    fn key(&self, node: usize) -> Option<&str> {
        match self.nodes.get(node)? {
            Node::Scalar { text, .. } => Some(text),
            Node::List(_) | Node::Table(_) => None,
        }
    }
}
