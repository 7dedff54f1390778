//! Tasks: one per id, state transitions, lists, and permissions.

use std::collections::BTreeMap;

use loci_api::coding::commit::{ReportedCommit, TaskCommits};
use loci_api::coding::task::end::{TaskFinalize, TaskNote};
use loci_api::coding::task::{self as shape, TaskCreate, TaskListing, TaskPatch, TaskPrompt};
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::hydration::Hydration;
use loci_coding::{BlameAsk, Completion};
use loci_engine::calls::idempotency::ClientToken;
use loci_model::memory::settings::SecretsMode;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant};
use loci_model::tasks::task::{MemoryArm, TaskPullRequest, TaskStatus};
use loci_model::{ActorId, CodeReason, ErrorKind, Namespace, Reason, SessionId};
use loci_testkit_ports::block_on;
use loci_testkit_ports::task_samples::sha;

use super::workshop::{REPO, Workshop, task, task_id};

fn status(status: TaskStatus) -> TaskPatch {
    TaskPatch { status: Some(status.as_str().to_owned()), ..TaskPatch::default() }
}

fn all() -> TaskListing {
    TaskListing::default()
}

#[test]
fn the_same_task_is_taken_in_once() {
    let shop = Workshop::new();
    let first = shop.create(task("t-001")).unwrap();
    assert_eq!((first.created, first.task.actor.as_str()), (true, REPO));
    assert_eq!((first.task.status, first.task.session.as_str()), (TaskStatus::Accepted, "t-001"));
    shop.patch("t-001", status(TaskStatus::Running)).unwrap();
    let again =
        shop.create(TaskCreate { repo: Some("github.com/ACME/Shop".into()), ..task("t-001") }).unwrap();
    assert_eq!((again.created, again.task.status), (false, TaskStatus::Running), "as it is now");
    let error = shop.create(TaskCreate { issue: Some(124), ..task("t-001") }).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Conflict, Some("task_id")));
    assert_eq!(shop.get("t-001").unwrap().issue, Some(123));

    // Without an id, an idempotency key makes several calls one task.
    let unnamed = TaskCreate { task_id: None, ..task("t-002") };
    let call = || {
        let token = ClientToken::new("once", &serde_json::json!({})).unwrap();
        block_on(shop.engine.coding.task_create(&shop.caller, &shop.standing, unnamed.clone(), Some(token)))
            .unwrap()
    };
    let (one, two) = (call(), call());
    assert_eq!((one.created, two.created, &one.task.id), (true, false, &two.task.id));
}

#[test]
fn what_has_ended_stays_ended() {
    let shop = Workshop::new();
    shop.create(task("t-001")).unwrap();
    for next in
        [TaskStatus::Hydrating, TaskStatus::Running, TaskStatus::AwaitingApproval, TaskStatus::Running]
    {
        let patched = shop.patch("t-001", status(next)).unwrap();
        assert_eq!((patched.task.status, patched.warnings.len()), (next, 0));
    }
    let error = shop.patch("t-001", status(TaskStatus::Accepted)).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Conflict, Some("status")));
    let failed = shop.patch("t-001", status(TaskStatus::Failed)).unwrap().task;
    assert!(failed.completed_at.is_some());
    let late = shop.patch("t-001", status(TaskStatus::Completed)).unwrap();
    assert_eq!((late.task.status, late.task.completed_at), (TaskStatus::Failed, failed.completed_at));
    assert!(late.warnings.iter().all(|warning| warning.starts_with("STATUS_STAYS")), "{:?}", late.warnings);
    assert_eq!(late.warnings.len(), 1);

    let pr = |number: u64, url: Option<&str>, head: Option<&str>| TaskPatch {
        pr: Some(shape::TaskPullRequest {
            number,
            url: url.map(str::to_owned),
            head_sha: head.map(str::to_owned),
        }),
        ..TaskPatch::default()
    };
    shop.patch("t-001", pr(57, Some("https://git.example/57"), None)).unwrap();
    let known = shop.patch("t-001", pr(57, None, Some("9f"))).unwrap().task.pr.unwrap();
    assert_eq!(
        (known.url.as_deref(), known.head_sha.as_deref()),
        (Some("https://git.example/57"), Some("9f"))
    );
    let other = shop.patch("t-001", pr(58, None, None)).unwrap().task.pr.unwrap();
    assert_eq!((other.number, other.url), (58, None), "another one has another address");
}

