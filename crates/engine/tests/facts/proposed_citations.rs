//! Citations from text: statements on a repository that extraction finds are verified before they
//! are shown, and appear in no tool until a caller stores or refreshes them.

use std::collections::BTreeMap;

use loci_engine::calls::call_context::CallContext;
use loci_engine::events::NewEvent;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::facts::fact::Fact;
use loci_model::facts::verdict::{Method, Unverifiable, Verdict};
use loci_model::ports::store::{FactChoice, FactPage, RecordPage, StoreExt};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ActorId, ErrorKind, RecordId, SessionId, Timestamp};
use loci_testkit_ports::block_on;
use loci_testkit_ports::samples::record_id;
use loci_verified::{
    AppliedOutcome, ByPath, FactFilters, FactList, FactReadOptions, FactSearch, NewFact, PathMatch,
    StoreStatus, VerifyMode, content_hash,
};

use super::fixture::{CART, LIMITS, REPO, Shop, about, cite};

const TEXT: &str = "`add_item` refuses more than MAX_ITEMS items, see src/limits.rs:2.";

/// Sends a statement in a task on a repository, and extracts it.
fn say(shop: &Shop, actor: &str, text: &str, metadata: &[(&str, &str)]) {
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let event = NewEvent {
        memory: memory.clone(),
        actor: ActorId::parse(actor).unwrap(),
        session: Some(SessionId::parse("task-1").unwrap()),
        time: None,
        payload: vec![PayloadItem::Conversational { role: Role::Assistant, text: text.to_owned() }],
        branch: None,
        metadata: metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        extraction: ExtractionMode::Extract,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.event_create(&shop.caller, event, None)).unwrap();
    work(shop);
}

/// Runs jobs until none is due.
fn work(shop: &Shop) {
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    shop.world.work(&memory).unwrap();
}

/// Returns the records with proposed citations, with their places and flags.
fn proposed(shop: &Shop) -> Vec<(RecordId, Vec<String>, Vec<String>)> {
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let repository = shop.add(super::fixture::DIRECTORY).repository.id;
    let page = FactPage {
        memory,
        repository,
        statuses: RecordState::ALL.to_vec(),
        choice: FactChoice::Proposed,
        after: None,
        limit: 100,
    };
    let facts =
        block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| tx.facts().list(&page))).unwrap();
    let places = |fact: &loci_model::facts::fact::Fact| {
        let place = |one: &loci_model::facts::citation::Citation| {
            let place = &one.anchor.place;
            format!("{}:{}-{}", place.path, place.line_start, place.line_end)
        };
        fact.detail.citations.iter().map(place).collect()
    };
    facts.iter().map(|fact| (fact.record.clone(), places(fact), fact.detail.flags.clone())).collect()
}

fn shown(shop: &Shop) -> FactList {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.verified.facts_proposed(&shop.caller, &shop.standing, REPO, 50, None)).unwrap()
}

fn records(shop: &Shop) -> usize {
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let page = RecordPage { scope: RecordScope::whole(memory, Timestamp::EPOCH), after: None, limit: 100 };
    let listed = block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| tx.records().list(&page)));
    listed.unwrap().iter().filter(|record| record.kind == RecordKind::Fact).count()
}

#[test]
fn what_extraction_notices_is_proposed_with_its_places() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let found = proposed(&shop);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, ["src/limits.rs:2-2", "src/cart.rs:10-16"]);
    assert_eq!(found[0].2, ["auto_cited"]);
    let list = shown(&shop);
    assert_eq!((list.facts.len(), list.facts[0].verdict()), (1, Some(Verdict::Valid)));
    assert_eq!(list.facts[0].remembered.record.text, TEXT);
    // With a stored fact present, only proposed ones are returned.
    shop.stored();
    let ids =
        |list: FactList| list.facts.into_iter().map(|view| view.remembered.record.id).collect::<Vec<_>>();
    assert_eq!(ids(shown(&shop)), [found[0].0.clone()]);
}

