//! Untrusted tasks: their past and future records are held until a person decides. Names contain
//! the numbers of the acceptance tests of coding agents' memory where applicable.

use loci_api::coding::task::TaskCreate;
use loci_coding::hydration::Hydration;
use loci_coding::{Completion, LearnedAction, TaskAlerted};
use loci_engine::calls::call_context::CallContext;
use loci_engine::records::Verdict;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::RecordState;
use loci_model::{ErrorKind, RecordId, Result};
use loci_testkit_ports::block_on;
use loci_verified::{NewFact, StoreStatus};

use super::workshop::{REPO, Workshop, task, task_id};

const CODE: &str =
    "pub fn page_of_orders(cursor: u64) {\n    let limit = PAGE_LIMIT;\n    fetch(cursor, limit);\n}\n";
const REASON: &str = "It read an issue that gave it orders.";

impl Workshop {
    fn alert(&self, caller: &Principal, id: &str, reason: &str) -> Result<TaskAlerted> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_alert(caller, &self.standing, &task_id(id), reason))
    }

    /// Stores a fact in the session of a task.
    fn store_in(&self, session: &str, fact: &str) -> (RecordId, StoreStatus, Vec<String>) {
        let standing = CallContext { session: Some(session.to_owned()), ..self.standing.clone() };
        let place = LineRange { path: "src/page.rs".to_owned(), line_start: 1, line_end: 3 };
        let cite = CitationInput { place, sha: None, snippet_hash: None };
        let new = NewFact {
            repo: REPO.to_owned(),
            subject: "orders".to_owned(),
            fact: fact.to_owned(),
            citations: vec![cite],
            ..NewFact::default()
        };
        let stored = block_on(self.engine.verified.fact_store(&self.caller, &standing, new, None)).unwrap();
        (stored.view.remembered.record.id, stored.status, stored.warnings)
    }

    fn shown_to(&self, id: &str) -> Vec<String> {
        let asked = Hydration { query: Some("orders pagination".to_owned()), ..Hydration::default() };
        let id = task_id(id);
        let found =
            block_on(self.engine.coding.task_hydrate(&self.caller, &self.standing, &id, asked)).unwrap();
        found.plan.shown.iter().map(|one| one.candidate.record.id.to_string()).collect()
    }

    fn state_of(&self, id: &RecordId) -> RecordState {
        self.record(id).state
    }
}

fn report(number: u32) -> Completion {
    Completion {
        summary: Some(format!("Pagination of orders, part {number}.")),
        learnings_text: Some(format!("**Orders:** pagination of orders has `{number}` rules.")),
        self_feedback_text: Some(format!("**Docs:** pagination of orders is missing in `docs/{number}.md`.")),
        ..Completion::default()
    }
}

