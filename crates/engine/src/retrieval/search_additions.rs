//! Additions that an engine operation makes to a search: a filter of records, and synonyms for
//! the query.

use loci_model::record::Record;

/// A function that returns true for records that the search may return.
pub(crate) type RecordPredicate<'a> = dyn Fn(&Record) -> bool + Send + Sync + 'a;

/// The additions of an operation to a search.
pub struct SearchAdditions<'a> {
    /// The filter of records. A rejected record does not count toward the maximum number of hits.
    pub admits: &'a RecordPredicate<'a>,
    /// Terms to search in addition to those of the query, up to the maximum number of terms.
    pub also: Vec<String>,
    /// The maximum number of hits, in place of the number in the request: an operation that
    /// reorders the hits needs more than it returns.
    pub most: usize,
}

impl SearchAdditions<'_> {
    /// Returns true if the search may return the record.
    pub(super) fn admits(this: Option<&Self>, record: &Record) -> bool {
        this.is_none_or(|within| (within.admits)(record))
    }
}
