//! Facts that named a forgotten person: the code still supports them.

use loci_model::RecordId;
use loci_model::facts::support::Assurance;
use loci_model::ports::store::StoreExt;
use loci_testkit_ports::block_on;
use loci_verified::{NewFact, VerifyMode};

use super::fixture::{Shop, cite, limit_fact};

#[test]
fn a_fact_that_named_a_forgotten_person_stays_supported() {
    let shop = Shop::new();
    let fact = "A cart holds at most MAX_ITEMS = 50 items, says @pauline.".to_owned();
    let citations = vec![cite("src/limits.rs", 2, 2)];
    let stored = shop.store(NewFact { fact, citations, ..limit_fact() }).unwrap();
    let id = stored.view.remembered.record.id;
    let check = |name: &str| {
        let facts = shop.recent(VerifyMode::Fresh).facts;
        let view = facts.iter().find(|view| view.remembered.record.id == id).unwrap();
        assert!(view.remembered.record.text.contains(name), "{}", view.remembered.record.text);
        assert_eq!(view.assurance(), Assurance::Verified, "{} {}", view.label(), view.remembered.record.text);
    };
    check("@pauline");
    block_on(shop.engine.coding.user_forget(&shop.caller, &shop.standing, "pauline")).unwrap();
    check("@erased-");
}

#[test]
fn no_kept_verdict_names_a_forgotten_person() {
    let shop = Shop::new();
    let fact = "`@pauline` says: a cart holds at most MAX_ITEMS = 50 items.".to_owned();
    let citations = vec![cite("src/limits.rs", 2, 2)];
    let stored = shop.store(NewFact { fact, citations, ..limit_fact() }).unwrap();
    let id = stored.view.remembered.record.id;
    let other = shop.store(limit_fact()).unwrap().view.remembered.record.id;
    shop.recent(VerifyMode::Fresh);
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let kept = |id: &RecordId| {
        let (memory, id, store) = (memory.clone(), id.clone(), shop.world.store());
        let kept = block_on(store.read(move |tx| tx.verdicts().of_record(&memory, &id))).unwrap();
        format!("{kept:?}")
    };
    let of_other = kept(&other);
    assert!(kept(&id).contains("pauline") && of_other != "[]", "{} {of_other}", kept(&id));
    block_on(shop.engine.coding.user_forget(&shop.caller, &shop.standing, "pauline")).unwrap();
    assert!(!kept(&id).contains("pauline"), "{}", kept(&id));
    assert_eq!(kept(&other), of_other, "what names nobody is not made again");
}
