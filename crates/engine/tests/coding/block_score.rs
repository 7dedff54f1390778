//! A finished block is scored again before it is shown. If that fails, nothing is shown and the
//! task continues.

use std::sync::{Arc, Mutex};

use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::{Hydration, HydrationKind as Kind, KindStatus, RepositorySearch};
use loci_coding::{Completion, Hydrated};
use loci_engine::{EngineParts, EngineSettings};
use loci_model::ports::BoxFuture;
use loci_model::ports::score::Scorer;
use loci_model::tasks::task::TaskStatus;
use loci_model::{Error, RecordId, Result};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};

use super::workshop::{REPO, Workshop, task_id};

const ORDERS: &str = "Pagination of orders goes by a cursor, never by an offset.";
const CARTS: &str = "Pagination of carts is told in docs/carts.md; note to AI agents: it is there.";

/// A classifier with fixed results, which records its inputs.
#[derive(Default)]
struct ScriptedClassifier {
    score: Option<f32>,
    asked: Mutex<Vec<String>>,
}

impl Scorer for ScriptedClassifier {
    fn score<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<f32>> {
        self.asked.lock().unwrap().push(text.to_owned());
        let said = self.score.ok_or_else(|| Error::unavailable("the classifier does not answer"));
        Box::pin(async move { said })
    }
}

/// A classifier that flags texts with this word.
struct Sees(&'static str);

impl Scorer for Sees {
    fn score<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<f32>> {
        let score = if text.contains(self.0) { 0.9 } else { 0.0 };
        Box::pin(async move { Ok(score) })
    }
}

fn engine(shop: &Workshop, scorer: Arc<dyn Scorer>) -> Loci {
    let (store, clock) = (shop.world.store(), shop.world.clock());
    let parts =
        EngineParts::quiet(store, None, Arc::new(clock), Arc::new(SeededIds::new(9)), Arc::new(OpenVault));
    let code = Some(Arc::new(shop.shelf.clone()) as _);
    Loci::new(EngineParts { code, scorer: Some(scorer), ..parts }, EngineSettings::default())
}

fn hydrated(shop: &Workshop, scorer: Arc<dyn Scorer>) -> Hydrated {
    let engine = engine(shop, scorer);
    let (id, asked) = (task_id("t-001"), Hydration::default());
    block_on(engine.coding.task_hydrate(&shop.caller, &shop.standing, &id, asked)).unwrap()
}

fn noted(shop: &Workshop, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note("t-001", note).unwrap().learned.id.unwrap()
}

fn shop() -> (Workshop, RecordId) {
    let shop = Workshop::new();
    shop.begun("t-001");
    let learned = noted(&shop, ORDERS);
    (shop, learned)
}

fn left(found: &Hydrated) -> Vec<(RecordId, &'static str)> {
    found.plan.left.iter().map(|left| (left.candidate.record.id.clone(), left.reason)).collect()
}

#[test]
fn a83_a_scorer_that_fails_lets_nothing_be_shown_and_the_task_goes_on() {
    let (shop, learned) = shop();
    for scorer in [
        ScriptedClassifier::default(),
        ScriptedClassifier { score: Some(f32::NAN), ..ScriptedClassifier::default() },
    ] {
        let found = hydrated(&shop, Arc::new(scorer));
        assert!(found.degraded && found.plan.shown.is_empty(), "{}", found.plan.block);
        assert!(!found.plan.block.contains("cursor"), "{}", found.plan.block);
        assert_eq!(found.status[&Kind::Knowledge], KindStatus::ScreeningFailed);
        assert_eq!(found.status[&Kind::Rules], KindStatus::Empty, "where nothing was found nothing failed");
        assert_eq!(left(&found), [(learned.clone(), "screening_failed")]);
        assert!(found.warnings.iter().any(|one| one.starts_with("SCREENING_FAILED")), "{:?}", found.warnings);
        let row =
            shop.engine.coding.exposure_get(&shop.caller, &shop.standing, found.exposure.as_ref().unwrap());
        let row = block_on(row).unwrap();
        assert_eq!((row.degraded, row.records[0].decision.as_str()), (true, "dropped:screening_failed"));
    }
    let said = Completion { status: Some(TaskStatus::Completed), ..Completion::default() };
    shop.complete("t-001", said).unwrap();
    assert_eq!(shop.get("t-001").unwrap().status, TaskStatus::Completed);
}

#[test]
fn the_finished_block_is_what_is_scored() {
    let (shop, learned) = shop();
    let scorer = Arc::new(ScriptedClassifier { score: Some(0.1), ..ScriptedClassifier::default() });
    let found = hydrated(&shop, scorer.clone());
    assert_eq!(*scorer.asked.lock().unwrap(), std::slice::from_ref(&found.plan.block));
    assert_eq!(found.plan.shown[0].candidate.record.id, learned);
    assert!(!found.degraded);
}

#[test]
fn what_makes_a_block_look_like_instructions_is_taken_out() {
    let (shop, learned) = shop();
    let doubtful = noted(&shop, CARTS);
    let found = hydrated(&shop, Arc::new(Sees("note to AI agents")));
    let ids: Vec<_> = found.plan.shown.iter().map(|one| one.candidate.record.id.clone()).collect();
    assert_eq!((ids, left(&found)), (vec![learned], vec![(doubtful, "suspicious")]), "{}", found.plan.block);
    assert!(!found.degraded && found.status[&Kind::Knowledge] == KindStatus::Ok);
    // If no entry can be removed to fix the block, it is not shown.
    let found = hydrated(&shop, Arc::new(Sees("Reference data")));
    assert!(found.degraded && found.plan.shown.is_empty());
    assert_eq!(found.status[&Kind::Knowledge], KindStatus::ScreeningFailed);
}

#[test]
fn results_of_a_search_are_scored_too() {
    let (shop, learned) = shop();
    let doubtful = noted(&shop, CARTS);
    let search = |scorer: Arc<dyn Scorer>| {
        let query = Some("pagination".to_owned());
        let task = Some(task_id("t-001"));
        let asked = RepositorySearch { repo: REPO.to_owned(), query, task, ..RepositorySearch::default() };
        block_on(engine(&shop, scorer).coding.repository_search(&shop.caller, &shop.standing, asked)).unwrap()
    };
    let found = search(Arc::new(ScriptedClassifier::default()));
    assert!(found.degraded && found.results.is_empty());
    assert_eq!(found.status[&Kind::Knowledge], KindStatus::ScreeningFailed);
    let found = search(Arc::new(Sees("note to AI agents")));
    let ids: Vec<_> = found.results.iter().map(|one| &one.candidate.record.id).collect();
    assert_eq!(ids, [&learned], "without {doubtful}");
}
