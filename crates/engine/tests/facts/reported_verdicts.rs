//! Verdicts of a caller that has the code when this server has not. They apply to its own calls and
//! serve as its receipts. They change no state, are stored for no one else, and apply only to the
//! content they were made for.

use std::sync::Arc;

use loci_engine::calls::call_context::CallContext;
use loci_model::facts::citation::LineRange;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::FactEventKind;
use loci_model::facts::verdict::{CitationVerdict, Method, Unverifiable, Verdict, Verification};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, ErrorKind, RecordId};
use loci_testkit_ports::block_on;
use loci_verified::{
    Evidence, FactFilters, FactReadOptions, FactSearch, FactStats, FactsAsked, ReportedFactVerdict,
    ReportedVerdicts, VerifyMode, bare_id,
};

use super::fixture::{CART, REPO, Shop, about, cite, reason};

/// Events of a stored fact.
const STORED: [&str; 2] = ["verified_valid", "created"];

pub(super) fn tip(shop: &Shop) -> ObjectId {
    shop.code(|history| history.tip()).commit().unwrap()
}

fn evidence(shop: &Shop) -> Vec<Evidence> {
    let page =
        block_on(shop.engine.verified.facts_evidence(&shop.caller, &shop.standing, REPO, None, 100)).unwrap();
    assert_eq!(page.next, None);
    page.facts
}

/// Returns a verification with this verdict for all citations, at line 3 of a file if found.
fn all(verdict: Verdict, count: usize) -> Verification {
    let one = match verdict {
        Verdict::Unverifiable => CitationVerdict::unverifiable(Unverifiable::PartialClone, None),
        Verdict::Gone => CitationVerdict::new(verdict, Method::None),
        Verdict::Valid | Verdict::Drifted | Verdict::Contradicted => CitationVerdict {
            found: Some(LineRange { path: "src/new.rs".to_owned(), line_start: 3, line_end: 4 }),
            ..CitationVerdict::new(verdict, Method::Renamed)
        },
    };
    Verification { verdict, citations: vec![one; count], claims: Vec::new(), support: None }
}

fn told_of(of: &Evidence, verification: Verification) -> ReportedFactVerdict {
    let record = of.remembered.record.id.clone();
    ReportedFactVerdict {
        record,
        digest: of.digest.clone(),
        verification,
        duration_ms: 1,
        contents: Vec::new(),
    }
}

fn told(shop: &Shop, reference: &str, verdict: Verdict) -> ReportedVerdicts {
    let facts = evidence(shop);
    let facts = facts.iter().map(|fact| told_of(fact, all(verdict, 2))).collect();
    ReportedVerdicts::new(reference.to_owned(), Some(tip(shop)), facts).unwrap()
}

fn recent_told(shop: &Shop, told: ReportedVerdicts) -> loci_verified::FactList {
    let serving = FactReadOptions { told: Some(Arc::new(told)), ..FactReadOptions::default() };
    block_on(shop.engine.verified.facts_recent(&shop.caller, &shop.standing, REPO, 50, serving)).unwrap()
}

/// Returns the state of a fact, and all fields that a verdict could change.
fn standing_of(shop: &Shop, id: &RecordId) -> (RecordState, loci_model::facts::fact::Fact) {
    let fact =
        block_on(shop.engine.verified.fact_get(&shop.caller, &shop.standing, id)).unwrap().remembered.fact;
    let mut counted = fact.clone();
    counted.counters.retrieved = 0;
    (shop.status(id), counted)
}