#[test]
fn bad_input_is_named() {
    let shop = Workshop::new();
    let check = |new: TaskCreate, field: &str| {
        let error = shop.create(new).unwrap_err();
        assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some(field)), "{error:?}");
    };
    check(TaskCreate { description: "x".repeat(10_001), ..task("t") }, "description");
    check(TaskCreate { trace_id: Some("x".into()), ..task("t") }, "trace_id");
    check(TaskCreate { branch: Some(String::new()), ..task("t") }, "branch");
    check(TaskCreate { repo: None, user_id: None, ..task("t") }, "repo");
    check(TaskCreate { repo: None, user_id: Some("a b".into()), ..task("t") }, "user_id");
    let error = shop.create(TaskCreate { repo: Some("acme/other".into()), ..task("t") }).unwrap_err();
    assert_eq!(error.reason, Some(Reason::Code(CodeReason::RepositoryUnknown)));
    assert_eq!(shop.get("t").unwrap_err().kind, ErrorKind::NotFound);
    shop.create(TaskCreate { description: "x".repeat(10_000), ..task("t") }).unwrap();
}

/// Names of repositories that are equal, and that are invalid, in every operation.
#[derive(serde::Deserialize)]
struct Names {
    accept: Vec<String>,
    reject: Vec<String>,
}

#[test]
fn a01_names_of_repositories() {
    let names: Names = serde_json::from_str(include_str!("repository_names.json")).unwrap();
    let shop = Workshop::new();
    for name in &names.reject {
        let error = shop.create(TaskCreate { repo: Some(name.clone()), ..task("t-001") }).unwrap_err();
        assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("repo")), "{name:?}");
        let error = shop.register(name).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid, "{name:?}");
        let listed = shop.list(TaskListing { repo: Some(name.clone()), ..all() }).unwrap_err();
        assert_eq!(listed.kind, ErrorKind::Invalid, "{name:?}");
    }
    for (number, name) in names.accept.iter().enumerate() {
        shop.register(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let new = TaskCreate { repo: Some(name.clone()), ..task(&format!("t-{number}")) };
        shop.create(new).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

#[test]
fn a03_repositories_with_full_stops_work_throughout() {
    let shop = Workshop::new();
    shop.register("vercel/next.js").unwrap();
    shop.create(TaskCreate { repo: Some("Vercel/Next.js".into()), ..task("t-001") }).unwrap();
    let note = TaskNote { text: "Port 3000 is used.".to_owned(), ..TaskNote::default() };
    let noted = shop.note("t-001", note).unwrap().learned;
    let record = shop.record(noted.id.as_ref().unwrap());
    assert_eq!(record.namespace.as_str(), "/vercel/next.js/knowledge/");
    assert_eq!(shop.found("which port is used")[0], record.id);
}

#[test]
fn a04_other_names_lead_to_the_same_records() {
    let shop = Workshop::new();
    let add = |add: RepositoryAdd| {
        block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap().repository
    };
    let numbered = RepositoryAdd {
        name: Some("acme/shop".to_owned()),
        forge_id: Some("github.com:7".to_owned()),
        ..RepositoryAdd::default()
    };
    let known = add(numbered);
    shop.create(task("t-000")).unwrap();
    let note = TaskNote { text: "Pagination is by cursors of 20.".to_owned(), ..TaskNote::default() };
    let noted = shop.note("t-000", note).unwrap().learned.id.unwrap();
    let shown = |id: &str, new: TaskCreate| {
        let created = shop.create(TaskCreate { task_id: Some(id.to_owned()), ..new }).unwrap();
        let asked = Hydration::default();
        let found =
            block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked));
        let ids = found.unwrap().plan.shown.into_iter().map(|one| one.candidate.record.id);
        (created.task.actor.to_string(), ids.collect::<Vec<_>>(), created.warnings)
    };
    let named = |name: &str| TaskCreate { repo: Some(name.to_owned()), ..task("t-000") };
    let same = || ("acme/shop".to_owned(), vec![noted.clone()], Vec::<String>::new());
    assert_eq!(shown("t-001", named("Acme/SHOP")), same(), "in other letters");

    // The rename was not reported, but the forge's number stays.
    let moved = TaskCreate { forge: Some("github".into()), forge_repo_id: Some(7), ..named("other/store") };
    let (actor, ids, warnings) = shown("t-002", moved.clone());
    assert_eq!((actor, ids, warnings.len()), ("acme/shop".to_owned(), vec![noted.clone()], 1));
    assert!(warnings.concat().starts_with("REPO_RENAMED"), "{warnings:?}");
    // A similar name alone finds nothing.
    assert!(shop.create(TaskCreate { task_id: Some("t-003".to_owned()), ..named("other/store") }).is_err());

    let transferred = RepositoryAdd {
        name: Some("other/store".to_owned()),
        same_as: Some("acme/shop".to_owned()),
        ..RepositoryAdd::default()
    };
    assert_eq!(add(transferred).id, known.id);
    assert_eq!(shown("t-004", named("other/store")), same());
    assert_eq!(shown("t-005", moved), same());
    assert_eq!(shown("t-006", named("acme/shop")), same(), "by the name before, too");
    let listed = shop.list(TaskListing { repo: Some("Other/Store".into()), ..all() }).unwrap();
    assert_eq!(listed.len(), 6);
}

