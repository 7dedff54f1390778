//! The lifecycle of a fact: storage, refresh, supersession, invalidation, use, moves of the default
//! branch, expiry.

use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_model::facts::fact::Fact;
use loci_model::facts::verdict::Verdict;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{CodeReason, RecordId};
use loci_testkit_ports::block_on;
use loci_verified::{AppliedOutcome, VerifyMode};

use super::fixture::{CART, LIMITS, Shop, about, cite, contains, limit_fact, reason};

const DAY_MS: u64 = 86_400_000;

#[test]
fn refreshing_needs_proof() {
    let shop = Shop::new();
    let id = shop.stored();
    assert_eq!(shop.refresh(&id, None).unwrap(), 1, "verified now");
    let verified = shop.verify(&id);
    shop.world.clock().advance_ms(1_000);
    assert_eq!(shop.refresh(&id, Some(verified.receipt.clone())).unwrap(), 2, "by the receipt");
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let of = id.clone();
    let read = shop.world.store();
    let record = block_on(read.read(move |tx| tx.records().get(&memory, &of))).unwrap().unwrap();
    assert_eq!(record.timestamp, shop.world.clock().now(), "its time is that of the last confirmation");
    shop.write("src/cart.rs", Some("fn nothing_of_the_kind() {}\n"));
    let error = shop.refresh(&id, Some(verified.receipt)).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotVerified), "the branch moved on: {error:?}");
    let error = shop.refresh(&id, None).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotVerified));
    shop.assert_replayed(&id);
}

#[test]
fn a_receipt_grows_old_and_is_its_callers() {
    let shop = Shop::new();
    let id = shop.stored();
    let receipt = shop.verify(&id).receipt;
    let mut other = Shop { caller: loci_model::principal::Principal::administrator("other"), ..shop };
    assert!(other.refresh(&id, Some(receipt.clone())).is_err());
    other.caller = loci_model::principal::Principal::administrator("tester");
    other.world.clock().advance_ms(11 * 60_000);
    assert!(other.refresh(&id, Some(receipt)).is_err());
}

#[test]
fn superseding_keeps_one_head_and_asks_for_proof() {
    let shop = Shop::new();
    let old = shop.stored();
    shop.write("src/limits.rs", Some(&LIMITS.replace("50", "80")));
    let error = shop.supersede(&old, "A cart takes 80 items.", None).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotVerified), "old citations do not hold: {error:?}");
    let done = shop
        .supersede(&old, "A cart takes MAX_ITEMS = 80 items.", Some(vec![cite("src/limits.rs", 2, 2)]))
        .unwrap();
    assert!(!done.merged);
    let corrected = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, &done.new)).unwrap();
    assert!(corrected.conflicts_with.is_empty(), "with what it corrects: {corrected:?}");
    assert_eq!((shop.status(&old), shop.status(&done.new)), (RecordState::Superseded, RecordState::Active));
    let history =
        block_on(shop.engine.verified.fact_history(&shop.caller, &shop.standing, &done.new, 50)).unwrap();
    let chain: Vec<&RecordId> = history.chain.iter().map(|view| &view.remembered.record.id).collect();
    assert_eq!(chain, [&old, &done.new]);
    assert!(shop.kinds(&done.new).contains(&"corrected") && shop.kinds(&old).contains(&"superseded"));
    let error = shop.supersede(&old, "Again.", Some(vec![cite("src/limits.rs", 2, 2)])).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotActive));
    shop.assert_replayed(&old);
    shop.assert_replayed(&done.new);
}

