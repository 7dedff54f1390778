//! Rules on text: V05 descriptions, V06 bodies, V07 whole files, V12 nothing invented or lost, V16
//! injection and secrets.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::limits::FILE_TITLE_CHARS_MAX;
use loci_model::memory::settings::{InjectionMode, MemorySettings, SafetySettings, SecretsMode};
use loci_text::marks::marks;
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::super::plan::{Action, Words};
use super::super::snapshot::reference_key;
use super::paths::is_path;
use super::{RuleCode, ValidationInput};
use crate::consolidation::decisions::merged_words;
use crate::document_text::frontmatter::{self, Parted};
use crate::document_text::is_title;
use crate::safety;
use crate::settings::EngineSettings;

const DESCRIPTION_CHARS_MAX: usize = 160;
/// Similarity below which two bodies have different content.
const MATERIAL_JACCARD: f32 = 0.8;
/// Score from which a text counts as an injection.
const INJECTION_MIN: f32 = 0.3;

/// Checks V05: a title has one line; a description has one line of 1 to 160 characters that no
/// other document of its directory has.
pub(super) fn descriptions(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    let mut seen: Vec<(String, String, &str)> = Vec::new();
    let vacated: BTreeSet<String> =
        plan.actions.iter().flat_map(Action::vacates).map(reference_key).collect();
    let taken = taken_descriptions(judging, &vacated);
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(words) = action.words() else { continue };
        let path = action.writes().unwrap_or_default();
        if words.title.as_deref().is_some_and(|title| !is_title(title)) {
            let told = format!("a title is one line of 1 to {FILE_TITLE_CHARS_MAX} characters");
            judging.refuse(RuleCode::V05, at, told);
        }
        let Some(description) = &words.description else {
            let makes = matches!(action, Action::Create { .. } | Action::Merge { .. });
            if makes && is_path(path) && words.content.is_none() {
                judging.refuse(RuleCode::V05, at, format!("{path} has no description"));
            }
            if is_path(path) && says_something_else(judging, action) {
                judging.refuse(
                    RuleCode::V05,
                    at,
                    format!("{path} says something else and keeps its description"),
                );
            }
            continue;
        };
        let normal = normal(description);
        if normal.is_empty() || description.contains(['\n', '\r']) {
            judging.refuse(RuleCode::V05, at, "a description is one line that says something");
        }
        if description.chars().count() > DESCRIPTION_CHARS_MAX {
            judging.refuse(RuleCode::V05, at, "a description has at most 160 characters");
        }
        let place = place_of(path);
        let own = reference_key(path);
        let of_others = taken.get(&(place.to_owned(), normal.clone()));
        let taken = of_others.is_some_and(|others| others.iter().any(|other| *other != own));
        let again = seen
            .iter()
            .any(|(where_, what, by)| where_ == place && *what == normal && reference_key(by) != own);
        if is_path(path) && (taken || again) {
            judging.refuse(RuleCode::V05, at, "another document of the directory has that description");
        }
        seen.push((place.to_owned(), normal, path));
    }
}

/// Returns the directories and descriptions of the documents that stay, with the key of each
/// document's reference.
fn taken_descriptions(
    judging: &ValidationInput<'_>,
    vacated: &BTreeSet<String>,
) -> BTreeMap<(String, String), Vec<String>> {
    let mut taken: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for document in &judging.snapshot.documents {
        let key = reference_key(&document.reference);
        if let Some(description) = document.description.as_deref().filter(|_| !vacated.contains(&key)) {
            let place = place_of(&document.reference).to_owned();
            taken.entry((place, normal(description))).or_default().push(key);
        }
    }
    taken
}

/// Returns true for an update whose body differs so much from the old one that the description no
/// longer fits.
fn says_something_else(judging: &ValidationInput<'_>, action: &Action) -> bool {
    let Action::Update { path, words, .. } = action else { return false };
    let (Some(body), Some(document)) = (&words.body, judging.find(path)) else { return false };
    !body.trim().is_empty() && jaccard(&terms(&document.text), &terms(body)) < MATERIAL_JACCARD
}

