//! Permissions of a task agent's token: agent operations on that task, until one day after its end.

use loci_api::coding::commit::{ReportedCommit, TaskCommits};
use loci_api::coding::task::end::{TaskFinalize, TaskNote};
use loci_api::coding::task::{TaskCreate, TaskListing, TaskPatch};
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::hydration::{Hydration, HydrationKind as Kind, KindStatus, RepositorySearch};
use loci_coding::{Completion, LearnedAction, NewFeedback, RepositoryChange, SessionListing};
use loci_engine::records::{NamespaceAsk, QuarantineAsk, RecordListing};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::RecordKind;
use loci_model::tasks::task::TaskStatus;
use loci_model::tasks::task_session::SessionItemKind;
use loci_model::{ActorId, Document, ErrorKind, Namespace, RecordId, Result, TaskId};
use loci_testkit_ports::block_on;
use loci_testkit_ports::task_samples::sha;

use super::hydration::put;
use super::sessions::said;
use super::workshop::{REPO, Workshop, task, task_id};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

impl Workshop {
    /// Returns the principal of a task agent's token.
    fn agent(&self, id: &str) -> Principal {
        let token =
            block_on(self.engine.coding.agent_token_for(&self.caller, &self.get(id).unwrap())).unwrap();
        block_on(self.engine.token_lookup(token.unwrap().expose())).unwrap().unwrap()
    }

    /// Calls all agent operations on a task. Returns their names and results.
    fn as_agent(&self, agent: &Principal, id: &TaskId, known: &RecordId) -> Vec<(&'static str, Result<()>)> {
        let (engine, standing) = (&self.engine, &self.standing);
        let note = TaskNote { text: format!("Port 6000 is {id}'s."), ..TaskNote::default() };
        let commit = ReportedCommit {
            sha: sha(id.as_str().len() as u32 + 40).unwrap().to_string(),
            ..ReportedCommit::default()
        };
        let commits = TaskCommits { commits: vec![commit], ..TaskCommits::default() };
        let feedback = NewFeedback { used: [known.clone()].into(), ..NewFeedback::default() };
        let item = vec![said(1, SessionItemKind::Note, "Port 6001 is used.")];
        let search = RepositorySearch {
            repo: REPO.to_owned(),
            query: Some("port".to_owned()),
            task: Some(id.clone()),
            ..RepositorySearch::default()
        };
        let listing = SessionListing { limit: 9, ..SessionListing::default() };
        let state = Document::parse("{}").unwrap();
        let report = Completion { status: Some(TaskStatus::Completed), ..Completion::default() };
        self.world.clock().advance_ms(1_000);
        vec![
            ("get", block_on(engine.coding.task_get(agent, standing, id)).map(drop)),
            (
                "hydrate",
                block_on(engine.coding.task_hydrate(agent, standing, id, Hydration::default())).map(drop),
            ),
            ("search", block_on(engine.coding.repository_search(agent, standing, search)).map(drop)),
            ("append", block_on(engine.coding.session_append(agent, standing, id, item)).map(drop)),
            ("events", block_on(engine.coding.session_events(agent, standing, id, listing)).map(drop)),
            ("keep", block_on(engine.coding.session_state_put(agent, standing, id, state, 0)).map(drop)),
            ("state", block_on(engine.coding.session_state(agent, standing, id)).map(drop)),
            (
                "promote",
                block_on(engine.coding.session_promote(agent, standing, id, vec![1], false)).map(drop),
            ),
            ("note", block_on(engine.coding.task_note(agent, standing, id, note)).map(drop)),
            (
                "learnings",
                block_on(engine.coding.task_learnings(agent, standing, id, "- Port 6002.")).map(drop),
            ),
            ("commits", block_on(engine.coding.task_commits(agent, standing, id, commits)).map(drop)),
            ("feedback", block_on(engine.coding.task_feedback(agent, standing, id, feedback)).map(drop)),
            ("end", block_on(engine.coding.session_end_of_task(agent, standing, id)).map(drop)),
            ("complete", block_on(engine.coding.task_complete(agent, standing, id, report, None)).map(drop)),
        ]
    }
}

