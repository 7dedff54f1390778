//! The keys by which clients, imports and other systems name the owner of a record or a document.
//! `forget`, its dry run and `export --actor` share this table. Keys count in the metadata of a
//! record, in the front matter of a document, and in the members of its source that an import kept.
//! Words of a text do not count. Pure.

use loci_model::json::tree::JsonTree;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};

use crate::document_text::frontmatter::{self, Frontmatter, FrontmatterEntry, Value};
use crate::document_text::{DocumentContent, DocumentPath};

/// The kind of owner that a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerKind {
    /// A person who owns the data.
    Person,
    /// An agent that wrote the data. It owns only data that no person owns.
    Agent,
}

/// The owner keys, in lower case without `_` and `-`, because systems spell them `user_id`,
/// `userId` or `user-id`. A run, a session, a thread or an application is no owner. `author` and
/// `owner` are excluded: they name the author of a shared text and the team responsible for a
/// service.
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
/// Keys of nested tables in which systems store owner keys, in the same spelling.
const NESTED: [&str; 2] = ["metadata", "configurable"];
/// Keys under which imports keep the rest of a source item as JSON, in the same spelling.
const RESTS: [&str; 2] = ["importrest", "lettarest"];
/// Members by which a table names an owner, in the same spelling.
const NAMES: [&str; 7] = ["id", "login", "name", "username", "handle", "email", "key"];
/// Metadata key of the owner of private operations knowledge.
const PRIVATE_OWNER: &str = "owner";
/// Metadata key and value that mark private operations knowledge.
const PRIVATE_SCOPE: (&str, &str) = ("scope", "private");

/// The owners that a record names.
#[derive(Debug, Default)]
pub(super) struct NamedOwners(Vec<(OwnerKind, String)>);

impl NamedOwners {
    /// Returns the owners that the metadata of a record and the front matter of its file name. Keys
    /// that a model inferred from a text do not count.
    pub(super) fn of(record: &Record, is_inferred: impl Fn(&str) -> bool) -> Self {
        let mut owners = Self::default();
        for (key, value) in &record.metadata {
            match (kind_of(key), value) {
                (Some(kind), value) if !is_inferred(key) => owners.add(kind, metadata_texts(value)),
                (None, MetadataValue::String(text)) if is_one_of(key, &RESTS) => owners.add_rest(text),
                (Some(_) | None, _) => {}
            }
        }
        owners.add_private(record);
        if record.kind == RecordKind::Document || !record.metadata.is_empty() {
            head_of(record).entries().for_each(|(key, value)| owners.add_entry(key, value));
        }
        owners
    }

    /// Returns true if `is_meant` accepts one of the owners.
    pub(super) fn is_owned_by(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.owners().any(is_meant)
    }

    /// Returns the names of the owners. If people are named, agents own nothing.
    pub(super) fn owners(&self) -> impl Iterator<Item = &str> {
        let is_of_people = self.people().next().is_some();
        let owners = self.0.iter().filter(move |(kind, _)| !is_of_people || *kind == OwnerKind::Person);
        owners.map(|(_, name)| name.as_str())
    }

    /// Returns the names of people, without agents.
    pub(super) fn people(&self) -> impl Iterator<Item = &str> {
        let people = self.0.iter().filter(|(kind, _)| *kind == OwnerKind::Person);
        people.map(|(_, name)| name.as_str())
    }

    fn add(&mut self, kind: OwnerKind, names: Vec<String>) {
        self.0.extend(names.into_iter().map(|name| (kind, name)));
    }

    /// Adds the owner of private operations knowledge. In other records the key has another
    /// meaning.
    fn add_private(&mut self, record: &Record) {
        let (scope, private) = PRIVATE_SCOPE;
        let is_private =
            matches!(record.metadata.get(scope), Some(MetadataValue::String(word)) if word == private);
        if let Some(owner) = record.metadata.get(PRIVATE_OWNER).filter(|_| is_private) {
            self.add(OwnerKind::Person, metadata_texts(owner));
        }
    }

    /// Adds the owners in the part of an item that an import kept. A client may write anything
    /// there, so a text that is not JSON names nobody.
    fn add_rest(&mut self, text: &str) {
        if let Ok(JsonTree::Object(members)) = JsonTree::parse(text) {
            members.into_iter().for_each(|(key, value)| self.add_entry(&key, &value_of(value)));
        }
    }

