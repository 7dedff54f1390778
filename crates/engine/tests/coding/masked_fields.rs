//! Every field of untrusted text that enters a store, with a secret in it, in a memory that masks
//! secrets. Either the field is stored without the secret, or the call is rejected and names the
//! field. Names that identify objects are rejected.
//!
//! Excluded are ids of actors, sessions, tasks and incidents, which name the owner of an object;
//! blobs and JSON of events, and bytes of objects, which clients restore byte for byte; and the
//! settings of strategies and servers that only administrators configure: prompts, targets, names
//! of keys.

use std::collections::BTreeMap;

use loci_api::coding::task::end::TaskNote;
use loci_api::coding::task::{TaskCreate, TaskPatch};
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::{
    Completion, NewPrompt, NewReview, NewSessionItem, OutcomeByHand, PromptParts, RepositoryChange,
};
use loci_documents::bucket::{Bucket, BucketPut};
use loci_documents::upkeep::ConsolidationAsk;
use loci_documents::{
    AppendTo, DocumentAppend, DocumentMove, DocumentPut, NewObject, Precondition, PutContent, TreeAsk,
};
use loci_engine::deliveries::HookTaken;
use loci_engine::document_text::DocumentContent;
use loci_engine::events::NewEvent;
use loci_engine::memories::{MemoryUpdate, NewMemory};
use loci_engine::records::{
    ItemOutcome, NewRecord, QuarantineAsk, RecordFeedback, RecordUpdate, RecordsCreate,
};
use loci_model::delivery::DeliveryDirection;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::memory::settings::SecretsMode;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::store::StoreExt;
use loci_model::record::feedback::FeedbackVerdict;
use loci_model::record::metadata::MetadataValue;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeNews, ReviewChange};
use loci_model::tasks::outcome::OutcomeGrade;
use loci_model::tasks::review::{ForgeUser, ReviewState};
use loci_model::tasks::task_session::{SessionItemKind, ToolUse};
use loci_model::transfer::{TransferKind, TransferPlace, TransferRow};
use loci_model::{ActorId, DeliveryId, Document, Error, Namespace, RecordId, Result, SessionId};
use loci_testkit_ports::block_on;
use serde_json::json;

use super::outcomes::by_hand;
use super::reviews::{alice, comment, pull_request, told, user};
use super::sessions::said;
use super::workshop::{REPO, Workshop, task, task_id};

/// A call with the secret in a field.
type Sending = fn(&Workshop, &str) -> Result<()>;

/// A field, and the field that a rejection names.
struct Case(&'static str, Option<&'static str>, Sending);

/// Returns a unique secret in the form of a token.
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

/// Returns the result of a batch item. It has no field of its own: the message begins with its
/// name.
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
    block_on(shop.engine.coding.prompt_add(&shop.caller, &shop.standing, new)).map(drop)
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
    block_on(shop.engine.documents.document_put(&shop.caller, put, None)).map(drop)
}

fn body(text: &str) -> DocumentContent {
    DocumentContent { body: text.to_owned(), ..DocumentContent::default() }
}

fn state(shop: &Workshop, id: &str, state: &serde_json::Value) -> Result<()> {
    shop.create(task(id))?;
    let state = Document::from_value(state)?;
    block_on(shop.engine.coding.session_state_put(&shop.caller, &shop.standing, &task_id(id), state, 0))
        .map(drop)
}

fn item(shop: &Workshop, id: &str, item: NewSessionItem) -> Result<()> {
    shop.create(task(id))?;
    shop.append(id, vec![item]).map(drop)
}

fn configure(shop: &Workshop, setting: &str, value: serde_json::Value) -> Result<()> {
    let settings = vec![(setting.to_owned(), value)];
    let change = RepositoryChange { replaces: false, settings };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).map(drop)
}

