//! The pass that merges facts about one topic into one document: documents of `knowledge/facts/`
//! with the same title and scope. The oldest stays, and the lines of the others follow by age.
//! Lines stay unchanged, and a line that is already present is not repeated.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::plan::{Action, Operation, Words};
use loci_engine::consolidation::snapshot::{PlanDocument, reference_key};
use loci_engine::document_text::content::is_title;
use loci_engine::document_text::slug::topic_key;
use loci_model::limits;
use loci_model::record::TrustTier;

use super::planning_state::{PlanningState, scope};
use super::{duplicate_lines, duplicates, normal_form};

/// The directory whose documents are facts.
const FACTS: &str = "knowledge/facts/";

/// The properties that documents of a topic share: namespace and strategy, scope, trust and title.
type Topic = (String, Option<String>, TrustTier, String);

pub(super) fn gather(working: &mut PlanningState<'_>) {
    let mut topics: BTreeMap<Topic, Vec<usize>> = BTreeMap::new();
    for (at, document) in working.documents.iter().enumerate().filter(|(at, _)| working.is_open(*at)) {
        if let Some(title) = title(document) {
            let topic = (working.place(at).to_owned(), scope(document), document.tier, title);
            topics.entry(topic).or_default().push(at);
        }
    }
    let mut groups: Vec<Vec<usize>> = topics
        .into_values()
        .filter(|members| members.len() > 1)
        .map(|members| duplicates::by_age(working, members))
        .collect();
    groups.sort_by_key(|members| members.first().copied());
    for members in groups {
        if let Some(action) = gathered(working, &members) {
            working.act(Operation::Reorganize, action, None, &members);
        }
    }
}

/// Returns the title of a document that states facts about a topic. `None` for all others.
fn title(document: &PlanDocument) -> Option<String> {
    let key = reference_key(&document.reference);
    let is_fact = key.strip_prefix(FACTS).is_some_and(|name| !name.contains('/') && name.ends_with(".md"));
    let title = document.title.as_deref().filter(|title| is_title(title))?;
    (is_fact && !document.pinned).then(|| topic_key(title)).filter(|title| !title.is_empty())
}

/// Returns the action that merges the documents of a topic. `None` if the result would be too
/// large, or every possible description is already used in the directory.
fn gathered(working: &PlanningState<'_>, members: &[usize]) -> Option<Action> {
    let documents: Vec<&PlanDocument> =
        members.iter().filter_map(|at| working.documents.get(*at).copied()).collect();
    let oldest = documents.first().copied()?;
    let body = joined(&documents);
    if body.len() > limits::FILE_BYTES_MAX {
        return None;
    }
    let description = duplicates::description(working, oldest, oldest, &documents)?;
    Some(Action::Merge {
        sources: documents.iter().map(|one| one.reference.clone()).collect(),
        target: oldest.reference.clone(),
        words: Words {
            title: oldest.title.clone(),
            description: Some(description),
            body: Some(body),
            content: None,
        },
        reason: "facts of one topic lie in one file".to_owned(),
    })
}

/// Returns the texts of documents one after the other, each list line and each text once.
fn joined(documents: &[&PlanDocument]) -> String {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut body = String::new();
    for document in documents {
        let text = document.text.trim_matches(['\n', '\r']);
        if text.is_empty() || !seen.insert(normal_form::body(text)) {
            continue;
        }
        if !body.is_empty() {
            // List items follow list items; a paragraph stands alone.
            let goes_on = is_item(body.lines().next_back()) && is_item(text.lines().next());
            body.push_str(if goes_on { "\n" } else { "\n\n" });
        }
        body.push_str(text);
    }
    body.push('\n');
    duplicate_lines::without(&body).unwrap_or(body)
}

fn is_item(line: Option<&str>) -> bool {
    line.is_some_and(|line| ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::document;
    use super::*;

    #[test]
    fn lines_follow_each_other_and_stand_once() {
        let check = |texts: &[&str], expect: &str| {
            let documents: Vec<PlanDocument> =
                texts.iter().enumerate().map(|(at, text)| document("a", text, at as i64)).collect();
            assert_eq!(joined(&documents.iter().collect::<Vec<_>>()), expect, "{texts:?}");
        };
        check(&["- dark mode\n", "- large font\n- dark mode\n"], "- dark mode\n- large font\n");
        check(&["One sentence.", "Another one.\n"], "One sentence.\n\nAnother one.\n");
        check(&["Text.", "- item", "- more", "Text."], "Text.\n\n- item\n- more\n");
    }
}