#[test]
fn a07_an_agent_does_what_agents_do_for_its_task() {
    let shop = Workshop::new();
    shop.begun("t-000");
    let note = TaskNote { text: "Pagination goes by cursors of 20.".to_owned(), ..TaskNote::default() };
    let known = shop.note("t-000", note).unwrap().learned.id.unwrap();
    put(&shop, 81, "/users/bob/", RecordKind::Preference, "Small pull requests.");
    shop.begun("t-001");
    let agent = shop.agent("t-001");
    let found = block_on(shop.engine.coding.task_hydrate(
        &agent,
        &shop.standing,
        &task_id("t-001"),
        Hydration::default(),
    ));
    let found = found.unwrap();
    assert_eq!(
        (found.status[&Kind::Knowledge], found.plan.shown.len()),
        (KindStatus::Ok, 2),
        "{}",
        found.plan.block
    );
    for (what, done) in shop.as_agent(&agent, &task_id("t-001"), &known) {
        assert!(done.is_ok(), "{what}: {done:?}");
    }
    assert_eq!(shop.get("t-001").unwrap().status, TaskStatus::Completed);
    let left = shop.complete(
        "t-001",
        Completion { learnings_text: Some("- Port 6002.".into()), ..Completion::default() },
    );
    assert_eq!(left.unwrap().learnings[0].action, LearnedAction::Duplicate, "it was stored");
    // Preferences of others are not shown to it.
    let asked = Hydration { user: Some("ann".to_owned()), ..Hydration::default() };
    let found =
        block_on(shop.engine.coding.task_hydrate(&agent, &shop.standing, &task_id("t-001"), asked)).unwrap();
    assert_eq!(found.status[&Kind::Preferences], KindStatus::Disabled);
}

#[test]
fn a07_an_agent_does_nothing_else() {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    for id in ["t-001", "t-002"] {
        shop.begun(id);
    }
    shop.create(TaskCreate { repo: Some("acme/web".to_owned()), ..task("w-001") }).unwrap();
    let note = TaskNote { text: "Pagination goes by cursors of 20.".to_owned(), ..TaskNote::default() };
    let known = shop.note("t-002", note).unwrap().learned.id.unwrap();
    let agent = shop.agent("t-001");
    for id in ["t-002", "w-001"] {
        for (what, done) in shop.as_agent(&agent, &task_id(id), &known) {
            let kind = done.unwrap_err().kind;
            assert!(matches!(kind, ErrorKind::NotFound | ErrorKind::Denied), "{what} {id}: {kind:?}");
        }
    }
    let (engine, standing, memory, own) = (&shop.engine, &shop.standing, shop.memory(), task_id("t-001"));
    let ended = TaskFinalize { status: TaskStatus::Failed.as_str().to_owned(), ..TaskFinalize::default() };
    let quarantine =
        QuarantineAsk { ids: vec![known.clone()], reason: "x".to_owned(), ..QuarantineAsk::default() };
    let listing = RecordListing {
        memory: memory.clone(),
        namespaces: vec![NamespaceAsk::Path(Namespace::parse("/acme/shop/knowledge/").unwrap())],
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        after: None,
        limit: 9,
    };
    let elsewhere = RepositorySearch {
        repo: "acme/web".to_owned(),
        query: Some("port".to_owned()),
        task: Some(own.clone()),
        ..RepositorySearch::default()
    };
    let unnamed = RepositorySearch { repo: REPO.to_owned(), task: None, ..elsewhere.clone() };
    let add = RepositoryAdd { name: Some("acme/new".to_owned()), ..RepositoryAdd::default() };
    let by_human = NewFeedback { used: [known.clone()].into(), by_human: true, ..NewFeedback::default() };
    let actor = ActorId::parse(REPO).unwrap();
    let all = TaskListing::default();
    let refused = vec![
        ("create", block_on(engine.coding.task_create(&agent, standing, task("t-009"), None)).map(drop)),
        ("list", block_on(engine.coding.task_list(&agent, standing, all, (None, 9))).map(drop)),
        ("patch", block_on(engine.coding.task_patch(&agent, standing, &own, TaskPatch::default())).map(drop)),
        ("finalize", block_on(engine.coding.task_finalize(&agent, standing, &own, ended)).map(drop)),
        ("alert", block_on(engine.coding.task_alert(&agent, standing, &own, "x")).map(drop)),
        ("explain", block_on(engine.coding.task_explain(&agent, standing, &own)).map(drop)),
        (
            "search elsewhere",
            block_on(engine.coding.repository_search(&agent, standing, elsewhere)).map(drop),
        ),
        (
            "search without a task",
            block_on(engine.coding.repository_search(&agent, standing, unnamed)).map(drop),
        ),
        (
            "a repository",
            block_on(engine.coding.repository_hydrate(&agent, standing, REPO, Hydration::default()))
                .map(drop),
        ),
        ("by a person", block_on(engine.coding.task_feedback(&agent, standing, &own, by_human)).map(drop)),
        ("records", block_on(engine.record_list(&agent, listing)).map(drop)),
        ("record", block_on(engine.record_get(&agent, &memory, &known, None)).map(drop)),
        ("quarantine", block_on(engine.records_quarantine(&agent, &memory, quarantine)).map(drop)),
        ("register", block_on(engine.verified.repository_add(&agent, standing, add)).map(drop)),
        (
            "configure",
            block_on(engine.coding.repository_configure(&agent, standing, REPO, RepositoryChange::default()))
                .map(drop),
        ),
        ("repositories", block_on(engine.verified.repository_list(&agent, standing, None, 9)).map(drop)),
        ("forget", block_on(engine.forget_actor(&agent, &memory, &actor)).map(drop)),
        ("memory", block_on(engine.memory_get(&agent, &memory)).map(drop)),
        ("keys", block_on(engine.key_list(&agent)).map(drop)),
    ];
    for (what, done) in refused {
        let kind = done.err().map(|error| error.kind);
        assert!(matches!(kind, Some(ErrorKind::NotFound | ErrorKind::Denied)), "{what}: {kind:?}");
    }
    assert!(block_on(engine.memory_list(&agent, None, 9)).unwrap().items.is_empty());
}