fn review(shop: &Workshop, id: u64, change: impl FnOnce(&mut NewReview)) -> Result<()> {
    let mut new = NewReview {
        pr: 7,
        pr_author: Some(user(9, "shop-agent[bot]")),
        is_draft: false,
        head_ref: None,
        review: told(id, alice(), ReviewState::Commented, "Name orders by their numbers."),
        comments: Vec::new(),
    };
    change(&mut new);
    block_on(shop.engine.coding.reviews_take(&shop.caller, &shop.standing, REPO, new)).map(drop)
}

/// Sends a delivery that waits for its job, and checks its stored body.
fn deliver(shop: &Workshop, guid: &str, it: &str, news: ForgeNews) {
    assert_eq!(shop.send(guid, news), HookTaken::Queued);
    let (memory, id, store) = (shop.memory(), DeliveryId::parse(guid).unwrap(), shop.world.store());
    let row = block_on(store.read(move |tx| tx.deliveries().get(&memory, DeliveryDirection::In, &id)));
    let row = row.unwrap().unwrap();
    let body = row.body.as_str();
    assert!(body.contains("[REDACTED:github_token]") && !body.contains(it), "{body}");
}

fn object(key: &str, content_type: Option<&str>) -> NewObject {
    let (key, content_type) = (key.to_owned(), content_type.map(str::to_owned));
    NewObject { key, content_type, content: b"1".to_vec() }
}

fn bucket_put(shop: &Workshop, key: &str) -> Result<()> {
    let bucket = Bucket { memory: shop.memory(), namespace: Namespace::parse("/notes/").unwrap() };
    let object = object(key, None);
    let put = BucketPut { bucket, object, precondition: None, merge_appends: true, object_ttl_ms: None };
    block_on(shop.engine.documents.bucket_put(&shop.caller, put)).map(drop)
}

const MEMORIES: &[Case] = &[
    Case("memory.description", None, |shop, it| {
        let change = MemoryUpdate { description: Some(it.to_owned()), ..MemoryUpdate::default() };
        block_on(shop.engine.memory_update(&shop.caller, &shop.memory(), change, None)).map(drop)
    }),
    Case("memory.tags, key", Some("tags"), |shop, it| {
        let tags = BTreeMap::from([(it.to_owned(), "x".to_owned())]);
        block_on(shop.engine.tags_add(&shop.caller, &shop.memory(), tags))
    }),
    Case("memory.tags, value", Some("tags"), |shop, it| {
        let tags = BTreeMap::from([("team".to_owned(), it.to_owned())]);
        block_on(shop.engine.tags_add(&shop.caller, &shop.memory(), tags))
    }),
    Case("new memory.description", None, |shop, it| {
        let made = block_on(shop.engine.memory_create(&shop.caller, new_memory(shop, "other", it), None))?;
        assert_eq!(made.description.as_deref(), Some("[REDACTED:github_token]"));
        Ok(())
    }),
    Case("new memory.name", Some("name"), |shop, it| {
        block_on(shop.engine.memory_create(&shop.caller, new_memory(shop, it, "Notes."), None)).map(drop)
    }),
];

fn new_memory(shop: &Workshop, name: &str, description: &str) -> NewMemory {
    let settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
    NewMemory {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        event_expiry_days: 30,
        settings: Some(settings),
        ..NewMemory::default()
    }
}

const REPOSITORIES: &[Case] = &[
    Case("repository.name", Some("name"), |shop, it| shop.register(&format!("acme/{it}"))),
    Case("setting: agent_logins", Some("agent_logins"), |shop, it| {
        configure(shop, "agent_logins", json!(["robot", it]))
    }),
    Case("setting: allow_bots", Some("allow_bots"), |shop, it| configure(shop, "allow_bots", json!([it]))),
    Case("setting: branch_patterns", Some("branch_patterns"), |shop, it| {
        configure(shop, "branch_patterns", json!([format!("{it}/{{task_id}}")]))
    }),
    Case("setting: authority.overrides", Some("authority.overrides"), |shop, it| {
        configure(shop, "authority.overrides", json!({ it: 0.5 }))
    }),
    Case("setting: default_branch", Some("default_branch"), |shop, it| {
        configure(shop, "default_branch", json!(it))
    }),
    Case("setting of a new repository", Some("agent_logins"), |shop, it| {
        let add = RepositoryAdd { name: Some("acme/other".to_owned()), ..RepositoryAdd::default() };
        let settings = vec![("agent_logins".to_owned(), json!([it]))];
        let change = RepositoryChange { replaces: true, settings };
        let put = shop.engine.coding.repository_put(&shop.caller, &shop.standing, "acme/other", add, change);
        let outcome = block_on(put).map(drop);
        let shown = shop.engine.coding.repository_show(&shop.caller, &shop.standing, "acme/other");
        assert!(block_on(shown).is_err(), "nothing is registered");
        outcome
    }),
];

