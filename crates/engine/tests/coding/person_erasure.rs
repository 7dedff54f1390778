//! Forgets a person whom others named. Their login, addresses and number are removed from every
//! table in which an object names people, and a previous export contains all of these places.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::admin::ForgetReceipt;
use loci_engine::admin::{ExportCursor, ExportLine, ForgetAsk, actor_of_person};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::event::{Event, PayloadItem, Role};
use loci_model::facts::fact::FactEventKind;
use loci_model::facts::support::{Support, SupportReason, SupportReport};
use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::ports::store::{StoreExt, TaskQuery, Tx};
use loci_model::record::conflict::Conflict;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::evaluation::Evaluation;
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::preference::PreferenceUser;
use loci_model::tasks::review::{ForgeUser, Review};
use loci_model::tasks::rule::RuleSupport;
use loci_model::tasks::task::{Task, TaskAlert};
use loci_model::tasks::task_session::ToolUse;
use loci_model::transfer::{TransferKind, TransferPlace};
use loci_model::{ActorId, DeliveryId, Document, MemoryId, Result};
use loci_testkit_ports::samples::{self, record_id, time};
use loci_testkit_ports::{block_on, fact_samples, task_samples};
use loci_verified::content_hash;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::workshop::Workshop;

/// The person's login.
const LOGIN: &str = "Zelda-Q7";
/// A former login of the person, which is unused now.
const FORMER: &str = "Zelda-Old";
/// The login as others mention it.
const MENTION: &str = "@zelda-q7";
/// The person's number at the forge.
const NUMBER: &str = "4711";
/// The author of their commits.
const AUTHOR: &str = "Zelda Quint <z.quint@example.org>";
/// All names of the person, in lower case.
const NAMES: [&str; 6] =
    ["zelda-q7", "zelda-old", "z.quint@example.org", "zelda quint", "4711+zelda", "d'quint@example.org"];
/// Prefix of the unique mark of each place.
const MARK: &str = "place-";
/// Number of the record that is a fact.
const FACT: u32 = 901;

/// Returns a text that names the person, with the mark of a place.
fn said(place: &str) -> String {
    format!("{MARK}{place}: as {MENTION}. said, or Z.Quint@Example.org; bob@example.org did not")
}

fn person(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    tx.ledger_mut().put_noun(&PreferenceUser {
        memory: memory.clone(),
        place: ActorId::parse(LOGIN.to_lowercase())?,
        login: Some(LOGIN.to_lowercase()),
        user_id: Some(NUMBER.to_owned()),
        claimed_id: None,
        former_logins: vec![FORMER.to_lowercase()],
        opted_out: false,
        declined: Vec::new(),
        created_at: time(1),
        updated_at: time(1),
    })
}

fn tasks(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let own = Task {
        user: Some(LOGIN.to_owned()),
        user_id: Some(NUMBER.to_owned()),
        description: said("own task"),
        ..task_samples::task(memory, 1)?
    };
    let mut other = Task {
        description: said("task"),
        error_message: Some(said("error")),
        model: Some(said("model")),
        variant: Some(said("variant")),
        security_alert: Some(TaskAlert { reason: said("alert"), by: LOGIN.to_owned(), at: time(3) }),
        ..task_samples::task(memory, 2)?
    };
    other.feedback.harmful = [(record_id(3)?, said("harm"))].into();
    tx.tasks_mut().put(&own)?;
    tx.tasks_mut().put(&other)
}

fn commits(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let mut own = task_samples::commit(memory, 1)?;
    own.user = Some(FORMER.to_owned());
    own.author = Some(AUTHOR.to_owned());
    let mut other = task_samples::commit(memory, 2)?;
    other.trailers = BTreeMap::from([
        ("Co-authored-by".to_owned(), format!("Bob <bob@example.org>,{AUTHOR}")),
        ("Reviewed-by".to_owned(), "zelda-q7".to_owned()),
        ("Signed-off-by".to_owned(), "Z <4711+Zelda-Q7@users.noreply.github.com>".to_owned()),
        ("Note".to_owned(), format!("{}, d'quint@example.org", said("trailer"))),
        (format!("For {MENTION}"), said("trailer of a name")),
    ]);
    let mut third = task_samples::commit(memory, 3)?;
    third.user = Some(LOGIN.to_owned());
    third.author = Some("Z <D'Quint@example.org>".to_owned());
    tx.commits_mut().put(&own)?;
    tx.commits_mut().put(&third)?;
    tx.commits_mut().put(&other)
}

