//! Known speaker names: prefixes `Name: ` that at least two active turns of conversations start
//! with. `apply` updates the passages when a name becomes known or unknown.

use std::collections::{BTreeMap, BTreeSet};

use crate::primitives::interner::Interner;

/// The minimum number of turns with a prefix that make the prefix a known name.
const CARRIERS_MIN: u32 = 2;

#[derive(Debug, Default)]
struct Name {
    /// The number of active turns that start with the name.
    carriers: u32,
    /// The number of active turns that start with the name, by group.
    by_group: BTreeMap<u32, u32>,
    /// The records, in any state, with a passage that starts with the name. Filled only while the
    /// name is unknown. It may contain records that changed since.
    waiting: BTreeSet<u32>,
}

/// All `Name: ` prefixes in the memory.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Interner,
    names: Vec<Name>,
}

impl Names {
    /// Returns the number of a prefix.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        let number = self.texts.intern(name);
        if self.names.len() <= number as usize {
            self.names.push(Name::default());
        }
        number
    }

    /// Returns the prefix with a number.
    pub(crate) fn text(&self, name: u32) -> &str {
        self.texts.text(name)
    }

    /// Returns true if the number is that of a known name.
    pub(crate) fn is_known(&self, name: u32) -> bool {
        self.names.get(name as usize).is_some_and(|name| name.carriers >= CARRIERS_MIN)
    }

    /// True for the text of a known name.
    pub(crate) fn is_known_text(&self, name: &str) -> bool {
        self.texts.find(name).is_some_and(|number| self.is_known(number))
    }

    /// Makes a name known although its turns are not in this index.
    pub(crate) fn know(&mut self, name: &str) {
        let number = self.intern(name);
        if let Some(name) = self.names.get_mut(number as usize) {
            name.carriers += CARRIERS_MIN;
        }
    }

    /// Counts a turn of the group that starts with the name.
    pub(crate) fn carry(&mut self, name: u32, group: u32) {
        if let Some(name) = self.names.get_mut(name as usize) {
            name.carriers += 1;
            *name.by_group.entry(group).or_default() += 1;
        }
    }

    /// Counts one turn of the group less that starts with the name.
    pub(crate) fn drop_carrier(&mut self, name: u32, group: u32) {
        let Some(name) = self.names.get_mut(name as usize) else { return };
        name.carriers = name.carriers.saturating_sub(1);
        if let Some(count) = name.by_group.get_mut(&group) {
            *count -= 1;
            if *count == 0 {
                name.by_group.remove(&group);
            }
        }
    }

    /// Registers a record to be processed again if the name becomes known.
    pub(crate) fn wait(&mut self, name: u32, record: u32) {
        if let Some(name) = self.names.get_mut(name as usize)
            && name.carriers < CARRIERS_MIN
        {
            name.waiting.insert(record);
        }
    }

    /// Returns the records registered for the name, and removes the registration.
    pub(crate) fn take_waiting(&mut self, name: u32) -> BTreeSet<u32> {
        self.names.get_mut(name as usize).map(|name| std::mem::take(&mut name.waiting)).unwrap_or_default()
    }

    /// Returns the known names, sorted, that turns in groups accepted by `admits` start with.
    pub(crate) fn known(&self, admits: impl Fn(u32) -> bool) -> Vec<String> {
        let known =
            |name: &&Name| name.carriers >= CARRIERS_MIN && name.by_group.keys().any(|group| admits(*group));
        let texts = self.names.iter().zip(self.texts.texts()).filter(|(name, _)| known(name));
        let mut names: Vec<String> = texts.map(|(_, text)| text.to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let names =
            self.names.iter().map(|name| (name.by_group.len() + name.waiting.len()) * 16).sum::<usize>();
        self.texts.bytes() + names + self.names.len() * size_of::<Name>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_carriers_make_a_name() {
        let mut names = Names::default();
        let (anna, bob) = (names.intern("Anna"), names.intern("Bob"));
        names.carry(anna, 1);
        names.wait(anna, 7);
        assert!(!names.is_known(anna));
        names.carry(anna, 2);
        names.wait(anna, 8);
        names.carry(bob, 1);
        assert!(names.is_known_text("Anna") && !names.is_known_text("Bob") && !names.is_known_text("anna"));
        assert_eq!(names.take_waiting(anna).into_iter().collect::<Vec<_>>(), [7]);
        assert_eq!(names.known(|_| true), ["Anna"]);
        assert_eq!(names.known(|group| group == 2), ["Anna"]);
        names.drop_carrier(anna, 2);
        assert!(!names.is_known(anna));
        names.carry(anna, 1);
        assert_eq!(names.known(|group| group == 2), Vec::<String>::new());
    }
}
