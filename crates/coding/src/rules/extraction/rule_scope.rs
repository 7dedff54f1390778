//! The scope of a rule: the part of the code base that its words name. The position of the comment
//! counts only if the words refer to it ("in this package"). The destination of a file is not a
//! scope: "put types into `src/types`" holds everywhere.

use std::sync::LazyLock;

use loci_engine::strategies::learnings::{MODULE, place_of, scope_of as scope_named};
use regex::Regex;

use super::cue_text;

static FIRST: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)^(?:[a-z ,]{0,30}\b)?(?:in|under|within|inside|for|everything in|code in|files in|im|unter|dans|sous|en|em)\s+(?:the\s+)?`?([\w@.*{}/-]*[/*][\w@.*{}/-]*)`?(?:\s+(?:directory|folder|package))?\s*[,:]?\s",
    )
});
static LAST: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:in|under|within|inside|for|im|unter|dans|sous|en|em)\s+(?:the\s+)?`?([\w@.*{}/-]*[/*][\w@.*{}/-]*)`?(?:\s+(?:directory|folder|package))?\s*[.!]?$",
    )
});
static MODULE_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:in|within|inside|for|of|across)\s+(?:the|our)\s+`?([\w-]+)`?\s+(?:module|package|crate|service)\b",
    )
});
static HERE: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:in|within|inside|for|throughout)\s+this\s+(module|package|crate|directory|folder)\b",
    )
});
/// Verbs that state a destination.
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:put|place|placed|move|moved|lives?|goes?|belongs?|keep|kept|stored?|saved?|created?|declared?|defined?|located?|gehör\w*|liegen|sit|sits)\b",
    )
});

/// Returns the scope of a rule; `None`: the whole repository.
pub(super) fn scope_of(text: &str, path: Option<&str>) -> Option<String> {
    if HERE.is_match(text) {
        return path.and_then(|path| path.rsplit_once('/')).map(|(directory, _)| format!("{directory}/**"));
    }
    if let Some(name) = FIRST.captures(text).and_then(|found| found.get(1)) {
        return place(name.as_str());
    }
    if PLACES.is_match(text) {
        return None;
    }
    if let Some(name) = LAST.captures(text).and_then(|found| found.get(1)) {
        return place(name.as_str());
    }
    let name = MODULE_NAMED.captures(text).and_then(|found| found.get(1))?;
    Some(format!("{MODULE}{}", name.as_str().to_lowercase()))
}

/// Returns the part of a statement after the place with which it opens; `None` if it opens with
/// none.
pub(super) fn behind_place(text: &str) -> Option<&str> {
    let found = FIRST.captures(text)?;
    place(found.get(1)?.as_str())?;
    text.get(found.get(0)?.end()..)
}

fn place(name: &str) -> Option<String> {
    let name = name.trim_end_matches(['.', ',']);
    // A name with a leading `@` is an external package, and `and/or` is not a path.
    let is_words = name.split('/').all(|part| part.len() <= 3 && part.chars().all(char::is_alphabetic));
    if name.starts_with('@') || is_words || name.contains("//") {
        return None;
    }
    scope_named(name).or_else(|| Some(place_of(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_rules() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(scope_of(text, Some("web/src/a.ts")).as_deref(), expect, "{text}");
        };
        check("In `src/legacy/`, never use hooks.", Some("src/legacy/**"));
        check("Never use hooks in src/legacy/**.", Some("src/legacy/**"));
        check("Use snake_case for `**/*.py`", Some("**/*.py"));
        check("Put shared types in `src/types/`.", None);
        check("Never throw in the parser module.", Some("module:parser"));
        check("Always sort imports in this package.", Some("web/src/**"));
        check("Always use tabs in and/or", None);
        check("Never use `any`.", None);
    }
}
