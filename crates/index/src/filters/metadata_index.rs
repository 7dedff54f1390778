//! The passages by metadata: for each text and each key a set, and for each key the numbers and
//! times in order. It evaluates filters with the same results as `MetadataFilter::admits`, for many
//! passages at once.

use loci_model::Timestamp;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};

use crate::columns::metadata_sets::{MetadataSets, set_of};
use crate::columns::metadata_texts::TextKind;
use crate::filters::holders::Holders;
use crate::filters::number_column::{NumberColumn, ordered_number, ordered_time};
use crate::filters::slices::Range;
use crate::primitives::mask::Mask;

/// The passages that have a metadata text or key.
#[derive(Debug, Default)]
pub(crate) struct MetadataIndex {
    texts: Vec<Holders>,
    keys: Vec<Key>,
}

#[derive(Debug, Default)]
struct Key {
    holders: Holders,
    numbers: NumberColumn,
    times: NumberColumn,
}

/// A condition on the metadata under a key.
enum Condition {
    Never,
    Exists,
    Absent,
    Text(TextKind, String),
    Number(Range),
    Time(Range),
}

impl MetadataIndex {
    /// Records that a passage, the newest one, has a text under a key.
    pub(crate) fn list_text(&mut self, key: u32, text: u32, passage: u32) {
        at_number(&mut self.texts, text).push(passage);
        self.key(key).holders.push(passage);
    }

    /// Records that the newest passage has a number under a key.
    pub(crate) fn list_number(&mut self, key: u32, number: f64, passage: u32) {
        let key = self.key(key);
        key.holders.push(passage);
        if !number.is_nan() {
            key.numbers.push(passage, ordered_number(number));
        }
    }

    /// Records that the newest passage has a time under a key.
    pub(crate) fn list_time(&mut self, key: u32, time: Timestamp, passage: u32) {
        let key = self.key(key);
        key.holders.push(passage);
        key.times.push(passage, ordered_time(time.millis()));
    }

    /// Removes a text that no record has any more. Its number may be reused.
    pub(crate) fn forget_text(&mut self, text: u32) {
        if let Some(holders) = self.texts.get_mut(text as usize) {
            *holders = Holders::None;
        }
    }

    /// Compacts and renumbers passages.
    pub(crate) fn rename(&mut self, renamed: &[u32]) {
        self.texts.iter_mut().for_each(|holders| holders.rename(renamed));
        for key in &mut self.keys {
            key.holders.rename(renamed);
            key.numbers.rename(renamed);
            key.times.rename(renamed);
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let holders = self.texts.iter().chain(self.keys.iter().map(|key| &key.holders));
        let columns = self.keys.iter().flat_map(|key| [&key.numbers, &key.times]);
        self.texts.capacity() * size_of::<Holders>()
            + self.keys.capacity() * size_of::<Key>()
            + holders.map(Holders::bytes).sum::<usize>()
            + columns.map(NumberColumn::bytes).sum::<usize>()
    }

    fn key(&mut self, key: u32) -> &mut Key {
        at_number(&mut self.keys, key)
    }
}

impl MetadataSets {
    /// Keeps in `mask` the passages that meet a metadata condition.
    pub(crate) fn narrow(&self, mask: &mut Mask, filter: &MetadataFilter) {
        let key =
            self.key(&filter.key).and_then(|number| Some((number, self.index.keys.get(number as usize)?)));
        match (condition(filter), key) {
            (Condition::Absent, None) => {}
            (Condition::Never, _) | (_, None) => mask.clear(),
            (Condition::Absent, Some((_, key))) => key.holders.exclude(mask),
            (Condition::Exists, Some((_, key))) => key.holders.narrow(mask),
            (Condition::Number(range), Some((_, key))) => key.numbers.narrow(mask, range),
            (Condition::Time(range), Some((_, key))) => key.times.narrow(mask, range),
            (Condition::Text(kind, text), Some((number, _))) => {
                let held = self.text(number, kind, &text);
                match held.and_then(|text| self.index.texts.get(text as usize)) {
                    Some(holders) => holders.narrow(mask),
                    None => mask.clear(),
                }
            }
        }
    }
}

fn condition(filter: &MetadataFilter) -> Condition {
    use FilterOperator as Op;
    use MetadataValue as V;
    let number = |range: Option<Range>| range.map_or(Condition::Never, Condition::Number);
    let time = |range: Option<Range>| range.map_or(Condition::Never, Condition::Time);
    let least = ordered_number(f64::NEG_INFINITY);
    let greatest = ordered_number(f64::INFINITY);
    match (filter.operator, &filter.right) {
        (Op::Exists, _) => Condition::Exists,
        (Op::NotExists, _) => Condition::Absent,
        (Op::EqualsTo, Some(V::String(text))) => Condition::Text(TextKind::Text, text.clone()),
        (Op::EqualsTo, Some(V::StringList(texts))) => Condition::Text(TextKind::Set, set_of(texts)),
        (Op::Contains, Some(V::String(text))) => Condition::Text(TextKind::Item, text.clone()),
        (_, Some(V::Number(right))) if right.is_nan() => Condition::Never,
        (Op::EqualsTo, Some(V::Number(right))) => {
            number(Some((ordered_number(*right), ordered_number(*right))))
        }
        (Op::GreaterThan, Some(V::Number(right))) => {
            number(ordered_number(*right).checked_add(1).map(|first| (first, greatest)))
        }
        (Op::GreaterThanOrEquals, Some(V::Number(right))) => number(Some((ordered_number(*right), greatest))),
        (Op::LessThan, Some(V::Number(right))) => {
            number(ordered_number(*right).checked_sub(1).map(|last| (least, last)))
        }
        (Op::LessThanOrEquals, Some(V::Number(right))) => number(Some((least, ordered_number(*right)))),
        (Op::Before, Some(V::DateTime(right))) => {
            time(ordered_time(right.millis()).checked_sub(1).map(|last| (0, last)))
        }
        (Op::After, Some(V::DateTime(right))) => {
            time(ordered_time(right.millis()).checked_add(1).map(|first| (first, u64::MAX)))
        }
        (
            Op::EqualsTo
            | Op::Contains
            | Op::GreaterThan
            | Op::GreaterThanOrEquals
            | Op::LessThan
            | Op::LessThanOrEquals
            | Op::Before
            | Op::After,
            _,
        ) => Condition::Never,
    }
}

fn at_number<T: Default>(list: &mut Vec<T>, number: u32) -> &mut T {
    let at = number as usize;
    if list.len() <= at {
        list.resize_with(at + 1, T::default);
    }
    &mut list[at]
}
