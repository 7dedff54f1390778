//! Access: the one place that says who may do what (agentcore-wire.md §17, architecture §7).
//!
//! Authorization precedes existence: what a caller may not see is denied or not found, whether it exists or not.

use loci_model::bounds::Bounds;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::scope::AccessClause;
use loci_model::{
    ActorId, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, SessionId, Timestamp,
};

use crate::bound::{self, EventView};
use crate::sre::{OfUser, UsersPlaces, id_of, is_kept_from, is_on_user, segment, user_of_preference};

/// What is said to whoever names another user than themselves (sre-memory.md §9.1).
const NOT_THAT_USER: &str = "the caller is neither that user nor an administrator: its key needs a grant on that actor, or the capability impersonate";

/// What a caller may do in one memory with one capability: a union of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    clauses: Vec<AccessClause>,
    /// Who reads: what operations memory keeps to another user is not theirs, whatever their grants reach. `None`: an administrator.
    reader: Option<Reader>,
}

/// Who reads or writes without administering the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reader {
    name: String,
    /// Whom they may name as the user they work for; `None`: anybody.
    names: Vec<Option<ActorId>>,
    /// Where the memory keeps users' preferences, once the memory is known.
    places: Option<UsersPlaces>,
}

impl View {
    /// The parts, for a [`loci_model::scope::RecordScope`].
    pub fn clauses(&self) -> &[AccessClause] {
        &self.clauses
    }

    /// True when nothing of the memory is kept back.
    pub fn is_whole(&self) -> bool {
        self.clauses.iter().any(AccessClause::is_whole)
    }

    /// The same view of a memory that is known by now: what lies where its users' preferences do is theirs, whoever wrote it.
    #[must_use]
    pub(crate) fn within(&self, memory: &Memory) -> Self {
        let known = |reader: &Reader| Reader { places: UsersPlaces::of(memory), ..reader.clone() };
        Self { clauses: self.clauses.clone(), reader: self.reader.as_ref().map(known) }
    }

    /// True for what operations memory keeps to another user.
    pub fn keeps_from(&self, record: &Record) -> bool {
        let Some(reader) = &self.reader else { return false };
        let in_place = || reader.places.as_ref().and_then(|places| places.user_of_record(record));
        let place = || NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
        is_kept_from(record, &reader.name)
            || in_place()
                .or_else(|| user_of_preference(record))
                .is_some_and(|of| !self.is_for(reader, &of, &place()))
    }

    /// True where a part of the tree, in a memory that is known, is another user's alone.
    pub(crate) fn is_of_another(&self, asked: &NamespaceFilter) -> bool {
        let Some(reader) = &self.reader else { return false };
        let of = reader.places.as_ref().and_then(|places| places.user_of_all(asked.normal()));
        of.is_some_and(|of| !self.is_for(reader, &of, asked))
    }

    /// True for the user by name, for whoever may name them, and for a grant that was made for them: on their actor, or on their part of the tree.
    fn is_for(&self, reader: &Reader, of: &OfUser, place: &NamespaceFilter) -> bool {
        let is_them = |actor: &ActorId| id_of(actor) == of.user;
        let is_made_for_them = |clause: &AccessClause| {
            let on_place = |granted: &NamespaceFilter| {
                granted.intersect(place).is_some() && is_on_user(granted.normal(), of)
            };
            // A grant on a session of theirs, or on some of what they said, is on that.
            let is_all =
                clause.session.is_none() && clause.strategy.is_none() && clause.bounds == Bounds::default();
            let is_on_them = is_all && clause.actor.as_ref().is_some_and(is_them);
            is_on_them || clause.namespace.as_ref().is_some_and(on_place)
        };
        reader.name == of.user
            || reader.names.iter().any(|one| one.as_ref().is_none_or(is_them))
            || self.clauses.iter().any(is_made_for_them)
    }

    /// True when the record lies in one of the parts.
    pub fn admits(&self, record: &Record) -> bool {
        !self.keeps_from(record) && self.clauses.iter().any(|clause| clause.admits_record(record))
    }

    /// Puts a record that is about to be written into the view, by the metadata that grants bind.
    ///
    /// # Errors
    /// `Denied` where it would be out of the view; `Invalid` where the caller must choose a value.
    pub(crate) fn take_in(&self, record: &mut Record) -> Result<()> {
        let namespace = record.namespace.normal();
        let from = &record.provenance;
        let holds = |clause: &&AccessClause| {
            clause.admits(&namespace, record.strategy.as_ref(), from.actor.as_ref(), from.session.as_ref())
        };
        let parts: Vec<&Bounds> = self.clauses.iter().filter(holds).map(|clause| &clause.bounds).collect();
        if parts.is_empty() {
            return Err(Error::denied("the caller may not write in this namespace"));
        }
        if self.keeps_from(record) {
            return Err(another_users());
        }
        bound::stamp_record(parts.into_iter(), record)
    }

