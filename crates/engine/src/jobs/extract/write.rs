//! The write of a round: one closure that checks the ground it was planned on, then writes records, superseded states,
//! telemetry, vectors and progress. If the ground moved, it changes nothing.

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{PassageVector, RecordPage, StoreExt, SupersedeChange, Tx};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::scope::{RecordScope, StrategyChoice};
use loci_model::telemetry::StateChange;
use loci_model::{JobId, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};

use super::draft::Draft;
use super::round::{Group, Round};
use crate::Engine;
use crate::events::scheduling::extracting;
use crate::records::batch;
use crate::strategies::Joining;
use crate::strategies::preference::stated;

/// Who changes records here, in telemetry.
const BY: &str = "loci";
/// Sources that a record collects by exact repeats; more would say nothing more.
const SOURCES_MAX: usize = 1_000;
/// Preferences of one namespace that a change is compared with.
const RELATED_MAX: usize = 500;

/// Everything the closure needs, made before it.
struct Plan {
    round: Round,
    drafts: Vec<Draft>,
    model: Option<String>,
    embed_job: JobId,
    now: Timestamp,
}

/// Writes a round; false if its ground moved and nothing was written.
pub(super) async fn write(engine: &Engine, round: Round, drafts: Vec<Draft>) -> Result<bool> {
    let now = engine.clock.now();
    let model = engine.embedder.as_ref().map(|embedder| embedder.model_id().to_owned());
    let embed_job = JobId::parse(uuid7(engine.ids.as_ref(), now.millis()))?;
    let plan = Plan { round, drafts, model, embed_job, now };
    engine.store.write(move |tx| plan.write(tx)).await
}

impl Plan {
    fn write(&self, tx: &mut dyn Tx) -> Result<bool> {
        if !self.holds(tx)? {
            return Ok(false);
        }
        let mut written = Vec::new();
        for draft in &self.drafts {
            if let Some(group) = self.round.groups.get(draft.group)
                && self.write_draft(tx, group, draft)?
            {
                written.push(draft);
            }
        }
        self.write_vectors(tx, &written)?;
        self.write_progress(tx)?;
        Ok(true)
    }

