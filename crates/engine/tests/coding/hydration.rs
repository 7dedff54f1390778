//! Hydration: memories shown to a task within deadline and budget, with a receipt, and none in the
//! control group.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::{Hydration, HydrationKind as Kind, KindStatus};
use loci_coding::settings::ControlArms;
use loci_coding::{CodingSettings, Completion, Hydrated};
use loci_engine::records::QuarantineAsk;
use loci_engine::safety::Patterns;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant};
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::exposure::{Exposure, SHADOW, SHOWN};
use loci_model::tasks::task::{MemoryArm, TaskStatus};
use loci_model::{ActorId, ErrorKind, Namespace, RecordId, Result, SessionId, limits};
use loci_products::{Loci, LociSettings};
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::exposure_samples::exposure;
use loci_testkit_ports::{CodeHistory, SeededIds, block_on, samples};
use loci_verified::{FactReadOptions, NewFact};

use sha2::{Digest, Sha256};

use super::log_fields::{above_debug, carried_by, logged};
use super::slow_store::{SlowStore, Trouble};
use super::workshop::{REPO, Workshop, task, task_id};

const ORDERS: &str = "Pagination of orders goes by a cursor, never by an offset.";

/// Returns an engine on the same store with other settings.
pub(super) fn engine_with(shop: &Workshop, coding: CodingSettings, trouble: Option<Trouble>) -> Loci {
    engine_of(shop, coding, trouble)
}

fn engine_of(shop: &Workshop, settings: impl Into<LociSettings>, trouble: Option<Trouble>) -> Loci {
    let (store, clock) = (shop.world.store(), shop.world.clock());
    let store = match trouble {
        Some(trouble) => Arc::new(SlowStore::new(store, clock.clone(), trouble)) as _,
        None => store,
    };
    let parts =
        EngineParts::quiet(store, None, Arc::new(clock), Arc::new(SeededIds::new(9)), Arc::new(OpenVault));
    let parts = EngineParts { code: Some(Arc::new(shop.shelf.clone())), ..parts };
    Loci::new(parts, settings)
}

fn hydrate_by(shop: &Workshop, engine: &Loci, id: &str, asked: Hydration) -> Result<Hydrated> {
    shop.world.clock().advance_ms(1_000);
    block_on(engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked))
}

fn hydrate(shop: &Workshop, id: &str, asked: Hydration) -> Hydrated {
    hydrate_by(shop, &shop.engine, id, asked).unwrap()
}

fn shown(found: &Hydrated) -> Vec<String> {
    found.plan.shown.iter().map(|one| one.candidate.record.id.to_string()).collect()
}

fn noted(shop: &Workshop, id: &str, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note(id, note).unwrap().learned.id.unwrap()
}

/// Stores a record as a client would.
pub(super) fn put(shop: &Workshop, number: u32, namespace: &str, kind: RecordKind, text: &str) -> RecordId {
    let record = Record {
        kind,
        namespace: Namespace::parse(namespace).unwrap(),
        strategy: None,
        subtype: None,
        timestamp: shop.engine.now(),
        ..samples::record(&shop.memory(), number, text).unwrap()
    };
    let (store, id) = (shop.world.store(), record.id.clone());
    block_on(store.write(move |tx| tx.records_mut().insert(&record).map(drop))).unwrap();
    id
}

fn rule(shop: &Workshop) -> RecordId {
    put(shop, 71, "/acme/shop/review-rules/", RecordKind::Rule, "Every endpoint has a test.")
}

fn statuses(found: &Hydrated) -> Vec<(&'static str, &'static str)> {
    found.status.iter().map(|(kind, status)| (kind.as_str(), status.as_str())).collect()
}

