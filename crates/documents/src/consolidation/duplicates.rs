//! The pass that merges documents with the same meaning: their words are equal, or nearly equal
//! without a difference in numbers, names or negations. The path of the oldest stays. If bodies are
//! nearly equal, the longer one stays.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::plan::{Action, Operation, Words};
use loci_engine::consolidation::snapshot::PlanDocument;
use loci_engine::consolidation::{Wording, differ_in_wording_only};
use loci_engine::document_text::content::is_title;
use loci_engine::document_text::derived_names::derived_description;
use loci_engine::document_text::frontmatter::text_below;
use loci_model::limits;
use loci_text::similarity::jaccard_ids;

use super::contradictions::have_one_scope;
use super::literal_tokens::{self, Particulars};
use super::planning_state::{PlanningState, age, scope};
use super::similarity::{Interner, Shingles, contained, pairs};
use super::{duplicate_lines, normal_form};

/// The maximum number of characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 160;
/// The units of work counted for each byte whose wording is compared.
const WORDING_WORK: usize = 4;

/// Documents with the same meaning, to be merged.
pub(super) struct Group {
    /// The indices of the documents, the oldest first.
    pub(super) members: Vec<usize>,
    /// The index of the document whose body stays.
    body: usize,
    is_exact: bool,
}

pub(super) fn merge(working: &mut PlanningState<'_>) {
    for group in groups(working) {
        if let Some(action) = merged(working, &group) {
            working.act(Operation::Deduplicate, action, None, &group.members);
        }
    }
    for at in 0..working.documents.len() {
        let Some(document) = working.documents.get(at).copied().filter(|_| working.is_open(at)) else {
            continue;
        };
        if let Some(body) = duplicate_lines::without(&document.text) {
            let action = Action::Update {
                path: document.reference.clone(),
                words: Words { body: Some(body), ..Words::default() },
                reason: "a line stood twice".to_owned(),
            };
            working.act(Operation::Deduplicate, action, None, &[at]);
        }
    }
}

/// Returns the groups of documents to merge, ordered by the path of their oldest document. Members
/// share namespace, strategy and scope.
pub(super) fn groups(working: &PlanningState<'_>) -> Vec<Group> {
    working.begin_pass();
    let mut classes: BTreeMap<(String, Option<String>, String), Vec<usize>> = BTreeMap::new();
    for (at, document) in working.documents.iter().enumerate().filter(|(at, _)| working.is_open(*at)) {
        let body = normal_form::body(&document.text);
        if !body.is_empty() {
            classes.entry((working.place(at).to_owned(), scope(document), body)).or_default().push(at);
        }
    }
    let mut classes: Vec<(Vec<usize>, String)> =
        classes.into_iter().map(|((_, _, body), members)| (by_age(working, members), body)).collect();
    classes.sort_by_key(|(members, _)| members.first().copied());
    let mut groups = Vec::new();
    let near = near(working, &classes);
    let joined: BTreeSet<usize> = near.values().flatten().copied().collect();
    for (class, (members, _)) in classes.iter().enumerate().filter(|(class, _)| !joined.contains(class)) {
        let others = near.get(&class).map(Vec::as_slice).unwrap_or_default();
        let mut all = members.clone();
        all.extend(others.iter().filter_map(|other| classes.get(*other)).flat_map(|(members, _)| members));
        if let Some(body) = members.first().copied().filter(|_| all.len() > 1) {
            groups.push(Group { members: by_age(working, all), body, is_exact: others.is_empty() });
        }
    }
    groups.sort_by_key(|group| group.members.first().copied());
    groups
}

pub(super) fn by_age(working: &PlanningState<'_>, mut members: Vec<usize>) -> Vec<usize> {
    members.sort_by_key(|at| working.documents.get(*at).map(|document| age(document)));
    members
}

struct ComparedDocuments<'a> {
    document: &'a PlanDocument,
    shingles: Shingles,
    particulars: Particulars,
    /// The wording of the document, computed on first use.
    wording: OnceCell<Wording>,
}

impl ComparedDocuments<'_> {
    fn wording(&self) -> &Wording {
        self.wording.get_or_init(|| Wording::of(&self.document.text))
    }
}

