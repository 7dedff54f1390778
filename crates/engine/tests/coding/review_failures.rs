//! Failures in reading reviews: unreadable ones do not block others, skipped ones can be requested
//! again, and weights stay correct.

use loci_api::coding::review::ReviewsPolled;
use loci_api::coding::rule::RuleListing;
use loci_coding::{HookState, RepositoryChange};
use loci_engine::deliveries::HookTaken;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ledger::Shelf;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::CodeError;
use loci_model::ports::store::{LedgerPage, StoreExt};
use loci_model::record::RecordState;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeNews, ReviewChange};
use loci_model::tasks::pull_request::{PullRequest, PullRequestChange};
use loci_model::tasks::review::{RepositoryRole, ReviewComment, ReviewState};
use loci_model::tasks::rule::RuleSupport;
use loci_model::{Error, ErrorKind, RecordId, Result, Timestamp};
use loci_testkit_ports::block_on;
use serde_json::{Value, json};

use super::reviews::{alice, comment, forge, from, of_review, pull_request, told, user};
use super::test_forge::TestForge;
use super::workshop::{DIRECTORY, REPO, Workshop};

const RULE: &str = "We never use default exports in this codebase.";

fn garbled() -> CodeError {
    CodeError::new(Unverifiable::Network, "the forge answers something else than its API says")
}

fn poll(shop: &Workshop) -> Result<ReviewsPolled> {
    block_on(shop.engine.coding.reviews_poll(&shop.caller, &shop.standing, REPO))
}

fn backfill(shop: &Workshop) {
    block_on(shop.engine.coding.reviews_backfill(&shop.caller, &shop.standing, REPO, (200, false))).unwrap();
}

fn set(shop: &Workshop, key: &str, value: Value) {
    let change = RepositoryChange { replaces: false, settings: vec![(key.to_owned(), value)] };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
}

fn candidates(shop: &Workshop) -> Vec<RecordId> {
    let listing =
        RuleListing { state: Some(RecordState::Candidate.as_str().to_owned()), ..RuleListing::default() };
    let page =
        block_on(shop.engine.coding.rules_list(&shop.caller, &shop.standing, REPO, listing, (None, 100)))
            .unwrap();
    page.items.into_iter().map(|rule| rule.id).collect()
}

/// Adds pull requests from 7 on, changed one after the other, each with a review.
fn changed(forge: &TestForge, from: Timestamp, count: u64) {
    forge.with(|held| {
        for (nth, number) in (7..7 + count).enumerate() {
            let updated_at = from.plus_millis(i64::try_from(nth).unwrap() * 1_000);
            held.prs.insert(number, PullRequest { updated_at, ..pull_request(number) });
            let id = 1_000 + number;
            held.reviews.insert((number, id), told(id, alice(), ReviewState::Commented, "Mind the money."));
        }
    });
}

#[test]
fn a_pull_request_that_cannot_be_read_keeps_no_others_waiting() {
    let check = |what: &str, error: Option<CodeError>, rounds: Option<usize>| {
        let forge = TestForge::default();
        let shop = Workshop::new().with_forge(&forge);
        changed(&forge, shop.world.clock().now(), 2);
        forge.with(|held| held.broken.insert(7, error.clone()));
        for round in 1..rounds.unwrap_or(6) {
            assert!(poll(&shop).is_err(), "{what}: round {round}");
            assert_eq!(shop.reviews().len(), 0, "{what}: it may be read in a moment");
        }
        match rounds {
            Some(_) => {
                let polled = poll(&shop).unwrap();
                let expect = ReviewsPolled { pull_requests: 1, reviews: 1, changed: 1, skipped: 1 };
                assert_eq!((polled, shop.reviews()[0].pr), (expect, 8), "{what}");
                assert_eq!(poll(&shop).unwrap(), ReviewsPolled::default(), "{what}: it is behind");
            }
            None => assert_eq!(poll(&shop).unwrap_err().kind, ErrorKind::Throttled, "{what}"),
        }
    };
    let of = |why| Some(CodeError::new(why, "no"));
    check("not there", None, Some(1));
    check("too large", of(Unverifiable::TooLarge), Some(1));
    check("garbled", Some(garbled()), Some(3));
    check("not allowed", of(Unverifiable::Auth), Some(3));
    check("no more requests", of(Unverifiable::Rate), None);
}

