//! Pairs of statements of which the newer certainly ends the older, has another scope, or may
//! contradict it.

use std::sync::Arc;

use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use loci_coding::{Hydrated, LearnedAction};
use loci_engine::{EngineParts, EngineSettings};
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::record::RecordState;
use loci_model::record::conflict::ConflictState;
use loci_model::{RecordId, Result};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};

use super::workshop::{REPO, Workshop, task_id};

/// An embedder with cosine 0.42 for different texts.
struct Likeness;

impl Embedder for Likeness {
    fn dimensions(&self) -> usize {
        64
    }

    fn model_id(&self) -> &str {
        "likeness"
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        let vector = |text: &String| {
            let sum: usize = text.bytes().map(usize::from).sum();
            let own = 1 + sum % 63;
            let part = |place: usize| match place {
                0 => 0.42_f32.sqrt(),
                place if place == own => 0.58_f32.sqrt(),
                _ => 0.0,
            };
            (0..64).map(part).collect()
        };
        Box::pin(std::future::ready(Ok(texts.iter().map(vector).collect())))
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        let made = self.embed(vec![text]);
        Box::pin(async move { Ok(QuestionVector { vector: made.await?.remove(0), shortened: false }) })
    }
}

fn workshop(embeds: bool) -> Workshop {
    let mut shop = Workshop::new();
    if embeds {
        let (store, clock) = (shop.world.store(), Arc::new(shop.world.clock()));
        let ids = Arc::new(SeededIds::new(9));
        let parts = EngineParts::quiet(store, Some(Arc::new(Likeness)), clock, ids, Arc::new(OpenVault));
        let parts = EngineParts { code: Some(Arc::new(shop.shelf.clone())), ..parts };
        shop.engine = Loci::new(parts, EngineSettings::default());
    }
    shop
}

/// Stores both statements as notes of two tasks. Returns the result of the second.
fn noted(shop: &Workshop, old: (&str, &str), new: (&str, &str)) -> (LearnedAction, RecordId, RecordId) {
    let learned = [("t-001", old), ("t-002", new)].map(|(task, (scope, text))| {
        shop.begun(task);
        shop.world.clock().advance_ms(1_000);
        let scope = (!scope.is_empty()).then(|| scope.to_owned());
        shop.note(task, TaskNote { text: text.to_owned(), scope, ..TaskNote::default() }).unwrap().learned
    });
    let action = learned[1].action;
    let id = |at: usize| learned[at].id.clone().unwrap();
    (action, id(0), id(1))
}

fn hydrated(shop: &Workshop, query: &str) -> Hydrated {
    shop.begun("t-009");
    shop.world.clock().advance_ms(1_000);
    let paths = vec!["src/legacy/a.ts".to_owned(), "src/v2/b.ts".to_owned()];
    let asked = Hydration { query: Some(query.to_owned()), paths, ..Hydration::default() };
    block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-009"), asked)).unwrap()
}

fn conflicts(shop: &Workshop) -> usize {
    let (state, place) = (ConflictState::Open, (None, 100));
    block_on(shop.engine.coding.conflicts_list(&shop.caller, &shop.standing, REPO, state, place))
        .unwrap()
        .items
        .len()
}

#[test]
fn a75_a_move_ends_the_choice_of_one_scope() {
    for embeds in [false, true] {
        let shop = workshop(embeds);
        let (old, new) = ("the team uses Jest for testing", "the team migrated to Vitest");
        let (action, jest, vitest) = noted(&shop, ("", old), ("", new));
        assert_eq!(action, LearnedAction::Superseded, "embeds: {embeds}");
        let record = shop.record(&jest);
        assert_eq!((record.state, record.superseded_by), (RecordState::Superseded, Some(vitest)));
        let block = hydrated(&shop, "testing of the team").plan.block;
        assert!(block.contains(new) && !block.contains(old), "{block}");
        assert_eq!(conflicts(&shop), 0);
    }
}

#[test]
fn a76_other_scopes_coexist() {
    let shop = workshop(true);
    let legacy = ("/src/legacy/", "Use Redux for state management");
    let (action, redux, context) = noted(&shop, legacy, ("/src/v2/", "Use React Context"));
    assert_eq!(action, LearnedAction::Added);
    let states = [redux, context].map(|id| shop.record(&id).state);
    assert_eq!((states, conflicts(&shop)), ([RecordState::Active; 2], 0));
    let block = hydrated(&shop, "Use Redux or React Context for state management").plan.block;
    for text in [legacy.1, "Use React Context", "for src/legacy/**", "for src/v2/**"] {
        assert!(block.contains(text), "{text}: {block}");
    }
    // The same move in another scope ends nothing.
    let shop = workshop(true);
    let (old, new) = ("the team uses Jest for testing", "the team migrated to Vitest");
    let (action, jest, _) = noted(&shop, ("/src/legacy/", old), ("/src/v2/", new));
    assert_eq!((action, shop.record(&jest).state), (LearnedAction::Added, RecordState::Active));
}

#[test]
fn what_is_uncertain_is_shown_as_a_conflict() {
    let check = |old: &str, new: &str, expect: LearnedAction| {
        let shop = workshop(true);
        let (action, one, other) = noted(&shop, ("", old), ("", new));
        assert_eq!(action, expect, "{old} | {new}");
        let states = [one, other].map(|id| shop.record(&id).state);
        assert_eq!(states, [RecordState::Active; 2], "{old} | {new}");
        let is_conflict = expect == LearnedAction::Conflict;
        assert_eq!(conflicts(&shop), usize::from(is_conflict), "{old} | {new}");
        let block = hydrated(&shop, &format!("{old}, {new}")).plan.block;
        let flagged = block.matches("another memory says otherwise").count();
        assert_eq!(flagged, if is_conflict { 2 } else { 0 }, "{block}");
    };
    check("Use Redux for state management", "Use React Context", LearnedAction::Conflict);
    check("The team uses Jest for testing.", "The team migrated to Mocha.", LearnedAction::Conflict);
    check("The team uses Jest for testing.", "The platform group migrated to Mocha.", LearnedAction::Added);
    check("Use Redux", "Use Prettier", LearnedAction::Added);
}
