//! Sessions of tasks: items, capture modes, learnings, and the end. Names contain the numbers of
//! the acceptance tests of coding agents' memory where applicable.

use loci_api::coding::attribution::AttributionAsk;
use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::{TaskFinalize, TaskNote};
use loci_api::coding::task::session::SessionAppended;
use loci_coding::settings::CaptureSettings;
use loci_coding::{CodingSettings, Completion, LearnedAction, NewSessionItem, SessionEvents, SessionListing};
use loci_engine::events::EventListing;
use loci_engine::records::RecordDelete;
use loci_model::event::{Event, PayloadItem, Role};
use loci_model::principal::{Capability, Grant};
use loci_model::tasks::task::TaskStatus;
use loci_model::tasks::task_session::{Capture, SessionItemKind, ToolUse};
use loci_model::{ActorId, Document, ErrorKind, Reason, Result, SessionId, limits};
use loci_testkit_ports::block_on;
use loci_testkit_ports::secret_samples::secrets;

use super::hydration::engine_with;
use super::workshop::{REPO, Workshop, task, task_id};

pub(super) fn said(seq: u64, kind: SessionItemKind, content: &str) -> NewSessionItem {
    NewSessionItem {
        seq,
        kind,
        role: None,
        content: Some(content.to_owned()),
        user: None,
        prompt_version: None,
        commit: None,
        tool: None,
        at: None,
    }
}

fn tool(seq: u64, content: Option<&str>) -> NewSessionItem {
    let bash = ToolUse {
        name: "bash".to_owned(),
        input_sha256: Some("1".repeat(64)),
        output_sha256: None,
        duration_ms: Some(812),
        cost_usd: Some(f64::NAN),
        status: Some("ok".to_owned()),
    };
    let kind = SessionItemKind::ToolCall;
    NewSessionItem { content: content.map(str::to_owned), tool: Some(bash), ..said(seq, kind, "") }
}

impl Workshop {
    pub(super) fn append(&self, id: &str, items: Vec<NewSessionItem>) -> Result<SessionAppended> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.session_append(&self.caller, &self.standing, &task_id(id), items))
    }

    fn session(&self, id: &str, listing: SessionListing) -> SessionEvents {
        let listing = SessionListing { limit: listing.limit.max(1), ..listing };
        block_on(self.engine.coding.session_events(&self.caller, &self.standing, &task_id(id), listing))
            .unwrap()
    }

    /// Returns all items of a session: number and text.
    fn read(&self, id: &str) -> Vec<(u64, Option<String>)> {
        let all = self.session(id, SessionListing { limit: 100, ..SessionListing::default() });
        all.page.items.into_iter().map(|item| (item.seq, item.text)).collect()
    }

    fn end(&self, id: &str) -> bool {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.session_end_of_task(&self.caller, &self.standing, &task_id(id))).unwrap()
    }

    /// Returns the numbers of the session's events.
    fn events(&self, session: &str) -> Vec<String> {
        let mut seqs: Vec<_> =
            self.payloads(session).into_iter().map(|event| event.metadata["seq"].clone()).collect();
        seqs.sort();
        seqs
    }

    /// Returns the session's events.
    fn payloads(&self, session: &str) -> Vec<Event> {
        let listing = EventListing {
            memory: self.memory(),
            actor: ActorId::parse(REPO).unwrap(),
            session: SessionId::parse(session).unwrap(),
            branch: None,
            metadata: Vec::new(),
            before: None,
            limit: 100,
            with_payload: true,
        };
        block_on(self.engine.event_list(&self.caller, listing)).unwrap().items
    }

    fn keep(&self, id: &str, state: &str, version: u64) -> Result<u64> {
        let state = Document::parse(state).unwrap();
        let (id, standing) = (task_id(id), &self.standing);
        block_on(self.engine.coding.session_state_put(&self.caller, standing, &id, state, version))
    }

    fn state(&self, id: &str) -> Result<(String, u64)> {
        let id = task_id(id);
        let kept = self.engine.coding.session_state(&self.caller, &self.standing, &id);
        block_on(kept).map(|(state, version)| (state.as_str().to_owned(), version))
    }

    /// Returns this workshop with another capture mode.
    fn keeping(mut self, conversation: Capture) -> Self {
        let capture = CaptureSettings { conversation, retention_days: 2 };
        let coding = CodingSettings { capture, ..CodingSettings::default() };
        self.engine = engine_with(&self, coding, None);
        self
    }
}

