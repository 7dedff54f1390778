//! Shapes of changes that reviewers accept at once: the number of files, with or without tests.

use super::super::evidence::{EndedTask, TaskEvidence, TaskPattern};

/// The minimum number of tasks of a shape, and the minimum percentage of them that merged at the
/// first review.
const TASKS_MIN: usize = 5;
const HUNDREDTHS_MIN: usize = 80;
/// The maximum number of files of a small change, and of a medium one.
const SMALL: usize = 3;
const MIDDLING: usize = 10;

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    const SHAPES: &[(&str, &str)] = &[
        ("small/tests", "at most 3 files, with tests"),
        ("small/plain", "at most 3 files, without tests"),
        ("middling/tests", "4 to 10 files, with tests"),
        ("middling/plain", "4 to 10 files, without tests"),
        ("large/tests", "more than 10 files, with tests"),
        ("large/plain", "more than 10 files, without tests"),
    ];
    let is_ended = |work: &&EndedTask| work.outcome.as_deref().is_some_and(|outcome| outcome != "no_pr");
    let counted = |(shape, words): &(&str, &str)| {
        let said = (
            format!("shape/{shape}"),
            format!("Changes of {words} are merged at the first review."),
            format!("was merged at the first review, of {words}"),
        );
        let of = ground.told().filter(is_ended).filter(|work| shape_of(work).as_deref() == Some(*shape));
        TaskPattern::counted(said, of, |work| work.outcome.as_deref() == Some("merged_as_is"))
    };
    let is_pattern = |found: &TaskPattern| {
        found.of.len() >= TASKS_MIN && found.hits.len() * 100 >= found.of.len() * HUNDREDTHS_MIN
    };
    SHAPES.iter().map(counted).filter(is_pattern).collect()
}

fn shape_of(work: &EndedTask) -> Option<String> {
    let size = match work.files.len() {
        0 => return None,
        1..=SMALL => "small",
        files if files <= MIDDLING => "middling",
        _ => "large",
    };
    let is_test =
        |file: &String| file.to_lowercase().contains("test") || file.to_lowercase().contains("spec.");
    let tests = if work.files.iter().any(is_test) { "tests" } else { "plain" };
    Some(format!("{size}/{tests}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn four_of_five() {
        let ended = |number, outcome: &str, files: &[&str]| EndedTask {
            outcome: Some(outcome.to_owned()),
            ..work(number, files)
        };
        let small = &["src/a.rs", "tests/a.rs"][..];
        let mut works: Vec<EndedTask> = (1..=4).map(|number| ended(number, "merged_as_is", small)).collect();
        works.push(ended(5, "merged_as_is", &["src/a.rs"]));
        works.push(work(6, small));
        works.push(ended(7, "no_pr", small));
        let of = |works: &[EndedTask]| TaskEvidence { works: works.to_vec(), ..TaskEvidence::default() };
        assert!(found(&of(&works)).is_empty(), "four are no five");
        works.push(ended(8, "merged_after_rounds", small));
        assert_eq!(counts(&found(&of(&works))), [("shape/small/tests", 4, 5)]);
        works.push(ended(9, "closed_unmerged", small));
        assert!(found(&of(&works)).is_empty(), "four of six are less than four of five");
    }
}
