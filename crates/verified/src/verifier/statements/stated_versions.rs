//! Versions that a statement gives to a name (`Django 4.2`, `serde is at 1.0.200`), and the cited
//! lines that give the name another version. A version range contradicts no version that it admits.
//! Pure, over texts.

use std::sync::LazyLock;

use regex::Regex;

use crate::verifier::code_structure::name_positions::{LookupBudget, each_place};

/// Words that make a version a bound, before it and after it.
const BOUND_BEFORE: &str =
    " least most minimum maximum than since from before after until below above over under ";
const BOUND_BEHIND: &str = " or and later newer above up older below ";
/// Words by which a statement is not only about the current lines.
const OF_THE_PAST: &str = " was were previously formerly earlier once before until not never isn't unless except instead longer if when ";

/// Words in the position of a name that are not names.
const NO_NAMES: &str = " a an and are at by current for from has have in is it its latest new now of on our pinned requires set \
    that the their this to use used uses using we with ";
/// The name for the version of the thing that a file describes.
const VERSION: &str = "version";

/// A name with a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedVersion {
    pub(super) name: String,
    /// The version as written.
    pub(super) version: String,
}

impl StatedVersion {
    /// Returns the versions that a statement explicitly gives to a name, in order.
    pub(super) fn all(statement: &str) -> Vec<Self> {
        let text = statement.replace('`', "");
        let mut words = text.split(|c: char| c.is_whitespace() || ",.;:()".contains(c));
        if text.contains("used to") || words.any(|word| is_of(OF_THE_PAST, word)) {
            return Vec::new();
        }
        let of = |found: regex::Captures<'_>| {
            let (whole, name, version) = (found.get(0)?, found.get(1)?, found.get(2)?);
            let before = text.get(..version.start())?.split_whitespace().rev();
            let rest = text.get(version.end()..)?;
            let next: String = rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
            let is_bound = before.take(2).any(|word| is_of(BOUND_BEFORE, word))
                || is_of(BOUND_BEHIND, &next) && !rest.starts_with(',')
                || rest.starts_with(['+', '-', '–', '%', '_', '*', '/'])
                || rest.starts_with(char::is_alphanumeric);
            let name = named(whole.as_str(), name.as_str(), rest).filter(|_| !is_bound)?;
            Some(Self { name, version: version.as_str().to_owned() })
        };
        STATED.captures_iter(&text).filter_map(of).collect()
    }

    /// Returns another version that lines of code, without comments, give to the name. Returns
    /// `None` if they give it no version, or one that fits the stated one.
    pub(super) fn other<'l>(
        &self,
        lines: impl Iterator<Item = &'l str>,
        budget: &LookupBudget,
    ) -> Option<String> {
        let name = folded(&self.name);
        let (mut other, mut is_given, mut is_cut) = (None, false, false);
        for line in lines {
            each_place((line, &folded(line)), (&name, is_of_name), 0, |place| {
                let Some(found) = place.captures(&FORM) else {
                    if place.goes_on(&BEGINNINGS) {
                        budget.spend();
                        is_cut = true;
                    }
                    return None;
                };
                let version = found.get(3)?;
                if is_version(place.whole(version.end()), version.as_str(), &self.version) {
                    let sign = found.get(2).map_or("", |sign| sign.as_str());
                    is_given |=
                        is_range(place.rest(version.end())) || fits(&self.version, sign, version.as_str());
                    other.get_or_insert_with(|| version.as_str().to_owned());
                }
                Some(version.end())
            });
        }
        // A version that was not read may be the stated one.
        other.filter(|_| !is_given && !is_cut)
    }
}

/// Returns a text in the normal form of package names: lower case, one separator.
fn folded(text: &str) -> String {
    text.to_ascii_lowercase().replace('_', "-")
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_.-".contains(c)
}

/// Returns true if a version continues as a range of several.
fn is_range(rest: &str) -> bool {
    let is_joined = rest.trim_start_matches(['"', '\'']).trim_start().starts_with(['|', '<', '>', '*']);
    let is_listed = rest.trim_start().starts_with(',') && rest.contains(['<', '>', '=']);
    let goes_on = rest.trim_start_matches('.').trim_start().starts_with(['-', 'x', '*']);
    is_joined || is_listed || (rest.starts_with([' ', '.']) && goes_on)
}

