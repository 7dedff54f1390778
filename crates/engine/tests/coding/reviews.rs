//! Incoming reviews: each delivery counts once, each review is read once from any number of
//! messages, and each reviewer has a weight.

use std::sync::Arc;

use loci_api::coding::review::ReviewsPulled;
use loci_api::hook::HookDelivery as HookDeliveryShown;
use loci_coding::{HookDelivery, HookState, RepositoryChange};
use loci_engine::deliveries::HookTaken;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::CodeError;
use loci_model::ports::store::{LedgerPage, StoreExt};
use loci_model::tasks::forge_notifications::{
    ForgeComment, ForgeNews, ForgeNotice, ForgeReview, NoticedRepository, ReviewChange,
};
use loci_model::tasks::outcome::OutcomeGrade;
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestChange};
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewComment, ReviewState};
use loci_model::{DeliveryId, Error, ErrorKind, Result, Timestamp};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};
use serde_json::json;

use super::test_forge::TestForge;
use super::workshop::{DIRECTORY, REPO, Workshop};

/// Number of the shop's repository at the forge.
const NUMBER: u64 = 186_853_002;

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::parse("2026-11-22T08:00:00Z").unwrap().plus_millis(seconds * 1_000)
}

pub(super) fn user(id: u64, login: &str) -> ForgeUser {
    ForgeUser { id, login: login.to_owned(), is_bot: login.ends_with("[bot]") }
}

pub(super) fn pull_request(number: u64) -> PullRequest {
    let plain = json!({"number": number, "author": user(9, "shop-agent[bot]"), "is_open": true, "head_sha": "a".repeat(40),
        "head_ref": "agent/t-001", "base_ref": "main", "created_at": at(0), "updated_at": at(0)});
    serde_json::from_value(plain).unwrap()
}

pub(super) fn told(id: u64, reviewer: ForgeUser, state: ReviewState, body: &str) -> ForgeReview {
    ForgeReview {
        id,
        reviewer,
        guess: Authority {
            role: RepositoryRole::Read,
            is_provisional: true,
            has_merged: true,
            ..Authority::default()
        },
        state,
        body: body.to_owned(),
        commit: Some("a".repeat(40)),
        url: None,
        submitted_at: at(10),
        updated_at: None,
    }
}

pub(super) fn comment(id: u64, author: ForgeUser, body: &str, in_reply_to: Option<u64>) -> ReviewComment {
    ReviewComment {
        id,
        author,
        path: Some("src/orders.rs".to_owned()),
        line: Some(4),
        diff_hunk: None,
        body: body.to_owned(),
        in_reply_to,
        is_resolved: None,
        is_outdated: None,
        authority: None,
        url: None,
        created_at: at(11),
        updated_at: at(11),
    }
}

pub(super) fn alice() -> ForgeUser {
    user(5, "alice")
}

pub(super) fn of_review(change: ReviewChange, review: ForgeReview) -> ForgeNews {
    ForgeNews::Review { change, review, pr: Box::new(pull_request(7)) }
}

pub(super) fn of_comment(change: ReviewChange, review: u64, comment: ReviewComment) -> ForgeNews {
    ForgeNews::Comment { change, review, comment: Box::new(comment), pr: Box::new(pull_request(7)) }
}

pub(super) fn from(path: &str, news: Option<ForgeNews>) -> ForgeNotice {
    let repository = NoticedRepository { host: "github.com".to_owned(), id: NUMBER, path: path.to_owned() };
    ForgeNotice { repository, event: "an_event".to_owned(), news }
}

impl Workshop {
    pub(super) fn send(&self, guid: &str, news: ForgeNews) -> HookTaken {
        self.send_notice(guid, from(REPO, Some(news)))
    }

    pub(super) fn send_notice(&self, guid: &str, notice: ForgeNotice) -> HookTaken {
        let id = DeliveryId::parse(guid).unwrap();
        let delivery = HookDelivery { hook: "github", id, hook_id: None, digest: "0".repeat(64), notice };
        block_on(self.engine.coding.hook_receive(delivery)).unwrap()
    }

