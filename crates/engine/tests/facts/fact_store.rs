//! Conditions for storing facts: all citations are verified first, nothing is duplicated,
//! rejections leave a row.

use std::collections::BTreeSet;

use loci_engine::calls::call_context::CallContext;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::fact::FactEventKind;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{CodeReason, ErrorKind};
use loci_testkit_ports::block_on;
use loci_verified::{Correction, FactRefresh, NewFact, StoreStatus};

use super::fixture::{LIMITS, REPO, Shop, about, cite, contains, limit_fact, reason};

#[test]
fn a_fact_is_created_with_its_anchors() {
    let shop = Shop::new();
    let stored = shop.store(limit_fact()).unwrap();
    assert_eq!(stored.status, StoreStatus::Created);
    let fact = &stored.view.remembered.fact;
    let tip = shop.code(|history| history.tip().commit());
    for citation in &fact.detail.citations {
        assert_eq!(citation.anchor.commit, tip);
        assert!(citation.anchor.snippet_hash.starts_with("vm1:"), "{:?}", citation.anchor);
        assert!(!citation.anchor.grounded.is_empty(), "words of the fact stand in the block");
    }
    assert_eq!(fact.counters.verifications, 0);
    assert_eq!(fact.detail.source.kind.as_deref(), Some("merged"));
    assert_eq!(shop.kinds(&stored.view.remembered.record.id), ["verified_valid", "created"]);
    assert!(stored.warnings.is_empty(), "{:?}", stored.warnings);
}

#[test]
fn an_equal_fact_is_confirmed_and_its_citations_join() {
    let shop = Shop::new();
    let first = shop.stored();
    let again = NewFact {
        subject: "carts".to_owned(),
        fact: "`add_item`  refuses more than MAX_ITEMS (50) items with CartFull".to_owned(),
        citations: vec![cite("src/cart.rs", 8, 10)],
        ..limit_fact()
    };
    let second = shop.store(again).unwrap();
    assert_eq!((second.status, &second.view.remembered.record.id), (StoreStatus::Refreshed, &first));
    assert_eq!(second.view.remembered.fact.detail.citations.len(), 3);
    assert_eq!(second.view.remembered.fact.counters.verifications, 1);
    assert_eq!(shop.kinds(&first), ["verified_valid", "created", "verified_valid", "refreshed"]);
    shop.assert_replayed(&first);
}

#[test]
fn something_is_left_of_subject_and_fact_where_they_are_compared() {
    let shop = Shop::new();
    let old = shop.stored();
    for empty in [".", " . ", " \u{3000}. "] {
        let of = |field: &str, error: loci_model::Error| {
            assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some(field)), "{error:?}");
            assert!(error.message.contains("full stop: "), "the rule and what to do: {error:?}");
        };
        of("subject", shop.store(NewFact { subject: empty.to_owned(), ..limit_fact() }).unwrap_err());
        of("fact", shop.store(NewFact { fact: empty.to_owned(), ..limit_fact() }).unwrap_err());
        let correction = Correction {
            old: old.clone(),
            fact: "A cart holds MAX_ITEMS items.".to_owned(),
            citations: None,
            reason: None,
            subject: Some(empty.to_owned()),
            claims: None,
            created_by: None,
            reference: None,
        };
        let superseded = shop.engine.verified.fact_supersede(&shop.caller, &shop.standing, correction, None);
        of("subject", block_on(superseded).unwrap_err());
    }
    assert_eq!(shop.kinds(&old), ["verified_valid", "created"]);
}

