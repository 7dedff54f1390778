//! Objects that describe a person: an account, by login or user name, or an action, by the member
//! that names its actor. If that person is removed, the members that name the same person by other
//! means (name, address, picture, page) are removed as well. Nested objects and lists are examined
//! separately. Pure.

use loci_engine::admin::erasure::is_number;
use loci_model::json::tree::JsonTree;
use serde_json::Number;

use super::person_fields::{NUMBER_KEYS, Places, USER};

/// The member of a forge's account that holds its name.
pub(super) const LOGIN: &str = "login";
/// Members by which an account names its person.
const ACCOUNT_KEYS: [&str; 2] = [LOGIN, "username"];
/// The member with the number of an account.
const ID: &str = "id";
/// Members that name the person whom an object concerns.
const ACTOR_KEYS: [&str; 2] = ["actor", USER];
/// Members that name the user of an object after [`USER`] (`user_login`), spelled like those below.
const LOGINS_OF_USER: [&str; 2] = [LOGIN, "username"];
/// The member that names a person by an address.
const EMAIL: &str = "email";
/// Members that name the person of an object by other means, in lower case without `_` and `-`.
const IDENTITY_KEYS: [&str; 14] = [
    "avatar",
    "avatarurl",
    "commitemail",
    "displaylogin",
    "displayname",
    "email",
    "emailaddress",
    "firstname",
    "fullname",
    "gravatarid",
    "lastname",
    "name",
    "publicemail",
    "realname",
];
/// Members of a forge's account with its person's profile, in the same spelling.
const PROFILE_KEYS: [&str; 5] = ["bio", "blog", "company", "location", "twitterusername"];
/// The member of an account with its number in another form, in the same spelling.
const NODE_ID: &str = "nodeid";
/// The suffix of member names that hold a web address, in the same spelling.
const URL: &str = "url";
/// Folders of a site that contain the pages of people.
const FOLDERS_OF_PEOPLE: [&str; 5] = ["people", "profile", "u", "user", "users"];

impl Places<'_> {
    /// Removes the person from an object that describes them. True if the object was changed.
    pub(super) fn described_person(&mut self, members: &mut [(String, JsonTree)]) -> bool {
        // An object with only a user name may describe anything, so its number and addresses must
        // match, too.
        let is_of_forge = texts_of(members, &[LOGIN]).next().is_some();
        if let Some(new) = self.account(members, is_of_forge) {
            take_members(members, &new, |name, text| {
                IDENTITY_KEYS.contains(&name)
                    || name == NODE_ID
                    || (is_of_forge && PROFILE_KEYS.contains(&name))
                    || (name.ends_with(URL) && (is_of_forge || self.is_page_of_person(text)))
            });
            return true;
        }
        // In a shape of Loci, the other members next to a person's name have a meaning of their
        // own.
        if self.is_of_loci {
            return false;
        }
        // The account of another person describes that person, regardless of the actor.
        let is_of_other = texts_of(members, &ACCOUNT_KEYS).any(|name| !name.is_empty());
        let (is_any, new) = self.actor(members);
        let Some((new, is_user)) = new.filter(|_| !is_of_other) else { return is_any };
        take_members(members, &new, |name, text| {
            let of_user = name.strip_prefix(USER).filter(|_| is_user);
            // Objects and lists may concern others: a list of addresses contains the receivers of a
            // mail.
            !text.is_empty()
                && (IDENTITY_KEYS.contains(&of_user.unwrap_or(name))
                    || of_user.is_some_and(|name| LOGINS_OF_USER.contains(&name))
                    || (name.ends_with(URL) && self.is_page_of_person(text)))
        });
        true
    }

    /// Returns the replacement of the person of an account, by number and login, after replacing
    /// both. A member may occur several times: the account is the person's if one of its logins or
    /// numbers is. Next to a user name, a number only excludes other people.
    fn account(&mut self, members: &mut [(String, JsonTree)], is_of_forge: bool) -> Option<String> {
        let logins: Vec<String> = texts_of(members, &ACCOUNT_KEYS).map(str::to_owned).collect();
        if logins.is_empty() {
            return None;
        }
        let ids = numbers_of(members, &[ID]);
        // The last member of a name is the one that readers see.
        let id = ids.last().map(String::as_str);
        let mut new = None;
        for one in &logins {
            if is_of_forge || self.visitor.person(one, None).is_some() {
                new = self.new_person(one, id).or(new);
            }
        }
        // Each login was examined before, so that a long one is not read again for each of many
        // numbers.
        for one in ids.iter().filter(|_| is_of_forge) {
            new = self.new_person("", Some(one)).or(new);
        }
        let new = new?;
        for (name, value) in members.iter_mut() {
            match value {
                JsonTree::Text(text) if ACCOUNT_KEYS.contains(&name.as_str()) => text.clone_from(&new),
                JsonTree::Text(text) if name.as_str() == ID && (is_of_forge || is_number(text)) => {
                    text.clone_from(&new);
                }
                JsonTree::Number(number) if name.as_str() == ID => *number = Number::from(0_u8),
                _ => {}
            }
        }
        Some(new)
    }

    /// Replaces the person whom an object concerns, by number, name or address. True if a text was
    /// changed. Also returns the replacement, and a flag that is true if the person is the user of
    /// the object, unless the object concerns another person as well.
    fn actor(&mut self, members: &mut [(String, JsonTree)]) -> (bool, Option<(String, bool)>) {
        let numbers = numbers_of(members, &NUMBER_KEYS);
        let number = numbers.last().map(String::as_str);
        let (mut new, mut is_any, mut is_of_others) = (None, false, false);
        for one in &numbers {
            new = self.new_person("", Some(one)).or(new);
        }
        let mut is_user = new.is_some();
        for (name, value) in members.iter_mut() {
            let JsonTree::Text(text) = value else { continue };
            let is_name = ACTOR_KEYS.contains(&name.as_str());
            // A list of people includes others, and the number does not belong to all of them.
            let is_one = !text.contains([',', ';']);
            if text.is_empty() || !(is_name || (is_one && name.as_str() == EMAIL)) {
                continue;
            }
            let found = self.new_person(text, number.filter(|_| is_one));
            is_of_others |= is_name && (found.is_none() || !is_one);
            if let Some(found) = found {
                text.clone_from(&found);
                is_any = true;
                is_user |= name.as_str() == USER;
                new = Some(found);
            }
        }
        (is_any, new.filter(|_| !is_of_others).map(|new| (new, is_user)))
    }

    /// True for the address of a site's page about the person, by login or number.
    fn is_page_of_person(&mut self, address: &str) -> bool {
        let Some(name) = person_of_page(address) else { return false };
        self.new_person(name, Some(name).filter(|name| is_number(name))).is_some()
    }
}

