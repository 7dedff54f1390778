//! A page of a list: its items, and the start of the next page.

/// A page of a list, in the order of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// The items of the page, at most as many as requested.
    pub items: Vec<T>,
    /// The position after which the next page starts; `None` on the last page.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Creates a page from a list that was read with one item more than `limit`, to find out if
    /// there is a next page.
    pub fn cut(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> C) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(place) } else { None };
        Self { items, next }
    }
}
