//! Hooks on access: data that belongs to one user of a memory, whatever a caller's grants are.
//! [`crate::access`] decides the permissions of a caller and consults all products, so that no
//! product reveals data that another product reserves for a user.

use std::sync::Arc;

use loci_model::memory::Memory;
use loci_model::record::Record;

use super::Products;
use crate::access::segment;

/// The user who owns the data in a subtree of namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOwner {
    /// The id of the user.
    pub user: String,
    /// The number of namespace segments up to the root of the user's subtree. The last of these
    /// segments is the user's id.
    pub depth: usize,
}

impl NamespaceOwner {
    /// Returns true if a namespace lies in the user's subtree. The namespace must be in the
    /// subtree or one of its ancestors.
    pub(crate) fn holds(&self, namespace: &str) -> bool {
        segment::segments(namespace).count() >= self.depth
    }
}

/// The rule by which a product reserves data for the user who owns it.
pub trait AccessPolicy: Send + Sync {
    /// Returns the owners of a memory's namespaces; `None` if no data of the memory belongs to a
    /// user.
    fn ownership(&self, memory: &Memory) -> Option<Arc<dyn Ownership>>;

    /// Returns true if the content of a record reserves it for a user other than `reader`.
    fn is_kept_from(&self, record: &Record, reader: &str) -> bool;

    /// Returns true if the content of a record reserves it for one user and for administrators.
    fn is_kept_to_a_user(&self, record: &Record) -> bool;

    /// Returns the owner whom the content of a record names; `None` if it names no owner.
    fn owner_of(&self, record: &Record) -> Option<NamespaceOwner>;
}

/// The owners of the namespaces of one memory, by the rule of one product.
pub trait Ownership: Send + Sync + std::fmt::Debug {
    /// Returns the owner of all records in a namespace subtree; `None` if no user owns all of
    /// them.
    fn owner_of_all(&self, namespace: &str) -> Option<NamespaceOwner>;

    /// Returns the owner of a record by its namespace and strategy; `None` if no user owns it.
    fn owner_of_record(&self, record: &Record) -> Option<NamespaceOwner>;
}

/// The owners of the namespaces of one memory, by the rule of each product that has one. The
/// number is the index of the product in the registration.
#[derive(Debug, Clone, Default)]
pub struct NamespaceOwners(Vec<(usize, Arc<dyn Ownership>)>);

impl NamespaceOwners {
    /// Returns the owners of all records in a namespace subtree, by the rules of all products.
    pub(crate) fn owners_of_all(&self, namespace: &str) -> impl Iterator<Item = NamespaceOwner> {
        self.0.iter().filter_map(move |(_, ownership)| ownership.owner_of_all(namespace))
    }

    /// Returns true if a record belongs to a user by its namespace and strategy.
    pub fn is_of_a_user(&self, record: &Record) -> bool {
        self.0.iter().any(|(_, ownership)| ownership.owner_of_record(record).is_some())
    }

    /// Returns the owner of a record by the rule of one product. `product` is the index of the
    /// product in the registration.
    fn owner_by(&self, product: usize, record: &Record) -> Option<NamespaceOwner> {
        let (_, ownership) = self.0.iter().find(|(place, _)| *place == product)?;
        ownership.owner_of_record(record)
    }
}

impl Products {
    /// Returns the ownership rules of all products, each with the index of its product in the
    /// registration.
    fn access(&self) -> impl Iterator<Item = (usize, &dyn AccessPolicy)> {
        let products = self.0.iter().enumerate();
        products.filter_map(|(place, product)| Some((place, product.access.as_deref()?)))
    }

    /// Returns the owners of a memory's namespaces, by the rules of all products.
    pub fn namespace_owners(&self, memory: &Memory) -> NamespaceOwners {
        let of_memory =
            |(place, policy): (usize, &dyn AccessPolicy)| Some((place, policy.ownership(memory)?));
        NamespaceOwners(self.access().filter_map(of_memory).collect())
    }

    /// Returns true if a product reserves a record for a user other than `reader`.
    pub(crate) fn is_kept_from(&self, record: &Record, reader: &str) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_from(record, reader))
    }

    /// Returns true if a product reserves a record for one user and for administrators.
    pub fn is_kept_to_a_user(&self, record: &Record) -> bool {
        self.access().any(|(_, policy)| policy.is_kept_to_a_user(record))
    }

    /// Returns the owners of a record, at most one for each product: the owner of the namespace,
    /// otherwise the owner whom the record's content names.
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

    /// A test product in which all data belongs to this user, or no data belongs to anyone.
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
