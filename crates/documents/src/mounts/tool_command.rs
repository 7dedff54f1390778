//! `memory_tool`: one command of the memory tool on the trees of a mount, as one transaction.
//! `memory_tool` defines the commands and their texts; this module selects the tree and checks
//! write access.

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::document_text::path::DocumentPath;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use serde_json::Value;

use super::mount_settings::{MountAsk, MountTree};
use super::mounted_tree::{MountedTree, Part, Within};
use crate::Documents;
use crate::memory_tool::{self, MemoryToolSettings, ROOT, ToolAnswer, only_reads};
use crate::trees::tree::Tree;
use crate::trees::tree_view::TreeView;
use crate::trees::tree_write::TreeWrite;

impl Documents {
    /// Runs a command of the memory tool. Reading needs a grant of read, and writing a grant of
    /// write. Without a grant of write, every path counts as read-only. Errors of the tool or the
    /// tree become an answer for the model.
    ///
    /// # Errors
    /// `NotFound` for a missing mount or memory; `Denied` without a grant of read.
    pub async fn memory_tool(
        &self,
        caller: &Principal,
        mount: &MountAsk,
        input: Value,
        token: Option<ClientToken>,
    ) -> Result<ToolAnswer> {
        let trees = self.mount_trees(caller, mount).await?;
        let settings = self.parts.settings.memory_tool.tool.clone();
        let meant = meant(&trees, &input);
        if let Some(why) = parted(&trees, &input) {
            return Ok(ToolAnswer::refused(why, &settings));
        }
        match meant.filter(|tree| tree.may_write && !only_reads(&input)) {
            Some(tree) => self.tool_writes(caller, tree.clone(), input, (settings, token)).await,
            None => self.tool_reads(trees, input, settings).await,
        }
    }

    async fn tool_reads(
        &self,
        trees: Vec<MountTree>,
        input: Value,
        settings: MemoryToolSettings,
    ) -> Result<ToolAnswer> {
        let mut known = Vec::with_capacity(trees.len());
        for mounted in trees {
            let view = self.tree_view(&mounted.tree).await?;
            known.push((mounted, view));
        }
        let now = self.engine.now();
        let (answer, read) = self
            .engine
            .store()
            .read(move |tx| {
                let mut parts = Vec::with_capacity(known.len());
                for (mounted, view) in &known {
                    let view = TreeView::within(tx, &Tree::of(&mounted.tree), view)?;
                    parts.push(Part { mounted, view });
                }
                let within = Within::Reading(tx);
                let mut tree = MountedTree::of(parts, within, now);
                let answer = memory_tool::run(&mut tree, &input, &settings)?;
                Ok((answer, tree.read.into_inner()))
            })
            .await?;
        read.iter().for_each(|(memory, record)| self.parts.reads.note(memory, [record], now));
        Ok(answer)
    }

    async fn tool_writes(
        &self,
        caller: &Principal,
        mounted: MountTree,
        input: Value,
        (settings, token): (MemoryToolSettings, Option<ClientToken>),
    ) -> Result<ToolAnswer> {
        let view = self.tree_view(&mounted.tree).await?;
        let (ask, told) = (mounted.tree.clone(), settings.clone());
        let write = TreeWrite::of(&ask, "MemoryTool", token);
        let done = self.tree_write(caller, write, move |tx, writing| {
            let view = TreeView::within(tx, writing.tree, &view)?;
            let parts = vec![Part { mounted: &mounted, view }];
            let within = Within::Writing(tx, writing);
            let mut tree = MountedTree::of(parts, within, writing.now);
            let mut answer = memory_tool::run(&mut tree, &input, &settings)?;
            for warning in tree.warnings {
                answer.content.push('\n');
                answer.content.push_str(&warning);
            }
            Ok(answer)
        });
        // The whole write is rolled back if the tree rejected a part of it.
        done.await.or_else(|error| ToolAnswer::of_refusal(&error, &told).ok_or(error))
    }
}

/// Returns the tree of a command; none at the root of several.
fn meant<'a>(trees: &'a [MountTree], input: &Value) -> Option<&'a MountTree> {
    if let [only] = trees
        && only.name.is_none()
    {
        return Some(only);
    }
    named(trees, memory_tool::paths(input).next()?)
}

fn named<'a>(trees: &'a [MountTree], path: &str) -> Option<&'a MountTree> {
    let below = path.strip_prefix(ROOT)?.trim_start_matches('/');
    let first = DocumentPath::check(below.split('/').next()?).ok()?.key();
    trees.iter().find(|tree| tree.key().as_ref() == Some(&first))
}

/// Returns the text for the model for a rename from one tree into another, which is impossible: a
/// document keeps its record, which belongs to one memory.
fn parted(trees: &[MountTree], input: &Value) -> Option<String> {
    let [old, new] = ["old_path", "new_path"].map(|name| input.get(name).and_then(Value::as_str));
    let (old, new) = (old?, new?);
    let (from, to) = (named(trees, old)?, named(trees, new)?);
    let is_rename = input.get("command").and_then(Value::as_str) == Some("rename");
    (is_rename && from.tree != to.tree)
        .then(|| format!("Cannot rename {old} to {new}: create it there, then delete it here"))
}
