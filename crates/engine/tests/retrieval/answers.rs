//! Order, explanation, degradations, warnings, budget and threshold of a response.

use futures::future::join_all;
use loci_engine::retrieval::signals::SIGNALS;
use loci_model::ErrorKind;
use loci_model::warning::{Degradation, Warning};
use loci_testkit_ports::{HashEmbedder, block_on};

use super::fixture::{World, day, texts};

const FACTS: [(&str, &str); 4] = [
    ("/a/", "The red lighthouse serves soup on Sundays"),
    ("/a/", "The harbour choir sings on Fridays"),
    ("/a/", "My sister planted tulips by the garden wall"),
    ("/a/", "The old boat was sold to a man from Bergen"),
];

#[test]
fn the_obvious_is_found_and_the_sum_is_shown() {
    let world = World::with(&FACTS);
    let request =
        loci_engine::retrieval::SearchRequest { explain: true, ..world.request("Who bought the old boat?") };
    let answer = world.ask(request).unwrap();
    assert_eq!(texts(&answer.hits)[0], FACTS[3].1);
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score && a.relevance >= b.relevance));
    let best = &answer.hits[0];
    assert_eq!(best.explanation.len(), SIGNALS.len());
    let sum: f32 = best.explanation.iter().map(|term| term.contribution).sum();
    assert!((sum - best.score).abs() < 1e-4);
    assert!(best.explanation.iter().any(|term| term.name == "dense" && term.value > 0.0));
    assert_eq!(answer.statistics.terms, ["bought", "old", "boat"]);
    assert_eq!((answer.statistics.turns, answer.statistics.passages_in_scope), (4, 4));
    assert_eq!((answer.notices.degraded, answer.notices.warnings), (vec![], vec![]));
}

#[test]
fn top_k_is_kept_and_the_same_question_gives_the_same_answer() {
    let world = World::with(&FACTS);
    let mut request = world.request("the lighthouse, the choir, the boat");
    request.top_k = 2;
    let first = world.ask(request.clone()).unwrap();
    assert_eq!(first.hits.len(), 2);
    request.top_k = 10;
    let longer = world.ask(request).unwrap();
    assert_eq!(texts(&longer.hits)[..2], texts(&first.hits)[..]);
}

#[test]
fn without_the_model_words_alone_answer() {
    let world = World::with(&FACTS);
    let with = world.ask(world.request("the old boat")).unwrap();
    world.silence();
    let without = world.ask(world.request("the old boat")).unwrap();
    assert_eq!(without.notices.degraded, [Degradation::EmbeddingUnavailable]);
    assert_eq!(texts(&without.hits)[0], FACTS[3].1);
    // The offset replaces the missing terms: relevance falls less than the score does.
    let logit = |relevance: f32| (relevance / (1.0 - relevance)).ln();
    let (score, relevance) = (without.hits[0].score, without.hits[0].relevance);
    assert!((logit(relevance) - (0.662 * (score + 3.3) - 4.94)).abs() < 1e-3);
    let (score, relevance) = (with.hits[0].score, with.hits[0].relevance);
    assert!((logit(relevance) - (0.662 * score - 4.94)).abs() < 1e-3);
}

#[test]
fn what_waits_is_said() {
    let world = World::new();
    world.write(&FACTS[..1]);
    let answer = world.ask(world.request("the red lighthouse")).unwrap();
    assert_eq!(answer.notices.degraded, [Degradation::EmbeddingPending]);
    assert_eq!(texts(&answer.hits), [FACTS[0].1]);
    world.say("The lighthouse closes in winter");
    let answer = world.ask(world.request("the red lighthouse")).unwrap();
    assert_eq!(answer.notices.degraded, [Degradation::ExtractionPending, Degradation::EmbeddingPending]);
}

#[test]
fn a_long_question_is_shortened_to_its_rarest_terms() {
    let world = World::with(&FACTS);
    let padding: String = (0..200).map(|number| format!("padding{number} ")).collect();
    let answer = world.ask(world.request(&format!("{padding} the old boat {padding}"))).unwrap();
    assert_eq!(answer.notices.warnings, [Warning::QueryShortened]);
    assert_eq!(answer.statistics.terms.len(), 64);
    assert!(answer.statistics.terms.iter().any(|term| term == "boat"), "{:?}", answer.statistics.terms);
    assert_eq!(texts(&answer.hits)[0], FACTS[3].1);
    let long = "boat ".repeat(2_001);
    let answer = world.ask(world.request(&long)).unwrap();
    assert_eq!(answer.notices.warnings, [Warning::QueryShortened]);
}

#[test]
fn vectors_made_meanwhile_or_far_away_and_many_questions_at_once_answer_alike() {
    let world = World::with(&FACTS);
    let usual = world.ask(world.request("Who sold the boat?")).unwrap();
    let ask = || world.engine.search(&world.caller, world.request("Who sold the boat?"));
    // More than the number of search threads.
    let answers = block_on(join_all((0..64).map(|_| ask())));
    world.go_far();
    for answer in answers.into_iter().chain([block_on(ask())]) {
        let answer = answer.unwrap();
        assert_eq!((answer.hits, answer.notices), (usual.hits.clone(), usual.notices.clone()));
    }
    world.silence();
    let (far, near) = (block_on(ask()).unwrap(), World::with(&FACTS));
    near.silence();
    let near = near.ask(near.request("Who sold the boat?")).unwrap();
    assert_eq!(texts(&far.hits), texts(&near.hits));
    assert_eq!(
        (far.notices.clone(), far.notices.degraded),
        (near.notices, vec![Degradation::EmbeddingUnavailable])
    );
}

