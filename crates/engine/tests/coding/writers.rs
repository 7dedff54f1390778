//! Responses to callers with write access only: tasks, their outcomes and prompts contain only the
//! data that the caller sent.

use loci_api::coding::task::{TaskCreate, TaskPatch, TaskPullRequest};
use loci_coding::{NewPrompt, OutcomeByHand, PromptParts};
use loci_model::ErrorKind;
use loci_model::ports::clock::Clock as _;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::outcome::{OutcomeGrade, Polarity};
use loci_model::tasks::task::TaskStatus;
use loci_model::tasks::task_session::SessionItemKind;
use loci_testkit_ports::block_on;

use super::outcomes::by_hand;
use super::sessions::said;
use super::workshop::{Workshop, task, task_id};

fn is_unreadable(warnings: &[String]) -> bool {
    warnings.iter().any(|warning| warning.starts_with("UNREADABLE:"))
}

#[test]
fn a_writer_is_shown_of_a_task_what_it_sent() {
    let shop = Workshop::new();
    let writer = shop.with_grant(&[Capability::Write], Grant::everything());
    let create = |new: TaskCreate| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.coding.task_create(&writer, &shop.standing, new, None)).unwrap()
    };
    let made = create(task("t-1"));
    assert!(made.created && !is_unreadable(&made.warnings), "{:?}", made.warnings);
    let url = Some("https://forge.example/acme/shop/pull/7".to_owned());
    let pr = Some(TaskPullRequest { number: 7, url, ..TaskPullRequest::default() });
    let running = Some("running".to_owned());
    shop.patch("t-1", TaskPatch { status: running, pr, ..TaskPatch::default() }).unwrap();
    let again = create(task("t-1"));
    assert!(!again.created && is_unreadable(&again.warnings), "{:?}", again.warnings);
    assert_eq!((&again.task.description, &again.task.pr), (&made.task.description, &None));
    assert_eq!((again.task.status, again.task.created_at), (TaskStatus::Running, made.task.created_at));
    let trace = Some("0123456789abcdef".repeat(2));
    let patch = TaskPatch { trace_id: trace.clone(), ..TaskPatch::default() };
    let patched =
        block_on(shop.engine.coding.task_patch(&writer, &shop.standing, &task_id("t-1"), patch)).unwrap();
    assert!(is_unreadable(&patched.warnings), "{:?}", patched.warnings);
    let shown = patched.task;
    assert_eq!((shown.description.as_str(), shown.user, shown.branch, shown.pr), ("", None, None, None));
    assert_eq!(shown.trace_id, trace);
    let stored = shop.get("t-1").unwrap();
    assert_eq!((stored.description, stored.trace_id), (made.task.description, trace));
    assert_eq!(stored.pr.map(|pr| pr.number), Some(7));
}

#[test]
fn a_writer_is_not_told_why_a_task_has_an_alert() {
    let shop = Workshop::new();
    let writer = shop.with_grant(&[Capability::Write], Grant::everything());
    shop.create(task("t-1")).unwrap();
    let raise = |by: &Principal, reason: &str| {
        block_on(shop.engine.coding.task_alert(by, &shop.standing, &task_id("t-1"), reason)).unwrap()
    };
    raise(&shop.caller, "It mailed the salary list.");
    let first = |by: &Principal| raise(by, "Again.").task.security_alert.unwrap().reason;
    assert_eq!(first(&shop.caller), "It mailed the salary list.");
    assert!(first(&writer).starts_with("raised before:"));
}

