//! The places where nouns name people: one list for each noun, which forgetting a person, their
//! export and imports all go by. A place is an exact one, which holds a person or a list of people,
//! or free text. Pure.
//!
//! Left alone are names of branches, paths and texts of documents and prompts, and code: they are
//! the repository's words.

use std::collections::BTreeMap;

use loci_model::commit::TaskCommit;
use loci_model::delivery::Delivery;
use loci_model::event::{Event, PayloadItem};
use loci_model::fact::{Fact, FactEvent};
use loci_model::idempotency::TokenAnswer;
use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::metadata::{Metadata, MetadataValue};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::repository::Repository;
use loci_model::task::Task;
use loci_model::task_session::{SessionItem, TaskSession};
use loci_model::telemetry::StateChange;
use loci_model::{Document, Result};
use serde_json::Value;

use crate::coding::{DIGEST, digest};

/// Members and keys of metadata that hold a person, or several.
const PEOPLE_KEYS: [&str; 22] = [
    "agent_logins",
    "approved_by",
    "assignee",
    "assignees",
    "author",
    "authors",
    "by",
    "committer",
    "created_by",
    "former_logins",
    "invalidated_by",
    "login",
    "logins",
    "merged_by",
    "pr_author",
    "principal",
    "requested_by",
    "resolved_by",
    "reviewer",
    "reviewers",
    "user",
    "users",
];
/// Those that hold the forge's number of a person.
const NUMBER_KEYS: [&str; 1] = ["user_id"];
/// Members that hold code and where it lies: `@login` there is a word of the repository's.
const CODE_KEYS: [&str; 7] = ["base", "branch", "diff_hunk", "file", "files", "path", "paths"];
/// Members by which entries of the ledger find each other.
const PLACE_KEYS: [&str; 3] = ["derived", "key", "namespace"];
/// Ends of the names of trailers whose values are people, in lower case.
const PEOPLE_TRAILERS: [&str; 4] = ["-by", "author", "committer", "cc"];

/// The outcome for a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It names nobody who is taken out.
    Nobody,
    /// It names them no more.
    Names,
    /// It was kept under their name: all of it goes.
    Whole,
}

/// A visitor of each place where a noun names people.
pub(crate) trait PeopleVisitor {
    /// Returns the replacement of a person, or of a list of people; by the forge's number where it
    /// is known.
    fn person(&mut self, name: &str, number: Option<&str>) -> Option<String>;
    /// Returns the replacement of a free text.
    fn text(&mut self, text: &str) -> Option<String>;
    /// True where what is kept under that name goes.
    fn is_key(&mut self, name: &str) -> bool;
}

/// A noun that may name people.
pub(crate) trait NamesPeople {
    /// Visits each place; `number` is the forge's number of the noun's user, where something else
    /// knows it.
    ///
    /// # Errors
    /// A bug, where a document of it is damaged.
    fn visit_people(&mut self, number: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken>;
}

/// The places of one noun.
struct Places<'v> {
    visitor: &'v mut dyn PeopleVisitor,
    is_any: bool,
    /// Its documents are entries of the ledger.
    is_of_ledger: bool,
}

impl<'v> Places<'v> {
    fn new(visitor: &'v mut dyn PeopleVisitor) -> Self {
        Self { visitor, is_any: false, is_of_ledger: false }
    }

    fn end(self) -> Result<Taken> {
        Ok(if self.is_any { Taken::Names } else { Taken::Nobody })
    }

    /// Returns the replacement of a person.
    fn new_person(&mut self, name: &str, number: Option<&str>) -> Option<String> {
        let new = self.visitor.person(name, number);
        self.is_any |= new.is_some();
        new
    }