#[test]
fn a_round_that_broke_off_is_a_round() {
    let forge = TestForge::default();
    let shop = Workshop::new().with_forge(&forge);
    let polled_at = |shop: &Workshop| -> Vec<Timestamp> {
        let page = LedgerPage {
            memory: shop.memory(),
            shelf: Shelf::PROGRESS,
            actor: None,
            subject: None,
            after: None,
            limit: 10,
        };
        let all = block_on(shop.world.store().read(move |tx| tx.ledger().list(&page))).unwrap();
        all.into_iter().filter(|entry| entry.body.as_str().contains("polled_at")).map(|one| one.at).collect()
    };
    forge.with(|held| held.fails = Some(garbled()));
    for _ in 0..2 {
        shop.world.clock().advance_ms(60_000);
        assert!(poll(&shop).is_err());
        assert_eq!(polled_at(&shop), [shop.world.clock().now()]);
    }
}

#[test]
fn polling_goes_on_behind_the_oldest_five_hundred() {
    let check = |what: &str, apart_ms: i64| {
        let forge = TestForge::default();
        let shop = Workshop::new().with_forge(&forge);
        let now = shop.world.clock().now();
        forge.with(|held| {
            for number in 1..=501_u64 {
                let updated_at = now.plus_millis(apart_ms * i64::try_from(number).unwrap());
                held.prs.insert(number, PullRequest { updated_at, ..pull_request(number) });
            }
        });
        let read: Vec<usize> = (0..3).map(|_| poll(&shop).unwrap().pull_requests).collect();
        assert_eq!(read, [500, 1, 0], "{what}");
    };
    check("one after the other", 1_000);
    check("all at once", 0);
}

#[test]
fn a_backfill_passes_over_what_cannot_be_read_and_waits_for_a_forge_that_is_away() {
    let forge = TestForge::default();
    let shop = Workshop::new().with_forge(&forge);
    changed(&forge, shop.world.clock().now(), 6);
    let large = CodeError::new(Unverifiable::TooLarge, "no");
    forge.with(|held| held.broken = [(8, Some(garbled())), (10, None), (11, Some(large))].into());
    backfill(&shop);
    forge.with(|held| held.fails = Some(garbled()));
    for _ in 0..20 {
        shop.after_ms(61_000);
    }
    forge.with(|held| held.fails = None);
    for _ in 0..6 {
        shop.after_ms(61_000);
    }
    let read: Vec<u64> = shop.reviews().iter().map(|review| review.pr).collect();
    assert_eq!(read, [7, 9, 12]);
    forge.asked();
    shop.after_ms(3_600_000);
    assert_eq!(forge.asked(), [""; 0], "it has ended");
}

#[test]
fn learning_again_from_the_past_leaves_it_the_past() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    backfill(&shop);
    shop.after_ms(1_000);
    assert!(shop.kept(80).is_past);
    let again = block_on(shop.engine.coding.reviews_reprocess(&shop.caller, &shop.standing, REPO, (7, None)))
        .unwrap();
    assert_eq!((again.changed, shop.kept(80).is_past), (1, true));
}

#[test]
fn a_review_is_as_old_as_the_first_request_for_it() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let clock = shop.world.clock();
    forge.with(|held| held.clock = Some(clock.clone()));
    let began = clock.now();
    shop.pull(7).unwrap();
    assert_eq!(shop.kept(80).read_at, began);
    forge.with(|held| held.reviews.get_mut(&(7, 80)).unwrap().body = "Mind the money more.".to_owned());
    forge.asked();
    shop.send("d-1", of_review(ReviewChange::Edited, told(80, alice(), ReviewState::Commented, "")));
    shop.after_ms(61_000);
    let seconds = i64::try_from(forge.asked().len()).unwrap();
    assert_eq!(shop.kept(80).read_at, clock.now().plus_millis(-1_000 * seconds));
}

