//! The keys by which clients, imports and other systems name the owner of a record or of a
//! document: one table for `forget`, its dry run and `export --actor`. Keys count in the metadata
//! of a record, in the head of a document, and in the members of its source that an import kept.
//! Words of a text never do. Pure.

use loci_model::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use serde_json::{Map, Value as Json};

use crate::files::frontmatter::{self, Frontmatter, Value};
use crate::files::{DocumentContent, DocumentPath};

/// The kind of owner that a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerKind {
    /// Somebody whose data it is.
    Person,
    /// An agent that wrote it. It owns what no person does, and shares nothing with them.
    Agent,
}

/// The keys, in small letters without `_` and `-`: systems and files spell them as `user_id`,
/// `userId` or `user-id`. A run, a session, a thread and an application are no owners; neither are
/// `author` and `owner`, which say who wrote a text of all and who answers for a service.
const OWNER_KEYS: [(&str, OwnerKind); 12] = [
    // Mem0, Strands, Zep, LlamaIndex and others.
    ("userid", OwnerKind::Person),
    ("userids", OwnerKind::Person),
    ("user", OwnerKind::Person),
    ("users", OwnerKind::Person),
    // AgentCore.
    ("actorid", OwnerKind::Person),
    ("actorids", OwnerKind::Person),
    ("actor", OwnerKind::Person),
    ("actors", OwnerKind::Person),
    // LangGraph.
    ("langgraphuserid", OwnerKind::Person),
    ("langgraphauthuserid", OwnerKind::Person),
    // Mem0, Letta.
    ("agentid", OwnerKind::Agent),
    ("agentids", OwnerKind::Agent),
];
/// Tables in which systems put such keys.
const NESTED: [&str; 2] = ["metadata", "configurable"];
/// Keys under which imports keep the rest of an item of the source, as JSON.
const RESTS: [&str; 2] = ["import_rest", "letta_rest"];
/// The owner of operations knowledge that is kept to one user.
const PRIVATE_OWNER: &str = "owner";
/// The scope of such knowledge.
const PRIVATE_SCOPE: (&str, &str) = ("scope", "private");

/// The owners that a record names.
#[derive(Debug, Default)]
pub(super) struct NamedOwners(Vec<(OwnerKind, String)>);

impl NamedOwners {
    /// The owners that the metadata of a record and the head of its file name. Keys that a model
    /// filled in from a text do not count.
    pub(super) fn of(record: &Record, is_inferred: impl Fn(&str) -> bool) -> Self {
        let mut owners = Self::default();
        for (key, value) in &record.metadata {
            match (kind_of(key), value) {
                (Some(kind), value) if !is_inferred(key) => owners.add(kind, metadata_texts(value)),
                (None, MetadataValue::String(text)) if RESTS.contains(&key.as_str()) => owners.add_rest(text),
                (Some(_) | None, _) => {}
            }
        }
        owners.add_private(record);
        if record.kind == RecordKind::Document || !record.metadata.is_empty() {
            let head = head_of(record);
            owners.add_entries(&head.entries().collect::<Vec<_>>());
        }
        owners
    }

    /// True where an owner is meant. Where people are named, agents own nothing.
    pub(super) fn is_owned_by(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        let is_of_people = self.people().next().is_some();
        let mut owners = self.0.iter().filter(|(kind, _)| !is_of_people || *kind == OwnerKind::Person);
        owners.any(|(_, name)| is_meant(name))
    }

    /// Names of people: agents are left out.
    pub(super) fn people(&self) -> impl Iterator<Item = &str> {
        let people = self.0.iter().filter(|(kind, _)| *kind == OwnerKind::Person);
        people.map(|(_, name)| name.as_str())
    }

    fn add(&mut self, kind: OwnerKind, names: Vec<String>) {
        self.0.extend(names.into_iter().map(|name| (kind, name)));
    }

