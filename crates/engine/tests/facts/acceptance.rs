//! The acceptance list of verified memory, A1 to A12, as far as it can be tested without a network,
//! a real clock and a machine of known speed. The table in docs/reference/fact-acceptance.md lists
//! the others.

use std::sync::Arc;

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::calls::call_context::CallContext;
use loci_engine::{EngineParts, EngineSettings};
use loci_engine_testkit::TestLocation;
use loci_model::facts::citation::CitationInput;
use loci_model::facts::verdict::{Method, Unverifiable, Verdict};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::time::DAY_MS;
use loci_model::{CodeReason, ErrorKind};
use loci_products::Loci;
use loci_testkit_ports::{CodeShelf, ManualClock, SeededIds, block_on};
use loci_verified::{FactReadOptions, FactView, VerifyMode};

use super::fixture::{DIRECTORY, REPO, Shop, about, cite, history, limit_fact, reason};

#[test]
fn a01_every_known_defect_has_its_test() {
    let tests = include_str!("known_defects.rs");
    for number in 1..=13 {
        assert!(tests.contains(&format!("#[test]\nfn b{number:02}_")), "B{number}");
    }
}

#[test]
fn a02_what_is_returned_can_be_verified_as_it_is() {
    let shop = Shop::new();
    shop.stored();
    shop.write(
        "src/limits.rs",
        Some("// moved down\n\n/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n"),
    );
    let list = shop.recent(VerifyMode::None);
    let returned = given_back(&list.facts[0]);
    let found =
        block_on(shop.engine.verified.code_verify(&shop.caller, &shop.standing, REPO, returned, None))
            .unwrap();
    let methods: Vec<Method> = found.verification.citations.iter().map(|one| one.method).collect();
    assert_eq!(
        (found.verification.verdict, methods),
        (Verdict::Valid, vec![Method::Unchanged, Method::Moved])
    );
}

/// Returns the citations of a fact as the tools return them.
fn given_back(view: &FactView) -> Vec<CitationInput> {
    let given = view.remembered.fact.detail.citations.iter().map(|citation| CitationInput {
        place: citation.anchor.place.clone(),
        sha: citation.anchor.commit.map(|commit| commit.to_string()),
        snippet_hash: Some(citation.anchor.snippet_hash.clone()),
    });
    given.collect()
}

#[test]
fn a04_what_is_not_there_is_refused_what_is_irrelevant_is_said_and_no_secret_is_kept() {
    let shop = Shop::new();
    for number in 0..50_u32 {
        let nowhere = match number % 3 {
            0 => cite(&format!("src/none{number}.rs"), 1, 1),
            1 => cite("src/cart.rs", 22 + number, 23 + number),
            _ => cite(&format!("src/cart.rs/{number}"), 1, 1),
        };
        let error = shop.store(about("add_item fails with CartFull.", vec![nowhere])).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::CitationUnreadable), "{error:?}");
    }
    for number in 0..20 {
        let stored = shop.store(about(
            &format!("Lunch is at noon on weekday {number}."),
            vec![cite("src/cart.rs", 10, 13)],
        ));
        let flags = stored.unwrap().view.remembered.fact.detail.flags;
        assert!(flags.contains(&"UNGROUNDED".to_owned()), "{flags:?}");
    }
    let secrets = ["AKIAIOSFODNN7EXAMPL2", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"];
    for secret in secrets {
        let told = shop
            .store(about(&format!("The key is {secret}."), vec![cite("src/cart.rs", 10, 13)]))
            .unwrap_err();
        assert_eq!(reason(&told), Some(CodeReason::SecretDetected), "{told:?}");
    }
    let all = format!(
        "{:?}",
        shop.recent(VerifyMode::None)
            .facts
            .iter()
            .map(|view| view.remembered.record.text.clone())
            .collect::<Vec<_>>()
    );
    assert!(secrets.iter().all(|secret| !all.contains(secret)));
}