fn some(texts: &[(u64, &str)]) -> Vec<(u64, Option<String>)> {
    texts.iter().map(|(seq, text)| (*seq, (!text.is_empty()).then(|| (*text).to_owned()))).collect()
}

#[test]
fn what_is_said_is_an_event_of_the_memory_and_read_by_number() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let person = NewSessionItem {
        role: Some(Role::User),
        user: Some("ann".to_owned()),
        ..said(2, SessionItemKind::Message, "Use cursors.")
    };
    let done =
        shop.append("t-001", vec![said(10, SessionItemKind::Decision, "Cursors it is."), person]).unwrap();
    let expect = SessionAppended { accepted: 2, last_seq: Some(10), ..SessionAppended::default() };
    assert_eq!(done, expect);
    shop.append("t-001", vec![tool(3, None)]).unwrap();
    assert_eq!(shop.read("t-001"), some(&[(2, "Use cursors."), (3, ""), (10, "Cursors it is.")]));

    let first = shop.session("t-001", SessionListing { limit: 2, ..SessionListing::default() });
    assert_eq!((first.page.items.len(), first.page.next, first.last_seq), (2, Some(3), Some(10)));
    let rest =
        shop.session("t-001", SessionListing { after_seq: Some(3), limit: 2, ..SessionListing::default() });
    assert_eq!((rest.page.items[0].seq, rest.page.items.len(), rest.page.next), (10, 1, None));
    let kinds = vec![SessionItemKind::ToolCall, SessionItemKind::Message];
    let some_kinds = shop.session("t-001", SessionListing { kinds, limit: 9, ..SessionListing::default() });
    let of = |events: &SessionEvents| events.page.items.iter().map(|item| item.seq).collect::<Vec<_>>();
    assert_eq!(of(&some_kinds), [2, 3]);
    let items = some_kinds.page.items;
    assert_eq!((items[0].role.as_str(), items[0].user.as_deref()), ("user", Some("ann")));
    assert_eq!((items[1].role.as_str(), items[1].user.as_deref()), ("assistant", Some("bob")));
    let used = items[1].tool.as_ref().unwrap();
    assert_eq!((used.name.as_str(), used.duration_ms, used.cost_usd), ("bash", Some(812), None));

    // As events of the memory.
    let listing = EventListing {
        memory: shop.memory(),
        actor: ActorId::parse(REPO).unwrap(),
        session: SessionId::parse("t-001").unwrap(),
        branch: None,
        metadata: Vec::new(),
        before: None,
        limit: 9,
        with_payload: true,
    };
    let events = block_on(shop.engine.event_list(&shop.caller, listing)).unwrap().items;
    assert_eq!(events.len(), 3);
    let person = events.iter().find(|event| event.metadata["seq"] == "2").unwrap();
    assert_eq!((person.metadata["type"].as_str(), person.metadata["task_id"].as_str()), ("message", "t-001"));
    let text = "Use cursors.".to_owned();
    assert_eq!(person.payload, [PayloadItem::Conversational { role: Role::User, text }]);
    assert!(items.iter().any(|item| item.event.as_ref() == Some(&person.id)));
}

#[test]
fn a_number_that_is_known_is_a_repetition() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let one = || said(17, SessionItemKind::Note, "The tests need a database.");
    assert_eq!(shop.append("t-001", vec![one(), one()]).unwrap().duplicates, 1, "within one report");
    let again = shop.append("t-001", vec![one(), said(18, SessionItemKind::Note, "More.")]).unwrap();
    assert_eq!((again.accepted, again.duplicates, again.warnings.len()), (1, 1, 0));
    let other = shop.append("t-001", vec![said(17, SessionItemKind::Note, "Other words.")]).unwrap();
    assert!((other.accepted, other.duplicates) == (0, 1) && other.warnings[0].starts_with("SEQ_TAKEN"));
    assert_eq!(shop.read("t-001").len(), 2);
    shop.begun("t-002");
    assert_eq!(
        shop.append("t-002", vec![one()]).unwrap().accepted,
        1,
        "another session's numbers are its own"
    );
}

