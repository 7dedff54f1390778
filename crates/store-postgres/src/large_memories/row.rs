//! A passage as a row: its words as digests, and the attributes for scopes.

use std::collections::{BTreeMap, BTreeSet};

use loci_index::{IndexPassage, IndexRecord};
use loci_model::record::metadata::{Metadata, MetadataValue, SYSTEM_RECORD_TYPE};
use loci_model::record::{RecordKind, RecordState};
use loci_store_kit::codes::{code_of, key_of};
use tokio_postgres::Row;

use crate::digests::{Key16, Word, chain_key, group_key, word_number};
use crate::tx::{Column, OwnedValues, PgTx, code, int, signed};

/// The columns of a passage, in the order of [`PassageRow::values`].
pub(super) const COLUMNS: &str = "mem, key, part, content, grp, chain, place, state, kind, expires, actor, session, path, \
                                  name, path_terms, name_terms, terms, words, created, updated, held_from, held_until, \
                                  number_keys, numbers";
const MARKS: &str = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
                     $23, $24";

/// A passage.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PassageRow {
    pub(super) key: Vec<u8>,
    pub(super) part: i32,
    pub(super) content: i64,
    pub(super) group: Key16,
    pub(super) chain: Option<Key16>,
    pub(super) place: i64,
    pub(super) state: i16,
    pub(super) kind: i16,
    pub(super) expires: Option<i64>,
    pub(super) actor: Option<i64>,
    pub(super) session: Option<i64>,
    pub(super) path: Option<i64>,
    pub(super) words: Words,
    pub(super) times: Times,
    /// Numbers and times in the metadata, by key.
    pub(super) numbers: BTreeMap<i64, i64>,
}

/// The times of creation and change, and the period of validity, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Times {
    created: i64,
    updated: i64,
    /// `None` if it was never valid.
    held_from: Option<i64>,
    /// `None` if it is still valid.
    held_until: Option<i64>,
}

impl Times {
    fn of(record: &IndexRecord) -> Self {
        let was_held = record.state == RecordState::Active || record.known_to.is_some();
        Self {
            created: record.created_at.millis(),
            updated: record.updated_at.millis(),
            held_from: was_held.then(|| record.created_at.max(record.valid_from).millis()),
            held_until: record.valid_to.into_iter().chain(record.known_to).min().map(|end| end.millis()),
        }
    }
}

/// The words of a passage, as digests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub(super) struct Words {
    /// A prefix that looks like a speaker's name.
    pub(super) name: Option<String>,
    pub(super) path_terms: usize,
    pub(super) name_terms: usize,
    /// The total number of terms.
    pub(super) terms: usize,
    /// The terms in order, with those of the name as complements, followed by marks of metadata.
    pub(super) all: Vec<i64>,
}

impl Words {
    /// Reads the columns `name, path_terms, name_terms, terms, words` from `at` on.
    pub(super) fn read(row: &Row, at: usize) -> loci_model::Result<Self> {
        let count = |place: usize| row.take::<i32>(place).map(|count| usize::try_from(count).unwrap_or(0));
        Ok(Self {
            name: row.take(at)?,
            path_terms: count(at + 1)?,
            name_terms: count(at + 2)?,
            terms: count(at + 3)?,
            all: row.take(at + 4)?,
        })
    }

    /// Returns the terms in effect: without those of the name, if it is known.
    pub(super) fn counted(&self, name_is_known: bool) -> impl Iterator<Item = i64> + '_ {
        let taken_off = if name_is_known { self.name_terms } else { 0 };
        let (path, text) =
            (self.all.get(..self.path_terms), self.all.get(self.path_terms + taken_off..self.terms));
        let all = path.unwrap_or_default().iter().chain(text.unwrap_or_default());
        all.map(|word| if *word < 0 { !*word } else { *word })
    }

    /// Returns the terms as stored for searching: those of the name as complements. Most names are
    /// known, and their terms are not searched.
    pub(super) fn as_found(&self) -> &[i64] {
        self.all.get(..self.terms).unwrap_or_default()
    }

    /// Returns the number of terms in effect.
    pub(super) fn length(&self, name_is_known: bool) -> usize {
        self.terms.saturating_sub(if name_is_known { self.name_terms } else { 0 })
    }

    /// Returns the terms of the path.
    pub(super) fn of_path(&self) -> &[i64] {
        self.all.get(..self.path_terms).unwrap_or_default()
    }

    fn of(memory: i64, path: &[i64], marks: &[i64], passage: &IndexPassage) -> Self {
        let analysis = &passage.analysis;
        let prefix = analysis.prefix.as_ref();
        let name_terms = prefix.map_or(0, |prefix| prefix.terms.min(analysis.terms.len()));
        let text = analysis.terms.iter().enumerate().map(|(at, term)| {
            let word = word_number(memory, Word::Term, term);
            if at < name_terms { !word } else { word }
        });
        let mut all: Vec<i64> = path.iter().copied().chain(text).collect();
        let terms = all.len();
        all.extend_from_slice(marks);
        Self {
            name: prefix.map(|prefix| prefix.name.clone()),
            path_terms: path.len(),
            name_terms,
            terms,
            all,
        }
    }
}

