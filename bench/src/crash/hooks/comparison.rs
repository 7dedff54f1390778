//! Compares the data of the killed server with the data of an undisturbed one: reviews, rules with
//! their support, examples and outcomes. It ignores ids and times that each server assigned.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use loci_model::tasks::review::ReviewState;
use serde::Serialize;
use serde_json::{Value, json};

use super::check::is_open;
use super::rows::{Rows, Snapshot};

/// The members that a server assigns: ids and its own times.
const OWN: &[&str] = &["memory", "repository", "read_at", "created_at", "updated_at", "history"];
/// The members that depend on the time of the last read of a pull request, which varies. The time
/// of a head is read with them and varies too.
const LOOKED: &[&str] = &["seen_at", "active_at", "review_comment_count"];
/// The maximum number of differences in the error.
const SHOWN: usize = 4;

/// Compares two snapshots, and fails with their differences.
pub(super) fn equal(killed: &Snapshot, calm: &Snapshot) -> Result<()> {
    let (killed, calm) = (plain(killed)?, plain(calm)?);
    let names: std::collections::BTreeSet<&String> = killed.keys().chain(calm.keys()).collect();
    let mut differences = Vec::new();
    for name in names {
        let (one, other) = (killed.get(name), calm.get(name));
        if one != other {
            differences.push(difference(name, one, other));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = differences.iter().take(SHOWN).cloned().collect();
    bail!("{} things differ from the undisturbed run:\n{}", differences.len(), shown.join("\n"))
}

/// Returns the differing members of two objects, or both values if they are not objects.
fn difference(name: &str, killed: Option<&Value>, calm: Option<&Value>) -> String {
    if let (Some(Value::Object(one)), Some(Value::Object(other))) = (killed, calm) {
        let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        let differing = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
        let told =
            |of: &serde_json::Map<String, Value>, key: &String| of.get(key).cloned().unwrap_or_default();
        let each = differing.map(|key| format!("  {key}: {}\n  not {}", told(one, key), told(other, key)));
        return format!("{name}:\n{}", each.collect::<Vec<_>>().join("\n"));
    }
    let told = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    format!("{name}:\n  {}\n  not {}", told(killed), told(calm))
}

fn plain(snapshot: &Snapshot) -> Result<BTreeMap<String, Value>> {
    let mut all = BTreeMap::new();
    for review in &snapshot.reviews {
        all.insert(format!("review {}", review.id), bare(review)?);
    }
    for outcome in &snapshot.outcomes {
        let mut told = bare(outcome)?;
        if let Some(facts) = told.get_mut("facts").and_then(Value::as_object_mut) {
            LOOKED.iter().for_each(|looked| drop(facts.remove(*looked)));
            let heads = outcome.facts.heads.iter().map(|head| head.sha.as_str());
            facts.insert("heads".to_owned(), heads.collect());
        }
        all.insert(format!("outcome {}", outcome.task), told);
    }
    // A rule without current support may exist or not, depending on the order of deliveries.
    // Another check ensures that it is not active.
    for rows in snapshot.rules.iter().filter(|rows| is_open(rows.record.state)) {
        let name = format!("rule {:?} of {:?}", rows.record.text, rows.record.scope);
        all.insert(name, rule(rows)?);
    }
    for rows in snapshot.examples.iter().filter(|rows| is_open(rows.record.state)) {
        let said = |key: &str| rows.record.metadata.get(key).cloned();
        let name = format!("example {:?} of comment {:?}", rows.record.text, said("comment"));
        let count = all.get(&name).and_then(Value::as_u64).unwrap_or_default();
        all.insert(name, json!(count + 1));
    }
    Ok(all)
}

fn rule(rows: &Rows) -> Result<Value> {
    let mut metadata = serde_json::to_value(&rows.record.metadata)?;
    if let Some(members) = metadata.as_object_mut() {
        members.remove("content_sha256");
    }
    let (mut items, mut dissent) = (Vec::new(), Vec::new());
    for support in rows.support.iter() {
        let counting = support.items.iter().filter(|item| item.state != ReviewState::Dismissed);
        items.extend(counting.map(bare).collect::<Result<Vec<_>>>()?);
        dissent.extend(support.dissent.iter().map(bare).collect::<Result<Vec<_>>>()?);
    }
    dissent.sort_by_key(Value::to_string);
    let (state, trust) = (rows.record.state.as_str(), rows.record.trust);
    Ok(json!({"state": state, "trust": trust, "metadata": metadata, "items": items, "dissent": dissent}))
}

/// Returns the value without the members that a server assigned.
fn bare<T: Serialize>(noun: &T) -> Result<Value> {
    let mut value = serde_json::to_value(noun)?;
    if let Some(members) = value.as_object_mut() {
        OWN.iter().for_each(|own| drop(members.remove(*own)));
    }
    Ok(value)
}
