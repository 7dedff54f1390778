//! Rules on people: for which users a caller acts, and which operations only a person may call. A
//! key that acts for a user does not count as that user in person.

use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::{ActorId, Error, MemoryId, NamespaceFilter, Result, Timestamp};

use super::{bound_view, grants, require_place, require_whole, segment};
use crate::hooks::Products;

/// The error text for a caller who names a user for whom it may not act.
const NOT_THAT_USER: &str = "the caller is neither that user nor an administrator: its key needs a grant on that actor, or the capability impersonate";

/// Returns the error for a request on data that belongs to another user.
pub fn another_users() -> Error {
    Error::denied(NOT_THAT_USER)
}

/// Checks that the caller is the person whom a request concerns. The caller needs a grant on
/// exactly that person's events or namespace, or has the person's name and a grant that covers
/// the namespace. A grant on a whole memory does not make the caller every person in it.
pub fn require_person(
    caller: &Principal,
    memory: &MemoryId,
    login: &ActorId,
    place: &NamespaceFilter,
    capability: Capability,
) -> Result<()> {
    let is_theirs = |grant: &Grant| {
        let of_place = grant.namespace.as_ref().is_some_and(|granted| granted.normal() == place.normal());
        let of_actor = grant.actor.as_ref() == Some(login) && grant.namespace.is_none();
        (of_place || of_actor) && grant.session.is_none() && grant.strategy.is_none() && !grant.is_bound()
    };
    let name = caller.name.to_lowercase();
    // If a name is not valid as an actor, the login is its encoded form.
    let is_login =
        name == login.as_str() || segment::encode(&name, "user").is_ok_and(|name| name == login.as_str());
    let is_named = is_login && require_place(caller, memory, (login, None), place, capability).is_ok();
    if is_named || grants(caller, memory, capability).any(is_theirs) {
        Ok(())
    } else {
        Err(Error::denied("the caller is neither that user nor an administrator"))
    }
}

/// Requires that the caller is the user of an operations agent's memory, may impersonate that user,
/// or is an administrator. The caller is the user by name or by a grant of the capability on that
/// user alone. Permission to read or write a whole memory does not make the caller every user of
/// it. Access to the user's data is checked separately.
pub fn require_user(
    caller: &Principal,
    memory: &MemoryId,
    (actor, user): (&ActorId, &str),
    capability: Capability,
) -> Result<()> {
    let is_theirs = |grant: &Grant| grant.actor.as_ref() == Some(actor);
    if grants(caller, memory, capability).any(is_theirs) || may_impersonate(caller, memory, actor) {
        return Ok(());
    }
    require_user_in_person(caller, memory, user).map_err(|_| another_users())
}

/// Checks that the caller is the user by name, or an administrator. A grant on the user's data is
/// not enough, because the key may belong to an agent that works for the user but does not decide
/// for the user.
pub fn require_user_in_person(caller: &Principal, memory: &MemoryId, user: &str) -> Result<()> {
    if caller.name == user || require_whole(caller, memory, Capability::Admin).is_ok() {
        Ok(())
    } else {
        Err(Error::denied("the caller is neither that user nor an administrator"))
    }
}

/// Checks that the caller may report the outcome of an investigation: the user of the
/// investigation in person, an administrator, or a key with the capability `outcome` on the
/// namespace of the investigation's record. Other grants are not enough, because an agent must
/// not judge its own work.
pub fn require_outcome(
    products: &Products,
    caller: &Principal,
    memory: &MemoryId,
    (record, user): (&Record, &str),
    now: Timestamp,
) -> Result<()> {
    if bound_view(products, caller, memory, Capability::Outcome, now).is_ok_and(|view| view.admits(record)) {
        return Ok(());
    }
    require_user_in_person(caller, memory, user).map_err(|_| {
        Error::denied(
            "the caller is neither that user nor an administrator, nor has a grant of outcome there",
        )
    })
}

/// Returns true if a read of facts counts as a person's read: the call states `by_person`, and
/// the key administers the memory or has the capability `unverified` on it. For other keys the
/// parameter has no effect, because an agent can send it too.
pub fn is_person(caller: &Principal, memory: &MemoryId, by_person: bool) -> bool {
    let has = |capability| require_whole(caller, memory, capability).is_ok();
    by_person && (has(Capability::Admin) || has(Capability::Unverified))
}

/// Checks that the caller may read unverified facts of a memory. The caller needs the capability
/// `unverified` on the whole memory, or must be an administrator of the memory whose call states
/// `by_person`.
///
/// # Errors
/// `Denied`, on `verify`.
pub fn require_unverified(caller: &Principal, memory: &MemoryId, by_person: bool) -> Result<()> {
    let is_granted = require_whole(caller, memory, Capability::Unverified).is_ok();
    if is_granted || (by_person && require_whole(caller, memory, Capability::Admin).is_ok()) {
        return Ok(());
    }
    let rule = "verify: none needs the capability unverified on the memory: leave verify out, or give cached or fresh";
    Err(Error::denied(rule).on("verify"))
}

/// Returns true if the caller may act for a user, by a grant of `impersonate` on that user or on
/// all users.
pub fn may_impersonate(caller: &Principal, memory: &MemoryId, user: &ActorId) -> bool {
    named_users(caller, memory).any(|named| named.is_none_or(|named| named == user))
}