    /// True where one of the parts reaches a node of the tree, and records of that actor there.
    /// Without an actor, only parts that are on no actor do.
    pub(crate) fn reaches(&self, place: &NamespaceFilter, actor: Option<&ActorId>) -> bool {
        self.clauses.iter().any(|clause| {
            clause.actor.as_ref().is_none_or(|granted| Some(granted) == actor)
                && clause.namespace.as_ref().is_none_or(|granted| place.intersect(granted).is_some())
        })
    }

    /// The narrowest reading of a filter that the parts allow: `None` where they have nothing in common.
    /// The flag says that something was kept back.
    pub fn narrow(&self, asked: &NamespaceFilter) -> Option<(Vec<NamespaceFilter>, bool)> {
        let mut narrowed = Vec::new();
        for clause in &self.clauses {
            let part = match &clause.namespace {
                None => Some(asked.clone()),
                Some(granted) => asked.intersect(granted),
            };
            narrowed.extend(part.filter(|part| !narrowed.contains(part)));
        }
        let kept_back = !narrowed.contains(asked);
        (!narrowed.is_empty()).then_some((narrowed, kept_back))
    }
}

fn grants<'a>(
    caller: &'a Principal,
    memory: &'a MemoryId,
    capability: Capability,
) -> impl Iterator<Item = &'a Grant> {
    caller.grants.iter().filter(move |grant| {
        grant.capabilities.contains(&capability)
            && grant.memory.as_ref().is_none_or(|granted| granted == memory)
    })
}

fn refused(what: &str) -> Error {
    Error::denied(format!("the caller's grants do not allow {what}"))
}

/// The error for what is another user's.
pub(crate) fn another_users() -> Error {
    Error::denied(NOT_THAT_USER)
}

/// The error for a write with an answer that shows stored content, or depends on it, where the
/// caller may not read that content.
pub(crate) fn needs_reading(what: &str) -> Error {
    let rule = format!("the answer to {what} depends on what is stored");
    Error::denied(format!("{rule}: the key needs a grant of read there, too"))
}

/// Requires a grant on the whole of a memory.
pub fn require_whole(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<()> {
    if grants(caller, memory, capability).any(|grant| grant.is_whole(memory)) {
        Ok(())
    } else {
        Err(refused("this on the whole memory"))
    }
}

/// The memories of which a caller has the whole by grants of their own; `None`: every memory.
pub fn whole_memories(caller: &Principal, capability: Capability) -> Option<Vec<MemoryId>> {
    let mut memories = Vec::new();
    for grant in caller.grants.iter().filter(|grant| grant.capabilities.contains(&capability)) {
        let is_part = grant.actor.is_some()
            || grant.session.is_some()
            || grant.namespace.is_some()
            || grant.strategy.is_some()
            || grant.is_bound();
        match &grant.memory {
            _ if is_part => {}
            None => return None,
            Some(memory) => memories.push(memory.clone()),
        }
    }
    memories.sort();
    memories.dedup();
    Some(memories)
}

/// Requires the right to make memories: a grant of admin on every memory.
pub fn require_server_admin(caller: &Principal) -> Result<()> {
    let everything = |grant: &Grant| {
        grant.capabilities.contains(&Capability::Admin)
            && grant.memory.is_none()
            && grant.actor.is_none()
            && grant.session.is_none()
            && grant.namespace.is_none()
            && grant.strategy.is_none()
            && !grant.is_bound()
    };
    if caller.grants.iter().any(everything) { Ok(()) } else { Err(refused("administration of the server")) }
}

/// True when the caller has any grant that touches the memory, but that of an agent: it may know of the memory.
pub fn may_know(caller: &Principal, memory: &MemoryId) -> bool {
    [Capability::Read, Capability::Write, Capability::Admin]
        .into_iter()
        .any(|capability| grants(caller, memory, capability).next().is_some())
}

/// True when the caller may act as the agent of some task of the memory.
pub(crate) fn may_act(caller: &Principal, memory: &MemoryId) -> bool {
    grants(caller, memory, Capability::Agent).next().is_some()
}

/// The caller's grants to hand in answers of that worker agent.
pub(crate) fn of_worker<'a>(
    caller: &'a Principal,
    memory: &'a MemoryId,
    agent: &'a ActorId,
) -> impl Iterator<Item = &'a Grant> {
    let is_of_agent = move |grant: &&Grant| grant.actor.as_ref().is_none_or(|granted| granted == agent);
    grants(caller, memory, Capability::Worker).filter(is_of_agent)
}