impl PassageRow {
    /// Returns the passages of a record.
    pub(super) fn of_record(memory: i64, record: &IndexRecord) -> Vec<Self> {
        let strategy = record.strategy.as_ref().map(|strategy| strategy.as_str());
        let group = group_key(&record.namespace, strategy.unwrap_or(""));
        let actor = record.actor.as_ref().map(|actor| actor.as_str());
        let session = record.session.as_ref().map(|session| session.as_str());
        let branch = record.branch.as_ref().map(|branch| branch.as_str());
        let path_terms = record.path.as_deref().map(loci_text::path_terms).unwrap_or_default();
        let path: Vec<i64> = path_terms.iter().map(|term| word_number(memory, Word::Term, term)).collect();
        let mut marks = marks(memory, &record.metadata);
        marks.push(MetadataWord::Text(record.origin.wire()).of(memory, SYSTEM_RECORD_TYPE));
        let (times, numbers) = (Times::of(record), numbers(memory, &record.metadata));
        let digest = |word, text: Option<&str>| text.map(|text| word_number(memory, word, text));
        let row = |passage: &IndexPassage| Self {
            key: key_of(&record.record),
            part: int(passage.part),
            content: signed(record.content),
            group,
            chain: record.verbatim.then(|| chain_key(group, [actor, session, branch])),
            place: record.position.time.millis(),
            state: code(code_of(RecordState::ALL, record.state)),
            kind: code(code_of(RecordKind::ALL, record.kind)),
            expires: record.expires_at.map(|time| time.millis()),
            actor: digest(Word::Actor, actor),
            session: digest(Word::Session, session),
            path: digest(
                Word::Path,
                record.path.as_ref().map(|path| format!("{}\n{path}", record.namespace)).as_deref(),
            ),
            words: Words::of(memory, &path, &marks, passage),
            times,
            numbers: numbers.clone(),
        };
        record.passages.iter().map(row).collect()
    }

    /// True for a passage of an active record, which is counted.
    pub(super) fn is_active(&self) -> bool {
        self.state == 0
    }

    /// True for an active turn of conversation.
    pub(super) fn talks(&self) -> bool {
        self.is_active() && self.chain.is_some()
    }

    /// Writes the row.
    pub(super) fn put(self, tx: &PgTx<'_>, memory: i64) {
        tx.later(format!("INSERT INTO passages({COLUMNS}) VALUES ({MARKS})"), self.values(memory));
    }

    fn values(self, memory: i64) -> OwnedValues {
        let (keys, numbers): (Vec<i64>, Vec<i64>) = self.numbers.into_iter().unzip();
        let has_numbers = !keys.is_empty();
        vec![
            Box::new(memory),
            Box::new(self.key),
            Box::new(self.part),
            Box::new(self.content),
            Box::new(self.group),
            Box::new(self.chain),
            Box::new(self.place),
            Box::new(self.state),
            Box::new(self.kind),
            Box::new(self.expires),
            Box::new(self.actor),
            Box::new(self.session),
            Box::new(self.path),
            Box::new(self.words.name),
            Box::new(int(self.words.path_terms)),
            Box::new(int(self.words.name_terms)),
            Box::new(int(self.words.terms)),
            Box::new(self.words.all),
            Box::new(self.times.created),
            Box::new(self.times.updated),
            Box::new(self.times.held_from),
            Box::new(self.times.held_until),
            Box::new(has_numbers.then_some(keys)),
            Box::new(has_numbers.then_some(numbers)),
        ]
    }

