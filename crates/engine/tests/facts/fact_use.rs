//! Uses of facts, and reads without a verification: the reports and reads that an agent is
//! permitted.

use loci_model::facts::verdict::Unverifiable;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{CodeReason, Error, ErrorKind, RecordId};
use loci_testkit_ports::block_on;
use loci_verified::{ByPath, FactReadOptions, FactSearch, PathMatch, VerifyMode};

use super::fixture::{CART, LIMITS, REPO, Shop, about, cite, reason};

fn used(shop: &Shop, id: &RecordId) -> Result<bool, Error> {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.verified.fact_applied(&shop.caller, &shop.standing, id, None, None))
        .map(|done| done.refreshed && !done.unverified)
}

#[test]
fn the_use_of_a_withheld_fact_is_refused() {
    let changed =
        CART.replace("self.items.len() >= MAX_ITEMS", "self.items.len() + 1 > MAX_ITEMS && !self.is_open");
    for (path, text, why, expect) in [
        ("README.md", Some("# Shop\n"), None, None),
        ("src/cart.rs", Some(changed.as_str()), None, Some(CodeReason::NotVerified)),
        ("src/cart.rs", None, None, Some(CodeReason::NotVerified)),
        ("README.md", Some("# Shop\n"), Some(Unverifiable::Network), Some(CodeReason::Unverifiable)),
    ] {
        let shop = Shop::new();
        let id = shop.stored();
        // The receipt of storing belongs to other code now.
        shop.world.clock().advance_ms(11 * 60_000);
        shop.write(path, text);
        shop.code(|history| history.fail(why));
        let found = used(&shop, &id);
        assert_eq!(found.as_ref().err().and_then(reason), expect, "{path} {why:?}: {found:?}");
        assert_eq!(found.is_ok(), expect.is_none());
        shop.code(|history| history.fail(None));
        let counted = u64::from(expect.is_none());
        let stats = block_on(shop.engine.verified.fact_stats(&shop.caller, &shop.standing, REPO)).unwrap();
        let rate = stats.verified_before_use_rate;
        assert_eq!((stats.sums.applied, rate), (counted, (counted > 0).then_some(1.0)), "{path} {why:?}");
        shop.assert_replayed(&id);
    }
}

#[test]
fn a_fact_that_no_read_serves_has_no_use() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.invalidate(&id).unwrap();
    shop.world.clock().advance_ms(11 * 60_000);
    assert_eq!(reason(&used(&shop, &id).unwrap_err()), Some(CodeReason::NotActive));
    // Its lines are unchanged, and contradict the value.
    let stored = shop.store(about("MAX_ITEMS is 9000.", vec![cite("src/limits.rs", 2, 2)])).unwrap();
    assert!(stored.warnings.iter().any(|one| one.starts_with("CONTRADICTED: MAX_ITEMS is 50")), "{stored:?}");
    let wrong = stored.view.remembered.record.id;
    for minutes in [0, 11] {
        shop.world.clock().advance_ms(minutes * 60_000);
        let error = used(&shop, &wrong).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::NotVerified), "{error:?}");
        assert!(error.message.contains("MAX_ITEMS is 50 there, not 9000"), "{error:?}");
    }
    shop.write("src/limits.rs", Some(&LIMITS.replace("50", "9_000")));
    let right = shop.supersede(&wrong, "MAX_ITEMS is 9000 now.", Some(vec![cite("src/limits.rs", 2, 2)]));
    assert!(used(&shop, &right.unwrap().new).unwrap());
}

#[test]
fn unverified_facts_are_read_by_capability() {
    let shop = Shop::new();
    shop.stored();
    let administrator = Principal::administrator("agent");
    let mut reader = administrator.clone();
    reader.grants = vec![Grant {
        capabilities: [Capability::Read, Capability::Unverified].into(),
        ..Grant::everything()
    }];
    for (caller, by_person, is_allowed) in
        [(&administrator, false, false), (&administrator, true, true), (&reader, false, true)]
    {
        let standing = loci_engine::calls::call_context::CallContext { by_person, ..shop.standing.clone() };
        let serving = FactReadOptions { verify: VerifyMode::None, ..FactReadOptions::default() };
        let by = ByPath { path: "src".into(), matching: PathMatch::Prefix, previous: true, limit: 10 };
        let query = Some("items of a cart".to_owned());
        let asked = FactSearch { repo: REPO.to_owned(), query, limit: 10, ..FactSearch::default() };
        let engine = &shop.engine;
        for found in [
            block_on(engine.verified.facts_recent(caller, &standing, REPO, 10, serving.clone())),
            block_on(engine.verified.facts_by_path(caller, &standing, REPO, by, serving.clone())),
            block_on(engine.verified.facts_search(caller, &standing, asked, serving.clone())),
        ] {
            match found {
                Ok(list) => assert!(is_allowed && list.warnings[0].starts_with("NOT_VERIFIED"), "{list:?}"),
                Err(error) => {
                    assert!(!is_allowed && error.kind == ErrorKind::Denied, "{error:?}");
                    assert_eq!(error.field.as_deref(), Some("verify"));
                }
            }
        }
    }
}
