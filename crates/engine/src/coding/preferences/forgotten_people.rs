//! People who were forgotten, as an import meets them: each name in a task, an entry of the ledger or a rule
//! is looked up, and taken out where its person was forgotten after the line was written.

use std::collections::BTreeSet;

use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::record::{Record, RecordKind};
use loci_model::task::Task;
use loci_model::{ActorId, Document, Result, Timestamp};

use super::people::login_of;
use super::pseudonym::{Erased, NamedPerson, names_in_metadata, names_in_value};

/// When a person was forgotten, and what stands for them.
pub(crate) type ForgottenPerson = (Timestamp, String);

/// What names people.
pub(crate) enum Naming<'a> {
    Task(&'a mut Task),
    Entry(&'a mut LedgerEntry),
    Rule(&'a mut Record),
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It names nobody who was forgotten.
    Nobody,
    /// It names them no more.
    Names,
    /// It was kept under their name: all of it goes.
    Whole,
}

impl Naming<'_> {
    /// Takes people out who were forgotten since.
    ///
    /// # Errors
    /// What `look_up` says; a bug, where an entry is damaged.
    pub(crate) fn take_forgotten(
        self,
        mut look_up: impl FnMut(&ActorId) -> Result<Option<ForgottenPerson>>,
    ) -> Result<Taken> {
        let mut names = BTreeSet::new();
        let written = match &self {
            Self::Task(task) => {
                names.extend(task.user.clone().map(NamedPerson::Login));
                names.extend(task.user_id.clone().map(NamedPerson::Number));
                task.created_at
            }
            Self::Entry(entry) => {
                names_in_value(&entry.body.value()?, &mut names);
                let key = entry.key.rsplit(['/', ':']).next().unwrap_or(&entry.key);
                if entry.shelf == Shelf::Person {
                    names.extend([NamedPerson::Login(key.to_owned()), NamedPerson::Number(key.to_owned())]);
                }
                entry.at
            }
            Self::Rule(record) if record.kind == RecordKind::Rule => {
                names_in_metadata(&record.metadata, &mut names);
                record.created_at
            }
            Self::Rule(_) => return Ok(Taken::Nobody),
        };
        let mut erased = Vec::new();
        for name in names {
            let Some(actor) = actor_of(&name) else { continue };
            if let Some((_, pseudonym)) = look_up(&actor)?.filter(|(at, _)| written <= *at) {
                erased.push(Erased::of_name(&name, &pseudonym));
            }
        }
        self.without(&erased)
    }

    fn without(self, erased: &[Erased]) -> Result<Taken> {
        let mut is_any = false;
        match self {
            Self::Task(task) => {
                for one in erased {
                    is_any |= one.take_from_task(task);
                }
            }
            Self::Rule(record) => {
                for one in erased {
                    is_any |= one.take_from_metadata(&mut record.metadata);
                }
            }
            Self::Entry(entry) => {
                if entry.shelf == Shelf::Person && erased.iter().any(|one| one.is_key(&entry.key)) {
                    return Ok(Taken::Whole);
                }
                let mut value = entry.body.value()?;
                for one in erased {
                    is_any |= one.take_from_value(&mut value);
                }
                if is_any {
                    entry.body = Document::from_value(&value)?;
                }
            }
        }
        Ok(if is_any { Taken::Names } else { Taken::Nobody })
    }
}

/// The actor as whom a person is forgotten.
fn actor_of(name: &NamedPerson) -> Option<ActorId> {
    match name {
        NamedPerson::Login(login) => login_of(login),
        NamedPerson::Number(number) => ActorId::parse(format!("user:{number}")).ok(),
    }
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit::task_samples;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn people_are_taken_out_up_to_the_time_they_were_forgotten() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let check = |shelf: Shelf, key: &str, body: Value, (written, expect, after): (i64, Taken, Value)| {
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
            let taken = Naming::Entry(&mut entry).take_forgotten(look_up).unwrap();
            assert_eq!((taken, entry.body.value().unwrap()), (expect, after), "{body}");
        };
        let review = json!({"author": {"id": 7, "login": "Carol"}, "body": "As @carol said to @alice."});
        let gone = json!({"author": {"id": 0, "login": "erased-1"}, "body": "As @erased-1 said to @alice."});
        check(Shelf::Review, "r1", review.clone(), (100, Taken::Names, gone));
        check(Shelf::Review, "r1", review.clone(), (101, Taken::Nobody, review));
        let renamed = json!({"author": {"id": 7, "login": "caz"}});
        let gone = json!({"author": {"id": 0, "login": "erased-1"}});
        check(Shelf::Review, "r1", renamed, (1, Taken::Names, gone));
        let other = json!({"by": "alice", "reviewers": ["bob"], "title": "carol"});
        check(Shelf::Outcome, "o1", other.clone(), (1, Taken::Nobody, other));
        let list = json!({"reviewers": ["bob", "carol"]});
        check(Shelf::Review, "r1", list, (1, Taken::Names, json!({"reviewers": ["bob", "erased-1"]})));
        check(Shelf::Person, "login:carol", json!({}), (1, Taken::Whole, json!({})));
        check(Shelf::Person, "id:7", json!({}), (1, Taken::Whole, json!({})));
        check(Shelf::Person, "login:alice", json!({}), (1, Taken::Nobody, json!({})));
    }
}
