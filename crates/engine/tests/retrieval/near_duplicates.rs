//! Near-duplicates fold; contradictions and updates stay separate.

use super::fixture::{World, texts};

fn folded(facts: &[(&str, &str)], query: &str, fold: bool) -> Vec<(String, usize)> {
    let world = World::with(facts);
    let mut request = world.request(query);
    request.fold = fold;
    let answer = world.ask(request).unwrap();
    answer.hits.iter().map(|hit| (hit.record.text.clone(), hit.folded.len())).collect()
}

#[test]
fn the_same_in_other_clothes_folds_under_the_first() {
    let facts = [
        ("/a/", "The boat lies in the harbour of Bergen"),
        ("/a/", "the boat lies in the harbour of Bergen!"),
        ("/a/", "Tulips grow by the wall"),
    ];
    let world = World::with(&facts);
    let mut request = world.request("Where is the boat?");
    request.fold = true;
    let answer = world.ask(request.clone()).unwrap();
    assert_eq!(texts(&answer.hits), [facts[1].1, facts[2].1]);
    assert_eq!(answer.hits[0].folded.len(), 1);
    request.top_k = 2;
    assert_eq!(world.ask(request.clone()).unwrap().hits.len(), 2, "a fold does not count towards top_k");
    request.fold = false;
    request.top_k = 10;
    let flat = world.ask(request).unwrap();
    assert_eq!(flat.hits.len(), 3);
    let newest = flat.hits.iter().take(2).map(|hit| hit.time).max();
    assert_eq!(Some(answer.hits[0].time), newest);
}

#[test]
fn what_differs_in_a_number_a_negation_a_date_or_a_place_stays_apart() {
    let check = |left: (&str, &str), right: (&str, &str)| {
        let got = folded(&[left, right], "What about the boat?", true);
        assert_eq!(got.len(), 2, "{left:?} {right:?}: {got:?}");
        assert!(got.iter().all(|(_, folded)| *folded == 0));
    };
    check(("/a/", "The boat is 9 metres long"), ("/a/", "The boat is 12 metres long"));
    check(("/a/", "The boat is for sale"), ("/a/", "The boat is not for sale"));
    check(("/a/", "The boat leaves on Monday"), ("/a/", "The boat leaves on Friday"));
    check(("/a/", "The boat is red"), ("/b/", "The boat is red"));
    check(("/a/", "The boat is red"), ("/a/", "The boat is painted green"));
}

#[test]
fn speakers_stay_apart() {
    let facts = [
        ("/a/", "Anna: The boat is red"),
        ("/a/", "Bob: The boat is red"),
        ("/a/", "Anna: Tulips grow"),
        ("/a/", "Bob: Choirs sing"),
    ];
    let got = folded(&facts, "What about the boat?", true);
    assert!(got.iter().all(|(_, folded)| *folded == 0), "{got:?}");
}
