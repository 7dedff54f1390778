//! The interpretation of a bucket's key: the document that it names, and the name under which its
//! bytes are stored as an object otherwise. Pure.

use loci_engine::document_text::path::DocumentPath;
use loci_model::trees::parked_object::object_key;
use loci_model::{Namespace, Result};

use super::Bucket;
use crate::trees::tree::TreeAsk;

/// The directory in keys in which a Strands file store keeps its memory files.
const MEMORY: &str = "memory";
const ENDING: &str = ".md";
/// The directory of those files in a tree of documents.
const DIRECTORY: &str = "knowledge/facts/";

/// The interpretation of a key: the name of its object, and the document that it may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyPlace {
    /// The name of the object, unique in the whole memory.
    pub(super) object: String,
    /// The tree and path of the document. `None` if the key cannot name a document.
    pub(super) document: Option<DocumentPlace>,
}

/// The tree and path of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentPlace {
    pub(super) tree: TreeAsk,
    pub(super) path: DocumentPath,
}

impl KeyPlace {
    /// Parses a key of a bucket.
    ///
    /// # Errors
    /// `Invalid` if the text is not a valid key.
    pub(super) fn of(bucket: &Bucket, key: &str) -> Result<Self> {
        let key = object_key(key)?;
        let object = object_key(&format!("{}{key}", bucket.prefix()))?;
        let document = document(bucket, &key);
        Ok(Self { object, document })
    }
}

impl Bucket {
    /// Returns the common prefix of the names of the bucket's objects.
    pub(super) fn prefix(&self) -> String {
        self.namespace.normal().trim_start_matches('/').to_owned()
    }

    /// Returns the common prefix of the keys for the documents of a tree. `None` if the tree is
    /// outside the bucket, or keys cannot express its namespace.
    pub(super) fn keys_of(&self, normal: &str) -> Option<String> {
        let within = normal.strip_prefix(&self.namespace.normal())?.trim_end_matches('/');
        let (above, name) = match within.rsplit_once('/') {
            Some((above, name)) => (format!("{above}/"), name),
            None => (String::new(), within),
        };
        (!name.is_empty()).then(|| format!("{above}{MEMORY}/{name}/"))
    }

    /// Returns the tree whose documents have keys with this prefix, if the prefix names one.
    pub(super) fn tree_of(&self, prefix: &str) -> Option<TreeAsk> {
        let (above, _) = prefix.rsplit_once('/')?;
        document(self, &format!("{above}/x{ENDING}")).map(|place| place.tree)
    }
}

/// Returns the part of a document's key after the common prefix of its tree. `None` if no key can
/// name the document.
pub(super) fn file_of(path: &str) -> Option<&str> {
    path.strip_prefix(DIRECTORY).filter(|file| !file.contains('/') && file.ends_with(ENDING))
}

/// Parses a key of the form `[<prefix>/]memory/<name>/<file>.md`. Returns `None` for a key whose
/// parts a namespace or a path would spell differently: its bytes are stored as an object.
fn document(bucket: &Bucket, key: &str) -> Option<DocumentPlace> {
    let (rest, file) = key.rsplit_once('/')?;
    let (above, name) = rest.rsplit_once('/')?;
    let above = match above.strip_suffix(MEMORY)? {
        "" => "",
        above => above.strip_suffix('/')?,
    };
    if !file.ends_with(ENDING) {
        return None;
    }
    let separator = if above.is_empty() { "" } else { "/" };
    let within = format!("{}{above}{separator}{name}", bucket.namespace.normal());
    let namespace = Namespace::parse(within).ok()?;
    let given = format!("{DIRECTORY}{file}");
    let path = DocumentPath::check(&given).ok().filter(|path| path.as_str() == given)?;
    Some(DocumentPlace { tree: TreeAsk { memory: bucket.memory.clone(), namespace }, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::MemoryId;

    fn bucket(namespace: &str) -> Bucket {
        Bucket {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            namespace: Namespace::parse(namespace).unwrap(),
        }
    }

    #[test]
    fn which_keys_are_documents() {
        let check = |namespace: &str, key: &str, tree: Option<&str>| {
            let place = KeyPlace::of(&bucket(namespace), key).unwrap();
            let found = place.document.map(|document| document.tree.namespace.normal());
            assert_eq!(found.as_deref(), tree, "{namespace} {key}");
        };
        check("/", "memory/desk/editor.md", Some("/desk/"));
        check("/", "memory//desk/editor.md", Some("/desk/"));
        check("/team/", "memory/desk/editor.md", Some("/team/desk/"));
        check("/team", "a/b/memory/desk/editor.md", Some("/team/a/b/desk/"));
        check("/", "memory/memory/x.md", Some("/memory/"));
        check("/", "memory/desk/.md", Some("/desk/"));
        check("/", "memory/desk/editor.txt", None);
        check("/", "memory/desk/deep/editor.md", None);
        check("/", "mymemory/desk/editor.md", None);
        check("/", "desk/editor.md", None);
        check("/", "memory/a name/editor.md", None);
        check("/", "memory/desk/con.md", None);
        check("/", "memory/desk/e\u{301}.md", None);
        check("/", "memory/desk/é.md", Some("/desk/"));
        check("/", "s1/scopes/agent/a/snapshots/snapshot_latest.json", None);
    }

    #[test]
    fn names_lead_back_to_keys() {
        for (namespace, key) in [("/", "memory/desk/é.md"), ("/team", "a/memory/desk/x.md")] {
            let bucket = bucket(namespace);
            let place = KeyPlace::of(&bucket, key).unwrap().document.unwrap();
            let keys = bucket.keys_of(&place.tree.namespace.normal()).unwrap();
            assert_eq!(format!("{keys}{}", file_of(place.path.as_str()).unwrap()), key);
            assert_eq!(bucket.tree_of(&keys), Some(place.tree));
        }
        assert_eq!(bucket("/team").keys_of("/team/"), None);
        assert_eq!(bucket("/team").keys_of("/team-two/x/"), None);
        assert_eq!(bucket("/").tree_of("memory/"), None);
        assert_eq!(bucket("/").tree_of("session/"), None);
        assert_eq!(file_of("knowledge/facts/deep/x.md"), None);
        assert_eq!(file_of("knowledge/system/x.md"), None);
    }

    #[test]
    fn parked_bytes_lie_below_the_namespace() {
        assert_eq!(KeyPlace::of(&bucket("/team/x"), "s//1.json").unwrap().object, "team/x/s/1.json");
        assert!(KeyPlace::of(&bucket("/"), "a/../b").is_err());
        assert!(KeyPlace::of(&bucket("/"), "a\\b").is_err());
    }
}
