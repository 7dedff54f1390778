//! A person who is erased from the data of others, and the visitors that collect people and replace
//! one. The words of others stay, without the person's name. `person_inventory` lists the visited
//! places. Pure.

use std::collections::BTreeSet;

use loci_engine::access::segment;
use loci_engine::admin::erasure::{is_number, number_of_actor};
use loci_model::ActorId;
use loci_model::tasks::review::ForgeUser;
use loci_model::tasks::task::Task;

use super::people_in_text::{Mention, replaced_in_list, replaced_in_text};
use super::person_fields::PeopleVisitor;
use crate::preferences::owner::PreferenceOwner;

/// The prefix of the domain of addresses that a forge composes from number and login.
const FORGE_DOMAIN: &str = "users.noreply.";

/// A named person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedPerson {
    /// By their login on a forge.
    Login(String),
    /// By their number on the forge.
    Number(String),
    /// By an e-mail address.
    Address(String),
}

/// Collects the people whom nouns name, without changes.
#[derive(Debug, Default)]
pub(super) struct PeopleCollector(pub(super) BTreeSet<NamedPerson>);

impl PeopleCollector {
    fn add(&mut self, name: &str) {
        let name = name.trim_start_matches('@');
        if name.contains('@') {
            self.0.insert(NamedPerson::Address(name.to_owned()));
        } else if !name.is_empty() {
            self.0.insert(NamedPerson::Login(name.to_owned()));
        }
    }
}

impl PeopleVisitor for PeopleCollector {
    fn person(&mut self, name: &str, number: Option<&str>) -> Option<String> {
        self.0.extend(number.map(|number| NamedPerson::Number(number.to_owned())));
        replaced_in_list(name, |name, address| {
            self.add(name);
            self.add(address.unwrap_or_default());
            None
        })
    }

    fn text(&mut self, text: &str) -> Option<String> {
        replaced_in_text(text, |mention| {
            match mention {
                Mention::Login(name) => self.add(name),
                Mention::Address(address) => self.add(address),
            }
            None
        })
    }

    fn is_key(&mut self, name: &str) -> bool {
        self.add(name);
        self.0.insert(NamedPerson::Number(name.to_owned()));
        false
    }
}

/// A person who is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::preferences) struct ErasedPerson {
    /// The present login, and former ones that no other person has now; in lower case.
    logins: BTreeSet<String>,
    user_id: Option<String>,
    /// E-mail addresses, and the names of authors without one; in lower case.
    addresses: BTreeSet<String>,
    /// The pseudonym.
    pseudonym: String,
}

impl ErasedPerson {
    pub(in crate::preferences) fn of(whose: &PreferenceOwner, pseudonym: &str) -> Self {
        Self::new(whose.user_id(), pseudonym).with_names(whose.login())
    }

    /// Returns a person with one known name.
    pub(super) fn of_name(name: &NamedPerson, pseudonym: &str) -> Self {
        match name {
            NamedPerson::Login(name) | NamedPerson::Address(name) => {
                Self::new(None, pseudonym).with_names([name.clone()])
            }
            NamedPerson::Number(number) => Self::new(Some(number), pseudonym),
        }
    }

    fn new(user_id: Option<&str>, pseudonym: &str) -> Self {
        Self {
            logins: BTreeSet::new(),
            user_id: user_id.map(str::to_owned),
            addresses: BTreeSet::new(),
            pseudonym: pseudonym.to_owned(),
        }
    }

    /// Adds the number in the person's actor name, if no number is known.
    pub(super) fn with_number_of(self, place: &ActorId) -> Self {
        let user_id = self.user_id.or_else(|| number_of_actor(place).map(str::to_owned));
        Self { user_id, ..self }
    }