#[test]
fn what_answers_with_stored_facts_needs_a_grant_of_read() {
    let shop = Shop::new();
    let old = shop.stored();
    let capabilities = BTreeSet::from([Capability::Write]);
    let grants = vec![Grant { capabilities, ..Grant::everything() }];
    let writer = Principal { name: "writer".to_owned(), grants };
    let stored = block_on(shop.engine.verified.fact_store(&writer, &shop.standing, limit_fact(), None));
    let correction = Correction {
        old: old.clone(),
        fact: "A cart holds MAX_ITEMS items.".to_owned(),
        citations: None,
        reason: None,
        subject: None,
        claims: None,
        created_by: None,
        reference: None,
    };
    let superseded = shop.engine.verified.fact_supersede(&writer, &shop.standing, correction, None);
    for error in [stored.unwrap_err(), block_on(superseded).unwrap_err()] {
        assert_eq!(error.kind, ErrorKind::Denied, "{error:?}");
        assert!(error.message.contains("grant of read"), "{error:?}");
    }
    assert_eq!(shop.kinds(&old), ["verified_valid", "created"]);
}

#[test]
fn what_cannot_be_proved_is_refused_and_counted() {
    let shop = Shop::new();
    let check = |citations: Vec<CitationInput>, expect: Option<CodeReason>| {
        let error = shop.store(about("The shop sells add_item.", citations)).unwrap_err();
        assert_eq!(reason(&error), expect, "{error:?}");
        if expect.is_none() {
            assert_eq!(error.kind, ErrorKind::Invalid, "{error:?}");
        }
    };
    check(vec![], None);
    check(vec![cite("src/cart.rs", 10, 13); 21], None);
    check(vec![cite("src/cart.rs", 0, 3)], None);
    check(vec![cite("src/cart.rs", 5, 3)], None);
    check(vec![cite("src/cart.rs", 1, 1_000)], None);
    check(vec![cite("src/none.rs", 1, 3)], Some(CodeReason::CitationUnreadable));
    check(vec![cite("src/cart.rs", 20, 30)], Some(CodeReason::CitationUnreadable));
    check(vec![cite("src/cart.rs", 6, 6)], Some(CodeReason::CitationLowInformation));
    for path in ["../etc/passwd", "/etc/passwd", "src/../cart.rs", ".git/config", "GIT~1/config", "a\0b"] {
        check(vec![cite(path, 1, 1)], Some(CodeReason::PathRejected));
    }
    let wrong = CitationInput {
        snippet_hash: Some(format!("vm1:{}", "0".repeat(32))),
        ..cite("src/cart.rs", 10, 13)
    };
    check(vec![wrong], Some(CodeReason::CitationUnreadable));
    let absent = CitationInput { sha: Some("0123456789".to_owned()), ..cite("src/cart.rs", 10, 13) };
    check(vec![absent], Some(CodeReason::CitationUnreadable));
    assert!(shop.recent(Default::default()).facts.is_empty());
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let repository = shop.add(super::fixture::DIRECTORY).repository.id;
    let tallies =
        block_on(loci_model::ports::store::StoreExt::read(shop.engine.store().as_ref(), move |tx| {
            tx.fact_events().tallies(&memory, &repository, loci_model::Timestamp::EPOCH)
        }))
        .unwrap();
    let refused: u64 = tallies
        .iter()
        .filter(|tally| tally.kind == FactEventKind::RejectedStore)
        .map(|tally| tally.count)
        .sum();
    assert_eq!(refused, 16, "{tallies:?}");
}

#[test]
fn claims_must_be_true() {
    let shop = Shop::new();
    let with = |literal: &str| NewFact { claims: vec![contains(1, literal)], ..limit_fact() };
    let error = shop.store(with("MAX_ITEMS: usize = 60")).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::NotVerified));
    assert!(error.details.iter().any(|line| line.contains("claims[0]")), "{error:?}");
    assert!(shop.store(with("MAX_ITEMS: usize = 50")).is_ok());
}

#[test]
fn secrets_are_never_stored() {
    let shop = Shop::new();
    let secret = "AKIAIOSFODNN7EXAMPL2";
    let line = format!("/// The key of the mail service.\npub const MAIL_KEY: &str = \"{secret}\";\n");
    shop.write("src/mail.rs", Some(&line));
    let cited = about("The mail key is a constant MAIL_KEY.", vec![cite("src/mail.rs", 1, 2)]);
    let told = about(&format!("The mail key is {secret}."), vec![cite("src/cart.rs", 10, 13)]);
    for fact in [cited, told] {
        let error = shop.store(fact).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::SecretDetected));
        assert!(!format!("{error:?}").contains(secret));
    }
}

