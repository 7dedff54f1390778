//! Matches the scope of a record with the paths of a task. Pure. Two patterns that cannot be
//! compared count as a match: a superfluous line is visible, a missing one is not.

use loci_engine::strategies::learnings::{MODULE, place_of};
use loci_verified::verifier::Glob;

/// Characters that make a path a pattern.
const WILD: &[char] = &['*', '?', '[', '{'];
/// The minimum length of a word that may name a module, in characters.
const WORD_CHARS_MIN: usize = 3;
/// Words of paths that name nothing.
const PLAIN_WORDS: &[&str] = &["src", "lib", "test", "tests", "module", "the", "and", "for", "app", "spec"];

/// The paths of a request, parsed once: files, directories, patterns.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestPaths(Vec<RequestPath>);

#[derive(Debug, Clone)]
struct RequestPath {
    /// The path in its normal form.
    text: String,
    /// The part before the first wildcard, up to the last slash.
    fixed: String,
    glob: Option<Glob>,
}

impl RequestPaths {
    pub(crate) fn new(paths: &[String]) -> Self {
        let path = |path: &String| {
            let text = in_full(path);
            let fixed = fixed(&text).to_owned();
            let glob = text.contains(WILD).then(|| Glob::parse(&text).ok()).flatten();
            RequestPath { text, fixed, glob }
        };
        let all: Vec<RequestPath> = paths.iter().map(path).collect();
        // A path of the whole repository does not narrow the request.
        Self(if all.iter().any(|path| path.text.is_empty()) { Vec::new() } else { all })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a scope matches one of the paths.
    pub(crate) fn meet(&self, scope: &str) -> bool {
        if let Some(module) = scope.strip_prefix(MODULE) {
            return self.0.iter().any(|path| path.glob.is_some() || names_module(&path.text, module));
        }
        let scope = in_full(scope);
        let glob = Glob::parse(&scope).ok();
        self.0.iter().any(|path| path.meets(&scope, glob.as_ref()))
    }
}

impl RequestPath {
    fn meets(&self, scope: &str, glob: Option<&Glob>) -> bool {
        let is_literal = self.glob.is_none();
        if glob.is_some_and(|glob| glob.matches(&self.text))
            || self.glob.as_ref().is_some_and(|glob| glob.matches(scope))
        {
            return true;
        }
        let of_scope = fixed(scope);
        if is_literal {
            // A directory matches everything below it.
            let directory = format!("{}/", self.text.trim_end_matches('/'));
            return scope.starts_with(&directory);
        }
        // Two patterns match if the fixed part of one is a prefix of the other's.
        let has_pattern = scope.contains(WILD);
        has_pattern && (self.fixed.starts_with(of_scope) || of_scope.starts_with(&self.fixed))
    }
}

/// True if a query names a scope, or the topic of a record.
pub(super) fn is_named(scope: &str, topic: Option<&str>, query: &str) -> bool {
    let asked: Vec<String> = words(query).collect();
    let named = |word: String| {
        let alike = |other: &String| {
            *other == word
                || (word.len() > WORD_CHARS_MIN && other.starts_with(&word))
                || is_plural(&word, other)
        };
        asked.iter().any(alike)
    };
    words(scope).chain(words(topic.unwrap_or_default())).any(named)
}

fn is_plural(word: &str, other: &str) -> bool {
    other.len() > WORD_CHARS_MIN && word.strip_suffix('s') == Some(other)
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    parts.filter(|word| word.chars().count() >= WORD_CHARS_MIN && !PLAIN_WORDS.contains(&word.as_str()))
}

/// True if a segment of the path contains the module's name as whole words: `auth` is in
/// `auth-service.ts` and `UserAuth.java`, and not in `author.ts`.
fn names_module(path: &str, module: &str) -> bool {
    let name = name_words(module);
    !name.is_empty()
        && path.split('/').any(|segment| {
            let stem = segment.rsplit_once('.').map_or(segment, |(stem, _)| stem);
            let words = name_words(if stem.is_empty() { segment } else { stem });
            words.windows(name.len()).any(|some| some == name) || words.concat() == name.concat()
        })
}

/// Returns the words of a name in lower case and without a plural's `s`: `OrderItems_v2` has three.
fn name_words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut is_lower) = (Vec::new(), String::new(), false);
    let mut end = |word: &mut String| {
        let whole = std::mem::take(word);
        let singular = whole.strip_suffix('s').filter(|stem| stem.len() >= WORD_CHARS_MIN);
        words.extend(Some(singular.map_or(whole.clone(), str::to_owned)).filter(|word| !word.is_empty()));
    };
    for c in name.chars() {
        if !c.is_alphanumeric() || (is_lower && c.is_uppercase()) {
            end(&mut word);
        }
        is_lower = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    end(&mut word);
    words
}