fn sessions(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let mut item = task_samples::session_item(memory, 1, 1)?;
    item.user = Some(LOGIN.to_owned());
    item.text = Some(said("item"));
    item.tool = Some(ToolUse {
        name: said("tool"),
        status: Some(said("status of a tool")),
        input_sha256: None,
        output_sha256: None,
        duration_ms: None,
        cost_usd: None,
    });
    item.expires_at = time(1_000_000_000);
    tx.task_sessions_mut().put_item(&item)?;
    // Its text is only in its event.
    let mut unkept = task_samples::session_item(memory, 1, 2)?;
    unkept.text = None;
    unkept.text_sha256 = hex::encode(Sha256::digest(said("message")));
    unkept.event = Some(samples::event(memory, "acme/shop", "t-001", 1)?.id);
    unkept.expires_at = time(1_000_000_000);
    tx.task_sessions_mut().put_item(&unkept)?;
    let mut session = task_samples::session(memory, 2)?;
    session.told.summary = Some(said("summary"));
    session.told.approach = Some(said("approach"));
    session.told.difficulties = vec![said("difficulty")];
    session.told.error_message = Some(said("end"));
    session.state = Some(Document::from_value(&json!({"asked_by": said("state"), "user": LOGIN}))?);
    tx.task_sessions_mut().put(&session)
}

