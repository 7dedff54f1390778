//! Hooks on access: what belongs to one user of a memory, whatever a grant reaches. What a caller
//! may do with it is decided in [`crate::access`], nowhere else.

use std::sync::Arc;

use loci_model::memory::Memory;
use loci_model::record::Record;

use super::Products;
use crate::access::segment;

/// The user to whom something in a tree of namespaces belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOwner {
    /// The id.
    pub user: String,
    /// The number of segments that lead to the user's own part of the tree, the user's own segment
    /// the last of them.
    pub depth: usize,
}

impl NamespaceOwner {
    /// Returns true for a node on the way to something of the user's, or beneath it, that lies in
    /// the user's own part of the tree.
    pub(crate) fn holds(&self, namespace: &str) -> bool {
        segment::segments(namespace).count() >= self.depth
    }
}

/// The rule of a product for what belongs to users.
pub trait AccessPolicy: Send + Sync {
    /// Returns the owners of a memory's namespaces; `None` for a memory in which nothing is one
    /// user's.
    fn ownership(&self, memory: &Memory) -> Option<Arc<dyn Ownership>>;

    /// Returns true for a record that is kept to another user than the reader, by what the record
    /// says itself.
    fn is_kept_from(&self, record: &Record, reader: &str) -> bool;

    /// Returns true for a record that is for one user and administrators, by what the record says
    /// itself.
    fn is_kept_to_a_user(&self, record: &Record) -> bool;

    /// Returns the owner of a record by what the record says itself.
    fn owner_of(&self, record: &Record) -> Option<NamespaceOwner>;
}

/// The owners of namespaces of one memory.
pub trait Ownership: Send + Sync + std::fmt::Debug {
    /// Returns the owner of all that lies at a node and beneath it.
    fn owner_of_all(&self, namespace: &str) -> Option<NamespaceOwner>;

    /// Returns the owner of a record by where it lies and what made it.
    fn owner_of_record(&self, record: &Record) -> Option<NamespaceOwner>;
}

impl Products {
    fn access(&self) -> impl Iterator<Item = &dyn AccessPolicy> {
        self.0.iter().filter_map(|product| product.access.as_deref())
    }

    /// Returns the owners of a memory's namespaces.
    pub fn ownership(&self, memory: &Memory) -> Option<Arc<dyn Ownership>> {
        self.access().find_map(|policy| policy.ownership(memory))
    }

    /// Returns true for a record that is kept to another user than the reader.
    pub(crate) fn is_kept_from(&self, record: &Record, reader: &str) -> bool {
        self.access().any(|policy| policy.is_kept_from(record, reader))
    }

    /// Returns true for a record that is for one user and administrators.
    pub fn is_kept_to_a_user(&self, record: &Record) -> bool {
        self.access().any(|policy| policy.is_kept_to_a_user(record))
    }

    /// Returns the owner of a record by what the record says itself.
    pub(crate) fn owner_of(&self, record: &Record) -> Option<NamespaceOwner> {
        self.access().find_map(|policy| policy.owner_of(record))
    }
}