#[test]
fn superseding_into_an_equal_fact_merges() {
    let shop = Shop::new();
    let one = shop.stored();
    let two = shop.store(about("MAX_ITEMS is 50.", vec![cite("src/limits.rs", 2, 2)])).unwrap();
    let two = two.view.remembered.record.id;
    let correction = loci_verified::Correction {
        old: one.clone(),
        fact: "MAX_ITEMS is 50".to_owned(),
        citations: Some(vec![cite("src/cart.rs", 10, 13)]),
        reason: None,
        subject: Some("Shop".to_owned()),
        claims: None,
        created_by: None,
        reference: None,
    };
    let done = block_on(shop.engine.verified.fact_supersede(&shop.caller, &shop.standing, correction, None))
        .unwrap();
    assert_eq!((done.merged, &done.new), (true, &two));
    assert_eq!((shop.status(&one), shop.status(&two)), (RecordState::Superseded, RecordState::Active));
    let view = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, &two)).unwrap();
    assert_eq!(view.remembered.fact.detail.citations.len(), 2);
    assert_eq!(view.remembered.record.supersedes, [one]);
}

/// Stores the fact that a limit is 120 requests, and removes its code.
fn requests_gone(shop: &Shop) -> RecordId {
    let requests = shop.store(about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)])).unwrap();
    let requests = requests.view.remembered.record.id;
    shop.write("src/limits.rs", Some("/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n"));
    shop.recent(VerifyMode::Fresh);
    assert_eq!(shop.status(&requests), RecordState::Quarantined);
    requests
}

#[test]
fn superseding_into_the_words_of_a_fact_whose_code_is_gone_takes_its_place_too() {
    let shop = Shop::new();
    let (old, gone) = (shop.stored(), requests_gone(&shop));
    let correction = loci_verified::Correction {
        old: old.clone(),
        fact: "MAX_REQUESTS is 120.".to_owned(),
        citations: Some(vec![cite("src/cart.rs", 10, 13)]),
        reason: None,
        subject: Some("Shop".to_owned()),
        claims: None,
        created_by: None,
        reference: None,
    };
    let done = block_on(shop.engine.verified.fact_supersede(&shop.caller, &shop.standing, correction, None))
        .unwrap();
    shop.write("src/limits.rs", Some(LIMITS));
    let list = shop.recent(VerifyMode::Fresh);
    assert_eq!(list.facts.iter().map(|view| &view.remembered.record.id).collect::<Vec<_>>(), [&done.new]);
    for (id, expect) in
        [(&old, RecordState::Superseded), (&gone, RecordState::Superseded), (&done.new, RecordState::Active)]
    {
        assert_eq!(shop.status(id), expect);
        shop.assert_replayed(id);
    }
}

#[test]
fn a_fact_does_not_come_back_beside_one_that_says_the_same() {
    let shop = Shop::new();
    let (active, gone) = (shop.stored(), requests_gone(&shop));
    // Through every API, with the same result.
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let ids = [active.clone(), gone.clone()];
    let work = move |tx: &mut dyn Tx| {
        let facts = tx.facts().get_many(&memory, &ids)?;
        let records = tx.records().get_many(&memory, &ids)?;
        let [fact, other] = facts.as_slice() else { panic!("two facts") };
        let text = |id: &RecordId| records.iter().find(|record| record.id == *id).unwrap().clone();
        let (said, before) = (text(&fact.record), text(&other.record));
        let version = before.version + 1;
        tx.records_mut().put_version(&Record { title: said.title, text: said.text, version, ..before })?;
        tx.facts_mut().put(&Fact { content_hash: fact.content_hash.clone(), ..other.clone() })
    };
    block_on(StoreExt::write(shop.engine.store().as_ref(), work)).unwrap();
    shop.write("src/limits.rs", Some(LIMITS));
    shop.recent(VerifyMode::Fresh);
    shop.world.clock().advance_ms(61_000);
    shop.sweep();
    assert_eq!((shop.status(&active), shop.status(&gone)), (RecordState::Active, RecordState::Quarantined));
    shop.assert_replayed(&gone);
}

