//! Requests that reviewers repeat.

use std::collections::BTreeMap;

use super::super::evidence::{EndedTask, TaskEvidence, TaskPattern};

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    // The latest wording wins.
    let asked: BTreeMap<&str, &str> = ground
        .told()
        .flat_map(|work| work.asked.iter().map(|(key, said)| (key.as_str(), said.as_str())))
        .collect();
    let counted = |(key, said): (&str, &str)| {
        let is_asked = |work: &EndedTask| work.asked.iter().any(|(other, _)| other == key);
        let said = (
            format!("comment/{key}"),
            format!("Reviewers ask again and again: {said}"),
            "a reviewer asked for it".to_owned(),
        );
        TaskPattern::counted(said, ground.told().filter(|work| work.is_reviewed), is_asked)
    };
    asked.into_iter().map(counted).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn of_what_was_reviewed() {
        let reviewed = |number, asked: &[(&str, &str)]| EndedTask {
            asked: asked.iter().map(|(key, said)| ((*key).to_owned(), (*said).to_owned())).collect(),
            is_reviewed: true,
            ..work(number, &[])
        };
        let works = vec![
            reviewed(1, &[("k", "Add tests.")]),
            reviewed(2, &[("k", "add tests"), ("k", "add tests")]),
            reviewed(3, &[]),
            work(4, &[]),
            EndedTask { is_minimal: true, ..reviewed(5, &[("k", "Add tests.")]) },
        ];
        let found = found(&TaskEvidence { works, ..TaskEvidence::default() });
        assert_eq!(counts(&found), [("comment/k", 2, 3)]);
        assert_eq!(found[0].text, "Reviewers ask again and again: add tests");
    }
}