    /// Adds the owner of operations knowledge that is kept to one user; elsewhere the key says
    /// another thing.
    fn add_private(&mut self, record: &Record) {
        let (scope, private) = PRIVATE_SCOPE;
        let is_private =
            matches!(record.metadata.get(scope), Some(MetadataValue::String(word)) if word == private);
        if let Some(owner) = record.metadata.get(PRIVATE_OWNER).filter(|_| is_private) {
            self.add(OwnerKind::Person, metadata_texts(owner));
        }
    }

    /// Adds the owners in what an import kept. A client may write anything there: a text that is no
    /// JSON names nobody.
    fn add_rest(&mut self, text: &str) {
        if let Ok(Json::Object(members)) = serde_json::from_str(text) {
            self.add_members(&members);
        }
    }

    fn add_members(&mut self, members: &Map<String, Json>) {
        for (key, value) in members {
            match (kind_of(key), value) {
                (Some(kind), value) => self.add(kind, json_texts(value)),
                (None, Json::Object(nested)) if NESTED.contains(&key.as_str()) => self.add_members(nested),
                (None, _) => {}
            }
        }
    }

    fn add_entries(&mut self, entries: &[(&str, &Value)]) {
        for (key, value) in entries {
            match (kind_of(key), value) {
                (Some(kind), value) => self.add(kind, head_texts(value)),
                (None, Value::Table(nested)) if NESTED.contains(key) => {
                    let nested: Vec<(&str, &Value)> =
                        nested.iter().map(|entry| (entry.key.as_str(), &entry.value)).collect();
                    self.add_entries(&nested);
                }
                (None, Value::Text(text)) if RESTS.contains(key) => self.add_rest(text),
                (None, _) => {}
            }
        }
    }
}

/// The kind of owner that a key names, however it is spelled.
fn kind_of(key: &str) -> Option<OwnerKind> {
    let is_spelling_of = |word: &str| {
        let letters = key.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(|byte| byte.to_ascii_lowercase()).eq(word.bytes())
    };
    OWNER_KEYS.iter().find(|(word, _)| is_spelling_of(word)).map(|(_, kind)| *kind)
}

/// The head of a record's file. Of a Markdown file that is kept as it is, the head is part of the
/// text.
fn head_of(record: &Record) -> Frontmatter {
    let content = DocumentContent::of(record);
    if !content.is_raw {
        return content.head;
    }
    let path = record.path.as_deref().and_then(|path| DocumentPath::check(path).ok());
    if !path.is_none_or(|path| path.is_markdown()) {
        return Frontmatter::default();
    }
    // A head that breaks a rule of heads is text, as everywhere.
    let parted = frontmatter::parse(&content.body).ok();
    parted.and_then(|parted| parted.frontmatter).unwrap_or_default()
}

fn metadata_texts(value: &MetadataValue) -> Vec<String> {
    match value {
        MetadataValue::String(text) => vec![text.clone()],
        MetadataValue::StringList(texts) => texts.clone(),
        MetadataValue::Number(number) => vec![number.to_string()],
        MetadataValue::DateTime(_) => Vec::new(),
    }
}

fn json_texts(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => vec![text.clone()],
        Json::Number(number) => vec![number.to_string()],
        Json::Array(items) => items.iter().filter(|item| !item.is_array()).flat_map(json_texts).collect(),
        Json::Object(_) | Json::Bool(_) | Json::Null => Vec::new(),
    }
}

