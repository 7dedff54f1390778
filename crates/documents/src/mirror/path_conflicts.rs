//! Paths where a file takes the place of a directory, or a directory that of a file. The old
//! content must be removed before the new one is written. Pure.

use std::collections::BTreeMap;

use super::sync_plan::SyncAction;

/// True if a directory of these files has the place of a path, or a file has that of one of its
/// directories.
pub(super) fn is_replaced<V>(files: &BTreeMap<String, V>, path: &str) -> bool {
    let below = format!("{path}/");
    let is_directory =
        files.range(below.clone()..).next().is_some_and(|(other, _)| other.starts_with(&below));
    is_directory
        || path
            .match_indices('/')
            .any(|(at, _)| path.get(..at).is_some_and(|above| files.contains_key(above)))
}

/// Splits actions into those that free a place for another action, and the others, both in their
/// order.
pub(super) fn parted<'a>(actions: &[&'a SyncAction]) -> (Vec<&'a SyncAction>, Vec<&'a SyncAction>) {
    let needed: BTreeMap<String, ()> =
        actions.iter().filter_map(|action| Some((needed_by(action)?.to_owned(), ()))).collect();
    let is_first = |action: &&SyncAction| left_by(action).is_some_and(|place| is_replaced(&needed, place));
    actions.iter().copied().partition(is_first)
}

fn needed_by(action: &SyncAction) -> Option<&str> {
    match action {
        SyncAction::Move { to: path, .. }
        | SyncAction::Take { path, .. }
        | SyncAction::TakeNew { path, .. }
        | SyncAction::KeepBoth { path, .. }
        | SyncAction::Write { path, .. } => Some(path),
        SyncAction::PutAway { .. }
        | SyncAction::Remove { .. }
        | SyncAction::Agree { .. }
        | SyncAction::Forget { .. } => None,
    }
}

fn left_by(action: &SyncAction) -> Option<&str> {
    match action {
        SyncAction::Move { from: path, .. }
        | SyncAction::PutAway { path, .. }
        | SyncAction::Remove { path, .. } => Some(path),
        SyncAction::Take { .. }
        | SyncAction::TakeNew { .. }
        | SyncAction::KeepBoth { .. }
        | SyncAction::Write { .. }
        | SyncAction::Agree { .. }
        | SyncAction::Forget { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_kind() {
        let files: BTreeMap<String, ()> =
            ["a.md/i.md", "a.md0", "b", "c/d/e"].map(|path| (path.to_owned(), ())).into();
        let check = |path: &str, expect: bool| assert_eq!(is_replaced(&files, path), expect, "{path}");
        check("a.md", true);
        check("b/c", true);
        check("b/c/d", true);
        check("c", true);
        check("c/d", true);
        check("c/d/e/f.md", true);
        check("a.md/i.md", false);
        check("a.m", false);
        check("a.md0", false);
        check("b", false);
        check("bb/c", false);
        check("c/d/f", false);
    }

    #[test]
    fn what_is_in_the_way_goes_first() {
        let (path, file) = (|text: &str| text.to_owned(), [1; 32]);
        let actions = [
            SyncAction::Move { from: path("x.md"), to: path("y.md"), file },
            SyncAction::TakeNew { path: path("a.md/i.md"), file },
            SyncAction::Write { path: path("b"), over: None },
            SyncAction::PutAway { path: path("a.md"), base: file },
            SyncAction::PutAway { path: path("c.md"), base: file },
            SyncAction::Remove { path: path("b/d.md"), over: file },
            SyncAction::Remove { path: path("e.md"), over: file },
        ];
        let all: Vec<&SyncAction> = actions.iter().collect();
        let (first, rest) = parted(&all);
        assert_eq!(first, [&actions[3], &actions[5]]);
        assert_eq!(rest, [&actions[0], &actions[1], &actions[2], &actions[4], &actions[6]]);
    }
}
