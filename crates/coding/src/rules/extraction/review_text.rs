//! The texts of a review that are read: its own text and its author's comments, with ids and
//! positions. Answers of others are not statements of the reviewer, so they are excluded.

use loci_model::tasks::review::{ForgeUser, Review};

use super::cues;

/// A text of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewTextPart {
    /// The comment's number; `None` for the review's own text.
    pub id: Option<u64>,
    /// The text of the comment or review.
    pub body: String,
    /// The path of the file that the comment is about.
    pub path: Option<String>,
    /// The number of the comment to which this comment replies.
    pub in_reply_to: Option<u64>,
    /// True if the author of the text is a program.
    pub is_bot: bool,
}

/// The texts of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewText {
    /// The number of the pull request.
    pub pr: u64,
    /// The reviewer's login.
    pub reviewer: String,
    /// The reviewer's texts, in order.
    pub said: Vec<ReviewTextPart>,
}

impl ReviewText {
    /// Returns the texts of a review.
    pub fn of(review: &Review) -> Self {
        let body = ReviewTextPart {
            body: review.body.clone(),
            is_bot: review.reviewer.is_bot,
            ..ReviewTextPart::default()
        };
        let comments =
            review.comments.iter().filter(|one| is_same(&one.author, &review.reviewer)).map(|one| {
                ReviewTextPart {
                    id: Some(one.id),
                    body: one.body.clone(),
                    path: one.path.clone(),
                    in_reply_to: one.in_reply_to,
                    is_bot: one.author.is_bot,
                }
            });
        Self {
            pr: review.pr,
            reviewer: review.reviewer.login.clone(),
            said: std::iter::once(body).chain(comments).filter(|said| !said.body.trim().is_empty()).collect(),
        }
    }

    /// Returns a review with one text of one reviewer.
    pub fn of_comment(id: u64, body: impl Into<String>, path: Option<String>) -> Self {
        let said = ReviewTextPart { id: Some(id), body: body.into(), path, ..ReviewTextPart::default() };
        Self { said: vec![said], ..Self::default() }
    }

    /// True if the author retracted a text later in the same thread.
    pub(super) fn is_withdrawn(&self, said: &ReviewTextPart) -> bool {
        let thread = said.in_reply_to.or(said.id);
        let behind = self.said.iter().skip_while(|other| *other != said).skip(1);
        thread.is_some()
            && behind.filter(|other| other.in_reply_to == thread).any(|other| cues::takes_back(&other.body))
    }
}

/// Compares accounts by number, or by name without one.
fn is_same(one: &ForgeUser, other: &ForgeUser) -> bool {
    match (one.id, other.id) {
        (0, _) | (_, 0) => one.login.eq_ignore_ascii_case(&other.login),
        (one, other) => one == other,
    }
}
