//! The checks of the data that deliveries leave, from the events in the repository, with rules
//! written separately here. Each delivery is known once and processed, and each review is stored
//! once in its current version. A rule is supported by its reviews and by none twice, each step has
//! one row, and each pull request has its outcome. The weights are not known here: `comparison`
//! compares them with an undisturbed run.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use loci_coding::rules::extraction::canonical;
use loci_model::record::RecordState;
use loci_model::tasks::review::ReviewState;
use serde_json::Value;

use super::forge_state::{Review, Stage, World};
use super::ledger::Ledger;
use super::rows::{Rows, Snapshot};
use super::story::Kind;
use super::words::SENTENCES;

/// The reasons for ignoring a delivery that is known already or whose review supports no rule.
const REASONS: &[&str] = &["known", "bot", "draft"];

/// Checks that every delivery is listed once, in a final state.
pub(super) fn deliveries(listed: &[Value], ledger: &Ledger) -> Result<()> {
    let mut rows: BTreeMap<&str, &Value> = BTreeMap::new();
    for row in listed {
        let guid = row.get("guid").and_then(Value::as_str).context("a delivery without a number")?;
        ensure!(rows.insert(guid, row).is_none(), "{guid} is listed twice");
    }
    for sent in ledger.listed() {
        let guid = &sent.delivery.guid;
        let row =
            rows.remove(guid.as_str()).with_context(|| format!("{guid} was taken and is not listed"))?;
        let said = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_in_order = match (sent.delivery.kind, said("state"), said("reason")) {
            (Kind::News, "done", _) => true,
            (Kind::News, "ignored", why) => REASONS.contains(&why),
            (Kind::Useless, "ignored", why) => why == "event",
            (Kind::Elsewhere, "ignored", why) => why == "unknown_repo",
            _ => false,
        };
        ensure!(is_in_order, "{guid} ({}) ended as {row}", sent.delivery.event);
    }
    ensure!(rows.is_empty(), "deliveries are listed that were not sent or were refused: {:?}", rows.keys());
    Ok(())
}

/// Checks that every review is stored once, in its current version. A reply alone is part of the
/// review to which it replies.
pub(super) fn reviews(snapshot: &Snapshot, world: &World) -> Result<()> {
    let mut kept = BTreeMap::new();
    for review in &snapshot.reviews {
        ensure!(kept.insert(review.id, review).is_none(), "review {} is kept twice", review.id);
    }
    for review in world.reviews.values().filter(|review| !world.is_answer(review)) {
        let id = review.id;
        let kept = kept.remove(&id).with_context(|| format!("review {id} is not kept"))?;
        ensure!(kept.pr == review.pr && kept.reviewer.id == review.reviewer.id, "review {id}: {kept:?}");
        ensure!(
            kept.state.as_str() == review.state,
            "review {id} is {}, kept as {:?}",
            review.state,
            kept.state
        );
        ensure!(kept.body == review.body, "review {id} says {:?}, kept as {:?}", review.body, kept.body);
        let said: Vec<_> = world.thread_of(id).iter().map(|one| (one.id, one.body.clone())).collect();
        let known: Vec<_> = kept.comments.iter().map(|one| (one.id, one.body.clone())).collect();
        ensure!(said == known, "comments of review {id} are {said:?}, kept as {known:?}");
    }
    ensure!(kept.is_empty(), "reviews are kept that are none: {:?}", kept.keys());
    Ok(())
}

/// Checks that each sentence is supported exactly once by every review that contains it and counts.
pub(super) fn taught(snapshot: &Snapshot, world: &World) -> Result<()> {
    for (number, sentence) in SENTENCES.iter().enumerate() {
        let counts = |review: &&Review| {
            let is_draft = world.pulls.get(&review.pr).is_some_and(|pull| pull.is_draft);
            review.state != "dismissed"
                && !review.reviewer.is_bot()
                && !is_draft
                && says(world, review, number)
        };
        let wanted: BTreeSet<(u64, u64)> =
            world.reviews.values().filter(counts).map(|review| (review.pr, review.id)).collect();
        let of_it = snapshot.rules.iter().filter(|rows| canonical(&rows.record.text) == canonical(sentence));
        let of_it: Vec<&Rows> = of_it.collect();
        ensure!(of_it.len() <= 1, "{sentence:?} is {} rules", of_it.len());
        let items = of_it.iter().filter_map(|rows| rows.support.as_ref()).flat_map(|support| &support.items);
        let mut found = BTreeSet::new();
        for item in items.filter(|item| item.state != ReviewState::Dismissed) {
            ensure!(
                found.insert((item.pr, item.review)),
                "review {} supports {sentence:?} twice",
                item.review
            );
        }
        let of = |one: &BTreeSet<(u64, u64)>, other| one.difference(other).copied().collect::<Vec<_>>();
        ensure!(
            found == wanted,
            "{sentence:?} is not supported by {:?} (pull request, review), and wrongly by {:?}",
            of(&wanted, &found),
            of(&found, &wanted)
        );
        for rows in of_it.iter().filter(|_| wanted.is_empty()) {
            ensure!(
                !is_open(rows.record.state),
                "{sentence:?} is {:?} and nobody says it",
                rows.record.state
            );
        }
    }
    Ok(())
}

