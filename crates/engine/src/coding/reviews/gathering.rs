//! What is known of a pull request's reviews: by its forge, where this server may ask it, else by what came so far. A forge that cannot
//! be reached now is asked later; what it has said before is no stand-in.

use loci_model::forge_news::{ForgeNews, ReviewChange, ToldComment};
use loci_model::ports::code::{CodeError, CodePlace};
use loci_model::ports::forge::{Forge, ForgePlace};
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt};
use loci_model::pull_request::PullRequest;
use loci_model::repository::Repository;
use loci_model::review::{Authority, Review, ReviewComment, ReviewState};
use loci_model::verdict::Unverifiable;
use loci_model::{Error, ErrorKind, MemoryId, Result, limits};

use super::assembling::{self, Known};
use super::intake::intake_of;
use super::owners::Owners;
use super::{authority, left_out, masking};
use crate::Engine;
use crate::coding::outcomes::mapping;
use crate::coding::place;
use crate::verified::RepositoryName;

/// A forge's failure, in the words of everybody else.
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

/// Reviews of a pull request that are stored.
pub(super) fn stored_of(tx: &dyn ReadTx, repository: &Repository, pr: u64) -> Result<Vec<Review>> {
    let page = LedgerPage {
        memory: repository.memory.clone(),
        shelf: loci_model::ledger::Shelf::Review,
        actor: None,
        subject: Some(Review::subject_of(&repository.id, pr)),
        after: None,
        limit: limits::REVIEWS_OF_PULL_REQUEST_MAX,
    };
    tx.ledger().nouns::<Review>(&page)
}

impl Engine {
    /// The forge of a repository, where this server may ask it.
    pub(super) fn forge_of(&self, repository: &Repository) -> Option<(&dyn Forge, ForgePlace)> {
        let forge = self.forge.as_deref()?;
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

    /// Reviews that are stored of a pull request.
    pub(super) async fn stored_reviews(&self, repository: &Repository, pr: u64) -> Result<Vec<Review>> {
        let repository = repository.clone();
        self.store.read(move |tx| stored_of(tx, &repository, pr)).await
    }

    /// What is known of the reviews that news of one review touches, and which they are.
    pub(super) async fn known_by_news(
        &self,
        repository: &Repository,
        (pr, id): (PullRequest, u64),
        news: &[ForgeNews],
        stored: &[Review],
    ) -> Result<(Known, Vec<u64>)> {
        let mut known = Known::stored(pr, stored);
        match self.forge_of(repository) {
            None => news.iter().for_each(|news| known.take(news)),
            Some((forge, place)) => {
                let number = known.pr.number;
                let comments = forge.comments(&place, number).await.map_err(failed)?;
                known.comments = comments.into_iter().map(|told| (told.comment.id, told)).collect();
                match forge.review(&place, number, id).await.map_err(failed)? {
                    Some(told) => known.reviews.insert(id, told),
                    // It was taken away; what it had said counts no more.
                    None => known.reviews.remove(&id).map(|mut gone| {
                        gone.state = ReviewState::Dismissed;
                        known.reviews.insert(id, gone.clone());
                        gone
                    }),
                };
                news.iter().for_each(|news| known.take_thread(news));
                known.threads.extend(threads(forge, &place, number).await?);
            }
        }
        let gone: Vec<&ReviewComment> = news.iter().filter_map(gone).collect();
        let touched = known.touched(id, &gone);
        Ok((known, touched.into_iter().collect()))
    }

    /// A review out of what is known, with who may do what, the task, and why nothing is learned from it; `None` where it is not known.
    pub(super) async fn assembled(
        &self,
        repository: &Repository,
        known: &Known,
        id: u64,
        is_past: bool,
    ) -> Result<Option<Review>> {
        let Some(told) = known.reviews.get(&id) else { return Ok(None) };
        let roles = self.roles(repository, told, &known.comments_of(id)).await?;
        self.assembled_with(repository, known, (id, is_past), &roles).await
    }

    /// The same, where who may do what is as it was told.
    pub(super) async fn assembled_as_told(
        &self,
        repository: &Repository,
        known: &Known,
        id: u64,
    ) -> Result<Option<Review>> {
        self.assembled_with(repository, known, (id, false), &authority::Roles::new()).await
    }

    async fn assembled_with(
        &self,
        repository: &Repository,
        known: &Known,
        (id, is_past): (u64, bool),
        roles: &authority::Roles,
    ) -> Result<Option<Review>> {
        let Some(told) = known.reviews.get(&id).cloned() else { return Ok(None) };
        let mut comments = known.comments_of(id);
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
        let actor = place::actor_of(repository)?;
        let tasks = self.store.read(move |tx| mapping::tasks_of(tx, &place, &actor, &pr)).await?;
        let task = tasks.into_iter().next().map(|task| task.id);
        let left_out = left_out::why(&intake_of(repository), &told.reviewer, &known.pr, task.is_some());
        let mut body = told.body.clone();
        masking::text(&mut body);
        Ok(Some(Review {
            memory: repository.memory.clone(),
            actor: place::actor_of(repository)?,
            repository: repository.id.clone(),
            pr: known.pr.number,
            id,
            authority,
            updated_at: assembling::updated_at(&told, &comments),
            reviewer: told.reviewer,
            pr_author: known.pr.author.clone(),
            state: told.state,
            body,
            comments,
            commit: told.commit,
            url: told.url,
            task,
            left_out: left_out.map(str::to_owned),
            is_past,
            submitted_at: told.submitted_at,
            read_at: self.clock.now(),
        }))
    }

    /// The pull request and all of its reviews, from the forge.
    ///
    /// # Errors
    /// `Invalid` where this server may not ask the forge; `NotFound`; what the forge says.
    pub(super) async fn fetched(&self, repository: &Repository, pr: u64, stored: &[Review]) -> Result<Known> {
        let (forge, place) = self.forge_of(repository).ok_or_else(|| not_readable(repository))?;
        let missing = || Error::not_found(format!("{} has no pull request {pr}", repository.key)).on("pr");
        let told = forge.pull_request(&place, pr).await.map_err(failed)?.ok_or_else(missing)?;
        let reviews = forge.reviews(&place, pr).await.map_err(failed)?;
        let comments = forge.comments(&place, pr).await.map_err(failed)?;
        let mut known = Known::stored(told, stored);
        known.threads.extend(threads(forge, &place, pr).await?);
        for gone in known.reviews.values_mut() {
            gone.state = ReviewState::Dismissed;
        }
        known.reviews.extend(reviews.into_iter().map(|told| (told.id, told)));
        known.comments = comments.into_iter().map(|told: ToldComment| (told.comment.id, told)).collect();
        Ok(known)
    }

    /// The memory that hooks write to; `None` where there is none yet.
    pub(super) async fn memory_of_hooks(&self) -> Result<Option<MemoryId>> {
        let name = self.settings.verified.memory.clone();
        self.store.read(move |tx| Ok(tx.memories().by_name(&name)?.map(|memory| memory.id))).await
    }
}

/// Threads that are resolved, or not; none where the forge does not tell this: reviews are read without.
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