    /// Reads [`COLUMNS`].
    pub(super) fn read(row: &Row) -> loci_model::Result<Self> {
        Ok(Self {
            key: row.take(1)?,
            part: row.take(2)?,
            content: row.take(3)?,
            group: row.take(4)?,
            chain: row.take(5)?,
            place: row.take(6)?,
            state: row.take(7)?,
            kind: row.take(8)?,
            expires: row.take(9)?,
            actor: row.take(10)?,
            session: row.take(11)?,
            path: row.take(12)?,
            words: Words::read(row, 13)?,
            times: Times {
                created: row.take(18)?,
                updated: row.take(19)?,
                held_from: row.take(20)?,
                held_until: row.take(21)?,
            },
            numbers: row
                .take::<Option<Vec<i64>>>(22)?
                .unwrap_or_default()
                .into_iter()
                .zip(row.take::<Option<Vec<i64>>>(23)?.unwrap_or_default())
                .collect(),
        })
    }
}

/// A condition on metadata that is a word of a passage.
#[derive(Debug, Clone, Copy)]
pub(super) enum MetadataWord<'a> {
    /// The key has a value.
    Key,
    /// The value is this text.
    Text(&'a str),
    /// The value is a list with this text.
    Member(&'a str),
    /// The value is a list of these texts, in any order.
    List(&'a [String]),
}

impl MetadataWord<'_> {
    /// Returns its word under a key.
    pub(super) fn of(self, memory: i64, key: &str) -> i64 {
        let said = match self {
            Self::Key => key.to_owned(),
            Self::Text(text) => format!("{key}\n={text}"),
            Self::Member(text) => format!("{key}\n+{text}"),
            Self::List(texts) => {
                let texts: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
                let texts: Vec<String> =
                    texts.into_iter().map(|text| format!("{} {text}", text.len())).collect();
                format!("{key}\n[{}", texts.join("\n"))
            }
        };
        word_number(memory, Word::Mark, &said)
    }
}

/// Returns the marks of metadata.
pub(super) fn marks(memory: i64, metadata: &Metadata) -> Vec<i64> {
    let mut marks = BTreeSet::new();
    for (key, value) in metadata {
        let mut put = |mark: MetadataWord<'_>| marks.insert(mark.of(memory, key));
        put(MetadataWord::Key);
        match value {
            MetadataValue::String(text) => {
                put(MetadataWord::Text(text));
            }
            MetadataValue::StringList(texts) => {
                put(MetadataWord::List(texts));
                texts.iter().for_each(|text| {
                    put(MetadataWord::Member(text));
                });
            }
            MetadataValue::Number(_) | MetadataValue::DateTime(_) => {}
        }
    }
    marks.into_iter().collect()
}

/// Returns numbers and times in metadata.
fn numbers(memory: i64, metadata: &Metadata) -> BTreeMap<i64, i64> {
    let number = |(key, value): (&String, &MetadataValue)| match value {
        MetadataValue::Number(number) => Some((number_key(memory, key), ordered(*number)?)),
        MetadataValue::DateTime(time) => Some((time_key(memory, key), time.millis())),
        MetadataValue::String(_) | MetadataValue::StringList(_) => None,
    };
    metadata.iter().filter_map(number).collect()
}

/// Returns the key of a number.
pub(super) fn number_key(memory: i64, key: &str) -> i64 {
    word_number(memory, Word::Mark, &format!("{key}\n#"))
}

/// Returns the key of a time.
pub(super) fn time_key(memory: i64, key: &str) -> i64 {
    word_number(memory, Word::Mark, &format!("{key}\n@"))
}

/// Returns an order-preserving integer for a number; `None` for NaN.
pub(super) fn ordered(number: f64) -> Option<i64> {
    // Both zeros are equal.
    let bits = (number + 0.0).to_bits().cast_signed();
    (!number.is_nan()).then_some(if bits < 0 { bits ^ i64::MAX } else { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let all = [
            f64::NEG_INFINITY,
            -1e300,
            -2.5,
            -1.0,
            -1e-300,
            0.0,
            1e-300,
            0.5,
            1.0,
            2.5,
            1e300,
            f64::INFINITY,
        ];
        let kept: Vec<i64> = all.iter().filter_map(|number| ordered(*number)).collect();
        assert!(kept.len() == all.len() && kept.is_sorted_by(|a, b| a < b), "{kept:?}");
        assert_eq!((ordered(-0.0), ordered(f64::NAN)), (ordered(0.0), None));
    }

    #[test]
    fn lists_are_sets() {
        let list = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            MetadataWord::List(&texts).of(7, "key")
        };
        assert_eq!(list(&["a", "b", "a"]), list(&["b", "a"]));
        assert_ne!(list(&["a", "b"]), list(&["a b"]));
        assert_ne!(list(&["a"]), MetadataWord::Text("a").of(7, "key"));
    }
}