#[test]
fn secrets_are_not_kept() {
    let shop = Workshop::new();
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let described = TaskCreate { description: format!("Use {secret} to push"), ..task("t-001") };
    let made = shop.create(described.clone()).unwrap().task;
    assert_eq!(made.description, "Use [REDACTED:github_token] to push");
    assert!(!shop.create(described).unwrap().created, "the same task all the same");
}

#[test]
fn no_name_of_a_task_keeps_a_login() {
    let shop = Workshop::new();
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let login = format!("https://x-access-token:{secret}@git.example/acme/shop");
    let masked = "https://x-access-token:[REDACTED:github_token]@git.example/acme/shop";
    let named = || Some(login.clone());
    let new = TaskCreate {
        user: named(),
        branch: named(),
        base: named(),
        base_sha: named(),
        prompt: Some(TaskPrompt { template_id: named(), ..TaskPrompt::default() }),
        prompt_version: named(),
        model: named(),
        variant: named(),
        ..task("t-001")
    };
    let made = shop.create(new.clone()).unwrap().task;
    assert_eq!(made.branch.as_deref(), Some(masked));
    assert!(!format!("{made:?}").contains(&secret), "{made:?}");
    assert!(!shop.create(new).unwrap().created, "the same task all the same");

    let pr = TaskPullRequest { number: 57, url: named(), ..TaskPullRequest::default() };
    let told = shape::TaskPullRequest { number: 57, url: named(), head_sha: None };
    let patch = TaskPatch { branch: named(), pr: Some(told), ..TaskPatch::default() };
    let patched = shop.patch("t-001", patch).unwrap().task;
    assert_eq!(patched.pr.as_ref().and_then(|pr| pr.url.as_deref()), Some(masked));
    assert!(!format!("{patched:?}").contains(&secret), "{patched:?}");

    let commit = sha(1).unwrap().to_string();
    let reported = ReportedCommit {
        sha: commit.clone(),
        branch: named(),
        author: named(),
        user: named(),
        prompt_hash: named(),
        ..ReportedCommit::default()
    };
    let report = TaskCommits { commits: vec![reported], rewrites: Vec::new() };
    let id = task_id("t-001");
    block_on(shop.engine.coding.task_commits(&shop.caller, &shop.standing, &id, report)).unwrap();
    let ask = BlameAsk { commit, ..BlameAsk::default() };
    let blame = block_on(shop.engine.coding.blame(&shop.caller, &shop.standing, REPO, ask)).unwrap();
    assert_eq!(blame.tasks[0].user.as_deref(), Some(masked));
    let memory = shop.memory();
    let store = shop.world.store();
    let kept = store.read(move |tx| tx.commits().of_task(&memory, &task_id("t-001"), 9));
    assert_eq!(block_on(kept).unwrap()[0].branch.as_deref(), Some(masked));
    assert!(!format!("{blame:?}").contains(&secret), "{blame:?}");

    let said = Completion {
        status: Some(TaskStatus::Completed),
        summary: Some("Added pagination.".to_owned()),
        branch: named(),
        pr: Some(pr),
        extraction_prompts: BTreeMap::from([
            ("learnings".to_owned(), login.clone()),
            (login.clone(), "learnings@1".to_owned()),
        ]),
        learnings_text: Some("- **Build (tooling):** run `make gen` before `cargo build`.".to_owned()),
        ..Completion::default()
    };
    let left = shop.complete("t-001", said).unwrap();
    shop.begun("t-002");
    let end = TaskFinalize {
        status: TaskStatus::Failed.as_str().to_owned(),
        duration_s: None,
        cost_usd: None,
        reason: named(),
        error_message: None,
    };
    let finalized = shop.finalize("t-002", end).unwrap();
    for id in [&left.episode, left.learnings[0].id.as_ref().unwrap(), &finalized.episode] {
        let record = serde_json::to_string(&shop.record(id)).unwrap();
        assert!(!record.contains(&secret) && record.contains("[REDACTED:github_token]"), "{record}");
    }
}

