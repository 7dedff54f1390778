//! A page of a list: its items, and the start of the next page.

/// Items of a list, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// The items, at most as many as requested.
    pub items: Vec<T>,
    /// Start of the next page (the position of the last item here); `None` on the last page.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Truncates a list that was read with one item more than requested.
    pub fn cut(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> C) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(place) } else { None };
        Self { items, next }
    }
}