    pub(super) fn with_forge(mut self, forge: &TestForge) -> Self {
        let parts = EngineParts::quiet(
            self.world.store(),
            None,
            Arc::new(self.world.clock()),
            Arc::new(SeededIds::new(7)),
            Arc::new(OpenVault),
        );
        let parts = EngineParts {
            code: Some(Arc::new(self.shelf.clone())),
            forge: Some(Arc::new(forge.clone())),
            ..parts
        };
        self.engine = Loci::new(parts, EngineSettings::default());
        self
    }

    /// Runs jobs that are due after `ms` with this engine, until none is left.
    pub(super) fn after_ms(&self, ms: i64) {
        self.world.clock().advance_ms(ms.unsigned_abs());
        let (stop, stopped) = futures::channel::oneshot::channel::<()>();
        let host = self.engine.run_jobs(Box::pin(async {
            stopped.await.ok();
        }));
        let (store, memory, clock) = (self.world.store(), self.memory(), self.world.clock());
        let done = async {
            loop {
                let of = vec![memory.clone()];
                let running = loci_model::ports::store::JobQuery {
                    state: Some(loci_model::job::JobState::Running),
                    limit: 10,
                    ..Default::default()
                };
                let of_memory = memory.clone();
                let (due, running) = store
                    .read(move |tx| Ok((tx.jobs().next_due(&of)?, tx.jobs().list(&of_memory, &running)?)))
                    .await
                    .unwrap();
                if running.is_empty() && due.is_none_or(|due| due > clock.now()) {
                    break;
                }
            }
            stop.send(()).ok();
        };
        block_on(futures::future::join(host, done));
    }

    pub(super) fn reviews(&self) -> Vec<Review> {
        let page = LedgerPage {
            memory: self.memory(),
            shelf: Review::SHELF,
            actor: None,
            subject: None,
            after: None,
            limit: 100,
        };
        let mut all: Vec<Review> =
            block_on(self.world.store().read(move |tx| tx.ledger().nouns(&page))).unwrap();
        all.sort_by_key(|review| review.id);
        all
    }

    pub(super) fn kept(&self, id: u64) -> Review {
        self.reviews().into_iter().find(|review| review.id == id).unwrap()
    }

    pub(super) fn deliveries(&self, state: Option<HookState>) -> Vec<HookDeliveryShown> {
        block_on(self.engine.coding.hook_deliveries(&self.caller, &self.standing, state, None, 100))
            .unwrap()
            .items
    }

    pub(super) fn states(&self) -> Vec<(String, &'static str, Option<String>)> {
        let shown = self.deliveries(None).into_iter();
        let word = |word: &str| HookState::parse(word).unwrap().as_str();
        let mut all: Vec<_> = shown.map(|row| (row.guid, word(&row.state), row.reason)).collect();
        all.sort();
        all
    }

    pub(super) fn retry(&self, guid: &str) -> Result<HookDeliveryShown> {
        let id = DeliveryId::parse(guid).unwrap();
        block_on(self.engine.coding.hook_delivery_retry(&self.caller, &self.standing, &id))
    }

    pub(super) fn pull(&self, pr: u64) -> Result<ReviewsPulled> {
        block_on(self.engine.coding.reviews_pull(&self.caller, &self.standing, REPO, pr))
    }
}

/// Returns a forge with a review by alice and two comments.
pub(super) fn forge() -> TestForge {
    let forge = TestForge::default();
    forge.with(|held| {
        held.prs.insert(7, pull_request(7));
        held.reviews.insert((7, 80), told(80, alice(), ReviewState::ChangesRequested, "Mind the money."));
        let of = |review: u64, comment: ReviewComment| ForgeComment { review: Some(review), comment };
        let said = vec![
            of(80, comment(800, alice(), "Use Money, never f64.", None)),
            of(80, comment(801, alice(), "Name the limit.", None)),
        ];
        held.comments.insert(7, said);
        held.roles.insert("alice".to_owned(), RepositoryRole::Maintain);
    });
    forge
}

