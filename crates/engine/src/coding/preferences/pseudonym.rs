//! Taking a person out of what others own: their login and number in tasks, in what the ledger keeps, in what rules say of where they come
//! from. Pure. What is said stays where it is not theirs to take away; who said it does not.

use std::collections::BTreeSet;

use loci_model::metadata::{Metadata, MetadataValue};
use loci_model::preference::PreferenceUser;
use loci_model::review::ForgeUser;
use loci_model::task::Task;
use serde_json::Value;

use super::people::Whose;

/// Members that hold a login alone.
const LOGINS: &[&str] =
    &["login", "reviewer", "reviewers", "user", "author", "by", "merged_by", "approved_by", "pr_author"];

/// Hex digits that tell pseudonyms apart.
const PSEUDONYM_DIGITS: usize = 12;

/// Returns what stands for somebody from now on, by hex digits of their own.
pub(crate) fn pseudonym(digits: &str) -> String {
    format!("erased-{}", digits.get(..PSEUDONYM_DIGITS).unwrap_or(digits))
}

/// A person as something names them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedPerson {
    /// By their login on a forge.
    Login(String),
    /// By their number there.
    Number(String),
}

/// Collects the people whom [`Erased::take_from_value`] would look at.
pub(super) fn names_in_value(value: &Value, found: &mut BTreeSet<NamedPerson>) {
    match value {
        Value::Object(members) => {
            let id = members.get("id").and_then(Value::as_u64).filter(|id| *id != 0);
            if let Some(login) = members.get("login").and_then(Value::as_str) {
                found.insert(NamedPerson::Login(login.to_owned()));
                found.extend(id.map(|id| NamedPerson::Number(id.to_string())));
                return;
            }
            for (key, value) in members {
                match value {
                    Value::String(text) if LOGINS.contains(&key.as_str()) => {
                        found.insert(NamedPerson::Login(text.clone()));
                    }
                    Value::String(text) => found.extend(mentioned(text)),
                    other => names_in_value(other, found),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::String(text) => {
                        found.insert(NamedPerson::Login(text.clone()));
                    }
                    other => names_in_value(other, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Collects the people whom [`Erased::take_from_metadata`] would look at.
pub(super) fn names_in_metadata(metadata: &Metadata, found: &mut BTreeSet<NamedPerson>) {
    for (_, value) in metadata.iter().filter(|(key, _)| LOGINS.contains(&key.as_str())) {
        match value {
            MetadataValue::String(text) => {
                found.insert(NamedPerson::Login(text.clone()));
            }
            MetadataValue::StringList(texts) => {
                found.extend(texts.iter().cloned().map(NamedPerson::Login));
            }
            MetadataValue::Number(_) | MetadataValue::DateTime(_) => {}
        }
    }
}

/// People whom a text mentions as `@login`.
fn mentioned(text: &str) -> impl Iterator<Item = NamedPerson> + '_ {
    let name = |behind: &str| {
        let end = behind.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(behind.len());
        behind.get(..end).unwrap_or_default().to_owned()
    };
    text.split('@').skip(1).map(name).filter(|name| !name.is_empty()).map(NamedPerson::Login)
}

/// Somebody who is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Erased {
    login: String,
    user_id: Option<String>,
    /// What stands for them from then on.
    pseudonym: String,
}

impl Erased {
    pub(super) fn of(whose: &Whose, pseudonym: &str) -> Self {
        let known = whose.known.as_ref();
        // Whoever lost their login is known by the number alone: the login is somebody else's.
        let login =
            known.map_or_else(|| Some(whose.place.to_string()), |known: &PreferenceUser| known.login.clone());
        Self {
            login: login.unwrap_or_default(),
            user_id: whose.user_id().map(str::to_owned),
            pseudonym: pseudonym.to_owned(),
        }
    }

    /// Somebody of whom one name is known.
    pub(super) fn of_name(name: &NamedPerson, pseudonym: &str) -> Self {
        let (login, user_id) = match name {
            NamedPerson::Login(login) => (login.to_lowercase(), None),
            NamedPerson::Number(number) => (String::new(), Some(number.clone())),
        };
        Self { login, user_id, pseudonym: pseudonym.to_owned() }
    }

    fn is_login(&self, login: &str) -> bool {
        !self.login.is_empty() && login.to_lowercase() == self.login
    }

    /// By number where both are known, else by login.
    fn is(&self, login: &str, id: Option<&str>) -> bool {
        match (&self.user_id, id) {
            (Some(own), Some(id)) => own == id,
            _ => self.is_login(login),
        }
    }

    pub(super) fn is_task(&self, task: &Task) -> bool {
        self.is(task.user.as_deref().unwrap_or_default(), task.user_id.as_deref())
    }

    pub(super) fn is_person(&self, person: &ForgeUser) -> bool {
        let id = (person.id != 0).then(|| person.id.to_string());
        self.is(&person.login, id.as_deref())
    }

    /// A task that was done for them, without them.
    pub(super) fn take_from_task(&self, task: &mut Task) -> bool {
        let is_theirs = self.is_task(task);
        if is_theirs {
            task.user = Some(self.pseudonym.clone());
            task.user_id = None;
        }
        is_theirs
    }

    /// Whether something is kept under their own name.
    pub(super) fn is_key(&self, key: &str) -> bool {
        let name = key.rsplit(['/', ':']).next().unwrap_or(key);
        self.user_id.as_deref() == Some(name) || self.is_login(name)
    }

    /// A document of the ledger without them; true where they were in it.
    pub(super) fn take_from_value(&self, value: &mut Value) -> bool {
        match value {
            Value::Object(members) => {
                let login = members.get("login").and_then(Value::as_str).map(str::to_owned);
                let id =
                    members.get("id").and_then(Value::as_u64).filter(|id| *id != 0).map(|id| id.to_string());
                if let Some(login) = login {
                    if !self.is(&login, id.as_deref()) {
                        return false;
                    }
                    members.insert("login".to_owned(), Value::String(self.pseudonym.clone()));
                    members.entry("id").and_modify(|id| *id = Value::from(0));
                    return true;
                }
                let mut is_any = false;
                for (key, value) in members.iter_mut() {
                    is_any |= match value {
                        Value::String(text) if LOGINS.contains(&key.as_str()) => self.take_login(text),
                        Value::String(text) => self.take_mention(text),
                        other => self.take_from_value(other),
                    };
                }
                is_any
            }
            Value::Array(items) => {
                let mut is_any = false;
                for item in items {
                    is_any |= match item {
                        Value::String(text) => self.take_login(text),
                        other => self.take_from_value(other),
                    };
                }
                is_any
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// What a record says of where it comes from, without them; true where they were in it.
    pub(super) fn take_from_metadata(&self, metadata: &mut Metadata) -> bool {
        let mut is_any = false;
        for (_, value) in metadata.iter_mut().filter(|(key, _)| LOGINS.contains(&key.as_str())) {
            match value {
                MetadataValue::String(text) => is_any |= self.take_login(text),
                MetadataValue::StringList(texts) => {
                    for text in texts {
                        is_any |= self.take_login(text);
                    }
                }
                MetadataValue::Number(_) | MetadataValue::DateTime(_) => {}
            }
        }
        is_any
    }

    fn take_login(&self, text: &mut String) -> bool {
        let is_theirs = self.is_login(text);
        if is_theirs {
            text.clone_from(&self.pseudonym);
        }
        is_theirs
    }

    /// `@login` in a text.
    fn take_mention(&self, text: &mut String) -> bool {
        if self.login.is_empty() || !text.contains('@') {
            return false;
        }
        let (mut kept, mut rest, mut is_any) = (String::new(), text.as_str(), false);
        while let Some((before, behind)) = rest.split_once('@') {
            let end = behind.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(behind.len());
            let (name, after) = behind.split_at(end);
            let is_theirs = self.is_login(name);
            is_any |= is_theirs;
            kept.push_str(before);
            kept.push('@');
            kept.push_str(if is_theirs { &self.pseudonym } else { name });
            rest = after;
        }
        kept.push_str(rest);
        *text = kept;
        is_any
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_person_is_taken_out() {
        let of = |user_id: Option<&str>| Erased {
            login: "alice".to_owned(),
            user_id: user_id.map(str::to_owned),
            pseudonym: "erased-1".to_owned(),
        };
        let check = |user_id, before: Value, after: Value| {
            let mut value = before.clone();
            assert_eq!(of(user_id).take_from_value(&mut value), before != after, "{before}");
            assert_eq!(value, after, "{before}");
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
            json!({"by": "alice", "title": "alice"}),
            json!({"by": "erased-1", "title": "alice"}),
        );
        check(Some("7"), json!({"reviewers": ["bob", "alice"]}), json!({"reviewers": ["bob", "erased-1"]}));
        assert!(of(None).is_key("login:alice") && of(Some("7")).is_key("id:7") && !of(None).is_key("malice"));
    }
}
