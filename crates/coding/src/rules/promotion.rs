//! The verb `rule_promote`: a rule as a proposed change of a repository's instructions, in the form
//! of a patch against the file on the default branch, with one bullet in a section of its own. The
//! verb writes nothing. After a person has applied the patch, the rule expires automatically,
//! because the repository then documents it.

use std::sync::Arc;

use loci_api::coding::rule::RulePromotion;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::retrieval::render::contained;
use loci_model::facts::code::EntryKind;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, RecordId, Result};
use loci_verified::tip_of;

use super::decision::{administered, rule_of};
use super::markdown_patch::{BulletPatch, with_bullet};
use crate::Coding;

/// The maximum size of an instruction file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// The possible targets of rules: files that agents read as instructions and that people review.
const TARGETS: &[&str] =
    &["AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONTRIBUTING.md", ".github/copilot-instructions.md"];
/// The default target.
const TARGET: &str = "AGENTS.md";

impl Coding {
    /// Renders a rule in force as a patch.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if the repository has no such rule; `Denied` without
    /// administration of the repository's actor; `Conflict` if the rule is not in force, or if the
    /// target is not a file there; `Invalid` for an unsupported target; `Unavailable` if the code
    /// cannot be read.
    pub async fn rule_promote(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        id: &RecordId,
        target: Option<String>,
    ) -> Result<RulePromotion> {
        let target = target.unwrap_or_else(|| TARGET.to_owned());
        if !TARGETS.contains(&target.as_str()) {
            return Err(Error::invalid("target", format!("target must be one of {}", TARGETS.join(", "))));
        }
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let (caller, repo, id) = (caller.clone(), repo.to_owned(), id.clone());
        let (repository, rule) = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let (repository, actor) = administered(tx, &caller, &memory.id, &repo)?;
                let rule = rule_of(tx, &memory.id, &actor, &id)?;
                if !view.admits(&rule) {
                    return Err(Error::denied("the caller may not read this rule"));
                }
                Ok((repository, rule))
            })
            .await?;
        if rule.state != RecordState::Active {
            let state = rule.state.as_str();
            return Err(Error::conflict(format!("only a rule in force is promoted: this one is {state}")));
        }
        let default = repository.default_ref.clone();
        let path = target.clone();
        let work = move |source: &dyn CodeSource| read(source, default.as_deref(), &path);
        let (commit, there) = self
            .verified
            .on_code(&repository, standing, Arc::new(work))
            .await
            .map_err(|error| unreadable(&repository.key, &error))?;
        let old = match there {
            There::Nothing => None,
            There::File(text) => Some(text),
            There::Other(kind) => return Err(no_file(&target, kind)),
        };
        let text = contained(&rule.text);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let bullet = match rule.scope.as_deref() {
            Some(scope) => format!("- {line} (`{}`)", contained(scope).replace('`', "")),
            None => format!("- {line}"),
        };
        let patch = with_bullet(&BulletPatch { path: &target, old: old.as_deref(), bullet: &bullet });
        Ok(RulePromotion { id: rule.id.to_string(), target, commit, new_file: old.is_none(), patch })
    }
}

/// The entry at the target's path.
enum There {
    Nothing,
    File(String),
    /// An entry that a patch cannot add a line to.
    Other(EntryKind),
}

/// Reads the tip of the default branch, and the entry at a path.
fn read(source: &dyn CodeSource, default: Option<&str>, path: &str) -> CodeResult<(String, There)> {
    let tip = tip_of(source, None, default)?;
    let commit = tip.commit().map(|commit| commit.to_string()).unwrap_or_default();
    let there = match source.entry(&tip.revision, path)? {
        None => There::Nothing,
        Some(entry) if entry.kind == EntryKind::File => {
            let bytes = source.read(&entry.id, FILE_BYTES_MAX)?;
            There::File(String::from_utf8_lossy(&bytes).into_owned())
        }
        Some(entry) => There::Other(entry.kind),
    };
    Ok((commit, there))
}

fn no_file(target: &str, kind: EntryKind) -> Error {
    let kind = kind.as_str();
    Error::conflict(format!("{target} is a {kind} at the default branch, and no file: choose another target"))
}

fn unreadable(repo: &str, error: &CodeError) -> Error {
    let why = error.why.as_str();
    Error::unavailable(format!("the code of {repo} cannot be read now ({why}): {}", error.detail))
}
