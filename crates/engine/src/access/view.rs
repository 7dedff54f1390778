//! Views: the parts of one memory whose records a caller may read or write with one capability.
//! Only an administrator's view contains the records that a product reserves for another user.

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

/// The union of the parts of one memory in which a caller may use one capability.
#[derive(Debug, Clone)]
pub struct View {
    clauses: Vec<AccessClause>,
    /// The reader. Records that a product reserves for another user are hidden from it, even if its
    /// grants cover them. `None` means an administrator.
    reader: Option<Reader>,
}

/// A caller that does not administer the memory.
#[derive(Debug, Clone)]
struct Reader {
    name: String,
    /// The users for whom it may act; an entry `None` means all users.
    names: Vec<Option<ActorId>>,
    products: Products,
    /// The owners of namespaces; set by [`View::within`].
    owners: NamespaceOwners,
}

impl View {
    /// Returns the parts, for a [`loci_model::record::scope::RecordScope`].
    pub fn clauses(&self) -> &[AccessClause] {
        &self.clauses
    }

    /// Returns true if the grants cover the whole memory.
    pub fn is_whole(&self) -> bool {
        self.clauses.iter().any(AccessClause::is_whole)
    }

    /// Returns this view with the namespace owners of a memory. Records in a user's preference
    /// namespace belong to that user, independent of their writer.
    #[must_use]
    pub fn within(&self, memory: &Memory) -> Self {
        let known =
            |reader: &Reader| Reader { owners: reader.products.namespace_owners(memory), ..reader.clone() };
        Self { clauses: self.clauses.clone(), reader: self.reader.as_ref().map(known) }
    }

    /// Returns true if the record is reserved for another user.
    pub fn keeps_from(&self, record: &Record) -> bool {
        let Some(reader) = &self.reader else { return false };
        let place = || NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
        let mut owners = reader.products.owners_of_record(&reader.owners, record);
        reader.products.is_kept_from(record, &reader.name)
            || owners.any(|of| !self.is_for(reader, &of, &place()))
    }

    /// Returns true if a namespace subtree belongs to another user only.
    pub fn is_of_another(&self, asked: &NamespaceFilter) -> bool {
        let Some(reader) = &self.reader else { return false };
        let mut owners = reader.owners.owners_of_all(asked.normal());
        owners.any(|of| !self.is_for(reader, &of, asked))
    }

    /// Returns true if the reader is that user by name, may act for them, or has a grant made for
    /// them. Such a grant is on their actor or on their namespace subtree.
    fn is_for(&self, reader: &Reader, of: &NamespaceOwner, place: &NamespaceFilter) -> bool {
        let is_them = |actor: &ActorId| segment::user_of(actor) == of.user;
        let is_made_for_them = |clause: &AccessClause| {
            let on_place =
                |granted: &NamespaceFilter| granted.intersect(place).is_some() && of.holds(granted.normal());
            // A grant on one of their sessions, or on some of their events, covers only that.
            let is_all =
                clause.session.is_none() && clause.strategy.is_none() && clause.bounds == Bounds::default();
            let is_on_them = is_all && clause.actor.as_ref().is_some_and(is_them);
            is_on_them || clause.namespace.as_ref().is_some_and(on_place)
        };
        reader.name == of.user
            || reader.names.iter().any(|one| one.as_ref().is_none_or(is_them))
            || self.clauses.iter().any(is_made_for_them)
    }

    /// Returns true if the record lies in one of the parts.
    pub fn admits(&self, record: &Record) -> bool {
        !self.keeps_from(record) && self.clauses.iter().any(|clause| clause.admits_record(record))
    }

    /// Completes the metadata of a record before the write, so that it meets the restrictions of
    /// the view.
    ///
    /// # Errors
    /// `Denied` if the record is outside the view; `Invalid` if the caller must choose a value.
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

    /// Returns true if one of the parts covers records of that actor in a namespace subtree.
    /// Without an actor, only parts that name no actor count.
    pub fn reaches(&self, place: &NamespaceFilter, actor: Option<&ActorId>) -> bool {
        self.clauses.iter().any(|clause| {
            clause.actor.as_ref().is_none_or(|granted| Some(granted) == actor)
                && clause.namespace.as_ref().is_none_or(|granted| place.intersect(granted).is_some())
        })
    }

    /// Returns the intersection of a filter with the parts; `None` if it is empty. The flag is true
    /// if the intersection is narrower than the filter.
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

/// Returns the parts of a memory of which the caller may read or write all records. Errors if there
/// are none. Grants restricted to metadata or age do not count, because information on a namespace
/// as a whole is hidden from them.
pub fn record_view(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<View> {
    let of_places = grants(caller, memory, capability).filter(|grant| !grant.is_bound());
    view(of_places.map(clause).collect(), "this on records of that memory")
}

/// Returns the view for operations that read or write single records. Unlike [`record_view`], parts
/// with restricted grants count too, evaluated at `now`.
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

/// Returns the part of a memory that is one whole namespace, including its subtree if the grant
/// covers it. Errors without a grant on all of it, because a document tree has no documents that
/// are hidden from some of its readers.
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