#[test]
fn what_is_known_is_shown_in_its_groups() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let learned = noted(&shop, "t-001", &format!("**Orders:** {ORDERS}"));
    let failed = Completion {
        status: Some(TaskStatus::Failed),
        summary: Some("The pagination of orders was not finished.".to_owned()),
        ..Completion::default()
    };
    let episode = shop.complete("t-001", failed).unwrap().episode;
    let rule = rule(&shop);
    let preference = put(&shop, 72, "users/bob", RecordKind::Preference, "Small pull requests.");
    let others = put(&shop, 73, "/users/bobby/", RecordKind::Preference, "Large pull requests.");
    shop.begun("t-002");
    let found = hydrate(&shop, "t-002", Hydration::default());
    let ids = shown(&found);
    assert_eq!(
        ids,
        [&rule, &learned, &episode, &preference].map(ToString::to_string),
        "{}",
        found.plan.block
    );
    assert!(!ids.contains(&others.to_string()));
    // There is no embedder, and the warnings state it.
    let by_words = |warning: &String| warning.starts_with("DEGRADED: embedding_");
    assert!(!found.degraded && found.warnings.iter().all(by_words), "{:?}", found.warnings);
    let expect = [
        ("rules", "ok"),
        ("knowledge", "ok"),
        ("episodes", "ok"),
        ("preferences", "ok"),
        ("reflections", "empty"),
    ];
    assert_eq!(statuses(&found), expect);
    let block = &found.plan.block;
    let failures = block.find("did not work").unwrap();
    assert!(failures < block.find("was not finished").unwrap(), "{block}");
    assert!(!block.contains("that worked"), "{block}");
    assert!(found.plan.used <= 2_000 && found.cold_start);
    assert_eq!(shop.get("t-002").unwrap().status, TaskStatus::Running, "who runs is not hydrating again");
    shop.create(task("t-003")).unwrap();
    hydrate(&shop, "t-003", Hydration::default());
    assert_eq!(shop.get("t-003").unwrap().status, TaskStatus::Hydrating);
}

#[test]
fn relevance_decides_and_not_the_words_of_a_scope() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let auth = noted(
        &shop,
        "t-001",
        "**[Auth module]:** a session token stays in the cache for 5 minutes after its expiry.",
    );
    let others = [
        "**[Billing module]:** amounts are cents; fix the rounding in `total`.",
        "**[Mail module]:** broken templates: fix the MJML, then `make mail`.",
        "**[Search module]:** only `make reindex` will fix stale results.",
        "**[Upload module]:** parts above 5 MB: fix the checksum first.",
    ];
    for text in others {
        noted(&shop, "t-001", text);
    }
    shop.begun("t-002");
    let query = Some("Fix the session token cache expiry".to_owned());
    let asked = |paths: &[&str]| Hydration {
        query: query.clone(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        include: Some(BTreeSet::from([Kind::Knowledge])),
        ..Hydration::default()
    };
    let found = hydrate(&shop, "t-002", asked(&[]));
    assert_eq!(shown(&found), [auth.to_string()], "{}", found.plan.block);
    let left: BTreeSet<_> = found.plan.left.iter().map(|left| left.reason).collect();
    assert_eq!((left, found.plan.left.len()), (BTreeSet::from(["noise"]), others.len()));
    let floor = CodingSettings::default().noise_floor_by_words;
    assert!(found.plan.left.iter().all(|left| left.candidate.similarity < floor));
    let elsewhere = hydrate(&shop, "t-002", asked(&["src/billing/invoice.ts"]));
    let reason = elsewhere.plan.left.iter().find(|left| left.candidate.record.id == auth);
    assert_eq!(reason.map(|left| left.reason), Some("scope"), "the paths contradict it");
    assert_eq!(shown(&hydrate(&shop, "t-002", asked(&["src/auth/cache.ts"]))), [auth.to_string()]);
}

#[test]
fn the_topic_of_a_learning_is_found() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let learned = noted(&shop, "t-001", "**Translations:** keys are sorted by `pnpm check`.");
    shop.begun("t-002");
    let asked = Hydration { query: Some("Add French translations".to_owned()), ..Hydration::default() };
    assert_eq!(shown(&hydrate(&shop, "t-002", asked)), [learned.to_string()]);
    let record = shop.record(&learned);
    assert_eq!(record.text, "keys are sorted by `pnpm check`.", "what is shown is the statement");
}

