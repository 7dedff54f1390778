//! The demo is a user's first impression: each question finds its answer, without key, network or
//! folder.

use crate::program::Home;

#[test]
fn every_question_finds_its_answer_among_the_best_five() {
    let home = Home::new();
    let report = home.json(&["demo"]);
    let asked = report["questions"].as_array().unwrap();
    assert_eq!(asked.len(), 10);
    for question in asked {
        let place = question["place"].as_u64();
        assert!(place.is_some_and(|place| place <= 5), "{}: {place:?}", question["question"]);
        let hit = &question["hits"][0];
        assert!(hit["explanation"].as_array().is_some_and(|signals| !signals.is_empty()));
    }
    assert_eq!(report["turns"], 377);
    let verdicts: Vec<&str> = report["code"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["served", "served", "withheld"]);
    assert!(!home.path("data").exists(), "the demo keeps to a folder of its own");
}
