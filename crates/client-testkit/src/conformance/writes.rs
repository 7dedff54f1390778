//! The handling of written entries and messages by a store.

use loci_client::agent::{Entry, ErrorClass, Message, NewEntry, Role};
use loci_client::api::record::{FilterOperator, MetadataFilter};

use super::{CaseResult, KEY_OF_NOTHING, Subject, batch, demand, question};

const SEATTLE: &str = "I live in Seattle near the harbour";
const TEAS: [&str; 3] = [
    "I drink green tea with breakfast every day",
    "My sister gave me a teapot and black tea from Assam",
    "White tea is what I order in the station cafe",
];
/// 2001-01-01: before anything was written, in milliseconds since 1970.
const LONG_AGO_MS: i64 = 978_307_200_000;

pub(super) async fn is_found(it: &Subject) -> CaseResult {
    it.write(&[SEATTLE]).await?;
    let found = it.find(&question("Seattle harbour", 5)).await?;
    let hit = found.iter().find(|entry| entry.content.contains("Seattle"));
    let hit = hit.ok_or_else(|| format!("not found: {found:?}"))?;
    demand(hit.store_name == it.store.name(), || format!("it is said to come from '{}'", hit.store_name))?;
    demand(hit.id.as_deref().is_some_and(|id| !id.is_empty()), || "it has no id".to_owned())
}

pub(super) async fn at_most(it: &Subject) -> CaseResult {
    it.write(&TEAS).await?;
    for asked in [1, 2] {
        let found = it.find(&question("tea", asked)).await?;
        demand(found.len() == asked as usize, || format!("{asked} asked for, {} found", found.len()))?;
    }
    Ok(())
}

pub(super) async fn scores(it: &Subject) -> CaseResult {
    it.write(&TEAS).await?;
    let found = it.find(&question("green tea with breakfast", 5)).await?;
    let scores: Vec<f64> = found.iter().map(|entry| entry.score.unwrap_or(f64::NAN)).collect();
    demand(!scores.is_empty(), || "nothing was found".to_owned())?;
    demand(scores.iter().all(|score| (0.0..=1.0).contains(score)), || format!("{scores:?}"))?;
    demand(scores.is_sorted_by(|better, worse| better >= worse), || format!("{scores:?}"))
}

pub(super) async fn filters(it: &Subject) -> CaseResult {
    it.write(&[SEATTLE]).await?;
    let mut query = question("Seattle harbour", 5);
    let on = |operator| vec![MetadataFilter { key: KEY_OF_NOTHING.to_owned(), operator, value: None }];
    for (operator, expect) in [(FilterOperator::Exists, false), (FilterOperator::NotExists, true)] {
        query.filter = on(operator);
        let found = it.find(&query).await?;
        demand(found.is_empty() != expect, || format!("{operator:?}: {found:?}"))?;
    }
    Ok(())
}

pub(super) async fn as_of(it: &Subject) -> CaseResult {
    it.write(&[SEATTLE]).await?;
    let mut query = question("Seattle harbour", 5);
    query.as_of_ms = Some(LONG_AGO_MS);
    let found = it.find(&query).await?;
    demand(found.is_empty(), || format!("{found:?}"))
}

pub(super) async fn same_entry(it: &Subject) -> CaseResult {
    it.write(&[SEATTLE, SEATTLE]).await?;
    once(&it.find(&question("Seattle harbour", 5)).await?)
}

pub(super) async fn blank_entry(it: &Subject) -> CaseResult {
    let answer = it.store.add(&NewEntry::text(" \n")).await;
    demand(matches!(&answer, Err(error) if error.class == ErrorClass::Permanent), || format!("{answer:?}"))
}

pub(super) async fn no_entries(it: &Subject) -> CaseResult {
    let answer = it.store.add(&NewEntry::text(SEATTLE)).await;
    demand(matches!(&answer, Err(error) if error.class == ErrorClass::Permanent), || format!("{answer:?}"))
}

pub(super) async fn same_batch(it: &Subject) -> CaseResult {
    let said = batch("run", vec![Message::user(SEATTLE), Message::assistant("I will remember that.")]);
    for _ in 0..2 {
        let outcome = it.send(&said).await?;
        demand(outcome.stored == [0, 1], || format!("{outcome:?}"))?;
        (it.settle)().await?;
    }
    once(&it.find(&question("Seattle harbour", 5)).await?)
}

pub(super) async fn every_message(it: &Subject) -> CaseResult {
    let mut kind = Message::user("My cat is called Minka");
    kind.metadata.insert("kind".to_owned(), "pet".into());
    let said = batch(
        "run",
        vec![Message::user(SEATTLE), Message::user(" \n"), Message::text(Role::Tool, "an answer"), kind],
    );
    let outcome = it.send(&said).await?;
    let unstored = outcome.unstored.iter().map(|one| one.sequence);
    let mut numbers: Vec<u64> = outcome.stored.iter().copied().chain(unstored).collect();
    numbers.sort_unstable();
    demand(numbers == [0, 1, 2, 3], || format!("{outcome:?}"))?;
    demand(outcome.unstored.is_empty(), || format!("{outcome:?}"))?;
    (it.settle)().await?;
    let found = it.find(&question("Minka the cat", 5)).await?;
    demand(found.iter().any(|entry| entry.content.contains("Minka")), || format!("{found:?}"))
}

pub(super) async fn no_messages(it: &Subject) -> CaseResult {
    let answer = it.store.add_messages(&batch("run", vec![Message::user(SEATTLE)])).await;
    demand(matches!(&answer, Err(error) if error.class == ErrorClass::Permanent), || format!("{answer:?}"))
}

fn once(found: &[Entry]) -> CaseResult {
    let hits = found.iter().filter(|entry| entry.content.contains("Seattle"));
    let said: usize = hits.map(|entry| entry.content.matches("Seattle").count()).sum();
    demand(said == 1, || format!("kept {said} times: {found:?}"))
}
