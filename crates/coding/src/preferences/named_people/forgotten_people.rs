//! Erased people in an import: each name in a line is looked up, and removed if its person was
//! erased after the line was written.

use loci_engine::admin::ExportLine;
use loci_engine::hooks::{ForgottenLookup, ForgottenRemoval};
use loci_model::{ActorId, Result, Timestamp};

use super::person_inventory::NamesPeople;
use super::pseudonym::{ErasedPerson, NamedPerson, PeopleCollector, PersonReplacement, actor_of_address};
use crate::preferences::owner::login_of;

/// A line that may name people.
pub(super) struct NamingLine<'a> {
    pub(super) noun: &'a mut dyn NamesPeople,
    /// The time of the line.
    pub(super) written: Timestamp,
}

/// Returns a line that may name people. `None` for a line that names nobody.
pub(super) fn naming(line: &mut ExportLine) -> Option<NamingLine<'_>> {
    let (written, noun): (Timestamp, &mut dyn NamesPeople) = match line {
        ExportLine::Repository { repository } => (repository.updated_at, &mut **repository),
        ExportLine::Task { task } => (task.created_at, &mut **task),
        ExportLine::Commit { commit } => (commit.reported_at, &mut **commit),
        ExportLine::TaskSession { session } => (session.updated_at, &mut **session),
        ExportLine::SessionItem { item } => (item.reported_at, &mut **item),
        ExportLine::Event { event } => (event.arrived, &mut **event),
        ExportLine::Record { record, .. } => (record.created_at, &mut **record),
        ExportLine::Change { change } => (change.at, change),
        ExportLine::Fact { fact } => (fact.created_at, &mut **fact),
        ExportLine::FactEvent { event } => (event.at, &mut **event),
        ExportLine::Ledger { entry } => (entry.at, &mut **entry),
        _ => return None,
    };
    Some(NamingLine { noun, written })
}

/// Removes people who were erased since a line was written.
///
/// # Errors
/// Errors of `look_up`; a bug, if the line is damaged.
pub(super) fn take_forgotten(
    line: NamingLine<'_>,
    look_up: &mut ForgottenLookup<'_>,
) -> Result<ForgottenRemoval> {
    let mut named = PeopleCollector::default();
    line.noun.visit_people(None, &mut named)?;
    let mut taken = ForgottenRemoval::Nobody;
    for name in named.0 {
        let Some(actor) = actor_of(&name) else { continue };
        let Some((_, pseudonym)) = look_up(&actor)?.filter(|(at, _)| line.written <= *at) else { continue };
        let erased = ErasedPerson::of_name(&name, &pseudonym);
        match line.noun.visit_people(None, &mut PersonReplacement(&erased))? {
            ForgottenRemoval::Nobody => {}
            ForgottenRemoval::Names => taken = ForgottenRemoval::Names,
            ForgottenRemoval::Whole => return Ok(ForgottenRemoval::Whole),
        }
    }
    Ok(taken)
}

/// Returns the actor under which a person is erased.
fn actor_of(name: &NamedPerson) -> Option<ActorId> {
    match name {
        NamedPerson::Login(login) => login_of(login),
        NamedPerson::Number(number) => ActorId::parse(format!("user:{number}")).ok(),
        NamedPerson::Address(address) => actor_of_address(address),
    }
}

#[cfg(test)]
mod tests {
    use loci_model::facts::fact::FactEventKind;
    use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
    use loci_model::tasks::outcome::Outcome;
    use loci_model::tasks::review::Review;
    use loci_model::trees::tree_entry::TreeEntry;
    use loci_model::{Document, MemoryId};
    use loci_testkit_ports::{fact_samples, task_samples};
    use serde_json::{Value, json};

    use super::*;
    use crate::shelves::PEOPLE;

    #[test]
    fn people_are_taken_out_up_to_the_time_they_were_forgotten() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let check = |shelf: Shelf,
                     key: &str,
                     body: Value,
                     (written, expect, after): (i64, ForgottenRemoval, Value)| {
            let mut entry = LedgerEntry {
                shelf,
                key: key.to_owned(),
                at: at(written),
                body: Document::from_value(&body).unwrap(),
                ..task_samples::entry(&memory, 1).unwrap()
            };
            let look_up = |actor: &ActorId| {
                let is_known = ["carol", "user:7"].contains(&actor.as_str());
                Ok(is_known.then(|| (at(100), "erased-1".to_owned())))
            };
            let written = entry.at;
            let taken = take_forgotten(NamingLine { noun: &mut entry, written }, &mut { look_up }).unwrap();
            assert_eq!((taken, entry.body.value().unwrap()), (expect, after), "{body}");
        };
        let review = json!({"author": {"id": 7, "login": "Carol"}, "body": "As @carol said to @alice."});
        let gone = json!({"author": {"id": 0, "login": "erased-1"}, "body": "As @erased-1 said to @alice."});
        check(Review::SHELF, "r1", review.clone(), (100, ForgottenRemoval::Names, gone));
        check(Review::SHELF, "r1", review.clone(), (101, ForgottenRemoval::Nobody, review));
        let renamed = json!({"author": {"id": 7, "login": "caz"}});
        let gone = json!({"author": {"id": 0, "login": "erased-1"}});
        check(Review::SHELF, "r1", renamed, (1, ForgottenRemoval::Names, gone));
        let other = json!({"by": "alice", "reviewers": ["bob"], "title": "carol"});
        check(Outcome::SHELF, "o1", other.clone(), (1, ForgottenRemoval::Nobody, other));
        let list = json!({"reviewers": ["bob", "carol"]});
        check(
            Review::SHELF,
            "r1",
            list,
            (1, ForgottenRemoval::Names, json!({"reviewers": ["bob", "erased-1"]})),
        );
        let (path, key) = ("notes/@carol/a.md", "notes/@carol/a.md");
        let entry =
            json!({"path": path, "key": key, "namespace": "/of/@carol/", "summary": "As @carol said."});
        let gone =
            json!({"path": path, "key": key, "namespace": "/of/@carol/", "summary": "As @erased-1 said."});
        check(TreeEntry::SHELF, "e1", entry, (1, ForgottenRemoval::Names, gone));
        check(PEOPLE, "login:carol", json!({}), (1, ForgottenRemoval::Whole, json!({})));
        check(PEOPLE, "id:7", json!({}), (1, ForgottenRemoval::Whole, json!({})));
        check(PEOPLE, "login:alice", json!({}), (1, ForgottenRemoval::Nobody, json!({})));
    }

    #[test]
    fn a_line_of_what_happened_to_a_fact_may_name_people() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let event = fact_samples::fact_event(&memory, 1, FactEventKind::Created, Some(1)).unwrap();
        let at = event.at;
        let mut line = ExportLine::FactEvent { event: Box::new(event) };
        assert_eq!(naming(&mut line).unwrap().written, at);
    }
}
