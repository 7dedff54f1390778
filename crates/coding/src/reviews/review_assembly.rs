//! Assembles a review from its parts, and determines the reviews that a forge event affects. Pure:
//! it requests nothing.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Timestamp;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeNews, ForgeReview, ReviewChange};
use loci_model::tasks::pull_request::PullRequest;
use loci_model::tasks::review::{ForgeUser, Review, ReviewComment, ReviewState};

use super::secret_masking;

/// The suffix of the logins of programs.
const PROGRAM: &str = "[bot]";

/// The known data of a pull request's reviews.
#[derive(Debug, Clone)]
pub(super) struct KnownReviews {
    pub(super) pr: PullRequest,
    /// Reviews by their numbers.
    pub(super) reviews: BTreeMap<u64, ForgeReview>,
    /// Comments by their numbers.
    pub(super) comments: BTreeMap<u64, ForgeComment>,
    /// Comments whose threads are known to be resolved or unresolved.
    pub(super) threads: BTreeMap<u64, bool>,
    /// The time of the request. Later comments may be missing.
    pub(super) asked_at: Timestamp,
}

impl KnownReviews {
    /// Returns the stored data.
    pub(super) fn stored(pr: PullRequest, stored: &[Review], asked_at: Timestamp) -> Self {
        let (reviews, comments, threads) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut known = Self { pr, reviews, comments, threads, asked_at };
        for review in stored {
            known.reviews.insert(review.id, told(review));
            for comment in &review.comments {
                let is_own = comment.in_reply_to.is_none() || comment.author == review.reviewer;
                let of = |known: &Self| known.comments.get(&comment.id).and_then(|one| one.review);
                // An answer is stored with the comment that it answers. It belongs to another
                // review, which only that review's own data knows.
                let review = if is_own { Some(review.id) } else { of(&known) };
                let comment = ReviewComment { author: as_told(&comment.author), ..comment.clone() };
                known.threads.extend(comment.is_resolved.map(|is_resolved| (comment.id, is_resolved)));
                known.comments.insert(comment.id, ForgeComment { review, comment });
            }
        }
        known
    }

    /// Adds a forge event.
    pub(super) fn take(&mut self, news: &ForgeNews) {
        match news {
            ForgeNews::Review { change, review, .. } => {
                let mut review = review.clone();
                if *change == ReviewChange::Withdrawn {
                    review.state = ReviewState::Dismissed;
                }
                self.reviews.insert(review.id, review);
            }
            ForgeNews::Comment { change: ReviewChange::Withdrawn, comment, .. } => {
                self.comments.remove(&comment.id);
            }
            ForgeNews::Comment { review, comment, .. } => {
                let told = ForgeComment { review: Some(*review), comment: comment.as_ref().clone() };
                self.comments.insert(comment.id, told);
                // Comments may arrive before their review.
                self.reviews.entry(*review).or_insert_with(|| review_of(*review, comment));
            }
            ForgeNews::Thread { .. } => self.take_thread(news),
            ForgeNews::PullRequest { .. }
            | ForgeNews::Push { .. }
            | ForgeNews::Checks { .. }
            | ForgeNews::Named { .. } => {}
        }
    }

    /// Adds only the thread state of an event. The forge itself reports all other data.
    pub(super) fn take_thread(&mut self, news: &ForgeNews) {
        if let ForgeNews::Thread { is_resolved, comments, .. } = news {
            self.threads.extend(comments.iter().map(|comment| (*comment, *is_resolved)));
        }
    }

    /// Returns the reviews that a change of a review affects: itself, unless it consists only of
    /// answers, and those that its comments answer. `gone` holds its deleted comments.
    pub(super) fn touched(&self, id: u64, gone: &[&ReviewComment]) -> BTreeSet<u64> {
        let own: Vec<&ReviewComment> = self.of_review(id).collect();
        let answered = own.iter().chain(gone).filter_map(|comment| comment.in_reply_to);
        let mut touched: BTreeSet<u64> = answered
            .filter_map(|root| self.comments.get(&root)?.review)
            .filter(|review| *review != id)
            .collect();
        if !self.is_answers_alone(id) {
            touched.insert(id);
        }
        touched
    }