    /// Adds logins and addresses to the person.
    pub(super) fn with_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        for name in names {
            let of_its_kind = if name.contains('@') { &mut self.addresses } else { &mut self.logins };
            of_its_kind.insert(name.to_lowercase());
        }
        self
    }

    /// Adds spellings of an author to the person.
    pub(super) fn with_addresses(mut self, addresses: BTreeSet<String>) -> Self {
        self.addresses.extend(addresses);
        self
    }

    /// Returns the actors of the e-mail addresses: imports look up a person by each name.
    pub(super) fn actors_of_addresses(&self) -> Vec<ActorId> {
        self.addresses.iter().filter_map(|address| actor_of_address(address)).collect()
    }

    pub(super) fn pseudonym(&self) -> &str {
        &self.pseudonym
    }

    fn is_login(&self, login: &str) -> bool {
        self.logins.contains(login.to_lowercase().as_str())
    }

    /// True if a login or number is the person's: compared by number if both are known, else by
    /// login.
    pub(super) fn is(&self, login: &str, id: Option<&str>) -> bool {
        match (&self.user_id, id) {
            (Some(own), Some(id)) => own == id,
            _ => self.is_login(login) || self.addresses.contains(login.to_lowercase().as_str()),
        }
    }

    fn is_address(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        self.addresses.contains(address.as_str()) || self.is_address_of_forge(&address)
    }

    /// True for an address that a forge composed: of the login, or of number and login (`7+carol`,
    /// `7-carol`).
    fn is_address_of_forge(&self, address: &str) -> bool {
        let Some((local, domain)) = address.split_once('@') else { return false };
        let numbered = local.split_once(['+', '-']).filter(|(id, _)| is_number(id));
        domain.starts_with(FORGE_DOMAIN)
            && (self.is_login(local) || numbered.is_some_and(|(id, login)| self.is(login, Some(id))))
    }

    /// True if an item of a list of people is the person.
    fn is_listed(&self, name: &str, address: Option<&str>) -> bool {
        self.is_login(name.trim_start_matches('@'))
            || self.is_address(name)
            || address.is_some_and(|address| self.is_address(address))
    }

    pub(in crate::preferences) fn is_task(&self, task: &Task) -> bool {
        self.is(task.user.as_deref().unwrap_or_default(), task.user_id.as_deref())
    }

    pub(in crate::preferences) fn is_person(&self, person: &ForgeUser) -> bool {
        let id = (person.id != 0).then(|| person.id.to_string());
        self.is(&person.login, id.as_deref())
    }
}

/// Returns the actor of an e-mail address; `None` for a text without `@`.
pub(super) fn actor_of_address(address: &str) -> Option<ActorId> {
    if !address.contains('@') {
        return None;
    }
    let name = segment::encode(&address.to_lowercase(), "address").ok()?;
    ActorId::parse(name).ok()
}

/// Removes a person: the pseudonym replaces every name.
pub(super) struct PersonReplacement<'a>(pub(super) &'a ErasedPerson);

impl PeopleVisitor for PersonReplacement<'_> {
    fn person(&mut self, name: &str, number: Option<&str>) -> Option<String> {
        let erased = self.0;
        if number.is_some() && erased.user_id.is_some() {
            return erased.is(name, number).then(|| erased.pseudonym.clone());
        }
        let new = |name: &str, address: Option<&str>| {
            erased.is_listed(name, address).then(|| erased.pseudonym.clone())
        };
        replaced_in_list(name, new)
    }

    fn text(&mut self, text: &str) -> Option<String> {
        let erased = self.0;
        replaced_in_text(text, |mention| {
            let is_theirs = match mention {
                Mention::Login(name) => erased.is_login(name),
                Mention::Address(address) => erased.is_address(address),
            };
            is_theirs.then(|| erased.pseudonym.clone())
        })
    }

    /// True for a key under the person's own name.
    fn is_key(&mut self, name: &str) -> bool {
        self.0.user_id.as_deref() == Some(name) || self.0.is_login(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carol(user_id: Option<&str>) -> ErasedPerson {
        let name = NamedPerson::Login("Carol".to_owned());
        let erased = ErasedPerson::of_name(&name, "erased-1").with_names(["c.dee@example.com".to_owned()]);
        ErasedPerson { user_id: user_id.map(str::to_owned), ..erased }
    }

    #[test]
    fn a_person_is_known_by_number_login_and_address() {
        let check = |user_id: Option<&str>, name: &str, number: Option<&str>, expect: Option<&str>| {
            let erased = carol(user_id);
            let found = PersonReplacement(&erased).person(name, number);
            assert_eq!(found.as_deref(), expect, "{user_id:?} {name} {number:?}");
        };
        check(None, "CAROL", None, Some("erased-1"));
        check(Some("7"), "carol", None, Some("erased-1"));
        check(Some("7"), "carol", Some("7"), Some("erased-1"));
        check(Some("7"), "caz", Some("7"), Some("erased-1"));
        check(Some("7"), "carol", Some("8"), None);
        check(None, "carol", Some("8"), Some("erased-1"));
        check(None, "Carol Dee <C.Dee@example.com>", None, Some("erased-1"));
        check(None, "Dee <7+carol@users.noreply.github.com>", None, Some("erased-1"));
        check(Some("7"), "Dee <7+caz@users.noreply.github.com>", None, Some("erased-1"));
        check(Some("7"), "Dee <8+carol@users.noreply.github.com>", None, None);
        check(None, "carol-x@users.noreply.github.com", None, None);
        check(None, "Carol Jones <carol@other.org>", None, None);
        check(None, "Bob <b@x.org>, @carol", None, Some("Bob <b@x.org>, erased-1"));
        check(None, "", None, None);
    }

    #[test]
    fn an_address_has_an_actor() {
        assert!(actor_of_address("c.dee@example.com").is_some());
        assert_eq!(actor_of_address("C.Dee@example.com"), actor_of_address("c.dee@example.com"));
        assert_eq!(actor_of_address("carol"), None);
    }
}