/// True when the caller may hand in answers of some worker agent of the memory.
pub(crate) fn may_report(caller: &Principal, memory: &MemoryId) -> bool {
    grants(caller, memory, Capability::Worker).next().is_some()
}

/// True when the caller may act as the agent of the task of that actor and session.
pub(crate) fn is_agent_of(
    caller: &Principal,
    memory: &MemoryId,
    (actor, session): (&ActorId, &SessionId),
) -> bool {
    grants(caller, memory, Capability::Agent).any(|grant| covers_events(grant, actor, Some(session)))
}

/// Requires a grant on events of an actor, or of one session of it: by actor (and session) or on the whole memory.
/// Without `session`, a grant on one session is not enough.
pub fn require_events(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    session: Option<&SessionId>,
    capability: Capability,
) -> Result<()> {
    if grants(caller, memory, capability).any(|grant| covers_events(grant, actor, session)) {
        Ok(())
    } else {
        Err(refused("this on events of that actor and session"))
    }
}

/// Which events of an actor, or of one session of it, the caller may read or write: grants that are narrower than their
/// places count here, too.
///
/// # Errors
/// `Denied` where there is no such grant.
pub(crate) fn event_view(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    session: Option<&SessionId>,
    capability: Capability,
    now: Timestamp,
) -> Result<EventView> {
    let parts: Vec<Bounds> = grants(caller, memory, capability)
        .filter(|grant| is_place_of(grant, actor, session))
        .map(|grant| grant.bounds(now))
        .collect();
    if parts.is_empty() {
        Err(refused("this on events of that actor and session"))
    } else {
        Ok(EventView::of(parts))
    }
}

/// Requires a grant on what an actor's session wrote, as events or as records: one on its events, or on a part of the tree that
/// holds all of `place`.
pub fn require_place(
    caller: &Principal,
    memory: &MemoryId,
    (actor, session): (&ActorId, Option<&SessionId>),
    place: &NamespaceFilter,
    capability: Capability,
) -> Result<()> {
    let holds = |grant: &Grant| {
        is_of_tree(grant) && clause(grant).namespace.is_some_and(|granted| granted.covers(place))
    };
    let granted =
        grants(caller, memory, capability).any(|grant| covers_events(grant, actor, session) || holds(grant));
    if granted { Ok(()) } else { Err(refused("this on that actor and session")) }
}

/// Requires that the caller is a person: a grant on that one's events or place and on no other's, or the person's name and a grant that
/// reaches the place. Who may read a whole memory is not every person in it.
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
    // Where a name is no actor's, the login is encoded.
    let is_login =
        name == login.as_str() || segment::encode(&name, "user").is_ok_and(|name| name == login.as_str());
    let is_named = is_login && require_place(caller, memory, (login, None), place, capability).is_ok();
    if is_named || grants(caller, memory, capability).any(is_theirs) {
        Ok(())
    } else {
        Err(Error::denied("the caller is neither that user nor an administrator"))
    }
}

/// Requires that the caller is the user of an operations agent's memory, by name or by a grant of this on that user alone, may name that user as the
/// one it works for, or is an administrator: who may read or write a whole memory is not every user of it. What of the user's the caller reaches
/// is another question, and is asked besides.
pub(crate) fn require_user(
    caller: &Principal,
    memory: &MemoryId,
    (actor, user): (&ActorId, &str),
    capability: Capability,
) -> Result<()> {
    let is_theirs = |grant: &Grant| grant.actor.as_ref() == Some(actor);
    if grants(caller, memory, capability).any(is_theirs)
        || named_users(caller, memory).any(|named| named.is_none_or(|named| named == actor))
    {
        return Ok(());
    }
    require_user_in_person(caller, memory, user).map_err(|_| another_users())
}

/// Requires that the caller is that user by name, or an administrator: a key with a grant on the user may be an agent's, which works for
/// the user and decides nothing in their stead.
pub(crate) fn require_user_in_person(caller: &Principal, memory: &MemoryId, user: &str) -> Result<()> {
    if caller.name == user || require_whole(caller, memory, Capability::Admin).is_ok() {
        Ok(())
    } else {
        Err(Error::denied("the caller is neither that user nor an administrator"))
    }
}

