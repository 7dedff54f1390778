//! A page of anything: the items, and where the next page starts.

/// Items of a list, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// The items; at most as many as asked for.
    pub items: Vec<T>,
    /// Start of the next page (the place of the last item here); `None` on the last page.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Cuts a list that was read one item longer than asked for.
    pub fn cut(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> C) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(place) } else { None };
        Self { items, next }
    }
}
