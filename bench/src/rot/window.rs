//! One window: blocks at the first revision, their labels, a second opinion, and the verifier's
//! verdicts at the second revision.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use super::git::{Repository, Tree};
use super::item::Label;
use super::manifest::Entry;
use super::outcome::Stop;
use super::score::{self, Counts, Wrong};
use super::tracer::{self, Window};
use super::variants::{self, Variant};
use super::{audit, manifest, sample, verifier_under_test};
use crate::figures::Quantiles;

/// The number of items per permitted failure of the self-check.
const ITEMS_PER_FAILURE: usize = 2000;

/// Optional work in addition to the verifier.
#[derive(Debug, Clone, Default)]
pub(super) struct ExtraChecks {
    pub(super) variants: bool,
    /// The number of items for human readers, and their file.
    pub(super) audit: Option<(usize, PathBuf)>,
}

/// The results of a window.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) repository: String,
    pub(super) name: String,
    /// The full id of the first revision.
    pub(super) from: String,
    pub(super) to: String,
    pub(super) from_day: String,
    pub(super) to_day: String,
    pub(super) rng: u64,
    /// Commits along the first parents.
    pub(super) steps: usize,
    pub(super) labels: String,
    pub(super) counts: Counts,
    pub(super) per_citation: Quantiles,
    pub(super) tracing_seconds: f64,
    pub(super) variants: Vec<Variant>,
    pub(super) wrong: Vec<Wrong>,
    /// Paths that were ignored, because the clone lacks their blobs.
    pub(super) left_out: Vec<String>,
    /// The window with full ids and the hash of its labels.
    #[serde(skip)]
    pub(super) frozen: Entry,
}

/// Runs a window.
///
/// # Errors
/// [`Stop::Unusable`] if the history, or the tracer on it, is unreliable.
pub(super) async fn run(entry: &Entry, beside: &ExtraChecks) -> Result<Report> {
    let mut repository = Repository::open(&entry.repo)?;
    let (window, steps) = opened(&repository, entry)?;
    let began = std::time::Instant::now();
    let items = sample::draw(&mut repository, &window.tree_from, entry.n, entry.rng)?;
    let labels = tracer::labels(&mut repository, &window, &items)
        .map_err(|error| Stop::Unusable(format!("the tracer broke off: {error:#}")))?;
    check(&labels)?;
    let tracing_seconds = began.elapsed().as_secs_f64();
    let hash = manifest::hash(&items, &labels);
    if entry.labels.as_ref().is_some_and(|frozen| *frozen != hash) {
        let why = format!("labels hash to {hash}, not to what the manifest says: it is another sample");
        return Err(Stop::Unusable(why).into());
    }
    let opinions = tracer::second_opinion(&repository, &window, &items, &labels, entry.rng)?;
    let variants = match beside.variants {
        true => variants::variants(&mut repository, &window, &items, &labels)?,
        false => Vec::new(),
    };
    if let Some((wanted, file)) = &beside.audit {
        let written = audit::write(file, *wanted, &mut repository, &window, &items, &labels)?;
        println!("{written} items for readers in {}", file.display());
    }
    let found = verifier_under_test::verdicts(&entry.repo, &window, &items).await?;
    let (counts, wrong) = score::count(&items, &labels, &found, &opinions);
    let (from_day, to_day) = (repository.day(&window.from)?, repository.day(&window.to)?);
    let frozen = Entry {
        from: window.from.clone(),
        to: window.to.clone(),
        labels: Some(hash.clone()),
        ..entry.clone()
    };
    Ok(Report {
        repository: repository_name(&entry.repo),
        name: entry.name.clone().unwrap_or_else(|| format!("{from_day}..{to_day}")),
        from: window.from,
        to: window.to,
        from_day,
        to_day,
        rng: entry.rng,
        steps,
        labels: hash,
        counts,
        per_citation: score::times(&found),
        tracing_seconds,
        variants,
        wrong,
        left_out: window.left_out.into_iter().collect(),
        frozen,
    })
}

/// Returns the revisions and their trees, with the number of commits between them.
fn opened(repository: &Repository, entry: &Entry) -> Result<(Window, usize)> {
    let shown = entry.repo.display();
    if repository.is_shallow().map_err(|error| Stop::Usage(format!("{shown} is no repository: {error:#}")))? {
        let why = format!(
            "{shown} is a shallow clone: its history is cut off. Fetch all of it (git fetch --unshallow)"
        );
        return Err(Stop::Unusable(why).into());
    }
    let commit = |name: &str| repository.commit(name).map_err(|error| Stop::Usage(format!("{error:#}")));
    let (from, to) = (commit(&entry.from)?, commit(&entry.to)?);
    let Some(steps) = repository.first_parents(&from, &to)? else {
        let why = format!(
            "{} is not on the first-parent history of {}: choose one of `git rev-list --first-parent {}`",
            entry.from, entry.to, entry.to
        );
        return Err(Stop::Unusable(why).into());
    };
    if steps == 0 {
        return Err(Stop::Usage("both revisions are the same".to_owned()).into());
    }
    let left_out =
        tracer::holes(repository, &from, &to).map_err(|error| Stop::Unusable(format!("{error:#}")))?;
    let tree = |commit: &str| -> Result<Tree> {
        let mut tree = repository.tree(commit)?;
        tree.retain(|path, _| !left_out.contains(path));
        Ok(tree)
    };
    let (tree_from, tree_to) = (tree(&from)?, tree(&to)?);
    Ok((Window { from, to, tree_from, tree_to, left_out }, steps))
}

/// Runs the tracer's self-check: blocks that it followed byte for byte exist at their reported
/// place.
fn check(labels: &[Label]) -> Result<()> {
    let failed = labels.iter().filter(|label| label.class == super::item::Class::Trackerr).count();
    if failed > labels.len().div_ceil(ITEMS_PER_FAILURE) {
        let why = format!("the tracer lost {failed} of {} items: its labels cannot be trusted", labels.len());
        return Err(Stop::Unusable(why).into());
    }
    Ok(())
}

/// Returns a clone's name: the last part of its path other than `repo` or `.git`.
fn repository_name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut parts = whole.components().rev().filter_map(|part| part.as_os_str().to_str());
    parts.find(|part| !matches!(*part, "repo" | ".git")).unwrap_or_default().to_owned()
}
