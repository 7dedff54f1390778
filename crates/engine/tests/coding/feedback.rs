//! Feedback on memories that tasks were shown: it is stored once, explained, and holds memories
//! that enough tasks call harmful.

use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_coding::{Completion, FeedbackTaken, NewFeedback};
use loci_engine::records::Verdict;
use loci_model::principal::{Capability, Grant};
use loci_model::record::RecordState;
use loci_model::{ActorId, ErrorKind, RecordId, Result};
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task, task_id};

fn noted(shop: &Workshop, id: &str, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note(id, note).unwrap().learned.id.unwrap()
}

fn say(shop: &Workshop, id: &str, said: NewFeedback) -> Result<FeedbackTaken> {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.coding.task_feedback(&shop.caller, &shop.standing, &task_id(id), said))
}

fn harmful(id: &RecordId, reason: Option<&str>) -> NewFeedback {
    NewFeedback { harmful: vec![(id.clone(), reason.map(str::to_owned))], ..NewFeedback::default() }
}

#[test]
fn what_is_said_is_noted_once_and_explained() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (first, second) = (noted(&shop, "t-001", "Use `make a`."), noted(&shop, "t-001", "Use `make b`."));
    let unknown = RecordId::parse("mem-00000000-0000-7000-8000-000000000009").unwrap();
    let used = NewFeedback { used: vec![first.clone(), unknown.clone()], ..NewFeedback::default() };
    let taken = say(&shop, "t-001", used).unwrap();
    assert_eq!(
        taken.warnings,
        [format!("RECORD_UNKNOWN: no record {unknown} is here: nothing is noted of it")]
    );
    let more =
        NewFeedback { helpful: vec![first.clone()], used: vec![second.clone()], ..harmful(&second, None) };
    say(&shop, "t-001", more.clone()).unwrap();
    let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
    say(&shop, "t-001", harmful(&second, Some(&format!("it says {secret}")))).unwrap();
    let again = say(&shop, "t-001", more).unwrap();
    assert_eq!(again.feedback.harmful[&second], "it says [REDACTED:github_token]", "a reason stays");
    assert_eq!(again.feedback, shop.get("t-001").unwrap().feedback);
    assert_eq!(
        (again.quarantined.len(), shop.record(&second).state),
        (0, RecordState::Active),
        "one task alone"
    );

    // Memories named in the report count in addition to earlier feedback.
    let report = Completion { used_memory_ids: vec![first.to_string()], ..Completion::default() };
    assert!(shop.complete("t-001", report).unwrap().warnings.is_empty());
    let explained =
        block_on(shop.engine.coding.task_explain(&shop.caller, &shop.standing, &task_id("t-001"))).unwrap();
    let mut both = vec![first.to_string(), second.to_string()];
    both.sort();
    assert_eq!((explained.used, explained.helpful), (both, vec![first.to_string()]));
    assert_eq!(explained.harmful, [second.to_string()]);
}

#[test]
fn what_two_tasks_call_harmful_is_held_back() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.begun("t-002");
    let wrong = noted(&shop, "t-001", "The tests need no `make gen`.");
    assert!(say(&shop, "t-001", harmful(&wrong, None)).unwrap().quarantined.is_empty());
    assert!(say(&shop, "t-001", harmful(&wrong, None)).unwrap().quarantined.is_empty(), "twice is once");
    let report = Completion { harmful_memory_ids: vec![wrong.to_string()], ..Completion::default() };
    shop.complete("t-002", report).unwrap();
    let held = shop.record(&wrong);
    assert_eq!(held.state, RecordState::Quarantined);
    assert_eq!(held.state_reason.as_deref(), Some("reported as harmful by 2 tasks"));
    assert!(shop.found("make gen").is_empty());
    // A held memory is not held again.
    assert!(say(&shop, "t-002", harmful(&wrong, None)).unwrap().quarantined.is_empty());
}

