//! Feedback of principals on a record: useful or wrong. A verdict is a row of the record's history
//! whose state does not change. Only this module writes and parses the words of that row.
//!
//! The engine applies the effects of verdicts.

use crate::record::RecordState;
use crate::record::telemetry::StateChange;
use crate::words::closed_words;

/// The word that such a row begins with.
const WORD: &str = "feedback";

/// The pattern (`LIKE`) of the reasons of such rows. They are erased with their record, because
/// people wrote them and may have quoted it.
pub const ROWS_LIKE: &str = "feedback: %";

closed_words! {
    /// A verdict on a record.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    FeedbackVerdict {
        /// The record helped.
        Useful = "useful",
        /// The record is wrong.
        Wrong = "wrong",
    }
}

/// Returns the reason of the row that stores a verdict: `feedback: wrong`, or `feedback: wrong: `
/// and the caller's reason.
pub fn told(verdict: FeedbackVerdict, reason: Option<&str>) -> String {
    let verdict = verdict.as_str();
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{WORD}: {verdict}: {reason}"),
        None => format!("{WORD}: {verdict}"),
    }
}

/// Returns the verdict that a row stores; `None` for a change of state, and for any other note.
pub fn verdict_of(row: &StateChange) -> Option<FeedbackVerdict> {
    let stays = row.from == Some(row.to) && row.to != RecordState::Erased;
    let said = row.reason.strip_prefix(WORD).filter(|_| stays)?.strip_prefix(": ")?;
    let verdict = said.split_once(": ").map_or(said, |(verdict, _)| verdict);
    FeedbackVerdict::parse(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryId, RecordId, Timestamp};

    fn row(from: Option<RecordState>, to: RecordState, reason: &str) -> StateChange {
        StateChange {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            record: RecordId::of_uuid(7),
            version: 1,
            from,
            to,
            reason: reason.to_owned(),
            by: "ann".to_owned(),
            at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn what_is_told_is_read() {
        let active = RecordState::Active;
        for verdict in FeedbackVerdict::ALL {
            for reason in [None, Some(""), Some("it moved: to Piran"), Some("feedback: useful")] {
                let told = told(*verdict, reason);
                assert_eq!(verdict_of(&row(Some(active), active, &told)), Some(*verdict), "{told}");
            }
        }
    }

    #[test]
    fn other_rows_are_none() {
        use RecordState::{Active, Erased, Quarantined};
        let check = |from, to, reason: &str| assert_eq!(verdict_of(&row(from, to, reason)), None, "{reason}");
        check(None, Active, "feedback: wrong");
        check(Some(Active), Quarantined, "feedback: wrong");
        check(Some(Erased), Erased, "feedback: wrong");
        check(Some(Active), Active, "feedback: wronger");
        check(Some(Active), Active, "feedback:wrong");
        check(Some(Active), Active, "said again: feedback: wrong");
        check(Some(Active), Active, "feedback");
    }
}