#[test]
fn a_token_counts_until_a_day_behind_the_end() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let task = shop.get("t-001").unwrap();
    let token = || block_on(shop.engine.coding.agent_token_for(&shop.caller, &task)).unwrap().unwrap();
    let (one, other) = (token(), token());
    assert!(!format!("{one:?}").contains("loci_task_") && one.expose().starts_with("loci_task_"));
    let knows = |token: &str| block_on(shop.engine.token_lookup(token)).unwrap().map(|agent| agent.name);
    assert_eq!(
        (knows(one.expose()), knows(other.expose())),
        (Some("agent of t-001".into()), Some("agent of t-001".into()))
    );
    let sealed = one.expose().trim_start_matches("loci_task_");
    let (cut, odd) = (format!("loci_task_{}", &sealed[2..]), &one.expose()[..one.expose().len() - 1]);
    for wrong in ["loci_task_", "loci_task_00", "loci_task_zz", &cut, odd] {
        assert_eq!(knows(wrong), None, "{wrong}");
    }
    shop.world.clock().advance_ms(40 * DAY_MS as u64);
    assert!(knows(one.expose()).is_some(), "as long as it goes on");
    let ended = TaskFinalize { status: TaskStatus::TimedOut.as_str().to_owned(), ..TaskFinalize::default() };
    shop.finalize("t-001", ended).unwrap();
    shop.world.clock().advance_ms(DAY_MS as u64);
    assert!(knows(one.expose()).is_some(), "a spool may come late");
    shop.world.clock().advance_ms(1);
    assert_eq!(knows(one.expose()), None);
    shop.begun("t-002");
    let token =
        block_on(shop.engine.coding.agent_token_for(&shop.caller, &shop.get("t-002").unwrap())).unwrap();
    shop.forget();
    assert_eq!(knows(token.unwrap().expose()), None, "of a task that is gone");
}

#[test]
fn a_key_may_act_for_the_tasks_of_a_repository() {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    for id in ["t-001", "t-002"] {
        shop.begun(id);
    }
    shop.create(TaskCreate { repo: Some("acme/web".to_owned()), ..task("w-001") }).unwrap();
    let actor = Some(ActorId::parse(REPO).unwrap());
    let agents = shop.with_grant(&[Capability::Agent], Grant { actor, ..Grant::everything() });
    let note = |id: &str| {
        let note = TaskNote { text: format!("Port 7000 of {id}."), ..TaskNote::default() };
        block_on(shop.engine.coding.task_note(&agents, &shop.standing, &task_id(id), note)).map(drop)
    };
    assert!(note("t-001").is_ok() && note("t-002").is_ok());
    assert!(note("w-001").is_err());
}
