//! The columns of the passages, and the terms of each passage in order. Passages are numbered in
//! order of arrival. A number is not reused before a compaction renumbers all. Every column has a
//! value for every number.

pub(super) mod chains;
pub(super) mod groups;
pub(super) mod metadata_sets;
pub(super) mod metadata_texts;
pub(super) mod names;
pub(super) mod paths;
pub(super) mod postings;
pub(super) mod records;

use loci_model::Result;

use crate::primitives::compact_list::{make_room, push_sparing};
use crate::primitives::length_class;
use crate::snapshot::bytes::{ByteReader, ByteWriter, damaged};

/// The number that represents no passage, row or name.
pub(crate) const NONE: u32 = u32::MAX;

/// The bit of a window's shape that says: the window contains the passage with the number just
/// below.
pub(crate) const ONE_BEFORE: u8 = 1;
/// The bit of a window's shape that says: the window contains the passage whose number is lower by
/// two.
pub(crate) const TWO_BEFORE: u8 = 2;
/// The bit of a window's shape that says: the window contains the passage with the next number.
pub(crate) const ONE_AFTER: u8 = 4;
/// The bit of a window's shape that says: the window contains passages with other numbers.
pub(crate) const IRREGULAR: u8 = 0x80;

/// The attributes of a passage that are read only for promising candidates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageRow {
    /// The number of the passage's record.
    pub(crate) record: u32,
    /// The number of the passage within the record.
    pub(crate) part: u32,
    /// The number of the `Name: ` prefix of the text, whether the name is known or not. [`NONE`]
    /// without a prefix.
    pub(crate) name: u32,
    /// The position of the passage's first term in the list of all terms.
    pub(crate) start: usize,
    /// The number of terms of the passage: those of the path, of the prefix and of the rest, in
    /// this order.
    pub(crate) terms: u32,
    /// The number of terms of the path.
    pub(crate) path_terms: u32,
    /// The number of terms of the prefix.
    pub(crate) prefix_terms: u16,
    /// True if the prefix is a known name, so that its terms are left out.
    pub(crate) stripped: bool,
    /// The flags of the text, including the prefix.
    pub(crate) flags: u16,
    /// The flags of the text without the prefix.
    pub(crate) stripped_flags: u16,
    /// The vector space and the row of the passage's vector. `None` without a vector.
    pub(crate) vector: Option<(u16, u32)>,
}

impl PassageRow {
    /// Returns the flags of the text as it counts now: with or without the prefix.
    pub(crate) fn flags_now(&self) -> u16 {
        if self.stripped { self.stripped_flags } else { self.flags }
    }

    /// Writes the attributes that cannot be derived to a snapshot, with the snapshot's numbers of
    /// name and vector space.
    pub(crate) fn save(&self, name: u32, space: u32, out: &mut ByteWriter) {
        out.u32(self.part).u32(name).u32(space).u32(self.terms).u32(self.path_terms);
        out.u16(self.prefix_terms).u16(self.flags).u16(self.stripped_flags);
    }

    /// Reads a row written by [`PassageRow::save`], without record, terms and vector, and returns
    /// it with the number of its space.
    pub(crate) fn load(from: &mut ByteReader<'_>) -> Result<(Self, u32)> {
        let (part, name, space) = (from.u32()?, from.u32()?, from.u32()?);
        let (terms, path_terms, prefix_terms) = (from.u32()?, from.u32()?, from.u16()?);
        let (flags, stripped_flags) = (from.u16()?, from.u16()?);
        if path_terms.checked_add(u32::from(prefix_terms)).is_none_or(|before| before > terms) {
            return Err(damaged("a prefix longer than its passage"));
        }
        let (record, start, stripped, vector) = (NONE, 0, false, None);
        let row = Self {
            record,
            part,
            name,
            start,
            terms,
            path_terms,
            prefix_terms,
            stripped,
            flags,
            stripped_flags,
            vector,
        };
        Ok((row, space))
    }

