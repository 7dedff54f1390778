//! Defects of earlier implementations of verified memory, B1 to B13: each test fails on the
//! behaviour in its name. The table in docs/reference/fact-acceptance.md lists broader tests
//! elsewhere.

use loci_engine::records::QuarantineAsk;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::code::EntryKind;
use loci_model::facts::verdict::{Method, Unverifiable, Verdict};
use loci_model::ports::store::StoreExt;
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, ErrorKind, MemoryId, RecordId};
use loci_testkit_ports::block_on;
use loci_verified::{FactStored, StoreStatus, VerifyMode};

use super::fixture::{CART, LIMITS, REPO, Shop, about, cite, limit_fact, reason};

fn memory(shop: &Shop) -> MemoryId {
    block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap()
}

fn count(shop: &Shop, id: &RecordId) -> u64 {
    let view = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, id)).unwrap();
    view.remembered.fact.counters.verifications
}

fn refused(stored: Result<FactStored, Error>, expect: CodeReason) {
    assert_eq!(reason(&stored.unwrap_err()), Some(expect));
}

#[test]
fn b01_a_range_behind_the_end_of_a_file_is_not_valid() {
    let shop = Shop::new();
    refused(
        shop.store(about("add_item", vec![cite("src/cart.rs", 900, 901)])),
        CodeReason::CitationUnreadable,
    );
    let given = vec![cite("src/cart.rs", 900, 901)];
    let found =
        block_on(shop.engine.verified.code_verify(&shop.caller, &shop.standing, REPO, given, None)).unwrap();
    assert_eq!(found.verification.verdict, Verdict::Gone);
    let id = shop.stored();
    shop.write("src/cart.rs", Some("use crate::money::Cents;\n"));
    assert_eq!(
        shop.verify(&id).verification.verdict,
        Verdict::Gone,
        "the file is readable, and has one line"
    );
}

#[test]
fn b02_hashes_and_commits_are_the_servers_and_those_of_callers_are_checked() {
    let shop = Shop::new();
    let lie = |sha: Option<&str>, hash: Option<&str>| CitationInput {
        sha: sha.map(str::to_owned),
        snippet_hash: hash.map(str::to_owned),
        ..cite("src/limits.rs", 2, 2)
    };
    let wrong = format!("vm1:{}", "0".repeat(32));
    refused(shop.store(about("MAX_ITEMS", vec![lie(None, Some(&wrong))])), CodeReason::CitationUnreadable);
    refused(
        shop.store(about("MAX_ITEMS", vec![lie(Some("0123456789"), None)])),
        CodeReason::CitationUnreadable,
    );
    let stored = shop.store(about("MAX_ITEMS is 50.", vec![lie(None, None)])).unwrap();
    let anchor = &stored.view.remembered.fact.detail.citations[0].anchor;
    assert!(anchor.snippet_hash.starts_with("vm1:") && anchor.commit.is_some());
    let given = vec![lie(None, Some(&wrong))];
    let found =
        block_on(shop.engine.verified.code_verify(&shop.caller, &shop.standing, REPO, given, None)).unwrap();
    assert_ne!(found.verification.verdict, Verdict::Valid);
}

#[test]
fn b03_refreshing_without_a_verification_counts_nothing() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.write("src/cart.rs", Some("fn nothing_of_the_kind() {}\n"));
    assert_eq!(reason(&shop.refresh(&id, None).unwrap_err()), Some(CodeReason::NotVerified));
    assert!(shop.refresh(&id, Some("00000000-0000-7000-8000-000000000000".to_owned())).is_err());
    assert_eq!(count(&shop, &id), 0);
    assert!(!shop.kinds(&id).contains(&"refreshed"));
}

#[test]
fn b04_created_refreshed_and_duplicate_are_told_apart() {
    let shop = Shop::new();
    let first = shop.store(limit_fact()).unwrap();
    let second = shop.store(limit_fact()).unwrap();
    assert_eq!((first.status, second.status), (StoreStatus::Created, StoreStatus::Refreshed));
    let id = first.view.remembered.record.id;
    assert_eq!(shop.kinds(&id).iter().filter(|kind| **kind == "created").count(), 1);
    let ask = QuarantineAsk {
        ids: vec![id.clone()],
        reason: "a person looks at it".to_owned(),
        ..QuarantineAsk::default()
    };
    block_on(shop.engine.records_quarantine(&shop.caller, &memory(&shop), ask)).unwrap();
    let third = shop.store(limit_fact()).unwrap();
    assert_eq!((third.status, &third.view.remembered.record.id), (StoreStatus::DuplicateOf, &id));
    assert_eq!(shop.status(&id), RecordState::Quarantined, "storing again does not take it out");
    shop.assert_replayed(&id);
}