/// Returns the name that a version belongs to: the one after it or before it, else `version` if
/// that word is present.
fn named(whole: &str, name: &str, rest: &str) -> Option<String> {
    let behind = OF_NAME.captures(rest).and_then(|found| found.get(1)).map(|name| name.as_str());
    let own = behind.or((!is_of(NO_NAMES, name)).then_some(name));
    let is_version = || whole.to_lowercase().contains(VERSION).then_some(VERSION);
    own.or_else(is_version).map(str::to_owned)
}

/// Returns true if a number in code is a version and not a measure: by its parts, by quotes, or by
/// the words around it.
fn is_version(whole: &str, found: &str, stated: &str) -> bool {
    let parts = |text: &str| text.split('.').count();
    let is_joined = [":", "@", "=="]
        .iter()
        .any(|sign| whole.strip_suffix(found).is_some_and(|before| before.ends_with(sign)));
    parts(found) > 2
        || parts(stated) > 2
        || is_joined
        || whole.contains(['"', '\''])
        || whole.to_lowercase().contains("version")
}

/// Returns true if a stated version is compatible with the version and the sign in code. Each is
/// compared as far as its parts go.
fn fits(stated: &str, sign: &str, found: &str) -> bool {
    let parts = |text: &str| -> Vec<u64> { text.split('.').map_while(|part| part.parse().ok()).collect() };
    let (stated, found) = (parts(stated), parts(found));
    let same = |count: usize| stated.iter().zip(&found).take(count).all(|(one, other)| one == other);
    match sign {
        "" | "=" | "==" | "v" => same(usize::MAX),
        "^" if found.first() != Some(&0) => same(1),
        "~" => same(2),
        _ => true,
    }
}

fn is_of(list: &str, word: &str) -> bool {
    !word.is_empty() && list.contains(&format!(" {} ", word.to_lowercase()))
}

/// The forms in which files give a version to the name before it: manifests, requirements, images,
/// actions.
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?i)^["']?(\[[^\]]*\])?(?:[-_. ]?version)?["']?\s?(?:===?|=>|=|:|@|\s)\s?(?:\{[^}]*?\bversion\s?=\s?)?["']?\s?(\^|~>|~=|~|>=|<=|>|<|==|=|v)?\s?v?(\d+(?:\.\d+)+)"#,
    )
});
/// Texts that can be the start of that form.
static BEGINNINGS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?i)^["']?(?:\[[^\]]*|(?:\[[^\]]*\])?(?:[-_. ]?version)?["']?\s?(?:===?|=>|=|:|@|\s)\s?(?:\{[^}]*|.?[\d.]+))$"#,
    )
});
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = "crate|package|library|module|dependency|gem|plugin|version";
    let gives = "is|at|version|pinned|fixed|set|to|in|requires|uses|currently|now";
    compiled(&format!(
        r#"(@?[A-Za-z][\w/-]*)(?:\s+(?:{kinds}))?(?:\s+(?:{gives}))*\s*(?:\s|[@=]{{1,2}}\s*|\(\s*)["']?v?(\d+(?:\.\d+)+)"#
    ))
});

static OF_NAME: LazyLock<Regex> = LazyLock::new(|| compiled(r"^\s+of\s+(?:the\s+)?(@?[A-Za-z][\w/-]*)"));

