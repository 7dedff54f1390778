//! Background verification at new tips of the default branch, and its exceptions.

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::calls::call_context::CallContext;
use loci_model::RecordId;
use loci_model::facts::fact::FactEventKind;
use loci_model::facts::verdict::{Unverifiable, Verdict};
use loci_model::ports::code::CodePlace;
use loci_model::record::RecordState;
use loci_testkit_ports::{CodeHistory, block_on};
use loci_verified::{FactList, FactReadOptions, NewFact, VerifyMode};

use super::fixture::{CART, DIRECTORY, LIMITS, REPO, Shop, about, cite, contains, history};

const ROUND_MS: u64 = 61_000;
const HOUR_MS: u64 = 3_600_000;

/// Runs several rounds, each after a pause.
fn rounds(shop: &Shop, count: usize, pause_ms: u64) {
    for _ in 0..count {
        shop.world.clock().advance_ms(pause_ms);
        shop.sweep();
    }
}

/// Returns the number of background events of this kind for a fact.
fn looks(shop: &Shop, id: &RecordId, kind: FactEventKind) -> usize {
    shop.events(id).iter().filter(|row| row.kind == kind && row.principal == "loci").count()
}

fn one_more(shop: &Shop) -> RecordId {
    let fact = about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)]);
    shop.store(fact).unwrap().view.remembered.record.id
}

#[test]
fn what_no_text_is_left_of_is_looked_at_once_at_each_tip() {
    let shop = Shop::new();
    let (id, other) = (shop.stored(), one_more(&shop));
    rounds(&shop, 1, ROUND_MS);
    let tip = shop.write("src/cart.rs", Some("\0\0 no text any more"));
    rounds(&shop, 5, ROUND_MS);
    assert_eq!(shop.verified_tip(), Some(tip), "one file holds up nothing");
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), 1);
    assert_eq!(looks(&shop, &other, FactEventKind::VerifiedValid), 2, "once at each of two tips");
    assert_eq!(shop.status(&id), RecordState::Active);
    shop.assert_replayed(&id);
}

#[test]
fn what_could_not_be_read_is_tried_again_with_longer_pauses_and_alone() {
    let shop = Shop::new();
    let (id, other) = (shop.stored(), one_more(&shop));
    let before = shop.code(|history| history.tip().commit());
    rounds(&shop, 1, ROUND_MS);
    let text = format!("// A cart.\n{CART}");
    let tip = shop.write("src/cart.rs", Some(&text));
    shop.code(|history| history.lose(CodeHistory::blob_id(&text)));
    rounds(&shop, 10, ROUND_MS);
    assert_eq!(shop.verified_tip(), before, "not yet");
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), 5, "after 0, 1, 2, 4 and 8 minutes");
    assert_eq!(looks(&shop, &other, FactEventKind::VerifiedValid), 2, "what was read is not looked at again");
    shop.code(|history| history.find(CodeHistory::blob_id(&text)));
    rounds(&shop, 7, ROUND_MS);
    assert_eq!(shop.verified_tip(), Some(tip));
    assert_eq!(looks(&shop, &id, FactEventKind::VerifiedValid), 2);
    // Unavailable code is given up after a day, and tried again at the next tip.
    let text = format!("// A cart of a customer.\n{CART}");
    let tip = shop.write("src/cart.rs", Some(&text));
    shop.code(|history| history.lose(CodeHistory::blob_id(&text)));
    rounds(&shop, 50, HOUR_MS);
    assert_eq!(shop.verified_tip(), Some(tip));
    let tried = looks(&shop, &id, FactEventKind::VerificationSkipped);
    assert!((10..=12).contains(&tried), "{tried}");
    shop.write("README.md", Some("# Another\n"));
    rounds(&shop, 1, ROUND_MS);
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), tried + 1);
    shop.assert_replayed(&id);
}

const OLD: &str = "/src/old";

/// Adds another clone in its initial state.
fn old_clone(shop: &Shop) {
    shop.shelf.put(OLD, Some("git@github.com:acme/shop.git"), history());
    assert!(!shop.add(OLD).created);
}

