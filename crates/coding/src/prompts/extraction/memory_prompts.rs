//! Extraction prompts of a memory: versions in addition to the shipped ones, numbered from
//! [`OWN_FROM`] on, so that no number ever means two texts. They are rows of the prompts' table
//! under a reserved template. The row that became current last determines the current version. A
//! rollback to a shipped version writes a row for that purpose.
//!
//! A text becomes current if its author forces it, or after its evaluation on the labelled set
//! (`prompts/evaluation`). Until then it is a candidate: a row that never became current.

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::safety::{SafetyPolicy, secrets};
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{Document, Error, ErrorKind, MemoryId, Result, Timestamp, limits};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{ExtractionPrompt, id_of, names, shipped};
use crate::Coding;
use crate::prompts::evaluation::is_evaluated;
use crate::prompts::versions::{EXTRACTION, make_current};

/// The first number of a memory's own version.
pub const OWN_FROM: u32 = 1001;
/// The key of the author's note in a row.
const NOTE: &str = "note";

/// A text that replaces the current one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewExtractionPrompt {
    /// The name of the prompt.
    pub name: String,
    /// The text; `{repo}` stands for the repository.
    pub text: String,
    /// A note on its purpose, or on the change.
    pub note: Option<String>,
    /// True to make it current without an evaluation; otherwise it is a candidate.
    pub force: bool,
}

/// The current version, and the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionPromptChanged {
    /// The current version.
    pub prompt: ExtractionPrompt,
    /// The number of the previous version; `None` if nothing changed.
    pub previous: Option<u32>,
}

impl Coding {
    /// Stores a text as the next version: as a candidate, or as the current one if forced. A text
    /// that is already current changes nothing.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `NotFound` for an unknown prompt name; `Denied`
    /// without the administration of the memory; `TooLarge` if there are too many versions.
    pub async fn extraction_prompt_put(
        &self,
        caller: &Principal,
        standing: &CallContext,
        new: NewExtractionPrompt,
    ) -> Result<ExtractionPromptChanged> {
        check(&new)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let (now, settings) = (self.engine.now(), self.engine.settings().clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                check_secrets(&new, &SafetyPolicy::of(&settings, &memory.settings))?;
                let all = versions(tx, Some(&memory.id), &new.name)?;
                let current = current_of(&all)?;
                if current.text == new.text {
                    return Ok(ExtractionPromptChanged { prompt: current.clone(), previous: None });
                }
                let version = next_number(&all)?;
                let mut row = row(&memory, &new, version, now)?;
                if !new.force {
                    tx.prompts_mut().put(&row)?;
                    let all = versions(tx, Some(&memory.id), &new.name)?;
                    let stored = all.into_iter().find(|one| one.version == version);
                    let prompt = stored.ok_or_else(|| Error::bug("a candidate that was not stored"))?;
                    return Ok(ExtractionPromptChanged { prompt, previous: None });
                }
                make_current(tx, &mut row, now)?;
                changed(tx, &memory.id, &new.name, current.version)
            })
            .await
    }

    /// Makes an earlier version current again, a shipped one or one of the memory.
    ///
    /// # Errors
    /// `NotFound` if the version does not exist; `Conflict` for a candidate without an evaluation;
    /// `Denied` without the administration of the memory.
    pub async fn extraction_prompt_rollback(
        &self,
        caller: &Principal,
        standing: &CallContext,
        name: &str,
        to: u32,
    ) -> Result<ExtractionPromptChanged> {
        check_name(name)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let (name, now) = (name.to_owned(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let all = versions(tx, Some(&memory.id), &name)?;
                let current = current_of(&all)?;
                let wanted = all.iter().find(|one| one.version == to);
                let wanted = wanted.ok_or_else(|| super::unknown(&id_of(&name, to), &all).on("to"))?;
                if wanted.is_current {
                    return Ok(ExtractionPromptChanged { prompt: wanted.clone(), previous: None });
                }
                let stored = tx.prompts().get(&memory.id, &wanted.id())?;
                let is_candidate = stored.as_ref().is_some_and(|row| row.current_since == Timestamp::EPOCH);
                if is_candidate && !is_evaluated(tx, &memory.id, &wanted.id())? {
                    return Err(not_evaluated(&wanted.id()));
                }
                let mut row = match stored {
                    Some(stored) => stored,
                    None => pointer(&memory, wanted, now)?,
                };
                make_current(tx, &mut row, now)?;
                changed(tx, &memory.id, &name, current.version)
            })
            .await
    }
}