    /// Adds the owners that a member names, of a top-level table or of one of [`NESTED`].
    fn add_entry(&mut self, key: &str, value: &Value) {
        match (kind_of(key), value) {
            (Some(kind), value) => self.add_owner(kind, value),
            (None, value) if is_one_of(key, &NESTED) => self.add_tables(value),
            (None, Value::Text(text)) if is_one_of(key, &RESTS) => self.add_rest(text),
            (None, _) => {}
        }
    }

    /// Adds the owners that a table, or the tables of a list, name.
    fn add_tables(&mut self, value: &Value) {
        match value {
            Value::Table(entries) => {
                entries.iter().for_each(|entry| self.add_entry(&entry.key, &entry.value))
            }
            Value::List(items) => {
                let tables = items.iter().filter(|item| matches!(item, Value::Table(_)));
                tables.for_each(|item| self.add_tables(item));
            }
            Value::Text(_) | Value::Literal(_) => {}
        }
    }

    /// Adds the value of an owner key: a name, a table with members that name a person, or a list
    /// of both.
    fn add_owner(&mut self, kind: OwnerKind, value: &Value) {
        match value {
            Value::Text(name) | Value::Literal(name) => self.0.push((kind, name.clone())),
            Value::List(items) => {
                let named = items.iter().filter(|item| !matches!(item, Value::List(_)));
                named.for_each(|item| self.add_owner(kind, item));
            }
            Value::Table(entries) => {
                for FrontmatterEntry { key, value } in entries {
                    match kind_of(key) {
                        Some(kind) => self.add_owner(kind, value),
                        None if is_one_of(key, &NAMES) => self.add_owner(kind, value),
                        None => {}
                    }
                }
            }
        }
    }
}

/// Returns the kind of owner that a key names, in any spelling.
fn kind_of(key: &str) -> Option<OwnerKind> {
    OWNER_KEYS.iter().find(|(word, _)| is_spelling_of(key, word)).map(|(_, kind)| *kind)
}

fn is_one_of(key: &str, words: &[&str]) -> bool {
    words.iter().any(|word| is_spelling_of(key, word))
}

/// Returns true if `key` spells `word` in any case, with or without `_` and `-`. `word` is in lower
/// case without them.
fn is_spelling_of(key: &str, word: &str) -> bool {
    let letters = key.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(|byte| byte.to_ascii_lowercase()).eq(word.bytes())
}

/// Returns the front matter of a record's file. In a Markdown file that is stored raw, the front
/// matter is part of the text.
fn head_of(record: &Record) -> Frontmatter {
    let content = DocumentContent::of(record);
    if !content.is_raw {
        return content.head;
    }
    let path = record.path.as_deref().and_then(|path| DocumentPath::check(path).ok());
    if !path.is_none_or(|path| path.is_markdown()) {
        return Frontmatter::default();
    }
    // Front matter that breaks the rules is text everywhere else, but the people that it names
    // count here.
    frontmatter::searched(&content.body).unwrap_or_default()
}

fn metadata_texts(value: &MetadataValue) -> Vec<String> {
    match value {
        MetadataValue::String(text) => vec![text.clone()],
        MetadataValue::StringList(texts) => texts.clone(),
        MetadataValue::Number(number) => vec![number.to_string()],
        MetadataValue::DateTime(_) => Vec::new(),
    }
}

