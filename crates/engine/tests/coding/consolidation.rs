//! Consolidation of learnings with existing knowledge: duplicate, superseding, coexisting, or left
//! to a person; and learnings on a branch.

use std::sync::{Arc, Mutex};

use loci_api::coding::evaluation::{EvaluationAdd, EvaluationFindingAdd};
use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use loci_coding::settings::OnConflict;
use loci_coding::{CodingSettings, Completion, ConflictDecision, ConflictShown, Hydrated, LearnedAction};
use loci_engine::{EngineParts, EngineSettings};
use loci_model::facts::branch_fact::BranchFact;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::ports::store::{PassageVector, StoreExt};
use loci_model::principal::{Capability, Grant};
use loci_model::record::agreement::Agreement;
use loci_model::record::conflict::ConflictState;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::tasks::evaluation::FailureCategory;
use loci_model::{ActorId, ErrorKind, Namespace, RecordId, Result, Timestamp, limits};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on, samples};

use super::hydration::engine_with;
use super::workshop::{DIRECTORY, REPO, Workshop, task_id};

const JEST: &str = "The project uses Jest for tests.";
const VITEST: &str = "The project uses Vitest for tests.";

/// Stores a note of a task, and returns its result.
fn noted(shop: &Workshop, id: &str, note: TaskNote) -> (LearnedAction, RecordId) {
    let learned = shop.note(id, note).unwrap().learned;
    (learned.action, learned.id.unwrap())
}

fn note(text: &str) -> TaskNote {
    TaskNote { text: text.to_owned(), ..TaskNote::default() }
}

fn seen_at(text: &str, at: Timestamp) -> TaskNote {
    TaskNote { observed_at: Some(at.to_rfc3339()), ..note(text) }
}

fn hydrated(shop: &Workshop, id: &str, asked: Hydration) -> Hydrated {
    shop.world.clock().advance_ms(1_000);
    let asked = Hydration { query: Some("tests of the project, state of components".to_owned()), ..asked };
    block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked)).unwrap()
}

fn shown(found: &Hydrated) -> Vec<RecordId> {
    let mut ids: Vec<_> = found.plan.shown.iter().map(|one| one.candidate.record.id.clone()).collect();
    ids.sort();
    ids
}

fn left(found: &Hydrated, id: &RecordId) -> Option<&'static str> {
    found.plan.left.iter().find(|left| left.candidate.record.id == *id).map(|left| left.reason)
}

fn agreed(shop: &Workshop, id: &RecordId) -> u32 {
    let (memory, key) = (shop.memory(), id.to_string());
    let read = shop.world.store();
    let found = block_on(read.read(move |tx| tx.ledger().noun::<Agreement>(&memory, &key))).unwrap();
    found.map_or(0, |one| one.count())
}

fn conflicts(shop: &Workshop, state: ConflictState) -> Vec<ConflictShown> {
    let place = (None, 100);
    block_on(shop.engine.coding.conflicts_list(&shop.caller, &shop.standing, REPO, state, place))
        .unwrap()
        .items
}

#[test]
fn a75_of_one_scope_the_newest_stands() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (_, jest) = noted(&shop, "t-001", note(JEST));
    shop.begun("t-002");
    let (action, vitest) = noted(&shop, "t-002", note(VITEST));
    assert_eq!(action, LearnedAction::Superseded);
    let old = shop.record(&jest);
    assert_eq!((old.state, old.superseded_by.as_ref()), (RecordState::Superseded, Some(&vitest)));
    assert_eq!(shop.record(&vitest).supersedes, [jest]);
    shop.begun("t-003");
    assert_eq!(shown(&hydrated(&shop, "t-003", Hydration::default())), [vitest]);
}