#[test]
fn a05_without_a_network_nothing_becomes_invalid() {
    let shop = Shop::new();
    let id = shop.stored();
    for why in
        [Unverifiable::Network, Unverifiable::Rate, Unverifiable::Deadline, Unverifiable::AuthOrMissing]
    {
        shop.code(|history| history.fail(Some(why)));
        // The loop of the source design: facts that are not valid are invalidated.
        for view in shop.recent(VerifyMode::Fresh).facts {
            assert_eq!(view.verdict(), Some(Verdict::Unverifiable));
            let error = shop.invalidate(&view.remembered.record.id).unwrap_err();
            assert_eq!((reason(&error), error.is_retryable()), (Some(CodeReason::Unverifiable), true));
        }
        for _ in 0..4 {
            shop.world.clock().advance_ms(3 * u64::try_from(DAY_MS).unwrap());
            block_on(shop.engine.sweep()).unwrap();
        }
        assert_eq!(shop.status(&id), RecordState::Active, "{why:?}");
    }
    shop.code(|history| history.fail(None));
    assert_eq!(shop.recent(VerifyMode::Fresh).facts[0].verdict(), Some(Verdict::Valid));
    shop.assert_replayed(&id);
}

/// This is the loop above with returned data: the citations are submitted, not the fact's id.
#[test]
fn a05_citations_that_cannot_be_read_invalidate_nothing() {
    let shop = Shop::new();
    let id = shop.stored();
    let view = shop.recent(VerifyMode::Fresh).facts.remove(0);
    assert_eq!(view.verdict(), Some(Verdict::Valid));
    let returned = given_back(&view);
    let verify = |citations: Vec<CitationInput>| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.verified.code_verify(&shop.caller, &shop.standing, REPO, citations, None))
            .unwrap()
    };
    for given in [returned.clone(), vec![returned[1].clone()], vec![cite("src/limits.rs", 2, 2)]] {
        shop.verify(&id);
        shop.code(|history| history.fail(Some(Unverifiable::AuthOrMissing)));
        assert_eq!(verify(given).verification.verdict, Verdict::Unverifiable);
        let error = shop.invalidate(&id).unwrap_err();
        assert_eq!((reason(&error), error.is_retryable()), (Some(CodeReason::Unverifiable), true));
        shop.code(|history| history.fail(None));
        // A valid result is no reason to invalidate, and no receipt for the fact either.
        assert_eq!(verify(returned.clone()).verification.verdict, Verdict::Valid);
        assert_eq!(reason(&shop.invalidate(&id).unwrap_err()), Some(CodeReason::Unverifiable));
        assert_eq!(shop.status(&id), RecordState::Active);
    }
    // Citations that match no stored fact block nothing.
    shop.verify(&id);
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    verify(vec![cite("README.md", 1, 1)]);
    shop.code(|history| history.fail(None));
    // A later result of not valid permits the invalidation.
    shop.write("src/limits.rs", Some("pub const NOTHING_OF_THE_KIND: u8 = 1;\n"));
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    verify(returned.clone());
    shop.invalidate(&id).unwrap_err();
    shop.code(|history| history.fail(None));
    assert_eq!(verify(returned).verification.verdict, Verdict::Gone);
    assert!(shop.invalidate(&id).unwrap());
    shop.assert_replayed(&id);
}

