//! Groups the commits of a history and orders them for counting. Pure. The commits of one pull
//! request are one change, whether the request was merged with a merge commit, commit by commit, or
//! squashed into one commit.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use loci_model::facts::code::ObjectId;
use loci_model::tasks::code_history::HistoryCommit;

/// A commit to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedCommit {
    pub(super) id: ObjectId,
    pub(super) at_s: i64,
    pub(super) pull_request: Option<u64>,
    /// The merge commit that brought this commit onto the branch together with others.
    pub(super) merge: Option<ObjectId>,
}

/// Returns the commits that are not merges, parents before their children. Among several candidates
/// for the next position, the oldest comes first.
pub(super) fn planned(commits: &[HistoryCommit], tip: &ObjectId) -> Vec<PlannedCommit> {
    let by_id: HashMap<ObjectId, &HistoryCommit> = commits.iter().map(|commit| (commit.id, commit)).collect();
    let merges = merges_of(&by_id, tip);
    let in_order = oldest_first(commits, &by_id);
    let single = in_order.into_iter().filter(|commit| commit.parents.len() < 2);
    let planned = single.map(|commit| {
        let merge = merges.get(&commit.id).copied();
        let of_merge = merge.and_then(|merge| by_id.get(&merge));
        let pull_request = of_merge.and_then(|merge| merged_request(&merge.subject));
        PlannedCommit {
            id: commit.id,
            at_s: commit.at_s,
            pull_request: pull_request.or_else(|| squashed_request(&commit.subject)),
            merge,
        }
    });
    planned.collect()
}

/// Maps each commit to the merge of a pull request that brought it onto the branch.
fn merges_of(by_id: &HashMap<ObjectId, &HistoryCommit>, tip: &ObjectId) -> HashMap<ObjectId, ObjectId> {
    let mut line = Vec::new();
    let mut at = by_id.get(tip).copied();
    while let Some(commit) = at {
        line.push(commit);
        at = commit.parents.first().and_then(|parent| by_id.get(parent)).copied();
    }
    let mut seen: HashSet<ObjectId> = line.iter().map(|commit| commit.id).collect();
    let mut merges = HashMap::new();
    // The loop starts with the oldest merge: a commit belongs to the first merge that reaches it.
    for merge in line.into_iter().rev().filter(|commit| commit.parents.len() > 1) {
        let is_request = is_merged_request(&merge.subject);
        let mut open: Vec<ObjectId> = merge.parents.iter().skip(1).copied().collect();
        while let Some(id) = open.pop() {
            let Some(commit) = by_id.get(&id).filter(|_| seen.insert(id)) else { continue };
            if is_request {
                merges.insert(id, merge.id);
            }
            open.extend(&commit.parents);
        }
    }
    merges
}

fn oldest_first<'a>(
    commits: &'a [HistoryCommit],
    by_id: &HashMap<ObjectId, &'a HistoryCommit>,
) -> Vec<&'a HistoryCommit> {
    let mut waits: HashMap<ObjectId, usize> = HashMap::new();
    let mut children: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
    let mut ready = BinaryHeap::new();
    for commit in commits {
        let parents: HashSet<ObjectId> =
            commit.parents.iter().copied().filter(|parent| by_id.contains_key(parent)).collect();
        if parents.is_empty() {
            ready.push(Reverse((commit.at_s, commit.id)));
        }
        waits.insert(commit.id, parents.len());
        for parent in parents {
            children.entry(parent).or_default().push(commit.id);
        }
    }
    let mut order = Vec::with_capacity(commits.len());
    while let Some(Reverse((_, id))) = ready.pop() {
        order.extend(by_id.get(&id).copied());
        for child in children.remove(&id).unwrap_or_default() {
            let Some(waiting) = waits.get_mut(&child) else { continue };
            *waiting = waiting.saturating_sub(1);
            if *waiting == 0
                && let Some(child) = by_id.get(&child)
            {
                ready.push(Reverse((child.at_s, child.id)));
            }
        }
    }
    order
}

/// True if the subject of a merge marks it as the merge of a pull request, in the wording of a
/// forge.
fn is_merged_request(subject: &str) -> bool {
    merged_request(subject).is_some()
        // GitLab's wording for a merge of one branch into another.
        || (subject.starts_with("Merge branch '") && subject.contains("' into '"))
}

/// Returns the number of the pull request that a merge commit names.
fn merged_request(subject: &str) -> Option<u64> {
    let after = |words: &str| subject.split_once(words).map(|(_, after)| after);
    let number = match subject.strip_prefix("Merge pull request ") {
        // `#12 from …`, or the title followed by `(#12) from …`.
        Some(rest) => rest.strip_prefix('#').or_else(|| rest.split_once("(#").map(|(_, after)| after)),
        None if subject.starts_with("Merged in ") => after("(pull request #"),
        None => None,
    };
    leading(number?)
}

/// Returns the pull request number at the end of a commit's subject.
fn squashed_request(subject: &str) -> Option<u64> {
    let inner = subject.trim_end().strip_suffix(')')?;
    let (_, number) = inner.rsplit_once("(#")?;
    number.parse().ok()
}

fn leading(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: u8) -> ObjectId {
        ObjectId::from_bytes(&[name; 20]).unwrap()
    }

    fn commit(name: u8, at_s: i64, parents: &[u8], subject: &str) -> HistoryCommit {
        HistoryCommit {
            id: id(name),
            parents: parents.iter().map(|parent| id(*parent)).collect(),
            at_s,
            subject: subject.to_owned(),
        }
    }

    #[test]
    fn numbers_of_pull_requests() {
        for (subject, expect) in [
            ("Merge pull request #12 from acme/fix", Some(12)),
            ("Merge pull request 'Fix it' (#7) from fix into main", Some(7)),
            ("Merged in fix (pull request #3)", Some(3)),
            ("Merge branch 'fix' into 'main'", None),
            ("Merge branch 'main'", None),
        ] {
            assert_eq!(merged_request(subject), expect, "{subject}");
        }
        for (subject, expect) in [
            ("fix: round totals (#41)", Some(41)),
            ("backport of a fix (#41) (#52)", Some(52)),
            ("Revert \"fix: round totals (#41)\"", None),
            ("see (#41) for more", None),
            ("fix (#x)", None),
        ] {
            assert_eq!(squashed_request(subject), expect, "{subject}");
        }
        assert!(is_merged_request("Merge branch 'fix' into 'main'"));
        assert!(!is_merged_request("Merge branch 'main' into fix"));
    }

    #[test]
    fn parents_come_first_and_branches_are_told_apart() {
        // 1 - 2 ------- 5 - 7     5 merges 3, 4 (a pull request), 7 merges 6 (a plain branch).
        //  \- 3 - 4 -/     /
        //   \---- 6 ------/
        let commits = [
            commit(7, 70, &[5, 6], "Merge branch 'side'"),
            commit(6, 5, &[1], "beside (#9)"),
            commit(5, 50, &[2, 4], "Merge pull request #8 from a/b"),
            commit(4, 1, &[3], "with a wrong clock"),
            commit(3, 30, &[1], "third"),
            commit(2, 20, &[1], "second"),
            commit(1, 10, &[0], "first"),
        ];
        let seen: Vec<(u8, Option<u64>, bool)> = planned(&commits, &id(7))
            .iter()
            .map(|one| (one.id.as_bytes().first().copied().unwrap(), one.pull_request, one.merge.is_some()))
            .collect();
        let expect =
            [(1, None, false), (6, Some(9), false), (2, None, false), (3, Some(8), true), (4, Some(8), true)];
        assert_eq!(seen, expect);
    }
}
