//! Mounts: the trees that the memory tool shows, their names, and their write modes. The
//! configuration defines them; grants decide which of them a caller may use.

use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::document_text::path::{DocumentPath, PathKey};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, Namespace, Result};

use crate::Documents;
use crate::memory_tool::MemoryToolSettings;
use crate::trees::tree::TreeAsk;

/// The name of the mount that a request without a name uses.
const DEFAULT: &str = "default";

/// The mode in which the memory tool may use a mounted tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MountMode {
    /// Callers with a grant of write in the tree may write through the tool.
    #[default]
    ReadWrite,
    /// No caller may write through the tool.
    ReadOnly,
}

/// A tree in the configuration of a mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountEntry {
    /// The memory of the tree, by name or id.
    pub memory: String,
    /// The namespace of the tree.
    pub namespace: Namespace,
    /// The mode in which the tool may use the tree.
    pub mode: MountMode,
}

/// The trees that a mount shows below `/memories`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// A single tree, whose documents are directly below `/memories`.
    One(MountEntry),
    /// Several trees. Each is a directory with this name below `/memories`.
    Several(BTreeMap<String, MountEntry>),
}

/// The settings of the memory tool, and the configured mounts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryToolMounts {
    /// The settings of the tool.
    pub tool: MemoryToolSettings,
    /// The mounts by name.
    pub mounts: BTreeMap<String, Mount>,
}

/// The mount or tree that a request uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MountAsk {
    /// A configured mount. `None` means the mount `default`.
    Named(Option<String>),
    /// A single tree, which needs no configuration.
    Tree(TreeAsk),
}

/// A tree of a mount, as a caller may use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountTree {
    /// The directory that shows the tree. `None` if the tree is directly at the root.
    pub name: Option<String>,
    /// The tree.
    pub tree: TreeAsk,
    /// True if the caller may write in the tree through this mount.
    pub may_write: bool,
    /// True if the settings let the tool write below `system/`. The caller's grants must permit it,
    /// too.
    pub may_write_system: bool,
}

impl MountTree {
    /// Returns the key of the name.
    pub(super) fn key(&self) -> Option<PathKey> {
        self.name.as_deref().and_then(|name| DocumentPath::check(name).ok()).map(|path| path.key())
    }
}

impl Mount {
    /// Checks the directory names of all mounts.
    ///
    /// # Errors
    /// `Invalid` for an invalid directory name, for two names that differ only in case, and for a
    /// mount without a tree.
    pub fn check(&self) -> Result<()> {
        let Self::Several(entries) = self else { return Ok(()) };
        if entries.is_empty() {
            return Err(Error::invalid("entries", "a mount needs a memory, or entries with one each"));
        }
        let mut keys = std::collections::BTreeSet::new();
        for name in entries.keys() {
            let rule =
                || format!("{name} must be the name of a directory, of its own in any case of letters");
            let path = DocumentPath::check(name).ok().filter(|path| path.segments().count() == 1);
            if !path.is_some_and(|path| path.as_str() == name && keys.insert(path.key().as_str().to_owned()))
            {
                return Err(Error::invalid("entries", rule()));
            }
        }
        Ok(())
    }

    fn entries(&self) -> Vec<(Option<&String>, &MountEntry)> {
        match self {
            Self::One(entry) => vec![(None, entry)],
            Self::Several(entries) => entries.iter().map(|(name, entry)| (Some(name), entry)).collect(),
        }
    }
}

impl Documents {
    /// Returns the trees of a mount that a caller may read, by name.
    ///
    /// # Errors
    /// `NotFound` if the mount does not exist; `Denied` if the caller may read none of its trees.
    pub async fn mount_trees(&self, caller: &Principal, ask: &MountAsk) -> Result<Vec<MountTree>> {
        let may_write_system = self.parts.settings.memory_tool.tool.write_system;
        let name = match ask {
            MountAsk::Tree(tree) => {
                access::tree_view(caller, &tree.memory, &tree.namespace, Capability::Read)?;
                return Ok(vec![MountTree {
                    name: None,
                    may_write: may_write(caller, tree),
                    may_write_system,
                    tree: tree.clone(),
                }]);
            }
            MountAsk::Named(name) => name.as_deref().unwrap_or(DEFAULT),
        };
        let Some(mount) = self.parts.settings.memory_tool.mounts.get(name) else {
            let rule = format!(
                "there is no mount {name}: name one of [memory_tool.mounts], or a memory and a namespace"
            );
            return Err(Error::not_found(rule).on("mount"));
        };
        let mut trees = Vec::new();
        for (name, entry) in mount.entries() {
            let Some(memory) = self.engine.memory_visible(caller, &entry.memory).await? else { continue };
            let tree = TreeAsk { memory, namespace: entry.namespace.clone() };
            if access::tree_view(caller, &tree.memory, &tree.namespace, Capability::Read).is_err() {
                continue;
            }
            let may_write = entry.mode == MountMode::ReadWrite && may_write(caller, &tree);
            trees.push(MountTree { name: name.cloned(), tree, may_write, may_write_system });
        }
        if trees.is_empty() {
            let rule = format!(
                "no tree of the mount {name} is there for this caller: its memories are missing, or the grants do not reach them"
            );
            return Err(Error::denied(rule));
        }
        Ok(trees)
    }
}

fn may_write(caller: &Principal, tree: &TreeAsk) -> bool {
    access::tree_view(caller, &tree.memory, &tree.namespace, Capability::Write).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_entries() {
        let entry = || MountEntry {
            memory: "notes".to_owned(),
            namespace: Namespace::parse("/").unwrap(),
            mode: MountMode::ReadWrite,
        };
        let check = |names: &[&str], expect: bool| {
            let entries = names.iter().map(|name| ((*name).to_owned(), entry())).collect();
            assert_eq!(Mount::Several(entries).check().is_ok(), expect, "{names:?}");
        };
        check(&["mine", "team"], true);
        check(&[], false);
        check(&["a/b"], false);
        check(&["/a"], false);
        check(&[".."], false);
        check(&["Team", "team"], false);
        assert!(Mount::One(entry()).check().is_ok());
    }
}