#[test]
fn what_came_of_a_repository_before_it_was_registered_is_had_again() {
    let shop = Workshop::new();
    let news = |id: u64| of_review(ReviewChange::Submitted, told(id, alice(), ReviewState::Commented, "x"));
    let send = |guid: &str, news: Option<ForgeNews>| shop.send_notice(guid, from("acme/other", news));
    let unknown = HookTaken::Ignored("unknown_repo");
    for _ in 0..2 {
        assert_eq!(send("d-1", Some(news(80))), unknown, "it may be known the next time");
    }
    assert_eq!(
        (send("d-2", Some(news(81))), send("d-3", None), send("d-4", None)),
        (unknown, unknown, unknown)
    );
    let refused: Error = shop.retry("d-1").unwrap_err();
    assert!(refused.kind == ErrorKind::Conflict && refused.message.contains("register"), "{refused:?}");
    shop.register("github.com/acme/other").unwrap();
    assert_eq!(send("d-1", Some(news(80))), HookTaken::Queued);
    assert_eq!(send("d-1", Some(news(80))), HookTaken::Duplicate);
    assert_eq!(shop.retry("d-2").unwrap().state, "received");
    assert_eq!(send("d-3", None), HookTaken::Ignored("event"));
    assert_eq!(send("d-3", None), HookTaken::Duplicate);
    assert_eq!(shop.retry("d-4").unwrap_err().kind, ErrorKind::Conflict);
    shop.after_ms(61_000);
    assert_eq!(shop.reviews().iter().map(|review| review.id).collect::<Vec<_>>(), [80, 81]);
    let said: Vec<_> = shop.states().into_iter().map(|(_, state, why)| (state, why)).collect();
    let of = |state, why: Option<&str>| (state, why.map(str::to_owned));
    let ignored = |why| of("ignored", Some(why));
    assert_eq!(said, [of("done", None), of("done", None), ignored("event"), ignored("unknown_repo")]);
}

#[test]
fn what_a_broken_job_left_waiting_is_dealt_with_by_another() {
    let forge = forge();
    let shop = Workshop::new().with_forge(&forge);
    let news = || of_review(ReviewChange::Submitted, told(80, alice(), ReviewState::Commented, ""));
    let broken = |guid: &str| {
        forge.with(|held| held.kills = true);
        assert_eq!(shop.send(guid, news()), HookTaken::Queued);
        for _ in 0..6 {
            assert_eq!(shop.send(guid, news()), HookTaken::Duplicate, "its job is tried again");
            shop.after_ms(61_000);
            if forge.with(|held| held.asked_in_vain) >= 5 {
                break;
            }
        }
        forge.with(|held| (held.kills, held.asked_in_vain) = (false, 0));
        let state = shop.states().into_iter().find(|(id, _, _)| id == guid).unwrap().1;
        assert_eq!(state, "received", "{guid}: nobody is left to note anything");
    };
    broken("d-1");
    assert_eq!(shop.send("d-1", news()), HookTaken::Queued);
    assert_eq!(shop.retry("d-1").unwrap_err().kind, ErrorKind::Conflict, "a job is open");
    shop.after_ms(1_000);
    broken("d-2");
    assert_eq!(shop.retry("d-2").unwrap().state, "received");
    shop.after_ms(1_000);
    assert!(shop.states().iter().all(|(_, state, _)| *state == "done"), "{:?}", shop.states());
}