#[test]
fn they_serve_the_caller_and_change_nothing() {
    let shop = Shop::new();
    let id = shop.stored();
    let before = standing_of(&shop, &id);
    let main = tip(&shop).to_string();
    for (verdict, served, gone) in [
        (Verdict::Gone, 0, 1),
        (Verdict::Drifted, 0, 0),
        (Verdict::Unverifiable, 1, 0),
        (Verdict::Valid, 1, 0),
    ] {
        for reference in ["WORKTREE", "feature", &main] {
            shop.world.clock().advance_ms(1_000);
            let list = recent_told(&shop, told(&shop, reference, verdict));
            assert_eq!((list.facts.len(), list.omitted.gone), (served, gone), "{verdict:?} at {reference}");
            assert_eq!((list.reference.as_str(), list.dirty), (reference, reference == "WORKTREE"));
            if let Some(view) = list.facts.first() {
                assert_eq!(view.verdict(), Some(verdict));
            }
            // That includes the tip of the default branch: this server must verify there itself.
            assert_eq!(standing_of(&shop, &id), before, "{verdict:?} at {reference}");
        }
    }
    let rows = shop.events(&id);
    let told: Vec<_> = rows.iter().filter(|row| row.details.is_some()).collect();
    assert_eq!(told.len(), 12, "each has its row");
    for row in told {
        let details = row.details.as_ref().unwrap().value().unwrap();
        assert_eq!((&details["told"], row.principal.as_str()), (&serde_json::json!(true), "tester"));
        assert!(row.verdict.is_some() && row.commit == Some(tip(&shop)));
    }
    shop.assert_replayed(&id);
}

#[test]
fn nobody_else_is_served_by_them() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.world.clock().advance_ms(1_000);
    assert_eq!(recent_told(&shop, told(&shop, &tip(&shop).to_string(), Verdict::Gone)).omitted.gone, 1);
    let list = shop.recent(VerifyMode::Cached);
    assert_eq!(list.facts[0].verdict(), Some(Verdict::Valid), "a kept verdict is one that was found here");
    shop.write("src/cart.rs", None);
    let at_tip = told(&shop, &tip(&shop).to_string(), Verdict::Valid);
    assert_eq!(recent_told(&shop, at_tip).facts.len(), 1, "the caller's own word, for the caller");
    assert_eq!(shop.recent(VerifyMode::Cached).omitted.gone, 1);
    assert_eq!(shop.status(&id), RecordState::Quarantined, "as found here");
}

#[test]
fn what_was_found_of_other_content_is_no_verdict() {
    let shop = Shop::new();
    shop.stored();
    let mut facts = evidence(&shop);
    facts[0].digest = "0".repeat(64);
    let stale = told_of(&facts[0], all(Verdict::Valid, 2));
    let told = ReportedVerdicts::new("feature".to_owned(), Some(tip(&shop)), vec![stale.clone()]).unwrap();
    let list = recent_told(&shop, told.clone());
    assert_eq!(list.facts[0].verdict(), Some(Verdict::Unverifiable));
    assert!(list.warnings[0].contains("ask again"), "{:?}", list.warnings);
    let written =
        block_on(shop.engine.verified.facts_tell(&shop.caller, &shop.standing, REPO, told)).unwrap();
    assert_eq!(written[0].verification_id, None);
    // A report with too few citations, or none, is not accepted either.
    let facts = evidence(&shop);
    for told in [vec![told_of(&facts[0], all(Verdict::Valid, 1))], Vec::new()] {
        let told = ReportedVerdicts::new("feature".to_owned(), Some(tip(&shop)), told).unwrap();
        assert_eq!(recent_told(&shop, told).facts[0].verdict(), Some(Verdict::Unverifiable));
    }
}