const REVIEWS: &[Case] = &[
    Case("review.author.login", Some("author.login"), |shop, it| {
        review(shop, 80, |new| it.clone_into(&mut new.review.reviewer.login))
    }),
    Case("review.pr_author.login", Some("pr_author.login"), |shop, it| {
        review(shop, 81, |new| new.pr_author = Some(user(9, it)))
    }),
    Case("review.comments.author.login", Some("comments[0].author.login"), |shop, it| {
        let comment = comment(700, user(0, it), "Why?", None);
        review(shop, 82, |new| new.comments.push(ForgeComment { review: Some(82), comment }))
    }),
    Case("review.branch, body, commit, url; comment.path, body", None, |shop, it| {
        let (mut comment, url) = (comment(701, alice(), it, None), format!("https://forge.example/{it}"));
        (comment.path, comment.diff_hunk) = (Some(format!("src/{it}.rs")), Some(format!("+ {it}")));
        comment.url = Some(url.clone());
        review(shop, 83, |new| {
            new.head_ref = Some(it.to_owned());
            it.clone_into(&mut new.review.body);
            (new.review.url, new.review.commit) = (Some(url), Some(it.to_owned()));
            new.comments.push(ForgeComment { review: Some(83), comment });
        })
    }),
    Case("delivery: review and pull request", None, |shop, it| {
        let mut pr = pull_request(7);
        let url = Some(format!("https://forge.example/acme/shop/pull/7?by={it}"));
        let person = || ForgeUser { id: 6, login: it.to_owned(), is_bot: false };
        (pr.head_ref, pr.base_ref) = (format!("agent/{it}"), it.to_owned());
        (pr.author, pr.merged_by) = (person(), Some(person()));
        (pr.title, pr.body, pr.url) = (it.to_owned(), it.to_owned(), url.clone());
        let mut review = told(90, person(), ReviewState::Commented, it);
        review.url = url;
        let news = ForgeNews::Review { change: ReviewChange::Submitted, review, pr: Box::new(pr) };
        deliver(shop, "d-1", it, news);
        Ok(())
    }),
    Case("delivery: comment", None, |shop, it| {
        let mut comment = comment(702, user(6, it), it, None);
        (comment.path, comment.url) = (Some(it.to_owned()), Some(format!("https://forge.example/{it}")));
        let (comment, pr) = (Box::new(comment), Box::new(pull_request(7)));
        let news = ForgeNews::Comment { change: ReviewChange::Submitted, review: 90, comment, pr };
        deliver(shop, "d-2", it, news);
        Ok(())
    }),
];

