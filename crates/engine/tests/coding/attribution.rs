//! Attribution queries: by every field, by words, in pages, and only for permitted callers.

use loci_api::coding::attribution::AttributionAsk;
use loci_api::coding::commit::{CommitRewrite, ReportedCommit, TaskCommits};
use loci_api::coding::task::end::TaskFinalize;
use loci_api::coding::task::{TaskCreate, TaskPatch};
use loci_coding::{Attributed, Completion, NewPrompt, PromptParts};
use loci_engine::calls::page::Page;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::commit::BlameHow;
use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use loci_model::tasks::task_session::SessionItemKind;
use loci_model::{ActorId, ErrorKind, Result, SessionId, TaskId, Timestamp, limits};
use loci_testkit_ports::block_on;
use loci_testkit_ports::task_samples::sha;

use super::sessions::said;
use super::workshop::{REPO, Workshop, task, task_id};

type AttributionPage = Page<Attributed, (Timestamp, TaskId)>;

fn all() -> AttributionAsk {
    AttributionAsk::default()
}

impl Workshop {
    fn attribution_by(&self, caller: &Principal, ask: AttributionAsk) -> Result<AttributionPage> {
        block_on(self.engine.coding.attribution(caller, &self.standing, ask, (None, 100)))
    }

    fn attribution(&self, ask: AttributionAsk) -> AttributionPage {
        self.attribution_by(&self.caller, ask).unwrap()
    }

    fn ids(&self, ask: AttributionAsk) -> Vec<String> {
        self.attribution(ask).items.iter().map(|one| one.task.id.to_string()).collect()
    }

    fn commit(&self, task: &str, numbers: &[u32], rewrites: &[(u32, u32)]) {
        let id = |number: &u32| sha(*number).unwrap().to_string();
        let made = |number| ReportedCommit { sha: id(number), ..ReportedCommit::default() };
        let report = TaskCommits {
            commits: numbers.iter().map(made).collect(),
            rewrites: rewrites
                .iter()
                .map(|(old, new)| CommitRewrite { old: id(old), new: id(new) })
                .collect(),
        };
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_commits(&self.caller, &self.standing, &task_id(task), report))
            .unwrap();
    }
}

/// Returns a workshop with three tasks: one that ended in a merged pull request, one that failed,
/// and a running one on another repository.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    let parts = PromptParts { text: "You work on {repo}.\n".to_owned(), ..PromptParts::default() };
    let prompt = NewPrompt { template_id: "new-task".to_owned(), parts, model: None };
    let prompt =
        block_on(shop.engine.coding.prompt_add(&shop.caller, &shop.standing, prompt)).unwrap().prompt.version;
    shop.create(TaskCreate { prompt_version: Some(prompt), ..task("t-001") }).unwrap();
    shop.append(
        "t-001",
        vec![
            said(1, SessionItemKind::Message, "Shall I use offsets?"),
            said(2, SessionItemKind::Decision, "We take cursors, not offsets."),
            said(3, SessionItemKind::Note, "The tests need a database."),
        ],
    )
    .unwrap();
    shop.commit("t-001", &[1, 2], &[(2, 3)]);
    let report = Completion {
        status: Some(TaskStatus::Completed),
        summary: Some("Orders come in pages.".to_owned()),
        files_changed: vec!["src/api/orders.ts".to_owned(), "openapi.yaml".to_owned()],
        pr: Some(TaskPullRequest { number: 57, ..TaskPullRequest::default() }),
        ..Completion::default()
    };
    shop.complete("t-001", report).unwrap();
    let merged = TaskPatch { merge_commit_sha: Some(sha(9).unwrap().to_string()), ..TaskPatch::default() };
    shop.patch("t-001", merged).unwrap();

    let second = TaskCreate { user: Some("ann".into()), issue: Some(7), ..task("t-002") };
    shop.create(TaskCreate { description: "Upgrade the linter".into(), ..second }).unwrap();
    let failed = TaskFinalize {
        status: TaskStatus::Failed.as_str().to_owned(),
        error_message: Some("ESLint: Parsing error in legacy.js".to_owned()),
        ..TaskFinalize::default()
    };
    shop.finalize("t-002", failed).unwrap();

    shop.create(TaskCreate { repo: Some("acme/web".into()), ..task("t-003") }).unwrap();
    shop.append("t-003", vec![said(1, SessionItemKind::Reasoning, "The CURSORS of the shop…")]).unwrap();
    shop
}