    /// True if a review consists only of answers. A forge creates such a review, without text of
    /// its own, for each answer in a thread.
    pub(super) fn is_answers_alone(&self, id: u64) -> bool {
        let Some(review) = self.reviews.get(&id) else { return false };
        let mut own = self.of_review(id).peekable();
        review.state == ReviewState::Commented
            && review.body.trim().is_empty()
            && own.peek().is_some()
            && own.all(|comment| {
                let root = comment.in_reply_to.and_then(|root| self.comments.get(&root));
                root.is_some_and(|root| root.review.is_some_and(|review| review != id))
            })
    }

    fn of_review(&self, id: u64) -> impl Iterator<Item = &ReviewComment> {
        self.comments.values().filter(move |told| told.review == Some(id)).map(|told| &told.comment)
    }

    /// Returns the comments of a review, and the answers to them, in the order of their numbers.
    pub(super) fn comments_of(&self, id: u64) -> Vec<ReviewComment> {
        let own: BTreeSet<u64> = self.of_review(id).map(|comment| comment.id).collect();
        let belongs = |told: &&ForgeComment| {
            own.contains(&told.comment.id) || told.comment.in_reply_to.is_some_and(|root| own.contains(&root))
        };
        let resolved = |told: &ForgeComment| {
            let mut comment = told.comment.clone();
            let root = comment.in_reply_to.unwrap_or(comment.id);
            comment.is_resolved = self.threads.get(&comment.id).or_else(|| self.threads.get(&root)).copied();
            secret_masking::comment(&mut comment);
            comment
        };
        self.comments.values().filter(belongs).map(resolved).collect()
    }
}

/// Converts a stored review to the form of a forge's report.
fn told(review: &Review) -> ForgeReview {
    ForgeReview {
        id: review.id,
        reviewer: as_told(&review.reviewer),
        guess: review.authority,
        state: review.state,
        body: review.body.clone(),
        commit: review.commit.clone(),
        url: review.url.clone(),
        submitted_at: review.submitted_at,
        updated_at: Some(review.updated_at),
    }
}

/// Converts a stored account to the form of a forge's report: a program that was allowed may no
/// longer be allowed.
fn as_told(user: &ForgeUser) -> ForgeUser {
    ForgeUser { is_bot: user.is_bot || user.login.ends_with(PROGRAM), ..user.clone() }
}

/// Returns a review of which only a comment has arrived so far.
fn review_of(id: u64, comment: &ReviewComment) -> ForgeReview {
    ForgeReview {
        id,
        reviewer: comment.author.clone(),
        guess: comment.authority.unwrap_or_default(),
        state: ReviewState::Commented,
        body: String::new(),
        commit: None,
        url: None,
        submitted_at: comment.created_at,
        updated_at: None,
    }
}

/// Returns the time of the latest change in a review.
pub(super) fn updated_at(told: &ForgeReview, comments: &[ReviewComment]) -> Timestamp {
    let of_review = told.updated_at.unwrap_or(told.submitted_at).max(told.submitted_at);
    comments.iter().map(|comment| comment.updated_at).fold(of_review, Timestamp::max)
}

/// True if two reviews have the same content, apart from the time of reading and the origin in the
/// past.
pub(super) fn says_the_same(one: &Review, other: &Review) -> bool {
    let plain = |review: &Review| Review { read_at: Timestamp::clamped(0), is_past: false, ..review.clone() };
    plain(one) == plain(other)
}

