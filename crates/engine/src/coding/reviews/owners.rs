//! Who owns which files, by the owners' file of the base branch (CODEOWNERS): the last pattern that fits a path decides. Pure but for
//! reading the file. What a fork's branch says of owners is never read; teams and addresses are no people that one could tell.

use std::sync::Arc;

use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::repository::Repository;

use crate::Engine;
use crate::verified::{Standing, tip_of};

/// Where the file is looked for, in this order.
const PLACES: &[&str] = &[".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
/// A forge reads no larger file either.
const FILE_BYTES_MAX: u64 = 3 * 1024 * 1024;
/// Lines that are read.
const LINES_MAX: usize = 10_000;
/// Parts of a path that a pattern has, and of these such that stand for any number.
const PARTS_MAX: usize = 32;
const ANY_DEPTH_MAX: usize = 4;
/// Any number of directories.
const ANY_DEPTH: &str = "**";

/// The owners of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Owners(Vec<(Pattern, Vec<String>)>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<String>,
    /// It means what is below a directory.
    is_directory: bool,
}

impl Engine {
    /// The owners' file at the tip of the default branch; nobody owns anything where it cannot be read.
    pub(super) async fn owners(&self, repository: &Repository) -> Owners {
        if repository.places.is_empty() {
            return Owners::default();
        }
        let default = repository.default_ref.clone();
        let work = move |source: &dyn CodeSource| read(source, default.as_deref());
        match self.on_code(repository, &Standing::default(), Arc::new(work)).await {
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
    fn parse(text: &str) -> Self {
        let lines = text.lines().take(LINES_MAX).filter_map(|line| {
            let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
            let pattern = Pattern::parse(words.next()?)?;
            Some((pattern, words.filter_map(login).map(str::to_owned).collect()))
        });
        Self(lines.collect())
    }

    /// Whether an account owns a file.
    pub(super) fn own(&self, login: &str, path: &str) -> bool {
        let deciding = self.0.iter().rev().find(|(pattern, _)| pattern.fits(path));
        deciding.is_some_and(|(_, owners)| owners.iter().any(|owner| owner.eq_ignore_ascii_case(login)))
    }
}

/// An account among the owners.
fn login(word: &str) -> Option<&str> {
    word.strip_prefix('@').filter(|login| !login.is_empty() && !login.contains('/'))
}

impl Pattern {
    /// `None` for what is no pattern here: classes of characters and what begins with `!` are none.
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

    fn fits(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        // `docs/*` means the files of a directory, and not those below its directories.
        let reaches_below = parts.last().is_none_or(|last| *last != "*");
        self.fits_from(&parts, &path, reaches_below)
    }

    fn fits_from(&self, parts: &[&str], path: &[&str], reaches_below: bool) -> bool {
        match parts {
            [] => {
                if path.is_empty() {
                    !self.is_directory
                } else {
                    reaches_below || self.is_directory
                }
            }
            [ANY_DEPTH, rest @ ..] => (0..=path.len())
                .filter_map(|from| path.get(from..))
                .any(|tail| self.fits_from(rest, tail, reaches_below)),
            [part, rest @ ..] => path.split_first().is_some_and(|(first, tail)| {
                fits_part(part, first) && self.fits_from(rest, tail, reaches_below)
            }),
        }
    }
}

/// Whether one part of a path fits: `*` is any run of characters, `?` is one.
fn fits_part(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Where each character of the pattern can have come to, one after the other.
    let mut reached = vec![true];
    reached.resize(text.len() + 1, false);
    for wanted in pattern {
        let mut next = vec![false; text.len() + 1];
        let mut carried = false;
        for (at, was) in reached.iter().enumerate() {
            carried |= *was;
            if wanted == '*' {
                if let Some(slot) = next.get_mut(at) {
                    *slot = carried;
                }
            } else if *was
                && text.get(at).is_some_and(|found| wanted == '?' || *found == wanted)
                && let Some(slot) = next.get_mut(at + 1)
            {
                *slot = true;
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let check = |pattern: &str, path: &str, expect: bool| {
            let fits = Pattern::parse(pattern).is_some_and(|pattern| pattern.fits(path));
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