#[test]
fn a76_other_scopes_stand_beside_each_other_and_say_where() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let of = |text: &str, scope: &str| TaskNote { scope: Some(scope.to_owned()), ..note(text) };
    let (_, redux) = noted(&shop, "t-001", of("State of components is kept in Redux.", "src/legacy"));
    let (action, context) = noted(&shop, "t-001", of("State of components is kept in Context.", "./src/v2/"));
    assert_eq!(action, LearnedAction::Added);
    assert_eq!(shop.record(&context).scope.as_deref(), Some("src/v2/**"));
    shop.begun("t-002");
    let paths = |paths: &[&str]| Hydration {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Hydration::default()
    };
    let found = hydrated(&shop, "t-002", paths(&["src/legacy/a.ts", "src/v2/b.ts"]));
    let mut both = vec![redux, context.clone()];
    both.sort();
    assert_eq!(shown(&found), both);
    for scope in ["for src/legacy/**", "for src/v2/**"] {
        assert!(found.plan.block.contains(scope), "{}", found.plan.block);
    }
    assert_eq!(shown(&hydrated(&shop, "t-002", paths(&["src/v2/b.ts"]))), [context]);
}

#[test]
fn a77_no_text_is_ever_rewritten_and_the_same_counts_once_per_task() {
    let shop = Workshop::new();
    let said = [JEST, "Tests of the project use Jest.", "the project uses Jest for tests"];
    shop.begun("t-001");
    let (_, first) = noted(&shop, "t-001", note(JEST));
    for (number, text) in said.iter().enumerate().skip(1).chain([(2, &said[2])]) {
        let id = format!("t-00{}", number + 1);
        if shop.get(&id).is_err() {
            shop.begun(&id);
        }
        let (action, of) = noted(&shop, &id, note(text));
        assert_eq!((action, &of), (LearnedAction::Duplicate, &first), "{text}");
    }
    assert_eq!((agreed(&shop, &first), shop.record(&first).text.as_str()), (2, JEST));
    assert_eq!(noted(&shop, "t-001", note(JEST)).0, LearnedAction::Duplicate);
    assert_eq!(agreed(&shop, &first), 2, "who said it first agrees with nobody");
    shop.begun("t-009");
    let found = hydrated(&shop, "t-009", Hydration::default());
    let one = &found.plan.shown[0].candidate;
    assert_eq!(one.standing.agreed, 2);
    // The trust is halved, because the note names nothing that can be looked up.
    assert!((one.trust - 0.7 * 0.95 / 2.0).abs() < 1e-3, "{}", one.trust);
    noted(&shop, "t-009", note(VITEST));
    let texts: Vec<String> = shop.knowledge().iter().map(|id| shop.record(id).text).collect();
    assert_eq!(texts, [VITEST]);
}

#[test]
fn one_report_is_compared_with_itself() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let text =
        format!("**Tests:** {JEST}\n\n**Tests:** {VITEST}\n\n**Tests:** Tests of the project use Vitest.");
    let said = Completion { learnings_text: Some(text), ..Completion::default() };
    let left = shop.complete("t-001", said.clone()).unwrap();
    let actions: Vec<_> = left.learnings.iter().map(|one| one.action).collect();
    use LearnedAction as Action;
    assert_eq!(actions, [Action::Added, Action::Superseded, Action::Duplicate], "{left:?}");
    assert_eq!(shop.knowledge().len(), 1);
    assert_eq!(shop.get("t-001").unwrap().written.learnings, 2);
}

/// An embedder with cosine 0 for different texts, and 1 for equal ones.
struct Apart;

impl Embedder for Apart {
    fn dimensions(&self) -> usize {
        64
    }

    fn model_id(&self) -> &str {
        "apart"
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        let vector = |text: &String| {
            let sum: usize = text.bytes().map(usize::from).sum();
            (0..64).map(|place| if place == sum % 64 { 1.0 } else { 0.0 }).collect()
        };
        Box::pin(std::future::ready(Ok(texts.iter().map(vector).collect())))
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        let made = self.embed(vec![text]);
        Box::pin(async move { Ok(QuestionVector { vector: made.await?.remove(0), shortened: false }) })
    }
}

