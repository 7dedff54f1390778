//! `code_read`: cited lines at a revision, with some lines around them.

use std::sync::Arc;

use loci_api::verified::fact::CodeLines;
use loci_engine::memories::existing;
use loci_model::facts::citation::LineRange;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Verification;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, Result};

use super::displayed_code::ShownCode;
use crate::Verified;
use crate::new_facts::refused_place;
use crate::repositories::code_access::{HEAD, Tip, check_ref, resolve, unreadable};
use crate::repositories::find;
use crate::verification::code_check::lines_found;
use crate::verification::verdicts::scope_of;
use crate::verifier::{AnchorError, Verifier, check_place};
use loci_engine::calls::call_context::CallContext;

/// The maximum number of lines around the cited ones.
const CONTEXT_LINES_MAX: u32 = 50;

impl Verified {
    /// Reads lines of a repository at a revision.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`, `REF_NOT_FOUND`, `PATH_REJECTED`, `BINARY_FILE`, `TOO_LARGE`, `SUBMODULE`,
    /// `UNVERIFIABLE`. A missing file or range is an answer, not an error.
    pub async fn code_read(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        place: LineRange,
        reference: Option<&str>,
        context_lines: u32,
    ) -> Result<CodeLines> {
        if context_lines > CONTEXT_LINES_MAX {
            let rule = format!("context_lines must be at most {CONTEXT_LINES_MAX}");
            return Err(Error::invalid("context_lines", rule));
        }
        check_place(&place).map_err(|error| refused_place(&place, error))?;
        reference.map_or(Ok(()), check_ref)?;
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, repo) = (caller.clone(), repo.to_owned());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                find(tx, &asking, &memory, &repo, Capability::Read)
            })
            .await?;
        let repository = found.repository;
        let reference = self.revision_of(&repository, standing, reference).await;
        let (key, name) = (repository.key.clone(), reference.unwrap_or_else(|| HEAD.to_owned()));
        let (asked, default) = (name.clone(), repository.default_ref.clone());
        let (verified, scope) = (self.clone(), scope_of(&repository));
        let work = move |source: &dyn CodeSource| {
            let tip = resolve(source, &name, default.as_deref())?;
            let verifier = verified.verifier(source, &tip, &scope);
            read(&verifier, &tip, &place, context_lines)
        };
        let lines = self.on_code(&repository, standing, Arc::new(work)).await;
        let lines = lines.map_err(|error| unreadable(&error))?;
        Ok(CodeLines { repo: key, reference: asked, ..lines })
    }

    /// Returns the text of the lines where citations were found. A text that can no longer be read
    /// is left out; the verdict stays.
    pub(crate) async fn found_lines(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
        verification: &Verification,
    ) -> Vec<Option<String>> {
        let count = verification.citations.len();
        if verification.citations.iter().all(|citation| citation.found.is_none()) {
            return vec![None; count];
        }
        let verification = verification.clone();
        let (name, default) = (reference.unwrap_or(HEAD).to_owned(), repository.default_ref.clone());
        let (verified, scope) = (self.clone(), scope_of(repository));
        let work = move |source: &dyn CodeSource| {
            let tip = resolve(source, &name, default.as_deref())?;
            let verifier = verified.verifier(source, &tip, &scope);
            Ok(lines_found(&verifier, &verification))
        };
        self.on_code(repository, standing, Arc::new(work)).await.unwrap_or_else(|_| vec![None; count])
    }
}

fn read(verifier: &Verifier<'_>, tip: &Tip, place: &LineRange, context: u32) -> CodeResult<CodeLines> {
    let nothing = |error: &str| CodeLines {
        place: place.clone(),
        commit: tip.commit(),
        error: Some(error.to_owned()),
        ..CodeLines::default()
    };
    let lines = match verifier.read_lines(place, context) {
        Ok(lines) => lines,
        Err(AnchorError::Unreadable(error)) => return Err(error),
        Err(AnchorError::Missing) => return Ok(nothing("file_missing")),
        // The places were checked before the code was read.
        Err(_) => return Ok(nothing("not_readable")),
    };
    let shown = ShownCode::of(&lines.content);
    Ok(CodeLines {
        place: lines.place,
        content: shown.text,
        sha: lines.blob.to_string(),
        commit: tip.commit(),
        exists: lines.exists,
        total_lines: lines.lines_total,
        truncated: lines.truncated,
        hidden_characters: shown.hidden,
        masked: shown.masked,
        error: (!lines.exists).then(|| "range_out_of_bounds".to_owned()),
        // The caller sets the repository and the revision.
        ..CodeLines::default()
    })
}