const OBJECTS: &[Case] = &[
    Case("object.key", Some("key"), |shop, it| {
        block_on(shop.engine.documents.object_put(&shop.caller, &shop.memory(), object(it, None))).map(drop)
    }),
    Case("object.content_type", None, |shop, it| {
        block_on(shop.engine.documents.object_put(&shop.caller, &shop.memory(), object("a", Some(it))))
            .map(drop)
    }),
    Case("bucket: key of an object", Some("key"), |shop, it| bucket_put(shop, &format!("session/{it}.json"))),
    Case("bucket: key of a document", Some("key"), |shop, it| {
        bucket_put(shop, &format!("memory/desk/{it}.md"))
    }),
];

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
        block_on(shop.engine.documents.document_move(&shop.caller, asked, None)).map(drop)
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
        block_on(shop.engine.documents.document_append(&shop.caller, append, None)).map(drop)
    }),
    Case("snapshot.label", Some("label"), |shop, it| {
        block_on(shop.engine.documents.tree_snapshot(&shop.caller, &tree(shop), it, None)).map(drop)
    }),
    Case("consolidation.instructions", None, |shop, it| {
        let ask = ConsolidationAsk { instructions: Some(it.to_owned()), ..ConsolidationAsk::of(tree(shop)) };
        block_on(shop.engine.documents.consolidation_start(&shop.caller, &ask)).map(drop)
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
        shop.create(TaskCreate { description: it.to_owned(), ..task("m-1") }).map(drop)
    }),
    Case("task names", None, |shop, it| {
        let named = || Some(it.to_owned());
        let (user, branch, base, model) = (named(), named(), named(), named());
        let (variant, prompt_version) = (named(), named());
        let new = TaskCreate { user, branch, base, model, variant, prompt_version, ..task("m-2") };
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
        block_on(shop.engine.coding.task_alert(&shop.caller, &shop.standing, &task_id("m-5"), it)).map(drop)
    }),
    Case("outcome.source", None, |shop, it| {
        shop.create(task("m-6"))?;
        let said = OutcomeByHand { source: Some(it.to_owned()), ..by_hand(OutcomeGrade::MergedAsIs) };
        let id = task_id("m-6");
        block_on(shop.engine.coding.task_outcome_set(&shop.caller, &shop.standing, &id, said)).map(drop)
    }),
    Case("completion.learnings_text, its topic", None, |shop, it| {
        shop.begun("m-11");
        let text = format!("**{it}:** The table `orders` is written by src/orders.rs alone.");
        for _ in 0..2 {
            let said = Completion { learnings_text: Some(text.clone()), ..Completion::default() };
            let done = shop.complete("m-11", said)?;
            let topics: Vec<_> = done.learnings.iter().map(|one| one.topic.as_deref()).collect();
            assert_eq!(topics, [Some("[REDACTED:github_token]")]);
        }
        Ok(())
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

/// Returns a workshop with a memory that masks secrets.
fn masking() -> Workshop {
    let shop = Workshop::new();
    let mut settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
    settings.safety.secrets = Some(SecretsMode::Mask);
    block_on(shop.engine.memory_settings_put(&shop.caller, &shop.memory(), settings)).unwrap();
    shop
}

#[test]
fn no_field_keeps_a_secret() {
    let shop = masking();
    let kinds = [MEMORIES, REPOSITORIES, REVIEWS, OBJECTS, EVENTS, RECORDS, DOCUMENTS, PROMPTS, TASKS];
    let cases: Vec<&Case> = kinds.into_iter().flatten().collect();
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

/// Returns every row of the store as text.
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
    let shop = masking();
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
        block_on(shop.engine.documents.document_put(&shop.caller, put, None)).unwrap();
        let shown =
            block_on(shop.engine.documents.document_get(&shop.caller, &tree(&shop), "knowledge/gate.md"));
        let file = shown.unwrap().file;
        for kept in ["owner: ops", "[REDACTED:github_token] opens the gate", "tides", text] {
            assert!(file.contains(kept), "{kept}: {file}");
        }
        assert!(!file.contains(&it), "{file}");
    }
}

#[test]
fn names_that_are_alike_when_they_are_masked_lose_no_member() {
    let shop = masking();
    let said = json!({ secret(1): "one", secret(2): "two", secret(3): "three" });
    state(&shop, "t-1", &said).unwrap();
    let task = task_id("t-1");
    let read = shop.engine.coding.session_state(&shop.caller, &shop.standing, &task);
    let kept: serde_json::Value = serde_json::from_str(block_on(read).unwrap().0.as_str()).unwrap();
    let mut values: Vec<&str> = kept.as_object().unwrap().values().filter_map(|one| one.as_str()).collect();
    values.sort_unstable();
    assert_eq!(values, ["one", "three", "two"], "{kept}");
    assert_eq!(kept["[REDACTED:github_token]"], "one");
}