#[test]
fn rows_stand_in_the_order_of_what_happened_whatever_clocks_say() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.refresh(&id, None).unwrap();
    // The next write comes from a server whose clock is behind.
    shop.world.clock().put_back_ms(5_000);
    assert!(shop.invalidate(&id).unwrap());
    shop.assert_replayed(&id);
    shop.world.clock().put_back_ms(5_000);
    let again = shop.stored();
    assert_eq!(shop.status(&id), RecordState::Superseded);
    shop.assert_replayed(&id);
    shop.assert_replayed(&again);
    // A superseding record too.
    let corrected =
        shop.supersede(&again, "A cart refuses what MAX_ITEMS does not allow.", None).unwrap().new;
    shop.world.clock().put_back_ms(5_000);
    let gone = std::slice::from_ref(&corrected);
    block_on(shop.engine.verified.facts_delete(&shop.caller, &shop.standing, gone, "a mistake")).unwrap();
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let work = move |tx: &dyn ReadTx| tx.fact_events().of_record(&memory, &corrected, 1);
    let newest = block_on(StoreExt::read(shop.engine.store().as_ref(), work)).unwrap();
    assert_eq!(newest.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), ["deleted"]);
}

#[test]
fn invalidating_is_once_and_storing_again_is_a_new_version() {
    let shop = Shop::new();
    let id = shop.stored();
    assert!(shop.invalidate(&id).unwrap());
    assert!(!shop.invalidate(&id).unwrap());
    assert_eq!(shop.kinds(&id).iter().filter(|kind| **kind == "invalidated").count(), 1);
    assert!(!shop.kinds(&id).contains(&"verified_invalid"));
    assert_eq!(reason(&shop.refresh(&id, None).unwrap_err()), Some(CodeReason::NotActive));
    let again = shop.stored();
    assert_ne!(again, id);
    assert_eq!(shop.status(&id), RecordState::Superseded);
    shop.assert_replayed(&id);
    shop.assert_replayed(&again);
}

#[test]
fn use_is_reported_and_confirms_what_was_verified() {
    let shop = Shop::new();
    let id = shop.stored();
    let applied = |outcome| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.verified.fact_applied(&shop.caller, &shop.standing, &id, outcome, None)).unwrap()
    };
    // Without a receipt the use is verified before it counts.
    shop.world.clock().advance_ms(11 * 60_000);
    let first = applied(None);
    assert_eq!((first.unverified, first.refreshed), (false, true));
    shop.verify(&id);
    let second = applied(Some(AppliedOutcome::Helped));
    assert_eq!((second.unverified, second.refreshed), (false, true));
    let stats = block_on(shop.engine.verified.fact_stats(&shop.caller, &shop.standing, super::fixture::REPO))
        .unwrap();
    assert_eq!(stats.verified_before_use_rate, Some(1.0));
    assert_eq!(stats.refresh_on_valid_rate, Some(1.0));
    assert_eq!((stats.sums.applied, stats.count(RecordState::Active)), (2, 1));
    assert!(stats.verdict_rates[1].1.get("valid").is_some_and(|rate| *rate == 1.0), "{stats:?}");
    shop.assert_replayed(&id);
}

#[test]
fn a_false_claim_on_the_default_branch_is_the_end() {
    let shop = Shop::new();
    let fact = loci_verified::NewFact { claims: vec![contains(1, "= 50")], ..limit_fact() };
    let id = shop.store(fact).unwrap().view.remembered.record.id;
    shop.write("src/limits.rs", Some(&LIMITS.replace("50", "80")));
    let list = shop.recent(VerifyMode::Fresh);
    assert_eq!((list.facts.len(), list.omitted.contradicted), (0, 1));
    assert_eq!(shop.status(&id), RecordState::Invalid);
    shop.assert_replayed(&id);
}

