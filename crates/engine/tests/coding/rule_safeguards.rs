//! Effects of safeguards and decisions on rules: erasure, rollback, holds, and people without
//! weight.

use loci_api::coding::safeguard::{Purged, RollbackAsk};
use loci_coding::{PurgeAsk, RepositoryQuarantineAsk, RuleDecision, Selection};
use loci_model::record::RecordState;
use loci_model::tasks::review::{RepositoryRole, Review, ReviewState};
use loci_model::{RecordId, Result};
use loci_testkit_ports::block_on;

use super::rules::{HIGH, STYLE, Team, only, role, user};
use super::workshop::REPO;

fn purge(shop: &Team, which: &Selection, confirm: Option<u64>) -> Result<Purged> {
    let ask =
        PurgeAsk { which: which.clone(), reason: "asked".to_owned(), dry_run: confirm.is_none(), confirm };
    block_on(shop.engine.coding.repository_purge(&shop.caller, &shop.standing, REPO, ask))
}

fn purged(shop: &Team, which: &Selection) -> Purged {
    let told = purge(shop, which, None).unwrap().matched;
    purge(shop, which, Some(told)).unwrap()
}

fn hold(shop: &Team, rule: &RecordId, release: bool) {
    let which = Selection { ids: vec![rule.clone()], ..Selection::default() };
    let ask = RepositoryQuarantineAsk { which, reason: "doubted".to_owned(), dry_run: false };
    if release {
        block_on(shop.engine.coding.repository_release(&shop.caller, &shop.standing, REPO, ask)).unwrap();
    } else {
        block_on(shop.engine.coding.repository_quarantine(&shop.caller, &shop.standing, REPO, ask)).unwrap();
    }
}

#[test]
fn a88_what_a_reviewer_alone_said_is_erased_and_may_be_said_again_by_others() {
    let shop = Team::new();
    let rule = only(&shop.learn(&shop.review(2, 1, STYLE))).0;
    let done = purged(&shop, &Selection { reviewer: Some("@user2".to_owned()), ..Selection::default() });
    assert_eq!((done.matched, done.ids), (1, vec![rule.to_string()]));
    let record = shop.record(&rule);
    assert_eq!((record.state, record.text.as_str()), (RecordState::Erased, ""));
    assert_eq!(shop.support_if_any(&rule), None);
    let again = only(&shop.learn(&shop.review(1, 2, STYLE)));
    assert_eq!((again.1, again.0 == rule), (RecordState::Candidate, false));
}

#[test]
fn a88_what_is_erased_for_its_words_is_in_no_review_and_is_not_learned_again() {
    let shop = Team::new();
    let (first, second) = (shop.review(1, 1, STYLE), shop.review(2, 2, STYLE));
    shop.learn(&first);
    let rule = only(&shop.learn(&second)).0;
    let done = purged(&shop, &Selection { content: Some("sort IMPORTS".to_owned()), ..Selection::default() });
    assert_eq!((done.matched, done.reviews), (1, 2));
    let support = shop.support(&rule);
    assert!(support.items.is_empty() && support.closed.is_some(), "{support:?}");
    for review in [&first, &second] {
        let kept = shop.kept(review).unwrap();
        assert_eq!((kept.comments[0].body.as_str(), kept.left_out.as_deref()), ("", Some("purged")));
    }
    // A third pull request requests it.
    assert_eq!(shop.learn(&shop.review(3, 3, STYLE)).rules, []);
    assert_eq!(shop.state(&rule), RecordState::Erased);
}

#[test]
fn a87_what_was_said_and_decided_of_a_rule_since_is_taken_back_with_it() {
    let shop = Team::new();
    let high = only(&shop.learn(&shop.review(1, 1, HIGH))).0;
    shop.begun("t-001");
    let to = shop.get("t-001").unwrap().snapshot.unwrap();
    let style = shop.agreed(STYLE, (2, 3));
    assert_eq!(shop.decide(&high, RuleDecision::Approve).unwrap().state, RecordState::Active);
    let back = |to: &str| {
        let ask = RollbackAsk { to: to.to_owned(), reason: "poisoned".to_owned(), dry_run: false };
        block_on(shop.engine.coding.repository_rollback(&shop.caller, &shop.standing, REPO, ask)).unwrap()
    };
    let done = back(&to);
    assert_eq!((shop.state(&high), shop.state(&style)), (RecordState::Candidate, RecordState::RolledBack));
    // If requested again, only the remaining support counts, without the approval.
    shop.learn(&shop.review(2, 9, HIGH));
    assert_eq!(shop.state(&high), RecordState::Candidate);
    back(&done.before.unwrap());
    assert_eq!((shop.state(&high), shop.state(&style)), (RecordState::Active, RecordState::Active));
    assert!(shop.support(&high).approved.is_some(), "the approval is back");
}

#[test]
fn a86_a_rule_that_is_let_go_stands_as_what_supports_it_lets_it() {
    let shop = Team::new();
    let rule = shop.agreed(STYLE, (1, 2));
    hold(&shop, &rule, false);
    assert_eq!(shop.state(&rule), RecordState::Quarantined);
    let dismissed = Review { state: ReviewState::Dismissed, ..shop.review(2, 2, STYLE) };
    shop.learn(&dismissed);
    hold(&shop, &rule, true);
    assert_eq!(shop.state(&rule), RecordState::Candidate, "one reviewer is no quorum");
}

#[test]
fn a55_the_author_s_and_the_agent_s_answers_take_nothing_away() {
    let check = |who: u64, agents: &[&str], expect: RecordState| {
        let shop = Team::new();
        if !agents.is_empty() {
            shop.setting(&[("agent_logins", serde_json::json!(agents))]);
        }
        let rule = shop.agreed(STYLE, (1, 2));
        let mut review = shop.review(1, 1, STYLE);
        let mut answer = review.comments[0].clone();
        answer.id = 77;
        answer.author = user(who);
        answer.body = "Won't fix, this is by design.".to_owned();
        answer.in_reply_to = Some(1_001);
        answer.authority = Some(role(RepositoryRole::Maintain));
        review.comments.push(answer);
        review.comments.iter_mut().for_each(|comment| comment.is_resolved = Some(true));
        shop.learn(&review);
        assert_eq!(shop.state(&rule), expect, "{who} {agents:?}");
    };
    check(3, &[], RecordState::Candidate);
    check(900, &[], RecordState::Active);
    check(3, &["user3"], RecordState::Active);
}

#[test]
fn a61_a_review_that_is_read_again_says_nothing_again() {
    let shop = Team::new();
    shop.setting(&[("rules.stale_after_tasks", serde_json::json!(2))]);
    let (first, second) = (shop.review(1, 1, STYLE), shop.review(2, 2, STYLE));
    shop.learn(&first);
    let rule = only(&shop.learn(&second)).0;
    shop.tasks(0, 3);
    assert_eq!(shop.state(&rule), RecordState::Stale);
    let mut resolved = second;
    resolved.comments[0].is_resolved = Some(true);
    shop.learn(&resolved);
    assert_eq!(shop.state(&rule), RecordState::Stale, "the same review, its thread resolved");
    shop.learn(&shop.review(1, 3, STYLE));
    assert_eq!(shop.state(&rule), RecordState::Active);
}