#[test]
fn b05_what_is_returned_and_verified_has_rows_and_declaring_wrong_is_no_verification() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.recent(VerifyMode::Fresh);
    shop.invalidate(&id).unwrap();
    assert_eq!(shop.kinds(&id), ["verified_valid", "created", "verified_valid", "retrieved", "invalidated"]);
    shop.assert_replayed(&id);
}

#[test]
fn b06_an_error_is_not_evidence() {
    let shop = Shop::new();
    let id = shop.stored();
    for why in [Unverifiable::Network, Unverifiable::Auth, Unverifiable::Rate, Unverifiable::PartialClone] {
        shop.code(|history| history.fail(Some(why)));
        let verified = shop.verify(&id).verification;
        assert_eq!(
            (verified.verdict, verified.citations[0].unverifiable),
            (Verdict::Unverifiable, Some(why))
        );
        assert_eq!(shop.kinds(&id).last(), Some(&"verification_skipped"));
        assert_eq!(shop.status(&id), RecordState::Active);
    }
}

#[test]
fn b07_there_is_no_tenant_that_everybody_sees() {
    // The memory is the tenant. `tenants.rs` covers every operation; here the default memory is
    // checked.
    let shop = Shop::new();
    let id = shop.stored();
    let new = loci_engine::memories::NewMemory {
        name: "other".to_owned(),
        event_expiry_days: 30,
        ..loci_engine::memories::NewMemory::default()
    };
    block_on(shop.engine.memory_create(&shop.caller, new, None)).unwrap();
    let there = loci_engine::calls::call_context::CallContext {
        memory: Some("other".to_owned()),
        ..shop.standing.clone()
    };
    let error = block_on(shop.engine.verified.fact_get(&shop.caller, &there, &id)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    let error =
        block_on(shop.engine.verified.facts_recent(&shop.caller, &there, REPO, 5, Default::default()))
            .unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::RepositoryUnknown), "the same repository, another tenant");
}

#[test]
fn b08_large_files_are_read_or_refused_and_never_empty() {
    let shop = Shop::new();
    let filler = "let padding = another_line_of_a_long_file();\n";
    let large = format!("{}pub fn at_the_end() -> u32 {{ 77 }}\n", filler.repeat(2 << 20 >> 5));
    let lines = u32::try_from(large.lines().count()).unwrap();
    assert!((1 << 20..8 << 20).contains(&large.len()), "{}", large.len());
    shop.write("src/large.rs", Some(&large));
    shop.store(about("`at_the_end` gives 77.", vec![cite("src/large.rs", lines, lines)])).unwrap();
    let place = LineRange { path: "src/large.rs".to_owned(), line_start: lines, line_end: lines };
    let read =
        block_on(shop.engine.verified.code_read(&shop.caller, &shop.standing, REPO, place, None, 0)).unwrap();
    assert!(read.content.contains("at_the_end"), "{}", read.content);
    shop.write("src/huge.rs", Some(&filler.repeat(9 << 20 >> 5)));
    refused(
        shop.store(about("`at_the_end` gives 78.", vec![cite("src/huge.rs", 1, 1)])),
        CodeReason::TooLarge,
    );
}

#[test]
fn b09_a_fact_without_citations_is_impossible() {
    let shop = Shop::new();
    let error = shop.store(about("add_item fails with CartFull.", vec![])).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("citations")));
    let id = shop.stored();
    let memory = memory(&shop);
    let stripped = block_on(StoreExt::write(shop.engine.store().as_ref(), move |tx| {
        let mut fact = tx.facts().get(&memory, &id)?.unwrap();
        fact.detail.citations.clear();
        tx.facts_mut().put(&fact)
    }));
    assert_eq!(stripped.unwrap_err().kind, ErrorKind::Bug, "the store refuses it too");
}

#[test]
fn b10_a_correction_has_new_citations_that_hold() {
    let shop = Shop::new();
    let old = shop.stored();
    shop.write("src/cart.rs", None);
    refused_correction(&shop, &old);
    let done = shop
        .supersede(&old, "A cart takes MAX_ITEMS items.", Some(vec![cite("src/limits.rs", 2, 2)]))
        .unwrap();
    let view = block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, &done.new)).unwrap();
    let paths: Vec<_> = view.remembered.fact.paths();
    assert_eq!(paths, ["src/limits.rs"], "nothing of the old citations is taken over");
}

fn refused_correction(shop: &Shop, old: &RecordId) {
    let error = shop.supersede(old, "A cart takes MAX_ITEMS items.", None).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotVerified));
}

#[test]
fn b11_correcting_into_what_is_known_merges() {
    let shop = Shop::new();
    let one = shop.stored();
    let two = loci_verified::NewFact { fact: "MAX_ITEMS is 50.".to_owned(), ..limit_fact() };
    let two = shop.store(two).unwrap().view.remembered.record.id;
    let done = shop.supersede(&one, "MAX_ITEMS is  50", Some(vec![cite("src/limits.rs", 2, 2)])).unwrap();
    assert_eq!((done.merged, &done.new), (true, &two));
    assert_eq!((shop.status(&one), shop.status(&two)), (RecordState::Superseded, RecordState::Active));
    shop.assert_replayed(&one);
    shop.assert_replayed(&two);
}

