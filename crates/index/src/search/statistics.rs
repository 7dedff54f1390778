//! The BM25 statistics for a request, and the postings of its terms.

use std::borrow::Cow;

use loci_model::ports::search::{ScopeStatistics, ViewStatistics};
use loci_text::bm25;

use crate::columns::groups::Lengths;
use crate::columns::postings::Postings;
use crate::memory_index::MemoryIndex;
use crate::primitives::mask::Mask;
use crate::search::scope::{GroupSet, Groups};

/// The minimum number of active turns of a scope with its own statistics.
const OWN_STATISTICS_MIN: u64 = 100;
/// The cost of reading a passage, in postings.
const PASSAGE_COST: usize = 24;
/// The number of slots of a [`TermTable`], of which at most half are used.
const SLOTS: usize = 256;
/// The maximum number of counted terms of a request.
pub(crate) const TERMS_MAX: usize = SLOTS / 2;

/// The terms of the question by number.
pub(crate) struct TermTable {
    slots: [(u32, u8); SLOTS],
    /// The number of each term of the request; `None` if no passage contains it, or if it is a
    /// repetition.
    pub(crate) numbers: Vec<Option<u32>>,
}

/// The terms of a request with their statistics.
pub(crate) struct TermStatistics<'a> {
    /// The statistics for the response.
    pub(crate) statistics: ScopeStatistics,
    /// The postings of each term: at least those of the requested groups and of all their sessions.
    pub(crate) lists: Vec<Cow<'a, Postings>>,
    /// The inverse document frequency of each term; 0 for a term that is unknown there.
    pub(crate) idf: Vec<f32>,
}

impl<'a> TermStatistics<'a> {
    fn of(statistics: ScopeStatistics, lists: Vec<Cow<'a, Postings>>) -> Self {
        let idf = statistics.df.iter().map(|df| bm25::idf(statistics.turns, *df)).collect();
        Self { statistics, lists, idf }
    }
}

impl TermTable {
    fn new(numbers: impl Iterator<Item = Option<u32>>) -> Self {
        let mut table = Self { slots: [(u32::MAX, 0); SLOTS], numbers: Vec::new() };
        for (at, number) in numbers.enumerate() {
            let fresh = number.filter(|number| at < TERMS_MAX && table.find(*number).is_none());
            if let Some(number) = fresh {
                let slot = table.slot(number);
                table.slots[slot] = (number, at as u8);
            }
            table.numbers.push(fresh);
        }
        table
    }

    /// Returns the index of the request's term with a number.
    #[inline]
    pub(crate) fn find(&self, number: u32) -> Option<usize> {
        let (held, at) = self.slots[self.slot(number)];
        (held == number && number != u32::MAX).then_some(usize::from(at))
    }

    /// Returns the slot of a number, or the free slot for it; at most half of the slots are used.
    #[inline]
    fn slot(&self, number: u32) -> usize {
        let mut slot = (number.wrapping_mul(0x9e37_79b9) >> 24) as usize % SLOTS;
        while self.slots[slot].0 != number && self.slots[slot].0 != u32::MAX {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }
}

impl MemoryIndex {
    /// Returns the numbers of terms that at least one passage contains.
    pub(crate) fn term_table(&self, terms: &[String]) -> TermTable {
        let held =
            |number: &u32| self.postings.get(*number as usize).is_some_and(|postings| postings.live > 0);
        TermTable::new(terms.iter().map(|term| self.vocabulary.find(term).filter(held)))
    }

    /// Returns statistics for a request for the groups `asked` among the groups `seen`.
    pub(crate) fn count(&self, table: &TermTable, seen: &GroupSet, asked: &GroupSet) -> TermStatistics<'_> {
        let turns = self.lengths(asked).turns;
        let of_scope = turns >= OWN_STATISTICS_MIN;
        let counted = if of_scope { asked } else { seen };
        let turns = if of_scope { turns } else { self.lengths(seen).turns };
        let turns = u32::try_from(turns).unwrap_or(u32::MAX);
        let reach = if *counted == GroupSet::All { asked } else { counted };
        let lists = self.lists(table, reach);
        let df: Vec<u32> = lists.iter().map(|list| self.document_frequency(list, counted)).collect();
        let paths = match counted {
            GroupSet::These(groups) if groups.is_bound => {
                self.paths.count_each(&table.numbers, &self.paths_of(&groups.passages))
            }
            _ => self.paths.count(&table.numbers, |group| counted.admits(group)),
        };
        let statistics = ScopeStatistics {
            turns,
            views: self.lengths(seen).averages(),
            paths: paths.paths,
            path_df: paths.df,
            path_average_length: average(paths.terms, u64::from(paths.paths)),
            of_scope,
            df,
        };
        TermStatistics::of(statistics, lists)
    }