/// Returns true if a rule is active or may become active.
pub(super) fn is_open(state: RecordState) -> bool {
    matches!(state, RecordState::Active | RecordState::Candidate | RecordState::Stale)
}

/// Returns true if a review contains a sentence, in its body or in a comment of its author.
fn says(world: &World, review: &Review, number: usize) -> bool {
    let Some(sentence) = SENTENCES.get(number) else { return false };
    let own = world.comments_of(review.id).map(|comment| comment.body.as_str());
    std::iter::once(review.body.as_str()).chain(own).any(|text| text.contains(sentence))
}

/// Checks that every change of a state has one row, versions are consecutive, and no step occurs
/// twice.
pub(super) fn steps(snapshot: &Snapshot) -> Result<()> {
    for rows in snapshot.rules.iter().chain(&snapshot.examples) {
        let shown = || format!("{} {:?}: {:?}", rows.record.id, rows.record.text, rows.changes);
        let mut state = None;
        let mut versions = BTreeSet::new();
        for change in &rows.changes {
            ensure!(change.from == state, "a change of {state:?} from {:?}: {}", change.from, shown());
            ensure!(versions.insert((change.version, change.to)), "a step has two rows: {}", shown());
            state = Some(change.to);
        }
        ensure!(state == Some(rows.record.state), "its rows end with {state:?}: {}", shown());
        for (number, version) in (1..).zip(&rows.versions) {
            ensure!(version.version == number, "version {number} is {}: {}", version.version, shown());
        }
        for pair in rows.versions.windows(2) {
            let [before, after] = pair else { continue };
            let is_same = before.state == after.state
                && before.state_reason == after.state_reason
                && before.metadata == after.metadata
                && before.text == after.text
                && (before.tier, before.trust) == (after.tier, after.trust)
                && before.supersedes == after.supersedes;
            ensure!(!is_same, "versions {} and {} are the same: {}", before.version, after.version, shown());
        }
    }
    in_force(snapshot)
}

/// Checks that the relevance rows list exactly the active and stale rules.
fn in_force(snapshot: &Snapshot) -> Result<()> {
    let is_counted = |rows: &&Rows| matches!(rows.record.state, RecordState::Active | RecordState::Stale);
    let are: BTreeSet<_> = snapshot.rules.iter().filter(is_counted).map(|rows| &rows.record.id).collect();
    let counted: BTreeSet<_> = snapshot.relevance.iter().flat_map(|row| row.rules.keys()).collect();
    ensure!(are == counted, "in force are {are:?}, counted {counted:?}");
    Ok(())
}

/// Checks that each pull request that was opened has one outcome of the right kind, and that no
/// grade follows an equal one.
pub(super) fn outcomes(snapshot: &Snapshot, world: &World) -> Result<()> {
    let mut kept: BTreeMap<&str, _> = BTreeMap::new();
    for outcome in &snapshot.outcomes {
        ensure!(kept.insert(outcome.task.as_str(), outcome).is_none(), "{} has two outcomes", outcome.task);
    }
    for pull in world.pulls.values().filter(|pull| pull.stage != Stage::Planned) {
        let task = pull.task();
        let outcome = kept.remove(task.as_str()).with_context(|| format!("{task} has no outcome"))?;
        let grade = outcome.grade.map_or("", |grade| grade.as_str());
        let is_right = match pull.stage {
            Stage::Planned | Stage::Open => grade.is_empty(),
            Stage::Closed => grade.starts_with("closed_"),
            Stage::Merged | Stage::Relanded => grade.starts_with("merged_"),
            Stage::Reverted => grade == "reverted",
        };
        ensure!(is_right, "{task} is {:?}, its grade {grade:?}: {outcome:?}", pull.stage);
        let heads: Vec<&str> = outcome.facts.heads.iter().map(|head| head.sha.as_str()).collect();
        let pushed: Vec<&str> = pull.heads.iter().map(String::as_str).collect();
        ensure!(heads == pushed, "{task}: its heads are {pushed:?}, kept {heads:?}");
        for pair in outcome.history.windows(2) {
            let [before, after] = pair else { continue };
            let is_same = (before.grade, before.value) == (after.grade, after.value);
            ensure!(!is_same, "{task} has a grade twice: {:?}", outcome.history);
        }
    }
    ensure!(kept.is_empty(), "outcomes of nothing that was opened: {:?}", kept.keys());
    Ok(())
}