#[test]
fn a93_what_a_task_with_an_alert_writes_is_held_back() {
    let shop = Workshop::new();
    shop.write("src/page.rs", CODE);
    // An id that is not valid as a session gets a derived one.
    for id in ["t-001", "jira:ABC.1"] {
        shop.begun(id);
        let note = shop.note(id, note(&format!("Orders of {id} go by a `cursor`."))).unwrap();
        let (fact, status, _) =
            shop.store_in(id, &format!("Orders of {id}: `page_of_orders` goes by PAGE_LIMIT."));
        assert_eq!(status, StoreStatus::Created);
        let left = shop.complete(id, report(if id == "t-001" { 1 } else { 2 })).unwrap();
        let of = |learned: &[loci_coding::Learned]| learned[0].id.clone().unwrap();
        let before = [
            note.learned.id.unwrap(),
            fact,
            left.episode.clone(),
            of(&left.learnings),
            of(&left.self_feedback),
        ];
        for record in &before {
            assert_eq!(shop.state_of(record), RecordState::Active, "{record}");
        }
        let mut alerted = shop.alert(&shop.caller, id, REASON).unwrap();
        alerted.quarantined.sort();
        let mut all = before.to_vec();
        all.sort();
        assert_eq!((alerted.raised, alerted.quarantined), (true, all), "{id}");
        assert_eq!(alerted.task.security_alert.unwrap().reason, REASON);
        let held = shop.record(&before[0]);
        assert!(held.state_reason.unwrap().contains("security alert of task"), "it is said why");
        assert!(shop.get(id).unwrap().security_alert.is_some());

        // Its future statements are held too.
        let later = shop.complete(id, report(if id == "t-001" { 3 } else { 4 })).unwrap();
        assert_eq!(later.learnings[0].action, LearnedAction::Quarantined);
        assert_eq!(later.learnings[0].reason.as_deref(), Some("security_alert"));
        let (fact, _, warnings) =
            shop.store_in(id, &format!("Orders of {id}: PAGE_LIMIT is in `page_of_orders`."));
        assert!(warnings.iter().any(|warning| warning.starts_with("HELD: ")), "{warnings:?}");
        for record in [&later.episode, &of(&later.learnings), &of(&later.self_feedback), &fact] {
            assert_eq!(shop.state_of(record), RecordState::Quarantined, "{record}");
        }
    }
    shop.begun("t-002");
    assert_eq!(shop.shown_to("t-002"), Vec::<String>::new());
    assert_eq!((shop.knowledge(), shop.episodes()), (Vec::new(), Vec::new()));

    // A repetition changes nothing; a person releases single records, and they stay released.
    let one = shop.complete("t-001", report(3)).unwrap().learnings[0].id.clone().unwrap();
    let (memory, ids) = (shop.memory(), vec![one.clone()]);
    let released =
        shop.engine.quarantine_decide(&shop.caller, &memory, ids, Verdict::Release, "right".into());
    block_on(released).unwrap();
    let again = shop.alert(&shop.caller, "t-001", "Something else").unwrap();
    assert_eq!((again.raised, again.quarantined), (false, Vec::new()));
    assert_eq!(again.task.security_alert.unwrap().reason, REASON, "the first");
    assert_eq!(shop.shown_to("t-002"), [one.to_string()]);
}

fn note(text: &str) -> loci_api::coding::task::end::TaskNote {
    loci_api::coding::task::end::TaskNote { text: text.to_owned(), ..Default::default() }
}

#[test]
fn what_others_know_an_alerted_task_neither_confirms_nor_takes_the_place_of() {
    let shop = Workshop::new();
    shop.write("src/page.rs", CODE);
    shop.begun("t-001");
    shop.begun("t-002");
    let text = "Orders: `page_of_orders` goes by PAGE_LIMIT.";
    let (known, _, _) = shop.store_in("t-002", text);
    shop.alert(&shop.caller, "t-001", REASON).unwrap();
    let (same, status, warnings) = shop.store_in("t-001", text);
    assert_eq!((same, status), (known.clone(), StoreStatus::DuplicateOf), "{warnings:?}");
    assert_eq!(shop.state_of(&known), RecordState::Active);
}

#[test]
fn who_may_raise_it() {
    let shop = Workshop::new();
    let made = shop.create(TaskCreate { repo: Some(REPO.to_owned()), ..task("t-001") }).unwrap().task;
    let write = [Capability::Read, Capability::Write];
    let actor = Some(made.actor.clone());
    let agent = Grant { actor: actor.clone(), session: Some(made.session), ..Grant::everything() };
    let denied = shop.alert(&shop.with_grant(&write, agent), "t-001", REASON).unwrap_err();
    assert_eq!(denied.kind, ErrorKind::Denied, "its own agent does not");
    let orchestrator = shop.with_grant(&write, Grant { actor, ..Grant::everything() });
    assert!(shop.alert(&orchestrator, "t-001", REASON).unwrap().raised);
    let check = |id: &str, reason: &str, kind: ErrorKind| {
        assert_eq!(shop.alert(&shop.caller, id, reason).unwrap_err().kind, kind, "{id}");
    };
    check("t-404", REASON, ErrorKind::NotFound);
    check("t-001", "", ErrorKind::Invalid);
    check("t-001", &"x".repeat(501), ErrorKind::Invalid);
}
