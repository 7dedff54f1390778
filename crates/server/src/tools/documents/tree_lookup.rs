//! Finds the tree of a call and the paths in it: that of the mount `default` if it exists, else the
//! default memory of the tools with the namespace in the caller's grants. In a mount with several
//! trees, the first name of a path selects the tree.

use loci_api::ErrorCode;
use loci_documents::{MountAsk, MountTree, TreeAsk};
use loci_model::principal::Principal;
use loci_model::{MemoryId, Namespace, Result};

use crate::tools::error::ToolError;
use crate::tools::memory_selection;
use crate::tools::tool::Context;

/// The default mount of calls that name no memory.
const DEFAULT: &str = "default";

/// A tree, and a path in it.
pub(super) struct TreePath {
    pub(super) tree: TreeAsk,
    /// The directory of the tree in the mount.
    name: Option<String>,
    /// The path within the tree.
    pub(super) path: Option<String>,
}

impl TreePath {
    /// Returns a path of the tree in the caller's form.
    pub(super) fn shown(&self, path: &str) -> String {
        self.name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{name}/{path}"))
    }
}

/// Returns the mount of a call.
pub(super) async fn mount(context: &Context) -> Result<MountAsk> {
    let has_default = context.engine.documents.settings().memory_tool.mounts.contains_key(DEFAULT);
    if has_default && context.place.asked.is_none() {
        return Ok(MountAsk::Named(None));
    }
    let memory = memory_selection::place(&context.engine, &context.caller, &context.place).await?;
    let namespace = only_granted(&context.caller, &memory).map_or_else(|| Namespace::parse("/"), Ok)?;
    Ok(MountAsk::Tree(TreeAsk { memory, namespace }))
}

/// Resolves a path.
pub(super) async fn at(context: &Context, path: Option<&str>) -> std::result::Result<TreePath, ToolError> {
    let trees = context.engine.documents.mount_trees(&context.caller, &mount(context).await?).await?;
    let path = path.map(|path| path.trim_matches('/')).filter(|path| !path.is_empty());
    if let [MountTree { name: None, tree, .. }] = &trees[..] {
        return Ok(TreePath { tree: tree.clone(), name: None, path: path.map(ToOwned::to_owned) });
    }
    let (first, rest) = path.map_or(("", None), |path| match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest.to_owned())),
        None => (path, None),
    });
    let found = trees.iter().find(|tree| tree.name.as_deref() == Some(first));
    let Some(found) = found else {
        let names: Vec<&str> = trees.iter().filter_map(|tree| tree.name.as_deref()).collect();
        let rule = format!("path must begin with one of {}", names.join(", "));
        return Err(ToolError::new(ErrorCode::Invalid, rule).on("path"));
    };
    Ok(TreePath { tree: found.tree.clone(), name: found.name.clone(), path: rest })
}

/// Returns the namespace of the caller's grants on the memory, if all name the same one.
fn only_granted(caller: &Principal, memory: &MemoryId) -> Option<Namespace> {
    let is_of = |granted: Option<&MemoryId>| granted.is_none_or(|granted| granted == memory);
    let mut granted = caller
        .grants
        .iter()
        .filter(|grant| is_of(grant.memory.as_ref()))
        .map(|grant| grant.namespace.as_ref());
    let first = granted.next()??;
    granted.all(|namespace| namespace == Some(first)).then(|| first.clone())
}