    /// Returns the number of terms that count now: with or without the prefix.
    pub(crate) fn length(&self) -> u32 {
        if self.stripped { self.terms - u32::from(self.prefix_terms) } else { self.terms }
    }
}

/// All passages.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    rows: Vec<PassageRow>,
    terms: Vec<u32>,
    /// The number of terms that count for each passage.
    pub(crate) length: Vec<u32>,
    /// The length class of each passage.
    pub(crate) length_class: Vec<u8>,
    /// The length class of each passage's window.
    pub(crate) window_class: Vec<u8>,
    /// The shape of each passage's window.
    pub(crate) shape: Vec<u8>,
    /// The previous passage in the session, for each passage.
    pub(crate) previous: Vec<u32>,
    /// The next passage in the session, for each passage.
    pub(crate) next: Vec<u32>,
    /// The group of each passage.
    pub(crate) group: Vec<u32>,
    /// The session of each passage, numbered as in [`crate::columns::chains`].
    pub(crate) chain: Vec<u32>,
}

impl Columns {
    /// Returns the number of passages, including removed ones.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Stores the terms of a passage, and returns their position and number.
    pub(crate) fn keep_terms(&mut self, terms: impl Iterator<Item = u32>) -> (usize, u32) {
        let start = self.terms.len();
        make_room(&mut self.terms, terms.size_hint().0);
        self.terms.extend(terms);
        (start, (self.terms.len() - start) as u32)
    }

    /// Adds a passage that has no neighbours and no session yet. Returns its number.
    pub(crate) fn push(&mut self, row: PassageRow, group: u32) -> u32 {
        let number = self.rows.len() as u32;
        let class = length_class::of(row.length());
        push_sparing(&mut self.rows, row);
        push_sparing(&mut self.length, row.length());
        push_sparing(&mut self.length_class, class);
        push_sparing(&mut self.window_class, class);
        push_sparing(&mut self.shape, 0);
        push_sparing(&mut self.previous, NONE);
        push_sparing(&mut self.next, NONE);
        push_sparing(&mut self.group, group);
        push_sparing(&mut self.chain, NONE);
        number
    }

    /// Returns the row of a passage.
    pub(crate) fn row(&self, passage: u32) -> &PassageRow {
        &self.rows[passage as usize]
    }

    /// Sets the position of a passage's vector.
    pub(crate) fn place_vector(&mut self, passage: u32, row: u32) {
        if let Some((_, place)) = self.rows.get_mut(passage as usize).and_then(|row| row.vector.as_mut()) {
            *place = row;
        }
    }

    /// Returns all terms of a passage, including those of a removed prefix.
    pub(crate) fn all_terms(&self, passage: u32) -> &[u32] {
        let row = self.row(passage);
        self.terms.get(row.start..row.start + row.terms as usize).unwrap_or_default()
    }

    /// Sets the vector space and row of a passage's vector. `None` removes the vector.
    pub(crate) fn set_vector(&mut self, passage: u32, vector: Option<(u16, u32)>) {
        if let Some(row) = self.rows.get_mut(passage as usize) {
            row.vector = vector;
        }
    }

    /// Returns the terms of a passage that count now, in order: those before and those after a
    /// prefix that is left out.
    pub(crate) fn terms(&self, passage: u32) -> (&[u32], &[u32]) {
        let row = self.row(passage);
        let all = self.all_terms(passage);
        if !row.stripped {
            return (all, &[]);
        }
        let (path, rest) = all.split_at(row.path_terms as usize);
        (path, rest.get(usize::from(row.prefix_terms)..).unwrap_or_default())
    }

    /// Returns the terms of the passage's text, without those of the path.
    pub(crate) fn text_terms(&self, passage: u32) -> &[u32] {
        let row = self.row(passage);
        let (first, second) = self.terms(passage);
        if row.stripped { second } else { first.get(row.path_terms as usize..).unwrap_or_default() }
    }