#[test]
fn a_task_that_was_stored_unmasked_is_the_same_task() {
    let shop = Workshop::new();
    let set = |secrets: SecretsMode| {
        let mut settings = block_on(shop.engine.memory_get(&shop.caller, &shop.memory())).unwrap().settings;
        settings.safety.secrets = Some(secrets);
        block_on(shop.engine.memory_settings_put(&shop.caller, &shop.memory(), settings)).unwrap();
    };
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let login = format!("https://x-access-token:{secret}@git.example/acme/shop");
    let named = |id: &str| TaskCreate { branch: Some(login.clone()), ..task(id) };
    let new = named("t-001");
    set(SecretsMode::Off);
    assert_eq!(shop.create(new.clone()).unwrap().task.branch.as_ref(), Some(&login));
    set(SecretsMode::Mask);
    assert_ne!(shop.create(named("t-002")).unwrap().task.branch.as_ref(), Some(&login));
    assert!(!shop.create(new.clone()).unwrap().created);
    let other = TaskCreate { branch: Some("main".to_owned()), ..new };
    assert_eq!(shop.create(other).unwrap_err().kind, ErrorKind::Conflict);
}

#[test]
fn a06_a_task_on_no_repository() {
    let shop = Workshop::new();
    let made = shop.create(TaskCreate { repo: None, ..task("jira:ABC.1") }).unwrap().task;
    assert_eq!((made.actor.as_str(), made.repository), ("user:583231", None));
    assert!(made.session.as_str().starts_with("task-"), "a session's id has no full stops");
    assert_eq!(shop.get("jira:ABC.1").unwrap().session, made.session);
}

#[test]
fn a_task_belongs_to_the_arm_of_its_parent() {
    let shop = Workshop::new();
    shop.create(TaskCreate { memory_arm: Some("off".to_owned()), ..task("t-001") }).unwrap();
    let child = TaskCreate { parent_task_id: Some("t-001".to_owned()), ..task("t-002") };
    let arm = |new: TaskCreate| shop.create(new).unwrap().task.arm;
    assert_eq!(arm(child), MemoryArm::Off);
    assert_eq!(arm(TaskCreate { parent_task_id: Some("none".to_owned()), ..task("t-003") }), MemoryArm::On);
    let forced = TaskCreate {
        parent_task_id: Some("t-001".to_owned()),
        memory_arm: Some("tier1".to_owned()),
        ..task("t-004")
    };
    assert_eq!(arm(forced), MemoryArm::Tier1);
}