#[test]
fn what_a_person_released_is_held_back_by_new_reports_alone() {
    let shop = Workshop::new();
    for id in ["t-001", "t-002", "t-003", "t-004"] {
        shop.begun(id);
    }
    let right = noted(&shop, "t-001", "The tests need no `make gen`.");
    let report = |id: &str, by_human: bool| {
        let said = NewFeedback { by_human, ..harmful(&right, None) };
        say(&shop, id, said).unwrap().quarantined.len()
    };
    let memory = shop.memory();
    let release = || {
        shop.world.clock().advance_ms(1_000);
        let decided = shop.engine.quarantine_decide(
            &shop.caller,
            &memory,
            vec![right.clone()],
            Verdict::Release,
            "it is right".to_owned(),
        );
        block_on(decided).unwrap();
        assert_eq!(shop.record(&right).state, RecordState::Active);
    };
    assert_eq!((report("t-001", false), report("t-002", false)), (0, 1));
    release();
    assert_eq!((report("t-001", false), report("t-002", false)), (0, 0), "that was decided");
    assert_eq!(report("t-003", false), 0, "one alone");
    assert_eq!(report("t-001", false), 0);
    assert_eq!(report("t-004", false), 1, "two that are new");
    release();
    // One verdict of a person is enough, but counts once.
    assert_eq!(report("t-001", true), 1);
    release();
    assert_eq!((report("t-001", true), report("t-001", false)), (0, 0));
    assert_eq!(report("t-002", true), 1, "another person's word, or of another task");
}

/// Reports are found by their memory, among any number of other tasks.
#[test]
fn a_report_counts_however_long_ago_it_was_made() {
    const TASKS: usize = 1_050;
    let shop = Workshop::new();
    shop.begun("t-001");
    let wrong = noted(&shop, "t-001", "The tests need no `make gen`.");
    assert!(say(&shop, "t-001", harmful(&wrong, None)).unwrap().quarantined.is_empty());
    for number in 0..TASKS {
        shop.begun(&format!("n-{number}"));
    }
    let held = say(&shop, "n-1049", harmful(&wrong, None)).unwrap().quarantined;
    assert_eq!(held, [wrong]);
}

#[test]
fn who_works_on_one_repository_holds_nothing_back_of_another() {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    shop.begun("t-001");
    let record = noted(&shop, "t-001", "The tests need no `make gen`.");
    for id in ["w-001", "w-002"] {
        shop.create(TaskCreate { repo: Some("acme/web".to_owned()), ..task(id) }).unwrap();
        let taken = say(&shop, id, harmful(&record, None)).unwrap();
        assert_eq!(
            (taken.feedback.harmful.len(), taken.quarantined.len()),
            (1, 0),
            "{id}: noted, and no more"
        );
    }
    // They do not count in addition to a task of its own either.
    assert!(say(&shop, "t-001", harmful(&record, None)).unwrap().quarantined.is_empty());
    assert_eq!(shop.record(&record).state, RecordState::Active);
}

#[test]
fn one_person_is_enough_and_says_who_they_are_by_their_rights() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let wrong = noted(&shop, "t-001", "The tests need no `make gen`.");
    let said = NewFeedback { by_human: true, ..harmful(&wrong, Some("they do")) };
    let part = Grant { actor: Some(ActorId::parse(REPO).unwrap()), ..Grant::everything() };
    let agent = shop.with_grant(&[Capability::Read, Capability::Write], part);
    let task = task_id("t-001");
    let by_agent = shop.engine.coding.task_feedback(&agent, &shop.standing, &task, said.clone());
    assert_eq!(block_on(by_agent).unwrap_err().kind, ErrorKind::Denied);
    let taken = say(&shop, "t-001", said).unwrap();
    assert_eq!(taken.quarantined, std::slice::from_ref(&wrong));
    let reason = shop.record(&wrong).state_reason;
    assert_eq!(reason.as_deref(), Some("reported as harmful by a person: they do"));
}

#[test]
fn what_cannot_be_right_is_refused() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let id = RecordId::parse("mem-00000000-0000-7000-8000-000000000009").unwrap();
    let field = |said| say(&shop, "t-001", said).unwrap_err().field;
    let many = NewFeedback { used: vec![id.clone(); 501], ..NewFeedback::default() };
    assert_eq!(field(many).as_deref(), Some("used"));
    assert_eq!(field(harmful(&id, Some(&"a".repeat(501)))).as_deref(), Some("harmful.reason"));
    assert_eq!(say(&shop, "t-009", NewFeedback::default()).unwrap_err().kind, ErrorKind::NotFound);
}
