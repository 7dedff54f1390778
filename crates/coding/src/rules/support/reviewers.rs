//! The reviewers whose words count if several tasks are evaluated together: those whose words would
//! count for a rule of the repository. Comments that anyone can write on a public pull request have
//! no effect. Pure.

use loci_model::Timestamp;
use loci_model::facts::repository::Repository;
use loci_model::tasks::review::{Authority, ForgeUser, Review};

use super::dissent::is_of_the_work;
use super::weights::{authority, person};
use crate::settings::CodingSettings;

/// The tolerance for rounding differences.
const EPSILON: f64 = 1e-9;

/// A statement in a review by a person whose words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReviewerStatement<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: Timestamp,
}

/// The people whose words count in a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CountedReviewers {
    /// Logins of agents.
    agents: Vec<String>,
    /// The minimum authority of people who count, 0 to 1.
    min_authority: f64,
}

impl CountedReviewers {
    /// Derives the people who count from the settings. `repository` is `None` if the repository no
    /// longer exists.
    pub(crate) fn of(settings: &CodingSettings, repository: Option<&Repository>) -> Self {
        let agents = repository.and_then(|repository| repository.settings.reviews.agent_logins.clone());
        let min_authority = settings.of(repository).rules.quorum_min_authority;
        Self { agents: agents.unwrap_or_default(), min_authority }
    }

    /// True if a person whose words count reviewed or commented in it.
    pub(crate) fn hears_any(&self, review: &Review) -> bool {
        self.hears(review, &review.reviewer, Some(&review.authority)) || !self.heard(review).is_empty()
    }

    /// Returns the statements in a review by people whose words count, in its order.
    pub(crate) fn heard<'a>(&self, review: &'a Review) -> Vec<ReviewerStatement<'a>> {
        let own = self.hears(review, &review.reviewer, Some(&review.authority));
        let body = own.then_some(ReviewerStatement { text: review.body.as_str(), at: review.submitted_at });
        let comments = review.comments.iter().filter(|comment| {
            let is_own = person(&comment.author) == person(&review.reviewer);
            let authority = if is_own { Some(&review.authority) } else { comment.authority.as_ref() };
            self.hears(review, &comment.author, authority)
        });
        let said =
            comments.map(|comment| ReviewerStatement { text: comment.body.as_str(), at: comment.created_at });
        body.into_iter().filter(|heard| !heard.text.is_empty()).chain(said).collect()
    }

    /// True if a person's words count. A person with an unknown authority does not count.
    fn hears(&self, review: &Review, who: &ForgeUser, may: Option<&Authority>) -> bool {
        let weight = may.map_or(0.0, authority);
        weight > 0.0 && weight + EPSILON >= self.min_authority && !is_of_the_work(review, &self.agents, who)
    }
}

#[cfg(test)]
mod tests {
    use loci_model::tasks::review::{RepositoryRole as Role, ReviewComment, ReviewState};
    use loci_model::{ActorId, MemoryId, RepositoryId};

    use super::*;

    fn user(id: u64, login: &str, is_bot: bool) -> ForgeUser {
        ForgeUser { id, login: login.to_owned(), is_bot }
    }

    fn may(role: Role) -> Authority {
        Authority { role, ..Authority::default() }
    }

    fn comment(id: u64, author: ForgeUser, authority: Option<Authority>) -> ReviewComment {
        ReviewComment {
            id,
            author,
            path: None,
            line: None,
            diff_hunk: None,
            body: format!("comment {id}"),
            in_reply_to: None,
            is_resolved: None,
            is_outdated: None,
            authority,
            url: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        }
    }

    fn review(reviewer: ForgeUser, authority: Authority, comments: Vec<ReviewComment>) -> Review {
        Review {
            memory: MemoryId::parse("m-0123456789").unwrap(),
            actor: ActorId::parse("acme/shop").unwrap(),
            repository: RepositoryId::parse("0192d1e8-7b7a-7c3e-8f00-000000000000").unwrap(),
            pr: 1,
            id: 1,
            reviewer,
            authority,
            pr_author: user(8, "author", false),
            state: ReviewState::Commented,
            body: "the whole".to_owned(),
            comments,
            commit: None,
            url: None,
            task: None,
            left_out: None,
            is_past: false,
            submitted_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
            read_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn each_author_is_weighed() {
        let hearing = CountedReviewers { agents: vec!["Shop-Agent".to_owned()], min_authority: 0.5 };
        let check = |review: &Review, expect: &[&str]| {
            let heard: Vec<&str> = hearing.heard(review).iter().map(|heard| heard.text).collect();
            assert_eq!(heard, expect);
            assert_eq!(hearing.hears_any(review), !expect.is_empty());
        };
        let carol = || user(7, "carol", false);
        for (role, expect) in [
            (Role::Admin, &["the whole", "comment 1"][..]),
            (Role::Triage, &["the whole", "comment 1"]),
            (Role::Read, &[]),
            (Role::None, &[]),
        ] {
            check(&review(carol(), may(role), vec![comment(1, carol(), None)]), expect);
        }
        let silenced = Authority { overridden: Some(0), ..may(Role::Admin) };
        check(&review(carol(), silenced, Vec::new()), &[]);
        // Each author of an answer is weighed separately.
        let others = vec![
            comment(2, user(9, "dave", false), Some(may(Role::Write))),
            comment(3, user(10, "mallory", false), Some(may(Role::None))),
            comment(4, user(11, "unknown", false), None),
            comment(5, user(12, "lint[bot]", true), Some(may(Role::Write))),
            comment(6, user(8, "author", false), Some(may(Role::Admin))),
            comment(7, user(13, "shop-agent", false), Some(may(Role::Write))),
        ];
        check(&review(carol(), may(Role::None), others), &["comment 2"]);
    }
}