/// True if all events are known already: the stored review has the comments in the same or a newer
/// version.
pub(super) fn is_all_known(news: &[ForgeNews], stored: Option<&Review>) -> bool {
    let Some(stored) = stored else { return false };
    let is_known = |news: &ForgeNews| match news {
        ForgeNews::Comment { change: ReviewChange::Submitted | ReviewChange::Edited, comment, .. } => stored
            .comments
            .iter()
            .any(|known| known.id == comment.id && known.updated_at >= comment.updated_at),
        _ => false,
    };
    news.iter().all(is_known)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::clamped(1_795_000_000_000 + seconds * 1_000)
    }

    fn user(id: u64) -> ForgeUser {
        ForgeUser { id, login: format!("user-{id}"), is_bot: false }
    }

    pub(in super::super) fn pull_request(number: u64) -> PullRequest {
        let plain = serde_json::json!({"number": number, "author": {"id": 9, "login": "user-9"}, "is_open": true,
            "head_sha": "a", "head_ref": "agent/t-1", "base_ref": "main", "created_at": at(0), "updated_at": at(0)});
        serde_json::from_value(plain).unwrap()
    }

    fn comment(id: u64, author: u64, in_reply_to: Option<u64>) -> ReviewComment {
        ReviewComment {
            id,
            author: user(author),
            path: Some("src/a.rs".to_owned()),
            line: Some(3),
            diff_hunk: None,
            body: format!("comment {id}"),
            in_reply_to,
            is_resolved: None,
            is_outdated: None,
            authority: None,
            url: None,
            created_at: at(i64::try_from(id).unwrap()),
            updated_at: at(i64::try_from(id).unwrap()),
        }
    }

    fn review(id: u64, reviewer: u64, body: &str) -> ForgeReview {
        ForgeReview {
            reviewer: user(reviewer),
            body: body.to_owned(),
            ..review_of(id, &comment(1, reviewer, None))
        }
    }

    fn known() -> KnownReviews {
        let mut known = KnownReviews::stored(pull_request(7), &[], at(0));
        for told in [review(80, 5, "please mind"), review(81, 6, "")] {
            known.reviews.insert(told.id, told);
        }
        for (review, said) in
            [(80, comment(1, 5, None)), (80, comment(2, 5, None)), (81, comment(3, 6, Some(1)))]
        {
            known.comments.insert(said.id, ForgeComment { review: Some(review), comment: said });
        }
        known
    }

    #[test]
    fn a53_an_answer_in_a_thread_is_part_of_the_review_that_it_answers() {
        let known = known();
        assert!(known.is_answers_alone(81) && !known.is_answers_alone(80));
        assert_eq!(known.touched(81, &[]), BTreeSet::from([80]));
        assert_eq!(known.touched(80, &[]), BTreeSet::from([80]));
        let ids = |review: u64| known.comments_of(review).iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids(80), [1, 2, 3]);
        let gone = comment(4, 6, Some(2));
        assert_eq!(known.touched(99, &[&gone]), BTreeSet::from([80, 99]));
    }

    #[test]
    fn what_came_is_put_to_what_is_known() {
        let mut known = known();
        let pr = || Box::new(pull_request(7));
        let mut edited = comment(2, 5, None);
        edited.body = "another".to_owned();
        known.take(&ForgeNews::Comment {
            change: ReviewChange::Edited,
            review: 80,
            comment: Box::new(edited),
            pr: pr(),
        });
        let gone = Box::new(comment(3, 6, Some(1)));
        known.take(&ForgeNews::Comment {
            change: ReviewChange::Withdrawn,
            review: 81,
            comment: gone,
            pr: pr(),
        });
        known.take(&ForgeNews::Thread { is_resolved: true, review: 80, comments: vec![1], pr: pr() });
        let said = known.comments_of(80);
        let seen: Vec<_> = said.iter().map(|one| (one.id, one.body.as_str(), one.is_resolved)).collect();
        assert_eq!(seen, [(1, "comment 1", Some(true)), (2, "another", None)]);
        let review = review(80, 5, "please mind");
        known.take(&ForgeNews::Review { change: ReviewChange::Withdrawn, review, pr: pr() });
        assert_eq!(known.reviews[&80].state, ReviewState::Dismissed);
        let first = Box::new(comment(9, 5, None));
        known.take(&ForgeNews::Comment {
            change: ReviewChange::Submitted,
            review: 90,
            comment: first,
            pr: pr(),
        });
        assert_eq!(known.reviews[&90].reviewer, user(5));
    }
}
