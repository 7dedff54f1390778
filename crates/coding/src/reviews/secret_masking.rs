//! Masks secrets in texts of people and programs before they are stored, and in the names of people
//! and branches, in paths and addresses. Numbers and ids of commits stay: a forge assigns them, and
//! the number identifies a person. The commit of a review counts as a text, because a client may
//! submit a review.

use loci_engine::safety::{RedactionMode, redact};
use loci_model::tasks::forge_notifications::{ForgeNews, ForgeReview};
use loci_model::tasks::pull_request::{PullRequest, PullRequestCommit};
use loci_model::tasks::review::{ForgeUser, ReviewComment};

/// Returns a forge event without secrets.
pub(super) fn news(mut news: ForgeNews) -> ForgeNews {
    match &mut news {
        ForgeNews::Review { review: told, pr, .. } => {
            review(told);
            pull_request(pr);
        }
        ForgeNews::Comment { comment: said, pr, .. } => {
            comment(said);
            pull_request(pr);
        }
        ForgeNews::Thread { pr, .. } | ForgeNews::PullRequest { pr, .. } => pull_request(pr),
        ForgeNews::Push { push } => {
            text(&mut push.branch);
            commits(&mut push.commits);
        }
        ForgeNews::Checks { .. } | ForgeNews::Named { .. } => {}
    }
    news
}

/// Masks the secrets in a review.
pub(super) fn review(told: &mut ForgeReview) {
    text(&mut told.body);
    person(&mut told.reviewer);
    told.url.iter_mut().for_each(text);
    told.commit.iter_mut().for_each(text);
}

/// Masks the secrets in a comment.
pub(super) fn comment(comment: &mut ReviewComment) {
    text(&mut comment.body);
    person(&mut comment.author);
    let parts = [&mut comment.diff_hunk, &mut comment.path, &mut comment.url];
    parts.into_iter().flatten().for_each(text);
}

/// Masks the secrets in a pull request.
pub(super) fn pull_request(pr: &mut PullRequest) {
    text(&mut pr.title);
    text(&mut pr.body);
    text(&mut pr.head_ref);
    text(&mut pr.base_ref);
    person(&mut pr.author);
    pr.merged_by.iter_mut().for_each(person);
    pr.url.iter_mut().for_each(text);
    pr.labels.iter_mut().for_each(text);
    commits(&mut pr.commits);
}

/// Masks a secret in the name of an account.
pub(super) fn person(user: &mut ForgeUser) {
    text(&mut user.login);
}

fn commits(commits: &mut [PullRequestCommit]) {
    for commit in commits {
        text(&mut commit.message);
        commit.author.iter_mut().for_each(person);
    }
}

/// Masks the secrets in a text.
fn text(text: &mut String) {
    *text = redact(std::mem::take(text), RedactionMode::Mask).0;
}