    fn person<'a>(&mut self, names: impl IntoIterator<Item = &'a mut String>, number: Option<&str>) {
        for name in names {
            if let Some(new) = self.new_person(name, number) {
                *name = new;
            }
        }
    }

    /// Returns the replacement of a free text.
    fn new_text(&mut self, text: &str) -> Option<String> {
        let new = self.visitor.text(text);
        self.is_any |= new.is_some();
        new
    }

    fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            if let Some(new) = self.new_text(text) {
                *text = new;
            }
        }
    }

    /// A document; of one that is too deep for a value the words are looked at, in their JSON form.
    fn document(&mut self, document: &mut Document) -> Result<()> {
        match document.value() {
            Ok(mut value) => {
                if self.value("", &mut value) {
                    *document = Document::from_value(&value)?;
                }
            }
            Err(_) => {
                if let Some(new) = self.visitor.text(document.as_str()) {
                    *document = Document::parse(&new)?;
                    self.is_any = true;
                }
            }
        }
        Ok(())
    }

    /// A JSON value under a key; true where it was changed.
    fn value(&mut self, key: &str, value: &mut Value) -> bool {
        match value {
            Value::Object(members) => {
                let is_account = members.get("login").is_some_and(Value::is_string);
                let mut is_any = is_account && self.account(members);
                for (key, value) in members.iter_mut() {
                    if !(is_account && key == "login") {
                        is_any |= self.value(key, value);
                    }
                }
                is_any
            }
            Value::Array(items) => {
                let mut is_any = false;
                for item in items {
                    is_any |= self.value(key, item);
                }
                is_any
            }
            Value::String(text) => match self.word(key, text) {
                Some(new) => {
                    *text = new;
                    true
                }
                None => false,
            },
            Value::Number(number) if NUMBER_KEYS.contains(&key) => {
                let is_theirs = self.new_person("", Some(&number.to_string())).is_some();
                if is_theirs {
                    *value = Value::from(0);
                }
                is_theirs
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Returns the replacement of a text under a key.
    fn word(&mut self, key: &str, text: &str) -> Option<String> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && NUMBER_KEYS.contains(&key) {
            return self.new_person("", Some(text));
        }
        let is_exact = PEOPLE_KEYS.contains(&key) || NUMBER_KEYS.contains(&key);
        let exact = is_exact.then(|| self.new_person(text, None)).flatten();
        let is_left = CODE_KEYS.contains(&key) || (self.is_of_ledger && PLACE_KEYS.contains(&key));
        if exact.is_some() || is_left { exact } else { self.new_text(text) }
    }

    /// An account of a forge, by number and login.
    fn account(&mut self, members: &mut serde_json::Map<String, Value>) -> bool {
        let id = members.get("id").and_then(Value::as_u64).filter(|id| *id != 0).map(|id| id.to_string());
        let login = members.get("login").and_then(Value::as_str).unwrap_or_default();
        let Some(new) = self.new_person(login, id.as_deref()) else { return false };
        members.insert("login".to_owned(), Value::String(new));
        members.entry("id").and_modify(|id| *id = Value::from(0));
        true
    }

    fn metadata(&mut self, metadata: &mut Metadata) {
        for (key, value) in metadata.iter_mut() {
            let texts = match value {
                MetadataValue::String(text) => std::slice::from_mut(text),
                MetadataValue::StringList(texts) => texts.as_mut_slice(),
                MetadataValue::Number(_) | MetadataValue::DateTime(_) => continue,
            };
            for text in texts {
                if let Some(new) = self.word(key, text) {
                    *text = new;
                }
            }
        }
    }
}

impl NamesPeople for Task {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        let user = self.user.clone().unwrap_or_default();
        if let Some(new) = places.new_person(&user, self.user_id.as_deref()) {
            self.user = Some(new);
            self.user_id = None;
            self.requester_proof = None;
        }
        places.texts([&mut self.description]);
        places.texts(&mut self.error_message);
        places.texts(self.feedback.harmful.values_mut());
        if let Some(alert) = &mut self.security_alert {
            places.person([&mut alert.by], None);
            places.texts([&mut alert.reason]);
        }
        places.end()
    }
}

impl NamesPeople for TaskCommit {
    fn visit_people(&mut self, number: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.person(&mut self.user, number);
        places.person(&mut self.author, None);
        places.texts(&mut self.author);
        for (name, value) in &mut self.trailers {
            let name = name.to_lowercase();
            if PEOPLE_TRAILERS.iter().any(|end| name.ends_with(end)) {
                places.person([&mut *value], None);
            }
            places.texts([value]);
        }
        places.end()
    }
}