#[test]
fn a2_a_repository_is_not_shown_another_s() {
    let shop = Workshop::new();
    shop.register("acme/shop-web").unwrap();
    shop.create(TaskCreate { repo: Some("acme/shop-web".to_owned()), ..task("w-001") }).unwrap();
    noted(&shop, "w-001", ORDERS);
    shop.begun("t-001");
    let found = hydrate(&shop, "t-001", Hydration::default());
    assert!(shown(&found).is_empty(), "{}", found.plan.block);
}

#[test]
fn a08_preferences_are_one_place_however_it_is_written() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let spelled = ["users/bob", "/users/bob/", "users/bob/", "/users/bob"];
    let wishes: Vec<_> = (81..)
        .zip(spelled)
        .map(|(number, place)| put(&shop, number, place, RecordKind::Preference, &format!("Wish {number}.")))
        .collect();
    let mut found = shown(&hydrate(&shop, "t-001", Hydration::default()));
    found.sort();
    assert_eq!(found, wishes.iter().map(ToString::to_string).collect::<Vec<_>>());
    for place in spelled {
        assert_eq!(shop.beneath(place).len(), spelled.len(), "{place}");
    }
    for (wish, place) in wishes.iter().zip(spelled) {
        assert_eq!(shop.record(wish).namespace.as_str(), place, "as it was written");
    }
}

#[test]
fn a9_a10_what_is_late_or_fails_is_told_from_what_is_empty() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let rule = rule(&shop);
    let empty = hydrate(&shop, "t-001", Hydration::default());
    assert_eq!((empty.degraded, empty.status[&Kind::Episodes]), (false, KindStatus::Empty));
    for (trouble, status, code) in [
        (Trouble::Never, KindStatus::Timeout, "NOT_IN_TIME"),
        (Trouble::Fails, KindStatus::Error, "NOT_READ"),
    ] {
        let engine = engine_with(&shop, CodingSettings::default(), Some(trouble));
        let found = hydrate_by(&shop, &engine, "t-001", Hydration::default()).unwrap();
        assert_eq!((found.degraded, found.status[&Kind::Episodes]), (true, status), "{trouble:?}");
        assert_eq!(found.status[&Kind::Rules], KindStatus::Ok, "{trouble:?}");
        assert_eq!(shown(&found), [rule.to_string()], "{trouble:?}");
        assert!(found.warnings.iter().any(|warning| warning.starts_with(code)), "{:?}", found.warnings);
    }
}

#[test]
fn a26_a_cold_start_is_no_reason_for_a_warning() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let log = logged(|| {
        let found = hydrate(&shop, "t-001", Hydration::default());
        assert!(found.cold_start && !found.degraded && shown(&found).is_empty());
    });
    assert!(log.contains("a cold start") && above_debug(&log).is_empty(), "{log}");
    let broken = engine_with(&shop, CodingSettings::default(), Some(Trouble::Fails));
    let log = logged(|| drop(hydrate_by(&shop, &broken, "t-001", Hydration::default()).unwrap()));
    let lines = above_debug(&log);
    let expect =
        format!("memory={} repo=acme/shop session_id=t-001 task_id=t-001 user_id=583231", shop.memory());
    for line in &lines {
        assert!(
            line.contains("WARN ") && line.contains("metric_type=\"memory_load_infra_failure\""),
            "{line}"
        );
        assert_eq!(carried_by(line).join(" "), expect, "{line}");
    }
    assert!(!lines.is_empty(), "{log}");
}

#[test]
fn a19_without_a_question_nothing_is_looked_for() {
    let shop = Workshop::new();
    shop.create(TaskCreate { description: " ".to_owned(), ..task("t-001") }).unwrap();
    noted(&shop, "t-001", ORDERS);
    let rule = rule(&shop);
    let found = hydrate(&shop, "t-001", Hydration::default());
    assert_eq!(shown(&found), [rule.to_string()]);
    assert_eq!(found.status[&Kind::Knowledge], KindStatus::Skipped);
    assert_eq!(found.status[&Kind::Episodes], KindStatus::Skipped);
    let asked = Hydration { query: Some("pagination by cursor".to_owned()), ..Hydration::default() };
    assert_eq!(shown(&hydrate(&shop, "t-001", asked)).len(), 2);
}