#[test]
fn a53_one_review_in_many_pieces_is_read_once() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let review = told(80, alice(), ReviewState::ChangesRequested, "");
    for (guid, news) in [
        (
            "d-1",
            of_comment(ReviewChange::Submitted, 80, comment(800, alice(), "Use Money, never f64.", None)),
        ),
        ("d-2", of_review(ReviewChange::Submitted, review)),
        ("d-3", of_comment(ReviewChange::Submitted, 80, comment(801, alice(), "Name the limit.", None))),
    ] {
        assert_eq!(shop.send(guid, news), HookTaken::Queued);
        shop.after_ms(30_000);
    }
    assert_eq!((forge.asked().len(), shop.reviews().len()), (0, 0), "more may come");
    shop.after_ms(31_000);
    assert_eq!(forge.asked(), ["comments 7", "review 80", "threads 7", "role alice"]);
    let review = shop.kept(80);
    assert_eq!((review.comments.len(), review.body.as_str()), (2, "Mind the money."));
    assert_eq!(review.authority.role, RepositoryRole::Maintain, "a54: the forge's word, not the payload's");
    assert!(!review.authority.is_provisional);
    assert!(shop.states().iter().all(|(_, state, _)| *state == "done"), "{:?}", shop.states());
    // A known comment causes no further request.
    shop.send("d-4", of_comment(ReviewChange::Submitted, 80, comment(801, alice(), "Name the limit.", None)));
    shop.after_ms(61_000);
    assert_eq!(forge.asked(), [""; 0]);
    assert_eq!(shop.states().last().unwrap(), &("d-4".into(), "ignored", Some("known".into())));
}

#[test]
fn a53_an_answer_changes_the_review_that_it_answers() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    shop.pull(7).unwrap();
    let (bob, reply) = (user(6, "bob"), "Agreed.");
    forge.with(|held| {
        held.reviews.insert((7, 81), told(81, bob.clone(), ReviewState::Commented, ""));
        let answer = comment(802, bob.clone(), reply, Some(800));
        held.comments.get_mut(&7).unwrap().push(ForgeComment { review: Some(81), comment: answer });
    });
    shop.send("d-1", of_review(ReviewChange::Submitted, told(81, bob, ReviewState::Commented, "")));
    shop.after_ms(61_000);
    let all = shop.reviews();
    assert_eq!(all.iter().map(|review| review.id).collect::<Vec<_>>(), [80], "no review of its own");
    assert_eq!(all[0].comments.iter().map(|comment| comment.id).collect::<Vec<_>>(), [800, 801, 802]);
}

#[test]
fn a52_a_number_that_is_done_is_known_and_one_that_failed_is_dealt_with_again() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let news = || of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, ""));
    forge
        .with(|held| held.fails = Some(CodeError::new(Unverifiable::Network, "the forge is out of service")));
    assert_eq!(shop.send("d-1", news()), HookTaken::Queued);
    assert_eq!(shop.send("d-1", news()), HookTaken::Duplicate, "it is being dealt with");
    for _ in 0..6 {
        shop.after_ms(400_000);
    }
    assert_eq!(shop.states(), [("d-1".into(), "failed", Some("the forge is out of service".into()))]);
    assert_eq!(shop.deliveries(Some(HookState::Failed))[0].attempts, 4, "once, and three times more");
    forge.with(|held| held.fails = None);
    assert_eq!(shop.send("d-1", news()), HookTaken::Queued);
    shop.after_ms(61_000);
    assert_eq!(shop.states(), [("d-1".into(), "done", None)]);
    assert_eq!(shop.send("d-1", news()), HookTaken::Duplicate);
    assert_eq!(shop.reviews().len(), 1);
    let refused = shop.retry("d-1").unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Conflict);
    assert_eq!(shop.retry("d-9").unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_failed_delivery_is_tried_again_by_hand() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    forge.with(|held| held.fails = Some(CodeError::new(Unverifiable::Auth, "the token may not")));
    shop.send("d-1", of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, "")));
    shop.after_ms(61_000);
    assert_eq!(
        shop.states(),
        [("d-1".into(), "failed", Some("the token may not".into()))],
        "no try can help"
    );
    forge.with(|held| held.fails = None);
    assert_eq!(shop.retry("d-1").unwrap().state, "received");
    shop.after_ms(1_000);
    assert_eq!((shop.states()[0].1, shop.reviews().len()), ("done", 1));
}

