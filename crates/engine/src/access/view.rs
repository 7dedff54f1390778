//! Views: the parts of one memory whose records a caller may read or write with one capability.
//! Only an administrator's view contains records that a product reserves for another user.

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

/// The parts of one memory in which a caller may use one capability.
#[derive(Debug, Clone)]
pub struct View {
    clauses: Vec<AccessClause>,
    /// The caller, from whom records that a product reserves for another user are hidden even if
    /// the grants cover them. `None` for an administrator, who sees all records.
    reader: Option<Reader>,
}

/// A caller who does not administer the memory.
#[derive(Debug, Clone)]
struct Reader {
    name: String,
    /// The users for whom the caller may act; an entry `None` means all users.
    names: Vec<Option<ActorId>>,
    products: Products,
    /// The owners of the memory's namespaces; empty until [`View::within`] sets them.
    owners: NamespaceOwners,
}

impl View {
    /// Returns the parts as conditions for a [`loci_model::record::scope::RecordScope`].
    pub fn clauses(&self) -> &[AccessClause] {
        &self.clauses
    }

    /// Returns true if the caller's grants cover the whole memory.
    pub fn is_whole(&self) -> bool {
        self.clauses.iter().any(AccessClause::is_whole)
    }

    /// Returns this view with the owners of the memory's namespaces. Records in a user's
    /// preference namespace belong to that user, whoever wrote them.
    #[must_use]
    pub fn within(&self, memory: &Memory) -> Self {
        let known =
            |reader: &Reader| Reader { owners: reader.products.namespace_owners(memory), ..reader.clone() };
        Self { clauses: self.clauses.clone(), reader: self.reader.as_ref().map(known) }
    }

    /// Returns true if the record is reserved for a user other than the caller.
    pub fn keeps_from(&self, record: &Record) -> bool {
        let Some(reader) = &self.reader else { return false };
        let place = || NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
        let mut owners = reader.products.owners_of_record(&reader.owners, record);
        reader.products.is_kept_from(record, &reader.name)
            || owners.any(|of| !self.is_for(reader, &of, &place()))
    }

    /// Returns true if all records of a namespace subtree belong to users other than the caller.
    pub fn is_of_another(&self, asked: &NamespaceFilter) -> bool {
        let Some(reader) = &self.reader else { return false };
        let mut owners = reader.owners.owners_of_all(asked.normal());
        owners.any(|of| !self.is_for(reader, &of, asked))
    }

    /// Returns true if the caller counts as the owner `of`: by name, by a grant to act for the
    /// owner, or by a grant on exactly the owner's actor or namespace subtree.
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

    /// Returns true if the record is in the view.
    pub fn admits(&self, record: &Record) -> bool {
        !self.keeps_from(record) && self.clauses.iter().any(|clause| clause.admits_record(record))
    }

    /// Adds metadata to a record before the write, so that the record meets the restrictions of
    /// the caller's grants.
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

    /// Returns true if the view contains records of an actor in a namespace subtree. If `actor`
    /// is `None`, only grants that name no actor count.
    pub fn reaches(&self, place: &NamespaceFilter, actor: Option<&ActorId>) -> bool {
        self.clauses.iter().any(|clause| {
            clause.actor.as_ref().is_none_or(|granted| Some(granted) == actor)
                && clause.namespace.as_ref().is_none_or(|granted| place.intersect(granted).is_some())
        })
    }

    /// Returns the part of a namespace filter that is in the view; `None` if no part is. The flag
    /// is true if this part is smaller than the filter.
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

/// Returns the parts of a memory in which the caller may read or write all records; the error is
/// `Denied` if there are none. Grants restricted to metadata or age do not count, because
/// operations that use this view reveal information about whole namespaces.
pub fn record_view(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<View> {
    let of_places = grants(caller, memory, capability).filter(|grant| !grant.is_bound());
    view(of_places.map(clause).collect(), "this on records of that memory")
}

/// Returns the view for operations that read or write single records. Unlike [`record_view`], it
/// includes grants restricted to metadata or age; ages count at the time `now`.
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

/// Returns the view of one whole namespace, with its subtree if the grant covers it. The error is
/// `Denied` without a grant on the whole namespace, because all readers of a document tree must
/// see the same documents.
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