/// Requires that the caller may tell what came of an investigation: its user in person, an administrator, or whoever has a grant of just that on
/// the place of its record. An agent that works for the user, by whatever grant, judges nothing of its own work.
pub(crate) fn require_outcome(
    caller: &Principal,
    memory: &MemoryId,
    (record, user): (&Record, &str),
    now: Timestamp,
) -> Result<()> {
    if bound_view(caller, memory, Capability::Outcome, now).is_ok_and(|view| view.admits(record)) {
        return Ok(());
    }
    require_user_in_person(caller, memory, user).map_err(|_| {
        Error::denied(
            "the caller is neither that user nor an administrator, nor has a grant of outcome there",
        )
    })
}

/// True where all events of the place are granted.
fn covers_events(grant: &Grant, actor: &ActorId, session: Option<&SessionId>) -> bool {
    is_place_of(grant, actor, session) && !grant.is_bound()
}

/// True where the grant is on all records of its part of the tree.
fn is_of_tree(grant: &Grant) -> bool {
    grant.actor.is_none() && grant.session.is_none() && grant.strategy.is_none() && !grant.is_bound()
}

/// True where the grant is on the events of the place, or on some of them.
fn is_place_of(grant: &Grant, actor: &ActorId, session: Option<&SessionId>) -> bool {
    grant.namespace.is_none()
        && grant.strategy.is_none()
        && grant.actor.as_ref().is_none_or(|granted| granted == actor)
        && grant.session.as_ref().is_none_or(|granted| Some(granted) == session)
}

/// The actors whose events the caller may list, or some of whose; `None`: all of them.
pub fn visible_actors(caller: &Principal, memory: &MemoryId) -> Result<Option<Vec<ActorId>>> {
    let mut actors = Vec::new();
    for grant in grants(caller, memory, Capability::Read) {
        if grant.namespace.is_some() || grant.strategy.is_some() || grant.session.is_some() {
            continue;
        }
        match &grant.actor {
            None => return Ok(None),
            Some(actor) => actors.push(actor.clone()),
        }
    }
    if actors.is_empty() {
        return Err(refused("listing the actors of this memory"));
    }
    actors.sort();
    actors.dedup();
    Ok(Some(actors))
}

/// The sessions of an actor that the caller may list, or some events of which; `None`: all of them.
pub fn visible_sessions(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
) -> Result<Option<Vec<SessionId>>> {
    let mut sessions = Vec::new();
    for grant in grants(caller, memory, Capability::Read) {
        if grant.namespace.is_some()
            || grant.strategy.is_some()
            || grant.actor.as_ref().is_some_and(|granted| granted != actor)
        {
            continue;
        }
        match &grant.session {
            None => return Ok(None),
            Some(session) => sessions.push(session.clone()),
        }
    }
    if sessions.is_empty() {
        return Err(refused("listing the sessions of that actor"));
    }
    sessions.sort();
    sessions.dedup();
    Ok(Some(sessions))
}

