//! Every field of foreign text that enters a store, with a secret in it, where the memory masks
//! secrets: either the field is stored without it, or the call is refused and names the field.
//! Names by which things are found are refused.
//!
//! Not here: ids of actors, sessions, tasks and incidents, which say whose something is; blobs and
//! JSON of events, which clients restore byte for byte; and what only administrators configure.

use std::collections::BTreeMap;

use loci_engine::coding::{
    NewPrompt, NewSessionItem, NewTask, OutcomeByHand, PromptParts, TaskNote, TaskPatch,
};
use loci_engine::events::NewEvent;
use loci_engine::files::upkeep::ConsolidationAsk;
use loci_engine::files::{
    AppendTo, DocumentAppend, DocumentContent, DocumentMove, DocumentPut, Precondition, PutContent, TreeAsk,
};
use loci_engine::records::{
    ItemOutcome, NewRecord, QuarantineAsk, RecordFeedback, RecordUpdate, RecordsCreate,
};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::feedback::FeedbackVerdict;
use loci_model::metadata::MetadataValue;
use loci_model::outcome::OutcomeGrade;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::store::StoreExt;
use loci_model::settings::SecretsMode;
use loci_model::task_session::{SessionItemKind, ToolUse};
use loci_model::transfer::{TransferKind, TransferPlace, TransferRow};
use loci_model::{ActorId, Document, Error, Namespace, RecordId, Result, SessionId};
use loci_testkit::block_on;
use serde_json::json;

use super::outcomes::by_hand;
use super::sessions::said;
use super::world::{Workshop, task, task_id};

/// A call that has the secret in a field.
type Sending = fn(&Workshop, &str) -> Result<()>;

/// A field, and the one that a refusal names.
struct Case(&'static str, Option<&'static str>, Sending);

/// Unlike any other, in the form of a token.
fn secret(number: usize) -> String {
    ["ghp_", "abcdefghijklmnopqrstuvwxyz012345", &format!("{number:04}")].concat()
}

fn tree(shop: &Workshop) -> TreeAsk {
    TreeAsk { memory: shop.memory(), namespace: Namespace::parse("/notes/").unwrap() }
}

fn record(shop: &Workshop) -> NewRecord {
    let place = vec![Namespace::parse("/notes/").unwrap()];
    NewRecord::fact("1".to_owned(), place, "Tides turn twice a day.".to_owned(), shop.world.clock().now())
}

fn create(shop: &Workshop, record: NewRecord) -> Result<RecordId> {
    let request = RecordsCreate { memory: shop.memory(), records: vec![record], expiry: None };
    done(block_on(shop.engine.records_create(&shop.caller, request, None))?.items.remove(0))
}

/// The result of a batch's item. It has no field of its own: the message begins with its name.
fn done(item: ItemOutcome) -> Result<RecordId> {
    let ItemOutcome { id, result, .. } = item;
    result.map(|()| id).map_err(|(kind, message)| {
        let field = message.split(' ').next().unwrap_or_default().to_owned();
        Error::new(kind, message).on(field)
    })
}

