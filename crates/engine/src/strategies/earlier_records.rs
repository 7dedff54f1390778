//! Earlier records of a session that a strategy continues. Nothing is read or written here.

use loci_model::Timestamp;
use loci_model::record::provenance::Source;
use loci_model::record::{Record, RecordKind};

use super::{Candidate, JoinMode};

/// An earlier record of the session, stored or proposed in the same round.
#[derive(Clone, PartialEq, Eq)]
pub struct EarlierRecord {
    /// The kind of the record.
    pub kind: RecordKind,
    /// The subtype of the record.
    pub subtype: Option<String>,
    /// The text of the record.
    pub text: String,
    /// The messages from which the record is derived, oldest first.
    pub sources: Vec<Source>,
    /// The time of the record's newest source.
    pub time: Timestamp,
}

impl std::fmt::Debug for EarlierRecord {
    /// Content is sensitive, so only identifying fields are printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Standing")
            .field("kind", &self.kind)
            .field("subtype", &self.subtype)
            .field("text_bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// Converts records, oldest first; ties by id.
pub fn of_records<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<EarlierRecord> {
    let mut records: Vec<&Record> = records.collect();
    records.sort_by(|left, right| left.timestamp.cmp(&right.timestamp).then_with(|| left.id.cmp(&right.id)));
    let standing = |record: &Record| EarlierRecord {
        kind: record.kind,
        subtype: record.subtype.clone(),
        text: record.text.clone(),
        sources: record.provenance.sources.clone(),
        time: record.timestamp,
    };
    records.into_iter().map(standing).collect()
}

/// Adds candidates just extracted, for the next extraction in the same round.
pub fn take_in(standing: &mut Vec<EarlierRecord>, candidates: &[Candidate]) {
    for candidate in candidates {
        if candidate.joining == JoinMode::InPlace {
            standing.retain(|old| (old.kind, &old.subtype) != (candidate.kind, &candidate.subtype));
        }
        standing.push(EarlierRecord {
            kind: candidate.kind,
            subtype: candidate.subtype.clone(),
            text: candidate.text.clone(),
            sources: candidate.sources.clone(),
            time: candidate.time,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::User;

    #[test]
    fn what_continues_takes_the_place() {
        let turns = talk(&[(User, "one")]);
        let candidate = |text: &str, subtype: &str, joining| Candidate {
            subtype: Some(subtype.to_owned()),
            ..Candidate::of_turn(&turns[0], RecordKind::Summary, text.to_owned(), joining)
        };
        let mut standing = Vec::new();
        take_in(
            &mut standing,
            &[candidate("a", "part", JoinMode::Add), candidate("b", "session", JoinMode::InPlace)],
        );
        take_in(
            &mut standing,
            &[candidate("c", "part", JoinMode::Add), candidate("d", "session", JoinMode::InPlace)],
        );
        let texts: Vec<&str> = standing.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["a", "c", "d"]);
    }
}
