//! The outcome of an earlier task, and its polarity: an example to follow, to avoid, or neither.
//! Pure; no grading happens here.

use loci_engine::strategies::episodes::episode_form::Episode;
use loci_model::tasks::outcome::{OutcomeGrade, Polarity};
use loci_model::tasks::task::TaskStatus;

use super::super::outcomes::grades;
use super::candidate::Candidate;

/// The outcome of a task without any other information.
const UNKNOWN: &str = "unknown";

/// Returns the polarity of a grade. `None` for a grade without a polarity.
fn of_grade(outcome: &str) -> Option<Polarity> {
    match OutcomeGrade::parse(outcome) {
        Some(grade) => grades::polarity_of(grade),
        // Words that other systems use.
        None => match outcome {
            "merged" => Some(Polarity::Positive),
            "failed" => Some(Polarity::Negative),
            _ => None,
        },
    }
}

fn of_status(status: &str) -> Polarity {
    TaskStatus::parse(status).map_or(Polarity::Neutral, grades::polarity_of_status)
}

/// Returns the outcome of an episode's task: its grade if it has one, else its status, else the
/// assessment of the conversation.
pub fn outcome_of(candidate: &Candidate) -> (String, Polarity) {
    let status = candidate.text("status");
    let by_status = status.map(of_status);
    if let Some(outcome) = candidate.text("outcome") {
        let polarity = of_grade(outcome).or(by_status).unwrap_or(Polarity::Neutral);
        return (outcome.to_owned(), polarity);
    }
    if let (Some(status), Some(polarity)) = (status, by_status) {
        return (status.to_owned(), polarity);
    }
    let told: Option<Episode> = loci_json::from_str(&candidate.record.text).ok();
    match told.map(|episode| episode.assessment).as_deref() {
        Some("success") => ("success".to_owned(), Polarity::Positive),
        Some("failure") => ("failure".to_owned(), Polarity::Negative),
        Some(_) | None => (UNKNOWN.to_owned(), Polarity::Neutral),
    }
}
