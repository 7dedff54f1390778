//! People in nouns: the names of members, keys and values that hold a person or a list of people,
//! and free text. `person_inventory` lists the places of each noun. Pure.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::admin::erasure::is_number;
use loci_engine::hooks::ForgottenRemoval;
use loci_model::json::tree::JsonTree;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::{Document, Result, limits};
use serde_json::Number;

use super::json_in_text::{JsonPlace, json_places};
use super::people_in_text::{Decision, decision_in};
use super::person_objects::{LOGIN, is_account, numbers_of};

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
/// The member whose person has the adjacent number.
pub(super) const USER: &str = "user";
/// Members and keys that hold the forge's number of a person.
pub(super) const NUMBER_KEYS: [&str; 1] = ["user_id"];
/// Members that hold code and its location, in which `@login` is a word of the repository.
const CODE_KEYS: [&str; 7] = ["base", "branch", "diff_hunk", "file", "files", "path", "paths"];
/// Members by which entries of the ledger refer to each other.
const PLACE_KEYS: [&str; 3] = ["derived", "key", "namespace"];

/// A visitor of each place where a noun names people.
pub(crate) trait PeopleVisitor {
    /// Returns the replacement of a person, or of a list of people; by the forge's number if it is
    /// known.
    fn person(&mut self, name: &str, number: Option<&str>) -> Option<String>;
    /// Returns the replacement of a free text.
    fn text(&mut self, text: &str) -> Option<String>;
    /// True for a name under which everything is removed.
    fn is_key(&mut self, name: &str) -> bool;
}

/// The places of one noun.
pub(super) struct Places<'v> {
    pub(super) visitor: &'v mut dyn PeopleVisitor,
    pub(super) is_any: bool,
    /// True if its documents are entries of the ledger.
    pub(super) is_of_ledger: bool,
    /// True if its documents have a shape of Loci.
    pub(super) is_of_loci: bool,
    /// The nesting depth of JSON texts at the current one.
    pub(super) texts: usize,
}

impl<'v> Places<'v> {
    pub(super) fn new(visitor: &'v mut dyn PeopleVisitor) -> Self {
        Self { visitor, is_any: false, is_of_ledger: false, is_of_loci: false, texts: 0 }
    }

    pub(super) fn end(self) -> Result<ForgottenRemoval> {
        Ok(if self.is_any { ForgottenRemoval::Names } else { ForgottenRemoval::Nobody })
    }

    /// Returns the replacement of a person.
    pub(super) fn new_person(&mut self, name: &str, number: Option<&str>) -> Option<String> {
        let new = self.visitor.person(name, number);
        self.is_any |= new.is_some();
        new
    }