fn head_texts(value: &Value) -> Vec<String> {
    let of_scalar = |value: &Value| value.spelling().map(str::to_owned);
    match value {
        Value::Text(_) | Value::Literal(_) => of_scalar(value).into_iter().collect(),
        Value::List(items) => items.iter().filter_map(of_scalar).collect(),
        Value::Table(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_owns_what_no_person_does() {
        let check = |rest: &str, expect: bool| {
            let mut owners = NamedOwners::default();
            owners.add_rest(rest);
            assert_eq!(owners.is_owned_by(|name| name == "alice"), expect, "{rest}");
        };
        check(r#"{"agent_id":"alice"}"#, true);
        check(r#"{"user_id":"alice","agent_id":"helper"}"#, true);
        check(r#"{"agent_id":"alice","user_id":"alice"}"#, true);
        check(r#"{"actors":["ben","alice"],"agent_id":"helper"}"#, true);
        check(r#"{"user_id":"ben","agent_id":"alice"}"#, false);
        check(r#"{"agent_id":"alice","metadata":{"user_id":"ben"}}"#, false);
        check("{}", false);
    }

    fn named(found: &NamedOwners) -> Vec<(OwnerKind, &str)> {
        found.0.iter().map(|(kind, name)| (*kind, name.as_str())).collect()
    }

    #[test]
    fn keys_in_any_spelling() {
        let check = |key: &str, expect: Option<OwnerKind>| assert_eq!(kind_of(key), expect, "{key}");
        for key in ["user_id", "userId", "user-id", "USER_ID", "userID", "user", "users", "user_ids"] {
            check(key, Some(OwnerKind::Person));
        }
        for key in ["actor_id", "actorId", "actor", "actors", "langgraph_user_id", "langgraph_auth_user_id"] {
            check(key, Some(OwnerKind::Person));
        }
        check("agent_id", Some(OwnerKind::Agent));
        check("agentIds", Some(OwnerKind::Agent));
        for key in ["run_id", "session_id", "thread_id", "app_id", "owner", "author", "user_role", "id", ""] {
            check(key, None);
        }
    }

    #[test]
    fn owners_in_what_an_import_kept() {
        let check = |rest: &str, expect: &[(OwnerKind, &str)]| {
            let mut owners = NamedOwners::default();
            owners.add_rest(rest);
            assert_eq!(named(&owners), expect, "{rest}");
        };
        let person = OwnerKind::Person;
        check(r#"{"user_id":"mara"}"#, &[(person, "mara")]);
        check(r#"{"metadata":{"actorId":"mara","k":"v"}}"#, &[(person, "mara")]);
        check(r#"{"metadata":{"metadata":{"agent_id":"a"}}}"#, &[(OwnerKind::Agent, "a")]);
        check(
            r#"{"actors":["mara","ben",{"user":"x"},["y"],7]}"#,
            &[(person, "mara"), (person, "ben"), (person, "7")],
        );
        check(r#"{"configurable":{"langgraph_user_id":"mara"}}"#, &[(person, "mara")]);
        check(r#"{"history":{"user_id":"mara"},"note":"user_id: mara","run_id":"mara"}"#, &[]);
        check(r#"["user_id","mara"]"#, &[]);
        check("user_id: mara", &[]);
    }

    #[test]
    fn owners_in_a_head() {
        let check = |lines: &str, expect: &[(OwnerKind, &str)]| {
            let head = frontmatter::parse(lines).unwrap().frontmatter.unwrap();
            let mut owners = NamedOwners::default();
            owners.add_entries(&head.entries().collect::<Vec<_>>());
            assert_eq!(named(&owners), expect, "{lines}");
        };
        let person = OwnerKind::Person;
        check("---\nuser_id: mara\n---\n", &[(person, "mara")]);
        check("---\nuser_id: 007\n---\n", &[(person, "007")]);
        check("---\nactors: [mara, \"ben\"]\n---\n", &[(person, "mara"), (person, "ben")]);
        check("---\nactors:\n  - mara\n  - ben\n---\n", &[(person, "mara"), (person, "ben")]);
        check("---\nmetadata:\n  type: user\n  userId: mara\n---\n", &[(person, "mara")]);
        check("---\nletta_rest: '{\"agent_id\":\"a\"}'\n---\n", &[(OwnerKind::Agent, "a")]);
        check("---\ntitle: user_id mara\ntags: [mara]\nowner: mara\nlinks:\n  user: mara\n---\n", &[]);
    }
}
