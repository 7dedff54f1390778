//! Views: the parts of one memory whose records a caller may read or write with one capability.
//! Only an administrator's view has the records that a product keeps to another user.

use loci_model::memory::Memory;
use loci_model::principal::bounds::Bounds;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::record::scope::AccessClause;
use loci_model::{ActorId, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, Timestamp};

use super::people::{another_users, named_users};
use super::{grants, is_of_tree, refused, require_whole, segment};
use crate::access::grant_restrictions;
use crate::hooks::{NamespaceOwner, NamespaceOwners, Products};

/// The parts of one memory in which a caller may use one capability: a union.
#[derive(Debug, Clone)]
pub struct View {
    clauses: Vec<AccessClause>,
    /// The reader: what a product keeps to another user is not theirs, whatever their
    /// grants reach. `None`: an administrator.
    reader: Option<Reader>,
}

/// A caller that does not administer the memory.
#[derive(Debug, Clone)]
struct Reader {
    name: String,
    /// The users that they may name as the one they work for; `None`: all.
    names: Vec<Option<ActorId>>,
    products: Products,
    /// The owners of namespaces, once the memory is known.
    owners: NamespaceOwners,
}

impl View {
    /// The parts, for a [`loci_model::record::scope::RecordScope`].
    pub fn clauses(&self) -> &[AccessClause] {
        &self.clauses
    }

    /// Returns true when nothing of the memory is kept back.
    pub fn is_whole(&self) -> bool {
        self.clauses.iter().any(AccessClause::is_whole)
    }

    /// The same view of a memory that is known by now: what lies where its users' preferences do is
    /// theirs, whoever wrote it.
    #[must_use]
    pub fn within(&self, memory: &Memory) -> Self {
        let known =
            |reader: &Reader| Reader { owners: reader.products.namespace_owners(memory), ..reader.clone() };
        Self { clauses: self.clauses.clone(), reader: self.reader.as_ref().map(known) }
    }

    /// Returns true for what is kept to another user.
    pub fn keeps_from(&self, record: &Record) -> bool {
        let Some(reader) = &self.reader else { return false };
        let place = || NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
        let mut owners = reader.products.owners_of_record(&reader.owners, record);
        reader.products.is_kept_from(record, &reader.name)
            || owners.any(|of| !self.is_for(reader, &of, &place()))
    }

    /// Returns true where a part of the tree, in a memory that is known, is another user's alone.
    pub fn is_of_another(&self, asked: &NamespaceFilter) -> bool {
        let Some(reader) = &self.reader else { return false };
        let mut owners = reader.owners.owners_of_all(asked.normal());
        owners.any(|of| !self.is_for(reader, &of, asked))
    }

    /// Returns true for the user by name, for whoever may name them, and for a grant that was made
    /// for them: on their actor, or on their part of the tree.
    fn is_for(&self, reader: &Reader, of: &NamespaceOwner, place: &NamespaceFilter) -> bool {
        let is_them = |actor: &ActorId| segment::user_of(actor) == of.user;
        let is_made_for_them = |clause: &AccessClause| {
            let on_place =
                |granted: &NamespaceFilter| granted.intersect(place).is_some() && of.holds(granted.normal());
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

    /// Returns true when the record lies in one of the parts.
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
        grant_restrictions::stamp_record(parts.into_iter(), record)
    }

    /// Returns true where one of the parts reaches a node of the tree, and records of that actor
    /// there. Without an actor, only parts that are on no actor do.
    pub fn reaches(&self, place: &NamespaceFilter, actor: Option<&ActorId>) -> bool {
        self.clauses.iter().any(|clause| {
            clause.actor.as_ref().is_none_or(|granted| Some(granted) == actor)
                && clause.namespace.as_ref().is_none_or(|granted| place.intersect(granted).is_some())
        })
    }

    /// The narrowest reading of a filter that the parts allow: `None` where they have nothing in
    /// common. The flag says that something was kept back.
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

/// The parts of a memory of all whose records the caller may read or write; denied where there are
/// none. Grants that are narrower than their places do not count: what is told of a place beside
/// its records is not told to them.
pub fn record_view(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<View> {
    let of_places = grants(caller, memory, capability).filter(|grant| !grant.is_bound());
    view(of_places.map(clause).collect(), "this on records of that memory")
}

/// The same for what reads and writes records one by one: parts of which the caller has some
/// records count, too, as they are at `now`.
pub fn bound_view(
    products: &Products,
    caller: &Principal,
    memory: &MemoryId,
    capability: Capability,
    now: Timestamp,
) -> Result<View> {
    let bound = |grant: &Grant| AccessClause { bounds: grant.bounds(now), ..clause(grant) };
    let whole =
        view(grants(caller, memory, capability).map(bound).collect(), "this on records of that memory")?;
    let is_admin = require_whole(caller, memory, Capability::Admin).is_ok();
    Ok(View { reader: (!is_admin).then(|| reader(products, caller, memory)), ..whole })
}

/// The part of a memory that one whole namespace is, with what lies beneath where the grant has it;
/// denied without a grant on all of it: a tree of files has no documents that some of its readers
/// may not see.
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

fn reader(products: &Products, caller: &Principal, memory: &MemoryId) -> Reader {
    let names = named_users(caller, memory).map(|named| named.cloned()).collect();
    Reader {
        name: caller.name.clone(),
        names,
        products: products.clone(),
        owners: NamespaceOwners::default(),
    }
}

fn view(clauses: Vec<AccessClause>, what: &str) -> Result<View> {
    if clauses.is_empty() { Err(refused(what)) } else { Ok(View { clauses, reader: None }) }
}

pub(super) fn clause(grant: &Grant) -> AccessClause {
    let subtree = |namespace: &Namespace| NamespaceFilter::new(namespace, NamespaceMatch::Subtree);
    AccessClause {
        actor: grant.actor.clone(),
        session: grant.session.clone(),
        namespace: grant.namespace.as_ref().map(subtree),
        strategy: grant.strategy.clone(),
        bounds: Bounds::default(),
    }
}
