//! A parsed revision name: a branch, a tag, a commit or `HEAD`, and steps to an ancestor, in git's
//! notation. The source of the code resolves the name and its parents.

use crate::limits::REVISION_STEPS_MAX;

/// The name of the files of a working tree, which have no parents.
const WORKTREE: &str = "WORKTREE";

/// A step to an ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionStep {
    /// `~N`: this number of first parents back.
    Back(u32),
    /// `^N`: the parent of this number, counted from 1; 0 is the commit itself.
    Parent(u32),
}

/// The name of a revision, with the steps after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionName<'a> {
    /// The name that a source looks up.
    pub name: &'a str,
    /// The steps from that revision, in order.
    pub steps: Vec<RevisionStep>,
}

impl<'a> RevisionName<'a> {
    /// Parses `NAME` and the steps after it. Returns `None` if the text after a `~` or `^` is no
    /// step, or if no name precedes the steps. Also returns `None` if the name before steps is
    /// `WORKTREE`, or if the steps lead further than [`REVISION_STEPS_MAX`] commits back.
    pub fn parse(text: &'a str) -> Option<Self> {
        let Some(at) = text.find(['~', '^']) else { return Some(Self { name: text, steps: Vec::new() }) };
        let (name, mut rest) = text.split_at(at);
        if name.is_empty() || name == WORKTREE {
            return None;
        }
        let (mut steps, mut commits) = (Vec::new(), 0_u32);
        while let Some(sign) = rest.chars().next() {
            let behind = rest.get(sign.len_utf8()..)?;
            let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
            let (digits, next) = behind.split_at(end);
            let number = if digits.is_empty() { 1 } else { digits.parse().ok()? };
            let (step, length) = match sign {
                '~' => (RevisionStep::Back(number), number),
                '^' => (RevisionStep::Parent(number), 1),
                _ => return None,
            };
            commits = commits.checked_add(length).filter(|commits| *commits <= REVISION_STEPS_MAX)?;
            steps.push(step);
            rest = next;
        }
        Some(Self { name, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::RevisionStep::{Back, Parent};
    use super::*;

    #[test]
    fn names_and_their_steps() {
        let check = |text: &str, expect: Option<(&str, &[RevisionStep])>| {
            let expect = expect.map(|(name, steps)| RevisionName { name, steps: steps.to_vec() });
            assert_eq!(RevisionName::parse(text), expect, "{text:?}");
        };
        check("main", Some(("main", &[])));
        check("WORKTREE", Some(("WORKTREE", &[])));
        check("HEAD~", Some(("HEAD", &[Back(1)])));
        check("HEAD~3", Some(("HEAD", &[Back(3)])));
        check("HEAD^", Some(("HEAD", &[Parent(1)])));
        check("v1^2~4^0", Some(("v1", &[Parent(2), Back(4), Parent(0)])));
        check("HEAD~~^^", Some(("HEAD", &[Back(1), Back(1), Parent(1), Parent(1)])));
        check("größe~1", Some(("größe", &[Back(1)])));
        let most = format!("HEAD~{REVISION_STEPS_MAX}");
        check(&most, Some(("HEAD", &[Back(REVISION_STEPS_MAX)])));
        check(&format!("{most}~1"), None);
        check(&format!("HEAD~{}", REVISION_STEPS_MAX + 1), None);
        check("HEAD~99999999999", None);
        for none in ["~1", "^", "HEAD~x", "HEAD^{commit}", "HEAD~1/a", "HEAD~-1", "WORKTREE~1", "WORKTREE^"] {
            check(none, None);
        }
    }
}