#[test]
fn verdicts_that_no_verifier_finds_are_refused() {
    let shop = Shop::new();
    shop.stored();
    let fact = evidence(&shop).remove(0);
    let refused = |reference: &str, commit: Option<ObjectId>, facts: Vec<ReportedFactVerdict>, part: &str| {
        let error = ReportedVerdicts::new(reference.to_owned(), commit, facts).unwrap_err();
        assert!(error.kind == ErrorKind::Invalid && error.message.contains(part), "{part}: {error:?}");
    };
    let one = |change: &dyn Fn(&mut ReportedFactVerdict)| {
        let mut one = told_of(&fact, all(Verdict::Valid, 2));
        change(&mut one);
        vec![one]
    };
    let at = Some(tip(&shop));
    refused("a..b", at, Vec::new(), "ref must be");
    refused("main", None, Vec::new(), "commit");
    refused("main", at, vec![told_of(&fact, all(Verdict::Valid, 2)); 2], "each fact once");
    refused("main", at, vec![told_of(&fact, all(Verdict::Valid, 2)); 201], "at most 200");
    let place = |path: &str, first: u32, last: u32| {
        Some(LineRange { path: path.to_owned(), line_start: first, line_end: last })
    };
    for found in [place("../x", 1, 1), place(".git/config", 1, 1), place("a", 0, 1), place("a", 2, 1)] {
        let facts = one(&|one| one.verification.citations[0].found.clone_from(&found));
        refused("main", at, facts, "found must be a place");
    }
    refused("main", at, one(&|one| one.verification.citations[0].similarity = Some(1.5)), "similarity");
    refused("main", at, one(&|one| one.verification.citations[0].similarity = Some(f64::NAN)), "similarity");
    refused("main", at, one(&|one| one.verification.citations[0].diff = Some("x".repeat(70_000))), "diff");
    refused("main", at, one(&|one| one.verification.citations[0].detail = Some("x".repeat(5_001))), "detail");
    refused("main", at, one(&|one| one.contents = vec![None; 3]), "contents");
    let why = Some(Unverifiable::Network);
    refused("main", at, one(&|one| one.verification.citations[0].unverifiable = why), "unverifiable");
    // A verdict follows from those of the citations.
    let better = one(&|one| one.verification.citations[0].verdict = Verdict::Gone);
    let told = ReportedVerdicts::new("main".to_owned(), at, better).unwrap();
    let serving = FactReadOptions { told: Some(Arc::new(told)), ..FactReadOptions::default() };
    let list = block_on(shop.engine.verified.facts_recent(&shop.caller, &shop.standing, REPO, 50, serving));
    assert_eq!(list.unwrap_err().kind, ErrorKind::Invalid);
    let events = shop.events(&fact.remembered.record.id);
    assert_eq!(events.len(), STORED.len(), "nothing of it was written: {events:?}");
}

#[test]
fn they_are_receipts_of_an_active_fact_at_a_commit() {
    let shop = Shop::new();
    let id = shop.stored();
    let verify = |reference: &str, verdict: Verdict| {
        shop.world.clock().advance_ms(1_000);
        let told = told(&shop, reference, verdict);
        block_on(shop.engine.verified.fact_verify_told(&shop.caller, &shop.standing, &id, &told))
            .unwrap()
            .receipt
    };
    let receipt = verify("feature", Verdict::Valid);
    assert_eq!(shop.refresh(&id, Some(receipt)).unwrap(), 1);
    verify("feature", Verdict::Valid);
    let applied =
        block_on(shop.engine.verified.fact_applied(&shop.caller, &shop.standing, &id, None, None)).unwrap();
    assert_eq!((applied.unverified, applied.refreshed), (false, true));
    verify("WORKTREE", Verdict::Valid);
    let applied =
        block_on(shop.engine.verified.fact_applied(&shop.caller, &shop.standing, &id, None, None)).unwrap();
    assert_eq!(
        (applied.unverified, applied.refreshed),
        (false, false),
        "files that lie somewhere confirm nothing"
    );
    for receipt in [verify("WORKTREE", Verdict::Valid), verify("feature", Verdict::Gone)] {
        let error = shop.refresh(&id, Some(receipt)).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::NotVerified), "{error:?}");
    }
    // A receipt is valid for its caller only, and a reported verdict restores no fact.
    let receipt = verify("feature", Verdict::Valid);
    shop.write("src/cart.rs", None);
    shop.recent(VerifyMode::Fresh);
    assert_eq!(shop.status(&id), RecordState::Quarantined);
    assert_eq!(reason(&shop.refresh(&id, Some(receipt)).unwrap_err()), Some(CodeReason::NotVerified));
    assert_eq!(shop.status(&id), RecordState::Quarantined);
    shop.assert_replayed(&id);
}

/// A commit without stored results here.
const ELSEWHERE: &str = "0123456789abcdef0123456789abcdef01234567";

/// Returns a shop whose tip has code that drifted from one fact and contradicts another, with both
/// results stored.
fn with_doubtful_facts() -> (Shop, RecordId, RecordId) {
    let shop = Shop::new();
    let drifted = shop.stored();
    let wrong = shop.store(about("MAX_ITEMS is 9000.", vec![cite("src/limits.rs", 2, 2)])).unwrap();
    let edited = CART.replace("len() >= MAX_ITEMS", "len() + 1 > MAX_ITEMS && !self.is_open");
    shop.write("src/cart.rs", Some(&edited));
    shop.recent(VerifyMode::Cached);
    (shop, drifted, wrong.view.remembered.record.id)
}