#[test]
fn a_proposal_that_its_lines_contradict_is_for_people_alone() {
    let shop = Shop::new();
    say(&shop, REPO, "MAX_ITEMS is 9000, see src/limits.rs:2.", &[]);
    let (id, ..) = proposed(&shop).remove(0);
    for (by_person, shown) in [(true, vec![id]), (false, Vec::new())] {
        let standing = CallContext { by_person, ..shop.standing.clone() };
        let list =
            block_on(shop.engine.verified.facts_proposed(&shop.caller, &standing, REPO, 5, None)).unwrap();
        assert_eq!(list.omitted.contradicted, u64::from(!by_person));
        let ids: Vec<_> = list.facts.into_iter().map(|view| view.remembered.record.id).collect();
        assert_eq!(ids, shown, "{by_person}");
    }
}

#[test]
fn a_proposal_is_shown_however_many_facts_were_confirmed_since() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    shop.stored();
    shop.store(about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)])).unwrap();
    for limit in [1, 2] {
        let alone =
            block_on(shop.engine.verified.facts_proposed(&shop.caller, &shop.standing, REPO, limit, None));
        let ids: Vec<_> = alone.unwrap().facts.into_iter().map(|view| view.remembered.record.id).collect();
        assert_eq!(ids, std::slice::from_ref(&id), "of {limit}");
    }
}

#[test]
fn what_is_tied_to_no_repository_or_names_nothing_is_left_alone() {
    for (actor, text, metadata) in [
        ("acme/other", TEXT, &[][..]),
        ("alice", TEXT, &[]),
        (REPO, "The shop opens at nine, and closes at six.", &[]),
        (REPO, "Does `add_item` in src/cart.rs refuse that?", &[]),
        (REPO, "src/gone.rs and `nowhere_defined` were removed.", &[]),
        (REPO, TEXT, &[("repo", "acme/other")]),
        (REPO, TEXT, &[("commit", "0123456789abcdef")]),
    ] {
        let shop = Shop::new();
        say(&shop, actor, text, metadata);
        assert_eq!(records(&shop), 1, "{text}");
        assert_eq!(proposed(&shop), [], "{actor} {text} {metadata:?}");
    }
}

#[test]
fn the_commit_of_the_event_is_what_its_lines_mean() {
    let shop = Shop::new();
    let before = shop.code(|history| history.tip().commit()).unwrap().to_string();
    shop.write("src/limits.rs", Some(&format!("//! Limits.\n\n{LIMITS}")));
    let text = "Fifty is the most that fits (src/limits.rs:2).";
    say(&shop, REPO, text, &[("commit", &before[..12]), ("repo", "github.com/ACME/shop")]);
    assert_eq!(proposed(&shop)[0].1, ["src/limits.rs:2-2"]);
    let list = shown(&shop);
    let found = list.facts[0].verification.as_ref().unwrap();
    assert_eq!((found.verdict, found.citations[0].method), (Verdict::Valid, Method::Moved));
}

