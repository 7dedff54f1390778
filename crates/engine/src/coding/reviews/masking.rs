//! Secrets leave what people and programs wrote before it is stored; ids, names and addresses stay as they are.

use loci_model::forge_news::ForgeNews;
use loci_model::pull_request::{PullRequest, PullRequestCommit};
use loci_model::review::ReviewComment;

use crate::safety::{RedactionMode, redact};

/// News without secrets.
pub(super) fn news(mut news: ForgeNews) -> ForgeNews {
    match &mut news {
        ForgeNews::Review { review, pr, .. } => {
            text(&mut review.body);
            pull_request(pr);
        }
        ForgeNews::Comment { comment: said, pr, .. } => {
            comment(said);
            pull_request(pr);
        }
        ForgeNews::Thread { pr, .. } | ForgeNews::PullRequest { pr, .. } => pull_request(pr),
        ForgeNews::Push { push } => commits(&mut push.commits),
        ForgeNews::Checks { .. } | ForgeNews::Named { .. } => {}
    }
    news
}

/// A comment without secrets.
pub(super) fn comment(comment: &mut ReviewComment) {
    text(&mut comment.body);
    if let Some(hunk) = &mut comment.diff_hunk {
        text(hunk);
    }
}

/// A pull request without secrets.
pub(super) fn pull_request(pr: &mut PullRequest) {
    text(&mut pr.title);
    text(&mut pr.body);
    pr.labels.iter_mut().for_each(text);
    commits(&mut pr.commits);
}

fn commits(commits: &mut [PullRequestCommit]) {
    for commit in commits {
        text(&mut commit.message);
    }
}

/// A text without secrets.
pub(super) fn text(text: &mut String) {
    *text = redact(std::mem::take(text), RedactionMode::Mask).0;
}