    /// Returns the passage before this one in its session. `None` for the first.
    pub(crate) fn before(&self, passage: u32) -> Option<u32> {
        self.previous.get(passage as usize).copied().filter(|other| *other != NONE)
    }

    /// Returns the passage after this one in its session. `None` for the last.
    pub(crate) fn after(&self, passage: u32) -> Option<u32> {
        self.next.get(passage as usize).copied().filter(|other| *other != NONE)
    }

    /// Returns the passages of a pair: the previous one in the session, and this one.
    pub(crate) fn pair(&self, passage: u32) -> impl Iterator<Item = u32> + use<> {
        [self.before(passage), Some(passage)].into_iter().flatten()
    }

    /// Returns the passages of a window by position: two before, one before, this one, one after.
    #[inline]
    pub(crate) fn places(&self, passage: u32) -> [Option<u32>; 4] {
        let shape = self.shape.get(passage as usize).copied().unwrap_or(0);
        if shape & IRREGULAR != 0 {
            let before = self.before(passage);
            return [before.and_then(|other| self.before(other)), before, Some(passage), self.after(passage)];
        }
        let place = |bit: u8, at: u32| (shape & bit != 0).then_some(at);
        [
            place(TWO_BEFORE, passage.wrapping_sub(2)),
            place(ONE_BEFORE, passage.wrapping_sub(1)),
            Some(passage),
            place(ONE_AFTER, passage.wrapping_add(1)),
        ]
    }

    /// Returns the passages of a window that exist: up to two before, this one, and one after.
    pub(crate) fn window(&self, passage: u32) -> impl Iterator<Item = u32> + use<> {
        self.places(passage).into_iter().flatten()
    }

    /// Recomputes the window of a passage after its neighbours changed. Returns the number of terms
    /// in the window.
    pub(crate) fn reshape(&mut self, passage: u32) -> u32 {
        let at = passage as usize;
        if let Some(shape) = self.shape.get_mut(at) {
            *shape = IRREGULAR;
        }
        let places = self.places(passage);
        let terms = self.sum(places.into_iter().flatten());
        if let Some(shape) = self.shape.get_mut(at) {
            *shape = shape_of(passage, places);
        }
        if let Some(class) = self.window_class.get_mut(at) {
            *class = length_class::of(terms);
        }
        terms
    }

    /// Returns the total number of terms of several passages.
    pub(crate) fn sum(&self, passages: impl Iterator<Item = u32>) -> u32 {
        passages.map(|other| self.length[other as usize]).sum()
    }

    /// Makes two passages neighbours in a session. Either may be [`NONE`].
    pub(crate) fn join(&mut self, left: u32, right: u32) {
        if let Some(next) = self.next.get_mut(left as usize) {
            *next = right;
        }
        if let Some(previous) = self.previous.get_mut(right as usize) {
            *previous = left;
        }
    }