    /// True when progress and neighbours are as they were read, and job, memory and strategy are still there: who forgets
    /// an actor cancels the jobs that hold the actor's words.
    fn holds(&self, tx: &mut dyn Tx) -> Result<bool> {
        let Round { place, memory, strategy, .. } = &self.round;
        if tx.jobs().get(&memory.id, &place.job)?.is_none() {
            return Ok(false);
        }
        let current = tx.memories().get(&memory.id)?;
        if current.and_then(|memory| memory.strategy(&strategy.id).cloned()).as_ref() != Some(strategy) {
            return Ok(false);
        }
        let progress = tx.events().progress(&memory.id, &strategy.id, &place.actor, &place.session)?;
        if progress != self.round.progress {
            return Ok(false);
        }
        for group in &self.round.groups {
            let sequence = tx.records().group_sequence(&memory.id, Some(&strategy.id), &group.namespace)?;
            if sequence != group.sequence {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes one draft as its joining says; false if nothing new was written.
    fn write_draft(&self, tx: &mut dyn Tx, group: &Group, draft: &Draft) -> Result<bool> {
        match &draft.joining {
            Joining::InPlace if draft.record.version > 1 => {
                tx.records_mut().put_version(&draft.record)?;
                self.note(tx, &draft.record, Some(RecordState::Active), RecordState::Active, "continued")?;
                return Ok(true);
            }
            Joining::InPlace => {}
            Joining::Duplicates | Joining::Key { .. } | Joining::Add => {
                if self.is_written(tx, draft)? {
                    return Ok(false);
                }
            }
        }
        let old = match &draft.joining {
            Joining::InPlace | Joining::Add => Vec::new(),
            Joining::Duplicates => match self.same_text(tx, group, draft)? {
                Some(first) => return self.add_source(tx, &first, draft).map(|()| false),
                None => self.active(tx, &draft.repeats)?,
            },
            Joining::Key { changed } => match self.same_key(tx, group, draft, *changed)? {
                Keyed::Repeated(first) => return self.add_source(tx, &first, draft).map(|()| false),
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

    /// An extracted record with the same text and role, and equal strict values.
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

    /// Records with the draft's key, and, where the text says that something changed, with a related one.
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

    fn add_source(&self, tx: &mut dyn Tx, first: &Record, draft: &Draft) -> Result<()> {
        if first.provenance.sources.len() >= SOURCES_MAX {
            return Ok(());
        }
        for source in &draft.record.provenance.sources {
            tx.records_mut().add_source(&self.round.memory.id, &first.id, source)?;
        }
        Ok(())
    }

    /// Adds a record that takes the place of older ones. Where one of them tells of a later time, the new one is
    /// history already.
    fn insert(&self, tx: &mut dyn Tx, draft: &Draft, old: Vec<Record>) -> Result<()> {
        let (later, earlier): (Vec<Record>, Vec<Record>) =
            old.into_iter().partition(|old| old.timestamp > draft.record.timestamp);
        let mut record = draft.record.clone();
        if later.is_empty() {
            record.supersedes = earlier.iter().map(|old| old.id.clone()).collect();
        }
        tx.records_mut().insert(&record)?;
        let reason = if draft.hidden { "extracted; hidden characters" } else { "extracted" };
        self.note(tx, &record, None, RecordState::Active, reason)?;
        if let Some(current) = later.into_iter().max_by_key(|old| old.timestamp) {
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
        let change = SupersedeChange {
            by: by.id.clone(),
            reason: reason.to_owned(),
            valid_to: by.valid_from,
            at: self.now,
        };
        if tx.records_mut().supersede(&self.round.memory.id, &old.id, &change)? {
            self.note(tx, old, Some(RecordState::Active), RecordState::Superseded, reason)?;
        }
        Ok(())
    }

    fn note(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        from: Option<RecordState>,
        to: RecordState,
        reason: &str,
    ) -> Result<()> {
        tx.telemetry_mut().append(&StateChange {
            memory: record.memory.clone(),
            record: record.id.clone(),
            version: record.version,
            from,
            to,
            reason: reason.to_owned(),
            by: BY.to_owned(),
            at: self.now,
        })
    }

    /// Vectors of what was written; a job catches up with those that are missing.
    fn write_vectors(&self, tx: &mut dyn Tx, written: &[&Draft]) -> Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        let vectors: Vec<PassageVector> = written
            .iter()
            .filter_map(|draft| {
                Some(PassageVector {
                    record: draft.record.id.clone(),
                    version: draft.record.version,
                    part: 0,
                    model: model.clone(),
                    vector: draft.vector.clone()?,
                })
            })
            .collect();
        if !vectors.is_empty() {
            tx.records_mut().put_vectors(&self.round.memory.id, &vectors)?;
        }
        if vectors.len() < written.len() {
            batch::ask_for_vectors(tx, &self.round.memory.id, &self.embed_job, self.now)?;
        }
        Ok(())
    }

    /// Notes how far the session is read; data that was kept for extraction alone goes when all have read it.
    fn write_progress(&self, tx: &mut dyn Tx) -> Result<()> {
        let Round { place, memory, strategy, reached, progress, has_hidden, unresolved, .. } = &self.round;
        if reached > progress {
            tx.events_mut().set_progress(&memory.id, &strategy.id, &place.actor, &place.session, *reached)?;
        }
        if *has_hidden && unresolved.is_empty() {
            let all: Vec<_> = extracting(memory).map(|strategy| strategy.id.clone()).collect();
            tx.events_mut().drop_ingested(&memory.id, &place.actor, &place.session, &all)?;
        }
        Ok(())
    }
}

/// What a keyed draft meets.
enum Keyed {
    /// The same statement.
    Repeated(Box<Record>),
    /// Other statements under its key; none where it is the first.
    Replaces(Vec<Record>),
}

/// True when two keys are of one family and the words of one are all in the other: "sushi" and "sushi with tuna".
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