/// Replaces members by their names, spelled in lower case without `_` and `-`, and their texts.
fn take_members(
    members: &mut [(String, JsonTree)],
    new: &str,
    mut is_theirs: impl FnMut(&str, &str) -> bool,
) {
    for (name, value) in members.iter_mut() {
        let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
        let spelled: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let is_telling = match value {
            JsonTree::Text(text) => !text.is_empty(),
            JsonTree::Object(_) | JsonTree::List(_) => true,
            JsonTree::Number(_) | JsonTree::Bool(_) | JsonTree::Null => false,
        };
        if is_telling && is_theirs(&spelled, value.as_text().unwrap_or_default()) {
            *value = JsonTree::Text(new.to_owned());
        }
    }
}

/// Returns the texts of an object's members with these names.
fn texts_of<'a>(members: &'a [(String, JsonTree)], keys: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let named = members.iter().filter(move |(name, _)| keys.contains(&name.as_str()));
    named.filter_map(|(_, value)| value.as_text())
}

/// Returns the numbers of people in an object's members with these names, including numbers written
/// as texts. No person has the number 0.
pub(super) fn numbers_of(members: &[(String, JsonTree)], keys: &[&str]) -> Vec<String> {
    let mut numbers = Vec::new();
    for (_, value) in members.iter().filter(|(name, _)| keys.contains(&name.as_str())) {
        match value {
            JsonTree::Number(number) => numbers.extend(number.as_u64().map(|number| number.to_string())),
            JsonTree::Text(text) if is_number(text) => numbers.push(text.clone()),
            _ => {}
        }
    }
    numbers.retain(|number| number != "0");
    numbers
}

/// True for an object that describes an account.
pub(super) fn is_account(members: &[(String, JsonTree)]) -> bool {
    texts_of(members, &ACCOUNT_KEYS).next().is_some()
}