/// A rejection names each faulty citation by its file and lines, and no other.
#[test]
fn a_refused_citation_is_named_by_its_file() {
    let shop = Shop::new();
    shop.write("src/odd.rs", Some("\n\n}\n"));
    shop.write("src/mail.rs", Some("pub const MAIL_KEY: &str = \"AKIAIOSFODNN7EXAMPL2\";\n"));
    let good = || cite("src/limits.rs", 4, 4);
    let told = |citations: Vec<CitationInput>| {
        shop.store(about("MAX_REQUESTS is 120.", citations)).unwrap_err().message
    };
    let check = |bad: CitationInput, named: &str| {
        let message = told(vec![good(), bad]);
        assert!(message.contains(&format!("citations[1] {named}: ")), "{named}: {message}");
        assert!(!message.contains("citations[0]"), "{named}: {message}");
    };
    check(cite("src/none.rs", 1, 1), "src/none.rs:1-1");
    check(cite("src/cart.rs", 900, 901), "src/cart.rs:900-901");
    check(cite("../cart.rs", 1, 1), "../cart.rs:1-1");
    check(cite("src/cart.rs", 5, 3), "src/cart.rs:5-3");
    check(cite("src/cart.rs", 1, 401), "src/cart.rs:1-401");
    check(cite("src/odd.rs", 1, 1), "src/odd.rs:1-1");
    check(cite("src/odd.rs", 3, 3), "src/odd.rs:3-3");
    check(cite("src/mail.rs", 1, 1), "src/mail.rs:1-1");
    let wrong = Some(format!("vm1:{}", "0".repeat(32)));
    check(CitationInput { snippet_hash: wrong, ..cite("src/limits.rs", 2, 2) }, "src/limits.rs:2-2");
    let elsewhere = Some("0123456789".to_owned());
    check(CitationInput { sha: elsewhere, ..cite("src/limits.rs", 2, 2) }, "src/limits.rs:2-2");
    let several = told(vec![cite("src/none.rs", 1, 1), good(), cite("src/gone.rs", 2, 3)]);
    for named in ["citations[0] src/none.rs:1-1: ", "; citations[2] src/gone.rs:2-3: "] {
        assert!(several.contains(named), "{named}: {several}");
    }
    assert!(!several.contains("citations[1]"), "{several}");

    let id = shop.stored();
    shop.write("src/cart.rs", None);
    let kept = shop.supersede(&id, "A cart takes MAX_ITEMS items.", None).unwrap_err().message;
    assert!(kept.contains("citations[0] src/cart.rs:10-13: ") && !kept.contains("citations[1]"), "{kept}");
    let place = LineRange { path: "../cart.rs".to_owned(), line_start: 1, line_end: 1 };
    let read = block_on(shop.engine.verified.code_read(&shop.caller, &shop.standing, REPO, place, None, 0));
    let read = read.unwrap_err().message;
    assert!(read.starts_with("../cart.rs:1-1: "), "{read}");
}

#[test]
fn what_is_irrelevant_alike_or_contrary_is_said() {
    let shop = Shop::new();
    let stored =
        shop.store(about("Deployments happen on Fridays.", vec![cite("src/cart.rs", 10, 13)])).unwrap();
    assert!(stored.warnings.iter().any(|warning| warning.starts_with("UNGROUNDED")), "{:?}", stored.warnings);
    let first = shop.stored();
    let near = NewFact {
        fact: "`add_item` refuses more than MAX_ITEMS (50) items with a CartFull.".to_owned(),
        ..limit_fact()
    };
    assert_eq!(shop.store(near).unwrap().similar, std::slice::from_ref(&first));
    let contrary = NewFact {
        fact: "`add_item` refuses more than MAX_ITEMS (60) items with CartFull.".to_owned(),
        ..limit_fact()
    };
    let contrary = shop.store(contrary).unwrap();
    assert!(
        contrary.warnings.iter().any(|warning| warning.starts_with("CONFLICT")),
        "{:?}",
        contrary.warnings
    );
    let list = shop.recent(Default::default());
    let of_first = list.facts.iter().find(|view| view.remembered.record.id == first).unwrap();
    assert!(of_first.conflicts_with.contains(&contrary.view.remembered.record.id));
}