/// An embedder like [`Apart`] that records the texts of each batch.
struct Listening(Apart, Mutex<Vec<Vec<String>>>);

impl Embedder for Listening {
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn model_id(&self) -> &str {
        "listening"
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        self.1.lock().unwrap().push(texts.clone());
        self.0.embed(texts)
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        self.0.embed_question(text)
    }
}

/// Returns a workshop whose engine has an embedder.
fn embedding() -> Workshop {
    embedding_by(Arc::new(Apart))
}

fn embedding_by(embedder: Arc<dyn Embedder>) -> Workshop {
    let mut shop = Workshop::new();
    let (store, clock) = (shop.world.store(), Arc::new(shop.world.clock()));
    let ids = Arc::new(SeededIds::new(9));
    let parts = EngineParts::quiet(store, Some(embedder), clock, ids, Arc::new(OpenVault));
    let parts = EngineParts { code: Some(Arc::new(shop.shelf.clone())), ..parts };
    shop.engine = Loci::new(parts, EngineSettings::default());
    shop
}

#[test]
fn only_learnings_that_may_be_stored_are_embedded() {
    let heard = Arc::new(Listening(Apart, Mutex::default()));
    let shop = embedding_by(heard.clone());
    shop.begun("t-001");
    let calls = || std::mem::take(&mut *heard.1.lock().unwrap());
    let of = |chars: usize| {
        let mut text = "Tests of the shop need a database. ".repeat(chars.div_ceil(30));
        text.truncate(chars - 1);
        text + "."
    };
    let most = limits::LEARNING_CHARS_MAX;
    let too_long = (LearnedAction::Rejected, Some("too_long".to_owned()));

    let learned = shop.note("t-001", note(&of(most + 1))).unwrap().learned;
    assert_eq!((learned.action, learned.reason), too_long);
    let finding = EvaluationFindingAdd {
        category: FailureCategory::MissingVerification.as_str().to_owned(),
        text: of(most + 1),
        scope: None,
        evidence: None,
    };
    let new = EvaluationAdd { task_id: "t-001".to_owned(), findings: vec![finding], prompt_suggestion: None };
    let added = block_on(shop.engine.coding.evaluation_add(&shop.caller, &shop.standing, new)).unwrap();
    let learned = added.learned.into_iter().next().unwrap();
    assert_eq!((learned.action, learned.reason), too_long);
    assert_eq!(calls(), Vec::<Vec<String>>::new());

    let count = limits::LEARNINGS_PER_REPORT_MAX;
    let items = (0..count).map(|number| format!("- Part {number} of the shop is in `part{number}.rs`."));
    let text = format!("- {}\n{}", of(most + 1), items.collect::<Vec<_>>().join("\n"));
    let said = Completion { learnings_text: Some(text), ..Completion::default() };
    let left = shop.complete("t-001", said).unwrap();
    let reasons: Vec<Option<&str>> = left.learnings.iter().map(|one| one.reason.as_deref()).collect();
    assert_eq!((reasons.len(), reasons[0], reasons[count]), (count + 1, Some("too_long"), Some("too_many")));
    assert_eq!(calls().iter().map(Vec::len).max(), Some(count - 1), "neither the first nor the last");

    assert_ne!(shop.note("t-001", note(&of(most))).unwrap().learned.action, LearnedAction::Rejected);
    assert_eq!(calls().first(), Some(&vec![of(most)]));
}

/// Embeds every passage, as the job does.
fn embed_all(shop: &Workshop) {
    let (memory, store) = (shop.memory(), shop.world.store());
    let write = store.write(move |tx| {
        for passage in tx.records().missing_vectors(&memory, None, Apart.model_id(), 100)? {
            let vector = block_on(Apart.embed(vec![passage.text]))?.remove(0);
            let (record, version, part) = (passage.record, passage.version, passage.part);
            let vector = PassageVector { record, version, part, model: Apart.model_id().to_owned(), vector };
            tx.records_mut().put_vectors(&memory, &[vector])?;
        }
        Ok(())
    });
    block_on(write).unwrap();
}