fn events(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let deep = format!("{}\"{}\"{}", "[".repeat(500), said("deep"), "]".repeat(500));
    let event = samples::event(memory, "acme/shop", "t-001", 1)?;
    tx.events_mut().insert(&Event {
        payload: vec![
            PayloadItem::Conversational { role: Role::User, text: said("message") },
            PayloadItem::Json(Document::from_value(&json!({
                "author": {"login": LOGIN, "id": 4711, "name": "Zelda Quint",
                    "html_url": format!("https://forge.example/{LOGIN}")},
                "review": {"user": LOGIN, "name": "Zelda Quint"},
            }))?),
            PayloadItem::Json(Document::parse(&format!(r#"{{"by":"{LOGIN}","by":"bob"}}"#))?),
            PayloadItem::Json(Document::from_value(&json!({
                "reviewers": {(LOGIN): said("member of people"), "bob@example.org": 1},
                (MENTION): {"inner": json!([{"author": LOGIN, "body": said("inner text")}]).to_string()},
            }))?),
            PayloadItem::Conversational {
                role: Role::Assistant,
                text: json!({"login": LOGIN, "said": said("message of JSON")}).to_string(),
            },
            PayloadItem::Blob(Document::parse(&deep)?),
        ],
        metadata: BTreeMap::from([("user".to_owned(), LOGIN.to_owned())]),
        expires: time(1_000_000_000),
        ..event
    })?;
    Ok(())
}

fn ledger(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let person = ForgeUser { id: 4711, login: LOGIN.to_owned(), is_bot: false };
    for (number, shelf, key, body) in [
        (1, Review::SHELF, "r1".to_owned(), json!({"reviewer": person, "body": said("review")})),
        (
            2,
            Outcome::SHELF,
            "t-002".to_owned(),
            json!({"facts": {"merged_by": LOGIN}, "by_hand": {"by": LOGIN}}),
        ),
        (
            3,
            RuleSupport::SHELF,
            "s1".to_owned(),
            json!({"items": [{"reviewer": person}], "approved": {"by": LOGIN}}),
        ),
        (
            4,
            Conflict::SHELF,
            "c1".to_owned(),
            json!({
                "memory": memory,
                "actor": "acme/shop",
                "id": "c1",
                "standing": record_id(3)?,
                "against": record_id(4)?,
                "reason": said("conflict"),
                "found_at": time(1),
                "resolution": {"by": LOGIN, "at": time(2)},
            }),
        ),
        (
            5,
            Evaluation::SHELF,
            "e1".to_owned(),
            json!({
                "by": LOGIN,
                "findings": [{"text": said("finding")}],
                "failure": format!("called off by {LOGIN}"),
            }),
        ),
        (
            6,
            Shelf::named("unmatched"),
            "u1".to_owned(),
            json!({"commits": [{"message": format!("Fix\n\nCo-authored-by: {AUTHOR}")}]}),
        ),
        (7, Shelf::named("person"), format!("login:{}", LOGIN.to_lowercase()), json!({"note": "theirs"})),
        (
            8,
            Shelf::named("repository_role"),
            format!("{}/{NUMBER}", fact_samples::repository_id(1)?),
            json!({"role": "write"}),
        ),
    ] {
        let body = Document::from_value(&body)?;
        tx.ledger_mut().put(&LedgerEntry { shelf, key, body, ..task_samples::entry(memory, number)? })?;
    }
    Ok(())
}

fn record(memory: &MemoryId, number: u32, kind: RecordKind) -> Result<Record> {
    let place = format!("record {number}");
    Ok(Record {
        kind,
        title: Some(said(&format!("{place} title"))),
        description: Some(said(&format!("{place} description"))),
        // The form of earlier versions of Loci.
        state_reason: Some(format!("approved by {LOGIN}: {}", said(&format!("{place} reason")))),
        metadata: BTreeMap::from([
            ("reviewer".to_owned(), MetadataValue::String(LOGIN.to_owned())),
            ("note".to_owned(), MetadataValue::StringList(vec![said(&format!("{place} note"))])),
            (
                "file_redacted".to_owned(),
                MetadataValue::String(format!("2026-01-02T03:04:05.678Z by {LOGIN}: no reason")),
            ),
        ]),
        strategy: None,
        ..samples::record(memory, number, &said(&place))?
    })
}

fn records(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let kinds = [RecordKind::Rule, RecordKind::Episode, RecordKind::Reflection];
    for (number, kind) in (902..).zip(kinds) {
        let first = record(memory, number, kind)?;
        tx.records_mut().insert(&first)?;
        let text = json!({"author": LOGIN, "body": said(&format!("record {number} changed"))}).to_string();
        tx.records_mut().put_version(&Record { version: 2, text, updated_at: time(50), ..first })?;
    }
    let fact = record(memory, FACT, RecordKind::Fact)?;
    tx.records_mut().insert(&fact)?;
    let mut beside = fact_samples::fact(memory, 1, FACT, "src/lib.rs")?;
    beside.content_hash = content_hash(fact.title.as_deref().unwrap_or_default(), &fact.text);
    beside.detail.source.created_by = Some(LOGIN.to_owned());
    beside.detail.source.principal = LOGIN.to_owned();
    beside.detail.source.agent = Some(LOGIN.to_owned());
    beside.detail.source.reference = Some(format!("as {MENTION} wrote"));
    beside.detail.support = Some(SupportReport {
        found: vec![LOGIN.to_owned(), "MAX_NAME".to_owned()],
        ..SupportReport::new(Support::Supported, SupportReason::NamesFound)
    });
    beside.detail.invalidated = Some((LOGIN.to_owned(), time(4)));
    tx.facts_mut().put(&beside)?;
    let mut happened = fact_samples::fact_event(memory, FACT, FactEventKind::Created, Some(FACT))?;
    happened.principal = LOGIN.to_owned();
    happened.agent = Some(LOGIN.to_owned());
    happened.reference = Some(format!("as {MENTION} wrote"));
    let mut of_none = fact_samples::fact_event(memory, 950, FactEventKind::RejectedStore, None)?;
    of_none.principal = LOGIN.to_owned();
    tx.fact_events_mut().append(&[happened, of_none])?;
    tx.telemetry_mut().append(&StateChange {
        memory: memory.clone(),
        record: record_id(902)?,
        version: 2,
        from: Some(RecordState::Active),
        to: RecordState::Active,
        reason: format!("rejected by {LOGIN}: {}", said("change")),
        by: LOGIN.to_owned(),
        at: time(51),
    })
}

fn rest(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let mut repository = fact_samples::repository(memory, 1, "acme/named")?;
    repository.settings.reviews.agent_logins = Some(vec![LOGIN.to_owned(), "bob".to_owned()]);
    repository.settings.reviews.authority = Some([(LOGIN.to_owned(), 1), (NUMBER.to_owned(), 2)].into());
    tx.repositories_mut().put(&repository)?;
    let news = json!({"news": {"pr": {"author": {"login": LOGIN, "id": 4711}, "body": said("news")}}});
    for (id, direction) in [("news-1", DeliveryDirection::In), ("out-1", DeliveryDirection::Out)] {
        tx.deliveries_mut().insert(&Delivery {
            id: DeliveryId::parse(id)?,
            memory: memory.clone(),
            direction,
            target: "forge".to_owned(),
            order_key: "k".to_owned(),
            body: Document::from_value(&news)?,
            state: DeliveryState::Pending,
            attempts: 0,
            due: time(1),
            last_error: None,
            created_at: time(1),
        })?;
    }
    let token =
        TokenScope { place: memory.to_string(), operation: "Ask".to_owned(), token: "once".to_owned() };
    let answer = Document::from_value(&json!({"user": LOGIN, "text": said("answer")}))?;
    let expires = time(1_000_000_000);
    tx.idempotency_mut().put(&token, &TokenAnswer { parameters: "p".to_owned(), answer, expires })
}

/// Names the person in every place in which an object names people.
fn filled(shop: &Workshop) -> MemoryId {
    let memory = shop.memory();
    let of = memory.clone();
    let write = shop.world.store();
    block_on(write.write(move |tx| {
        for fill in [person, tasks, commits, sessions, events, ledger, rest, records] {
            fill(tx, &of)?;
        }
        Ok(())
    }))
    .unwrap();
    memory
}

/// Returns every row of a memory with its kind, in lower case.
fn dumped(shop: &Workshop, memory: &MemoryId) -> Vec<(TransferKind, String)> {
    let place = TransferPlace::Memory(memory.clone());
    let read = shop.world.store();
    block_on(read.read(move |tx| {
        let mut rows = Vec::new();
        for kind in TransferKind::OF_MEMORY {
            let mut after = None;
            loop {
                let page = tx.transfer().dump(&place, *kind, after.as_ref(), 100)?;
                let Some(last) = page.last() else { break };
                after = Some(last.key.clone());
                for row in page {
                    let text = String::from_utf8_lossy(&row.moved.document()?).to_lowercase();
                    rows.push((*kind, text));
                }
            }
        }
        Ok(rows)
    }))
    .unwrap()
}

fn is_named(text: &str) -> bool {
    NAMES.iter().any(|name| text.contains(name))
}

/// Returns the files of the store that contain a name of the person, if the store has files.
fn files_naming(shop: &Workshop) -> Vec<String> {
    let info = block_on(shop.world.store().info(false)).unwrap();
    if info.kind != "sqlite" {
        return Vec::new();
    }
    let entries = std::fs::read_dir(&info.location).unwrap().map(|entry| entry.unwrap().path());
    let is_theirs = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        is_named(&String::from_utf8_lossy(&bytes).to_lowercase())
    };
    entries.filter(is_theirs).map(|path| path.display().to_string()).collect()
}

fn places_of(texts: &str) -> BTreeSet<String> {
    let behind = texts.split(MARK).skip(1);
    behind.filter_map(|rest| rest.split_once(':').map(|(place, _)| place.to_owned())).collect()
}

fn exported(shop: &Workshop, memory: &MemoryId, actor: &ActorId) -> String {
    let part = block_on(shop.engine.export_person(&shop.caller, memory, actor)).unwrap();
    let (mut lines, mut cursor): (Vec<ExportLine>, _) = (Vec::new(), ExportCursor::Start);
    while cursor != ExportCursor::End {
        let page = shop.engine.export_part(&shop.caller, memory, &part, cursor);
        let (page, next) = block_on(page).unwrap();
        lines.extend(page);
        cursor = next;
    }
    serde_json::to_string(&lines).unwrap()
}

fn forget(shop: &Workshop, memory: &MemoryId, actor: &ActorId, dry_run: bool) -> ForgetReceipt {
    let confirm = (!dry_run).then(|| actor.to_string());
    let ask = ForgetAsk { memory: memory.clone(), actor: actor.clone(), dry_run, confirm };
    block_on(shop.engine.forget(&shop.caller, &ask)).unwrap()
}

fn found_by_words(shop: &Workshop, memory: &MemoryId, words: &str) -> usize {
    let query = TaskQuery { words: Some(words.to_owned()), ..TaskQuery::all(memory.clone(), 10) };
    let read = shop.world.store();
    block_on(read.read(move |tx| Ok(tx.tasks().list(&query)?.len()))).unwrap()
}

/// Checks that no digest is left of a text that named the person.
fn digests_follow(shop: &Workshop, memory: &MemoryId) {
    let (of, store) = (memory.clone(), shop.world.store());
    let read = store.read(move |tx| {
        let tasks = tx.tasks().list(&TaskQuery::all(of.clone(), 10))?;
        Ok((tasks, tx.task_sessions().list_items(&of, None, 10)?, tx.events().export(&of, 0, 10, time(60))?))
    });
    let (tasks, items, events) = block_on(read).unwrap();
    assert_eq!((tasks.len(), items.len(), events.len()), (2, 2, 1));
    let Some(PayloadItem::Conversational { text: words, .. }) = events[0].payload.first() else { panic!() };
    let digest = |text: &str| hex::encode(Sha256::digest(text.as_bytes()));
    for task in tasks {
        let asked = json!({"description": task.description, "issue": task.issue}).to_string();
        assert_eq!(task.input_hash, Some(digest(&asked)));
        assert_eq!(task.request_digest, "");
    }
    for item in items {
        let text = item.text.unwrap_or_else(|| words.clone());
        assert_eq!(item.text_sha256, digest(&text));
        assert_eq!(item.text_chars, u64::try_from(text.chars().count()).unwrap());
    }
}

#[test]
fn no_table_names_whoever_was_forgotten() {
    let shop = Workshop::new();
    let memory = filled(&shop);
    let actor = ActorId::parse(LOGIN.to_lowercase()).unwrap();
    let before = dumped(&shop, &memory);
    let named: BTreeSet<String> =
        before.iter().filter(|(_, text)| is_named(text)).map(|(kind, _)| format!("{kind:?}")).collect();
    assert!(named.len() >= 12, "planted in too few tables: {named:?}");
    assert_eq!(found_by_words(&shop, &memory, MENTION), 2);

    // Messages from forges and stored responses are not exported.
    let export = exported(&shop, &memory, &actor);
    let all: String = before.iter().map(|(_, text)| text.as_str()).collect();
    let missing: Vec<String> = places_of(&all)
        .difference(&places_of(&export.to_lowercase()))
        .filter(|place| !["news", "answer"].contains(&place.as_str()))
        .cloned()
        .collect();
    assert!(missing.is_empty(), "not in the person's export: {missing:?}");
    for name in NAMES {
        assert!(export.to_lowercase().contains(name), "{name}");
    }

    let tried = forget(&shop, &memory, &actor, true);
    assert_eq!(dumped(&shop, &memory), before, "a dry run changes nothing");
    let receipt = forget(&shop, &memory, &actor, false);
    assert_eq!(receipt.kinds, tried.kinds);
    let count = |kind: &str| receipt.kinds.iter().find(|one| one.kind == kind).map(|one| one.count);
    for (kind, expect) in [
        ("mentions in tasks", 2),
        ("mentions in commits", 3),
        ("mentions in task sessions", 3),
        ("mentions in events", 1),
        ("mentions in deliveries", 2),
        ("mentions in request tokens", 1),
        ("mentions in repositories", 1),
        ("mentions in ledger entries", 8),
        // Three records with two versions, a fact, and two changes of facts.
        ("mentions in records", 9),
        ("mentions by others", 30),
    ] {
        assert_eq!(count(kind), Some(expect), "{kind}: {receipt:?}");
    }

    let after = dumped(&shop, &memory);
    let left: Vec<&(TransferKind, String)> = after.iter().filter(|(_, text)| is_named(text)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(files_naming(&shop), Vec::<String>::new());
    assert_eq!(found_by_words(&shop, &memory, MENTION), 0);
    assert_eq!(found_by_words(&shop, &memory, "@erased-"), 2);
    let whole: String = after.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(places_of(&whole), places_of(&all), "what others said stays");
    assert!(whole.contains("bob@example.org"), "others keep their names");
    let of = memory.clone();
    let fact = block_on(shop.world.store().read(move |tx| tx.facts().get(&of, &record_id(FACT)?)));
    let fact = fact.unwrap().unwrap();
    let text = shop.record(&fact.record);
    let hash = content_hash(text.title.as_deref().unwrap_or_default(), &text.text);
    assert_eq!(fact.content_hash, hash, "a fact stays the fact of its text");
    let report = fact.detail.support.unwrap();
    assert_eq!((report.support, report.found.last().unwrap().as_str()), (Support::Supported, "MAX_NAME"));
    digests_follow(&shop, &memory);
    let again = forget(&shop, &memory, &actor, true);
    assert!(again.kinds.iter().all(|one| one.count == 0), "{again:?}");
}

#[test]
fn logins_that_are_no_actors_are_forgotten() {
    let long = format!("{}[bot]", "o".repeat(130));
    // The forge's login, the name in the request, and the number if no other name remains.
    let check = |login: &str, named: &str, number: Option<&str>| {
        for is_by_actor in [false, true] {
            let shop = Workshop::new();
            let memory = shop.memory();
            let id = number.map_or(0, |number| number.parse().unwrap());
            let (of, user) = (memory.clone(), login.to_owned());
            let user_id = number.map(str::to_owned);
            let store = shop.world.store();
            block_on(store.write(move |tx| {
                let mention = if id == 0 { format!("as @{user}, said") } else { "as said".to_owned() };
                let review = ForgeUser { id, login: user.clone(), is_bot: false };
                let body = Document::from_value(&json!({"reviewer": review, "body": mention}))?;
                let entry = LedgerEntry { shelf: Review::SHELF, body, ..task_samples::entry(&of, 1)? };
                tx.ledger_mut().put(&entry)?;
                let (user, user_id, description) = (Some(user.to_uppercase()), user_id.clone(), mention);
                tx.tasks_mut().put(&Task { user, user_id, description, ..task_samples::task(&of, 1)? })
            }))
            .unwrap();
            let is_left =
                || dumped(&shop, &memory).iter().any(|(_, text)| text.contains(&login.to_lowercase()));
            assert!(is_left(), "{login}");
            if is_by_actor {
                let (actor, confirm) = (actor_of_person(named).unwrap(), Some(named.to_owned()));
                let ask = ForgetAsk { memory: memory.clone(), actor, dry_run: false, confirm };
                block_on(shop.engine.forget(&shop.caller, &ask)).unwrap();
            } else {
                block_on(shop.engine.coding.user_forget(&shop.caller, &shop.standing, named)).unwrap();
            }
            assert!(!is_left(), "{login} {named} {is_by_actor}");
        }
    };
    check("octo[bot]", "Octo[bot]", None);
    check("Zoë-K", "zoë-k", None);
    check("zoe@example.org", "zoe@example.org", None);
    check(&long, "user:4711", Some("4711"));
    let shop = Workshop::new();
    for name in [long.as_str(), "a/b]", "a\u{7}", ""] {
        let by_login =
            block_on(shop.engine.coding.user_forget(&shop.caller, &shop.standing, name)).unwrap_err();
        let by_actor = actor_of_person(name).unwrap_err();
        for error in [by_login, by_actor] {
            assert!(error.message.contains("such as user:4711"), "{name:?}: {}", error.message);
        }
    }
}
