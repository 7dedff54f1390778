//! What is read of a review: its own text and what its author said of lines, with ids and places. What others answered is no statement
//! of the reviewer, and counts for nothing here.

use loci_model::tasks::review::{ForgeUser, Review};

use super::cues;

/// A text of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// The comment's number; none for the review's own text.
    pub id: Option<u64>,
    /// What it says.
    pub body: String,
    /// The file it stands at.
    pub path: Option<String>,
    /// The comment that it answers.
    pub in_reply_to: Option<u64>,
    /// Its author is a program.
    pub is_bot: bool,
}

/// A review as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewText {
    /// The pull request.
    pub pr: u64,
    /// The reviewer's login.
    pub reviewer: String,
    /// What the reviewer said, in order.
    pub said: Vec<Said>,
}

impl ReviewText {
    /// What there is to read of a review.
    pub fn of(review: &Review) -> Self {
        let body = Said { body: review.body.clone(), is_bot: review.reviewer.is_bot, ..Said::default() };
        let comments =
            review.comments.iter().filter(|one| is_same(&one.author, &review.reviewer)).map(|one| Said {
                id: Some(one.id),
                body: one.body.clone(),
                path: one.path.clone(),
                in_reply_to: one.in_reply_to,
                is_bot: one.author.is_bot,
            });
        Self {
            pr: review.pr,
            reviewer: review.reviewer.login.clone(),
            said: std::iter::once(body).chain(comments).filter(|said| !said.body.trim().is_empty()).collect(),
        }
    }

    /// One text of one reviewer.
    pub fn of_comment(id: u64, body: impl Into<String>, path: Option<String>) -> Self {
        let said = Said { id: Some(id), body: body.into(), path, ..Said::default() };
        Self { said: vec![said], ..Self::default() }
    }

    /// True where the author took back in the same thread what they said.
    pub(super) fn is_withdrawn(&self, said: &Said) -> bool {
        let thread = said.in_reply_to.or(said.id);
        let behind = self.said.iter().skip_while(|other| *other != said).skip(1);
        thread.is_some()
            && behind.filter(|other| other.in_reply_to == thread).any(|other| cues::takes_back(&other.body))
    }
}

/// People are who they are by number; where none was told, by name.
fn is_same(one: &ForgeUser, other: &ForgeUser) -> bool {
    match (one.id, other.id) {
        (0, _) | (_, 0) => one.login.eq_ignore_ascii_case(&other.login),
        (one, other) => one == other,
    }
}
