//! The next place of something in a text, remembered: positions that only grow read the text once, however
//! often they ask.

use std::ops::Range;

/// Looks for the first place at or behind a position.
type Look = fn(&str, usize) -> Option<Range<usize>>;

/// The next place of one kind of thing in one text.
pub(super) struct Ahead<'t> {
    text: &'t str,
    look: Look,
    /// The result of the last look; `None` before the first.
    known: Option<Option<Range<usize>>>,
}

impl<'t> Ahead<'t> {
    pub(super) fn new(text: &'t str, look: Look) -> Self {
        Self { text, look, known: None }
    }

    /// The first place at or behind `at`, which is no smaller than that of the question before.
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
        let look: Look = |text, at| {
            let rest = text.get(at..)?;
            rest.find('>').map(|place| at + place..at + place + 1)
        };
        let mut ahead = Ahead::new("a>b>c", look);
        for (at, expect) in [(0, Some(1..2)), (1, Some(1..2)), (2, Some(3..4)), (4, None), (5, None)] {
            assert_eq!(ahead.first(at), expect, "{at}");
        }
    }
}