#[test]
fn a64_a_forge_that_takes_no_more_requests_is_asked_later_and_no_try_counts() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let rate =
        CodeError { retry_after_ms: Some(900_000), ..CodeError::new(Unverifiable::Rate, "no more requests") };
    forge.with(|held| held.fails = Some(rate));
    shop.send("d-1", of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, "")));
    shop.after_ms(61_000);
    shop.after_ms(800_000);
    assert_eq!(forge.asked().len(), 1, "it is left alone");
    forge.with(|held| held.fails = None);
    shop.after_ms(101_000);
    assert_eq!((shop.states()[0].1, shop.deliveries(None)[0].attempts), ("done", 0));
}

#[test]
fn a59_what_is_edited_deleted_or_dismissed_is_read_again() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    shop.pull(7).unwrap();
    forge.with(|held| held.comments.get_mut(&7).unwrap().pop());
    shop.send("d-1", of_comment(ReviewChange::Withdrawn, 80, comment(801, alice(), "", None)));
    shop.after_ms(61_000);
    assert_eq!(shop.kept(80).comments.len(), 1);
    forge.with(|held| held.reviews.get_mut(&(7, 80)).unwrap().state = ReviewState::Dismissed);
    shop.send("d-2", of_review(ReviewChange::Withdrawn, told(80, alice(), ReviewState::Dismissed, "")));
    shop.after_ms(61_000);
    assert_eq!(shop.kept(80).state, ReviewState::Dismissed);
    forge.with(|held| held.reviews.get_mut(&(7, 80)).unwrap().state = ReviewState::Commented);
    shop.pull(7).unwrap();
    assert_eq!(shop.kept(80).state, ReviewState::Commented);
    forge.with(|held| held.reviews.clear());
    shop.send("d-3", of_comment(ReviewChange::Withdrawn, 80, comment(800, alice(), "", None)));
    shop.after_ms(61_000);
    assert_eq!(shop.kept(80).state, ReviewState::Dismissed, "it is gone");
}

#[test]
fn without_a_forge_a_review_is_what_came_of_it() {
    let shop = Workshop::new();
    let mut secret = comment(801, alice(), "", None);
    secret.body = format!("never log {}", ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat());
    shop.send("d-1", of_comment(ReviewChange::Submitted, 80, comment(800, alice(), "Use Money.", None)));
    shop.send(
        "d-2",
        of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::ChangesRequested, "Mind.")),
    );
    shop.send("d-3", of_comment(ReviewChange::Submitted, 80, secret));
    shop.after_ms(61_000);
    let review = shop.kept(80);
    assert_eq!((review.body.as_str(), review.state), ("Mind.", ReviewState::ChangesRequested));
    assert_eq!(review.comments.iter().map(|comment| comment.id).collect::<Vec<_>>(), [800, 801]);
    assert!(!review.comments[1].body.contains("ghp_"), "{}", review.comments[1].body);
    assert!(review.authority.is_provisional);
    let mut edited = comment(800, alice(), "Use Money, always.", None);
    edited.updated_at = at(99);
    shop.send("d-4", of_comment(ReviewChange::Edited, 80, edited));
    shop.send("d-5", of_comment(ReviewChange::Withdrawn, 80, comment(801, alice(), "", None)));
    shop.after_ms(61_000);
    let review = shop.kept(80);
    let said: Vec<_> = review.comments.iter().map(|comment| comment.body.as_str()).collect();
    assert_eq!((said, review.updated_at), (vec!["Use Money, always."], at(99)));
}

