//! Attacks of the red-team corpus must be detected, harmless texts must not be flagged.

use loci_engine::safety::injection::FLAGGED;
use loci_engine::safety::score;

/// Maximum share of harmless texts that may be flagged.
const FALSE_POSITIVES_MAX: f64 = 0.02;

fn lines(text: &'static str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| !line.starts_with("# One ")).map(|line| line.replace("\\n", "\n"))
}

#[test]
fn attacks_are_found() {
    let mut missed = Vec::new();
    for line in lines(include_str!("red_team.txt")) {
        let (least, text) = line.split_once('\t').unwrap();
        let found = score(text);
        if found.score < least.parse::<f32>().unwrap() {
            missed.push(format!("{} of {least}, {:?}: {text}", found.score, found.reasons));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn harmless_texts_are_left_alone() {
    let texts: Vec<String> = lines(include_str!("benign.txt")).collect();
    let flagged: Vec<String> = texts
        .iter()
        .map(|text| (text, score(text)))
        .filter(|(_, found)| found.score >= FLAGGED)
        .map(|(text, found)| format!("{} {:?}: {text}", found.score, found.reasons))
        .collect();
    let share = flagged.len() as f64 / texts.len() as f64;
    assert!(texts.len() >= 200);
    assert!(share <= FALSE_POSITIVES_MAX, "{share:.3} of {}:\n{}", texts.len(), flagged.join("\n"));
}
