//! The grade of a task. A merge alone is not sufficient, because people rewrite merged changes or
//! revert them the next day. Pure: equal facts have equal grades.

use loci_model::Timestamp;
use loci_model::tasks::outcome::{OutcomeFacts, OutcomeGrade, Polarity};
use loci_model::tasks::task::TaskStatus;

/// The time without activity after which a pull request counts as abandoned, in milliseconds.
pub(crate) const ABANDONED_AFTER_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

const AS_IS: f64 = 1.0;
const AFTER_ROUNDS: f64 = 0.9;
const PER_ROUND: f64 = 0.15;
const AFTER_ROUNDS_MIN: f64 = 0.3;
const WITH_HUMAN_COMMITS: f64 = 0.4;
const UNMERGED: f64 = -0.6;
const ABANDONED: f64 = -0.3;
const REVERTED: f64 = -1.0;
/// The value of a completed task without a pull request: the lowest value of a merged one. Its
/// negative counterpart equals the value of an abandoned pull request (decision 0141).
const ENDED_WELL: f64 = 0.3;
const ENDED_BADLY: f64 = -0.3;

/// A grade with its value and polarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GradedOutcome {
    /// The grade; `None` if undecided.
    pub(crate) grade: Option<OutcomeGrade>,
    /// The value, -1 to 1.
    pub(crate) value: f64,
    /// The polarity: an example to follow, to avoid, or neither.
    pub(crate) polarity: Polarity,
}

/// Grades the facts. A grade set by hand counts until the forge reports a new state, except that a
/// revert always counts.
pub(crate) fn grade(
    facts: &OutcomeFacts,
    by_hand: Option<OutcomeGrade>,
    status: TaskStatus,
    now: Timestamp,
) -> GradedOutcome {
    let was_merged = facts.merged_at.is_some() || by_hand.is_some_and(is_merged);
    let grade = match (was_merged && facts.reverted_by.is_some(), by_hand) {
        (true, _) => Some(OutcomeGrade::Reverted),
        (false, Some(set)) => Some(set),
        (false, None) => by_facts(facts, status, now),
    };
    let Some(grade) = grade else { return GradedOutcome { grade, value: 0.0, polarity: Polarity::Neutral } };
    let polarity = polarity_of(grade).unwrap_or_else(|| polarity_of_status(status));
    GradedOutcome { grade: Some(grade), value: value(grade, facts, status), polarity }
}

fn by_facts(facts: &OutcomeFacts, status: TaskStatus, now: Timestamp) -> Option<OutcomeGrade> {
    if facts.merged_at.is_some() {
        // Rewriting precedes rounds: the merged change differs from the agent's.
        return Some(match (facts.human_commits.unwrap_or(0), facts.revision_count) {
            (1.., _) => OutcomeGrade::MergedWithHumanCommits,
            (0, 1..) => OutcomeGrade::MergedAfterRounds,
            (0, 0) => OutcomeGrade::MergedAsIs,
        });
    }
    match facts.is_open {
        Some(true) => {
            let given_up = now.plus_millis(-ABANDONED_AFTER_MS);
            facts.active_at.filter(|at| *at <= given_up).map(|_| OutcomeGrade::Abandoned)
        }
        Some(false) if facts.superseded_by.is_some() => Some(OutcomeGrade::ClosedSuperseded),
        Some(false) => Some(OutcomeGrade::ClosedUnmerged),
        None => (facts.pr.is_none() && status.is_terminal()).then_some(OutcomeGrade::NoPr),
    }
}

/// True for a merged grade, with or without rounds and human commits.
pub(crate) fn is_merged(grade: OutcomeGrade) -> bool {
    match grade {
        OutcomeGrade::MergedAsIs | OutcomeGrade::MergedAfterRounds | OutcomeGrade::MergedWithHumanCommits => {
            true
        }
        OutcomeGrade::ClosedUnmerged
        | OutcomeGrade::ClosedSuperseded
        | OutcomeGrade::Abandoned
        | OutcomeGrade::Reverted
        | OutcomeGrade::NoPr => false,
    }
}

fn value(grade: OutcomeGrade, facts: &OutcomeFacts, status: TaskStatus) -> f64 {
    match grade {
        OutcomeGrade::MergedAsIs => AS_IS,
        OutcomeGrade::MergedAfterRounds => after(facts.revision_count),
        OutcomeGrade::MergedWithHumanCommits => WITH_HUMAN_COMMITS,
        OutcomeGrade::ClosedUnmerged => UNMERGED,
        OutcomeGrade::ClosedSuperseded => 0.0,
        OutcomeGrade::Abandoned => ABANDONED,
        OutcomeGrade::Reverted => REVERTED,
        OutcomeGrade::NoPr => match polarity_of_status(status) {
            Polarity::Positive => ENDED_WELL,
            Polarity::Negative => ENDED_BADLY,
            Polarity::Neutral => 0.0,
        },
    }
}

/// Returns the value after rounds of revision. A grade set by hand without a count has at least
/// one.
fn after(rounds: u32) -> f64 {
    (AFTER_ROUNDS - PER_ROUND * f64::from(rounds.max(1))).max(AFTER_ROUNDS_MIN)
}

/// Returns the polarity of a grade; `None` if the status of the task decides.
pub(crate) fn polarity_of(grade: OutcomeGrade) -> Option<Polarity> {
    match grade {
        OutcomeGrade::MergedAsIs | OutcomeGrade::MergedAfterRounds | OutcomeGrade::MergedWithHumanCommits => {
            Some(Polarity::Positive)
        }
        OutcomeGrade::ClosedUnmerged | OutcomeGrade::Abandoned | OutcomeGrade::Reverted => {
            Some(Polarity::Negative)
        }
        OutcomeGrade::ClosedSuperseded => Some(Polarity::Neutral),
        OutcomeGrade::NoPr => None,
    }
}