    /// Keeps only the passages with a new number in `renamed`; new numbers keep the order of the
    /// old ones.
    pub(crate) fn compact(&mut self, renamed: &[u32]) {
        let kept = |old: usize| renamed.get(old).is_some_and(|new| *new != NONE);
        let new = |old: u32| renamed.get(old as usize).copied().unwrap_or(NONE);
        let mut terms = Vec::with_capacity(self.terms.len() / 2);
        for (_, row) in self.rows.iter_mut().enumerate().filter(|(old, _)| kept(*old)) {
            let range = row.start..row.start + row.terms as usize;
            row.start = terms.len();
            terms.extend_from_slice(self.terms.get(range).unwrap_or_default());
        }
        self.terms = terms;
        retain(&mut self.rows, kept);
        for column in [&mut self.length, &mut self.group, &mut self.chain] {
            retain(column, kept);
        }
        for column in [&mut self.length_class, &mut self.window_class, &mut self.shape] {
            retain(column, kept);
        }
        for column in [&mut self.previous, &mut self.next] {
            retain(column, kept);
            column.iter_mut().for_each(|other| *other = new(*other));
        }
        for passage in 0..self.rows.len() as u32 {
            self.reshape(passage);
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // The columns with one value per passage have equal capacities.
        self.rows.capacity() * (size_of::<PassageRow>() + 5 * size_of::<u32>() + 3)
            + self.terms.capacity() * size_of::<u32>()
    }
}

fn shape_of(passage: u32, [second, first, _, next]: [Option<u32>; 4]) -> u8 {
    let expected = [
        (second, passage.checked_sub(2), TWO_BEFORE),
        (first, passage.checked_sub(1), ONE_BEFORE),
        (next, passage.checked_add(1), ONE_AFTER),
    ];
    let mut shape = 0;
    for (place, adjacent, bit) in expected {
        shape |= match place {
            None => 0,
            Some(_) if place == adjacent => bit,
            Some(_) => return IRREGULAR,
        };
    }
    shape
}

fn retain<T>(column: &mut Vec<T>, kept: impl Fn(usize) -> bool) {
    let mut at = 0;
    column.retain(|_| {
        at += 1;
        kept(at - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(
        columns: &mut Columns,
        terms: &[u32],
        path_terms: u32,
        prefix_terms: u16,
        stripped: bool,
    ) -> u32 {
        let (start, count) = columns.keep_terms(terms.iter().copied());
        let row = PassageRow {
            record: 0,
            part: 0,
            name: NONE,
            start,
            terms: count,
            path_terms,
            prefix_terms,
            stripped,
            flags: 1,
            stripped_flags: 2,
            vector: None,
        };
        columns.push(row, 0)
    }

    #[test]
    fn a_prefix_is_taken_off_between_path_and_text() {
        let mut columns = Columns::default();
        let whole = passage(&mut columns, &[1, 2, 3, 4, 5], 2, 1, false);
        let stripped = passage(&mut columns, &[1, 2, 3, 4, 5], 2, 1, true);
        assert_eq!(columns.terms(whole), (&[1, 2, 3, 4, 5][..], &[][..]));
        assert_eq!(columns.terms(stripped), (&[1, 2][..], &[4, 5][..]));
        assert_eq!(columns.text_terms(whole), [3, 4, 5]);
        assert_eq!(columns.text_terms(stripped), [4, 5]);
        assert_eq!((columns.length[0], columns.length[1]), (5, 4));
        assert_eq!((columns.row(0).flags_now(), columns.row(1).flags_now()), (1, 2));
    }

    #[test]
    fn neighbours_and_compaction() {
        let mut columns = Columns::default();
        let numbers: Vec<u32> = (0..5u32).map(|at| passage(&mut columns, &[at; 2], 0, 0, false)).collect();
        columns.join(numbers[0], numbers[1]);
        columns.join(numbers[1], numbers[3]);
        columns.join(numbers[3], numbers[4]);
        for number in &numbers {
            columns.reshape(*number);
        }
        assert_eq!(columns.shape[..], [ONE_AFTER, IRREGULAR, 0, IRREGULAR, IRREGULAR]);
        assert_eq!(columns.window(3).collect::<Vec<_>>(), [0, 1, 3, 4]);
        assert_eq!(columns.pair(0).collect::<Vec<_>>(), [0]);
        assert_eq!(columns.sum(columns.window(1)), 6);
        columns.compact(&[0, 1, NONE, 2, 3]);
        assert_eq!(columns.window(2).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(columns.terms(2).0, [3, 3]);
        assert_eq!((columns.before(0), columns.after(3)), (None, None));
        let whole = TWO_BEFORE | ONE_BEFORE | ONE_AFTER;
        assert_eq!(columns.shape[..], [ONE_AFTER, ONE_BEFORE | ONE_AFTER, whole, TWO_BEFORE | ONE_BEFORE]);
    }
}