impl NamesPeople for SessionItem {
    fn visit_people(&mut self, number: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.person(&mut self.user, number);
        places.texts(&mut self.text);
        places.end()
    }
}

impl NamesPeople for TaskSession {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        let told = &mut self.told;
        places.texts(&mut told.summary);
        places.texts(&mut told.approach);
        places.texts(&mut told.error_message);
        places.texts(&mut told.difficulties);
        if let Some(state) = &mut self.state {
            places.document(state)?;
        }
        places.end()
    }
}

impl NamesPeople for Repository {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        let reviews = &mut self.settings.reviews;
        places.person(reviews.agent_logins.iter_mut().flatten(), None);
        places.person(reviews.allow_bots.iter_mut().flatten(), None);
        if let Some(weights) = reviews.authority.take() {
            let mut named = BTreeMap::new();
            for (name, weight) in weights {
                let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
                let new = places.new_person(&name, is_number.then_some(name.as_str()));
                named.insert(new.unwrap_or(name), weight);
            }
            reviews.authority = Some(named);
        }
        places.end()
    }
}

impl NamesPeople for LedgerEntry {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        match self.shelf {
            // The person's own settings, by which their other names are known until the end.
            Shelf::PreferenceUser => return Ok(Taken::Nobody),
            Shelf::Person | Shelf::RepositoryRole => {
                let name = self.key.rsplit(['/', ':']).next().unwrap_or(&self.key);
                if visitor.is_key(name) {
                    return Ok(Taken::Whole);
                }
            }
            _ => {}
        }
        let mut places = Places { is_of_ledger: true, ..Places::new(visitor) };
        places.document(&mut self.body)?;
        places.end()
    }
}

impl NamesPeople for Event {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        for item in &mut self.payload {
            match item {
                PayloadItem::Conversational { text, .. } => places.texts([text]),
                PayloadItem::Blob(document) | PayloadItem::Json(document) => places.document(document)?,
            }
        }
        for (key, value) in &mut self.metadata {
            if let Some(new) = places.word(key, value) {
                *value = new;
            }
        }
        places.end()
    }
}

impl NamesPeople for Delivery {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.document(&mut self.body)?;
        places.texts(&mut self.last_error);
        places.end()
    }
}

impl NamesPeople for TokenAnswer {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.document(&mut self.answer)?;
        places.end()
    }
}

impl NamesPeople for Record {
    /// A document is a file of the repository, and a preference is its person's own; what was
    /// deleted waits for its erasure.
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let is_left = matches!(self.kind, RecordKind::Document | RecordKind::Preference);
        if is_left || self.state == RecordState::Erased {
            return Ok(Taken::Nobody);
        }
        let mut places = Places::new(visitor);
        places.metadata(&mut self.metadata);
        if let Some(new) = places.new_text(&self.text) {
            let of_text = |text: &str| MetadataValue::String(digest(text));
            let is_extracted = self.origin == RecordOrigin::Extracted;
            // The digest of a text of Loci's own follows it; one that is of another text shows that
            // still.
            let kept = self.metadata.get_mut(DIGEST);
            if let Some(kept) = kept.filter(|kept| is_extracted && **kept == of_text(&self.text)) {
                *kept = of_text(&new);
            }
            self.text = new;
        }
        for text in [&mut self.title, &mut self.description, &mut self.index_text, &mut self.state_reason] {
            places.texts(text);
        }
        places.end()
    }
}

impl NamesPeople for StateChange {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.person([&mut self.by], None);
        places.texts([&mut self.reason]);
        places.end()
    }
}

impl NamesPeople for Fact {
    /// Citations are code.
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        let detail = &mut self.detail;
        places.person(&mut detail.source.created_by, None);
        places.person([&mut detail.source.principal], None);
        places.person(detail.last_verified.iter_mut().map(|last| &mut last.by), None);
        places.person(detail.invalidated.iter_mut().map(|(by, _)| by), None);
        places.end()
    }
}