#[test]
fn by_every_field() {
    let shop = shop();
    let check =
        |what: &str, ask: AttributionAsk, expect: &[&str]| assert_eq!(shop.ids(ask), expect, "{what}");
    check("everything, the newest first", all(), &["t-003", "t-002", "t-001"]);
    check("repository", AttributionAsk { repo: Some(REPO.into()), ..all() }, &["t-002", "t-001"]);
    check("pull request", AttributionAsk { pr: Some(57), ..all() }, &["t-001"]);
    check("issue", AttributionAsk { issue: Some(7), ..all() }, &["t-002"]);
    check("task", AttributionAsk { task: Some("t-002".to_owned()), ..all() }, &["t-002"]);
    check("no task", AttributionAsk { task: Some("t-009".to_owned()), ..all() }, &[]);
    let session = |text: &str| Some(text.to_owned());
    check("session", AttributionAsk { session: session("t-003"), ..all() }, &["t-003"]);
    check("no session", AttributionAsk { session: session("t-009"), ..all() }, &[]);
    let other = AttributionAsk { session: session("t-003"), task: Some("t-002".to_owned()), ..all() };
    check("session of another task", other, &[]);
    check("user", AttributionAsk { user: Some("ann".into()), ..all() }, &["t-002"]);
    check("branch", AttributionAsk { branch: Some("agent/t-001".into()), ..all() }, &["t-001"]);
    check("status", AttributionAsk { status: Some("failed".to_owned()), ..all() }, &["t-002"]);
    let version = shop.get("t-001").unwrap().prompt_version;
    check("prompt", AttributionAsk { prompt_version: version, ..all() }, &["t-001"]);
    let created = shop.get("t-002").unwrap().created_at;
    check("since", AttributionAsk { since: Some(created.to_rfc3339()), ..all() }, &["t-003", "t-002"]);
    check("until", AttributionAsk { until: Some(created.to_rfc3339()), ..all() }, &["t-001"]);
    for path in ["src/api/orders.ts", "src/api", "src/**", "**/*.ts"] {
        check(path, AttributionAsk { path: Some(path.into()), ..all() }, &["t-001"]);
    }
    check("another path", AttributionAsk { path: Some("src/ap".into()), ..all() }, &[]);
    let both = AttributionAsk { issue: Some(123), repo: Some(REPO.into()), ..all() };
    check("all that is given must hold", both, &["t-001"]);
}