/// Returns all versions of a prompt, the oldest first. The current one is the row that became
/// current last, else the newest shipped version.
pub(super) fn versions(
    tx: &dyn ReadTx,
    memory: Option<&MemoryId>,
    name: &str,
) -> Result<Vec<ExtractionPrompt>> {
    let most = limits::EXTRACTION_PROMPTS_MAX + shipped(name).count();
    let rows = match memory {
        Some(memory) => tx.prompts().list(memory, Some(&format!("{EXTRACTION}{name}")), None, most)?,
        None => Vec::new(),
    };
    let number = |row: &PromptVersion| row.version.strip_prefix(name)?.strip_prefix('@')?.parse::<u32>().ok();
    let newest = shipped(name).map(|one| one.version).max();
    let current = rows.iter().filter(|row| row.current_since > Timestamp::EPOCH).find_map(number).or(newest);
    let mut all: Vec<ExtractionPrompt> = shipped(name).map(ExtractionPrompt::of).collect();
    for row in &rows {
        let Some(version) = number(row).filter(|version| *version >= OWN_FROM) else { continue };
        let said = row.overrides.value()?;
        all.push(ExtractionPrompt {
            name: name.to_owned(),
            version,
            text: row.text.clone(),
            note: said.get(NOTE).and_then(|note| note.as_str()).map(str::to_owned),
            created_at: Some(row.created_at),
            is_current: false,
        });
    }
    all.sort_by_key(|one| one.version);
    for one in &mut all {
        one.is_current = Some(one.version) == current;
    }
    Ok(all)
}

/// Returns the version of a prompt that models and agents receive.
pub(crate) fn current(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<ExtractionPrompt> {
    let all = versions(tx, Some(memory), name)?;
    current_of(&all).cloned()
}

fn current_of(all: &[ExtractionPrompt]) -> Result<&ExtractionPrompt> {
    all.iter()
        .find(|one| one.is_current)
        .ok_or_else(|| Error::bug("an extraction prompt without a current version"))
}

fn changed(tx: &dyn ReadTx, memory: &MemoryId, name: &str, previous: u32) -> Result<ExtractionPromptChanged> {
    let all = versions(tx, Some(memory), name)?;
    Ok(ExtractionPromptChanged { prompt: current_of(&all)?.clone(), previous: Some(previous) })
}

fn next_number(all: &[ExtractionPrompt]) -> Result<u32> {
    let own = || all.iter().map(|one| one.version).filter(|version| *version >= OWN_FROM);
    if own().count() < limits::EXTRACTION_PROMPTS_MAX {
        return Ok(own().max().map_or(OWN_FROM, |last| last.saturating_add(1)));
    }
    let max = limits::EXTRACTION_PROMPTS_MAX;
    let message = format!("a prompt has at most {max} versions of one's own: go back to one of them");
    Err(Error::new(ErrorKind::TooLarge, message).on("text"))
}

fn row(memory: &Memory, new: &NewExtractionPrompt, version: u32, now: Timestamp) -> Result<PromptVersion> {
    let said = match &new.note {
        Some(note) => json!({ NOTE: note }),
        None => json!({}),
    };
    let sha256 = hex::encode(Sha256::digest(&new.text));
    Ok(PromptVersion {
        memory: memory.id.clone(),
        version: id_of(&new.name, version),
        sha256: sha256.clone(),
        template_id: format!("{EXTRACTION}{}", new.name),
        template_sha256: sha256,
        text: new.text.clone(),
        overrides: Document::from_value(&said)?,
        tools: Vec::new(),
        extraction_prompts: Vec::new(),
        model: None,
        current_since: Timestamp::EPOCH,
        created_at: now,
    })
}

/// Returns the row that makes a shipped version current again.
fn pointer(memory: &Memory, to: &ExtractionPrompt, now: Timestamp) -> Result<PromptVersion> {
    let new = NewExtractionPrompt { name: to.name.clone(), text: to.text.clone(), ..Default::default() };
    row(memory, &new, to.version, now)
}

fn check(new: &NewExtractionPrompt) -> Result<()> {
    check_name(&new.name)?;
    let max = limits::PROMPT_BYTES_MAX;
    if new.text.trim().is_empty() || new.text.len() > max {
        return Err(Error::invalid(
            "text",
            format!("text must have 1 to {max} bytes that say something: write or shorten it"),
        ));
    }
    let max = limits::EXTRACTION_NOTE_CHARS_MAX;
    if new.note.as_ref().is_some_and(|note| note.chars().count() > max) {
        return Err(Error::invalid("note", format!("note must have at most {max} characters: shorten it")));
    }
    Ok(())
}

fn not_evaluated(id: &str) -> Error {
    let rule = format!(
        "{id} was not evaluated against the labelled set: loci eval prompts --prompt {id}, then go to it; or store its text with force"
    );
    Error::conflict(rule).on("to")
}

fn check_name(name: &str) -> Result<()> {
    if names().any(|known| known == name) {
        return Ok(());
    }
    let known: Vec<&str> = names().collect();
    Err(Error::not_found(format!(
        "there is no extraction prompt {name} here: there are {}",
        known.join(", ")
    ))
    .on("name"))
}

/// Checks a text for secrets, because agents are shown the text and a secret in it would become
/// public.
fn check_secrets(new: &NewExtractionPrompt, policy: &SafetyPolicy) -> Result<()> {
    let holds = |text: &str| secrets::redact(text.to_owned(), policy.secrets).0 != text;
    for (field, text) in [("text", Some(&new.text)), ("note", new.note.as_ref())] {
        if text.is_some_and(|text| holds(text)) {
            return Err(Error::invalid(
                field,
                format!("{field} holds what looks like a secret: take it out"),
            ));
        }
    }
    Ok(())
}