#[test]
fn a_listing_that_broke_off_says_where_it_goes_on() {
    let shop = Workshop::new();
    let seen = ForgeNews::PullRequest { change: PullRequestChange::Seen, pr: Box::new(pull_request(7)) };
    shop.send("d-first", seen);
    shop.after_ms(1_000);
    for nth in 0..1_020 {
        shop.send_notice(&format!("d-{nth}"), from(REPO, None));
    }
    let (mut found, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let listed = shop.engine.coding.hook_deliveries(
            &shop.caller,
            &shop.standing,
            Some(HookState::Done),
            after,
            100,
        );
        let page = block_on(listed).unwrap();
        pages += 1;
        found.extend(page.items.into_iter().map(|row| row.guid));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!((found, pages), (vec!["d-first".to_owned()], 2));
}

/// Returns a forge with one review with these comments on files.
fn said_of(reviewer: &loci_model::tasks::review::ForgeUser, said: &[(&str, &str)]) -> TestForge {
    let forge = TestForge::default();
    forge.with(|held| {
        held.prs.insert(7, pull_request(7));
        held.reviews.insert((7, 80), told(80, reviewer.clone(), ReviewState::ChangesRequested, ""));
        let comments = said.iter().zip(800_u64..).map(|((path, text), id)| {
            let path = Some((*path).to_owned());
            let comment = ReviewComment { path, ..comment(id, reviewer.clone(), text, None) };
            ForgeComment { review: Some(80), comment }
        });
        held.comments.insert(7, comments.collect());
        held.roles.insert(reviewer.login.clone(), RepositoryRole::Write);
    });
    forge
}

#[test]
fn a55_a_program_that_is_allowed_is_as_good_as_a_person() {
    let bot = user(6, "lint[bot]");
    let forge = said_of(&bot, &[("src/orders.rs", RULE)]);
    let shop = Workshop::new().with_forge(&forge);
    let look = |allowed: &[&str]| {
        set(&shop, "allow_bots", json!(allowed));
        forge.asked();
        let left_out = shop.pull(7).unwrap().left_out.into_keys().next();
        let is_asked = forge.asked().contains(&"role lint[bot]".to_owned());
        let is_bot = shop.kept(80).comments[0].author.is_bot;
        (left_out, is_asked, is_bot, candidates(&shop).len())
    };
    assert_eq!(look(&["other[bot]"]), (Some("bot".to_owned()), false, true, 0));
    assert_eq!(look(&["Lint[bot]"]), (None, true, false, 1));
    assert_eq!(shop.kept(80).authority.role, RepositoryRole::Write);
    assert_eq!(look(&[]), (Some("bot".to_owned()), false, true, 0), "it is allowed no more");
    set(&shop, "agent_logins", json!(["lint[bot]"]));
    assert_eq!(look(&["lint[bot]"]), (Some("agent".to_owned()), false, true, 0));
}

#[test]
fn an_owner_weighs_more_for_what_they_say_of_their_own_files() {
    let check = |owned: &'static str, expect: bool| {
        let forge = said_of(&alice(), &[("docs/a.md", "Name the limit."), ("src/orders.rs", RULE)]);
        let shop = Workshop::new().with_forge(&forge);
        shop.shelf.change(DIRECTORY, |history| history.commit(&[("CODEOWNERS", owned)])).unwrap();
        shop.pull(7).unwrap();
        assert!(shop.kept(80).authority.is_code_owner, "of something");
        let (memory, rule) = (shop.memory(), candidates(&shop).remove(0));
        let store = shop.world.store();
        let read = store.read(move |tx| tx.ledger().noun(&memory, rule.as_str()));
        let support: RuleSupport = block_on(read).unwrap().unwrap();
        let found = (support.items[0].authority.is_code_owner, support.items[0].authority.role);
        assert_eq!(found, (expect, RepositoryRole::Write), "{owned}");
    };
    check("/docs/ @alice\n", false);
    check("/src/ @alice\n", true);
}

#[test]
fn what_the_reviewer_may_do_is_asked_first() {
    let reviewer = user(1_000, "zed");
    let forge = said_of(&reviewer, &[("src/orders.rs", RULE)]);
    forge.with(|held| {
        for id in 1..=60 {
            let answer = comment(900 + id, user(id, &format!("user{id}")), "Agreed.", Some(800));
            held.comments.get_mut(&7).unwrap().push(ForgeComment { review: None, comment: answer });
        }
    });
    let shop = Workshop::new().with_forge(&forge);
    shop.pull(7).unwrap();
    let asked: Vec<_> = forge.asked().into_iter().filter(|what| what.starts_with("role")).collect();
    assert_eq!((asked.len(), asked[0].as_str()), (50, "role zed"));
    let authority = shop.kept(80).authority;
    assert_eq!((authority.role, authority.is_provisional), (RepositoryRole::Write, false));
}