/// The decision on a note uses vectors whether the embedding job ran before or not, and also within
/// one report.
#[test]
fn a_note_is_decided_on_alike_before_and_after_its_neighbours_vectors_are_there() {
    use LearnedAction as Action;
    let decided = |waits: bool| {
        let shop = embedding();
        shop.begun("t-001");
        noted(&shop, "t-001", note(JEST));
        if waits {
            embed_all(&shop);
        }
        shop.begun("t-002");
        noted(&shop, "t-002", note(VITEST)).0
    };
    // By words alone the second note would supersede the first.
    assert_eq!((decided(true), decided(false)), (Action::Added, Action::Added));
    let shop = embedding();
    shop.begun("t-001");
    let text = format!("**Tests:** {JEST}\n\n**Tests:** {VITEST}");
    let left = shop.complete("t-001", Completion { learnings_text: Some(text), ..Completion::default() });
    let actions: Vec<_> = left.unwrap().learnings.iter().map(|one| one.action).collect();
    assert_eq!(actions, [Action::Added, Action::Added]);
}

#[test]
fn a78_an_old_fact_that_is_told_late_does_not_win() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let before = shop.engine.now();
    shop.begun("t-002");
    let (_, vitest) = noted(&shop, "t-002", note(VITEST));
    let (action, jest) = noted(&shop, "t-001", seen_at(JEST, before));
    assert_eq!(action, LearnedAction::Outdated);
    let old = shop.record(&jest);
    assert_eq!(
        (old.state, old.superseded_by, old.timestamp),
        (RecordState::Superseded, Some(vitest.clone()), before)
    );
    assert_eq!(shop.knowledge(), [vitest]);
    // A future time is replaced by the current one.
    let ahead = shop.engine.now().plus_days(30);
    let (_, node) = noted(&shop, "t-001", seen_at("Builds run on Node 20.", ahead));
    assert!(shop.record(&node).timestamp < ahead);
}

/// Stores a record that a client wrote.
fn written(shop: &Workshop) -> RecordId {
    let record = Record {
        kind: RecordKind::Fact,
        namespace: Namespace::parse("/acme/shop/knowledge/").unwrap(),
        strategy: None,
        subtype: None,
        scope: Some("web/**".to_owned()),
        origin: RecordOrigin::BatchCreated,
        timestamp: shop.engine.now(),
        ..samples::record(&shop.memory(), 1, JEST).unwrap()
    };
    let (store, id) = (shop.world.store(), record.id.clone());
    block_on(store.write(move |tx| tx.records_mut().insert(&record).map(drop))).unwrap();
    id
}

