//! Hooks on access: what belongs to one user of a memory, whatever a grant reaches. What a caller
//! may do with it is decided in [`crate::access`], nowhere else. Every product is asked: what one
//! of them keeps to a user, no other gives away.

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

/// The owners of namespaces of one memory, by each product that has a rule for it.
#[derive(Debug, Clone, Default)]
pub struct NamespaceOwners(Vec<(usize, Arc<dyn Ownership>)>);

impl NamespaceOwners {
    /// Returns the owners of all that lies at a node and beneath it.
    pub(crate) fn owners_of_all(&self, namespace: &str) -> impl Iterator<Item = NamespaceOwner> {
        self.0.iter().filter_map(move |(_, ownership)| ownership.owner_of_all(namespace))
    }

    /// Returns true for a record that belongs to a user by where it lies and what made it.
    pub fn is_of_a_user(&self, record: &Record) -> bool {
        self.0.iter().any(|(_, ownership)| ownership.owner_of_record(record).is_some())
    }

    /// Returns the owner of a record by the rule of the product at that place of the registration.
    fn owner_by(&self, product: usize, record: &Record) -> Option<NamespaceOwner> {
        let (_, ownership) = self.0.iter().find(|(place, _)| *place == product)?;
        ownership.owner_of_record(record)
    }
}

impl Products {
    /// Returns the rules, each with the place of its product in the registration.
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

    /// Returns true for a record that is kept to another user than the reader.
    pub(crate) fn is_kept_from(&self, record: &Record, reader: &str) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_from(record, reader))
    }

    /// Returns true for a record that is for one user and administrators.
    pub fn is_kept_to_a_user(&self, record: &Record) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_to_a_user(record))
    }

    /// Returns the owners of a record: of each product by where the record lies, or else by what it
    /// says itself.
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

    /// A product that says that all belongs to one user, or nothing to anybody.
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