#[test]
fn what_comes_behind_the_end_goes_into_the_archive_alone() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.append("t-001", vec![said(1, SessionItemKind::Decision, "Cursors it is.")]).unwrap();
    let end = TaskFinalize { status: TaskStatus::TimedOut.as_str().to_owned(), ..TaskFinalize::default() };
    shop.finalize("t-001", end.clone()).unwrap();
    let over = shop.session("t-001", SessionListing::default());
    let ended_at = over.ended_at.expect("finalize ends the session");
    let late = shop.append("t-001", vec![said(2, SessionItemKind::Note, "Late.")]).unwrap();
    assert!(late.accepted == 1 && late.warnings.concat().contains("SESSION_ENDED"), "{late:?}");
    let all = shop.session("t-001", SessionListing { limit: 9, ..SessionListing::default() });
    assert_eq!(all.ended_at, Some(ended_at));
    assert_eq!(all.page.items.iter().map(|item| item.event.is_some()).collect::<Vec<_>>(), [true, false]);
    shop.finalize("t-001", end).unwrap();
    assert!(!shop.end("t-001"), "it ends once");
    assert_eq!(shop.session("t-001", SessionListing::default()).ended_at, Some(ended_at));
}

#[test]
fn what_the_archive_keeps() {
    let check = |capture: Capture, kept: &[(u64, &str)]| {
        let shop = Workshop::new().keeping(capture);
        shop.begun("t-001");
        let items = vec![
            said(1, SessionItemKind::Message, "Hello."),
            said(2, SessionItemKind::Decision, "Cursors."),
            said(3, SessionItemKind::Note, "Slow tests."),
            tool(4, Some("npm test")),
            said(5, SessionItemKind::Reasoning, "Hm."),
        ];
        shop.append("t-001", items).unwrap();
        let all = some(&[(1, "Hello."), (2, "Cursors."), (3, "Slow tests."), (4, "npm test"), (5, "Hm.")]);
        assert_eq!(shop.read("t-001"), all, "{capture:?}: while it is open");
        assert!(shop.end("t-001"));
        assert_eq!(shop.read("t-001"), some(kept), "{capture:?}");
        // Items that must not be kept are no longer events of the memory either.
        let seen = match capture {
            Capture::Full => vec!["1", "2", "3", "4", "5"],
            Capture::Decisions => vec!["2", "3"],
            Capture::Metadata | Capture::Off => Vec::new(),
        };
        assert_eq!(shop.events("t-001"), seen, "{capture:?}");
        shop.append("t-001", vec![said(6, SessionItemKind::Message, "Bye.")]).unwrap();
        let counts = shop.session("t-001", SessionListing { limit: 9, ..SessionListing::default() });
        let bye = counts.page.items.into_iter().find(|item| item.seq == 6);
        assert_eq!(bye.as_ref().map(|item| item.text_chars), (capture != Capture::Off).then_some(4));
        assert_eq!(bye.and_then(|item| item.text).is_some(), capture == Capture::Full);
        // After the end of their retention.
        shop.world.clock().advance_ms(3 * 24 * 60 * 60 * 1_000);
        assert_eq!(shop.read("t-001"), Vec::new(), "{capture:?}");
        block_on(shop.engine.sweep()).unwrap();
        assert_eq!(shop.session("t-001", SessionListing::default()).last_seq, None, "{capture:?}");
    };
    check(Capture::Full, &[(1, "Hello."), (2, "Cursors."), (3, "Slow tests."), (4, "npm test"), (5, "Hm.")]);
    check(Capture::Decisions, &[(1, ""), (2, "Cursors."), (3, "Slow tests."), (4, ""), (5, "")]);
    check(Capture::Metadata, &[(1, ""), (2, ""), (3, ""), (4, ""), (5, "")]);
    check(Capture::Off, &[(4, "")]);
}