#[test]
fn a79_what_is_trusted_less_takes_nobodys_place_and_a_person_decides() {
    let shop = Workshop::new();
    let jest = written(&shop);
    shop.begun("t-001");
    let (action, vitest) = noted(&shop, "t-001", of_web(VITEST));
    assert_eq!(action, LearnedAction::Conflict);
    assert_eq!(shop.record(&jest).state, RecordState::Active);
    let open = conflicts(&shop, ConflictState::Open);
    let conflict = open[0].conflict.clone();
    assert_eq!((open.len(), &conflict.standing, &conflict.against), (1, &jest, &vitest));
    shop.begun("t-002");
    let found = hydrated(&shop, "t-002", about_web());
    let mut both = vec![jest.clone(), vitest.clone()];
    both.sort();
    assert_eq!(shown(&found), both);
    assert_eq!(found.plan.block.matches("another memory says otherwise").count(), 2, "{}", found.plan.block);
    let withhold = CodingSettings { on_conflict: OnConflict::Withhold, ..CodingSettings::default() };
    let engine = engine_with(&shop, withhold, None);
    let asked = Hydration { query: Some("tests of the project".to_owned()), ..about_web() };
    let kept =
        block_on(engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-002"), asked)).unwrap();
    assert_eq!(
        (shown(&kept).len(), left(&kept, &jest), left(&kept, &vitest)),
        (0, Some("conflict"), Some("conflict"))
    );

    let resolve = |caller, decision| {
        let id = conflict.id.as_str();
        block_on(shop.engine.coding.conflict_resolve(caller, &shop.standing, REPO, id, decision))
    };
    let actor = Some(ActorId::parse(REPO).unwrap());
    let agent =
        shop.with_grant(&[Capability::Read, Capability::Write], Grant { actor, ..Grant::everything() });
    let keep = || ConflictDecision::Keep(vitest.clone());
    assert_eq!(resolve(&agent, keep()).unwrap_err().kind, ErrorKind::Denied);
    let other = ConflictDecision::Keep(RecordId::compose("00000000-0000-7000-8000-0000000000ff").unwrap());
    assert_eq!(resolve(&shop.caller, other).unwrap_err().field.as_deref(), Some("keep"));
    resolve(&shop.caller, keep()).unwrap();
    resolve(&shop.caller, keep()).unwrap();
    let error = resolve(&shop.caller, ConflictDecision::KeepBoth).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "it was decided otherwise");
    assert_eq!(shop.record(&jest).superseded_by, Some(vitest.clone()));
    assert!(conflicts(&shop, ConflictState::Open).is_empty());
    assert_eq!(conflicts(&shop, ConflictState::Resolved).len(), 1);
    // A statement that a person selected is trusted, and an agent does not supersede it.
    let found = hydrated(&shop, "t-002", about_web());
    assert!(found.plan.shown[0].candidate.trust > 0.89, "{}", found.plan.shown[0].candidate.trust);
    let (action, _) = noted(&shop, "t-002", of_web(JEST));
    assert_eq!(action, LearnedAction::Conflict);
}

/// Returns a note with a scope, which is not vague.
fn of_web(text: &str) -> TaskNote {
    TaskNote { scope: Some("web/".to_owned()), ..note(text) }
}

fn about_web() -> Hydration {
    Hydration { paths: vec!["web/index.ts".to_owned()], ..Hydration::default() }
}

#[test]
fn both_may_stay() {
    let shop = Workshop::new();
    written(&shop);
    shop.begun("t-001");
    noted(&shop, "t-001", of_web(VITEST));
    let id = conflicts(&shop, ConflictState::Open)[0].conflict.id.clone();
    let both = ConflictDecision::KeepBoth;
    let done =
        block_on(shop.engine.coding.conflict_resolve(&shop.caller, &shop.standing, REPO, &id, both)).unwrap();
    assert_eq!(done.shown.conflict.resolution.unwrap().keep, None);
    assert_eq!(shop.knowledge().len(), 2);
    assert!(conflicts(&shop, ConflictState::Open).is_empty());
}

/// Stores a note of a task whose latest commit is on a separate branch.
fn on_branch(
    shop: &Workshop,
    id: &str,
    text: &str,
) -> (LearnedAction, RecordId, loci_model::facts::code::ObjectId) {
    let mut commit = None;
    shop.shelf
        .change(DIRECTORY, |history| {
            commit = Some(history.commit_aside(&[("README.md", "# Shop\n"), ("src/b.ts", id)]));
        })
        .unwrap();
    let commit = commit.unwrap();
    shop.begun(id);
    let said = Completion {
        commits: vec![commit.to_string()],
        learnings_text: Some(text.to_owned()),
        ..Completion::default()
    };
    let left = shop.complete(id, said).unwrap();
    (left.learnings[0].action, left.learnings[0].id.clone().unwrap(), commit)
}