#[test]
fn a55_from_some_nothing_is_learned_and_it_is_said_why() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let settings = vec![("agent_logins".to_owned(), json!(["reviewer-bot"]))];
    let change = RepositoryChange { replaces: false, settings };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
    for (id, reviewer) in [
        (81, user(6, "lint[bot]")),
        (82, user(9, "shop-agent")),
        (83, user(12, "Reviewer-Bot")),
        (84, alice()),
    ] {
        shop.send(
            &format!("d-{id}"),
            of_review(ReviewChange::Submitted, told(id, reviewer, ReviewState::Commented, "x")),
        );
    }
    shop.after_ms(61_000);
    let why: Vec<_> = shop.reviews().into_iter().map(|review| review.left_out).collect();
    assert_eq!(why, [Some("bot".into()), Some("pr_author".into()), Some("agent".into()), None]);
    assert_eq!(shop.deliveries(Some(HookState::Ignored)).len(), 3);
    assert_eq!(shop.kept(84).task.map(|task| task.to_string()).as_deref(), Some("t-001"), "by its branch");
}

#[test]
fn what_is_of_no_repository_or_no_use_is_ignored() {
    let shop = Workshop::new();
    assert_eq!(shop.send_notice("d-1", from("acme/other", None)), HookTaken::Ignored("unknown_repo"));
    assert_eq!(shop.send_notice("d-2", from(REPO, None)), HookTaken::Ignored("event"));
    assert_eq!(shop.send_notice("d-2", from(REPO, None)), HookTaken::Duplicate);
    let said: Vec<_> = shop.states().into_iter().map(|(_, state, why)| (state, why.unwrap())).collect();
    assert_eq!(said, [("ignored", "unknown_repo".to_owned()), ("ignored", "event".to_owned())]);
    // The number is known: another repository of that name is not this one.
    let mut impostor = from(REPO, None);
    impostor.repository.id = NUMBER + 1;
    assert_eq!(shop.send_notice("d-3", impostor), HookTaken::Ignored("unknown_repo"));
}

#[test]
fn a_repository_that_was_renamed_is_known_by_both_names() {
    let shop = Workshop::new();
    let renamed = from("acme/store", Some(ForgeNews::Named { formerly: REPO.to_owned() }));
    assert_eq!(shop.send_notice("d-1", renamed), HookTaken::Queued);
    let show = |name: &str| block_on(shop.engine.coding.repository_show(&shop.caller, &shop.standing, name));
    let (old, new) = (show(REPO).unwrap().repository, show("acme/store").unwrap().repository);
    assert_eq!((old.id, old.key.as_str()), (new.id, REPO));
    // Found by its number under a third name, without a rename message.
    assert_eq!(shop.send_notice("d-2", from("umbrella/store", None)), HookTaken::Ignored("event"));
    assert!(show("umbrella/store").is_ok());
    shop.after_ms(1_000);
    assert_eq!(shop.states()[0].1, "done");
}

#[test]
fn numbers_are_known_for_thirty_days() {
    let shop = Workshop::new();
    shop.send_notice("d-1", from(REPO, None));
    shop.world.clock().advance_ms(29 * 86_400_000);
    assert_eq!(shop.send_notice("d-1", from(REPO, None)), HookTaken::Duplicate);
    shop.world.clock().advance_ms(86_400_001);
    shop.send_notice("d-2", from(REPO, None));
    let ids: Vec<_> = shop.deliveries(None).iter().map(|row| row.guid.clone()).collect();
    assert_eq!(ids, ["d-2"]);
}

#[test]
fn forgetting_a_repository_takes_what_came_of_it() {
    let shop = Workshop::new();
    shop.send("d-1", of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, "x")));
    shop.forget();
    assert_eq!((shop.deliveries(None).len(), shop.reviews().len()), (0, 0));
}

