//! The verb `reviews_take`: takes in a review that a client submits, in a form that fits any forge.
//! It serves forges that this server does not call.

use std::collections::BTreeMap;

use loci_api::coding::review::ReviewsPulled;
use loci_engine::calls::call_context::CallContext;
use loci_engine::safety::{RedactionMode, check_name};
use loci_model::principal::Principal;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::PullRequest;
use loci_model::tasks::review::ForgeUser;
use loci_model::{Error, Result};

use super::dispatch::{ForwardedReviews, overtaken};
use super::review_assembly::KnownReviews;
use crate::Coding;

/// A review, with data of its pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReview {
    /// The number of the pull request.
    pub pr: u64,
    /// The author of the pull request, if known.
    pub pr_author: Option<ForgeUser>,
    /// True if the pull request is a draft.
    pub is_draft: bool,
    /// The branch of the pull request.
    pub head_ref: Option<String>,
    /// The review, including the authority of its author.
    pub review: ForgeReview,
    /// All its comments. Missing ones count as deleted.
    pub comments: Vec<ForgeComment>,
}

impl Coding {
    /// Takes in a review. A repetition changes nothing; another review with its number replaces it.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `REPO_UNKNOWN`; `Invalid` (numbers, logins
    /// that hold secrets).
    pub async fn reviews_take(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        new: NewReview,
    ) -> Result<ReviewsPulled> {
        if new.pr == 0 || new.review.id == 0 {
            return Err(Error::invalid("pr", "pr and review_id must be numbers above 0"));
        }
        check_logins(&new)?;
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        let id = new.review.id;
        let known = KnownReviews {
            pr: pull_request(&new),
            reviews: BTreeMap::from([(id, new.review)]),
            comments: new.comments.into_iter().map(|told| (told.comment.id, told)).collect(),
            threads: BTreeMap::new(),
            asked_at: self.engine.now(),
        };
        let stored = self.stored_reviews(&repository, known.pr.number).await?;
        let review = self.assembled_as_told(&repository, &known, id).await?;
        let taken = self.handed_on(review.into_iter().collect(), ForwardedReviews::WhereNew, &stored).await?;
        taken.ok_or_else(overtaken)
    }
}

/// Checks that no login contains a secret: the stored login would be masked, and without a number
/// it would identify no one.
fn check_logins(new: &NewReview) -> Result<()> {
    let check = |field: &str, user: &ForgeUser| check_name(field, &user.login, RedactionMode::Mask);
    check("author.login", &new.review.reviewer)?;
    new.pr_author.iter().try_for_each(|author| check("pr_author.login", author))?;
    let mut comments = new.comments.iter().enumerate();
    comments.try_for_each(|(at, told)| check(&format!("comments[{at}].author.login"), &told.comment.author))
}

/// Returns the pull request of a submitted review.
fn pull_request(new: &NewReview) -> PullRequest {
    let at = new.review.submitted_at;
    PullRequest {
        number: new.pr,
        author: new.pr_author.clone().unwrap_or_default(),
        title: String::new(),
        body: String::new(),
        is_open: true,
        is_draft: new.is_draft,
        is_fork: false,
        merged_at: None,
        merged_by: None,
        merge_commit_sha: None,
        closed_at: None,
        head_sha: String::new(),
        head_ref: new.head_ref.clone().unwrap_or_default(),
        base_ref: String::new(),
        labels: Vec::new(),
        commits: Vec::new(),
        review_comment_count: 0,
        additions: 0,
        deletions: 0,
        changed_files: 0,
        url: None,
        created_at: at,
        updated_at: at,
    }
}