#[test]
fn a_run_that_crashed_goes_on_with_what_it_kept() {
    let shop = Workshop::new();
    shop.begun("t-001");
    assert_eq!(shop.state("t-001").unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(shop.keep("t-001", r#"{"step": 1, "b": 2.50}"#, 0).unwrap(), 1);
    assert_eq!(shop.state("t-001").unwrap(), (r#"{"step": 1, "b": 2.50}"#.to_owned(), 1), "byte for byte");
    let stale = shop.keep("t-001", "{}", 0).unwrap_err();
    assert_eq!((stale.kind, stale.reason), (ErrorKind::Conflict, Some(Reason::StaleVersion)));
    assert_eq!(shop.keep("t-001", "[2]", 1).unwrap(), 2);
    let text = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    assert_eq!(shop.keep("t-001", &text(limits::SESSION_STATE_BYTES_MAX), 2).unwrap(), 3);
    let large = shop.keep("t-001", &text(limits::SESSION_STATE_BYTES_MAX + 1), 3).unwrap_err();
    assert_eq!(large.kind, ErrorKind::TooLarge);
    assert!(shop.end("t-001"));
    assert_eq!(shop.state("t-001").unwrap_err().kind, ErrorKind::NotFound, "it goes with the session");
    assert_eq!(shop.keep("t-001", "1", 3).unwrap_err().kind, ErrorKind::Conflict);
}

#[test]
fn a92_a_state_keeps_no_secrets() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
    let state = format!(r#"{{"env": ["TOKEN={secret}"], "step": 1}}"#);
    shop.keep("t-001", &state, 0).unwrap();
    let kept = shop.state("t-001").unwrap().0;
    assert!(kept.contains("[REDACTED:github_token]") && kept.contains("\"step\":1"), "{kept}");
    assert!(!kept.contains(&secret), "{kept}");
}

/// The number of events exceeds one write of the end.
#[test]
fn of_a_long_session_nothing_is_left_where_nothing_is_captured() {
    const EVENTS: u64 = 250;
    let shop = Workshop::new().keeping(Capture::Off);
    shop.begun("t-001");
    for from in (0..EVENTS).step_by(50) {
        let items = (from..from + 50).map(|seq| said(seq, SessionItemKind::Message, "Hm."));
        shop.append("t-001", items.collect()).unwrap();
    }
    assert_eq!(shop.events("t-001").len(), 100, "a page");
    let end = TaskFinalize { status: TaskStatus::Failed.as_str().to_owned(), ..TaskFinalize::default() };
    shop.finalize("t-001", end).unwrap();
    assert_eq!((shop.events("t-001"), shop.read("t-001")), (Vec::new(), Vec::new()));
}

#[test]
fn what_is_deleted_leaves_nothing_in_the_archive() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let items = [1, 2].map(|seq| said(seq, SessionItemKind::Decision, "Cursors it is."));
    shop.append("t-001", items.to_vec()).unwrap();
    let all = shop.session("t-001", SessionListing { limit: 9, ..SessionListing::default() });
    let event = all.page.items[0].event.clone().unwrap();
    let (actor, session) = (ActorId::parse(REPO).unwrap(), SessionId::parse("t-001").unwrap());
    let memory = shop.memory();
    block_on(shop.engine.event_delete(&shop.caller, &memory, &actor, &session, &event)).unwrap();
    assert_eq!(shop.read("t-001"), some(&[(2, "Cursors it is.")]));

    let report = Completion { summary: Some("Orders come in pages.".to_owned()), ..Completion::default() };
    let episode = shop.complete("t-001", report).unwrap().episode;
    let found = |words: &str| {
        let ask = AttributionAsk { q: Some(words.to_owned()), ..AttributionAsk::default() };
        block_on(shop.engine.coding.attribution(&shop.caller, &shop.standing, ask, (None, 9)))
            .unwrap()
            .items
            .len()
    };
    assert_eq!((found("pages"), found("cursors")), (1, 1));
    let delete = RecordDelete { id: episode, namespace: None };
    block_on(shop.engine.record_delete(&shop.caller, &memory, delete)).unwrap();
    assert_eq!((found("pages"), found("cursors")), (0, 1), "what was told goes with the episode");
}

#[test]
fn chosen_events_become_learnings() {
    let shop = Workshop::new().keeping(Capture::Metadata);
    shop.begun("t-001");
    let many = "**Build:** run `make gen` first.\n\n**Auth module:** it caches tokens for 5 minutes.";
    let items = vec![
        said(1, SessionItemKind::Note, many),
        said(2, SessionItemKind::Note, "No new repository learnings."),
        tool(3, None),
    ];
    shop.append("t-001", items).unwrap();
    let promote = |seqs: &[u64], as_feedback: bool| {
        let id = task_id("t-001");
        block_on(shop.engine.coding.session_promote(
            &shop.caller,
            &shop.standing,
            &id,
            seqs.to_vec(),
            as_feedback,
        ))
    };
    let done = promote(&[2, 1], false).unwrap();
    let seqs: Vec<_> = done.events.iter().map(|one| (one.seq, one.learned.len())).collect();
    assert_eq!(seqs, [(2, 0), (1, 2)], "words that the archive does not keep, from the event");
    assert!(done.events[1].learned.iter().all(|one| one.action == LearnedAction::Added), "{done:?}");
    assert_eq!((shop.knowledge().len(), shop.get("t-001").unwrap().written.learnings), (2, 2));
    let record = shop.record(done.events[1].learned[0].id.as_ref().unwrap());
    let event = shop.session("t-001", SessionListing::default()).page.items[0].event.clone();
    assert_eq!(
        record.provenance.sources.iter().map(|one| Some(one.event.clone())).collect::<Vec<_>>(),
        [event]
    );
    let again = promote(&[1], false).unwrap();
    assert!(again.events[0].learned.iter().all(|one| one.action == LearnedAction::Duplicate));
    let wrong = |seqs: &[u64]| promote(seqs, false).unwrap_err().field;
    for seqs in [&[][..], &[9], &[3], &[1; limits::LEARNINGS_PER_REPORT_MAX + 1]] {
        assert_eq!(wrong(seqs).as_deref(), Some("seq"), "{seqs:?}");
    }
    assert!(shop.end("t-001"));
    assert_eq!(promote(&[1], false).unwrap_err().kind, ErrorKind::Conflict);
}

/// Returns the stored form, because `Debug` hides texts.
fn stored(noun: &impl serde::Serialize) -> String {
    serde_json::to_string(noun).unwrap()
}

#[test]
fn a92_no_kind_of_secret_is_kept_in_events_records_and_episodes() {
    for (number, sample) in (1..).zip(secrets()) {
        let shop = Workshop::new();
        let (kind, at) = (sample.kind, number);
        let check = |what: &str, kept: &str| {
            // In JSON form too.
            assert!(!kept.contains(&sample.secret), "{kind} in {what}: {kept}");
            assert!(kept.contains(&format!("[REDACTED:{kind}]")), "{kind} in {what}: {kept}");
        };
        let description = sample.said.clone();
        let new = TaskCreate { description, ..task("t-001") };
        let created = shop.create(new).unwrap();
        check("a task", &created.task.description);
        shop.append("t-001", vec![said(at, SessionItemKind::Message, &sample.said)]).unwrap();
        check("a session", shop.read("t-001")[0].1.as_deref().unwrap());
        check("the events", &stored(&shop.payloads("t-001")));
        let state = serde_json::json!({ "env": sample.said }).to_string();
        shop.keep("t-001", &state, 0).unwrap();
        check("a state", &shop.state("t-001").unwrap().0);
        let note = TaskNote { text: format!("Port 5432: {}", sample.said), ..TaskNote::default() };
        let noted = shop.note("t-001", note).unwrap().learned.id.unwrap();
        check("a note", &stored(&shop.record(&noted)));
        let text = Some(sample.said.clone());
        let report = Completion { summary: text.clone(), error_message: text, ..Completion::default() };
        let left = shop.complete("t-001", report).unwrap();
        check("an episode", &stored(&shop.record(&left.episode)));
        let task = shop.get("t-001").unwrap();
        check("an error", task.error_message.as_deref().unwrap());
        assert!(!stored(&task).contains(&sample.secret), "{kind}: {task:?}");
    }
}

#[test]
fn a92_secrets_are_kept_nowhere() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
    shop.append("t-001", vec![said(1, SessionItemKind::Message, &format!("Use {secret} now."))]).unwrap();
    let bash = ToolUse {
        name: secret.clone(),
        status: Some(format!("failed: {secret}")),
        ..tool(2, None).tool.unwrap()
    };
    let used = NewSessionItem { tool: Some(bash), user: Some(secret.clone()), ..tool(2, None) };
    shop.append("t-001", vec![used]).unwrap();
    let items = shop.session("t-001", SessionListing { limit: 100, ..SessionListing::default() });
    assert!(!format!("{items:?}").contains(&secret), "{items:?}");
    let open = shop.read("t-001");
    assert!(open[0].1.as_ref().unwrap().contains("[REDACTED:github_token]"), "{open:?}");
    let events = shop.payloads("t-001");
    assert_eq!(events.len(), 2);
    assert!(!stored(&events).contains(&secret), "{events:?}");
}

#[test]
fn nobody_else_sees_a_session_or_adds_to_it() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.append("t-001", vec![said(1, SessionItemKind::Note, "A note.")]).unwrap();
    let part = |actor: &str| Grant { actor: Some(ActorId::parse(actor).unwrap()), ..Grant::everything() };
    let id = task_id("t-001");
    let stranger = shop.with_grant(&[Capability::Read, Capability::Write], part("acme/other"));
    let reader = shop.with_grant(&[Capability::Read], part(REPO));
    let of_session = Grant { session: Some(SessionId::parse("t-001").unwrap()), ..part(REPO) };
    let agent = shop.with_grant(&[Capability::Read, Capability::Write], of_session);
    let read = |who| {
        let listing = SessionListing { limit: 9, ..SessionListing::default() };
        block_on(shop.engine.coding.session_events(who, &shop.standing, &id, listing)).is_ok()
    };
    assert_eq!((read(&stranger), read(&reader), read(&agent)), (false, true, true));
    let add = |who, seq| {
        let items = vec![said(seq, SessionItemKind::Note, "More.")];
        block_on(shop.engine.coding.session_append(who, &shop.standing, &id, items))
            .map_err(|error| error.kind)
    };
    assert_eq!(add(&stranger, 2).unwrap_err(), ErrorKind::NotFound);
    assert_eq!(add(&reader, 2).unwrap_err(), ErrorKind::NotFound);
    assert_eq!(add(&agent, 2).unwrap().accepted, 1);
    let keep = |who| {
        let state = Document::parse("1").unwrap();
        block_on(shop.engine.coding.session_state_put(who, &shop.standing, &id, state, 0)).is_ok()
    };
    assert_eq!((keep(&stranger), keep(&reader), keep(&agent)), (false, false, true));
    let state = |who| block_on(shop.engine.coding.session_state(who, &shop.standing, &id)).is_ok();
    assert_eq!((state(&stranger), state(&reader), state(&agent)), (false, false, true), "the agent's own");
    let end = |who| block_on(shop.engine.coding.session_end_of_task(who, &shop.standing, &id)).is_ok();
    assert_eq!((end(&stranger), end(&reader), end(&agent)), (false, false, true));
    shop.forget();
    shop.create(task("t-001")).unwrap();
    assert_eq!(shop.read("t-001"), Vec::new(), "forgotten with its actor");
}

#[test]
fn reports_that_cannot_be_right_are_refused_whole() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let one = |seq| said(seq, SessionItemKind::Note, "A note.");
    let field = |items: Vec<NewSessionItem>| shop.append("t-001", items).unwrap_err().field.unwrap();
    assert_eq!(field(Vec::new()), "events");
    let most = u64::try_from(limits::SESSION_EVENTS_PER_CALL_MAX).unwrap();
    assert_eq!(field((0..=most).map(one).collect()), "events");
    assert_eq!(field(vec![one(1), NewSessionItem { content: None, ..one(2) }]), "events[1].content");
    assert_eq!(
        field(vec![NewSessionItem { commit: Some("abc".to_owned()), ..one(1) }]),
        "events[0].commit_sha"
    );
    assert_eq!(shop.read("t-001"), Vec::new());
    assert_eq!(shop.append("t-001", (1..=most).map(one).collect()).unwrap().last_seq, Some(most));
    assert_eq!(shop.append("t-009", vec![one(1)]).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_session_is_no_learning_by_itself() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.append("t-001", vec![said(1, SessionItemKind::Message, "I am Ann and I love `make gen`.")]).unwrap();
    shop.note("t-001", TaskNote { text: "**Cart:** at most 50 items.".into(), ..TaskNote::default() })
        .unwrap();
    shop.complete("t-001", Completion { status: Some(TaskStatus::Completed), ..Completion::default() })
        .unwrap();
    shop.work();
    assert_eq!((shop.knowledge().len(), shop.episodes().len()), (1, 1));
}