/// Returns, for each class of equal documents, the classes with shorter and nearly equal bodies. A
/// class that belongs to a longer one gets none itself.
fn near(working: &PlanningState<'_>, classes: &[(Vec<usize>, String)]) -> BTreeMap<usize, Vec<usize>> {
    let mut interner = Interner::default();
    let compared: Vec<ComparedDocuments<'_>> = classes
        .iter()
        .filter_map(|(members, body)| {
            let document = working.documents.get(*members.first()?)?;
            let particulars = literal_tokens::of(&document.text);
            let shingles = interner.shingles(body);
            Some(ComparedDocuments { document, shingles, particulars, wording: OnceCell::new() })
        })
        .collect();
    let shingles: Vec<Shingles> = compared.iter().map(|one| one.shingles.clone()).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let pairs = pairs(&shingles, limits::PLAN_PAIRS_MAX);
    working.note_cut(pairs.is_cut);
    for (left, right) in pairs.found {
        let (Some(one), Some(other)) = (compared.get(left), compared.get(right)) else { continue };
        let meets = |at: usize| classes.get(at).and_then(|(members, _)| members.first().copied());
        let may_meet = meets(left).zip(meets(right)).is_some_and(|(one, other)| working.may_meet(one, other));
        if may_meet && have_one_scope(one.document, other.document) && are_near(working, one, other) {
            let longer =
                |at: usize| compared.get(at).map(|one| (one.document.text.len(), std::cmp::Reverse(at)));
            found.push(if longer(left) >= longer(right) { (left, right) } else { (right, left) });
        }
    }
    let mut near: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let shorter: BTreeSet<usize> = found.iter().map(|(_, shorter)| *shorter).collect();
    let mut joined: BTreeSet<usize> = BTreeSet::new();
    for (longer, other) in found {
        // Two classes similar to a third may not be similar to each other: a shorter one has no
        // shorter ones itself.
        if !shorter.contains(&longer) && joined.insert(other) {
            near.entry(longer).or_default().push(other);
        }
    }
    near
}

fn are_near(working: &PlanningState<'_>, one: &ComparedDocuments<'_>, other: &ComparedDocuments<'_>) -> bool {
    if !working.may_work(one.shingles.len() + other.shingles.len()) {
        return false;
    }
    let like = jaccard_ids(&one.shingles, &other.shingles) >= working.settings.near_jaccard
        || contained(&one.shingles, &other.shingles) >= working.settings.near_contained;
    let bytes = one.document.text.len() + other.document.text.len();
    like && working.may_work(WORDING_WORK.saturating_mul(bytes))
        && one.particulars == other.particulars
        && differ_in_wording_only(one.wording(), other.wording())
}

/// Returns the action that merges a group. `None` if nothing may be merged because documents are
/// pinned, or if every possible description is already used in the directory.
fn merged(working: &PlanningState<'_>, group: &Group) -> Option<Action> {
    let document = |at: usize| working.documents.get(at).copied();
    let (pinned, others): (Vec<usize>, Vec<usize>) =
        group.members.iter().partition(|at| document(**at).is_some_and(|one| one.pinned));
    let target = pinned.first().or(others.first()).copied()?;
    let mut sources: Vec<usize> = others.into_iter().filter(|at| *at != target).collect();
    if sources.is_empty() {
        return None;
    }
    sources.push(target);
    let sources = by_age(working, sources);
    let body = if group.is_exact || !sources.contains(&group.body) { target } else { group.body };
    let (target, body) = (document(target)?, document(body)?);
    let kept: Vec<&PlanDocument> = sources.iter().filter_map(|at| document(*at)).collect();
    let description = description(working, target, body, &kept)?;
    let title = [body, target].into_iter().filter_map(|one| one.title.clone()).find(|title| is_title(title));
    // An invalid title stays, and a document may not be written with it.
    if title.is_none() && target.title.is_some() {
        return None;
    }
    let reason =
        if group.is_exact { "they say the same" } else { "they say nearly the same; the longer one stays" };
    Some(Action::Merge {
        sources: kept.iter().map(|one| one.reference.clone()).collect(),
        target: target.reference.clone(),
        words: Words { title, description: Some(description), body: Some(body.text.clone()), content: None },
        reason: reason.to_owned(),
    })
}

/// Returns the description of the merged document: one that a member has, or else the first
/// sentence. Another document of the directory must not have it.
pub(super) fn description(
    working: &PlanningState<'_>,
    target: &PlanDocument,
    body: &PlanDocument,
    sources: &[&PlanDocument],
) -> Option<String> {
    let own = [body, target].into_iter().chain(sources.iter().copied());
    let given = own.filter_map(|one| one.description.clone());
    let is_free = |description: &str| {
        let others = working.described(&target.reference, description).iter();
        let mut others = others.filter_map(|at| working.documents.get(*at));
        others.all(|one| sources.iter().any(|source| source.reference == one.reference))
    };
    given.chain([derived_description(text_below(&body.text))]).find(|description| {
        let chars = description.chars().count();
        (1..=DESCRIPTION_CHARS_MAX).contains(&chars)
            && !description.trim().is_empty()
            && !description.contains(['\n', '\r'])
            && is_free(description)
    })
}