#[test]
fn a_writer_reads_no_prompt_by_storing_one_or_going_back() {
    let shop = Workshop::new();
    let writer = shop.with_grant(&[Capability::Write], Grant::everything());
    let add = |by: &Principal, template: &str, text: &str, model: Option<&str>| {
        shop.world.clock().advance_ms(1_000);
        let parts = PromptParts { text: text.to_owned(), ..PromptParts::default() };
        let model = model.map(str::to_owned);
        let new = NewPrompt { template_id: template.to_owned(), parts, model };
        block_on(shop.engine.coding.prompt_add(by, &shop.standing, new))
    };
    let first = add(&shop.caller, "plans", "Do this.\n", Some("a-model")).unwrap().prompt;
    add(&shop.caller, "plans", "Do that.\n", None).unwrap();
    let again = add(&writer, "plans", "Do this.\n", None).unwrap();
    assert_eq!((&again.prompt.version, again.prompt.model), (&first.version, None));
    // The name of a version is a digest of its text.
    assert_eq!(again.previous, None);
    assert!(add(&shop.caller, "plans", "Do that.\n", None).unwrap().previous.is_some());
    let error = add(&writer, "others", "Do this.\n", None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert!(!error.message.contains("plans"), "{}", error.message);
    let back = |by: &Principal| {
        block_on(shop.engine.coding.prompt_rollback(by, &shop.standing, "plans", &first.version))
    };
    assert_eq!(back(&writer).unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(back(&shop.caller).unwrap().0.text, "Do this.\n");
}

#[test]
fn a_writer_is_answered_with_the_outcome_that_it_set() {
    let shop = Workshop::new();
    let writer = shop.with_grant(&[Capability::Write], Grant::everything());
    shop.create(task("t-1")).unwrap();
    let url = Some("https://forge.example/acme/shop/pull/7".to_owned());
    let pr = Some(TaskPullRequest { number: 7, url, ..TaskPullRequest::default() });
    shop.patch("t-1", TaskPatch { pr, ..TaskPatch::default() }).unwrap();
    let set = |by: &Principal, said: OutcomeByHand| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.coding.task_outcome_set(by, &shop.standing, &task_id("t-1"), said))
            .unwrap()
            .outcome
    };
    let rounds = OutcomeByHand {
        revision_count: Some(3),
        source: Some("the release notes".to_owned()),
        ..by_hand(OutcomeGrade::MergedAfterRounds)
    };
    let first = set(&shop.caller, rounds);
    assert_eq!((first.facts.pr, first.facts.revision_count, first.history.len()), (Some(7), 3, 1));
    let blind = set(&writer, by_hand(OutcomeGrade::MergedAfterRounds));
    assert_eq!((blind.grade, blind.polarity), (Some(OutcomeGrade::MergedAfterRounds), Polarity::Positive));
    assert_eq!((blind.facts.pr, blind.facts.revision_count, blind.history.len()), (None, 0, 0));
    assert!(blind.value > first.value, "no round is known: {} {}", blind.value, first.value);
    assert_eq!(blind.by_hand.map(|set| set.source).as_deref(), Some("manual"));
    assert_eq!((blind.created_at, blind.updated_at), (shop.world.clock().now(), shop.world.clock().now()));
    let stored = block_on(shop.engine.coding.task_outcome(&shop.caller, &shop.standing, &task_id("t-1")));
    let stored = stored.unwrap().unwrap();
    assert_eq!((stored.facts.pr, stored.facts.revision_count), (Some(7), 3));
}

#[test]
fn a_writer_reads_no_session_by_promoting_what_was_said() {
    let shop = Workshop::new();
    let writer = shop.with_grant(&[Capability::Write], Grant::everything());
    shop.begun("t-1");
    let text = "**Code 4711 of the safe:** The table `orders` is written by src/orders.rs alone.";
    shop.append("t-1", vec![said(1, SessionItemKind::Note, text)]).unwrap();
    let promote = |by: &Principal, seq: u64| {
        block_on(shop.engine.coding.session_promote(by, &shop.standing, &task_id("t-1"), vec![seq], false))
    };
    for seq in [1, 2] {
        let error = promote(&writer, seq).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied, "{error:?}");
        assert!(error.message.contains("grant of read"), "{}", error.message);
    }
    let both = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    let learned = promote(&both, 1).unwrap().events.remove(0).learned;
    assert_eq!(learned[0].topic.as_deref(), Some("Code 4711 of the safe"));
}