/// Returns the report of one verdict for all citations of all facts, at a commit.
fn posted(shop: &Shop, reference: &str, commit: ObjectId, verdict: Verdict) -> ReportedVerdicts {
    let of = |fact: &Evidence| told_of(fact, all(verdict, fact.remembered.fact.detail.citations.len()));
    ReportedVerdicts::new(reference.to_owned(), Some(commit), evidence(shop).iter().map(of).collect())
        .unwrap()
}

fn key(capabilities: &[Capability]) -> Principal {
    let capabilities = capabilities.iter().copied().collect();
    Principal { name: "agent".to_owned(), grants: vec![Grant { capabilities, ..Grant::everything() }] }
}

#[test]
fn nobody_lifts_a_withholding_by_their_own_word() {
    use Capability::{Admin, Read, Unverified, Write};
    let (shop, drifted, wrong) = with_doubtful_facts();
    let (main, elsewhere) = (tip(&shop), ObjectId::parse(ELSEWHERE).unwrap());
    let (agent, owner) = (key(&[Read, Write]), key(&[Read, Write, Admin]));
    let (reader, lenient) = (key(&[Read]), key(&[Read, Unverified]));
    for (caller, by_person, at, verdict, stated) in [
        (&agent, false, ("main", main), Verdict::Valid, 0),
        (&agent, false, ("main", main), Verdict::Unverifiable, 0),
        (&agent, false, ("main", main), Verdict::Gone, 0),
        (&reader, true, ("main", main), Verdict::Valid, 0),
        (&owner, false, ("main", main), Verdict::Valid, 0),
        (&owner, true, ("main", main), Verdict::Valid, 2),
        (&lenient, false, ("main", main), Verdict::Valid, 2),
        // For its own files, and for a commit not verified here, its report is the only evidence.
        (&agent, false, ("WORKTREE", main), Verdict::Valid, 2),
        (&agent, false, ("feature", elsewhere), Verdict::Valid, 2),
    ] {
        let standing = CallContext { by_person, ..shop.standing.clone() };
        let told = Arc::new(posted(&shop, at.0, at.1, verdict));
        let serving = FactReadOptions { told: Some(told), ..FactReadOptions::default() };
        let list = block_on(shop.engine.verified.facts_recent(caller, &standing, REPO, 50, serving)).unwrap();
        let case = format!("{:?} {by_person} {at:?} {verdict:?}", caller.grants[0].capabilities);
        assert_eq!((list.facts.len(), list.withheld.len()), (stated, 2 - stated), "{case}");
        let of = |id: &RecordId| list.withheld.iter().find(|view| view.remembered.record.id == *id);
        if let (Some(one), true) = (of(&drifted), verdict == Verdict::Valid) {
            assert_eq!(one.verdict(), Some(Verdict::Drifted), "{case}");
        }
        if let Some(one) = of(&wrong) {
            assert_eq!(one.support().unwrap().other_values[0].shown(), "MAX_ITEMS is 50 there, not 9000");
        }
    }
}

#[test]
fn a_posted_verdict_that_is_not_taken_is_no_receipt() {
    use Capability::{Read, Write};
    let (shop, drifted, _) = with_doubtful_facts();
    let (agent, main) = (key(&[Read, Write]), tip(&shop));
    let valid = posted(&shop, "main", main, Verdict::Valid);
    let verified =
        block_on(shop.engine.verified.fact_verify_told(&agent, &shop.standing, &drifted, &valid)).unwrap();
    assert_eq!(verified.verification.verdict, Verdict::Drifted);
    let used = block_on(shop.engine.verified.fact_applied(&agent, &shop.standing, &drifted, None, None));
    assert_eq!(reason(&used.unwrap_err()), Some(CodeReason::NotVerified));
    for (verdict, is_taken) in [(Verdict::Valid, false), (Verdict::Gone, true)] {
        shop.world.clock().advance_ms(1_000);
        let told = posted(&shop, "main", main, verdict);
        let told = block_on(shop.engine.verified.facts_tell(&agent, &shop.standing, REPO, told)).unwrap();
        let of_drifted = told.iter().find(|one| one.memory_id == bare_id(&drifted)).unwrap();
        assert_eq!(of_drifted.verification_id.is_some(), is_taken, "{verdict:?}");
    }
    shop.assert_replayed(&drifted);
}