#[test]
fn by_commit_and_what_leads_there() {
    let shop = shop();
    let of = |number: u32| AttributionAsk { commit: Some(sha(number).unwrap().to_string()), ..all() };
    let how = |number: u32| {
        let found = shop.attribution(of(number)).items;
        let one = found.first().unwrap();
        assert_eq!((found.len(), one.task.id.as_str()), (1, "t-001"), "{number}");
        let commit = sha(number).unwrap();
        one.commits.iter().find(|(row, _)| row.sha == commit).map(|(_, how)| *how)
    };
    assert_eq!(how(1), Some(BlameHow::PostCommit));
    assert_eq!(how(3), Some(BlameHow::Rewrite));
    assert_eq!(how(9), Some(BlameHow::MergeSha));
    assert_eq!(shop.ids(of(8)), Vec::<String>::new());
    assert_eq!(shop.ids(AttributionAsk { task: Some("t-002".to_owned()), ..of(1) }), Vec::<String>::new());
    assert_eq!(shop.ids(AttributionAsk { repo: Some("acme/web".into()), ..of(1) }), Vec::<String>::new());
    let short = AttributionAsk { commit: Some("abc".into()), ..all() };
    let error = shop.attribution_by(&shop.caller, short).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("commit")));

    let one = shop.attribution(AttributionAsk { pr: Some(57), ..all() }).items.remove(0);
    let own: Vec<_> = one.commits.iter().map(|(row, _)| (row.sha, row.rewritten_to.is_some())).collect();
    assert_eq!(own, [(sha(1).unwrap(), false), (sha(2).unwrap(), true)]);
    let merged = one.task.pr.unwrap().merge_commit_sha;
    assert_eq!((merged, one.template.as_deref()), (Some(sha(9).unwrap().to_string()), Some("new-task")));
    assert_eq!(one.told.summary.as_deref(), Some("Orders come in pages."));
    let snippets: Vec<_> = one.snippets.iter().map(|one| (one.seq, one.r#type.as_str())).collect();
    assert_eq!(snippets, [(2, "decision"), (3, "note")]);
}

#[test]
fn by_a_session_that_was_made_of_an_id() {
    let shop = Workshop::new();
    let made = shop.create(task("jira:1.2")).unwrap().task.session;
    shop.create(task("jira:1.3")).unwrap();
    assert_eq!(shop.ids(AttributionAsk { session: Some(made.to_string()), ..all() }), ["jira:1.2"]);
}

#[test]
fn commits_that_are_named_at_the_end_lead_back_too() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.begun("t-002");
    shop.commit("t-002", &[2], &[]);
    let id = |number: u32| sha(number).unwrap().to_string();
    let report = Completion {
        commits: vec!["abc1234".to_owned(), id(1), id(2)],
        status: Some(TaskStatus::Completed),
        ..Completion::default()
    };
    let left = shop.complete("t-001", report).unwrap();
    assert!(left.warnings.concat().starts_with("ATTRIBUTION_CONFLICT"), "{:?}", left.warnings);
    let of = |number: u32| shop.ids(AttributionAsk { commit: Some(id(number)), ..all() });
    assert_eq!((of(1), of(2)), (vec!["t-001".to_owned()], vec!["t-002".to_owned()]));
    // A later report of a hook adds the rest.
    let late = ReportedCommit {
        sha: id(1),
        parents: vec![id(2)],
        branch: Some("b".into()),
        ..ReportedCommit::default()
    };
    let late = TaskCommits { commits: vec![late], ..TaskCommits::default() };
    let task = task_id("t-001");
    let taken = block_on(shop.engine.coding.task_commits(&shop.caller, &shop.standing, &task, late)).unwrap();
    assert_eq!((taken.stored, taken.warnings), (1, Vec::new()));
    let one = shop.attribution(AttributionAsk { commit: Some(id(1)), ..all() }).items.remove(0);
    let rows: Vec<_> =
        one.commits.iter().map(|(row, _)| (row.branch.as_deref(), row.parents.len())).collect();
    assert_eq!((rows, one.commits[0].0.user.as_deref()), (vec![(Some("b"), 1)], Some("bob")));
}

#[test]
fn by_words() {
    let shop = shop();
    let ask = |words: &str| AttributionAsk { q: Some(words.to_owned()), ..all() };
    let check = |words: &str, expect: &[&str]| assert_eq!(shop.ids(ask(words)), expect, "{words}");
    check("cursors", &["t-003", "t-001"]);
    check("CURSORS offsets", &["t-001"]);
    check("what went wrong", &[]);
    check("parsing error", &["t-002"]);
    check("linter legacy.js", &["t-002"]);
    check("pages database", &["t-001"]);
    check("openapi.yaml", &["t-001"]);
    let found = shop.attribution(ask("offsets")).items.remove(0);
    let seqs: Vec<_> = found.snippets.iter().map(|one| one.seq).collect();
    assert_eq!(seqs, [1, 2], "what holds the word, whatever it is");
    let many = vec!["a"; limits::SAID_WORDS_MAX + 1].join(" ");
    for bad in [" ", many.as_str()] {
        assert_eq!(shop.attribution_by(&shop.caller, ask(bad)).unwrap_err().field.as_deref(), Some("q"));
    }
}