/// Stores a fact on the order code.
fn fact(shop: &Workshop) -> RecordId {
    shop.write(
        "src/orders.rs",
        "pub fn page(cursor: u64) {\n    let limit = PAGE_LIMIT;\n    fetch(cursor, limit);\n}\n",
    );
    let place = LineRange { path: "src/orders.rs".to_owned(), line_start: 1, line_end: 3 };
    let cite = CitationInput { place, sha: None, snippet_hash: None };
    let new = NewFact {
        repo: REPO.to_owned(),
        subject: "orders".to_owned(),
        fact: "Pagination: `page` fetches by cursor with PAGE_LIMIT.".to_owned(),
        citations: vec![cite],
        ..NewFact::default()
    };
    block_on(shop.engine.verified.fact_store(&shop.caller, &shop.standing, new, None))
        .unwrap()
        .view
        .remembered
        .record
        .id
}

#[test]
fn a21_citations_are_verified_before_they_are_shown() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let fact = fact(&shop);
    let valid = hydrate(&shop, "t-001", Hydration::default());
    assert_eq!(shown(&valid), [fact.to_string()]);
    assert!(valid.plan.block.contains("src/orders.rs:1-3; verified"), "{}", valid.plan.block);
    assert!(valid.commit.is_some());

    shop.unreadable();
    let blind = hydrate(&shop, "t-001", Hydration { commit: Some("0".repeat(40)), ..Hydration::default() });
    assert_eq!(shown(&blind), [fact.to_string()], "{:?}", blind.warnings);
    assert!(blind.plan.block.contains("not verified"), "{}", blind.plan.block);
    assert!(blind.warnings.iter().any(|one| one.starts_with("CITATIONS_UNVERIFIED")), "{:?}", blind.warnings);
    shop.readable();

    shop.write("src/orders.rs", "pub fn nothing() {}\n");
    let gone = hydrate(&shop, "t-001", Hydration::default());
    assert!(shown(&gone).is_empty(), "{}", gone.plan.block);
    let reasons: Vec<_> = gone.plan.left.iter().map(|left| (left.reason, left.is_withheld())).collect();
    assert_eq!(reasons, [("citation_gone", true)]);
    // A result for the default branch is known to every later reader.
    let recent =
        shop.engine.verified.facts_recent(&shop.caller, &shop.standing, REPO, 10, FactReadOptions::default());
    assert!(block_on(recent).unwrap().facts.is_empty());
}

#[test]
fn proposed_citations_are_shown_only_where_they_hold() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.write("src/orders.rs", "pub fn page_orders(cursor: u64) {\n    fetch_page(cursor);\n}\n");
    let learned = noted(&shop, "t-001", "Pagination is `page_orders` in src/orders.rs.");
    shop.work();
    assert!(!shop.citations(&learned).is_empty(), "citations were proposed");
    let valid = hydrate(&shop, "t-001", Hydration::default());
    assert_eq!(shown(&valid), [learned.to_string()], "{}", valid.plan.block);
    shop.unreadable();
    let blind = hydrate(&shop, "t-001", Hydration { commit: Some("0".repeat(40)), ..Hydration::default() });
    let reasons: Vec<_> = blind.plan.left.iter().map(|left| left.reason).collect();
    assert_eq!((shown(&blind).len(), reasons), (0, vec!["citation_unproven"]));
}