/// Stores the fact that carts hold 80 items, at a commit in which the code states it.
fn of_eighty(shop: &Shop) -> RecordId {
    shop.write("src/limits.rs", Some(&LIMITS.replace("50", "80")));
    let fact = about("MAX_ITEMS is 80.", vec![cite("src/limits.rs", 2, 2)]);
    let fact = NewFact { claims: vec![contains(0, "= 80")], ..fact };
    shop.store(fact).unwrap().view.remembered.record.id
}

fn recent_in(shop: &Shop, directory: &str) -> FactList {
    let standing = CallContext { directory: Some(directory.into()), ..shop.standing.clone() };
    shop.world.clock().advance_ms(1_000);
    let serving = FactReadOptions { verify: VerifyMode::Fresh, ..FactReadOptions::default() };
    block_on(shop.engine.verified.facts_recent(&shop.caller, &standing, REPO, 50, serving)).unwrap()
}

#[test]
fn a_clone_that_was_not_fetched_decides_nothing_about_what_was_learned_since() {
    let shop = Shop::new();
    let id = of_eighty(&shop);
    rounds(&shop, 1, ROUND_MS);
    let tip = shop.code(|history| history.tip().commit());
    assert_eq!(shop.verified_tip(), tip);
    old_clone(&shop);
    let list = recent_in(&shop, OLD);
    assert_eq!((list.facts.len(), list.omitted.contradicted), (0, 1), "it is not so there");
    assert_eq!(shop.status(&id), RecordState::Active);
    rounds(&shop, 2, ROUND_MS);
    assert_eq!((shop.verified_tip(), shop.status(&id)), (tip, RecordState::Active));
    assert_eq!(recent_in(&shop, DIRECTORY).facts.len(), 1);
    // The clone that the background follows is temporarily unreadable: an older one does not
    // replace it.
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    rounds(&shop, 2, ROUND_MS);
    assert_eq!((shop.verified_tip(), shop.status(&id)), (tip, RecordState::Active));
    shop.code(|history| history.fail(None));
    // The older one is fetched and is now ahead of the other: it decides and is read first.
    let limits = LIMITS.replace("50", "80");
    shop.shelf.change(OLD, |history| history.write("src/limits.rs", Some(&limits)));
    let next = shop.shelf.change(OLD, |history| history.write("src/limits.rs", Some(LIMITS)));
    rounds(&shop, 1, ROUND_MS);
    assert_eq!((shop.verified_tip(), shop.status(&id)), (next, RecordState::Invalid));
    let places = shop.add(DIRECTORY).repository.places;
    assert_eq!(places, [OLD, DIRECTORY].map(|place| CodePlace::Local(place.into())));
    shop.assert_replayed(&id);
}

#[test]
fn a_branch_that_was_rewritten_or_cloned_anew_is_followed() {
    let shop = Shop::new();
    let id = of_eighty(&shop);
    rounds(&shop, 1, ROUND_MS);
    // Reset to its first commit.
    let first = shop.code(|history| history.root()).unwrap();
    shop.code(|history| history.reset(first));
    rounds(&shop, 1, ROUND_MS);
    assert_eq!((shop.verified_tip(), shop.status(&id)), (Some(first), RecordState::Invalid));
    // A new clone without the previous history.
    let fact = about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)]);
    let fact = NewFact { claims: vec![contains(0, "= 120")], ..fact };
    let id = shop.store(fact).unwrap().view.remembered.record.id;
    let mut other = CodeHistory::new();
    let tip = other.commit(&[("src/limits.rs", &LIMITS.replace("120", "90"))]);
    other.cut_off();
    shop.shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), other);
    rounds(&shop, 1, ROUND_MS);
    assert_eq!((shop.verified_tip(), shop.status(&id)), (Some(tip), RecordState::Invalid));
}