#[test]
fn a_page_at_a_time() {
    let shop = Workshop::new();
    for number in 1..=7 {
        // All have one time: their ids distinguish them.
        let new = TaskCreate { issue: Some(number % 2), ..task(&format!("t-{number}")) };
        block_on(shop.engine.coding.task_create(&shop.caller, &shop.standing, new, None)).unwrap();
        let files = vec![if number % 3 == 0 { "a.rs" } else { "b.rs" }.to_owned()];
        let said = Completion { files_changed: files, ..Completion::default() };
        let id = task_id(&format!("t-{number}"));
        block_on(shop.engine.coding.task_complete(&shop.caller, &shop.standing, &id, said, None)).unwrap();
    }
    let walk = |limit: u32, ask: AttributionAsk| {
        let (mut ids, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let place = (after, limit);
            let page = shop.engine.coding.attribution(&shop.caller, &shop.standing, ask.clone(), place);
            let page = block_on(page).unwrap();
            ids.extend(page.items.iter().map(|one| one.task.id.to_string()));
            pages += 1;
            after = page.next;
            if after.is_none() {
                return (ids, pages);
            }
        }
    };
    let some = |numbers: &[u32]| numbers.iter().map(|number| format!("t-{number}")).collect::<Vec<_>>();
    assert_eq!(walk(2, all()), (some(&[1, 2, 3, 4, 5, 6, 7]), 4));
    assert_eq!(walk(7, all()).1, 1);
    assert_eq!(walk(2, AttributionAsk { issue: Some(1), ..all() }), (some(&[1, 3, 5, 7]), 2));
    let path = AttributionAsk { path: Some("a.rs".into()), ..all() };
    assert_eq!(walk(1, path).0, some(&[3, 6]));
    let path = AttributionAsk { path: Some("b.rs".into()), ..all() };
    assert_eq!(walk(3, path), (some(&[1, 2, 4, 5, 7]), 2));
}

#[test]
fn whoever_has_a_part_is_shown_that_part() {
    let shop = shop();
    let actor = |name: &str| Some(ActorId::parse(name).unwrap());
    let who = |part: Grant| shop.with_grant(&[Capability::Read], part);
    let ids = |who: &Principal, ask: AttributionAsk| {
        let found = shop.attribution_by(who, ask).map_err(|error| error.kind)?;
        Ok::<_, ErrorKind>(found.items.iter().map(|one| one.task.id.to_string()).collect::<Vec<_>>())
    };
    let web = who(Grant { actor: actor("acme/web"), ..Grant::everything() });
    assert_eq!(ids(&web, all()).unwrap(), ["t-003"]);
    let none = Vec::<String>::new();
    let commit = AttributionAsk { commit: Some(sha(1).unwrap().to_string()), ..all() };
    assert_eq!(ids(&web, commit).unwrap(), none);
    let words = AttributionAsk { q: Some("offsets".into()), ..all() };
    assert_eq!(ids(&web, words).unwrap(), none);
    assert_eq!(ids(&web, AttributionAsk { task: Some("t-001".to_owned()), ..all() }).unwrap(), none);
    assert!(ids(&web, AttributionAsk { repo: Some(REPO.into()), ..all() }).is_err());
    let session = Some(SessionId::parse("t-001").unwrap());
    let agent = who(Grant { actor: actor(REPO), session, ..Grant::everything() });
    assert_eq!(ids(&agent, all()).unwrap_err(), ErrorKind::Denied);
    assert_eq!(ids(&agent, AttributionAsk { task: Some("t-001".to_owned()), ..all() }).unwrap(), ["t-001"]);
    assert_eq!(ids(&agent, AttributionAsk { task: Some("t-002".to_owned()), ..all() }).unwrap(), none);
    shop.forget();
    assert_eq!(shop.ids(all()), ["t-003"], "forgotten with their actor");
}