/// Normalizes a path: forward slashes, no prefix before the first segment, a directory with
/// everything below it. Empty for the whole repository.
fn in_full(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let path = path.trim_start_matches("./").trim_start_matches('/');
    if matches!(path, "" | ".") { String::new() } else { place_of(path) }
}

/// Returns the part before the first wildcard, up to the last slash; all of a literal path.
fn fixed(pattern: &str) -> &str {
    let Some(wild) = pattern.find(WILD) else { return pattern };
    let before = pattern.get(..wild).unwrap_or_default();
    before.rfind('/').and_then(|slash| before.get(..=slash)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_and_paths() {
        let check = |scope: &str, path: &str, expect: bool| {
            assert_eq!(RequestPaths::new(&[path.to_owned()]).meet(scope), expect, "{scope} {path}");
        };
        check("src/api/**", "src/api/orders.ts", true);
        check("src/api/**", "./src/api/orders/list.ts", true);
        check("src/api/**", "src/web/page.ts", false);
        check("src/api/**", "src/api/orders/**", true);
        check("src/api/orders.ts", "src/api/**", true);
        check("src/api/orders.ts", "src/api", true);
        check("src/api/orders.ts", "src/apis", false);
        check("**/*.ts", "src", true);
        check("**/*.ts", "src/api/", true);
        check("src/api/", "src/api/orders.ts", true);
        check("src/api", "src/api/orders.ts", true);
        check("Makefile", "Makefile", true);
        check("module:auth", "src/**", true);
        check("src/legacy/**", "src/api/**", false);
        check("**/*.test.ts", "src/api/orders.test.ts", true);
        check("**/*.test.ts", "src/api/orders.ts", false);
        check("**/*.test.ts", "src/api/**", true);
        check("package.json", "package.json", true);
        check("package.json", "src/**", false);
        check("module:auth", "src/auth/session.ts", true);
        check("module:auth", "src/auth.rs", true);
        check("module:order-history", "src/order_history/mod.rs", true);
        check("module:auth", "src/author/list.ts", false);
        check("module:auth", "src/services/auth-service.ts", true);
        check("module:auth", "app/UserAuth.java", true);
        check("module:feature-flags", "src/featureFlags/index.ts", true);
        check("module:feature-flags", "src/featureflags.py", true);
        check("module:feature-flags", "src/feature/list.ts", false);
        check("module:order", "src/orders/list.ts", true);
    }

    #[test]
    fn the_whole_repository_narrows_nothing() {
        for paths in [&["."][..], &["./"], &["/"], &["src/a.rs", "."]] {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            assert!(RequestPaths::new(&paths).is_empty(), "{paths:?}");
        }
    }

    #[test]
    fn scopes_that_a_question_names() {
        let check = |scope: &str, topic: Option<&str>, query: &str, expect: bool| {
            assert_eq!(is_named(scope, topic, query), expect, "{scope} {topic:?} {query}");
        };
        check("module:auth", None, "Fix the auth token refresh", true);
        check("src/api/orders.ts", None, "Add pagination to /orders", true);
        check("src/api/**", None, "Add pagination to /orders", false);
        check("src/**", Some("Order history"), "Show the order of a customer", true);
        check("src/tests/**", None, "Run the tests", false);
    }
}
