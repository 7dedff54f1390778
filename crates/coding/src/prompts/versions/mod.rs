//! Versions of agents' prompts: stored, listed, compared, with one current version for each
//! template. `version_names` names a version, `canonical_json` writes a document for its digest,
//! `comparison` lists the differences of two versions, and `input_hash` computes the digest of a
//! task's input.

mod canonical_json;
mod comparison;
mod input_hash;
mod version_names;

use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{Error, MemoryId, Result, Timestamp, limits};

use crate::Coding;
use crate::tasks::field_checks;
pub use comparison::PromptDiff;
pub(crate) use comparison::lines_difference;
pub(crate) use input_hash::input_hash;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, check_name, json_secrets, secrets};
use version_names::{CanonicalParts, DIGITS, MORE_DIGITS};
pub use version_names::{PromptDigests, PromptParts};

/// The prefix of templates that belong to extraction prompts.
pub(super) const EXTRACTION: &str = "extraction:";

/// A prompt to store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewPrompt {
    /// The template that it is a version of.
    pub template_id: String,
    /// The parts of the new prompt version.
    pub parts: PromptParts,
    /// The model that it is used with, which is not a part of the version.
    pub model: Option<String>,
}

/// A stored version, new or existing, which is now its template's current one.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptAdded {
    /// The version.
    pub prompt: PromptVersion,
    /// The digests of its parts.
    pub digests: PromptDigests,
    /// The template's previous current version.
    pub previous: Option<String>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Stores a version of a prompt, and makes it its template's current one. An identical prompt
    /// returns the existing version.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `Conflict` if it is a version of another template;
    /// `Denied`.
    pub async fn prompt_add(
        &self,
        caller: &Principal,
        standing: &CallContext,
        new: NewPrompt,
    ) -> Result<PromptAdded> {
        check(&new)?;
        let named = version_names::named(&new.parts)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Write)?;
        let may_read = access::require_whole(caller, &memory, Capability::Read).is_ok();
        let (now, settings) = (self.engine.now(), self.engine.settings().clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                check_name("template_id", &new.template_id, policy.secrets)?;
                let known = known(tx, &memory.id, &named.digests.whole)?;
                let (mut prompt, is_masked) = match known {
                    Some(known) if known.template_id != new.template_id => {
                        return Err(of_another(&known, may_read));
                    }
                    Some(known) => (known, false),
                    None => made(tx, &memory.id, &new, &named, policy.secrets, now)?,
                };
                // A version is the digest of a prompt: callers without read access receive only
                // their own.
                let previous = make_current(tx, &mut prompt, now)?.filter(|_| may_read);
                if !may_read {
                    // All other parts of a version equal those of the request, otherwise its name
                    // would differ.
                    prompt.model = new.model.clone().map(|name| secrets::redact(name, policy.secrets).0);
                }
                let masked = "SECRETS_MASKED: what looks like a secret in the text is stored masked";
                let warnings = is_masked.then(|| masked.to_owned()).into_iter().collect();
                Ok(PromptAdded { prompt, digests: named.digests.clone(), previous, warnings })
            })
            .await
    }

    /// Returns a version by its name.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn prompt_get(
        &self,
        caller: &Principal,
        standing: &CallContext,
        version: &str,
    ) -> Result<PromptVersion> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Read)?;
        let version = version.to_owned();
        self.engine.store().read(move |tx| get(tx, &memory, &version)).await
    }

    /// Returns a page of versions of a template, or of all: the current one of a template precedes
    /// the others.
    ///
    /// # Errors
    /// `Denied`.
    pub async fn prompt_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        template_id: Option<String>,
        after: Option<(Timestamp, String)>,
        limit: u32,
    ) -> Result<Page<PromptVersion, (Timestamp, String)>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Read)?;
        let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let after = after.as_ref().map(|(since, version)| (*since, version.as_str()));
                let found = tx.prompts().list(&memory, template_id.as_deref(), after, limit + 1)?;
                Ok(Page::cut(found, limit, |prompt| (prompt.current_since, prompt.version.clone())))
            })
            .await
    }

    /// Returns the differences between two versions.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn prompt_diff(
        &self,
        caller: &Principal,
        standing: &CallContext,
        (from, to): (&str, &str),
    ) -> Result<PromptDiff> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Read)?;
        let (from, to) = (from.to_owned(), to.to_owned());
        self.engine
            .store()
            .read(move |tx| Ok(comparison::compared(&get(tx, &memory, &from)?, &get(tx, &memory, &to)?)))
            .await
    }

    /// Makes a version its template's current one again. Returns the version and the previous one.
    ///
    /// # Errors
    /// `NotFound` if the template has no such version; `Invalid` for a template of an extraction
    /// prompt; `Denied`.
    pub async fn prompt_rollback(
        &self,
        caller: &Principal,
        standing: &CallContext,
        template_id: &str,
        to: &str,
    ) -> Result<(PromptVersion, Option<String>)> {
        check_template(template_id)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Write)?;
        let readable = access::require_whole(caller, &memory, Capability::Read);
        readable.map_err(|_| access::needs_reading("a rollback"))?;
        let (template_id, to, now) = (template_id.to_owned(), to.to_owned(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let mut prompt = get(tx, &memory, &to)?;
                if prompt.template_id != template_id {
                    return Err(unknown(&to));
                }
                let previous = make_current(tx, &mut prompt, now)?;
                Ok((prompt, previous))
            })
            .await
    }
}

