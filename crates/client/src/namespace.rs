//! Comparison of namespaces in a client: by whole segments, regardless of repeated, leading and
//! trailing slashes. Access is decided by the server.

/// Returns true if both texts name the same namespace. For example, `/users/1`, `users/1/` and
/// `/users//1` are the same.
pub fn is_same(one: &str, other: &str) -> bool {
    segments(one).eq(segments(other))
}

/// Returns true if the namespace is `node` or below it: `/users/1/facts` is within `/users/1`,
/// `/users/10` is not. Every namespace is within `/`.
pub fn is_within(namespace: &str, node: &str) -> bool {
    let mut own = segments(namespace);
    segments(node).all(|segment| own.next() == Some(segment))
}

fn segments(namespace: &str) -> impl Iterator<Item = &str> {
    namespace.split('/').filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_compared_by_segments() {
        let check = |one: &str, other: &str, same: bool, within: bool| {
            assert_eq!((is_same(one, other), is_within(one, other)), (same, within), "{one} {other}");
        };
        check("/a/b", "/a/b", true, true);
        check("/a/b/", "a//b", true, true);
        check("/", "", true, true);
        check("/a/b", "/a", false, true);
        check("/a", "/a/b", false, false);
        check("/users/10/", "/users/1", false, false);
        check("/users/10/", "/", false, true);
        check("/", "/users", false, false);
        check("/ab", "/a/b", false, false);
        check("/A", "/a", false, false);
    }
}
