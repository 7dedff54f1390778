//! Rules on paths: V04 permitted paths of new documents, V13 protected documents. References that
//! are record ids are not paths.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::record::TrustTier;
use loci_text::tokens::estimate_tokens;

use super::super::plan::Action;
use super::super::snapshot::reference_key;
use super::{RuleCode, ValidationInput};
use crate::document_text::case_folding::folded;
use crate::document_text::path::DocumentPath;
use crate::document_text::path_rule::PathRule;
use crate::document_text::slug::RESERVED_STEMS;

const STEM_CHARS_MAX: usize = 80;
const DIRECTORY_CHARS_MAX: usize = 30;

/// Returns true for a path, false for a record's id.
pub(super) fn is_path(reference: &str) -> bool {
    reference.contains('/') || reference.ends_with(".md")
}

/// Checks V04: a new target is a Markdown file at most one directory below `knowledge/`, with a
/// valid name that is not reserved.
pub(super) fn targets(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    let mut directories: BTreeSet<&str> =
        judging.snapshot.documents.iter().filter_map(|one| directory(&one.reference)).collect();
    let before = directories.len();
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(path) = action.writes().filter(|path| is_path(path)) else { continue };
        // An existing document may lie deeper.
        if judging.stands(path) {
            continue;
        }
        if let Err(wrong) = check(path) {
            judging.refuse(RuleCode::V04, at, format!("{path}: {wrong}"));
        }
        let is_new = directory(path).is_some_and(|directory| directories.insert(directory));
        if is_new && directories.len() > judging.bounds.directories_max.max(before) {
            let most = judging.bounds.directories_max;
            judging.refuse(
                RuleCode::V04,
                at,
                format!("{path}: more than {most} directories below knowledge/"),
            );
        }
    }
}

fn directory(path: &str) -> Option<&str> {
    path.strip_prefix("knowledge/")?.split_once('/').map(|(directory, _)| directory)
}

fn check(path: &str) -> Result<(), &'static str> {
    DocumentPath::check(path).map_err(PathRule::sentence)?;
    let parts: Vec<&str> = path.split('/').collect();
    let (Some(file), above) = (parts.last(), parts.get(..parts.len().saturating_sub(1)).unwrap_or_default())
    else {
        return Err("it names no file");
    };
    let Some(stem) = file.strip_suffix(".md") else { return Err("a document's name ends in .md") };
    if stem.is_empty() || stem.chars().count() > STEM_CHARS_MAX {
        return Err("a document's name has 1 to 80 characters before .md");
    }
    if RESERVED_STEMS.contains(&folded(stem).as_str()) {
        return Err("that name is reserved");
    }
    if stem.starts_with('.') || stem.trim() != stem {
        return Err("a document's name has no space or dot at its ends");
    }
    match above {
        [] => Ok(()),
        ["sessions", ..] | ["consolidation", ..] => {
            Err("nothing is planned below sessions/ or consolidation/")
        }
        ["knowledge"] => Ok(()),
        ["knowledge", directory] if clean_directory(directory) => Ok(()),
        ["knowledge", _] => Err("a directory's name has 1 to 30 of a-z, 0-9 and -"),
        ["knowledge", ..] => Err("at most one directory below knowledge/"),
        _ => Err("documents lie below knowledge/"),
    }
}

fn clean_directory(name: &str) -> bool {
    (1..=DIRECTORY_CHARS_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Checks V13: only reorganizing touches `system/`, and pinned documents stay.
pub(super) fn protected(judging: &mut ValidationInput<'_>) {
    use super::super::plan::Operation;
    let reorganizes = judging.bounds.operations.contains(&Operation::Reorganize);
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let touched = action.vacates().into_iter().chain(action.writes());
        let of_system = touched.filter(|path| is_system(path)).count() > 0;
        let moves = matches!(action, Action::Move { .. } | Action::Update { .. });
        if of_system && !(reorganizes && moves) {
            judging.refuse(RuleCode::V13, at, "only reorganize touches system/");
        }
        always_loaded(judging, at, action);
        for path in action.vacates() {
            let pinned = judging.find(path).is_some_and(|document| document.pinned);
            if pinned && action.retires() {
                judging.refuse(RuleCode::V13, at, format!("{path} is pinned"));
            }
        }
    }
}

/// Checks V13: a person decides on documents that every prompt loads, never a source of low trust.
/// Their text is not rewritten in passing.
fn always_loaded(judging: &mut ValidationInput<'_>, at: usize, action: &Action) {
    match action {
        Action::Move { from, to, .. } if is_system(to) && !is_system(from) => {
            let tier = judging.find(from).map(|document| document.tier);
            if matches!(tier, Some(TrustTier::External | TrustTier::Flagged)) {
                judging.refuse(RuleCode::V13, at, format!("{from} is not trusted enough for system/"));
            }
            judging.hold(RuleCode::V13, at, "what is always loaded is decided by a person");
        }
        Action::Update { path, words, .. }
            if is_system(path) && (words.body.is_some() || words.content.is_some()) =>
        {
            let rule = format!("the text of {path} is not rewritten: it is always loaded");
            judging.refuse(RuleCode::V13, at, rule);
        }
        _ => {}
    }
}

/// Returns true for documents that every prompt loads in full.
pub(super) fn is_system(path: &str) -> bool {
    let key = reference_key(path);
    key.starts_with("knowledge/system/") || key.starts_with("system/")
}

/// Checks V13: documents that every prompt loads stay within their budget, or a plan reduces an
/// existing excess.
pub(super) fn system_budget(judging: &mut ValidationInput<'_>) {
    let Some(most) = judging.bounds.system_tokens_max else { return };
    let standing = judging.snapshot.documents.iter().filter(|one| is_system(&one.reference) && !one.is_new);
    let mut tokens: BTreeMap<String, u32> =
        standing.map(|one| (reference_key(&one.reference), estimate_tokens(&one.text))).collect();
    let before: u32 = tokens.values().sum();
    let mut at_fault = 0;
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        for path in action.vacates() {
            tokens.remove(&reference_key(path));
        }
        let Some(path) = action.writes().filter(|path| is_system(path)) else { continue };
        let moved = match action {
            Action::Move { from, .. } => judging.find(from).map(|document| document.text.as_str()),
            _ => action.words().and_then(|words| words.body.as_deref().or(words.content.as_deref())),
        };
        if let Some(text) = moved {
            tokens.insert(reference_key(path), estimate_tokens(text));
            at_fault = at;
        }
    }
    let after: u32 = tokens.values().sum();
    if after > most && after > before {
        let told = format!("knowledge/system/ would have {after} tokens, at most {most} are allowed");
        judging.refuse(RuleCode::V13, at_fault, told);
    }
}
