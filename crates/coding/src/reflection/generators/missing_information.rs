//! Information that agents lacked, among the tasks that reported self-feedback.

use super::super::evidence::{MissingInformation, TaskEvidence, TaskPattern};

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    let counted = |lacked: &MissingInformation| {
        let said = (
            format!("lacked/{}", lacked.id),
            format!("Agents lacked: {}", lacked.text),
            "said that it was lacking".to_owned(),
        );
        let of = ground.told().filter(|work| work.has_feedback);
        TaskPattern::counted(said, of, |work| lacked.tasks.contains(work.task.as_str()))
    };
    ground.lacked.iter().map(counted).filter(|found| !found.hits.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::evidence::EndedTask;
    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn of_those_who_said_anything() {
        let told = |number| EndedTask { has_feedback: true, ..work(number, &[]) };
        let tasks = ["t-001", "t-002", "t-009"].map(str::to_owned).into();
        let lacked =
            vec![MissingInformation { id: "theme_1".to_owned(), text: "A database.".to_owned(), tasks }];
        let works = vec![told(1), told(2), told(3), work(4, &[])];
        assert_eq!(
            counts(&found(&TaskEvidence { works, lacked, ..TaskEvidence::default() })),
            [("lacked/theme_1", 2, 3)]
        );
    }
}
