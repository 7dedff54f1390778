//! Rounds of revision: pushes to a pull request after a review. Several pushes after one review are
//! one round, and so are several reviews before one push. Pure, and computed from the known facts
//! each time: a review that is read after a later push still counts.

use loci_model::Timestamp;
use loci_model::tasks::outcome::PushedHead;
use loci_model::tasks::review::Review;

/// Returns the number of rounds of a pull request whose heads are in order.
pub(super) fn count(heads: &[PushedHead], reviews: &[Review]) -> u32 {
    let mut heads = heads.iter();
    let Some(first) = heads.next() else { return 0 };
    let mut since = first.at;
    let mut rounds = 0_u32;
    for head in heads {
        if reviews.iter().any(|review| asked_for(review, head, since)) {
            rounds = rounds.saturating_add(1);
            since = head.at;
        }
    }
    rounds
}

/// True if a review by a person other than the author came before a push and after the previous
/// round.
fn asked_for(review: &Review, head: &PushedHead, since: Timestamp) -> bool {
    let is_of_others = !matches!(review.left_out.as_deref(), Some("bot" | "pr_author" | "agent"));
    // Polling sees a push late: a review of the pushed head did not request it.
    let is_of_it = review.commit.as_deref() == Some(head.sha.as_str());
    is_of_others && !is_of_it && review.submitted_at >= since && review.submitted_at <= head.at
}

#[cfg(test)]
mod tests {
    use loci_model::tasks::review::{Authority, ForgeUser, ReviewState};
    use loci_model::{ActorId, MemoryId, RepositoryId};

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::clamped(1_800_000_000_000 + minute * 60_000)
    }

    fn review(minute: i64, commit: &str, left_out: Option<&str>) -> Review {
        Review {
            memory: MemoryId::parse("shop-0123456789").unwrap(),
            actor: ActorId::parse("acme/shop").unwrap(),
            repository: RepositoryId::parse("rep-00000000-0000-7000-8000-000000000001").unwrap(),
            pr: 57,
            id: 1,
            reviewer: ForgeUser::default(),
            authority: Authority::default(),
            pr_author: ForgeUser::default(),
            state: ReviewState::Commented,
            body: String::new(),
            comments: Vec::new(),
            commit: Some(commit.to_owned()),
            url: None,
            task: None,
            left_out: left_out.map(str::to_owned),
            is_past: false,
            submitted_at: at(minute),
            updated_at: at(minute),
            read_at: at(minute),
        }
    }

    #[test]
    fn a_round_is_a_push_after_a_review() {
        let check = |what: &str, heads: &[(&str, i64)], reviews: &[Review], expect: u32| {
            let heads: Vec<PushedHead> = heads
                .iter()
                .map(|(sha, minute)| PushedHead { sha: (*sha).into(), at: at(*minute) })
                .collect();
            assert_eq!(count(&heads, reviews), expect, "{what}");
        };
        let said = |minute: i64| review(minute, "a", None);
        check("nothing", &[], &[said(1)], 0);
        check("no push", &[("a", 0)], &[said(1)], 0);
        check("no review", &[("a", 0), ("b", 5)], &[], 0);
        check("a review behind", &[("a", 0), ("b", 5)], &[said(6)], 0);
        check("one", &[("a", 0), ("b", 5)], &[said(1)], 1);
        check("two pushes after one review", &[("a", 0), ("b", 5), ("c", 6)], &[said(1)], 1);
        check("two reviews before one push", &[("a", 0), ("b", 5)], &[said(1), said(2)], 1);
        check("two", &[("a", 0), ("b", 5), ("c", 9)], &[said(1), review(6, "b", None)], 2);
        check("a review of what was pushed, seen late", &[("a", 0), ("b", 9)], &[review(6, "b", None)], 0);
        for who in ["bot", "pr_author", "agent"] {
            check(who, &[("a", 0), ("b", 5)], &[review(1, "a", Some(who))], 0);
        }
        check("what nothing is learned from", &[("a", 0), ("b", 5)], &[review(1, "a", Some("unmapped"))], 1);
    }
}
