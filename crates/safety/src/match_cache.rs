//! A cache of the next match in a text. Queries at increasing positions read the text only once.

use std::ops::Range;

/// A function that returns the first match at or after a position.
type MatchFinder = fn(&str, usize) -> Option<Range<usize>>;

/// The next match of one kind in one text.
pub(super) struct MatchCache<'t> {
    text: &'t str,
    look: MatchFinder,
    /// The result of the last search. The outer `None` means that there was no search yet.
    known: Option<Option<Range<usize>>>,
}

impl<'t> MatchCache<'t> {
    pub(super) fn new(text: &'t str, look: MatchFinder) -> Self {
        Self { text, look, known: None }
    }

    /// Returns the first match at or after `at`. `at` must not be smaller than in the previous
    /// call.
    pub(super) fn first(&mut self, at: usize) -> Option<Range<usize>> {
        match &self.known {
            Some(None) => None,
            Some(Some(place)) if place.start >= at => Some(place.clone()),
            Some(Some(_)) | None => {
                let place = (self.look)(self.text, at);
                self.known = Some(place.clone());
                place
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once() {
        let look: MatchFinder = |text, at| {
            let rest = text.get(at..)?;
            rest.find('>').map(|place| at + place..at + place + 1)
        };
        let mut ahead = MatchCache::new("a>b>c", look);
        for (at, expect) in [(0, Some(1..2)), (1, Some(1..2)), (2, Some(3..4)), (4, None), (5, None)] {
            assert_eq!(ahead.first(at), expect, "{at}");
        }
    }
}
