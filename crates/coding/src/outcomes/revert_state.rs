//! Determines if a merged change still stands, given all reported reverts and reverts of reverts,
//! in any order and with repetitions. Pure: equal facts have equal results.

use std::collections::BTreeSet;

use loci_model::tasks::outcome::{OutcomeFacts, Revert};

/// Adds a revert. One that shares a name with a known revert is the same revert.
pub(super) fn join(all: &mut Vec<Revert>, new: Revert) {
    let is_same = |one: &Revert| {
        one.is_reland == new.is_reland && one.names.iter().any(|name| new.names.contains(name))
    };
    let Some(place) = all.iter().position(is_same) else { return all.push(new) };
    let (same, mut others): (Vec<Revert>, Vec<Revert>) = all.drain(..).partition(is_same);
    let mut joined: Option<Revert> = None;
    for one in same.into_iter().chain([new]) {
        joined = Some(match joined {
            None => one,
            Some(before) => both(before, one),
        });
    }
    others.splice(place..place, joined);
    *all = others;
}

fn both(mut before: Revert, other: Revert) -> Revert {
    let add = |to: &mut Vec<String>, from: Vec<String>| {
        let mut known: BTreeSet<String> = to.iter().cloned().collect();
        to.extend(from.into_iter().filter(|name| known.insert(name.clone())));
    };
    add(&mut before.names, other.names);
    add(&mut before.of, other.of);
    before.at = before.at.min(other.at);
    before.tip = before.tip.or(other.tip);
    before
}

/// Determines the effective revert: the earliest one that no effective revert reverted.
pub(super) fn settle(facts: &mut OutcomeFacts) {
    let all = &facts.taken_back;
    let counting = all.iter().enumerate().filter(|(place, revert)| {
        !revert.is_reland && is_of_what_was_merged(facts, revert) && counts(all, *place, &mut Vec::new())
    });
    let counting = counting.min_by_key(|(_, revert)| revert.at);
    let counting = counting.map(|(_, revert)| (revert.names.first().cloned(), revert.at));
    facts.reverted_at = counting.as_ref().map(|(_, at)| *at);
    facts.reverted_by = counting.and_then(|(by, _)| by);
}

/// True if no effective revert reverts it. A cycle ends at its start.
fn counts(all: &[Revert], place: usize, above: &mut Vec<usize>) -> bool {
    let Some(this) = all.get(place).filter(|_| !above.contains(&place)) else { return false };
    above.push(place);
    let is_taken_back = all.iter().enumerate().any(|(other, revert)| {
        revert.is_reland && revert.of.iter().any(|of| this.names.contains(of)) && counts(all, other, above)
    });
    above.pop();
    !is_taken_back
}

/// True if the revert came after the merge. A pull request may revert some of its own commits, and
/// these do not count.
fn is_of_what_was_merged(facts: &OutcomeFacts, revert: &Revert) -> bool {
    let merge = facts.merge_commit_sha.as_deref();
    let is_merge = |name: &str| merge.is_some_and(|merge| merge.eq_ignore_ascii_case(name));
    let number = facts.pr.map(|pr| format!("#{pr}"));
    let is_its_own = |name: &String| {
        is_merge(name) || Some(name) == number.as_ref() || facts.own_reverts.iter().any(|own| own.by == *name)
    };
    let is_within = |of: &String| facts.own_reverts.iter().any(|own| own.of == *of);
    !revert.names.iter().any(is_its_own)
        && !revert.tip.as_deref().is_some_and(is_merge)
        && !revert.of.iter().all(is_within)
        && facts.merged_at.is_none_or(|merged_at| revert.at > merged_at)
}

#[cfg(test)]
mod tests {
    use loci_model::Timestamp;
    use loci_model::tasks::outcome::OwnRevert;

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::clamped(1_800_000_000_000 + minute * 60_000)
    }

    fn words(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    fn revert(names: &str, of: &str, minute: i64) -> Revert {
        Revert { names: words(names), of: words(of), is_reland: false, at: at(minute), tip: None }
    }

    fn reland(names: &str, of: &str, minute: i64) -> Revert {
        Revert { is_reland: true, ..revert(names, of, minute) }
    }

    fn facts() -> OutcomeFacts {
        OutcomeFacts {
            pr: Some(57),
            merged_at: Some(at(10)),
            merge_commit_sha: Some("m57".to_owned()),
            own_reverts: vec![OwnRevert { by: "b".to_owned(), of: "a".to_owned() }],
            ..OutcomeFacts::default()
        }
    }

    #[test]
    fn a68_what_counts_of_what_took_it_back() {
        let check = |what: &str, heard: &[Revert], expect: Option<&str>| {
            // The order and repetitions do not matter.
            let backwards: Vec<Revert> = heard.iter().rev().cloned().collect();
            for heard in [heard.to_vec(), backwards, [heard, heard].concat()] {
                let mut facts = facts();
                heard.into_iter().for_each(|one| join(&mut facts.taken_back, one));
                settle(&mut facts);
                assert_eq!(facts.reverted_by.is_some(), expect.is_some(), "{what}");
                if let Some(names) = expect {
                    assert!(words(names).contains(facts.reverted_by.as_ref().unwrap()), "{what}: {facts:?}");
                }
            }
        };
        let first = || revert("#60 m60", "#57", 20);
        check("nothing", &[], None);
        check("one", &[first()], Some("#60 m60"));
        check("one, by its commit, too", &[first(), revert("m60", "m57", 20)], Some("#60 m60"));
        check("brought back", &[first(), reland("#61 m61", "#60", 30)], None);
        check("by its commit", &[first(), reland("q", "m60", 30)], None);
        check("by another of its names", &[first(), revert("m60 r", "m57", 20), reland("q", "r", 30)], None);
        let twice = || [first(), reland("#61 m61", "#60", 30), revert("#62 m62", "#57", 40)];
        check("taken back again", &twice(), Some("#62 m62"));
        check("and brought back again", &[&twice()[..], &[reland("#63", "m62", 50)]].concat(), None);
        check(
            "what brought it back was taken back",
            &[first(), reland("#61", "#60", 30), reland("#62", "#61", 40)],
            Some("#60 m60"),
        );
        check(
            "in a circle",
            &[first(), reland("#61", "#60 #62", 30), reland("#62", "#61", 40)],
            Some("#60 m60"),
        );
        check("within it", &[revert("b", "a", 20)], None);
        check("within it, by another name", &[revert("b2", "a", 20)], None);
        check("with its merge", &[Revert { tip: Some("M57".to_owned()), ..revert("x", "c", 20) }], None);
        check("by its squash", &[revert("m57", "c", 20)], None);
        check("by itself", &[revert("#57", "c", 20)], None);
        check("with it", &[revert("x", "m57", 10)], None);
        check("behind it", &[revert("x", "m57", 11)], Some("x"));
        check("of more than it took back itself", &[revert("x", "a m57", 11)], Some("x"));
    }
}