#[test]
fn none_of_the_tools_knows_of_a_proposal() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    shown(&shop);
    let (engine, caller, standing) = (&shop.engine, &shop.caller, &shop.standing);
    for verify in [VerifyMode::None, VerifyMode::Cached, VerifyMode::Fresh] {
        assert_eq!(shop.recent(verify).facts.len(), 0, "{verify:?}");
        let by =
            ByPath { path: "src/limits.rs".to_owned(), matching: PathMatch::Exact, previous: true, limit: 5 };
        let serving = FactReadOptions { verify, ..FactReadOptions::default() };
        assert!(
            block_on(engine.verified.facts_by_path(caller, standing, REPO, by, serving.clone()))
                .unwrap()
                .facts
                .is_empty()
        );
        let path = FactFilters { path: Some("src".to_owned()), ..FactFilters::default() };
        for (query, filters) in
            [(Some(TEXT), FactFilters::default()), (Some("add_item"), path.clone()), (None, path)]
        {
            let asked =
                FactSearch { repo: REPO.to_owned(), query: query.map(str::to_owned), filters, limit: 10 };
            assert!(
                block_on(engine.verified.facts_search(caller, standing, asked, serving.clone()))
                    .unwrap()
                    .facts
                    .is_empty()
            );
        }
    }
    let supersede = shop.supersede(&id, "Something else.", Some(vec![cite("src/limits.rs", 2, 2)]));
    for error in [
        block_on(engine.verified.fact_get(caller, standing, &id)).unwrap_err(),
        block_on(engine.verified.fact_history(caller, standing, &id, 5)).unwrap_err(),
        block_on(engine.verified.fact_verify(caller, standing, &id, None)).unwrap_err(),
        block_on(engine.verified.fact_applied(caller, standing, &id, Some(AppliedOutcome::Helped), None))
            .unwrap_err(),
        shop.invalidate(&id).unwrap_err(),
        supersede.unwrap_err(),
    ] {
        assert_eq!(error.kind, ErrorKind::NotFound, "{error:?}");
    }
    // Citations at the same place are not compared with its anchors.
    let given = block_on(engine.verified.code_verify(
        caller,
        standing,
        REPO,
        vec![cite("src/limits.rs", 2, 2)],
        None,
    ))
    .unwrap();
    assert_eq!(given.verification.citations[0].method, Method::Unanchored);
    // Storing a similar fact neither matches nor names it.
    let near = NewFact { fact: TEXT.replace("more", "anything more"), ..super::fixture::limit_fact() };
    assert_eq!(shop.store(near).unwrap().similar, []);
    let stats = block_on(engine.verified.fact_stats(caller, standing, REPO)).unwrap();
    assert_eq!(stats.count(RecordState::Active), 1, "the one that was stored");
    assert_eq!(stats.sums.by_status.iter().map(|(_, count)| count).sum::<u64>(), 1);
    let rates = &stats.verdict_rates[1].1;
    assert_eq!(rates.get("valid").copied(), Some(1.0), "verifications of proposals are no rates: {rates:?}");
}

#[test]
fn proposals_take_no_place_in_a_search() {
    for count in [3, 300] {
        let shop = Shop::new();
        let stored = shop.store(about("MAX_ITEMS is 50.", vec![cite("src/limits.rs", 2, 2)])).unwrap();
        say(&shop, REPO, TEXT, &[]);
        let (id, ..) = proposed(&shop).remove(0);
        let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
        let copied = shop.engine.store().write(move |tx| {
            let (record, fact) = (tx.records().get(&memory, &id)?, tx.facts().get(&memory, &id)?);
            let (Some(record), Some(fact)) = (record, fact) else { return Ok(0) };
            for number in 1..=count {
                let id = record_id(number)?;
                let text = format!("{TEXT} ({number})");
                let content_hash = content_hash("", &text);
                tx.records_mut().insert(&Record { id: id.clone(), text, ..record.clone() })?;
                tx.facts_mut().put(&Fact { record: id, content_hash, ..fact.clone() })?;
            }
            Ok(count)
        });
        assert_eq!(block_on(copied).unwrap(), count);
        let search = |limit: u32, filters: FactFilters| {
            let asked = FactSearch { repo: REPO.to_owned(), query: Some(TEXT.to_owned()), filters, limit };
            let serving = FactReadOptions::default();
            let list =
                block_on(shop.engine.verified.facts_search(&shop.caller, &shop.standing, asked, serving));
            let facts = list.unwrap().facts.into_iter();
            facts.map(|view| view.remembered.record.id).collect::<Vec<_>>()
        };
        let path = FactFilters { path: Some("src".to_owned()), ..FactFilters::default() };
        for (limit, filters) in [(1, FactFilters::default()), (20, FactFilters::default()), (1, path)] {
            let found = search(limit, filters);
            let stored = std::slice::from_ref(&stored.view.remembered.record.id);
            assert_eq!(found, stored, "{limit} among {count}");
        }
    }
}

#[test]
fn what_is_gone_or_unreadable_is_not_shown_and_changes_no_record() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    let state = || {
        let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
        let id = id.clone();
        let found = block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| {
            Ok((tx.records().get(&memory, &id)?, tx.facts().get(&memory, &id)?))
        }))
        .unwrap();
        (found.0.unwrap().state, found.1.unwrap().status)
    };
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    let list = shown(&shop);
    assert_eq!((list.facts.len(), list.omitted.unproven), (0, 1));
    shop.code(|history| history.fail(None));
    shop.write("src/cart.rs", None);
    let list = shown(&shop);
    assert_eq!((list.facts.len(), list.omitted.gone), (0, 1));
    shop.world.clock().advance_ms(400 * 86_400_000);
    block_on(shop.engine.sweep()).unwrap();
    work(&shop);
    assert_eq!(state(), (RecordState::Active, RecordState::Active), "a proposal is no evidence");
    shop.write("src/cart.rs", Some(CART));
    assert_eq!(shown(&shop).facts.len(), 1);
}