#[test]
fn a07_ten_writers_of_two_engines_lose_nothing() {
    const WRITERS: usize = 10;
    const EACH: usize = 4;
    let place = TestLocation::new().unwrap();
    let shelf = CodeShelf::default();
    shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), history());
    // Two separate stores on one place: they share only data on disk.
    let engine = |seed: u64| {
        let parts = EngineParts::quiet(
            place.open().unwrap(),
            None,
            Arc::new(ManualClock::default()),
            Arc::new(SeededIds::new(seed)),
            Arc::new(loci_testkit_ports::OpenVault),
        );
        Loci::new(EngineParts { code: Some(Arc::new(shelf.clone())), ..parts }, EngineSettings::default())
    };
    let engines = [engine(1), engine(2)];
    let (caller, standing) = (Principal::administrator("tester"), CallContext::default());
    let add = RepositoryAdd { directory: Some(DIRECTORY.into()), ..RepositoryAdd::default() };
    block_on(engines[0].verified.repository_add(&caller, &standing, add)).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, caller, standing) = (&engines[writer % 2], &caller, &standing);
            scope.spawn(move || {
                for nth in 0..EACH {
                    let fact = format!("Rule {writer}-{nth}: add_item fails with CartFull.");
                    let new = about(&fact, vec![cite("src/cart.rs", 10, 13)]);
                    block_on(engine.verified.fact_store(caller, standing, new, None)).unwrap();
                    // All store this fact too: it is one fact, independent of the order.
                    block_on(engine.verified.fact_store(caller, standing, limit_fact(), None)).unwrap();
                }
            });
        }
    });
    for engine in &engines {
        let list =
            block_on(engine.verified.facts_recent(&caller, &standing, REPO, 200, FactReadOptions::default()))
                .unwrap();
        assert_eq!(list.facts.len(), WRITERS * EACH + 1);
        let one = list.facts.iter().find(|view| view.remembered.subject() == "Carts").unwrap();
        assert_eq!(one.remembered.fact.counters.verifications as usize, WRITERS * EACH - 1);
    }
    let memory = block_on(engines[0].verified.code_memory(&caller, &standing)).unwrap();
    let report = block_on(engines[1].verified.telemetry_check(&caller, &memory)).unwrap();
    assert_eq!((report.violations, report.records as usize), (vec![], WRITERS * EACH + 1));
    engines.iter().for_each(|engine| engine.store().close());
}

#[test]
fn a08_tenants_of_one_repository_share_no_verdict_and_no_word() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.recent(VerifyMode::Fresh);
    let new = loci_engine::memories::NewMemory {
        name: "other".to_owned(),
        event_expiry_days: 30,
        ..loci_engine::memories::NewMemory::default()
    };
    block_on(shop.engine.memory_create(&shop.caller, new, None)).unwrap();
    let there = CallContext { memory: Some("other".to_owned()), ..CallContext::default() };
    let add = RepositoryAdd { directory: Some(DIRECTORY.into()), ..RepositoryAdd::default() };
    block_on(shop.engine.verified.repository_add(&shop.caller, &there, add)).unwrap();
    let stored = block_on(shop.engine.verified.fact_store(&shop.caller, &there, limit_fact(), None)).unwrap();
    assert_eq!(stored.similar, [], "what another tenant stored is like nothing");
    // The same text, code and commit: the verdict stored for the other tenant is not used.
    let rows = || shop.kinds(&id).iter().filter(|kind| kind.starts_with("verif")).count();
    let before = rows();
    let list = block_on(shop.engine.verified.facts_recent(
        &shop.caller,
        &there,
        REPO,
        5,
        FactReadOptions::default(),
    ))
    .unwrap();
    assert_eq!((list.facts.len(), list.facts[0].verdict()), (1, Some(Verdict::Valid)));
    assert_ne!(list.facts[0].remembered.record.id, id);
    assert_eq!(rows(), before);
    let error = block_on(shop.engine.verified.fact_get(&shop.caller, &there, &id)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(!format!("{error:?}").contains("add_item"), "{error:?}");
    shop.assert_told();
}

#[test]
fn a09_a_moved_origin_and_another_directory_are_one_repository() {
    let shop = Shop::new();
    let id = shop.stored();
    let first = shop.add(DIRECTORY).repository.id;
    shop.shelf.put(DIRECTORY, Some("https://gitlab.example/acme/store.git"), history());
    shop.shelf.put("/bare/shop.git", Some("https://github.com/acme/shop"), history());
    for directory in [DIRECTORY, "/bare/shop.git"] {
        let again = shop.add(directory);
        assert_eq!((again.created, &again.repository.id), (false, &first), "{directory}");
    }
    assert_eq!(shop.recent(VerifyMode::Cached).facts[0].remembered.record.id, id);
}