#[test]
fn a24_the_control_group_is_shown_nothing() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let learned = noted(&shop, "t-001", ORDERS);
    shop.create(TaskCreate { memory_arm: Some("off".to_owned()), ..task("t-002") }).unwrap();
    let found = hydrate(&shop, "t-002", Hydration::default());
    assert!(shown(&found).is_empty() && found.plan.block.contains("No previous knowledge"));
    assert!(!found.plan.block.contains("cursor"), "{}", found.plan.block);
    assert!(found.status.values().all(|status| *status == KindStatus::Disabled));
    let exposure = found.exposure.unwrap();
    let row = block_on(shop.engine.coding.exposure_get(&shop.caller, &shop.standing, &exposure)).unwrap();
    let decisions: Vec<_> =
        row.records.iter().map(|one| (one.record.clone(), one.decision.as_str())).collect();
    assert_eq!((row.arm, decisions), (MemoryArm::Off, vec![(learned.clone(), SHADOW)]));
    let outcome = Completion { status: Some(TaskStatus::Completed), ..Completion::default() };
    shop.complete("t-002", outcome).unwrap();
    assert_eq!(shop.get("t-002").unwrap().status, TaskStatus::Completed, "outcomes are recorded as usual");

    let child = TaskCreate { parent_task_id: Some("t-002".to_owned()), ..task("t-003") };
    assert_eq!(shop.create(child.clone()).unwrap().task.arm, MemoryArm::Off);
    assert_eq!(shop.create(child).unwrap().task.arm, MemoryArm::Off);
    shop.create(TaskCreate { memory_arm: Some("tier1".to_owned()), ..task("t-004") }).unwrap();
    rule(&shop);
    let tier = hydrate(&shop, "t-004", Hydration::default());
    assert_eq!(tier.status[&Kind::Rules], KindStatus::Disabled);
    assert!(shown(&tier).contains(&learned.to_string()) && !tier.degraded);

    let quiet = CodingSettings {
        control: ControlArms { off: 1.0, shadow: false, ..ControlArms::default() },
        ..CodingSettings::default()
    };
    let engine = engine_with(&shop, quiet, None);
    let created =
        block_on(engine.coding.task_create(&shop.caller, &shop.standing, task("t-005"), None)).unwrap();
    assert_eq!(created.task.arm, MemoryArm::Off, "as it is dealt");
    let found = hydrate_by(&shop, &engine, "t-005", Hydration::default()).unwrap();
    let exposure = found.exposure.unwrap();
    let row = block_on(engine.coding.exposure_get(&shop.caller, &shop.standing, &exposure)).unwrap();
    assert!(row.records.is_empty(), "without shadow nothing is even looked for");
}

#[test]
fn a25_exposures_say_what_was_shown_and_what_was_not() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let first = noted(&shop, "t-001", ORDERS);
    let long = "Pagination has many pages of reasons. ".repeat(40);
    let second = noted(&shop, "t-001", long.trim());
    let asked = Hydration { budget_tokens: Some(250), ..Hydration::default() };
    let found = hydrate(&shop, "t-001", asked);
    let id = found.exposure.clone().unwrap();
    let row = block_on(shop.engine.coding.exposure_get(&shop.caller, &shop.standing, &id)).unwrap();
    let mut decisions: Vec<_> =
        row.records.iter().map(|one| (one.record.clone(), one.decision.as_str())).collect();
    decisions.sort();
    let mut expect = vec![(first.clone(), SHOWN), (second.clone(), "dropped:budget")];
    expect.sort();
    assert_eq!(decisions, expect);
    assert!(row.records.iter().all(|one| one.tokens > 0 && one.rank > 0 && one.score > 0.0), "{row:?}");
    assert_eq!((row.limit, row.used, &row.memory_hash), (250, found.plan.used, &found.plan.memory_hash()));
    assert!(row.query_sha256.is_some() && row.snapshot.starts_with("snap_"));

    let said = Completion {
        status: Some(TaskStatus::Completed),
        used_memory_ids: vec![first.to_string()],
        helpful_memory_ids: vec![first.to_string()],
        ..Completion::default()
    };
    shop.complete("t-001", said).unwrap();
    hydrate(&shop, "t-001", Hydration { query: Some(ORDERS.to_owned()), ..Hydration::default() });
    let explained =
        block_on(shop.engine.coding.task_explain(&shop.caller, &shop.standing, &task_id("t-001"))).unwrap();
    assert_eq!((explained.exposures.len(), explained.more_exposures), (2, false));
    let of = explained.records.iter().find(|one| one.id == first.as_str()).unwrap();
    assert_eq!((of.kind.as_deref(), of.shown, &of.versions[..]), (Some("knowledge"), 2, &[1][..]));
    assert_eq!((explained.used, explained.helpful), (vec![first.to_string()], vec![first.to_string()]));
    assert_eq!(of.from_task.as_deref(), Some("t-001"));
    let unknown = task_id("t-009");
    let missing = shop.engine.coding.task_explain(&shop.caller, &shop.standing, &unknown);
    assert_eq!(block_on(missing).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a86_what_is_held_back_is_not_shown_by_the_next_hydration() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let learned = noted(&shop, "t-001", ORDERS);
    assert_eq!(shown(&hydrate(&shop, "t-001", Hydration::default())), [learned.to_string()]);
    let ask = QuarantineAsk { ids: vec![learned], reason: "wrong".to_owned(), ..QuarantineAsk::default() };
    block_on(shop.engine.records_quarantine(&shop.caller, &shop.memory(), ask)).unwrap();
    assert!(shown(&hydrate(&shop, "t-001", Hydration::default())).is_empty());
}