impl NamesPeople for FactEvent {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<Taken> {
        let mut places = Places::new(visitor);
        places.person([&mut self.principal], None);
        if let Some(details) = &mut self.details {
            places.document(details)?;
        }
        places.end()
    }
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit::task_samples;
    use serde_json::json;

    use super::super::pseudonym::{Collecting, Erased, NamedPerson, Taking};
    use super::*;

    fn alice(user_id: Option<&str>) -> Erased {
        let names = ["alice".to_owned(), "a.lee@example.com".to_owned()];
        let number = NamedPerson::Number(user_id.unwrap_or_default().to_owned());
        let login = NamedPerson::Login("alice".to_owned());
        Erased::of_name(if user_id.is_some() { &number } else { &login }, "erased-1").with_names(names)
    }

    #[test]
    fn a_person_is_taken_out_of_values() {
        let check = |user_id: Option<&str>, before: Value, after: Value| {
            let mut value = before.clone();
            let erased = alice(user_id);
            let is_any = Places::new(&mut Taking(&erased)).value("", &mut value);
            assert_eq!((is_any, &value), (before != after, &after), "{before}");
        };
        let author = json!({"author": {"id": 7, "login": "Alice"}, "body": "As @alice said, @alicex too."});
        let gone =
            json!({"author": {"id": 0, "login": "erased-1"}, "body": "As @erased-1 said, @alicex too."});
        check(Some("7"), author.clone(), gone.clone());
        check(None, author, gone);
        let namesake = json!({"author": {"id": 8, "login": "alice"}});
        check(Some("7"), namesake.clone(), namesake);
        check(
            Some("7"),
            json!({"by": "alice", "title": "alice", "labels": ["alice"]}),
            json!({"by": "erased-1", "title": "alice", "labels": ["alice"]}),
        );
        check(Some("7"), json!({"reviewers": ["bob", "alice"]}), json!({"reviewers": ["bob", "erased-1"]}));
        check(
            Some("7"),
            json!({"user_id": 7, "x": {"user_id": "7"}}),
            json!({"user_id": 0, "x": {"user_id": "erased-1"}}),
        );
        check(None, json!({"body": "mail A.Lee@example.com"}), json!({"body": "mail erased-1"}));
        check(None, json!({"body": "alice"}), json!({"body": "alice"}));
        let lines = json!({"diff_hunk": "+@alice\n", "path": "a/@alice.rs"});
        check(Some("7"), lines.clone(), lines);
        let code = json!({"files": ["@alice"], "branch": "x/@alice"});
        check(Some("7"), code.clone(), code);
    }

    #[test]
    fn a_commit_names_its_people_in_each_of_its_places() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let mut commit = task_samples::commit(&memory, 1).unwrap();
        commit.user = Some("Alice".to_owned());
        commit.author = Some("Alice Lee <a.lee@example.com>".to_owned());
        let trailers = [
            ("Co-authored-by", "Bob <b@x.org>,Alice Lee <A.Lee@example.com>"),
            ("Reviewed-by", "alice"),
            ("Task-Id", "alice"),
            ("Note", "for @alice"),
        ];
        commit.trailers =
            trailers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut collecting = Collecting::default();
        assert_eq!(commit.visit_people(Some("7"), &mut collecting).unwrap(), Taken::Nobody);
        for name in [
            NamedPerson::Login("Alice".to_owned()),
            NamedPerson::Number("7".to_owned()),
            NamedPerson::Address("a.lee@example.com".to_owned()),
        ] {
            assert!(collecting.0.contains(&name), "{name:?}");
        }
        let erased = alice(None);
        assert_eq!(commit.visit_people(None, &mut Taking(&erased)).unwrap(), Taken::Names);
        assert_eq!((commit.user.as_deref(), commit.author.as_deref()), (Some("erased-1"), Some("erased-1")));
        let expect = [
            ("Co-authored-by", "Bob <b@x.org>,erased-1"),
            ("Note", "for @erased-1"),
            ("Reviewed-by", "erased-1"),
            ("Task-Id", "alice"),
        ];
        let found: Vec<(&str, &str)> =
            commit.trailers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expect);
        assert_eq!(commit.visit_people(None, &mut Taking(&erased)).unwrap(), Taken::Nobody);
    }
}