/// Returns the polarity of a task's status.
pub(crate) fn polarity_of_status(status: TaskStatus) -> Polarity {
    match status {
        TaskStatus::Completed => Polarity::Positive,
        TaskStatus::Failed | TaskStatus::TimedOut => Polarity::Negative,
        TaskStatus::Accepted
        | TaskStatus::Hydrating
        | TaskStatus::Running
        | TaskStatus::AwaitingApproval
        | TaskStatus::Finalizing
        | TaskStatus::Cancelled => Polarity::Neutral,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::clamped(1_800_000_000_000);

    fn facts() -> OutcomeFacts {
        OutcomeFacts { pr: Some(57), is_open: Some(true), active_at: Some(NOW), ..OutcomeFacts::default() }
    }

    fn merged(rounds: u32, human: u32) -> OutcomeFacts {
        OutcomeFacts {
            is_open: Some(false),
            merged_at: Some(NOW),
            revision_count: rounds,
            human_commits: Some(human),
            ..facts()
        }
    }

    fn closed() -> OutcomeFacts {
        OutcomeFacts { is_open: Some(false), closed_at: Some(NOW), ..facts() }
    }

    #[test]
    fn a68_each_grade_has_its_value() {
        use OutcomeGrade as G;
        use Polarity::{Negative, Neutral, Positive};
        use TaskStatus as S;
        let idle = |ms: i64| OutcomeFacts { active_at: Some(NOW.plus_millis(-ms)), ..facts() };
        let none = OutcomeFacts::default();
        let reverted = OutcomeFacts { reverted_by: Some("abc".into()), ..merged(0, 0) };
        let superseded = OutcomeFacts { superseded_by: Some("label:duplicate".into()), ..closed() };
        let unmerged_reverted = OutcomeFacts { reverted_by: Some("abc".into()), ..closed() };
        let day = 24 * 60 * 60 * 1_000;
        let cases = [
            ("as is", merged(0, 0), S::Completed, Some(G::MergedAsIs), 1.0, Positive),
            ("of a failed task", merged(0, 0), S::Failed, Some(G::MergedAsIs), 1.0, Positive),
            ("one round", merged(1, 0), S::Completed, Some(G::MergedAfterRounds), 0.75, Positive),
            ("two", merged(2, 0), S::Completed, Some(G::MergedAfterRounds), 0.6, Positive),
            ("three", merged(3, 0), S::Completed, Some(G::MergedAfterRounds), 0.45, Positive),
            ("four", merged(4, 0), S::Completed, Some(G::MergedAfterRounds), 0.3, Positive),
            ("nine", merged(9, 0), S::Completed, Some(G::MergedAfterRounds), 0.3, Positive),
            ("people", merged(0, 1), S::Completed, Some(G::MergedWithHumanCommits), 0.4, Positive),
            ("both", merged(2, 3), S::Completed, Some(G::MergedWithHumanCommits), 0.4, Positive),
            ("closed", closed(), S::Completed, Some(G::ClosedUnmerged), -0.6, Negative),
            ("superseded", superseded, S::Completed, Some(G::ClosedSuperseded), 0.0, Neutral),
            ("open", facts(), S::Completed, None, 0.0, Neutral),
            ("29 days", idle(29 * day), S::Completed, None, 0.0, Neutral),
            ("30 days", idle(30 * day), S::Completed, Some(G::Abandoned), -0.3, Negative),
            ("reverted", reverted, S::Completed, Some(G::Reverted), -1.0, Negative),
            ("never merged", unmerged_reverted, S::Completed, Some(G::ClosedUnmerged), -0.6, Negative),
            ("no pr", none.clone(), S::Completed, Some(G::NoPr), 0.3, Positive),
            ("no pr, failed", none.clone(), S::Failed, Some(G::NoPr), -0.3, Negative),
            ("no pr, late", none.clone(), S::TimedOut, Some(G::NoPr), -0.3, Negative),
            ("no pr, called off", none.clone(), S::Cancelled, Some(G::NoPr), 0.0, Neutral),
            ("under way", none, S::Running, None, 0.0, Neutral),
        ];
        for (what, facts, status, expect, value, polarity) in cases {
            let graded = grade(&facts, None, status, NOW);
            assert_eq!((graded.grade, graded.polarity), (expect, polarity), "{what}");
            assert!((graded.value - value).abs() < 1e-9, "{what}: {}", graded.value);
        }
    }

    #[test]
    fn what_was_set_by_hand_counts_unless_it_was_taken_back() {
        let set = |facts: &OutcomeFacts, by_hand| {
            grade(facts, Some(by_hand), TaskStatus::Completed, NOW).grade.map(OutcomeGrade::as_str)
        };
        assert_eq!(set(&closed(), OutcomeGrade::MergedAsIs), Some("merged_as_is"));
        let back = OutcomeFacts { reverted_by: Some("#9".into()), ..closed() };
        assert_eq!(set(&back, OutcomeGrade::MergedAsIs), Some("reverted"));
        let rounds = grade(&closed(), Some(OutcomeGrade::MergedAfterRounds), TaskStatus::Completed, NOW);
        assert!((rounds.value - 0.75).abs() < 1e-9, "{rounds:?}");
    }
}