#[test]
fn posted_verdicts_do_not_stand_in_for_the_right_to_read_unverified() {
    use Capability::{Read, Unverified, Write};
    let (shop, ..) = with_doubtful_facts();
    let verdicts = Arc::new(posted(&shop, "WORKTREE", tip(&shop), Verdict::Valid));
    for (caller, expect) in
        [(key(&[Read, Write]), Err((ErrorKind::Denied, Some("verify")))), (key(&[Read, Unverified]), Ok(2))]
    {
        let (verify, told) = (VerifyMode::None, Some(Arc::clone(&verdicts)));
        let serving = FactReadOptions { verify, told, ..FactReadOptions::default() };
        let list = block_on(shop.engine.verified.facts_recent(&caller, &shop.standing, REPO, 50, serving));
        let found = list.as_ref().map(|list| list.facts.len());
        assert_eq!(found.map_err(|error| (error.kind, error.field.as_deref())), expect);
    }
}

#[test]
fn what_a_read_would_look_at_is_told_without_being_served() {
    let shop = Shop::new();
    let id = shop.stored();
    let ask = |asked: FactsAsked, reference: Option<&str>| {
        block_on(shop.engine.verified.facts_asked(&shop.caller, &shop.standing, asked, reference))
    };
    let recent = || FactsAsked::Recent { repo: REPO.to_owned(), limit: 5 };
    let search = FactSearch {
        repo: REPO.to_owned(),
        query: None,
        filters: FactFilters { path: Some("src".to_owned()), ..FactFilters::default() },
        limit: 5,
    };
    let main = tip(&shop).to_string();
    for (asked, reference, readable) in [
        (recent(), Some(main.as_str()), true),
        (recent(), Some("0123456789abcdef0123456789abcdef01234567"), false),
        (FactsAsked::Search(search), None, false),
        (FactsAsked::One(id.clone()), None, false),
    ] {
        let found = ask(asked, reference).unwrap();
        assert_eq!((found.facts.len(), found.is_readable), (1, readable), "{reference:?}");
        assert_eq!(found.facts[0].remembered.record.id, id);
        assert!(!found.facts[0].remembered.fact.detail.citations[0].anchor.line_hashes.is_empty());
    }
    assert!(ask(recent(), Some("a..b")).is_err());
    // All of them, page by page.
    let other =
        super::fixture::about("MAX_REQUESTS is 120.", vec![super::fixture::cite("src/limits.rs", 4, 4)]);
    let other = shop.store(other).unwrap().view.remembered.record.id;
    let page = |after| {
        block_on(shop.engine.verified.facts_evidence(&shop.caller, &shop.standing, REPO, after, 1)).unwrap()
    };
    let (first, mut next, mut all) = (page(None), page(None).next, Vec::new());
    all.extend(first.facts);
    while next.is_some() {
        let more = page(next);
        next = more.next;
        all.extend(more.facts);
    }
    let ids: Vec<_> = all.iter().map(|one| one.remembered.record.id.clone()).collect();
    assert_eq!(ids, [other, id.clone()], "each once, confirmed last first");
    for limit in [0, 101] {
        let refused = shop.engine.verified.facts_evidence(&shop.caller, &shop.standing, REPO, None, limit);
        assert_eq!(block_on(refused).unwrap_err().field.as_deref(), Some("limit"));
    }
    assert_eq!(shop.kinds(&id), STORED, "nothing was verified, and nothing returned");
}

#[test]
fn what_is_not_told_of_was_not_verified() {
    let shop = Shop::new();
    let id = shop.stored();
    let nothing = ReportedVerdicts::new("feature".to_owned(), Some(tip(&shop)), Vec::new()).unwrap();
    shop.world.clock().advance_ms(1_000);
    let list = recent_told(&shop, nothing.clone());
    assert_eq!(list.facts[0].verdict(), Some(Verdict::Unverifiable));
    assert_eq!(shop.kinds(&id), [STORED[0], STORED[1], "retrieved"], "no row says that somebody looked");
    // A caller that requests this single verification gets its receipt.
    shop.world.clock().advance_ms(1_000);
    let verified =
        block_on(shop.engine.verified.fact_verify_told(&shop.caller, &shop.standing, &id, &nothing)).unwrap();
    let last = shop.events(&id).pop().unwrap();
    assert_eq!((last.kind, &last.id), (FactEventKind::VerificationSkipped, &verified.receipt));
    shop.assert_replayed(&id);
}