#[test]
fn pulling_needs_a_forge_and_says_what_changed() {
    let shop = Workshop::new();
    let refused: Error = shop.pull(7).unwrap_err();
    assert_eq!((refused.kind, refused.field.as_deref()), (ErrorKind::Invalid, Some("repo")));
    let forge = forge();
    let shop = shop.with_forge(&forge);
    let first = shop.pull(7).unwrap();
    assert_eq!((first.reviews, first.changed), (1, 1));
    let second = shop.pull(7).unwrap();
    assert_eq!((second.reviews, second.changed), (1, 0));
    assert_eq!(shop.pull(8).unwrap_err().kind, ErrorKind::NotFound);
    let again =
        block_on(shop.engine.coding.reviews_reprocess(&shop.caller, &shop.standing, REPO, (7, Some(80))))
            .unwrap();
    assert_eq!((again.reviews, again.changed), (1, 1));
    // Roles are requested once per hour.
    let roles = |asked: Vec<String>| asked.iter().filter(|what| what.starts_with("role")).count();
    assert_eq!(roles(forge.asked()), 1);
    shop.world.clock().advance_ms(3_600_001);
    shop.pull(7).unwrap();
    assert_eq!(roles(forge.asked()), 1);
}

#[test]
fn a63_a_webhook_and_a_round_of_asking_tell_the_same_once() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    shop.world.clock().advance_ms(1);
    let now = shop.world.clock().now();
    let poll = || block_on(shop.engine.coding.reviews_poll(&shop.caller, &shop.standing, REPO)).unwrap();
    forge.with(|held| held.prs.get_mut(&7).unwrap().updated_at = now);
    shop.send("d-1", of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, "")));
    let first = poll();
    assert_eq!((first.pull_requests, first.reviews, first.changed), (1, 1, 1));
    let before = shop.kept(80);
    shop.after_ms(61_000);
    assert_eq!((shop.states()[0].1, shop.kept(80) == before), ("done", true), "nothing new was told");
    forge.asked();
    assert_eq!(poll().pull_requests, 0, "the same pull request, unchanged");
    assert_eq!(forge.asked(), ["landed", "changed"]);
    forge.with(|held| {
        held.prs.get_mut(&7).unwrap().updated_at = now.plus_millis(1_000);
        held.reviews.get_mut(&(7, 80)).unwrap().state = ReviewState::Dismissed;
    });
    let third = poll();
    assert_eq!((third.pull_requests, third.changed, shop.kept(80).state), (1, 1, ReviewState::Dismissed));
}

#[test]
fn the_past_is_read_piece_by_piece_and_leaves_half_of_the_limit() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    forge.with(|held| {
        for number in 8..30 {
            held.prs.insert(
                number,
                PullRequest { updated_at: at(i64::try_from(number).unwrap()), ..pull_request(number) },
            );
            let id = 1_000 + number;
            held.reviews.insert((number, id), told(id, alice(), ReviewState::Commented, "x"));
        }
    });
    let ask = |count, dry| {
        block_on(shop.engine.coding.reviews_backfill(&shop.caller, &shop.standing, REPO, (count, dry)))
            .unwrap()
    };
    assert_eq!((ask(200, true).pull_requests, ask(200, true).job), (23, None));
    assert!(ask(15, false).job.is_some());
    let whole_at = shop.world.clock().now().plus_millis(600_000);
    let room = |left| Some(loci_model::ports::forge::ForgeRoom { limit: 5_000, left, whole_at });
    forge.with(|held| held.room = room(2_499));
    shop.after_ms(1_000);
    assert_eq!(shop.reviews().len(), 0, "others need the limit");
    forge.with(|held| held.room = room(2_500));
    shop.after_ms(600_000);
    let all = shop.reviews();
    assert_eq!((all.len(), all.iter().all(|review| review.is_past)), (15, true));
    assert_eq!(all.first().map(|review| review.pr), Some(15), "the latest");
    // A later request for past reviews does not change the current ones.
    shop.pull(7).unwrap();
    ask(200, false);
    shop.after_ms(1_000);
    let past: Vec<_> = shop.reviews().iter().map(|review| (review.pr, review.is_past)).collect();
    assert_eq!((past.len(), past[0]), (23, (7, false)));
}