#[test]
fn a_budget_leaves_out_what_does_not_fit() {
    let world = World::with(&[
        ("/a/", "boat one"),
        ("/a/", "the boat is a very long and very tedious story that goes on and on and fits nowhere"),
        ("/a/", "boat three"),
    ]);
    let mut request = world.request("boat");
    assert_eq!(world.ask(request.clone()).unwrap().hits.len(), 3);
    request.budget_tokens = Some(5);
    let answer = world.ask(request.clone()).unwrap();
    let mut kept = texts(&answer.hits);
    kept.sort_unstable();
    assert_eq!(kept, ["boat one", "boat three"]);
    assert_eq!(answer.notices.warnings, [Warning::BudgetReached]);
    request.budget_tokens = Some(0);
    assert!(world.ask(request.clone()).unwrap().hits.is_empty());
    request.budget_tokens = Some(1_000);
    assert!(world.ask(request).unwrap().notices.warnings.is_empty());
}

#[test]
fn a_threshold_cuts_the_list() {
    let world = World::with(&FACTS);
    let all = world.ask(world.request("the old boat")).unwrap();
    let mut request = world.request("the old boat");
    request.relevance_min = Some(all.hits[0].relevance);
    assert_eq!(texts(&world.ask(request.clone()).unwrap().hits), [FACTS[3].1]);
    request.relevance_min = Some(1.0);
    assert!(world.ask(request).unwrap().hits.is_empty());
}

#[test]
fn equal_texts_stand_newest_first() {
    let world = World::with(&[("/a/", "boat"), ("/b/", "boat"), ("/c/", "boat")]);
    let answer = world.ask(world.request("boat")).unwrap();
    assert!(answer.hits.is_sorted_by(|a, b| a.record.timestamp > b.record.timestamp));
    assert_eq!(answer.hits.len(), 3);
}

#[test]
fn a_relative_date_is_read_by_the_clock_of_the_request() {
    let world = World::with(&FACTS);
    let written = world.engine.now();
    world.clock.advance_ms(7 * 86_400_000);
    let mut request = world.request("What about the boat 7 days ago?");
    request.explain = true;
    let answer = world.ask(request).unwrap();
    let date = answer.hits[0].explanation.iter().find(|term| term.name == "date").unwrap();
    assert!((date.value - (-2.0f32 / 7.0).exp()).abs() < 1e-5, "{} {written:?}", date.value);
    assert!(day("2020-01-01") < written);
}

#[test]
fn what_is_refused() {
    let world = World::new();
    let kind = |request| world.ask(request).unwrap_err().kind;
    assert_eq!(kind(world.request(" ")), ErrorKind::Invalid);
    let mut request = world.request("x");
    request.top_k = 101;
    assert_eq!(kind(request), ErrorKind::Invalid);
    let mut request = world.request("x");
    request.memory = loci_model::MemoryId::parse("other-0123456789").unwrap();
    assert_eq!(kind(request), ErrorKind::NotFound);
}

#[test]
fn while_vectors_are_made_anew_each_record_is_found_by_its_own() {
    let mut world = World::with(&FACTS);
    let new = HashEmbedder::new(64);
    world.change_embedder(HashEmbedder::new(64));
    // Returns the number of records with a cosine to the query, and the degradations.
    let compared = |world: &World| {
        let request =
            loci_engine::retrieval::SearchRequest { explain: true, ..world.request("the old boat") };
        let answer = world.ask(request).unwrap();
        assert_eq!(texts(&answer.hits)[0], FACTS[3].1);
        let dense = |hit: &&loci_engine::retrieval::Hit| {
            hit.explanation.iter().any(|term| term.name == "dense" && term.value != 0.0)
        };
        (answer.hits.iter().filter(dense).count(), answer.notices.degraded)
    };
    let pending = vec![Degradation::EmbeddingPending];
    let before = compared(&world);
    assert!(before.0 > 0, "all by the model before");
    assert_eq!(before.1, pending);
    world.embed_by(&new, 2);
    let between = compared(&world);
    assert!(between.0 > 0);
    assert_eq!(between.1, pending);
    world.embed_by(&new, 1000);
    world.silence();
    let after = compared(&world);
    assert!(after.0 > 0 && after.1.is_empty(), "the model before is not asked any more: {after:?}");
}

#[test]
fn an_embedder_before_that_does_not_answer_leaves_words() {
    let mut world = World::with(&FACTS);
    world.change_embedder(HashEmbedder::new(64));
    world.silence();
    let answer = world.ask(world.request("the old boat")).unwrap();
    assert_eq!(answer.notices.degraded, [Degradation::EmbeddingPending]);
    assert_eq!(texts(&answer.hits)[0], FACTS[3].1);
}