#[test]
fn they_stand_before_nothing_that_was_found_here() {
    let shop = Shop::new();
    let id = shop.stored();
    shop.code(|history| history.fail(Some(Unverifiable::Network)));
    shop.recent(VerifyMode::Fresh);
    shop.code(|history| history.fail(None));
    for verdict in [Verdict::Gone, Verdict::Valid, Verdict::Unverifiable] {
        shop.world.clock().advance_ms(1_000);
        recent_told(&shop, told(&shop, "feature", verdict));
        let refused = shop.invalidate(&id).unwrap_err();
        assert_eq!(reason(&refused), Some(CodeReason::Unverifiable), "{verdict:?}: {refused:?}");
    }
    shop.recent(VerifyMode::Fresh);
    recent_told(&shop, told(&shop, "feature", Verdict::Unverifiable));
    assert!(shop.invalidate(&id).unwrap(), "nor do they hold anybody up");
    shop.assert_replayed(&id);
}

#[test]
fn they_are_no_part_of_what_is_measured_here() {
    let shop = Shop::new();
    shop.stored();
    let stats = || block_on(shop.engine.verified.fact_stats(&shop.caller, &shop.standing, REPO)).unwrap();
    let before = stats();
    assert!(before.told.is_empty() && before.verification_ms.is_some());
    for verdict in [Verdict::Gone, Verdict::Valid, Verdict::Gone] {
        let mut facts = evidence(&shop).iter().map(|fact| told_of(fact, all(verdict, 2))).collect::<Vec<_>>();
        facts[0].duration_ms = 9_000;
        let told = ReportedVerdicts::new("feature".to_owned(), Some(tip(&shop)), facts).unwrap();
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.verified.facts_tell(&shop.caller, &shop.standing, REPO, told)).unwrap();
    }
    let after = stats();
    assert_eq!(
        after.told.iter().map(|(verdict, count)| (*verdict, *count)).collect::<Vec<_>>(),
        [("gone", 2), ("valid", 1)]
    );
    let apart = |stats: FactStats| FactStats { told: Default::default(), ..stats };
    assert_eq!(apart(after), apart(before));
}

#[test]
fn a_stranger_tells_and_is_told_nothing() {
    let shop = Shop::new();
    let id = shop.stored();
    let verdicts = told(&shop, "feature", Verdict::Gone);
    let stranger = Principal { name: "stranger".to_owned(), grants: Vec::new() };
    let standing = CallContext::default();
    let engine = &shop.engine;
    let serving = FactReadOptions { told: Some(Arc::new(verdicts.clone())), ..FactReadOptions::default() };
    let asked = FactsAsked::One(id.clone());
    for error in [
        block_on(engine.verified.facts_tell(&stranger, &standing, REPO, verdicts.clone())).unwrap_err(),
        block_on(engine.verified.facts_evidence(&stranger, &standing, REPO, None, 5)).unwrap_err(),
        block_on(engine.verified.facts_asked(&stranger, &standing, asked, None)).unwrap_err(),
        block_on(engine.verified.facts_recent(&stranger, &standing, REPO, 5, serving)).unwrap_err(),
        block_on(engine.verified.fact_verify_told(&stranger, &standing, &id, &verdicts)).unwrap_err(),
    ] {
        assert!(matches!(error.kind, ErrorKind::NotFound | ErrorKind::Denied), "{error:?}");
    }
    assert_eq!(shop.kinds(&id), STORED);
    shop.world.clock().advance_ms(1_000);
    let told = block_on(engine.verified.facts_tell(&shop.caller, &standing, REPO, verdicts)).unwrap();
    assert!(told[0].verification_id.is_some());
    let last = shop.events(&id).pop().unwrap();
    assert_eq!((last.kind, last.verdict), (FactEventKind::VerifiedInvalid, Some(Verdict::Gone)));
    assert_eq!(shop.status(&id), RecordState::Active);
}
