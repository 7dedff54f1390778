//! Gathers the data of a pull request's reviews: from its forge, if this server may call it, else
//! from the events received so far. If a forge is unreachable, the request is repeated later; its
//! earlier data is no substitute.

use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::code::{CodeError, CodePlace};
use loci_model::ports::forge::{Forge, ForgePlace};
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt};
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeNews, ForgeReview, ReviewChange};
use loci_model::tasks::review::{Authority, Review, ReviewComment, ReviewState};
use loci_model::{Error, ErrorKind, MemoryId, Result, limits};
use loci_verified::RepositoryName;

use super::intake::intake_of;
use super::owners::Owners;
use super::review_assembly::{self, KnownReviews};
use super::{authority, secret_masking, skip_reasons};
use crate::Coding;
use crate::outcomes::task_match;
use crate::tasks::task_namespaces;

/// Converts a forge's failure to an error.
pub(super) fn failed(error: CodeError) -> Error {
    let CodeError { why, retry_after_ms, detail } = error;
    let kind = match why {
        Unverifiable::Rate => ErrorKind::Throttled,
        Unverifiable::Auth | Unverifiable::AuthOrMissing => ErrorKind::Denied,
        Unverifiable::TooLarge => ErrorKind::TooLarge,
        _ => ErrorKind::Upstream,
    };
    Error::new(kind, detail).retry_after(retry_after_ms)
}

/// Returns the stored reviews of a pull request.
pub(super) fn stored_of(tx: &dyn ReadTx, repository: &Repository, pr: u64) -> Result<Vec<Review>> {
    let page = LedgerPage {
        memory: repository.memory.clone(),
        shelf: Review::SHELF,
        actor: None,
        subject: Some(Review::subject_of(&repository.id, pr)),
        after: None,
        limit: limits::REVIEWS_OF_PULL_REQUEST_MAX,
    };
    tx.ledger().nouns::<Review>(&page)
}

impl Coding {
    /// Returns the forge of a repository, if this server may call it.
    pub(super) fn forge_of(&self, repository: &Repository) -> Option<(&dyn Forge, ForgePlace)> {
        let forge = self.engine.forge().map(AsRef::as_ref)?;
        let at_forge = repository.places.iter().find_map(|place| match place {
            CodePlace::Forge { host, path } => Some(ForgePlace { host: host.clone(), path: path.clone() }),
            CodePlace::Local(_) => None,
        });
        let named = || {
            repository.aliases.iter().find_map(|alias| {
                let name = RepositoryName::parse(alias).ok()?;
                Some(ForgePlace { host: name.host.clone()?, path: name.segments.join("/") })
            })
        };
        let place = at_forge.or_else(named)?;
        forge.reads(&place.host).then_some((forge, place))
    }

    /// Returns the stored reviews of a pull request.
    pub(super) async fn stored_reviews(&self, repository: &Repository, pr: u64) -> Result<Vec<Review>> {
        let repository = repository.clone();
        self.engine.store().read(move |tx| stored_of(tx, &repository, pr)).await
    }

    /// Returns the data of the reviews that events of one review affect, and their numbers. Each is
    /// read from the forge, if it may be called.
    pub(super) async fn known_by_news(
        &self,
        repository: &Repository,
        mut known: KnownReviews,
        id: u64,
        news: &[ForgeNews],
    ) -> Result<(KnownReviews, Vec<u64>)> {
        let gone: Vec<&ReviewComment> = news.iter().filter_map(gone).collect();
        let Some((forge, place)) = self.forge_of(repository) else {
            news.iter().for_each(|news| known.take(news));
            let touched = known.touched(id, &gone);
            return Ok((known, touched.into_iter().collect()));
        };
        let number = known.pr.number;
        let comments = forge.comments(&place, number).await.map_err(failed)?;
        known.comments = comments.into_iter().map(|told| (told.comment.id, told)).collect();
        read_into(&mut known, forge, &place, id).await?;
        news.iter().for_each(|news| known.take_thread(news));
        known.threads.extend(threads(forge, &place, number).await?);
        let touched: Vec<u64> = known.touched(id, &gone).into_iter().collect();
        for other in touched.iter().filter(|other| **other != id) {
            read_into(&mut known, forge, &place, *other).await?;
        }
        Ok((known, touched))
    }

    /// Assembles a review from the known data, with roles, the task, and the reason to ignore it;
    /// `None` for an unknown review.
    pub(super) async fn assembled(
        &self,
        repository: &Repository,
        known: &KnownReviews,
        id: u64,
        is_past: bool,
    ) -> Result<Option<Review>> {
        let Some(of) = counted(repository, known, id) else { return Ok(None) };
        let roles = self.roles(repository, &of.0, &of.1).await?;
        self.assembled_with(repository, known, of, (is_past, &roles)).await.map(Some)
    }

    /// Assembles a review like `assembled`, with the roles of the payload.
    pub(super) async fn assembled_as_told(
        &self,
        repository: &Repository,
        known: &KnownReviews,
        id: u64,
    ) -> Result<Option<Review>> {
        let Some(of) = counted(repository, known, id) else { return Ok(None) };
        self.assembled_with(repository, known, of, (false, &authority::Roles::new())).await.map(Some)
    }

