//! Additions of an engine operation to a search: a filter of records, and synonyms of the query.
//! The sum and the order stay those of every search.

use loci_model::record::Record;

/// A filter of records.
pub(crate) type RecordPredicate<'a> = dyn Fn(&Record) -> bool + Send + Sync + 'a;

/// The additions to a search.
pub struct SearchAdditions<'a> {
    /// The filter: a rejected record takes no place in the list.
    pub admits: &'a RecordPredicate<'a>,
    /// Terms in addition to those of the query, up to the limit.
    pub also: Vec<String>,
    /// Maximum number of hits instead of the request's number, because a caller that reorders the
    /// list needs more than it shows.
    pub most: usize,
}

impl SearchAdditions<'_> {
    /// Returns true if the record takes a place.
    pub(super) fn admits(this: Option<&Self>, record: &Record) -> bool {
        this.is_none_or(|within| (within.admits)(record))
    }
}