#[test]
fn a80_what_holds_on_a_branch_is_not_seen_on_main_until_it_is_merged() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (_, jest) = noted(&shop, "t-001", note(JEST));
    let (action, vitest, commit) = on_branch(&shop, "t-002", VITEST);
    assert_eq!(action, LearnedAction::Added, "it takes nobody's place yet");
    assert_eq!(shop.record(&jest).state, RecordState::Active);
    shop.begun("t-003");
    let on_main = hydrated(&shop, "t-003", Hydration::default());
    assert_eq!((shown(&on_main), left(&on_main, &vitest)), (vec![jest.clone()], Some("other_branch")));
    let at = |commit: &str| Hydration { commit: Some(commit.to_owned()), ..Hydration::default() };
    let there = hydrated(&shop, "t-003", at(&commit.to_string()));
    assert_eq!((shown(&there), left(&there, &jest)), (vec![vitest.clone()], Some("replaced_on_branch")));
    let own = hydrated(&shop, "t-002", Hydration::default());
    assert_eq!(shown(&own), std::slice::from_ref(&vitest), "its own task sees it");
    shop.unreadable();
    let blind = hydrated(&shop, "t-003", Hydration::default());
    assert_eq!(left(&blind, &vitest), Some("branch_unknown"));
    assert!(blind.warnings.iter().any(|one| one.starts_with("BRANCHES_UNKNOWN")), "{:?}", blind.warnings);
    shop.readable();

    shop.shelf.change(DIRECTORY, |history| history.merge(commit)).unwrap();
    shop.write("CHANGES.md", "Tests run with another tool.\n");
    shop.world.clock().advance_ms(61_000);
    block_on(shop.engine.sweep()).unwrap();
    shop.work();
    assert_eq!(shop.record(&jest).superseded_by, Some(vitest.clone()), "the branch has come onto main");
    shop.begun("t-004");
    assert_eq!(shown(&hydrated(&shop, "t-004", Hydration::default())), [vitest]);
}

#[test]
fn a80_a_branch_that_comes_in_squashed_is_known_by_its_merge() {
    let shop = Workshop::new();
    let (_, vitest, _) = on_branch(&shop, "t-002", VITEST);
    shop.write("CHANGES.md", "All of it in one commit.\n");
    let merged = shop.shelf.change(DIRECTORY, |history| history.tip().commit()).unwrap().unwrap();
    let patch = loci_api::coding::task::TaskPatch {
        pr: Some(loci_api::coding::task::TaskPullRequest { number: 7, ..Default::default() }),
        merge_commit_sha: Some(merged.to_string()),
        ..loci_api::coding::task::TaskPatch::default()
    };
    shop.patch("t-002", patch).unwrap();
    shop.begun("t-003");
    assert_eq!(shown(&hydrated(&shop, "t-003", Hydration::default())), [vitest]);
}

#[test]
fn what_was_learned_on_a_branch_and_is_told_of_main_holds_there() {
    let shop = Workshop::new();
    let (_, vitest, _) = on_branch(&shop, "t-002", VITEST);
    let (_, other, _) = on_branch(&shop, "t-003", VITEST);
    assert_ne!(vitest, other, "another branch does not see it");
    shop.begun("t-004");
    let (action, known) = noted(&shop, "t-004", note("Tests of the project use Vitest."));
    assert_eq!(action, LearnedAction::Duplicate);
    shop.begun("t-005");
    assert_eq!(shown(&hydrated(&shop, "t-005", Hydration::default())), [known]);
}

/// Merges a commit's branch into the default one, and detects that.
fn merged(shop: &Workshop, commit: loci_model::facts::code::ObjectId) {
    shop.shelf.change(DIRECTORY, |history| history.merge(commit)).unwrap();
    shop.write("CHANGES.md", "Something else.\n");
    shop.world.clock().advance_ms(61_000);
    block_on(shop.engine.sweep()).unwrap();
    shop.work();
}