    /// Like [`MemoryIndex::count`], with statistics that were counted elsewhere over more passages.
    pub(crate) fn counted_elsewhere(
        &self,
        table: &TermTable,
        asked: &GroupSet,
        statistics: ScopeStatistics,
    ) -> TermStatistics<'_> {
        TermStatistics::of(statistics, self.lists(table, asked))
    }

    /// Returns sums over the active turns of groups.
    fn lengths(&self, groups: &GroupSet) -> Lengths {
        let GroupSet::These(numbers) = groups else { return self.groups.total };
        if let Some(sum) = numbers.lengths {
            return sum;
        }
        if numbers.is_bound {
            return self.lengths_of(&numbers.passages);
        }
        let mut sum = Lengths::default();
        for group in numbers.iter().filter_map(|group| self.groups.get(group)) {
            sum.add(&group.lengths);
        }
        sum
    }

    fn document_frequency(&self, list: &Postings, counted: &GroupSet) -> u32 {
        let GroupSet::These(groups) = counted else { return list.active };
        let mut count = 0;
        list.for_each(|passage| {
            count += u32::from(groups.passages.has(passage) && self.active.has(passage));
        });
        count
    }

    /// Returns the postings of each term: the whole lists or, if `reach` is much smaller, those
    /// read from its passages.
    fn lists(&self, table: &TermTable, reach: &GroupSet) -> Vec<Cow<'_, Postings>> {
        let whole: Vec<Cow<'_, Postings>> =
            table.numbers.iter().map(|number| self.list_of(*number)).collect();
        let GroupSet::These(groups) = reach else { return whole };
        let passages = self.passages_with_neighbours(groups);
        let within = passages.count();
        let length: usize = whole.iter().map(|list| list.len()).sum();
        if within.saturating_mul(PASSAGE_COST) >= length {
            return whole;
        }
        let mut read: Vec<Postings> = whole.iter().map(|list| list.without_passages()).collect();
        let mut counts = vec![0u32; read.len()];
        for passage in passages.iter().filter(|passage| self.live.has(*passage)) {
            self.count_terms(passage, table, &mut counts);
            for (list, count) in read.iter_mut().zip(&mut counts) {
                if *count > 0 {
                    list.push(passage, std::mem::take(count));
                }
            }
        }
        read.into_iter().map(Cow::Owned).collect()
    }

    /// Returns the passages of these groups, with all passages in a session with one of them. A
    /// session is within one group, so that only the bounds of a grant can divide it. Windows and
    /// sessions are counted whole for any request.
    fn passages_with_neighbours<'g>(&self, groups: &'g Groups) -> Cow<'g, Mask> {
        if !groups.is_bound {
            return Cow::Borrowed(&groups.passages);
        }
        let mut passages = Mask::none(self.columns.len());
        for group in groups.iter().filter_map(|group| self.groups.get(group)) {
            passages.add_each(group.members.iter().copied());
        }
        Cow::Owned(passages)
    }

    fn list_of(&self, number: Option<u32>) -> Cow<'_, Postings> {
        let list = number.and_then(|number| self.postings.get(number as usize));
        list.map_or_else(|| Cow::Owned(Postings::default()), Cow::Borrowed)
    }

    /// Adds the number of occurrences of each term of the request in a passage to `counts`.
    #[inline]
    pub(crate) fn count_terms(&self, passage: u32, table: &TermTable, counts: &mut [u32]) {
        let (first, second) = self.columns.terms(passage);
        for at in first.iter().chain(second).filter_map(|term| table.find(*term)) {
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
    }
}

impl Lengths {
    /// Returns the statistics of the four views, in the order turn, pair, window, session.
    pub fn averages(&self) -> [ViewStatistics; 4] {
        let sums = [
            (self.terms, self.turns),
            (self.pairs, self.turns),
            (self.windows, self.turns),
            (self.terms, self.sessions),
        ];
        sums.map(|(sum, count)| ViewStatistics { average_length: average(sum, count) })
    }
}

/// Returns the mean `sum / count`; 0 if `count` is 0.
pub fn average(sum: u64, count: u64) -> f32 {
    if count == 0 { 0.0 } else { (sum as f64 / count as f64) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_by_number_and_repetitions_are_left_out() {
        let numbers: Vec<Option<u32>> = (0..64).map(|at| Some(at * 256)).chain([None, Some(0)]).collect();
        let table = TermTable::new(numbers.iter().copied());
        for at in 0..64u32 {
            assert_eq!(table.find(at * 256), Some(at as usize));
            assert_eq!(table.find(at * 256 + 1), None);
        }
        assert_eq!(table.numbers[64..], [None, None]);
        assert_eq!(table.find(u32::MAX), None);
    }

    #[test]
    fn more_terms_than_fit_are_left_out() {
        let table = TermTable::new((0..1000).map(Some));
        assert_eq!(table.numbers.iter().flatten().count(), TERMS_MAX);
    }
}