#[test]
fn what_holds_now_is_trusted_however_old_it_is() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let fact = fact(&shop);
    shop.world.clock().advance_ms(1_500 * 86_400_000);
    shop.create(task("t-002")).unwrap();
    let found = hydrate(&shop, "t-002", Hydration::default());
    assert_eq!(shown(&found), [fact.to_string()], "{}", found.plan.block);
    assert!(found.plan.block.contains("1500 days old; src/orders.rs:1-3; verified"), "{}", found.plan.block);
}

#[test]
fn patterns_of_ones_own_hold_back_what_is_there_already() {
    let own = "form = 1\nversion = 7\n[[pattern]]\nreason = \"r\"\nweight = 1.0\nwords = [\"cursor\"]\nany = [\"cursor\"]\n";
    let own: &'static Patterns = Box::leak(Box::new(Patterns::parse(own).unwrap()));
    let shop = Workshop::new();
    shop.begun("t-001");
    noted(&shop, "t-001", ORDERS);
    let engine = engine_of(&shop, EngineSettings { patterns: Some(own), ..EngineSettings::default() }, None);
    let found = hydrate_by(&shop, &engine, "t-001", Hydration::default()).unwrap();
    let left: Vec<_> = found.plan.left.iter().map(|left| left.reason).collect();
    assert_eq!((shown(&found).len(), left), (0, vec!["suspicious"]), "{}", found.plan.block);
}

#[test]
fn of_many_exposures_the_newest_are_explained() {
    let shop = Workshop::new();
    let task = shop.begun("t-001");
    let (store, most) = (shop.world.store(), u32::try_from(limits::EXPLAINED_EXPOSURES_MAX).unwrap());
    let rows: Vec<Exposure> = (0..=most)
        .map(|number| Exposure { task: task.id.clone(), ..exposure(&task.memory, number).unwrap() })
        .collect();
    block_on(store.write(move |tx| rows.iter().try_for_each(|row| tx.exposures_mut().put(row)))).unwrap();
    let explained =
        block_on(shop.engine.coding.task_explain(&shop.caller, &shop.standing, &task.id)).unwrap();
    let ids: Vec<String> = explained.exposures.iter().map(|one| one.exposure_id.clone()).collect();
    assert_eq!((ids.len(), explained.more_exposures), (limits::EXPLAINED_EXPOSURES_MAX, true));
    assert!(ids.is_sorted() && ids.last() == Some(&format!("exp_{most:04}")), "{ids:?}");
}

#[test]
fn what_the_prompt_holds_anyway_is_not_shown_again() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let told = noted(&shop, "t-001", ORDERS);
    let other = noted(&shop, "t-001", "Pagination of carts goes by numbers of pages.");
    let text = format!("# For agents\n\n- {ORDERS}\n");
    shop.write("AGENTS.md", &text);
    let digest = hex::encode(Sha256::digest(text.as_bytes()));
    let (none, missing) = (shown(&hydrate(&shop, "t-001", Hydration::default())), "0".repeat(64));
    assert_eq!(none.len(), 2, "unless it is named");
    let blob = CodeHistory::blob_id(&text).to_string();
    for named in [digest.clone(), blob] {
        let asked = Hydration { excluded_docs: vec![named, missing.clone()], ..Hydration::default() };
        let found = hydrate(&shop, "t-001", asked);
        let left: Vec<_> =
            found.plan.left.iter().map(|left| (&left.candidate.record.id, left.reason)).collect();
        assert_eq!((shown(&found), left), (vec![other.to_string()], vec![(&told, "in_repo_docs")]));
        let unknown = format!("DOC_UNKNOWN: no document there is {missing}");
        assert!(found.warnings.contains(&unknown), "{:?}", found.warnings);
    }
    shop.unreadable();
    let blind =
        Hydration { excluded_docs: vec![digest], commit: Some("0".repeat(40)), ..Hydration::default() };
    let found = hydrate(&shop, "t-001", blind);
    assert_eq!(shown(&found).len(), 2, "what cannot be read leaves nothing out");
    assert!(found.warnings.iter().any(|one| one.starts_with("DOCS_UNREAD")), "{:?}", found.warnings);
    let error = hydrate_by(
        &shop,
        &shop.engine,
        "t-001",
        Hydration { excluded_docs: vec!["x".into()], ..Hydration::default() },
    );
    assert_eq!(error.unwrap_err().field.as_deref(), Some("exclude_repo_docs_sha"));
}

