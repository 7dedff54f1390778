//! Sessions shared by several records, with their passages in order.
//!
//! The number of a passage's session is that of a shared one, or that of its own record with
//! [`OWN`] set. Links between neighbours are columns of the passages; `link` maintains the links
//! and the sums.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::primitives::compact_list::{make_room, push_sparing};

/// The bit set in the number of a session with only one record; the other bits are the record.
pub(crate) const OWN: u32 = 1 << 31;

/// One shared session.
#[derive(Debug)]
pub(crate) struct Chain {
    /// The group and the branch.
    pub(crate) key: (u32, u32),
    /// Its passages in order.
    pub(crate) members: Vec<u32>,
    /// The number of their terms.
    pub(crate) terms: u64,
}

/// All shared sessions.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    chains: Vec<Chain>,
    by_key: HashMap<(u32, u32), u32>,
}

impl Chains {
    /// Returns the number of the session of a group and branch.
    pub(crate) fn intern(&mut self, key: (u32, u32)) -> u32 {
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        let number = self.chains.len() as u32;
        push_sparing(&mut self.chains, Chain { key, members: Vec::new(), terms: 0 });
        self.by_key.insert(key, number);
        number
    }

    /// Returns a shared session by number. `None` for a record's own session.
    pub(crate) fn get(&self, chain: u32) -> Option<&Chain> {
        if chain & OWN == 0 { self.chains.get(chain as usize) } else { None }
    }

    /// Inserts a passage, and returns its position. `order` compares a member with the passage.
    pub(crate) fn insert(
        &mut self,
        chain: u32,
        passage: u32,
        terms: u32,
        order: impl Fn(u32) -> Ordering,
    ) -> usize {
        let Some(chain) = self.chains.get_mut(chain as usize) else { return 0 };
        let behind_last = chain.members.last().is_none_or(|last| order(*last) == Ordering::Less);
        let at = if behind_last {
            chain.members.len()
        } else {
            chain.members.partition_point(|member| order(*member) == Ordering::Less)
        };
        make_room(&mut chain.members, 1);
        chain.members.insert(at, passage);
        chain.terms += u64::from(terms);
        at
    }

    /// Removes a passage. `order` as for [`Chains::insert`].
    pub(crate) fn remove(&mut self, chain: u32, passage: u32, terms: u32, order: impl Fn(u32) -> Ordering) {
        let Some(chain) = self.chains.get_mut(chain as usize) else { return };
        let at = chain.members.partition_point(|member| order(*member) == Ordering::Less);
        if chain.members.get(at) == Some(&passage) {
            chain.members.remove(at);
            chain.terms = chain.terms.saturating_sub(u64::from(terms));
        }
    }

    /// Renumbers all members.
    pub(crate) fn rename(&mut self, renamed: &[u32]) {
        for member in self.chains.iter_mut().flat_map(|chain| &mut chain.members) {
            *member = renamed.get(*member as usize).copied().unwrap_or(*member);
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let members: usize =
            self.chains.iter().map(|chain| chain.members.capacity() * size_of::<u32>() + 16).sum();
        // A map needs one more byte per slot.
        self.chains.capacity() * size_of::<Chain>()
            + self.by_key.capacity() * (size_of::<((u32, u32), u32)>() + 1)
            + members
    }
}