#[test]
fn a80_a_branch_that_lands_does_not_take_the_place_of_what_a_person_kept() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (_, jest) = noted(&shop, "t-001", note(JEST));
    let (_, vitest, commit) = on_branch(&shop, "t-002", VITEST);
    // Meanwhile a person selects the statement of the default branch.
    let approved = Agreement {
        approved_by: Some("ann".to_owned()),
        ..Agreement::none(shop.memory(), ActorId::parse(REPO).unwrap(), jest.clone(), shop.engine.now())
    };
    let write = shop.world.store();
    block_on(write.write(move |tx| tx.ledger_mut().put_noun(&approved))).unwrap();
    merged(&shop, commit);
    assert_eq!(shop.record(&jest).state, RecordState::Active);
    let open = conflicts(&shop, ConflictState::Open);
    let named: Vec<_> =
        open.iter().map(|one| (one.conflict.standing.clone(), one.conflict.against.clone())).collect();
    assert_eq!(named, [(jest, vitest)], "a person decides");
}

#[test]
fn a80_a_branch_that_lands_is_compared_with_what_came_since() {
    let shop = Workshop::new();
    let (_, vitest, commit) = on_branch(&shop, "t-001", VITEST);
    shop.begun("t-002");
    let (action, jest) = noted(&shop, "t-002", note(JEST));
    assert_eq!(action, LearnedAction::Added);
    merged(&shop, commit);
    let landed = shop.record(&vitest);
    assert_eq!((landed.state, landed.superseded_by), (RecordState::Superseded, Some(jest.clone())));
    assert_eq!(shop.knowledge(), [jest], "the newer one stands");
}

#[test]
fn of_two_branches_that_say_the_same_one_agrees_with_the_other() {
    let shop = Workshop::new();
    let (_, first, one) = on_branch(&shop, "t-001", VITEST);
    let (_, second, other) = on_branch(&shop, "t-002", VITEST);
    assert_ne!(first, second);
    merged(&shop, one);
    merged(&shop, other);
    assert_eq!(shop.knowledge(), std::slice::from_ref(&first));
    assert_eq!((shop.record(&second).superseded_by, agreed(&shop, &first)), (Some(first), 1));
}

#[test]
fn what_is_told_of_main_again_takes_the_place_of_what_main_learned_before() {
    let shop = Workshop::new();
    let (_, vitest, _) = on_branch(&shop, "t-001", VITEST);
    shop.begun("t-002");
    let (_, jest) = noted(&shop, "t-002", note(JEST));
    shop.begun("t-003");
    let (action, known) = noted(&shop, "t-003", note(VITEST));
    assert_eq!((action, &known), (LearnedAction::Duplicate, &vitest));
    assert_eq!(shop.record(&jest).superseded_by, Some(vitest), "it was seen there later");
}

#[test]
fn a80_however_many_branches_there_are_main_is_shown_none_of_them() {
    let shop = Workshop::new();
    let (_, vitest, _) = on_branch(&shop, "t-001", VITEST);
    shop.world.clock().advance_ms(1_000);
    let (memory, at) = (shop.memory(), shop.engine.now());
    let write = shop.world.store();
    block_on(write.write(move |tx| {
        for number in 0..=loci_model::limits::STANDING_LOOKED_AT_MAX {
            tx.ledger_mut().put_noun(&BranchFact {
                memory: memory.clone(),
                actor: ActorId::parse(REPO).unwrap(),
                record: RecordId::compose(&format!("00000000-0000-7000-8000-0000{number:08x}"))?,
                task: task_id("t-001"),
                commit: "a".repeat(40),
                branch: None,
                against: Vec::new(),
                at,
            })?;
        }
        Ok(())
    }))
    .unwrap();
    shop.begun("t-002");
    let found = hydrated(&shop, "t-002", Hydration::default());
    assert_eq!((shown(&found).len(), left(&found, &vitest)), (0, Some("other_branch")));
}