#[test]
fn a02_lists_never_mix_repositories_of_similar_names() {
    let shop = Workshop::new();
    shop.register("acme/shop-web").unwrap();
    shop.create(task("t-001")).unwrap();
    shop.create(TaskCreate { repo: Some("acme/shop-web".into()), ..task("t-002") }).unwrap();
    shop.create(TaskCreate { user: Some("ann".into()), ..task("t-003") }).unwrap();
    let of = |repo: &str| shop.list(TaskListing { repo: Some(repo.into()), ..all() }).unwrap();
    assert_eq!(of("acme/shop"), ["t-003", "t-001"]);
    assert_eq!(of("acme/shop-web"), ["t-002"]);
    assert_eq!(shop.list(all()).unwrap(), ["t-003", "t-002", "t-001"]);
    assert_eq!(shop.list(TaskListing { user: Some("ann".into()), ..all() }).unwrap(), ["t-003"]);
    assert_eq!(shop.list(TaskListing { q: Some("PAGINATION".into()), ..all() }).unwrap().len(), 3);
    let page = shop.page(all(), (None, 2)).unwrap();
    let rest = shop.page(all(), (page.next, 100)).unwrap().items;
    let rest: Vec<_> = rest.iter().map(|task| task.id.to_string()).collect();
    assert_eq!((page.items.len(), rest), (2, vec!["t-001".to_owned()]));
}

#[test]
fn whoever_has_a_part_sees_that_part() {
    let shop = Workshop::new();
    shop.register("acme/shop-web").unwrap();
    shop.create(task("t-001")).unwrap();
    shop.create(task("t-002")).unwrap();
    shop.create(TaskCreate { repo: Some("acme/shop-web".into()), ..task("t-003") }).unwrap();
    let grant = Grant::everything;
    let actor = || Some(ActorId::parse(REPO).unwrap());
    let of_task = Grant { actor: actor(), session: Some(SessionId::parse("t-001").unwrap()), ..grant() };
    let of_place = Grant { namespace: Some(Namespace::parse("/acme/shop/").unwrap()), ..grant() };
    let beneath = Grant { namespace: Some(Namespace::parse("/acme/shop/knowledge/").unwrap()), ..grant() };
    let check = |part: Grant, sees: [bool; 3], lists: Result<usize, ErrorKind>| {
        let who = shop.with_grant(&[Capability::Read], part);
        let standing = &shop.standing;
        for (id, sees) in ["t-001", "t-002", "t-003"].into_iter().zip(sees) {
            let found = block_on(shop.engine.coding.task_get(&who, standing, &task_id(id)));
            let expect = if sees { Ok(()) } else { Err(ErrorKind::NotFound) };
            assert_eq!(found.map(|_| ()).map_err(|error| error.kind), expect, "{id} {who:?}");
            let patched =
                block_on(shop.engine.coding.task_patch(&who, standing, &task_id(id), TaskPatch::default()));
            assert_eq!(patched.unwrap_err().kind, ErrorKind::NotFound, "reading is not writing");
        }
        let listing = TaskListing { repo: Some(REPO.into()), ..all() };
        let listed = block_on(shop.engine.coding.task_list(&who, standing, listing, (None, 100)));
        assert_eq!(listed.map(|page| page.items.len()).map_err(|error| error.kind), lists, "{who:?}");
    };
    check(grant(), [true, true, true], Ok(2));
    check(Grant { actor: actor(), ..grant() }, [true, true, false], Ok(2));
    check(of_task, [true, false, false], Err(ErrorKind::Denied));
    check(of_place, [true, true, false], Ok(2));
    check(beneath, [false, false, false], Err(ErrorKind::Denied));
}

#[test]
fn tasks_are_forgotten_with_their_actor() {
    let shop = Workshop::new();
    shop.create(task("t-001")).unwrap();
    shop.create(TaskCreate { repo: None, ..task("t-002") }).unwrap();
    let (memory, actor) = (shop.memory(), ActorId::parse(REPO).unwrap());
    let receipt = block_on(shop.engine.forget_actor(&shop.caller, &memory, &actor)).unwrap();
    assert_eq!(receipt.tasks, 1);
    assert_eq!(shop.list(all()).unwrap(), ["t-002"]);
}