    async fn assembled_with(
        &self,
        repository: &Repository,
        known: &KnownReviews,
        (mut told, mut comments): (ForgeReview, Vec<ReviewComment>),
        (is_past, roles): (bool, &authority::Roles),
    ) -> Result<Review> {
        // Comments are masked already, and their authors are compared with that of the review.
        secret_masking::review(&mut told);
        let mut authority = authority::of(&repository.settings.reviews, roles, &told.reviewer, told.guess);
        authority.is_code_owner = false;
        let has_paths = comments.iter().any(|comment| comment.path.is_some());
        let owners = if has_paths { self.owners(repository).await } else { Owners::default() };
        for comment in &mut comments {
            let guess = comment.authority.unwrap_or_default();
            let weighed = authority::of(&repository.settings.reviews, roles, &comment.author, guess);
            let owns = comment.path.as_deref().is_some_and(|path| owners.own(&comment.author.login, path));
            authority.is_code_owner |= owns && comment.author == told.reviewer;
            comment.authority = Some(Authority { is_code_owner: owns, ..weighed });
        }
        let (place, pr) = (repository.clone(), known.pr.clone());
        let actor = task_namespaces::actor_of(repository)?;
        let tasks = self.engine.store().read(move |tx| task_match::tasks_of(tx, &place, &actor, &pr)).await?;
        let task = tasks.into_iter().next().map(|task| task.id);
        let intake = intake_of(repository);
        let left_out = skip_reasons::why(&intake, &told.reviewer, &known.pr, task.is_some());
        let mut pr_author = skip_reasons::counted(&intake, &known.pr.author);
        secret_masking::person(&mut pr_author);
        Ok(Review {
            memory: repository.memory.clone(),
            actor: task_namespaces::actor_of(repository)?,
            repository: repository.id.clone(),
            pr: known.pr.number,
            id: told.id,
            authority,
            updated_at: review_assembly::updated_at(&told, &comments),
            reviewer: told.reviewer,
            pr_author,
            state: told.state,
            body: told.body,
            comments,
            commit: told.commit,
            url: told.url,
            task,
            left_out: left_out.map(str::to_owned),
            is_past,
            submitted_at: told.submitted_at,
            read_at: known.asked_at,
        })
    }

    /// Reads the pull request and all its reviews from the forge.
    ///
    /// # Errors
    /// `Invalid` if this server may not call the forge; `NotFound`; errors of the forge.
    pub(super) async fn fetched(
        &self,
        repository: &Repository,
        pr: u64,
        stored: &[Review],
    ) -> Result<KnownReviews> {
        let (forge, place) = self.forge_of(repository).ok_or_else(|| not_readable(repository))?;
        let missing = || Error::not_found(format!("{} has no pull request {pr}", repository.key)).on("pr");
        let asked_at = self.engine.now();
        let told = forge.pull_request(&place, pr).await.map_err(failed)?.ok_or_else(missing)?;
        let reviews = forge.reviews(&place, pr).await.map_err(failed)?;
        let comments = forge.comments(&place, pr).await.map_err(failed)?;
        let mut known = KnownReviews::stored(told, stored, asked_at);
        known.threads.extend(threads(forge, &place, pr).await?);
        for gone in known.reviews.values_mut() {
            gone.state = ReviewState::Dismissed;
        }
        known.reviews.extend(reviews.into_iter().map(|told| (told.id, told)));
        known.comments = comments.into_iter().map(|told: ForgeComment| (told.comment.id, told)).collect();
        Ok(known)
    }

    /// Returns the memory that hooks write to; `None` if it does not exist yet.
    pub(super) async fn memory_of_hooks(&self) -> Result<Option<MemoryId>> {
        let name = self.verified.settings().memory.clone();
        self.engine.store().read(move |tx| Ok(tx.memories().by_name(&name)?.map(|memory| memory.id))).await
    }
}

/// Reads a review from its forge. A deleted review counts as dismissed.
async fn read_into(known: &mut KnownReviews, forge: &dyn Forge, place: &ForgePlace, id: u64) -> Result<()> {
    match forge.review(place, known.pr.number, id).await.map_err(failed)? {
        Some(told) => drop(known.reviews.insert(id, told)),
        None => {
            if let Some(gone) = known.reviews.get_mut(&id) {
                gone.state = ReviewState::Dismissed;
            }
        }
    }
    Ok(())
}

/// Returns a review and its comments, with their authors as they count in the repository; `None`
/// for an unknown review.
fn counted(
    repository: &Repository,
    known: &KnownReviews,
    id: u64,
) -> Option<(ForgeReview, Vec<ReviewComment>)> {
    let intake = intake_of(repository);
    let mut told = known.reviews.get(&id)?.clone();
    told.reviewer = skip_reasons::counted(&intake, &told.reviewer);
    let mut comments = known.comments_of(id);
    for comment in &mut comments {
        comment.author = skip_reasons::counted(&intake, &comment.author);
    }
    Some((told, comments))
}

/// Returns the threads with their state; empty if the forge does not report it, because reviews can
/// be read without.
async fn threads(forge: &dyn Forge, place: &ForgePlace, pr: u64) -> Result<Vec<(u64, bool)>> {
    match forge.threads(place, pr).await {
        Ok(threads) => Ok(threads),
        Err(error) if error.why == Unverifiable::Rate => Err(failed(error)),
        Err(error) => {
            let (why, host) = (error.why.as_str(), &place.host);
            tracing::debug!(host, pr, why, "whether threads are resolved is not known");
            Ok(Vec::new())
        }
    }
}

pub(super) fn not_readable(repository: &Repository) -> Error {
    let rule = format!(
        "this server may not ask the forge of {}: the configuration needs a [[forge]] with its host, and the repository a name there",
        repository.key
    );
    Error::invalid("repo", rule)
}

fn gone(news: &ForgeNews) -> Option<&ReviewComment> {
    match news {
        ForgeNews::Comment { change: ReviewChange::Withdrawn, comment, .. } => Some(comment),
        _ => None,
    }
}