fn normal(text: &str) -> String {
    loci_text::normalise_exact(text).to_lowercase()
}

fn place_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(place, _)| place)
}

/// Checks V06: a body is not empty.
pub(super) fn bodies(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(words) = action.words() else { continue };
        let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        let makes = matches!(action, Action::Create { .. } | Action::Merge { .. });
        let absent = words.body.is_none() && words.content.is_none();
        if empty(&words.body) || empty(&words.content) || (makes && absent) {
            judging.refuse(RuleCode::V06, at, "an empty body never takes a document's place");
        }
        if let Action::Update {
            words: Words { title: None, description: None, body: None, content: None },
            ..
        } = action
        {
            judging.refuse(RuleCode::V06, at, "an update says what changes");
        }
    }
}

/// Checks V07: a whole file starts with front matter that has a quoted description, and has no
/// other text fields.
pub(super) fn contents(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(words) = action.words() else { continue };
        let Some(content) = &words.content else { continue };
        if words.title.is_some() || words.description.is_some() || words.body.is_some() {
            judging.refuse(
                RuleCode::V07,
                at,
                "content stands alone: no title, description or body beside it",
            );
        }
        if let Err(wrong) = frontmatter(content) {
            judging.refuse(RuleCode::V07, at, wrong);
        }
    }
}

fn frontmatter(content: &str) -> Result<(), String> {
    let Parted { frontmatter, body } = frontmatter::parse(content).map_err(|fault| fault.to_string())?;
    let Some(frontmatter) = frontmatter else { return Err("content must start with frontmatter".to_owned()) };
    let mut lines = content.lines().skip(1).take_while(|line| *line != "---");
    let is_quoted = lines.any(|line| line.starts_with("description: \""));
    if frontmatter.text("description").is_none() || !is_quoted {
        return Err("the frontmatter must have a quoted description".to_owned());
    }
    if body.trim().is_empty() {
        Err("an empty body never takes a document's place".to_owned())
    } else {
        Ok(())
    }
}

/// Checks V12: names, numbers, code and addresses of merged text occur in a source, and it contains
/// the numbers and negations of every source.
pub(super) fn nothing_invented(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let sources: Vec<&str> = match action {
            Action::Merge { sources, .. } => sources.iter().map(String::as_str).collect(),
            _ => continue,
        };
        let Some(body) = action.words().and_then(|words| words.body.as_deref().or(words.content.as_deref()))
        else {
            continue;
        };
        let texts: Vec<&str> =
            sources.iter().filter_map(|source| judging.find(source)).map(|one| one.text.as_str()).collect();
        if merged_words::invents(body, &texts) {
            judging.hold(RuleCode::V12, at, "the merged words name what no source names");
        }
        let kept = marks(body);
        if texts.iter().any(|text| !kept.holds(&marks(text))) {
            judging.hold(RuleCode::V12, at, "a number or a negation of a source is lost");
        }
    }
}

/// Checks V16: a model's text is checked before anyone can read it.
pub(super) fn safe(judging: &mut ValidationInput<'_>) {
    if !judging.bounds.by_model {
        return;
    }
    let plan = judging.plan;
    let wary = SafetySettings { secrets: Some(SecretsMode::Mask), injection: InjectionMode::Flag };
    let memory = MemorySettings { safety: wary, ..MemorySettings::default() };
    let policy = safety::SafetyPolicy::of(&EngineSettings::default(), &memory);
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(words) = action.words() else { continue };
        let all = [&words.title, &words.description, &words.body, &words.content];
        for text in all.into_iter().flatten() {
            let found = safety::prepare(text.clone(), None, &policy);
            if found.findings.injection >= INJECTION_MIN || !found.masked.is_empty() {
                judging.hold(RuleCode::V16, at, "the words look like instructions or hold a secret");
            }
        }
    }
}