#[expect(clippy::expect_used, reason = "the form is made of constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_given_to_a_name_in_so_many_words() {
        for (statement, expect) in [
            ("We use Django 4.2.", "Django 4.2"),
            ("serde is at version 1.0.200", "serde 1.0.200"),
            ("The version of the shop is 3.0.0.", "shop 3.0.0"),
            ("The shop has version 3.0.0.", "version 3.0.0"),
            ("It uses version 4.2 of Django", "Django 4.2"),
            ("The serde_json crate is pinned to 1.0.114.", "serde_json 1.0.114"),
            ("The version is 2.0.0", "version 2.0.0"),
            ("`react` (18.2.0) and lodash@4.17.21", "react 18.2.0 lodash 4.17.21"),
            ("Django 4.2 or later", ""),
            ("Needs at least Python 3.11", ""),
            ("Python 3.11+ is needed", ""),
            ("Django was 4.1.0 and is 4.2.0", ""),
            ("Django is not 4.2.0", ""),
            ("It takes 1.5%", ""),
        ] {
            let shown = |one: &StatedVersion| format!("{} {}", one.name, one.version);
            let found: Vec<String> = StatedVersion::all(statement).iter().map(shown).collect();
            assert_eq!(found.join(" "), expect, "{statement}");
        }
    }

    #[test]
    fn files_give_versions_in_their_own_forms() {
        for (statement, line, expect) in [
            ("serde is 1.0.200", "serde = \"1.0.150\"", Some("1.0.150")),
            (
                "serde is 1.0.200",
                "serde = { version = \"1.0.150\", features = [\"derive\"] }",
                Some("1.0.150"),
            ),
            ("serde is 1.0.150", "serde = \"1.0.150\"", None),
            ("serde is 1.0.150", "serde = \"1.0\"", None),
            ("React 17.0.2 is used", "\"react\": \"^18.2.0\",", Some("18.2.0")),
            ("React 18.3.1 is used", "\"react\": \"^18.2.0\",", None),
            ("React 17.0.2 is used", "\"react-dom\": \"18.2.0\",", None),
            ("React 17.0.2 is used", "\"react\": \">=16.0.0\",", None),
            ("React 17.0.2 is used", "\"react\": \"16.0.0 || 17.0.2\",", None),
            ("We use Django 4.2", "Django==3.2.1", Some("3.2.1")),
            ("We use Django 4.2", "django>=3.2,<5.0", None),
            ("Builds on Python 3.11", "FROM python:3.12-slim", Some("3.12")),
            ("Builds on Python 3.11", "python-version: \"3.12\"", Some("3.12")),
            ("The version is 2.0.0", "version = \"2.1.5\"", Some("2.1.5")),
            ("VERSION = 2.1.4", "VERSION = \"2.1.5\"", Some("2.1.5")),
            ("The rate is 1.50", "rate = 1.5", None),
            ("The rate is 1.50", "rate: 1.25", None),
            ("serde_json is 1.0.2", "Serde-JSON = \"1.0.1\"", Some("1.0.1")),
            ("serde is 1.0.2", "serde = \"1.0.1\", serde = \"1.0.2\"", None),
            ("serde is 1.0.2", "my-serde = \"1.0.1\"", None),
        ] {
            let budget = LookupBudget::default();
            let all = StatedVersion::all(statement);
            let found = all.iter().find_map(|one| one.other(std::iter::once(line), &budget));
            assert_eq!((found.as_deref(), budget.is_spent()), (expect, false), "{statement}: {line}");
        }
    }

    #[test]
    fn what_is_too_long_to_be_read_is_noted() {
        let long = "a".repeat(500);
        for (line, expect, is_spent) in [
            (format!("serde = {{ features = [\"{long}\"], version = \"1.0.150\" }}"), None, true),
            (format!("serde[{long}]==1.0.150"), None, true),
            (format!("serde = \"1.0.150\" # {long}"), Some("1.0.150"), false),
            (format!("serde({long})"), None, false),
        ] {
            let budget = LookupBudget::default();
            let stated = StatedVersion { name: "serde".to_owned(), version: "1.0.200".to_owned() };
            let found = stated.other(std::iter::once(line.as_str()), &budget);
            assert_eq!((found.as_deref(), budget.is_spent()), (expect, is_spent), "{line}");
        }
    }

    #[test]
    fn a_version_that_is_not_read_may_be_the_stated_one() {
        let features = "\"derive\", ".repeat(60);
        let long = format!("serde = {{ features = [{features}], version = \"1.0.200\" }}");
        let stated = StatedVersion::all("serde is 1.0.200");
        for lines in [["serde = \"1.0.150\"", long.as_str()], [long.as_str(), "serde = \"1.0.150\""]] {
            let budget = LookupBudget::default();
            let found = stated.iter().find_map(|one| one.other(lines.into_iter(), &budget));
            assert_eq!((found, budget.is_spent()), (None, true), "{lines:?}");
        }
    }
}