#[test]
fn deliveries_survive_whoever_dies() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    shop.send("d-1", of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, "")));
    // Another process handled it and died before the record: its effect exists, but the delivery is
    // not marked.
    shop.pull(7).unwrap();
    let before = shop.kept(80);
    let again = Workshop { engine: shop.engine.clone(), ..shop }.with_forge(&forge);
    again.after_ms(61_000);
    assert_eq!((again.states()[0].1, again.kept(80) == before), ("done", true));
    assert_eq!(again.reviews().len(), 1);
}

#[test]
fn what_was_said_of_a_draft_counts_when_it_is_one_no_more() {
    let shop = Workshop::new();
    let draft = PullRequest { is_draft: true, ..pull_request(7) };
    let review = told(80, alice(), ReviewState::Commented, "Use Money.");
    shop.send("d-1", ForgeNews::Review { change: ReviewChange::Submitted, review, pr: Box::new(draft) });
    shop.after_ms(61_000);
    assert_eq!(shop.kept(80).left_out.as_deref(), Some("draft"));
    let seen = ForgeNews::PullRequest { change: PullRequestChange::Seen, pr: Box::new(pull_request(7)) };
    shop.send("d-2", seen);
    shop.after_ms(1_000);
    assert_eq!(shop.kept(80).left_out, None);
}

#[test]
fn who_owns_the_lines_is_told_by_the_base_branch() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let commit = |text: &'static str| {
        shop.shelf.change(DIRECTORY, |history| history.commit(&[("CODEOWNERS", text)])).unwrap();
    };
    commit("*.rs @Alice\n");
    shop.pull(7).unwrap();
    assert!(shop.kept(80).authority.is_code_owner);
    commit("*.rs @carol\n");
    shop.pull(7).unwrap();
    assert!(!shop.kept(80).authority.is_code_owner);
}

#[test]
fn whether_threads_are_resolved_is_asked_and_told() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    forge.with(|held| held.threads = vec![(800, true)]);
    shop.pull(7).unwrap();
    let resolved = |shop: &Workshop| {
        shop.kept(80).comments.iter().map(|comment| comment.is_resolved).collect::<Vec<_>>()
    };
    assert_eq!(resolved(&shop), [Some(true), None]);
    forge.with(|held| held.threads = vec![(800, false)]);
    let comments = vec![800];
    let thread =
        ForgeNews::Thread { is_resolved: false, review: 80, comments, pr: Box::new(pull_request(7)) };
    shop.send("d-1", thread);
    shop.after_ms(61_000);
    assert_eq!(resolved(&shop), [Some(false), None]);
}

#[test]
fn what_becomes_of_a_pull_request_is_handed_on() {
    let shop = Workshop::new();
    let task = shop.begun("t-001");
    let merged = PullRequest {
        is_open: false,
        merged_at: Some(at(60)),
        closed_at: Some(at(60)),
        merge_commit_sha: Some("c".repeat(40)),
        ..pull_request(7)
    };
    let news = ForgeNews::PullRequest { change: PullRequestChange::Closed, pr: Box::new(merged) };
    shop.send("d-1", news);
    let checks = CheckSuite { id: 1, head_sha: "a".repeat(40), passed: Some(true), at: at(30) };
    shop.send("d-2", ForgeNews::Checks { checks });
    shop.after_ms(1_000);
    assert!(shop.states().iter().all(|(_, state, _)| *state == "done"), "{:?}", shop.states());
    let outcome = block_on(shop.engine.coding.outcomes_of(&[task])).unwrap().remove(0).unwrap();
    assert_eq!(outcome.grade, Some(OutcomeGrade::MergedAsIs));
}
