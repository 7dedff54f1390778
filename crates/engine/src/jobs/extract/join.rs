//! Merges drafts with existing records by their joinings. Exact repetitions add a source,
//! near-duplicates and earlier statements with the same key are superseded, and a session's own
//! record gets its next version.
//!
//! This runs inside the write of a round, after the check of its basis. It does not compare by
//! meaning.

use loci_model::ports::store::{Confirmation, RecordPage, Tx};
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::{NamespaceFilter, NamespaceMatch, RecordId, Result};

use super::draft::Draft;
use super::round::Group;
use super::write::RoundWriteInput;
use crate::admin::erasure::{Source, Tombstones, message_name};
use crate::consolidation;
use crate::records::state_transition::StateTransition;
use crate::strategies::JoinMode;
use crate::strategies::preferences::preference::stated;

/// The author of these changes in the state history: the engine itself.
const BY: &str = "loci";
/// The maximum number of preferences in a namespace with which a changed preference is compared.
const RELATED_MAX: usize = 500;

impl RoundWriteInput {
    /// Writes one draft according to the decision of consolidation or, without one, to its joining.
    /// Returns false if nothing new was written.
    pub(super) fn write_draft(&self, tx: &mut dyn Tx, group: &Group, draft: &Draft) -> Result<bool> {
        let continues = draft.joining == JoinMode::InPlace && !draft.is_held();
        if !continues && !draft.is_by_model() && self.is_written(tx, draft)? {
            return Ok(false);
        }
        if draft.record.version == 1 && self.is_deleted(tx, draft)? {
            return Ok(false);
        }
        // A held record supersedes nothing: an attack must not remove true records.
        if draft.is_held() {
            return self.insert(tx, draft, Vec::new()).map(|()| true);
        }
        if let Some(decision) = &draft.decided {
            let memory = &self.round.memory;
            let inserted = consolidation::carry_out(tx, memory, &draft.record, decision, self.now)?;
            return Ok(inserted.is_some());
        }
        let old = match &draft.joining {
            JoinMode::InPlace if draft.record.version > 1 => {
                tx.records_mut().put_version(&draft.record)?;
                self.changing().note(
                    tx,
                    &draft.record,
                    Some(RecordState::Active),
                    RecordState::Active,
                    "continued",
                )?;
                return Ok(true);
            }
            JoinMode::InPlace | JoinMode::Add => Vec::new(),
            JoinMode::Duplicates => match self.same_text(tx, group, draft)? {
                Some(first) => return self.confirm(tx, &first, draft).map(|()| false),
                None => self.active(tx, &draft.repeats)?,
            },
            JoinMode::Key { changed } => match self.same_key(tx, group, draft, *changed)? {
                Keyed::Repeated(first) => return self.confirm(tx, &first, draft).map(|()| false),
                Keyed::Replaces(old) => old,
            },
        };
        self.insert(tx, draft, old)?;
        Ok(true)
    }

    fn is_written(&self, tx: &mut dyn Tx, draft: &Draft) -> Result<bool> {
        let Some(source) = draft.record.provenance.sources.first() else { return Ok(false) };
        Ok(tx.records().by_source(&self.round.memory.id, &self.round.strategy.id, source)?.is_some())
    }

    /// Returns true if a record of the same messages was deleted: its content must not return. A
    /// draft that supersedes an existing record is written.
    fn is_deleted(&self, tx: &dyn Tx, draft: &Draft) -> Result<bool> {
        let (memory, sources) = (&self.round.memory.id, &draft.record.provenance.sources);
        let tombstones = Tombstones { vault: self.vault.as_ref(), memory };
        let strategy = self.round.strategy.id.as_str();
        for source in sources {
            let message = message_name(&source.event, source.message);
            if tombstones.get(tx, &Source::Message { strategy, message: &message })?.is_none() {
                return Ok(false);
            }
        }
        let replaced = tx.records().get_many(memory, &self.leaving.replaces)?;
        let there = replaced.iter().filter(|record| record.state != RecordState::Erased);
        let is_replacing =
            there.flat_map(|record| &record.provenance.sources).any(|one| sources.contains(one));
        Ok(!sources.is_empty() && !is_replacing)
    }

    /// Returns an extracted record with the same text, role and strict values.
    fn same_text(&self, tx: &mut dyn Tx, group: &Group, draft: &Draft) -> Result<Option<Record>> {
        let (memory, strategy) = (&self.round.memory.id, Some(&self.round.strategy.id));
        let found = tx.records().same_text(memory, strategy, &group.namespace, &draft.record.text)?;
        let same = |record: &Record| {
            record.origin == RecordOrigin::Extracted
                && record.kind == draft.record.kind
                && record.provenance.role == draft.record.provenance.role
                && self.round.may_join(record, group)
        };
        Ok(tx.records().get_many(memory, &found)?.into_iter().find(same))
    }

    fn active(&self, tx: &mut dyn Tx, ids: &[RecordId]) -> Result<Vec<Record>> {
        let found = tx.records().get_many(&self.round.memory.id, ids)?;
        Ok(found.into_iter().filter(|record| record.state == RecordState::Active).collect())
    }

