//! Owners of files, from the owners' file of the base branch (CODEOWNERS): the last pattern that
//! matches a path decides. Pure except for reading the file. The file of a fork's branch is never
//! read. Teams and addresses are ignored, because they identify no single account.

use std::cmp::Ordering;
use std::str::Chars;
use std::sync::Arc;

use loci_engine::calls::call_context::CallContext;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_verified::tip_of;

use crate::Coding;

/// The locations of the file, in search order.
const PLACES: &[&str] = &[".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
/// The maximum size of the file in bytes, equal to a forge's limit.
const FILE_BYTES_MAX: u64 = 3 * 1024 * 1024;
/// The maximum number of lines that are read.
const LINES_MAX: usize = 10_000;
/// The maximum number of segments of a pattern. `ANY_DEPTH_MAX` limits those that match any number
/// of directories.
const PARTS_MAX: usize = 32;
const ANY_DEPTH_MAX: usize = 4;
/// The maximum number of steps that compare one path with all patterns.
const STEPS_MAX: u64 = 20_000_000;
/// Any number of directories.
const ANY_DEPTH: &str = "**";

/// The owners of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Owners(Vec<(Pattern, Vec<String>)>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<String>,
    /// True if the pattern matches the content of a directory.
    is_directory: bool,
}

impl Coding {
    /// Reads the owners' file at the tip of the default branch. If it cannot be read, no file has
    /// an owner.
    pub(super) async fn owners(&self, repository: &Repository) -> Owners {
        if repository.places.is_empty() {
            return Owners::default();
        }
        let default = repository.default_ref.clone();
        let work = move |source: &dyn CodeSource| read(source, default.as_deref());
        match self.verified.on_code(repository, &CallContext::default(), Arc::new(work)).await {
            Ok(owners) => owners,
            Err(error) => {
                let why = error.why.as_str();
                tracing::debug!(repository = repository.key, why, "who owns which files could not be read");
                Owners::default()
            }
        }
    }
}

fn read(source: &dyn CodeSource, default: Option<&str>) -> CodeResult<Owners> {
    let tip = tip_of(source, None, default)?;
    for path in PLACES {
        if let Some(entry) = source.entry(&tip.revision, path)? {
            let text = source.read(&entry.id, FILE_BYTES_MAX)?;
            return Ok(Owners::parse(&String::from_utf8_lossy(&text)));
        }
    }
    Ok(Owners::default())
}

impl Owners {
    pub(super) fn parse(text: &str) -> Self {
        let lines = text.lines().take(LINES_MAX).filter_map(|line| {
            let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
            let pattern = Pattern::parse(words.next()?)?;
            Some((pattern, words.filter_map(login).map(str::to_owned).collect()))
        });
        Self(lines.collect())
    }

    /// True if an account owns a file. False if matching exceeds the step limit.
    pub(super) fn own(&self, login: &str, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        let mut steps = STEPS_MAX;
        for (pattern, owners) in self.0.iter().rev() {
            match pattern.fits(&path, &mut steps) {
                Some(true) => return owners.iter().any(|owner| owner.eq_ignore_ascii_case(login)),
                Some(false) => {}
                None => {
                    tracing::warn!(
                        steps = STEPS_MAX,
                        "an owners' file takes too long to be compared with a path"
                    );
                    return false;
                }
            }
        }
        false
    }
}

/// Returns the account that an owner names.
fn login(word: &str) -> Option<&str> {
    word.strip_prefix('@').filter(|login| !login.is_empty() && !login.contains('/'))
}

impl Pattern {
    /// Parses a pattern. `None` for unsupported ones: character classes, escapes and negation.
    fn parse(text: &str) -> Option<Self> {
        if text.contains(['[', ']', '!', '\\']) {
            return None;
        }
        let is_directory = text.ends_with('/');
        let plain = text.trim_end_matches('/');
        let is_anchored = plain.contains('/');
        let parts = plain.trim_start_matches('/').split('/').map(str::to_owned);
        let anywhere = (!is_anchored).then(|| ANY_DEPTH.to_owned());
        let parts: Vec<String> = anywhere.into_iter().chain(parts).collect();
        let deep = parts.iter().filter(|part| *part == ANY_DEPTH).count();
        let is_sane =
            parts.len() <= PARTS_MAX && deep <= ANY_DEPTH_MAX && !parts.iter().any(String::is_empty);
        is_sane.then_some(Self { parts, is_directory })
    }

