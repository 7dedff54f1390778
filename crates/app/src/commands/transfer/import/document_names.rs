//! Names of documents that differ in a source but not in a tree. A tree compares paths in NFC and
//! without case, and the file system of a source may do neither. Of such documents the first in the
//! order of the source keeps its name. Each other gets a free name in the same directory, which is
//! the same in each import of the same source. Pure: `document_import` considers the documents
//! that the tree already contains.

use std::collections::btree_map::{BTreeMap, Entry};

use loci_client::formats::{ImportItem, ItemTarget, Mapping};
use loci_engine::document_text::{DocumentPath, PathKey};

/// The document of the source that keeps a name.
struct NameOwner {
    /// The location of the document in the source.
    place: String,
    /// The id of the document in the source.
    id: String,
    /// The path of the document in the source.
    path: String,
}

impl NameOwner {
    fn new(item: &ImportItem, path: &str) -> Self {
        Self { place: item.place.clone(), id: item.id.clone(), path: path.to_owned() }
    }

    /// True for a repetition of the same document, which is reported when it is stored.
    fn is_same(&self, item: &ImportItem, path: &str) -> bool {
        self.id == item.id && self.path == path
    }
}

/// Gives each document of the source a unique name, and notes each changed name.
pub(super) fn make_distinct(mapping: &mut Mapping) {
    let mut owners: BTreeMap<PathKey, NameOwner> = BTreeMap::new();
    let mut others = Vec::new();
    // All original names take precedence over generated ones.
    for (at, item) in mapping.items.iter().enumerate() {
        let ItemTarget::Document { path, .. } = &item.becomes else { continue };
        // A path that breaks a rule is rejected with that rule when it is stored.
        let Ok(parsed) = DocumentPath::parse(path) else { continue };
        let key = parsed.key();
        if let Some(owner) = owners.get(&key) {
            if !owner.is_same(item, path) {
                others.push((at, parsed));
            }
            continue;
        }
        owners.insert(key, NameOwner::new(item, path));
    }
    // The last number used for a name. No number is tried twice, so that many equal names stay
    // cheap.
    let mut numbers: BTreeMap<PathKey, u64> = BTreeMap::new();
    for (at, taken) in others {
        let key = taken.key();
        let Some(first) = owners.get(&key).map(|owner| owner.place.clone()) else { continue };
        let number = numbers.entry(key).or_insert(1);
        let Some(item) = mapping.items.get_mut(at) else { continue };
        let new = loop {
            *number += 1;
            let candidate = neighbour(&taken, *number);
            // A path that is too long is rejected when it is stored.
            let Ok(parsed) = DocumentPath::parse(&candidate) else { break candidate };
            if let Entry::Vacant(free) = owners.entry(parsed.key()) {
                free.insert(NameOwner::new(item, &candidate));
                break candidate;
            }
        };
        mapping.lossy.insert(format!(
            "{}: it is {new} here, because a tree does not distinguish its name from that of {first}",
            item.place
        ));
        if let ItemTarget::Document { path, .. } = &mut item.becomes {
            *path = new;
        }
    }
}

/// Returns the path with a number after the stem of its name.
fn neighbour(path: &DocumentPath, number: u64) -> String {
    let name = format!("{}-{number}{}", path.stem(), path.ending());
    match path.directory() {
        "" => name,
        directory => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(items: &[(&str, &str)]) -> Mapping {
        let item = |(id, path): &(&str, &str)| ImportItem {
            id: (*id).to_owned(),
            place: (*id).to_owned(),
            becomes: ItemTarget::Document { path: (*path).to_owned(), file: String::new(), raw: true },
        };
        Mapping { items: items.iter().map(item).collect(), ..Mapping::default() }
    }

    fn paths(mapping: &Mapping) -> Vec<&str> {
        let items = mapping.items.iter();
        let paths = items.filter_map(|item| match &item.becomes {
            ItemTarget::Document { path, .. } => Some(path.as_str()),
            ItemTarget::Record(_) | ItemTarget::Event(_) => None,
        });
        paths.collect()
    }

    #[test]
    fn documents_that_a_tree_does_not_tell_apart_get_names_of_their_own() {
        let check = |names: &[&str], expect: &[&str]| {
            let items: Vec<(&str, &str)> = names.iter().map(|name| (*name, *name)).collect();
            let mut made = mapping(&items);
            make_distinct(&mut made);
            assert_eq!(paths(&made), expect, "{names:?}");
            let changed = names.iter().zip(expect).filter(|(name, path)| name != path).count();
            assert_eq!(made.lossy.len(), changed, "{:?}", made.lossy);
        };
        check(
            &["k/README.md", "k/Readme.md", "k/readme.md"],
            &["k/README.md", "k/Readme-2.md", "k/readme-3.md"],
        );
        check(&["e\u{301}.md", "\u{e9}.md"], &["e\u{301}.md", "\u{e9}-2.md"]);
        check(&["Pkg/AGENTS.md", "pkg/AGENTS.md"], &["Pkg/AGENTS.md", "pkg/AGENTS-2.md"]);
        // A name of the source itself is never given to another document, regardless of the order.
        check(&["A.md", "a.md", "a-2.md"], &["A.md", "a-3.md", "a-2.md"]);
        check(&["a.md", "b.md", "sub/a.md"], &["a.md", "b.md", "sub/a.md"]);
        check(&["../a.md", "../A.md"], &["../a.md", "../A.md"]);
    }

    #[test]
    fn the_same_document_once_more_keeps_its_name() {
        let mut made = mapping(&[("block-1", "k/a.md"), ("block-1", "k/a.md"), ("block-2", "k/a.md")]);
        make_distinct(&mut made);
        assert_eq!(paths(&made), ["k/a.md", "k/a.md", "k/a-2.md"]);
        let note = made.lossy.first().unwrap();
        assert!(note.contains("block-2: it is k/a-2.md here") && note.contains("of block-1"), "{note}");
    }

    #[test]
    fn a_made_name_that_is_too_long_is_left_to_its_rule() {
        let long = "a".repeat(loci_model::limits::FILE_SEGMENT_BYTES_MAX - 3);
        let upper = format!("{}.md", long.to_uppercase());
        let lower = format!("{long}.md");
        let mut made = mapping(&[(upper.as_str(), upper.as_str()), (lower.as_str(), lower.as_str())]);
        make_distinct(&mut made);
        assert!(DocumentPath::parse(paths(&made)[0]).is_ok());
        assert!(DocumentPath::parse(paths(&made)[1]).is_err());
    }
}