#[test]
fn other_commits_and_tokens() {
    let shop = Shop::new();
    let before = shop.code(|history| history.tip().commit()).unwrap();
    shop.write("src/limits.rs", Some(&format!("// limits of the shop\n\n{LIMITS}")));
    let cited = CitationInput { sha: Some(before.to_string()), ..cite("src/limits.rs", 2, 2) };
    let stored = shop.store(about("MAX_ITEMS is 50.", vec![cited])).unwrap();
    let anchor = &stored.view.remembered.fact.detail.citations[0].anchor;
    assert_eq!((anchor.commit, anchor.place.line_start), (Some(before), 2));
    assert_eq!(stored.verification.citations[0].found.as_ref().map(|place| place.line_start), Some(4));

    let token =
        loci_engine::calls::idempotency::ClientToken::new("token-one", &serde_json::json!({})).unwrap();
    let fact = || about("`add_item` fails with CartFull.", vec![cite("src/cart.rs", 10, 13)]);
    let store =
        |token| block_on(shop.engine.verified.fact_store(&shop.caller, &shop.standing, fact(), Some(token)));
    let first = store(token.clone()).unwrap();
    let second = store(token).unwrap();
    assert_eq!(first.view.remembered.record.id, second.view.remembered.record.id);
    assert_eq!((first.status, second.status), (StoreStatus::Created, StoreStatus::Created));
    let other =
        loci_engine::calls::idempotency::ClientToken::new("token-one", &serde_json::json!({ "a": 1 }))
            .unwrap();
    assert_eq!(store(other).unwrap_err().reason, Some(loci_model::Reason::IdempotentParameterMismatch));
    assert_eq!(shop.add(super::fixture::DIRECTORY).repository.key, REPO);
}

/// Hexadecimal keys and passwords are secrets, like tokens with a fixed form; labels are checked
/// like texts.
#[test]
fn what_is_assigned_to_a_secret_name_is_never_stored() {
    let shop = Shop::new();
    let key = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    for line in [
        format!("FLASK_SECRET_KEY = \"{key}\""),
        format!("DD_API_KEY = \"{}\"", &key[..32]),
        ["DB_PASSWORD = \"hunter2", "-super-S3cret!\""].concat(),
    ] {
        shop.write("src/settings.py", Some(&format!("# Settings of the shop for production use.\n{line}\n")));
        let error = shop
            .store(about("Settings of the shop are for production.", vec![cite("src/settings.py", 1, 2)]))
            .unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::SecretDetected), "{line}");
        let said = about(&format!("The shop has {line}."), vec![cite("src/cart.rs", 10, 13)]);
        assert_eq!(reason(&shop.store(said).unwrap_err()), Some(CodeReason::SecretDetected), "{line}");
    }
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a".to_owned();
    let labelled = |agent: Option<String>, session: Option<String>| {
        let standing = CallContext { agent, session, ..CallContext::default() };
        block_on(shop.engine.verified.fact_store(&shop.caller, &standing, limit_fact(), None))
    };
    for (agent, session) in [(Some(token.clone()), None), (None, Some(token.clone()))] {
        let error = labelled(agent, session).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::SecretDetected));
        assert!(!format!("{error:?}").contains(&token));
    }
    let id = labelled(Some("agent-7".to_owned()), Some("5f3c".to_owned())).unwrap().view.remembered.record.id;
    let refresh = FactRefresh { id, receipt: None, reference: None, verified_by: Some(token) };
    let error =
        block_on(shop.engine.verified.fact_refresh(&shop.caller, &shop.standing, refresh, None)).unwrap_err();
    assert_eq!(reason(&error), Some(CodeReason::SecretDetected));
}