#[test]
fn b12_impossible_ranges_and_paths_are_refused() {
    let shop = Shop::new();
    for (first, last) in [(0, 0), (0, 3), (5, 3), (1, 401), (1, u32::MAX)] {
        let error = shop.store(about("add_item", vec![cite("src/cart.rs", first, last)])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid, "{first}-{last}: {error:?}");
    }
    for path in [
        "../cart.rs",
        "/etc/passwd",
        "src/../../cart.rs",
        ".git/config",
        "GIT~1/config",
        "a\0b",
        "src//cart.rs",
    ] {
        refused(shop.store(about("add_item", vec![cite(path, 1, 1)])), CodeReason::PathRejected);
    }
    for name in ["src/cart.rs?ref=main", "src/a%2e%2e/b.rs", "src/a b#c.rs"] {
        refused(shop.store(about("add_item", vec![cite(name, 1, 1)])), CodeReason::CitationUnreadable);
        shop.write(name, Some(LIMITS));
        let found = shop.store(about(&format!("MAX_ITEMS of {name}"), vec![cite(name, 2, 2)]));
        assert!(found.is_ok(), "odd names are names: {found:?}");
    }
}

#[test]
fn b13_statistics_have_rejections_and_rates() {
    let shop = Shop::new();
    let id = shop.stored();
    let other = shop.store(about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)])).unwrap();
    shop.recent(VerifyMode::Fresh);
    shop.write("src/cart.rs", Some(&CART.replace("MAX_ITEMS", "LIMIT_OF_ITEMS_FOR_ONE")));
    shop.recent(VerifyMode::Fresh);
    shop.invalidate(&other.view.remembered.record.id).unwrap();
    let stats = block_on(shop.engine.verified.fact_stats(&shop.caller, &shop.standing, REPO)).unwrap();
    assert_eq!((stats.sums.rejections, stats.count(RecordState::Invalid)), (1, 1));
    let rates = &stats.verdict_rates[0].1;
    assert!(rates["valid"] > 0.0 && rates["drifted"] > 0.0, "{rates:?}");
    assert!((rates.values().sum::<f64>() - 1.0).abs() < 1e-9, "{rates:?}");
    assert!(stats.stale_share.is_some_and(|share| share > 0.0) && stats.verification_ms.is_some());
    assert!(shop.status(&id) == RecordState::Active);
}

/// Files that cannot be cited: each error states its reason, and nothing is stored.
#[test]
fn a06_files_that_are_no_text_are_told_apart() {
    let shop = Shop::new();
    let huge = vec![b'x'; 9 << 20];
    let minified = [&b"let a = 1;"[..], &vec![b'y'; 70 << 10]].concat();
    shop.code(|history| {
        history.commit_entries(&[
            ("src/cart.rs", EntryKind::File, CART.as_bytes()),
            ("link.rs", EntryKind::Symlink, b"../../etc/passwd"),
            ("module", EntryKind::Submodule, b"another"),
            ("logo.png", EntryKind::File, b"\x89PNG\0\0\0"),
            ("huge.txt", EntryKind::File, &huge),
            ("app.js", EntryKind::File, &minified),
            (
                "model.bin",
                EntryKind::File,
                b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            ),
        ]);
    });
    for (path, expect) in [
        ("module", CodeReason::Submodule),
        ("module/src/inner.rs", CodeReason::Submodule),
        ("logo.png", CodeReason::BinaryFile),
        ("huge.txt", CodeReason::TooLarge),
        ("app.js", CodeReason::TooLarge),
        ("src", CodeReason::CitationUnreadable),
    ] {
        refused(shop.store(about("It holds an answer.", vec![cite(path, 1, 1)])), expect);
    }
    // A link contains its target's name, a pointer its own text: both cause a warning, and neither
    // is followed.
    let link = shop.store(about("The link leads to `etc/passwd`.", vec![cite("link.rs", 1, 1)])).unwrap();
    assert!(link.warnings.iter().any(|warning| warning.starts_with("SYMLINK")), "{:?}", link.warnings);
    assert_eq!(link.view.remembered.fact.detail.citations[0].anchor.lines, ["../../etc/passwd"]);
    let pointer =
        shop.store(about("The model is large: oid sha256 4d7a.", vec![cite("model.bin", 1, 3)])).unwrap();
    assert!(pointer.warnings.iter().any(|warning| warning.starts_with("LFS")), "{:?}", pointer.warnings);
    assert_eq!(
        shop.verify(&pointer.view.remembered.record.id).verification.citations[0].method,
        Method::Unchanged
    );
}
