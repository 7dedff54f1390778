//! Sessions that several records share, with their passages in order.
//!
//! The session number of a passage is that of a shared session, or the number of its record with
//! the bit [`OWN`] set. Links between neighbours are columns of the passages, which `link`
//! maintains together with the sums.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::primitives::compact_list::{make_room, push_sparing};

/// The bit that marks the number of a session with only one record. The other bits are the record's
/// number.
pub(crate) const OWN: u32 = 1 << 31;

/// A session that several records share.
#[derive(Debug)]
pub(crate) struct Chain {
    /// The numbers of the group and the branch of the session.
    pub(crate) key: (u32, u32),
    /// The passages of the session, in order.
    pub(crate) members: Vec<u32>,
    /// The number of terms in the passages of the session.
    pub(crate) terms: u64,
}

/// All sessions that several records share.
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

    /// Returns the session with this number. `None` for the own session of a single record.
    pub(crate) fn get(&self, chain: u32) -> Option<&Chain> {
        if chain & OWN == 0 { self.chains.get(chain as usize) } else { None }
    }

    /// Inserts a passage into a session and returns its position. `order` compares a member of the
    /// session with the passage.
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

    /// Removes a passage from a session. `order` compares a member of the session with the passage.
    pub(crate) fn remove(&mut self, chain: u32, passage: u32, terms: u32, order: impl Fn(u32) -> Ordering) {
        let Some(chain) = self.chains.get_mut(chain as usize) else { return };
        let at = chain.members.partition_point(|member| order(*member) == Ordering::Less);
        if chain.members.get(at) == Some(&passage) {
            chain.members.remove(at);
            chain.terms = chain.terms.saturating_sub(u64::from(terms));
        }
    }

    /// Replaces the numbers of all passages after a compaction.
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