#[test]
fn storing_the_same_makes_a_fact_of_it() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    let fact = NewFact {
        repo: REPO.to_owned(),
        subject: "Carts".to_owned(),
        fact: format!("{} ", TEXT.to_uppercase().replace("ADD_ITEM", "add_item")),
        citations: vec![cite("src/cart.rs", 10, 13)],
        reason: Some("orders would not fit a parcel".to_owned()),
        ..NewFact::default()
    };
    let stored = shop.store(fact).unwrap();
    assert_eq!((stored.status, &stored.view.remembered.record.id), (StoreStatus::Refreshed, &id));
    let view = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, &id)).unwrap();
    let (record, fact) = (&view.remembered.record, &view.remembered.fact);
    assert_eq!((view.remembered.subject(), record.text.as_str(), record.version), ("Carts", TEXT, 2));
    assert!(!fact.proposed && fact.detail.flags.is_empty(), "{:?}", fact.detail.flags);
    assert_eq!(fact.detail.citations.len(), 1, "the agent's own citations count");
    assert_eq!((fact.counters.verifications, fact.detail.source.principal.as_str()), (1, "tester"));
    assert!(fact.expires_at < Timestamp::LATEST);
    assert_eq!(shop.recent(VerifyMode::Cached).facts.len(), 1);
    assert_eq!(proposed(&shop), []);
    assert_eq!(shop.kinds(&id), ["created", "verified_valid", "refreshed", "verified_valid", "retrieved"]);
    shop.assert_replayed(&id);
    assert_eq!(records(&shop), 1);
}

#[test]
fn refreshing_makes_a_fact_of_it_where_its_code_holds() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    shop.write("src/limits.rs", None);
    assert!(shop.refresh(&id, None).is_err());
    assert_eq!(proposed(&shop).len(), 1, "nothing changed");
    shop.write("src/limits.rs", Some(LIMITS));
    assert_eq!(shop.refresh(&id, None).unwrap(), 1);
    let view = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, &id)).unwrap();
    assert_eq!(view.remembered.subject(), "MAX_ITEMS");
    assert_eq!(view.remembered.fact.detail.citations.len(), 2);
    let list = shop.recent(VerifyMode::Cached);
    assert_eq!((list.facts.len(), list.facts[0].verdict()), (1, Some(Verdict::Valid)));
    assert_eq!((shown(&shop).facts.len(), proposed(&shop)), (0, vec![]));
    shop.assert_replayed(&id);
}

#[test]
fn a_proposal_goes_with_its_record_and_gives_way_to_a_fact() {
    let shop = Shop::new();
    say(&shop, REPO, TEXT, &[]);
    let (id, ..) = proposed(&shop).remove(0);
    // Another record has a fact with the same text: the proposal is not shown twice.
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let deleted = block_on(shop.engine.verified.facts_delete(
        &shop.caller,
        &shop.standing,
        std::slice::from_ref(&id),
        "a mistake",
    ));
    assert_eq!(deleted.unwrap(), 1);
    assert!(shown(&shop).facts.is_empty());
    let events = block_on(StoreExt::read(shop.engine.store().as_ref(), move |tx| {
        Ok((tx.fact_events().of_record(&memory, &id, 9)?, tx.facts().get(&memory, &id)?))
    }))
    .unwrap();
    assert_eq!(events.0.first().map(|event| event.kind.as_str()), Some("deleted"));
    assert_eq!(events.1.map(|fact| fact.status), Some(RecordState::Erased));
}

#[test]
fn what_cannot_be_read_now_is_read_later() {
    let shop = Shop::new();
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    say(&shop, REPO, TEXT, &[]);
    assert_eq!(proposed(&shop), []);
    shop.code(|history| history.fail(None));
    work(&shop);
    assert_eq!(proposed(&shop).len(), 1);
}