#[test]
fn the_background_sees_new_commits_and_lets_go_in_the_end() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.write("src/cart.rs", None);
    shop.world.clock().advance_ms(61_000);
    shop.sweep();
    assert_eq!(shop.status(&id), RecordState::Quarantined, "{:?}", shop.kinds(&id));
    for day in 0..9 {
        shop.world.clock().advance_ms(DAY_MS);
        shop.write("README.md", Some(&format!("# Shop\n\nDay {day}.\n")));
        shop.sweep();
    }
    assert_eq!(shop.status(&id), RecordState::Invalid, "{:?}", shop.kinds(&id));
    shop.assert_replayed(&id);
}

#[test]
fn what_nobody_confirms_expires_and_comes_back_when_stored_again() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.code(|history| history.fail(Some(loci_model::facts::verdict::Unverifiable::Network)));
    shop.world.clock().advance_ms(366 * DAY_MS);
    assert_eq!(shop.recent(VerifyMode::Fresh).facts[0].verdict(), Some(Verdict::Unverifiable));
    block_on(shop.engine.sweep()).unwrap();
    assert_eq!(shop.status(&id), RecordState::Expired, "a mere read extends nothing");
    shop.code(|history| history.fail(None));
    assert_eq!(shop.stored(), id);
    assert_eq!(shop.status(&id), RecordState::Active);
    shop.assert_replayed(&id);
}

#[test]
fn deleting_leaves_a_row_without_text() {
    let shop = Shop::new();
    let id = shop.stored();
    let deleted = block_on(shop.engine.verified.facts_delete(
        &shop.caller,
        &shop.standing,
        std::slice::from_ref(&id),
        "a mistake",
    ));
    assert_eq!(deleted.unwrap(), 1);
    assert!(shop.recent(VerifyMode::Cached).facts.is_empty());
    shop.world.clock().advance_ms(8 * DAY_MS);
    block_on(shop.engine.sweep()).unwrap();
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let events = block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| {
        Ok((tx.fact_events().of_record(&memory, &id, 50)?, tx.facts().get(&memory, &id)?))
    }))
    .unwrap();
    assert!(events.0.iter().any(|event| event.kind.as_str() == "deleted"), "{events:?}");
    assert!(events.1.is_none(), "citations and code are erased");
    shop.assert_told();
    assert!(!CART.is_empty());
}

#[test]
fn a_fact_that_is_sent_again_is_refused_once_it_was_forgotten() {
    let shop = Shop::new();
    let store = |if_erased: IfErased| {
        shop.world.clock().advance_ms(1_000);
        let token = ClientToken::new("once", &serde_json::Value::Null).unwrap().with_if_erased(if_erased);
        block_on(shop.engine.verified.fact_store(&shop.caller, &shop.standing, limit_fact(), Some(token)))
    };
    let first = store(IfErased::Answer).unwrap().view.remembered.record.id;
    assert_eq!(store(IfErased::Answer).unwrap().view.remembered.record.id, first);
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let actor = loci_model::ActorId::parse(super::fixture::REPO).unwrap();
    block_on(shop.engine.forget_actor(&shop.caller, &memory, &actor)).unwrap();
    let refused = store(IfErased::Answer).unwrap_err();
    assert_eq!(refused.reason, Some(loci_model::Reason::SourceErased), "{refused:?}");
    let restored = store(IfErased::Restore).unwrap().view.remembered.record.id;
    assert_eq!(store(IfErased::Answer).unwrap().view.remembered.record.id, restored);
}

#[test]
fn forgetting_whose_facts_they_are_leaves_a_row_of_each() {
    let shop = Shop::new();
    let id = shop.stored();
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let actor = loci_model::ActorId::parse(super::fixture::REPO).unwrap();
    let receipt = block_on(shop.engine.forget_actor(&shop.caller, &memory, &actor)).unwrap();
    assert_eq!(receipt.records, 1);
    let events = block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| {
        Ok((tx.fact_events().of_record(&memory, &id, 50)?, tx.facts().get(&memory, &id)?))
    }))
    .unwrap();
    assert!(events.0.iter().any(|event| event.kind.as_str() == "deleted"), "{events:?}");
    assert!(events.1.is_none());
    shop.assert_told();
}