/// Returns true if the caller may act for some or all users, by grants of `impersonate`.
pub fn acts_for_users(caller: &Principal, memory: &MemoryId) -> bool {
    named_users(caller, memory).next().is_some()
}

/// Returns the users for whom the caller may act, by grants of `impersonate` without other
/// restrictions; an entry `None` means any user.
pub(super) fn named_users<'a>(
    caller: &'a Principal,
    memory: &'a MemoryId,
) -> impl Iterator<Item = Option<&'a ActorId>> {
    let is_of_actors = |grant: &&Grant| {
        grant.namespace.is_none() && grant.strategy.is_none() && grant.session.is_none() && !grant.is_bound()
    };
    grants(caller, memory, Capability::Impersonate).filter(is_of_actors).map(|grant| grant.actor.as_ref())
}

#[cfg(test)]
mod tests {
    use loci_model::{Namespace, SessionId};

    use super::*;

    fn memory(text: &str) -> MemoryId {
        MemoryId::parse(text).unwrap()
    }

    #[test]
    fn facts_are_read_unverified_by_capability_or_in_person() {
        let (id, elsewhere) = (memory("code-0123456789"), memory("else-0123456789"));
        let grant = |memory: Option<&MemoryId>, capability: Capability| Grant {
            memory: memory.cloned(),
            capabilities: [Capability::Read, capability].into(),
            ..Grant::everything()
        };
        let check = |grants: Vec<Grant>, by_person: bool, expect: bool| {
            let caller = Principal { name: "agent".into(), grants };
            let asked = require_unverified(&caller, &id, by_person);
            assert_eq!(asked.is_ok(), expect, "{caller:?} {by_person}");
        };
        for by_person in [false, true] {
            check(vec![grant(None, Capability::Unverified)], by_person, true);
            check(vec![grant(Some(&id), Capability::Unverified)], by_person, true);
            check(vec![grant(Some(&elsewhere), Capability::Unverified)], by_person, false);
            check(vec![grant(None, Capability::Write)], by_person, false);
            let of_one = Some(ActorId::parse("acme/shop").unwrap());
            let narrow = Grant { actor: of_one, ..grant(None, Capability::Unverified) };
            check(
                vec![Grant { capabilities: [Capability::Read].into(), ..Grant::everything() }, narrow],
                by_person,
                false,
            );
            check(vec![Grant::everything()], by_person, by_person);
            check(vec![grant(Some(&elsewhere), Capability::Admin)], by_person, false);
        }
    }

    #[test]
    fn a_person_is_whoever_says_so_with_a_key_that_may_act_as_one() {
        let (id, elsewhere) = (memory("code-0123456789"), memory("else-0123456789"));
        let check = |capability: Capability, part: Grant, expect: bool| {
            let grants = vec![Grant { capabilities: [Capability::Read, capability].into(), ..part }];
            let caller = Principal { name: "agent".into(), grants };
            assert_eq!(is_person(&caller, &id, true), expect, "{caller:?}");
            assert!(!is_person(&caller, &id, false), "{caller:?}");
        };
        let all = Grant::everything;
        check(Capability::Admin, all(), true);
        check(Capability::Unverified, all(), true);
        check(Capability::Write, all(), false);
        check(Capability::Impersonate, all(), false);
        check(Capability::Admin, Grant { memory: Some(elsewhere), ..all() }, false);
        let of_one = Some(ActorId::parse("acme/shop").unwrap());
        check(Capability::Unverified, Grant { actor: of_one, ..all() }, false);
    }

    #[test]
    fn whoever_may_name_a_user_works_for_them() {
        let id = memory("ops-0123456789");
        let bob = ActorId::parse("bob").unwrap();
        let check = |part: Grant, capability: Capability, expect: bool| {
            let caller = Principal {
                name: "agent".into(),
                grants: vec![
                    Grant { capabilities: [Capability::Read].into(), ..Grant::everything() },
                    Grant { capabilities: [capability].into(), ..part.clone() },
                ],
            };
            let asked = require_user(&caller, &id, (&bob, "bob"), Capability::Read);
            assert_eq!(asked.is_ok(), expect, "{capability:?} {part:?}");
            assert!(require_user_in_person(&caller, &id, "bob").is_err(), "{part:?}");
        };
        let all = Grant::everything;
        let of = |actor: &str| Grant { actor: Some(ActorId::parse(actor).unwrap()), ..all() };
        check(all(), Capability::Impersonate, true);
        check(all(), Capability::Read, false);
        check(all(), Capability::Worker, false);
        check(of("bob"), Capability::Impersonate, true);
        check(of("alice"), Capability::Impersonate, false);
        check(Grant { memory: Some(id.clone()), ..all() }, Capability::Impersonate, true);
        let elsewhere = memory("else-0123456789");
        check(Grant { memory: Some(elsewhere), ..all() }, Capability::Impersonate, false);
        let session = SessionId::parse("s").unwrap();
        check(Grant { session: Some(session), ..all() }, Capability::Impersonate, false);
        let namespace = Namespace::parse("/sre/users/bob/").unwrap();
        check(Grant { namespace: Some(namespace), ..all() }, Capability::Impersonate, false);
    }
}