/// The parts of a memory of all whose records the caller may read or write; denied where there are none. Grants that are
/// narrower than their places do not count: what is told of a place beside its records is not told to them.
pub fn record_view(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<View> {
    let of_places = grants(caller, memory, capability).filter(|grant| !grant.is_bound());
    view(of_places.map(clause).collect(), "this on records of that memory")
}

/// The same for what reads and writes records one by one: parts of which the caller has some records count, too, as they
/// are at `now`.
pub fn bound_view(
    caller: &Principal,
    memory: &MemoryId,
    capability: Capability,
    now: Timestamp,
) -> Result<View> {
    let bound = |grant: &Grant| AccessClause { bounds: grant.bounds(now), ..clause(grant) };
    let whole =
        view(grants(caller, memory, capability).map(bound).collect(), "this on records of that memory")?;
    let is_admin = require_whole(caller, memory, Capability::Admin).is_ok();
    Ok(View { reader: (!is_admin).then(|| reader(caller, memory)), ..whole })
}

fn reader(caller: &Principal, memory: &MemoryId) -> Reader {
    let names = named_users(caller, memory).map(|named| named.cloned()).collect();
    Reader { name: caller.name.clone(), names, places: None }
}

/// Checks that the caller may read facts of a memory which nobody verified: by the capability on the
/// whole memory, or in person as an administrator of the memory.
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

/// Whom a caller may name as the user it works for, by grants that nothing else narrows; `None`: anybody.
fn named_users<'a>(caller: &'a Principal, memory: &'a MemoryId) -> impl Iterator<Item = Option<&'a ActorId>> {
    let is_of_actors = |grant: &&Grant| {
        grant.namespace.is_none() && grant.strategy.is_none() && grant.session.is_none() && !grant.is_bound()
    };
    grants(caller, memory, Capability::Impersonate).filter(is_of_actors).map(|grant| grant.actor.as_ref())
}

/// The actors for whom a caller works by grants of `impersonate`, each once and in order; `None`
/// among them: any user.
pub(crate) fn acts_for(caller: &Principal, memory: &MemoryId) -> Vec<Option<ActorId>> {
    let mut actors: Vec<Option<ActorId>> = named_users(caller, memory).map(|named| named.cloned()).collect();
    actors.sort();
    actors.dedup();
    actors
}

fn view(clauses: Vec<AccessClause>, what: &str) -> Result<View> {
    if clauses.is_empty() { Err(refused(what)) } else { Ok(View { clauses, reader: None }) }
}

/// The part of a memory that one whole namespace is, with what lies beneath where the grant has it; denied without a grant on all of
/// it: a tree of files has no documents that some of its readers may not see.
pub fn tree_view(
    caller: &Principal,
    memory: &MemoryId,
    namespace: &Namespace,
    capability: Capability,
) -> Result<View> {
    let normal = namespace.normal();
    let holds = |clause: &AccessClause| {
        clause.namespace.as_ref().is_none_or(|granted| granted.admits_normal(&normal))
    };
    let of_tree = grants(caller, memory, capability).filter(|grant| is_of_tree(grant));
    view(of_tree.map(clause).filter(holds).collect(), "this on the whole namespace")
}

fn clause(grant: &Grant) -> AccessClause {
    let subtree = |namespace: &Namespace| NamespaceFilter::new(namespace, NamespaceMatch::Subtree);
    AccessClause {
        actor: grant.actor.clone(),
        session: grant.session.clone(),
        namespace: grant.namespace.as_ref().map(subtree),
        strategy: grant.strategy.clone(),
        bounds: Bounds::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn memory(text: &str) -> MemoryId {
        MemoryId::parse(text).unwrap()
    }

    fn reader(grant: Grant) -> Principal {
        let capabilities = BTreeSet::from([Capability::Read]);
        Principal { name: "t".into(), grants: vec![Grant { capabilities, ..grant }] }
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
    fn a_namespace_grant_gives_no_events() {
        let id = memory("notes-0123456789");
        let alice = Namespace::parse("/users/alice/").unwrap();
        let caller =
            reader(Grant { memory: Some(id.clone()), namespace: Some(alice), ..Grant::everything() });
        let actor = ActorId::parse("alice").unwrap();
        assert!(require_events(&caller, &id, &actor, None, Capability::Read).is_err());
        assert!(visible_actors(&caller, &id).is_err());
        assert!(require_whole(&caller, &id, Capability::Read).is_err());
        assert!(record_view(&caller, &id, Capability::Write).is_err());
        assert!(record_view(&caller, &memory("other-0123456789"), Capability::Read).is_err());
        let view = record_view(&caller, &id, Capability::Read).unwrap();
        let filter = |text, mode| NamespaceFilter::new(&Namespace::parse(text).unwrap(), mode);
        let wide = filter("/", NamespaceMatch::Subtree);
        let (narrowed, kept_back) = view.narrow(&wide).unwrap();
        assert_eq!((narrowed, kept_back), (vec![filter("/users/alice", NamespaceMatch::Subtree)], true));
        assert!(view.narrow(&filter("/users/bob", NamespaceMatch::Exact)).is_none());
        assert!(view.narrow(&filter("/users/alicex", NamespaceMatch::Subtree)).is_none());
    }

    #[test]
    fn a_session_grant_is_not_the_actor() {
        let id = memory("notes-0123456789");
        let session = SessionId::parse("s").unwrap();
        let caller = reader(Grant { session: Some(session.clone()), ..Grant::everything() });
        let actor = ActorId::parse("alice").unwrap();
        assert!(require_events(&caller, &id, &actor, Some(&session), Capability::Read).is_ok());
        assert!(require_events(&caller, &id, &actor, None, Capability::Read).is_err());
        assert_eq!(visible_sessions(&caller, &id, &actor).unwrap(), Some(vec![session]));
        assert!(visible_actors(&caller, &id).is_err());
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
