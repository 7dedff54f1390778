//! How an earlier task ended, and whether an agent may follow it (coding-agent-memory.md §10). Pure; nothing is graded here.

use loci_model::task::TaskStatus;

use super::candidate::Candidate;
use crate::strategies::episode_form::Episode;

/// How an earlier task ended, as far as an agent may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarity {
    /// It worked.
    Positive,
    /// It did not.
    Negative,
    /// Neither is known.
    Neutral,
}

/// What is said of a task whose agent left nothing else.
const UNKNOWN: &str = "unknown";

impl Polarity {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
        }
    }

    /// By the grade of a task; `None` for one that says nothing of how good it was.
    fn of_grade(outcome: &str) -> Option<Self> {
        match outcome {
            "merged" | "merged_as_is" | "merged_after_rounds" | "merged_with_human_commits" => {
                Some(Self::Positive)
            }
            "closed_unmerged" | "abandoned" | "reverted" | "failed" => Some(Self::Negative),
            "closed_superseded" => Some(Self::Neutral),
            // `no_pr`, and words of others.
            _ => None,
        }
    }

    fn of_status(status: &str) -> Self {
        match TaskStatus::parse(status) {
            Some(TaskStatus::Completed) => Self::Positive,
            Some(TaskStatus::Failed | TaskStatus::TimedOut) => Self::Negative,
            Some(_) | None => Self::Neutral,
        }
    }
}

/// How the task of an episode ended: its grade where it has one, else its status, else how the conversation reads.
pub fn outcome_of(candidate: &Candidate) -> (String, Polarity) {
    let status = candidate.text("status");
    let by_status = status.map(Polarity::of_status);
    if let Some(outcome) = candidate.text("outcome") {
        let polarity = Polarity::of_grade(outcome).or(by_status).unwrap_or(Polarity::Neutral);
        return (outcome.to_owned(), polarity);
    }
    if let (Some(status), Some(polarity)) = (status, by_status) {
        return (status.to_owned(), polarity);
    }
    let told: Option<Episode> = serde_json::from_str(&candidate.record.text).ok();
    match told.map(|episode| episode.assessment).as_deref() {
        Some("success") => ("success".to_owned(), Polarity::Positive),
        Some("failure") => ("failure".to_owned(), Polarity::Negative),
        Some(_) | None => (UNKNOWN.to_owned(), Polarity::Neutral),
    }
}