/// Converts JSON to a front matter value; a value that names nobody becomes an empty list.
fn value_of(value: JsonTree) -> Value {
    match value {
        JsonTree::Text(text) => Value::Text(text),
        JsonTree::Number(number) => Value::Literal(number.to_string()),
        JsonTree::List(items) => Value::List(items.into_iter().map(value_of).collect()),
        JsonTree::Object(members) => {
            let entry = |(key, value)| FrontmatterEntry { key, value: value_of(value) };
            Value::Table(members.into_iter().map(entry).collect())
        }
        JsonTree::Bool(_) | JsonTree::Null => Value::List(Vec::new()),
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
            r#"{"actors":["mara","ben",{"user":"x"},["y"],7,null,true]}"#,
            &[(person, "mara"), (person, "ben"), (person, "x"), (person, "7")],
        );
        check(r#"{"Users":[{"login":"mara","team":"ben"}]}"#, &[(person, "mara")]);
        check(r#"{"Metadata":[{"User-Id":"mara"},"ben"]}"#, &[(person, "mara")]);
        check(r#"{"configurable":{"langgraph_user_id":"mara"}}"#, &[(person, "mara")]);
        check(r#"{"history":{"user_id":"mara"},"note":"user_id: mara","run_id":"mara"}"#, &[]);
        check(r#"{"user_id":"mara","user_id":"ben"}"#, &[(person, "mara"), (person, "ben")]);
        check(r#"["user_id","mara"]"#, &[]);
        check("user_id: mara", &[]);
    }

    /// Lines of front matter, and the people that they name.
    const HEADS: &[(&str, &[&str])] = &[
        ("User: mara", &["mara"]),
        ("USER_ID: mara", &["mara"]),
        ("Metadata:\n  User: mara", &["mara"]),
        ("METADATA:\n  Configurable:\n    langgraph-user-id: mara", &["mara"]),
        ("metadata:\n  - user: mara\n  - actor: ben", &["mara", "ben"]),
        ("users: [{login: mara}, {login: ben, team: tides}]", &["mara", "ben"]),
        ("users:\n  - Login: mara\n    email: mara@x.example\n  - ben", &["mara", "mara@x.example", "ben"]),
        ("user: {id: 7, Name: mara, role: {name: tides}}", &["7", "mara"]),
        ("actors:\n  - user_id: mara", &["mara"]),
        ("user: &a mara", &["mara"]),
        ("title: &a mara\nuser: *a", &["mara"]),
        ("people: &p [mara, ben]\nusers: *p", &["mara", "ben"]),
        ("base: &b {user: mara}\n<<: *b", &["mara"]),
        ("base: &b {user: mara}\nmetadata:\n  <<: [*b, {actor: ben}]", &["mara", "ben"]),
        ("base: &b {login: mara}\nusers: [*b]", &["mara"]),
        ("key: &k user\n*k : mara", &["mara"]),
        ("user: !!str mara", &["mara"]),
        ("user: mara\nuser: ben", &["mara", "ben"]),
        ("deep: [[[[[[deep]]]]]]\nuser: mara", &["mara"]),
        ("title: user_id mara\nnote: {user: mara}\nroles: [{name: mara}]", &[]),
    ];

    #[test]
    fn a_head_cannot_grow_by_its_aliases() {
        let mut lines = "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            let many = format!("*a{before}, ").repeat(8);
            lines.push_str(&format!("a{level}: &a{level} [{many}]\n"));
        }
        assert!(
            crate::document_text::frontmatter::searched(&format!("---\n{lines}user: mara\n---\n")).is_none()
        );
        let deep = format!("---\na: {}{}\nuser: mara\n---\n", "[".repeat(3_000), "]".repeat(3_000));
        assert!(crate::document_text::frontmatter::searched(&deep).is_none());
    }

    #[test]
    fn owners_in_a_head() {
        let check = |lines: &str, expect: &[(OwnerKind, &str)]| {
            let mut owners = NamedOwners::default();
            let head = crate::document_text::frontmatter::searched(lines).unwrap();
            head.entries().for_each(|(key, value)| owners.add_entry(key, value));
            assert_eq!(named(&owners), expect, "{lines}");
        };
        let person = OwnerKind::Person;
        for (lines, expect) in HEADS {
            let expect: Vec<_> = expect.iter().map(|name| (person, *name)).collect();
            check(&format!("---\n{lines}\n---\nText.\n"), &expect);
        }
        check("---\nuser_id: mara\n---\n", &[(person, "mara")]);
        check("---\nuser_id: 007\n---\n", &[(person, "007")]);
        check("---\nactors: [mara, \"ben\"]\n---\n", &[(person, "mara"), (person, "ben")]);
        check("---\nactors:\n  - mara\n  - ben\n---\n", &[(person, "mara"), (person, "ben")]);
        check("---\nmetadata:\n  type: user\n  userId: mara\n---\n", &[(person, "mara")]);
        check("---\nletta_rest: '{\"agent_id\":\"a\"}'\n---\n", &[(OwnerKind::Agent, "a")]);
        check("---\ntitle: user_id mara\ntags: [mara]\nowner: mara\nlinks:\n  user: mara\n---\n", &[]);
    }
}