    /// Returns records with the draft's key and, if the text states a change, with a related key.
    fn same_key(&self, tx: &mut dyn Tx, group: &Group, draft: &Draft, changed: bool) -> Result<Keyed> {
        let Some(key) = &draft.record.subtype else { return Ok(Keyed::Replaces(Vec::new())) };
        let (memory, strategy) = (&self.round.memory.id, &self.round.strategy.id);
        let mut found = if changed {
            let mut scope = RecordScope::whole(memory.clone(), self.now);
            scope.namespaces = vec![NamespaceFilter::new(&group.namespace, NamespaceMatch::Exact)];
            scope.strategy = Some(StrategyChoice::Of(strategy.clone()));
            scope.kinds = vec![RecordKind::Preference];
            tx.records().list(&RecordPage { scope, after: None, limit: RELATED_MAX })?
        } else {
            tx.records().with_subtype(memory, Some(strategy), &group.namespace, key)?
        };
        found.retain(|record| {
            record.origin == RecordOrigin::Extracted
                && record.provenance.actor == draft.record.provenance.actor
                && self.round.may_join(record, group)
                && record
                    .subtype
                    .as_ref()
                    .is_some_and(|known| known == key || (changed && related(known, key)))
        });
        let said = stated(&draft.record.text);
        match found.iter().position(|record| said.is_some() && stated(&record.text) == said) {
            Some(at) => Ok(Keyed::Repeated(Box::new(found.swap_remove(at)))),
            None => Ok(Keyed::Replaces(found)),
        }
    }

    fn confirm(&self, tx: &mut dyn Tx, first: &Record, draft: &Draft) -> Result<()> {
        let confirmation = Confirmation::of(first, &draft.record, self.now);
        tx.records_mut().confirm(&self.round.memory.id, &first.id, &confirmation)
    }

    /// Adds a record that supersedes older ones. If one of them concerns a later time, that one
    /// supersedes the new record.
    fn insert(&self, tx: &mut dyn Tx, draft: &Draft, old: Vec<Record>) -> Result<()> {
        let told = StatementTime::of(&draft.record);
        let (later, earlier): (Vec<Record>, Vec<Record>) =
            old.into_iter().partition(|old| told.is_before(&StatementTime::of(old)));
        let mut record = draft.record.clone();
        if later.is_empty() {
            record.supersedes = earlier.iter().map(|old| old.id.clone()).collect();
        }
        tx.records_mut().insert(&record)?;
        let reason = if draft.hidden { "extracted; hidden characters" } else { "extracted" };
        self.changing().note(tx, &record, None, record.state, reason)?;
        if let Some(current) = later.into_iter().reduce(latest) {
            return self.supersede(tx, &record, &current);
        }
        earlier.iter().try_for_each(|old| self.supersede(tx, old, &record))
    }

    fn supersede(&self, tx: &mut dyn Tx, old: &Record, by: &Record) -> Result<()> {
        let reason = match by.kind {
            RecordKind::Preference => "a later statement about the same",
            RecordKind::Fact
            | RecordKind::Summary
            | RecordKind::Episode
            | RecordKind::Reflection
            | RecordKind::Rule
            | RecordKind::Investigation
            | RecordKind::Document => "said again",
        };
        self.changing().supersede(tx, old, by, reason).map(drop)
    }

    pub(super) fn changing(&self) -> StateTransition<'_> {
        StateTransition { memory: &self.round.memory, by: BY, at: self.now }
    }
}

/// Returns the record of the later time, or the second one if the times are equal.
fn latest(one: Record, other: Record) -> Record {
    if StatementTime::of(&other).is_before(&StatementTime::of(&one)) { one } else { other }
}

/// The existing records to which a record with a key is related.
enum Keyed {
    /// A record with the same statement.
    Repeated(Box<Record>),
    /// Records with the same key and other statements, which are superseded; empty if there are
    /// none.
    Replaces(Vec<Record>),
}

/// Returns true if two keys belong to one family and one contains all words of the other: "sushi"
/// and "sushi with tuna".
fn related(left: &str, right: &str) -> bool {
    let (Some((left_family, left)), Some((right_family, right))) =
        (left.rsplit_once('/'), right.rsplit_once('/'))
    else {
        return false;
    };
    let within =
        |part: &str, whole: &str| part.split('-').all(|word| whole.split('-').any(|other| other == word));
    left_family == right_family && (within(left, right) || within(right, left))
}

#[cfg(test)]
mod tests {
    use super::related;

    #[test]
    fn related_keys() {
        for (left, right, expect) in [
            ("taste/sushi", "taste/sushi-tuna", true),
            ("taste/sushi-tuna", "taste/sushi", true),
            ("taste/sushi", "taste/pizza", false),
            ("taste/sushi", "allergy/sushi", false),
            ("anna/taste/tea", "bob/taste/tea", false),
            ("diet", "diet", false),
        ] {
            assert_eq!(related(left, right), expect, "{left} {right}");
        }
    }
}