/// Returns the name in the address of a person's page: directly after the site, or in a folder of
/// people.
fn person_of_page(address: &str) -> Option<&str> {
    let (_, behind) = address.split_once("://")?;
    let path = behind.split(['?', '#']).next()?.trim_end_matches('/');
    let (before, name) = path.rsplit_once('/')?;
    let folder = before.rsplit_once('/').map(|(_, folder)| folder);
    let is_of_people = folder.is_none_or(|folder| FOLDERS_OF_PEOPLE.contains(&folder));
    is_of_people.then(|| name.trim_start_matches('@'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::pseudonym::{ErasedPerson, NamedPerson, PeopleCollector, PersonReplacement};
    use super::*;

    /// The person `alice`, with number 7.
    fn alice() -> ErasedPerson {
        let names = ["alice".to_owned(), "a.lee@example.com".to_owned()];
        ErasedPerson::of_name(&NamedPerson::Number("7".to_owned()), "erased-1").with_names(names)
    }

    fn taken(before: &Value, is_of_loci: bool) -> Value {
        let (erased, mut tree) = (alice(), JsonTree::from(before.clone()));
        let mut taking = PersonReplacement(&erased);
        let mut places = Places { is_of_loci, ..Places::new(&mut taking) };
        let is_any = places.value("", &mut tree);
        assert_eq!((is_any, places.is_any), (Value::from(tree.clone()) != *before, is_any), "{before}");
        assert!(
            !Places::new(&mut PersonReplacement(&erased)).value("", &mut tree.clone()),
            "taken twice: {before}"
        );
        tree.into()
    }

    #[test]
    fn an_account_names_its_person_in_many_members() {
        let page = "https://forge.example/alice";
        for (before, after) in [
            (
                json!({"login": "alice", "id": 7, "node_id": "MDQ6", "name": "Alice Lee",
                    "email": "x@y.example", "avatar_url": "https://i.example/u/7?v=4", "html_url": page,
                    "url": page, "gravatar_id": "", "followers_url": page, "type": "User",
                    "site_admin": false, "plan": {"name": "pro"}}),
                json!({"login": "erased-1", "id": 0, "node_id": "erased-1", "name": "erased-1",
                    "email": "erased-1", "avatar_url": "erased-1", "html_url": "erased-1", "url": "erased-1",
                    "gravatar_id": "", "followers_url": "erased-1", "type": "User", "site_admin": false,
                    "plan": {"name": "pro"}}),
            ),
            (
                json!({"author": {"login": "alice", "avatarUrl": "https://i.example/a", "name": null}}),
                json!({"author": {"login": "erased-1", "avatarUrl": "erased-1", "name": null}}),
            ),
            (
                json!([{"username": "alice", "id": 7, "name": {"first": "Alice"}, "web_url": page}]),
                json!([{"username": "erased-1", "id": 0, "name": "erased-1", "web_url": "erased-1"}]),
            ),
            (
                json!({"username": "alice", "id": "alert-9", "message": "down"}),
                json!({"username": "erased-1", "id": "alert-9", "message": "down"}),
            ),
            (
                json!({"username": "alice", "url": "db://shop", "web_url": page}),
                json!({"username": "erased-1", "url": "db://shop", "web_url": "erased-1"}),
            ),
            (
                json!({"login": "alice", "display_login": "alice", "blog": "a.example", "bio": null}),
                json!({"login": "erased-1", "display_login": "erased-1", "blog": "erased-1", "bio": null}),
            ),
            // Half of it belongs to another person, or to the repository.
            (
                json!({"full_name": "alice/shop", "html_url": "https://forge.example/alice/shop",
                    "owner": {"login": "alice", "name": "Alice"}}),
                json!({"full_name": "alice/shop", "html_url": "https://forge.example/alice/shop",
                    "owner": {"login": "erased-1", "name": "erased-1"}}),
            ),
        ] {
            assert_eq!(taken(&before, false), after, "{before}");
            assert_eq!(taken(&before, true), after, "{before}");
        }
        for others in [
            json!({"login": "bob", "id": 8, "name": "Alice Lee", "url": page}),
            json!({"login": "alice", "id": 8, "name": "A namesake", "url": page}),
            json!({"login": "bob", "actor": "bob", "name": "Bob", "id": "x-1"}),
            json!({"name": "alice", "url": page}),
            // The number 7 of another kind of object.
            json!({"username": "bob", "id": 7, "name": "Bob", "message": "disk full"}),
            json!({"username": "alice", "id": 8, "name": "A namesake"}),
        ] {
            assert_eq!(taken(&others, false), others);
        }
    }

    #[test]
    fn a_long_login_beside_many_numbers() {
        // Reading it again for each number would take minutes.
        let many = format!(r#"{{"login":"{}"{}}}"#, "x".repeat(100_000), r#","id":8"#.repeat(20_000));
        let mut tree = JsonTree::parse(&many).unwrap();
        for erased in [alice(), ErasedPerson::of_name(&NamedPerson::Login("alice".to_owned()), "erased-1")] {
            assert!(!Places::new(&mut PersonReplacement(&erased)).value("", &mut tree));
        }
        let mut collecting = PeopleCollector::default();
        Places::new(&mut collecting).value("", &mut tree);
        assert_eq!(collecting.0.len(), 2);
    }

    #[test]
    fn what_a_person_did_names_them_beside_the_member_that_says_who() {
        let (run, page) = ("https://forge.example/acme/shop/runs/1", "https://forge.example/users/alice/");
        for (before, after) in [
            (
                json!({"user": "alice", "name": "Alice Lee", "email": "private@y.example", "title": "Fix"}),
                json!({"user": "erased-1", "name": "erased-1", "email": "erased-1", "title": "Fix"}),
            ),
            (
                json!({"actor": "Alice", "url": run, "html_url": page, "avatar_url": "https://i.example/a"}),
                json!({"actor": "erased-1", "url": run, "html_url": "erased-1", "avatar_url": "erased-1"}),
            ),
            (
                json!({"user_id": 7, "display-name": "Alice", "html_url": "https://forge.example/u/7?v=4"}),
                json!({"user_id": 0, "display-name": "erased-1", "html_url": "erased-1"}),
            ),
            (
                json!({"name": "Alice Lee", "email": "A.Lee@example.com", "date": "2026-01-02"}),
                json!({"name": "erased-1", "email": "erased-1", "date": "2026-01-02"}),
            ),
            (
                json!({"user_id": 7, "user_name": "Alice Lee", "user_username": "alice", "user_email": "",
                    "user_avatar": "https://i.example/a", "userAgent": "curl", "project": {"name": "shop"}}),
                json!({"user_id": 0, "user_name": "erased-1", "user_username": "erased-1", "user_email": "",
                    "user_avatar": "erased-1", "userAgent": "curl", "project": {"name": "shop"}}),
            ),
            (
                json!({"actor": "alice", "user_name": "Bob", "action": "invited"}),
                json!({"actor": "erased-1", "user_name": "Bob", "action": "invited"}),
            ),
            // Nothing states the owner of this name.
            (
                json!({"user": "alice", "actor": "bob", "name": "Bob"}),
                json!({"user": "erased-1", "actor": "bob", "name": "Bob"}),
            ),
            (
                json!({"username": "bob", "actor": "alice", "name": "Bob"}),
                json!({"username": "bob", "actor": "erased-1", "name": "Bob"}),
            ),
            (
                json!({"login": "", "actor": "alice", "name": "Alice Lee"}),
                json!({"login": "", "actor": "erased-1", "name": "erased-1"}),
            ),
            (
                json!({"user": "alice", "email": ["b@y.example", "a.lee@example.com"]}),
                json!({"user": "erased-1", "email": ["b@y.example", "erased-1"]}),
            ),
            (
                json!({"user": "bob, alice", "name": "a pair"}),
                json!({"user": "bob, erased-1", "name": "a pair"}),
            ),
            (
                json!({"actor": "bob, alice", "user_id": 7, "name": "a pair"}),
                json!({"actor": "bob, erased-1", "user_id": 0, "name": "a pair"}),
            ),
        ] {
            assert_eq!(taken(&before, false), after, "{before}");
        }
        for others in [
            json!({"user": "bob", "name": "Bob", "html_url": page}),
            json!({"actor": "bob", "email": "bob@y.example", "name": "Bob"}),
            json!({"title": "alice", "name": "Alice Lee", "html_url": page}),
        ] {
            assert_eq!(taken(&others, false), others);
        }
        // A shape of Loci keeps its members.
        let own = json!({"user": "alice", "name": "deploy", "url": run});
        assert_eq!(taken(&own, true), json!({"user": "erased-1", "name": "deploy", "url": run}));
        // Text of a client within it does not have that shape.
        let said =
            json!({"body": json!({"user": "alice", "name": "Alice Lee"}).to_string(), "name": "deploy"});
        let gone =
            json!({"body": json!({"user": "erased-1", "name": "erased-1"}).to_string(), "name": "deploy"});
        assert_eq!(taken(&said, true), gone);
    }

    #[test]
    fn pages_of_people() {
        let check = |address: &str, expect: Option<&str>| {
            assert_eq!(person_of_page(address), expect, "{address}");
        };
        check("https://forge.example/alice", Some("alice"));
        check("https://forge.example/@alice/?tab=1", Some("alice"));
        check("https://api.forge.example/v3/users/alice#top", Some("alice"));
        check("https://forge.example/acme/alice", None);
        check("https://forge.example", None);
        check("forge.example/alice", None);
    }
}
