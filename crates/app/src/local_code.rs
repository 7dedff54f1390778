//! The git repository around a directory of this machine. Commands read it in this process to
//! check facts of a remote store against it. The results are the same as those of a server that
//! reads the same objects. The module opens no store and writes nothing.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use loci_api::verified::evidence::{EvidenceRepository, FactEvidence};
use loci_api::verified::verdict::FactVerdict;
use loci_git::{GitOptions, GitSources};
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodePlace, CodeResult, CodeSource, CodeSources, DiscoveredRepository};
use loci_verified::verifier::LineCache;
use loci_verified::{CodeCheck, FactCheck, Subject, Tip, look_at, name_of, read_place};

use crate::adapters::SystemClock;
use crate::config::Config;

/// The revision name for the files in the working tree.
pub(crate) const WORKTREE: &str = "WORKTREE";
/// The revision name for the checked-out commit.
pub(crate) const HEAD: &str = "HEAD";

/// A repository on this machine: a clone, a bare repository or a worktree.
pub(crate) struct LocalCode {
    sources: GitSources,
    place: CodePlace,
    found: DiscoveredRepository,
    lines: Arc<LineCache>,
    clock: Arc<dyn Clock>,
}

impl LocalCode {
    /// Returns the repository that contains the directory. `None` if there is none.
    pub(crate) async fn around(config: &Config, directory: &Path) -> Result<Option<Self>> {
        let options =
            GitOptions { threads: config.verified.threads.max(1), roots: config.verified.roots.clone() };
        let sources = GitSources::start(options)?;
        let found = sources.discover(directory).await;
        let found = found.with_context(|| format!("reading the repository at {}", directory.display()))?;
        Ok(found.map(|found| Self {
            place: CodePlace::Local(found.worktree.clone().unwrap_or_else(|| found.common_dir.clone())),
            sources,
            found,
            lines: Arc::new(LineCache::new(LineCache::BYTES_DEFAULT)),
            clock: Arc::new(SystemClock::new()),
        }))
    }

    /// Returns the properties that were found for the repository.
    pub(crate) fn found(&self) -> &DiscoveredRepository {
        &self.found
    }

    /// Returns the default revision: the files of the working tree, or `HEAD` for a bare
    /// repository.
    pub(crate) fn default_reference(&self) -> &'static str {
        if self.found.worktree.is_some() { WORKTREE } else { HEAD }
    }

    /// Returns the name under which a store knows the repository, unless the store has assigned
    /// another one.
    pub(crate) fn name(&self) -> String {
        name_of(&self.found)
    }

    /// Resolves a revision of the repository to a commit or to the files in the working tree.
    pub(crate) async fn tip(&self, reference: &str, repository: &EvidenceRepository) -> CodeResult<Tip> {
        Ok(self.look(reference, repository, Vec::new(), false).await?.0)
    }

    /// Verifies facts at a revision, and returns the lines that their citations found if requested.
    pub(crate) async fn look(
        &self,
        reference: &str,
        repository: &EvidenceRepository,
        subjects: Vec<Subject>,
        with_lines: bool,
    ) -> CodeResult<(Tip, Vec<FactCheck>)> {
        let (reference, repository) = (reference.to_owned(), repository.clone());
        let (lines, clock) = (Arc::clone(&self.lines), Arc::clone(&self.clock));
        self.read(move |source| {
            let look = CodeCheck {
                reference: &reference,
                default_ref: repository.default_ref.as_deref(),
                verified_tip: None,
                quorum: repository.quorum,
                scope: &repository.repo,
                lines: &lines,
                clock: clock.as_ref(),
                with_lines,
            };
            look_at(source, &look, &subjects)
        })
        .await
    }

    /// Runs a function that reads the repository, in a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&dyn CodeSource) -> CodeResult<T> + Send + Sync + 'static,
    ) -> CodeResult<T> {
        read_place(&self.sources, &self.place, Arc::new(work)).await
    }
}

/// Returns the parts of a fact that a check can verify, parsed from its documents.
pub(crate) fn subject(fact: &FactEvidence) -> Result<Subject> {
    let unreadable =
        || format!("the evidence of {} cannot be read: is the server another version?", fact.memory_id);
    // A claim is an enum with a tag, which serde also reads from an array.
    ensure!(fact.claims.iter().all(serde_json::Value::is_object), "{}", unreadable());
    let citations = fact.citations.iter().map(loci_json::from_value);
    let claims = fact.claims.iter().map(loci_json::from_value);
    Ok(Subject {
        citations: citations.collect::<Result<_, loci_json::Unreadable>>().with_context(unreadable)?,
        claims: claims.collect::<Result<_, loci_json::Unreadable>>().with_context(unreadable)?,
        statement: fact.fact.clone(),
    })
}

/// Returns the verdict on a fact in the format of the API. It contains differences only if it
/// contains lines, because differences are shown only with lines.
pub(crate) fn verdict(fact: &FactEvidence, mut seen: FactCheck) -> Result<FactVerdict> {
    if seen.lines.is_empty() {
        seen.verification.citations.iter_mut().for_each(|citation| citation.diff = None);
    }
    Ok(FactVerdict {
        memory_id: fact.memory_id.clone(),
        digest: fact.digest.clone(),
        verification: serde_json::to_value(&seen.verification).context("a verdict cannot be written")?,
        duration_ms: seen.duration_ms,
        contents: seen.lines,
    })
}