#[test]
fn only_the_kinds_that_are_asked_for() {
    let shop = Workshop::new();
    shop.begun("t-001");
    noted(&shop, "t-001", ORDERS);
    let rule = rule(&shop);
    let include = Some(BTreeSet::from([Kind::Rules]));
    let found = hydrate(&shop, "t-001", Hydration { include, ..Hydration::default() });
    assert_eq!(shown(&found), [rule.to_string()]);
    assert_eq!(found.status[&Kind::Knowledge], KindStatus::Disabled);
}

#[test]
fn who_is_bound_to_a_task_is_told_what_they_may_not_read() {
    let shop = Workshop::new();
    shop.begun("t-001");
    noted(&shop, "t-001", ORDERS);
    rule(&shop);
    shop.begun("t-002");
    let hydrated = |part: Grant| {
        let who = shop.with_grant(&[Capability::Read, Capability::Write], part);
        let id = task_id("t-002");
        block_on(shop.engine.coding.task_hydrate(&who, &shop.standing, &id, Hydration::default())).unwrap()
    };
    let actor = Some(ActorId::parse(REPO).unwrap());
    let of_repository = Grant { actor: actor.clone(), ..Grant::everything() };
    let bound =
        hydrated(Grant { session: Some(SessionId::parse("t-002").unwrap()), ..of_repository.clone() });
    for kind in [Kind::Rules, Kind::Knowledge, Kind::Episodes, Kind::Preferences, Kind::Reflections] {
        assert_eq!(bound.status[&kind], KindStatus::Disabled, "{kind:?}");
        let why = format!("NOT_GRANTED: the caller may not read the {}", kind.as_str());
        assert!(bound.warnings.contains(&why), "{:?}", bound.warnings);
    }
    assert!(!bound.degraded);
    let whole = hydrated(of_repository);
    assert_eq!(whole.status[&Kind::Knowledge], KindStatus::Ok);
    assert_eq!(whole.status[&Kind::Episodes], KindStatus::Empty, "nothing is there");
    assert_eq!(whole.status[&Kind::Preferences], KindStatus::Disabled, "a person's own");
}

#[test]
fn a_task_on_no_repository_is_shown_what_its_person_s_tasks_learned() {
    let shop = Workshop::new();
    shop.create(TaskCreate { repo: None, ..task("t-001") }).unwrap();
    let learned = noted(&shop, "t-001", ORDERS);
    shop.create(TaskCreate { repo: None, ..task("t-002") }).unwrap();
    assert_eq!(shown(&hydrate(&shop, "t-002", Hydration::default())), [learned.to_string()]);
}

#[test]
fn requests_that_cannot_be_right_are_refused() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let refused = |asked: Hydration| hydrate_by(&shop, &shop.engine, "t-001", asked).unwrap_err();
    let error = refused(Hydration { timeout_ms: Some(99), ..Hydration::default() });
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("timeout_ms")));
    let unknown = hydrate_by(&shop, &shop.engine, "t-009", Hydration::default()).unwrap_err();
    assert_eq!(unknown.kind, ErrorKind::NotFound);
    // An outage is no error of the request.
    shop.shelf.change("/src/shop", |history| history.fail(Some(Unverifiable::Rate))).unwrap();
    assert!(hydrate_by(&shop, &shop.engine, "t-001", Hydration::default()).is_ok());
}
