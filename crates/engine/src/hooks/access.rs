//! Hooks on access: data that belongs to one user of a memory, independent of grants. Only
//! [`crate::access`] decides the permissions of a caller. All products are consulted: no product
//! reveals data that another one reserves for a user.

use std::sync::Arc;

use loci_model::memory::Memory;
use loci_model::record::Record;

use super::Products;
use crate::access::segment;

/// The user who owns data in a tree of namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOwner {
    /// The id.
    pub user: String,
    /// Number of segments up to the user's own subtree; the last one is the user's.
    pub depth: usize,
}

impl NamespaceOwner {
    /// Returns true if the namespace lies in the user's own subtree. The namespace is on the path
    /// to the user's data, or below it.
    pub(crate) fn holds(&self, namespace: &str) -> bool {
        segment::segments(namespace).count() >= self.depth
    }
}

/// The ownership rule of a product.
pub trait AccessPolicy: Send + Sync {
    /// Returns the owners of a memory's namespaces; `None` for a memory without user-owned data.
    fn ownership(&self, memory: &Memory) -> Option<Arc<dyn Ownership>>;

    /// Returns true for a record that its own content reserves for another user than the reader.
    fn is_kept_from(&self, record: &Record, reader: &str) -> bool;

    /// Returns true for a record that its own content reserves for one user and administrators.
    fn is_kept_to_a_user(&self, record: &Record) -> bool;

    /// Returns the owner of a record by its own content.
    fn owner_of(&self, record: &Record) -> Option<NamespaceOwner>;
}

/// The owners of namespaces of one memory.
pub trait Ownership: Send + Sync + std::fmt::Debug {
    /// Returns the owner of all records in a namespace subtree.
    fn owner_of_all(&self, namespace: &str) -> Option<NamespaceOwner>;

    /// Returns the owner of a record by its namespace and strategy.
    fn owner_of_record(&self, record: &Record) -> Option<NamespaceOwner>;
}

/// The owners of namespaces of one memory, for each product with a rule for it.
#[derive(Debug, Clone, Default)]
pub struct NamespaceOwners(Vec<(usize, Arc<dyn Ownership>)>);

impl NamespaceOwners {
    /// Returns the owners of all records in a namespace subtree.
    pub(crate) fn owners_of_all(&self, namespace: &str) -> impl Iterator<Item = NamespaceOwner> {
        self.0.iter().filter_map(move |(_, ownership)| ownership.owner_of_all(namespace))
    }

    /// Returns true for a record that belongs to a user by its namespace and strategy.
    pub fn is_of_a_user(&self, record: &Record) -> bool {
        self.0.iter().any(|(_, ownership)| ownership.owner_of_record(record).is_some())
    }

    /// Returns the owner of a record by the rule of the product at that index of the registration.
    fn owner_by(&self, product: usize, record: &Record) -> Option<NamespaceOwner> {
        let (_, ownership) = self.0.iter().find(|(place, _)| *place == product)?;
        ownership.owner_of_record(record)
    }
}

impl Products {
    /// Returns the rules, each with the index of its product in the registration.
    fn access(&self) -> impl Iterator<Item = (usize, &dyn AccessPolicy)> {
        let products = self.0.iter().enumerate();
        products.filter_map(|(place, product)| Some((place, product.access.as_deref()?)))
    }

    /// Returns the owners of a memory's namespaces.
    pub fn namespace_owners(&self, memory: &Memory) -> NamespaceOwners {
        let of_memory =
            |(place, policy): (usize, &dyn AccessPolicy)| Some((place, policy.ownership(memory)?));
        NamespaceOwners(self.access().filter_map(of_memory).collect())
    }

    /// Returns true for a record that is reserved for another user than the reader.
    pub(crate) fn is_kept_from(&self, record: &Record, reader: &str) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_from(record, reader))
    }

    /// Returns true for a record that is reserved for one user and administrators.
    pub fn is_kept_to_a_user(&self, record: &Record) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_to_a_user(record))
    }

    /// Returns the owners of a record by each product: by the record's namespace, or else by its
    /// content.
    pub(crate) fn owners_of_record(
        &self,
        owners: &NamespaceOwners,
        record: &Record,
    ) -> impl Iterator<Item = NamespaceOwner> {
        self.access().filter_map(move |(place, policy)| {
            owners.owner_by(place, record).or_else(|| policy.owner_of(record))
        })
    }
}

#[cfg(test)]
mod tests {
    use loci_model::principal::{Capability, Grant, Principal};
    use loci_model::{NamespaceFilter, NamespaceMatch};
    use loci_testkit_ports::samples;

    use super::*;
    use crate::access::bound_view;
    use crate::hooks::Product;

    /// A product in which all data belongs to one user, or no data to anyone.
    #[derive(Debug, Clone, Copy)]
    struct AllOf(Option<&'static str>);

    impl AllOf {
        fn owner(self) -> Option<NamespaceOwner> {
            self.0.map(|user| NamespaceOwner { user: user.to_owned(), depth: usize::MAX })
        }
    }

    impl AccessPolicy for AllOf {
        fn ownership(&self, _memory: &Memory) -> Option<Arc<dyn Ownership>> {
            Some(Arc::new(*self))
        }

        fn is_kept_from(&self, _record: &Record, _reader: &str) -> bool {
            false
        }

        fn is_kept_to_a_user(&self, _record: &Record) -> bool {
            false
        }

        fn owner_of(&self, _record: &Record) -> Option<NamespaceOwner> {
            self.owner()
        }
    }

    impl Ownership for AllOf {
        fn owner_of_all(&self, _namespace: &str) -> Option<NamespaceOwner> {
            self.owner()
        }

        fn owner_of_record(&self, _record: &Record) -> Option<NamespaceOwner> {
            self.owner()
        }
    }

    fn products(policies: [Arc<dyn AccessPolicy>; 2]) -> Products {
        let product = |access| Product { access: Some(access), ..Product::default() };
        Products::new(policies.into_iter().map(product).collect())
    }

    #[test]
    fn what_one_product_keeps_no_other_gives_away() {
        let memory = samples::memory("shared").unwrap();
        let record = samples::record(&memory.id, 1, "bob likes short answers").unwrap();
        let place = NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
        let read = Grant { capabilities: [Capability::Read].into(), ..Grant::everything() };
        for (products, is_for_bob) in [
            (products([Arc::new(AllOf(None)), Arc::new(AllOf(Some("bob")))]), true),
            (products([Arc::new(AllOf(Some("bob"))), Arc::new(AllOf(None))]), true),
            (products([Arc::new(AllOf(Some("ann"))), Arc::new(AllOf(Some("bob")))]), false),
            (products([Arc::new(AllOf(Some("bob"))), Arc::new(AllOf(Some("ann")))]), false),
        ] {
            for (name, is_kept) in [("bob", !is_for_bob), ("ann", true)] {
                let caller = Principal { name: name.to_owned(), grants: vec![read.clone()] };
                let view = bound_view(&products, &caller, &memory.id, Capability::Read, samples::time(9));
                let unknown = view.unwrap();
                let view = unknown.within(&memory);
                assert_eq!(view.keeps_from(&record), is_kept, "{name}");
                assert_eq!(unknown.keeps_from(&record), is_kept, "{name}, before the memory is known");
                assert_eq!(view.is_of_another(&place), is_kept, "{name}");
                assert_eq!(view.admits(&record), !is_kept, "{name}");
            }
            assert!(products.namespace_owners(&memory).is_of_a_user(&record));
        }
    }
}