    /// True if the pattern matches a path; `None` if `steps` run out first.
    fn fits(&self, path: &[&str], steps: &mut u64) -> Option<bool> {
        // `docs/*` matches the files of a directory, and not those of its subdirectories.
        let reaches_below = self.parts.last().is_none_or(|last| *last != "*");
        // The possible numbers of matched path segments, after each segment of the pattern.
        let mut passed = vec![0_usize];
        for part in &self.parts {
            let Some(first) = passed.first().copied() else { return Some(false) };
            let mut next = Vec::new();
            if part == ANY_DEPTH {
                next.extend(first..=path.len());
            } else {
                for at in passed {
                    if let Some(name) = path.get(at)
                        && fits_part(part, name, steps)?
                    {
                        next.push(at + 1);
                    }
                }
            }
            *steps = steps.checked_sub(next.len() as u64)?;
            passed = next;
        }
        let fits = |at: &usize| match at.cmp(&path.len()) {
            Ordering::Less => reaches_below || self.is_directory,
            Ordering::Equal | Ordering::Greater => !self.is_directory,
        };
        Some(passed.iter().any(fits))
    }
}

/// True if one segment of a path matches: `*` is any run of characters, `?` is one. `None` if
/// `steps` run out first. On a mismatch the last `*` takes one character more: everything before it
/// already matches at the earliest position.
fn fits_part(pattern: &str, text: &str, steps: &mut u64) -> Option<bool> {
    let (mut wanted, mut rest) = (pattern.chars(), text.chars());
    let mut last_star: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        *steps = steps.checked_sub(1)?;
        let (mut after, mut behind) = (wanted.clone(), rest.clone());
        match (after.next(), behind.next()) {
            (Some('*'), _) => {
                last_star = Some((after.clone(), rest.clone()));
                wanted = after;
            }
            (None, None) => return Some(true),
            (Some(one), Some(found)) if one == '?' || one == found => (wanted, rest) = (after, behind),
            _ => {
                let Some((after, mut from)) = last_star.take() else { return Some(false) };
                if from.next().is_none() {
                    return Some(false);
                }
                (wanted, rest) = (after.clone(), from.clone());
                last_star = Some((after, from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let check = |pattern: &str, path: &str, expect: bool| {
            let path_parts: Vec<&str> = path.split('/').collect();
            let fits = Pattern::parse(pattern)
                .is_some_and(|pattern| pattern.fits(&path_parts, &mut { STEPS_MAX }).unwrap());
            assert_eq!(fits, expect, "{pattern} {path}");
        };
        check("*", "src/a/b.rs", true);
        check("*.rs", "src/a/b.rs", true);
        check("*.rs", "src/a/b.js", false);
        check("/src/", "src/a/b.rs", true);
        check("/src/", "lib/src/b.rs", false);
        check("/src/", "src", false);
        check("src/", "lib/src/b.rs", true);
        check("docs/*", "docs/a.md", true);
        check("docs/*", "docs/x/a.md", false);
        check("/docs", "docs/x/a.md", true);
        check("**/logs", "a/b/logs/c", true);
        check("/a/**/z.rs", "a/z.rs", true);
        check("/a/**/z.rs", "a/b/c/z.rs", true);
        check("/a/?.rs", "a/b.rs", true);
        check("/a/?.rs", "a/bb.rs", false);
        check("!x", "x", false);
        check("/a*c*e", "abcde", true);
        check("/a*c*e", "abdde", false);
    }

    #[test]
    fn patterns_that_take_too_long_make_nobody_an_owner() {
        let deep = "a/".repeat(2_000) + "b";
        let owners = Owners::parse("* @alice\n/**/a/**/a/**/a/**/c @bob\n");
        assert!(
            owners.own("alice", &deep),
            "each part of the pattern is compared with each of the path once"
        );
        let stars = format!("* @alice\n{}", "/*a*a*a*a*a*b @bob\n".repeat(10_000));
        assert!(!Owners::parse(&stars).own("alice", &"a".repeat(4_000)));
    }

    #[test]
    fn the_last_pattern_that_fits_decides() {
        let text =
            "# owners\n* @acme/all\n*.rs @Alice @bob # both\n/src/free/\n/src/pay.rs x@example.org @carol\n";
        let owners = Owners::parse(text);
        let check = |login: &str, path: &str, expect: bool| {
            assert_eq!(owners.own(login, path), expect, "{login} {path}");
        };
        check("alice", "src/a.rs", true);
        check("bob", "src/a.rs", true);
        check("alice", "src/free/a.rs", false);
        check("alice", "src/pay.rs", false);
        check("carol", "src/pay.rs", true);
        check("all", "README.md", false);
        check("both", "src/a.rs", false);
    }
}
