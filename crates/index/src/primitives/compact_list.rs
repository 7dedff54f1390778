//! Lists that grow with little room to spare: an index has very many, and most of them long since have their length.

/// Puts an item at the end; the room grows by a quarter.
pub(crate) fn push_sparing<T>(list: &mut Vec<T>, item: T) {
    make_room(list, 1);
    list.push(item);
}

/// Makes room for more items; it grows by a quarter at least.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4 + 4));
    }
}
