//! Rules on words: V05 descriptions, V06 bodies, V07 whole files, V12 nothing invented or lost, V16 injection and secrets.

use loci_model::settings::{InjectionMode, MemorySettings, SafetySettings, SecretsMode};
use loci_text::marks::marks;

use super::super::merging;
use super::super::plan::{Action, Words};
use super::paths::is_path;
use super::{Judging, RuleCode};
use crate::safety;
use crate::settings::EngineSettings;

const DESCRIPTION_CHARS_MAX: usize = 160;
/// From here on words look like instructions to their reader.
const INJECTION_MIN: f32 = 0.3;

/// V05: one line of 1 to 160 characters that no other document of its directory has.
pub(super) fn descriptions(judging: &mut Judging<'_>) {
    let plan = judging.plan;
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, action) in plan.actions.iter().enumerate() {
        let Some(words) = action.words() else { continue };
        let path = action.writes().unwrap_or_default();
        let Some(description) = &words.description else {
            let makes = matches!(action, Action::Create { .. } | Action::Merge { .. });
            if makes && is_path(path) && words.content.is_none() {
                judging.refuse(RuleCode::V05, at, format!("{path} has no description"));
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
        let vacated: Vec<&str> = plan.actions.iter().flat_map(Action::vacates).collect();
        let others = judging.snapshot.documents.iter().filter(|one| {
            one.reference != path && is_path(path) && !vacated.contains(&one.reference.as_str())
        });
        let taken = others
            .filter(|one| place_of(&one.reference) == place)
            .filter_map(|one| one.description.as_deref())
            .any(|other| self::normal(other) == normal);
        let again = seen.iter().any(|(where_, what)| where_ == place && *what == normal);
        if is_path(path) && (taken || again) {
            judging.refuse(RuleCode::V05, at, "another document of the directory has that description");
        }
        seen.push((place.to_owned(), normal));
    }
}

fn normal(text: &str) -> String {
    loci_text::normalise_exact(text).to_lowercase()
}

fn place_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(place, _)| place)
}

/// V06: a body says something.
pub(super) fn bodies(judging: &mut Judging<'_>) {
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

/// V07: a whole file starts with frontmatter that has a quoted description, and stands alone.
pub(super) fn contents(judging: &mut Judging<'_>) {
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

fn frontmatter(content: &str) -> Result<(), &'static str> {
    let rest = content.strip_prefix("---\n").ok_or("content must start with frontmatter")?;
    let (head, body) = rest.split_once("\n---\n").ok_or("the frontmatter has no end")?;
    let description = head.lines().find_map(|line| line.strip_prefix("description:")).map(str::trim);
    let quoted = |text: &str| text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    if !description.is_some_and(quoted) {
        return Err("the frontmatter must have a quoted description");
    }
    if head
        .lines()
        .any(|line| !line.trim().is_empty() && !line.starts_with([' ', '-']) && !line.contains(':'))
    {
        return Err("a line of the frontmatter is no key and value");
    }
    if body.trim().is_empty() { Err("an empty body never takes a document's place") } else { Ok(()) }
}

/// V12: names, numbers, code and addresses of merged words are of a source, and every source's numbers and negations are
/// in them.
pub(super) fn nothing_invented(judging: &mut Judging<'_>) {
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
        let texts: Vec<&str> = sources
            .iter()
            .filter_map(|source| judging.snapshot.find(source))
            .map(|one| one.text.as_str())
            .collect();
        if merging::invents(body, &texts) {
            judging.hold(RuleCode::V12, at, "the merged words name what no source names");
        }
        let kept = marks(body);
        if texts.iter().any(|text| !kept.holds(&marks(text))) {
            judging.hold(RuleCode::V12, at, "a number or a negation of a source is lost");
        }
    }
}

/// V16: words of a model are looked through before they are anybody's memory.
pub(super) fn safe(judging: &mut Judging<'_>) {
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