    pub(super) fn person<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a mut String>,
        number: Option<&str>,
    ) {
        for name in names {
            if let Some(new) = self.new_person(name, number) {
                *name = new;
            }
        }
    }

    /// Returns the replacement of a free text. JSON in it names people as a document does.
    pub(super) fn new_text(&mut self, text: &str) -> Option<String> {
        self.text_under("", text)
    }

    /// Returns the replacement of a text under a key. The rules of the key for a list or an object
    /// also apply to one that is stored as text.
    fn text_under(&mut self, key: &str, text: &str) -> Option<String> {
        // The depth is bounded, because nested JSON texts beyond the stack would end the process.
        if self.texts < limits::JSON_TEXTS_MAX {
            let places = json_places(text);
            if !places.is_empty() {
                self.texts += 1;
                let new = self.text_around(key, text, places);
                self.texts -= 1;
                return new;
            }
        }
        self.sentence(text)
    }

    /// Returns the replacement of a text without JSON, which may begin with a decision that Loci
    /// recorded.
    fn sentence(&mut self, text: &str) -> Option<String> {
        let decided = decision_in(text).and_then(|Decision { what, by, behind }| {
            let by = self.visitor.person(by, None)?;
            let behind = self.visitor.text(behind).unwrap_or_else(|| behind.to_owned());
            Some(format!("{what}{by}{behind}"))
        });
        let new = decided.or_else(|| self.visitor.text(text));
        self.is_any |= new.is_some();
        new
    }

    /// Returns the replacement of a text with JSON in it. JSON that names nobody stays byte for
    /// byte.
    fn text_around(&mut self, key: &str, text: &str, places: Vec<JsonPlace>) -> Option<String> {
        let (mut kept, mut end, mut is_any) = (String::new(), 0, false);
        // JSON in a text has its own shape, regardless of the text's owner.
        let is_of_loci = std::mem::replace(&mut self.is_of_loci, false);
        for JsonPlace { range, mut value } in places {
            let next = range.end;
            is_any |= self.text_beside(key, text.get(end..range.start).unwrap_or_default(), &mut kept);
            if self.value(key, &mut value) {
                kept.push_str(&value.to_string());
                is_any = true;
            } else {
                kept.push_str(text.get(range).unwrap_or_default());
            }
            end = next;
        }
        is_any |= self.text_beside(key, text.get(end..).unwrap_or_default(), &mut kept);
        self.is_of_loci = is_of_loci;
        is_any.then_some(kept)
    }

    /// Appends a text before or after JSON under a key. True if it was changed.
    fn text_beside(&mut self, key: &str, text: &str, kept: &mut String) -> bool {
        let name = text.trim();
        if PEOPLE_KEYS.contains(&key)
            && !name.is_empty()
            && let Some(new) = self.new_person(name, None)
        {
            // Line breaks stay.
            kept.push_str(&text.replacen(name, &new, 1));
            return true;
        }
        let new = self.sentence(text);
        kept.push_str(new.as_deref().unwrap_or(text));
        new.is_some()
    }

    pub(super) fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            if let Some(new) = self.new_text(text) {
                *text = new;
            }
        }
    }

    /// Replaces people in a document. One that is nested too deeply for a value is examined as a
    /// text, in its JSON form.
    pub(super) fn document(&mut self, document: &mut Document) -> Result<()> {
        match document.tree() {
            Ok(mut value) => {
                if self.value("", &mut value) {
                    *document = Document::from_tree(&value)?;
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

    /// Replaces people in a JSON value under a key. True if it was changed. Each member of a
    /// repeated name is examined.
    pub(super) fn value(&mut self, key: &str, value: &mut JsonTree) -> bool {
        match value {
            JsonTree::Object(members) => {
                let mut is_any = self.described_person(members);
                // The members of an account, which has a login, are not a map of people.
                let key = if is_account(members) { "" } else { key };
                is_any |= self.names_of_members(key, members);
                // A person who took over the login has another number.
                let numbers = numbers_of(members, &NUMBER_KEYS);
                for (name, value) in members.iter_mut() {
                    is_any |= match value {
                        JsonTree::Text(_) if name.as_str() == LOGIN => false,
                        JsonTree::Text(text) if name.as_str() == USER && !text.contains([',', ';']) => {
                            let new = self.numbered_word(name, text, numbers.last().map(String::as_str));
                            let is_theirs = new.is_some();
                            if let Some(new) = new {
                                *text = new;
                            }
                            is_theirs
                        }
                        _ => self.value(name, value),
                    };
                }
                is_any
            }
            JsonTree::List(items) => {
                let mut is_any = false;
                for item in items {
                    // The members of an object in a list are not a map of people.
                    let key = if matches!(item, JsonTree::Object(_)) { "" } else { key };
                    is_any |= self.value(key, item);
                }
                is_any
            }
            JsonTree::Text(text) => match self.word(key, text) {
                Some(new) => {
                    *text = new;
                    true
                }
                None => false,
            },
            JsonTree::Number(number) if NUMBER_KEYS.contains(&key) => {
                let is_theirs = self.new_person("", Some(&number.to_string())).is_some();
                if is_theirs {
                    *number = Number::from(0_u8);
                }
                is_theirs
            }
            JsonTree::Null | JsonTree::Bool(_) | JsonTree::Number(_) => false,
        }
    }

    /// Replaces people in the names of members: in a map of people (`reviewers`) these are people,
    /// in code and in entries of the ledger they are paths and keys, elsewhere they are texts. True
    /// if one was changed. A name that another member has gets a number.
    fn names_of_members(&mut self, key: &str, members: &mut [(String, JsonTree)]) -> bool {
        let are_people = PEOPLE_KEYS.contains(&key) && key.ends_with('s');
        let are_texts = !self.is_of_ledger && !CODE_KEYS.contains(&key);
        let mut new_names = Vec::with_capacity(members.len());
        for (name, _) in members.iter() {
            let number = Some(name.as_str()).filter(|name| is_number(name));
            let exact = are_people.then(|| self.new_person(name, number)).flatten();
            new_names.push(exact.or_else(|| are_texts.then(|| self.new_name(name)).flatten()));
        }
        if new_names.iter().all(Option::is_none) {
            return false;
        }
        let kept = members.iter().zip(&new_names).filter(|(_, new)| new.is_none());
        let mut taken: BTreeSet<String> = kept.map(|((name, _), _)| name.clone()).collect();
        // The last number that each name received, so that no number is tried twice.
        let mut numbers = BTreeMap::new();
        for ((name, _), new) in members.iter_mut().zip(new_names) {
            let Some(new) = new else { continue };
            let number = numbers.entry(new.clone()).or_insert(1_usize);
            let mut free = new.clone();
            while !taken.insert(free.clone()) {
                *number += 1;
                free = format!("{new}-{number}");
            }
            *name = free;
        }
        true
    }

    /// Returns the replacement of a name of a member or of a trailer, which is not JSON.
    pub(super) fn new_name(&mut self, name: &str) -> Option<String> {
        let new = self.visitor.text(name);
        self.is_any |= new.is_some();
        new
    }

    /// Returns the replacement of a text under a key.
    pub(super) fn word(&mut self, key: &str, text: &str) -> Option<String> {
        self.numbered_word(key, text, None)
    }

    /// Returns the replacement of a text under a key, by the forge's number of the named person if
    /// it is known.
    fn numbered_word(&mut self, key: &str, text: &str, number: Option<&str>) -> Option<String> {
        if is_number(text) && NUMBER_KEYS.contains(&key) {
            return self.new_person("", Some(text));
        }
        // A JSON list is not a list of names and addresses, which has other delimiters.
        let is_of_people = PEOPLE_KEYS.contains(&key) || NUMBER_KEYS.contains(&key);
        let is_exact = is_of_people && json_places(text).is_empty();
        let exact = is_exact.then(|| self.new_person(text, number)).flatten();
        let is_left = CODE_KEYS.contains(&key) || (self.is_of_ledger && PLACE_KEYS.contains(&key));
        if exact.is_some() || is_left { exact } else { self.text_under(key, text) }
    }

    pub(super) fn metadata(&mut self, metadata: &mut Metadata) {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::pseudonym::{ErasedPerson, NamedPerson, PeopleCollector, PersonReplacement};
    use super::*;

    fn alice(user_id: Option<&str>) -> ErasedPerson {
        let names = ["alice".to_owned(), "a.lee@example.com".to_owned()];
        let number = NamedPerson::Number(user_id.unwrap_or_default().to_owned());
        let login = NamedPerson::Login("alice".to_owned());
        ErasedPerson::of_name(if user_id.is_some() { &number } else { &login }, "erased-1").with_names(names)
    }

    #[test]
    fn a_person_is_taken_out_of_values() {
        let check = |user_id: Option<&str>, before: Value, after: Value| {
            let mut value = JsonTree::from(before.clone());
            let erased = alice(user_id);
            let is_any = Places::new(&mut PersonReplacement(&erased)).value("", &mut value);
            assert_eq!((is_any, Value::from(value)), (before != after, after), "{before}");
        };
        for by_number in [
            json!({"user": "alice", "user_id": 8, "name": "A namesake"}),
            json!({"user": "alice", "user_id": "8"}),
        ] {
            check(Some("7"), by_number.clone(), by_number);
        }
        check(
            Some("7"),
            json!({"user": "caz", "user_id": 7, "users": [{"user": "alice", "user_id": null}]}),
            json!({"user": "erased-1", "user_id": 0, "users": [{"user": "erased-1", "user_id": null}]}),
        );
        let author = json!({"author": {"id": 7, "login": "Alice"}, "body": "As @alice said, @alicex too."});
        let gone =
            json!({"author": {"id": 0, "login": "erased-1"}, "body": "As @erased-1 said, @alicex too."});
        check(Some("7"), author.clone(), gone.clone());
        check(None, author, gone);
        let namesake = json!({"author": {"id": 8, "login": "alice"}});
        check(Some("7"), namesake.clone(), namesake);
        let namesake = json!({"author": {"id": "8", "login": "alice"}});
        check(Some("7"), namesake.clone(), namesake);
        check(
            Some("7"),
            json!([{"id": "7", "login": "caz"}, {"id": null, "login": "alice"}]),
            json!([{"id": "erased-1", "login": "erased-1"}, {"id": null, "login": "erased-1"}]),
        );
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
        check(
            None,
            json!({"said": "[{\"author\":\"alice\",\"n\":1.50}]", "cut": "{@alice"}),
            json!({"said": "[{\"author\":\"erased-1\",\"n\":1.50}]", "cut": "{@erased-1"}),
        );
        check(None, json!({"said": "{\"body\": \"alice\"}"}), json!({"said": "{\"body\": \"alice\"}"}));
        check(
            None,
            json!({"said": "\u{feff}{\"author\": \"alice\"}\n{\"n\": 1.50}\n{\"by\":\"alice\"}\n"}),
            json!({"said": "\u{feff}{\"author\":\"erased-1\"}\n{\"n\": 1.50}\n{\"by\":\"erased-1\"}\n"}),
        );
        check(
            None,
            json!({"said": "@alice:\n```json\n{\n  \"by\": \"alice\"\n}\n```\nalice asked @alice.\n"}),
            json!({"said": "@erased-1:\n```json\n{\"by\":\"erased-1\"}\n```\nalice asked @erased-1.\n"}),
        );
        check(
            None,
            json!({"reviewers": "[\"bob\"]\n[\"alice\"]", "users": "alice\n{\"bob\": 1}"}),
            json!({"reviewers": "[\"bob\"]\n[\"erased-1\"]", "users": "erased-1\n{\"bob\": 1}"}),
        );
        check(
            None,
            json!({"reviewers": "[\"bob\", \"alice\"]", "users": "{\"alice\": 1}"}),
            json!({"reviewers": "[\"bob\",\"erased-1\"]", "users": "{\"erased-1\":1}"}),
        );
        check(
            None,
            json!({"authors": "[\"Bob <b@x.org>\", \"A Lee <a.lee@example.com>\"]"}),
            json!({"authors": "[\"Bob <b@x.org>\",\"erased-1\"]"}),
        );
        check(
            None,
            json!({"reviewers": {"alice": 1, "bob": 2, "ALICE": 3}, "alice": 4}),
            json!({"reviewers": {"erased-1": 1, "bob": 2, "erased-1-2": 3}, "alice": 4}),
        );
        check(None, json!({"login": "bob", "@alice": 1}), json!({"login": "bob", "@erased-1": 1}));
        check(
            None,
            json!({"@alice": 1, "A.Lee@example.com": [{"alice": 2}]}),
            json!({"@erased-1": 1, "erased-1": [{"alice": 2}]}),
        );
        check(
            None,
            json!({"why": "approved by Alice", "failure": "called off by alice", "x": "made by alice"}),
            json!({"why": "approved by erased-1", "failure": "called off by erased-1", "x": "made by alice"}),
        );
        check(
            None,
            json!({"why": "rejected by alice: see\n{\"by\": \"alice\"}\n", "x": "made by alice\n[1]"}),
            json!({"why": "rejected by erased-1: see\n{\"by\":\"erased-1\"}\n", "x": "made by alice\n[1]"}),
        );
        check(
            None,
            json!({"body": "approved by the board, as A Lee <a.lee@example.com> told: wait"}),
            json!({"body": "approved by the board, as A Lee <erased-1> told: wait"}),
        );
        let lines = json!({"diff_hunk": "+@alice\n", "path": "a/@alice.rs"});
        check(Some("7"), lines.clone(), lines);
        let paths = json!({"files": {"a/@alice.rs": 1}});
        check(Some("7"), paths.clone(), paths);
        let code = json!({"files": ["@alice"], "branch": "x/@alice"});
        check(Some("7"), code.clone(), code);
    }

    #[test]
    fn json_in_texts_of_json_is_no_deeper_than_a_stack() {
        let nested = |texts: usize| {
            let wrap = |json: String, _| {
                let inner = Value::from(json).to_string();
                format!(
                    "{}{inner}{}",
                    "[".repeat(loci_model::limits::JSON_DEPTH_MAX),
                    "]".repeat(loci_model::limits::JSON_DEPTH_MAX)
                )
            };
            (1..texts).fold(r#"{"by":"alice","body":"@alice"}"#.to_owned(), wrap)
        };
        let erased = alice(None);
        let mut taking = PersonReplacement(&erased);
        for (texts, names) in [
            (1, 0),
            (loci_model::limits::JSON_TEXTS_MAX, 0),
            (loci_model::limits::JSON_TEXTS_MAX + 1, 1),
            (16, 1),
        ] {
            let new = Places::new(&mut taking).new_text(&nested(texts)).unwrap();
            // Beyond the maximum depth a bare login is a word. A mention is replaced at any depth.
            assert_eq!((new.matches("alice").count(), new.matches("@alice").count()), (names, 0), "{texts}");
        }
    }

    #[test]
    fn members_of_one_name_are_each_looked_at() {
        let check = |user_id: Option<&str>, before: &str, after: &str| {
            let erased = alice(user_id);
            let mut document = Document::parse(before).unwrap();
            let mut taking = PersonReplacement(&erased);
            Places::new(&mut taking).document(&mut document).unwrap();
            assert_eq!(document.as_str(), after, "{before}");
            let text = Places::new(&mut taking).new_text(before);
            assert_eq!(text.as_deref().unwrap_or(before), after, "as text: {before}");
        };
        check(None, r#"{"by":"alice","by":"bob"}"#, r#"{"by":"erased-1","by":"bob"}"#);
        check(None, r#"{"by":"bob","by":"alice"}"#, r#"{"by":"bob","by":"erased-1"}"#);
        check(None, r#"{"n":1,"n":1.50,"by":"alice"}"#, r#"{"n":1,"n":1.50,"by":"erased-1"}"#);
        check(
            None,
            r#"{"a":{"by":"alice"},"a":[{"by":"alice","by":"bob"}]}"#,
            r#"{"a":{"by":"erased-1"},"a":[{"by":"erased-1","by":"bob"}]}"#,
        );
        check(None, r#"{"a":"@alice","a":1}"#, r#"{"a":"@erased-1","a":1}"#);
        check(
            None,
            r#"{"@alice":1,"@alice":2,"@erased-1":3}"#,
            r#"{"@erased-1-2":1,"@erased-1-3":2,"@erased-1":3}"#,
        );
        check(
            None,
            r#"{"login":"alice","login":"bob","id":8}"#,
            r#"{"login":"erased-1","login":"erased-1","id":0}"#,
        );
        check(
            Some("7"),
            r#"{"id":7,"login":"caz","id":"8"}"#,
            r#"{"id":0,"login":"erased-1","id":"erased-1"}"#,
        );
        check(Some("7"), r#"{"user_id":7,"user_id":8}"#, r#"{"user_id":0,"user_id":8}"#);
        for others in [r#"{"by": "bob", "by": "ben"}"#, r#"{"id":8,"login":"alice","id":9}"#] {
            check(Some("7"), others, others);
        }
    }

    #[test]
    fn members_of_one_name_are_each_collected() {
        let mut document =
            Document::parse(r#"{"by":"alice","by":"bob","login":"caz","id":7,"login":"caz2","id":8}"#)
                .unwrap();
        let mut collecting = PeopleCollector::default();
        Places::new(&mut collecting).document(&mut document).unwrap();
        let logins = ["alice", "bob", "caz", "caz2"].map(|login| NamedPerson::Login(login.to_owned()));
        let numbers = ["7", "8"].map(|number| NamedPerson::Number(number.to_owned()));
        let expect: BTreeSet<NamedPerson> = logins.into_iter().chain(numbers).collect();
        assert_eq!(collecting.0, expect);
    }

    #[test]
    fn members_that_would_be_named_alike_are_numbered() {
        // Every spelling of one login. A search for the next number that starts from the first
        // would take minutes.
        let login = "alicealicealic";
        let spelled = |number: usize| -> String {
            let letter = |(at, c): (usize, char)| {
                if (number >> at) & 1 == 1 { c.to_ascii_uppercase() } else { c }
            };
            login.chars().enumerate().map(letter).collect()
        };
        let count: usize = 1 << login.len();
        let member = |number| (format!("@{}", spelled(number)), JsonTree::from(json!(number)));
        let mut value = JsonTree::Object((0..count).map(member).collect());
        let erased = ErasedPerson::of_name(&NamedPerson::Login(login.to_owned()), "erased-1");
        assert!(Places::new(&mut PersonReplacement(&erased)).value("", &mut value));
        let JsonTree::Object(named) = value else { panic!("no object") };
        let named: BTreeMap<String, JsonTree> = named.into_iter().collect();
        assert_eq!(named.len(), count);
        let last = format!("@erased-1-{count}");
        for (name, expect) in [("@erased-1", 0), ("@erased-1-2", 1), (last.as_str(), count - 1)] {
            assert_eq!(named.get(name), Some(&JsonTree::from(json!(expect))), "{name}");
        }
    }
}
