//! Lists that grow with little spare capacity: an index has very many, and most have reached their
//! final length.

/// Appends an item. The capacity grows by a quarter.
pub(crate) fn push_sparing<T>(list: &mut Vec<T>, item: T) {
    make_room(list, 1);
    list.push(item);
}

/// Reserves capacity for more items. It grows by at least a quarter.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4 + 4));
    }
}