fn event(shop: &Workshop, metadata: &[(&str, &str)], text: &str) -> Result<()> {
    let new = NewEvent {
        memory: shop.memory(),
        actor: ActorId::parse("alice").unwrap(),
        session: Some(SessionId::parse("s1").unwrap()),
        time: None,
        payload: vec![PayloadItem::Conversational { role: Role::User, text: text.to_owned() }],
        branch: None,
        metadata: metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        extraction: ExtractionMode::Skip,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    block_on(shop.engine.event_create(&shop.caller, new, None)).map(drop)
}

fn prompt(shop: &Workshop, template: &str, parts: PromptParts, model: Option<String>) -> Result<()> {
    let new = NewPrompt { template_id: template.to_owned(), parts, model };
    block_on(shop.engine.prompt_add(&shop.caller, &shop.standing, new)).map(drop)
}

fn text(text: &str) -> PromptParts {
    PromptParts { text: text.to_owned(), ..PromptParts::default() }
}

fn put(shop: &Workshop, path: &str, content: DocumentContent, reason: Option<&str>) -> Result<()> {
    let put = DocumentPut {
        tree: tree(shop),
        path: Some(path.to_owned()),
        content: PutContent::Parts(content),
        precondition: Some(Precondition::Any),
        reason: reason.map(str::to_owned),
    };
    block_on(shop.engine.document_put(&shop.caller, put, None)).map(drop)
}

fn body(text: &str) -> DocumentContent {
    DocumentContent { body: text.to_owned(), ..DocumentContent::default() }
}

fn state(shop: &Workshop, id: &str, state: &serde_json::Value) -> Result<()> {
    shop.create(task(id))?;
    let state = Document::from_value(state)?;
    block_on(shop.engine.session_state_put(&shop.caller, &shop.standing, &task_id(id), state, 0)).map(drop)
}

fn item(shop: &Workshop, id: &str, item: NewSessionItem) -> Result<()> {
    shop.create(task(id))?;
    shop.append(id, vec![item]).map(drop)
}

const EVENTS: &[Case] = &[
    Case("event.payload.text", None, |shop, it| event(shop, &[], it)),
    Case("event.metadata value", None, |shop, it| event(shop, &[("ticket", it)], "Hi.")),
    Case("event.metadata key", Some("metadata"), |shop, it| event(shop, &[(it, "x")], "Hi.")),
];

const RECORDS: &[Case] = &[
    Case("record.text", None, |shop, it| {
        create(shop, NewRecord { text: it.to_owned(), ..record(shop) }).map(drop)
    }),
    Case("record.title, description, scope, subtype", None, |shop, it| {
        let said = Some(it.to_owned());
        let (title, description, scope, subtype) = (said.clone(), said.clone(), said.clone(), said);
        create(shop, NewRecord { title, description, scope, subtype, ..record(shop) }).map(drop)
    }),
    Case("record.metadata values", None, |shop, it| {
        let list = MetadataValue::StringList(vec![it.to_owned()]);
        let one = MetadataValue::String(it.to_owned());
        let metadata = BTreeMap::from([("list".to_owned(), list), ("one".to_owned(), one)]);
        create(shop, NewRecord { metadata, ..record(shop) }).map(drop)
    }),
    Case("record.metadata key", Some("metadata"), |shop, it| {
        let metadata = BTreeMap::from([(it.to_owned(), MetadataValue::Number(1.0))]);
        create(shop, NewRecord { metadata, ..record(shop) }).map(drop)
    }),
    Case("record.path", Some("path"), |shop, it| {
        create(shop, NewRecord { path: Some(format!("{it}.md")), ..record(shop) }).map(drop)
    }),
    Case("record update: text, metadata", None, |shop, it| {
        let id = create(shop, record(shop))?;
        let metadata = BTreeMap::from([("one".to_owned(), MetadataValue::String(it.to_owned()))]);
        let update = RecordUpdate {
            id,
            timestamp: shop.world.clock().now(),
            text: Some(it.to_owned()),
            namespaces: None,
            source_namespaces: None,
            strategy: None,
            metadata: Some(metadata),
            if_version: None,
        };
        let memory = shop.memory();
        let updated = block_on(shop.engine.records_update(&shop.caller, &memory, vec![update], None));
        done(updated?.items.remove(0)).map(drop)
    }),
    Case("record feedback.reason", None, |shop, it| {
        let id = create(shop, record(shop))?;
        let (verdict, reason) = (FeedbackVerdict::Wrong, Some(it.to_owned()));
        let feedback = RecordFeedback { id, verdict, reason, by_human: false };
        block_on(shop.engine.record_feedback(&shop.caller, &shop.memory(), feedback)).map(drop)
    }),
    Case("quarantine.reason", None, |shop, it| {
        let ids = vec![create(shop, record(shop))?];
        let ask = QuarantineAsk { ids, reason: it.to_owned(), ..QuarantineAsk::default() };
        block_on(shop.engine.records_quarantine(&shop.caller, &shop.memory(), ask)).map(drop)
    }),
];

const DOCUMENTS: &[Case] = &[
    Case("document.body", None, |shop, it| put(shop, "knowledge/a.md", body(it), None)),
    Case("document.title, description, scope", None, |shop, it| {
        let said = Some(it.to_owned());
        let (title, description, scope) = (said.clone(), said.clone(), said);
        let content = DocumentContent { title, description, scope, ..body("Text.") };
        put(shop, "knowledge/b.md", content, None)
    }),
    Case("document.reason", None, |shop, it| put(shop, "knowledge/c.md", body("Text."), Some(it))),
    Case("document.path", Some("path"), |shop, it| {
        put(shop, &format!("knowledge/{it}.md"), body("Text."), None)
    }),
    Case("document move.to", Some("to"), |shop, it| {
        put(shop, "knowledge/d.md", body("Text."), None)?;
        let (from, to) = ("knowledge/d.md".to_owned(), format!("knowledge/{it}.md"));
        let precondition = Some(Precondition::Any);
        let asked = DocumentMove { tree: tree(shop), from, to, precondition, reason: None };
        block_on(shop.engine.document_move(&shop.caller, asked, None)).map(drop)
    }),
    Case("document append.lines, reason", None, |shop, it| {
        let append = DocumentAppend {
            tree: tree(shop),
            to: AppendTo::Path("knowledge/e.md".to_owned()),
            lines: vec![it.to_owned()],
            if_absent_create: true,
            precondition: None,
            reason: Some(it.to_owned()),
        };
        block_on(shop.engine.document_append(&shop.caller, append, None)).map(drop)
    }),
    Case("snapshot.label", Some("label"), |shop, it| {
        block_on(shop.engine.tree_snapshot(&shop.caller, &tree(shop), it, None)).map(drop)
    }),
    Case("consolidation.instructions", None, |shop, it| {
        let ask = ConsolidationAsk { instructions: Some(it.to_owned()), ..ConsolidationAsk::of(tree(shop)) };
        block_on(shop.engine.consolidation_start(&shop.caller, &ask)).map(drop)
    }),
];

const PROMPTS: &[Case] = &[
    Case("prompt.template_id", Some("template_id"), |shop, it| prompt(shop, it, text("One."), None)),
    Case("prompt.text", None, |shop, it| prompt(shop, "p", text(it), None)),
    Case("prompt.overrides, names and values", None, |shop, it| {
        let overrides = Some(json!({ it: { "nested": it }, format!("{it}.") : [it] }));
        prompt(shop, "p", PromptParts { overrides, ..text("Three.") }, None)
    }),
    Case("prompt.tools", None, |shop, it| {
        prompt(shop, "p", PromptParts { tools: vec![it.to_owned()], ..text("Four.") }, None)
    }),
    Case("prompt.extraction_prompts", None, |shop, it| {
        let extraction_prompts = vec![it.to_owned()];
        prompt(shop, "p", PromptParts { extraction_prompts, ..text("Five.") }, None)
    }),
    Case("prompt.model", None, |shop, it| prompt(shop, "p", text("Two."), Some(it.to_owned()))),
];

const TASKS: &[Case] = &[
    Case("task.description", None, |shop, it| {
        shop.create(NewTask { description: it.to_owned(), ..task("m-1") }).map(drop)
    }),
    Case("task names", None, |shop, it| {
        let named = || Some(it.to_owned());
        let (user, branch, base, model) = (named(), named(), named(), named());
        let (variant, prompt_version) = (named(), named());
        let new = NewTask { user, branch, base, model, variant, prompt_version, ..task("m-2") };
        shop.create(new).map(drop)
    }),
    Case("task patch.branch", None, |shop, it| {
        shop.create(task("m-3"))?;
        shop.patch("m-3", TaskPatch { branch: Some(it.to_owned()), ..TaskPatch::default() }).map(drop)
    }),
    Case("note.text, topic", None, |shop, it| {
        shop.create(task("m-4"))?;
        let (text, topic) = (format!("The build needs {it}."), Some(it.to_owned()));
        let note = TaskNote { text, topic, scope: None, category: None, observed_at: None };
        shop.note("m-4", note).map(drop)
    }),
    Case("alert.reason", None, |shop, it| {
        shop.create(task("m-5"))?;
        block_on(shop.engine.task_alert(&shop.caller, &shop.standing, &task_id("m-5"), it)).map(drop)
    }),
    Case("outcome.source", None, |shop, it| {
        shop.create(task("m-6"))?;
        let said = OutcomeByHand { source: Some(it.to_owned()), ..by_hand(OutcomeGrade::MergedAsIs) };
        let id = task_id("m-6");
        block_on(shop.engine.task_outcome_set(&shop.caller, &shop.standing, &id, said)).map(drop)
    }),
    Case("session event.content", None, |shop, it| item(shop, "m-7", said(1, SessionItemKind::Message, it))),
    Case("session event.user, prompt_hash, tool", None, |shop, it| {
        let tool = ToolUse {
            name: it.to_owned(),
            input_sha256: None,
            output_sha256: None,
            duration_ms: None,
            cost_usd: None,
            status: Some(it.to_owned()),
        };
        let (user, prompt_version) = (Some(it.to_owned()), Some(it.to_owned()));
        let one = said(1, SessionItemKind::ToolCall, "ls");
        item(shop, "m-8", NewSessionItem { user, prompt_version, tool: Some(tool), ..one })
    }),
    Case("session state, values", None, |shop, it| state(shop, "m-9", &json!({ "env": [it], "step": 1 }))),
    Case("session state, names", None, |shop, it| state(shop, "m-10", &json!({ "a": { it: 1 } }))),
];

#[test]
fn no_field_keeps_a_secret() {
    let shop = Workshop::new();
    let mut settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
    settings.safety.secrets = Some(SecretsMode::Mask);
    block_on(shop.engine.memory_settings_put(&shop.caller, &shop.memory(), settings)).unwrap();
    let cases: Vec<&Case> = [EVENTS, RECORDS, DOCUMENTS, PROMPTS, TASKS].into_iter().flatten().collect();
    for (number, Case(name, refused, send)) in cases.iter().enumerate() {
        shop.world.clock().advance_ms(1_000);
        let outcome = send(&shop, &secret(number));
        let field = outcome.as_ref().err().map(|error| error.field.clone().unwrap_or_default());
        assert_eq!(field.as_deref(), *refused, "{name}: {outcome:?}");
    }
    let stored = everything(&shop);
    for (number, Case(name, ..)) in cases.iter().enumerate() {
        assert!(!stored.contains(&secret(number)), "{name}");
    }
    assert!(stored.contains("[REDACTED:github_token]"));
    assert!(stored.contains("Tides turn twice a day."), "what is stored was looked at");
}

/// Every row of the store, as text.
fn everything(shop: &Workshop) -> String {
    let mut all = Vec::new();
    for kind in TransferKind::ALL {
        for place in [TransferPlace::Memory(shop.memory()), TransferPlace::Server] {
            for row in rows(shop, &place, *kind) {
                let document = row.moved.document().unwrap();
                all.push(format!("{:?} {}", row.key, String::from_utf8_lossy(&document)));
            }
        }
    }
    all.join("\n")
}

fn rows(shop: &Workshop, place: &TransferPlace, kind: TransferKind) -> Vec<TransferRow> {
    let store = shop.world.store();
    let mut all: Vec<TransferRow> = Vec::new();
    loop {
        let (place, after) = (place.clone(), all.last().map(|row| row.key.clone()));
        let page = store.read(move |tx| tx.transfer().dump(&place, kind, after.as_ref(), 1_000));
        let page = block_on(page).unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

#[test]
fn a_head_without_its_secrets_is_a_head() {
    let shop = Workshop::new();
    let mut settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
    settings.safety.secrets = Some(SecretsMode::Mask);
    block_on(shop.engine.memory_settings_put(&shop.caller, &shop.memory(), settings)).unwrap();
    let it = secret(1);
    let head = format!("owner: ops\nnote: {it} opens the gate\ntopics:\n  - {it} is old\n  - tides\n");
    for text in ["Text.", "Text that changed."] {
        let put = DocumentPut {
            tree: tree(&shop),
            path: Some("knowledge/gate.md".to_owned()),
            content: PutContent::File(format!("---\n{head}---\n\n{text}\n")),
            precondition: Some(Precondition::Any),
            reason: None,
        };
        block_on(shop.engine.document_put(&shop.caller, put, None)).unwrap();
        let shown = block_on(shop.engine.document_get(&shop.caller, &tree(&shop), "knowledge/gate.md"));
        let file = shown.unwrap().file;
        for kept in ["owner: ops", "[REDACTED:github_token] opens the gate", "tides", text] {
            assert!(file.contains(kept), "{kept}: {file}");
        }
        assert!(!file.contains(&it), "{file}");
    }
}

#[test]
fn names_that_are_alike_when_they_are_masked_lose_no_member() {
    let shop = Workshop::new();
    let mut settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
    settings.safety.secrets = Some(SecretsMode::Mask);
    block_on(shop.engine.memory_settings_put(&shop.caller, &shop.memory(), settings)).unwrap();
    let said = json!({ secret(1): "one", secret(2): "two", secret(3): "three" });
    state(&shop, "t-1", &said).unwrap();
    let task = task_id("t-1");
    let read = shop.engine.session_state(&shop.caller, &shop.standing, &task);
    let kept: serde_json::Value = serde_json::from_str(block_on(read).unwrap().0.as_str()).unwrap();
    let mut values: Vec<&str> = kept.as_object().unwrap().values().filter_map(|one| one.as_str()).collect();
    values.sort_unstable();
    assert_eq!(values, ["one", "three", "two"], "{kept}");
    assert_eq!(kept["[REDACTED:github_token]"], "one");
}