#[test]
fn another_repository_at_its_place_says_nothing_of_its_facts() {
    let shop = Shop::new();
    let id = shop.stored();
    rounds(&shop, 1, ROUND_MS);
    let verified = shop.verified_tip();
    let mut other = CodeHistory::new();
    let tip = other.commit(&[("src/cart.rs", "fn something_else() {}\n")]);
    shop.shelf.put(DIRECTORY, Some("git@github.com:someone/else.git"), other);
    let list = recent_in(&shop, DIRECTORY);
    let verdicts: Vec<_> =
        list.facts.iter().map(|fact| fact.verification.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts, [Verdict::Unverifiable]);
    rounds(&shop, 3, ROUND_MS);
    let now = || {
        block_on(shop.engine.verified.repository_list(&shop.caller, &shop.standing, None, 9)).unwrap().items
    };
    assert_eq!((now()[0].verified_tip, shop.status(&id)), (verified, RecordState::Active));
    // Once registered, it is another repository.
    let added = shop.add(DIRECTORY);
    assert!(added.created && added.repository.key == "someone/else", "{added:?}");
    // With the same origin its history may have been rewritten: a warning is reported, and it is
    // not read.
    let mut rewritten = CodeHistory::new();
    rewritten.commit(&[("README.md", "# A rewritten shop\n")]);
    shop.shelf.put("/src/rewritten", Some("git@github.com:acme/shop.git"), rewritten);
    let warnings = shop.add("/src/rewritten").warnings;
    assert!(warnings.iter().any(|line| line.starts_with("ANOTHER_HISTORY")), "{warnings:?}");
    rounds(&shop, 1, ROUND_MS);
    assert_eq!(shop.status(&id), RecordState::Active);
    // A person confirms the identity: it decides from then on.
    let add = RepositoryAdd {
        directory: Some(DIRECTORY.into()),
        same_as: Some(REPO.to_owned()),
        ..RepositoryAdd::default()
    };
    block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap();
    rounds(&shop, 1, ROUND_MS);
    let repository = now().into_iter().find(|repository| repository.key == REPO).unwrap();
    assert_eq!((repository.verified_tip, shop.status(&id)), (Some(tip), RecordState::Quarantined));
}

#[test]
fn another_default_branch_begins_anew() {
    let shop = Shop::new();
    rounds(&shop, 1, ROUND_MS);
    let add = |name: &str| {
        let add = RepositoryAdd {
            directory: Some(DIRECTORY.into()),
            default_ref: Some(name.to_owned()),
            ..RepositoryAdd::default()
        };
        block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap().repository
    };
    assert!(shop.verified_tip().is_some());
    assert_eq!(add("main").verified_tip, None);
    rounds(&shop, 1, ROUND_MS);
    assert!(add("main").verified_tip.is_some(), "the same again changes nothing");
}

#[test]
fn where_nothing_tells_the_default_branch_no_state_changes() {
    let shop = Shop::new();
    let id = of_eighty(&shop);
    let mut untold = history();
    untold.leave_default_untold();
    shop.shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), untold);
    let warned = |shop: &Shop| {
        let warnings = shop.add(DIRECTORY).warnings;
        let lines = block_on(shop.engine.verified.repositories_untold(&shop.caller)).unwrap();
        let is_warned = warnings.iter().any(|line| line.starts_with("DEFAULT_BRANCH_UNKNOWN"));
        assert_eq!(is_warned, !lines.is_empty(), "{warnings:?} {lines:?}");
        is_warned
    };
    assert!(warned(&shop));
    shop.write("src/limits.rs", Some(LIMITS));
    rounds(&shop, 2, ROUND_MS);
    let list = recent_in(&shop, DIRECTORY);
    assert_eq!((list.facts.len(), list.omitted.contradicted), (0, 1), "it is not so there");
    assert_eq!((shop.verified_tip(), shop.status(&id)), (None, RecordState::Active));
    let add = RepositoryAdd {
        directory: Some(DIRECTORY.into()),
        default_ref: Some("main".to_owned()),
        ..RepositoryAdd::default()
    };
    block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap();
    assert!(!warned(&shop));
    rounds(&shop, 1, ROUND_MS);
    assert_eq!(shop.status(&id), RecordState::Invalid);
}