fn unknown(version: &str) -> Error {
    Error::not_found(format!("there is no version {version} of a prompt here")).on("prompt_version")
}

fn of_another(known: &PromptVersion, may_read: bool) -> Error {
    let (version, template) = (&known.version, &known.template_id);
    let rule = match may_read {
        true => format!("this is version {version} of the template {template}"),
        false => format!("this is version {version} of another template: change a part of the prompt"),
    };
    Error::conflict(rule).on("template_id")
}

fn get(tx: &dyn ReadTx, memory: &MemoryId, version: &str) -> Result<PromptVersion> {
    existing(tx, memory)?;
    tx.prompts().get(memory, version)?.ok_or_else(|| unknown(version))
}

/// Returns the version with a digest, under either length of its name.
fn known(tx: &dyn ReadTx, memory: &MemoryId, sha256: &str) -> Result<Option<PromptVersion>> {
    for digits in [DIGITS, MORE_DIGITS] {
        let found = tx.prompts().get(memory, sha256.get(..digits).unwrap_or(sha256))?;
        if found.as_ref().is_some_and(|found| found.sha256 == sha256) {
            return Ok(found);
        }
    }
    Ok(None)
}

fn made(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    new: &NewPrompt,
    named: &CanonicalParts,
    mode: RedactionMode,
    now: Timestamp,
) -> Result<(PromptVersion, bool)> {
    let sha256 = named.digests.whole.clone();
    let short = sha256.get(..DIGITS).unwrap_or(&sha256).to_owned();
    let is_taken = tx.prompts().get(memory, &short)?.is_some();
    let version = if is_taken { sha256.get(..MORE_DIGITS).unwrap_or(&sha256).to_owned() } else { short };
    let text = secrets::redact(new.parts.text.clone(), mode).0;
    let overrides = json_secrets::redact_document(&named.overrides, mode)?;
    let clean = |name: &String| secrets::redact(name.clone(), mode).0;
    let tools: Vec<String> = named.tools.iter().map(clean).collect();
    let extraction_prompts: Vec<String> = named.extraction_prompts.iter().map(clean).collect();
    let model = new.model.as_ref().map(clean);
    let is_masked = text != new.parts.text
        || overrides.as_str() != named.overrides.as_str()
        || (&tools, &extraction_prompts, &model) != (&named.tools, &named.extraction_prompts, &new.model);
    let prompt = PromptVersion {
        memory: memory.clone(),
        version,
        sha256,
        template_id: new.template_id.clone(),
        template_sha256: named.digests.template.clone(),
        text,
        overrides,
        tools,
        extraction_prompts,
        model,
        current_since: Timestamp::EPOCH,
        created_at: now,
    };
    Ok((prompt, is_masked))
}

/// Makes a version its template's current one. Returns the previous current version.
pub(super) fn make_current(
    tx: &mut dyn Tx,
    prompt: &mut PromptVersion,
    now: Timestamp,
) -> Result<Option<String>> {
    let latest = tx.prompts().list(&prompt.memory, Some(&prompt.template_id), None, 2)?;
    let (first, second) = (latest.first(), latest.get(1));
    // A candidate was never current, so being the only version does not make it current.
    let is_it =
        |first: &&PromptVersion| first.version == prompt.version && first.current_since > Timestamp::EPOCH;
    if let Some(first) = first.filter(is_it) {
        *prompt = first.clone();
        return Ok(second.map(|second| second.version.clone()));
    }
    // Later than the previous one, regardless of the clock.
    let since = first.map_or(now, |first| now.max(first.current_since.plus_millis(1)));
    prompt.current_since = since;
    tx.prompts_mut().put(prompt)?;
    Ok(first.map(|first| first.version.clone()))
}

/// Rejects templates of extraction prompts, which have verbs of their own.
fn check_template(template_id: &str) -> Result<()> {
    let Some(name) = template_id.strip_prefix(EXTRACTION) else { return Ok(()) };
    let rule = format!(
        "template_id must not begin with {EXTRACTION}: change an extraction prompt by PUT /v1/extraction-prompts/{name}"
    );
    Err(Error::invalid("template_id", rule))
}

fn check(new: &NewPrompt) -> Result<()> {
    field_checks::name("template_id", Some(&new.template_id))?;
    check_template(&new.template_id)?;
    field_checks::name("model", new.model.as_ref())?;
    let max = limits::PROMPT_BYTES_MAX;
    if new.parts.text.len() > max {
        return Err(Error::invalid("text", format!("text must be at most {max} bytes: shorten it")));
    }
    for (field, names) in [("tools", &new.parts.tools), ("extraction_prompts", &new.parts.extraction_prompts)]
    {
        if names.len() > limits::PROMPT_NAMES_MAX {
            let max = limits::PROMPT_NAMES_MAX;
            return Err(Error::invalid(field, format!("{field} must be at most {max}")));
        }
        names.iter().try_for_each(|name| field_checks::name(field, Some(name)))?;
    }
    Ok(())
}
