//! What a verb of the engine may add to the one search: which records take a place in the list, and words that mean what the question
//! means. It ranks nothing: the sum and the order are those of every search.

use loci_model::record::Record;

/// Which records take a place.
pub(crate) type Admits<'a> = dyn Fn(&Record) -> bool + Send + Sync + 'a;

/// What is added to a search.
pub struct Within<'a> {
    /// A record that it refuses takes no place in the list.
    pub admits: &'a Admits<'a>,
    /// Terms that are looked for beside those of the question, as far as there is room for them.
    pub also: Vec<String>,
    /// At most so many hits, in the place of the request's number: whoever orders the list anew needs more than they show.
    pub most: usize,
}

impl Within<'_> {
    /// True where the record takes a place.
    pub(super) fn admits(this: Option<&Self>, record: &Record) -> bool {
        this.is_none_or(|within| (within.admits)(record))
    }
}
