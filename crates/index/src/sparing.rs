//! Lists that grow with little room to spare: an index has very many, and most of them long since have their length.

/// Puts an item at the end; the room grows by a quarter.
pub(crate) fn push_sparing<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 4);
    }
    list.push(item);
}
