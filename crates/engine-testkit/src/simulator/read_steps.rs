//! Simulation steps that read: lists page by page, single records, searches. All results are
//! compared with the reference model of the memory.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::events::EventListing;
use loci_engine::records::{NamespaceAsk, RecordListing};
use loci_engine::retrieval::{SearchAnswer, SearchRequest};
use loci_model::event::Event;
use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::JobQuery;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::{Record, RecordState};
use loci_model::{
    ActorId, BranchName, ErrorKind, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, SessionId,
};

use super::InvariantViolation;
use super::reference_model::must;
use super::steps::{ChangedMemories, SimulationRun};
use super::texts::{ACTORS, BRANCHES, NAMESPACES, SESSIONS, TOPICS, question};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

const TOP_K: u32 = 100;
/// The maximum number of records for which the end of a run checks that a search finds them.
const SEARCHED_MAX: usize = 40;

/// Lists the records of a namespace or its subtree, page by page.
pub(super) fn list_records(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let now = run.now();
    let namespace = Namespace::parse(if run.dice.chance(50) { "/" } else { run.dice.word(&NAMESPACES) })?;
    let (ask, mode) = if run.dice.chance(60) {
        (NamespaceAsk::Path(namespace.clone()), NamespaceMatch::Subtree)
    } else {
        (NamespaceAsk::Node(namespace.clone()), NamespaceMatch::Exact)
    };
    let topic = run.dice.chance(30).then(|| run.dice.word(&TOPICS).to_owned());
    let state = if run.dice.chance(25) { RecordState::Superseded } else { RecordState::Active };
    let filter = |topic: &String| MetadataFilter {
        key: "topic".to_owned(),
        operator: FilterOperator::EqualsTo,
        right: Some(MetadataValue::String(topic.clone())),
    };
    let mut listing = RecordListing {
        memory: run.twin(place)?.memory.id.clone(),
        namespaces: vec![ask],
        strategy: None,
        metadata: topic.iter().map(filter).collect(),
        kinds: Vec::new(),
        states: vec![state],
        after: None,
        limit: u32::try_from(run.dice.between(1, 20)).unwrap_or(20),
    };
    let in_part = NamespaceFilter::new(&namespace, mode);
    let mut expect: Vec<Record> = run
        .twin(place)?
        .seen
        .current()
        .filter(|record| {
            record.state == state && !record.is_expired(now) && in_part.admits(&record.namespace)
        })
        .filter(|record| {
            let value = topic.clone().map(MetadataValue::String);
            value.is_none_or(|value| record.metadata.get("topic") == Some(&value))
        })
        .cloned()
        .collect();
    expect.sort_by(|one, other| other.created_at.cmp(&one.created_at).then_with(|| one.id.cmp(&other.id)));
    let mut found = Vec::new();
    loop {
        let (caller, page) = (run.caller.clone(), listing.clone());
        let list = run.life.call(|engine| async move { engine.record_list(&caller, page).await })??;
        found.extend(list.page.items);
        match list.page.next {
            Some(next) => listing.after = Some(next),
            None => break,
        }
    }
    let ids = |of: &[Record]| of.iter().map(|record| record.id.to_string()).collect::<Vec<_>>().join(" ");
    must(found == expect, "a list of records is another")
        .map_err(|why| why.about(&format!("\nlisted   {}\nexpected {}", ids(&found), ids(&expect))))?;
    run.note(format!("  {namespace} {mode:?} {topic:?} {state:?}: {}", found.len()));
    Ok(ChangedMemories::Nothing)
}

/// Reads a record, its versions and its state changes. The record may be a deleted one.
pub(super) fn read_record(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (now, mut dice) = (run.now(), run.dice.clone());
    let twin = run.twin(place)?;
    let ids: Vec<RecordId> = twin.seen.records.keys().cloned().collect();
    let Some(id) = dice.pick(&ids).cloned() else { return Ok(ChangedMemories::Nothing) };
    let kept = twin.seen.records.get(&id).cloned().unwrap_or_default();
    let memory = twin.memory.id.clone();
    run.dice = dice;
    let (caller, of) = (run.caller.clone(), id.clone());
    let (got, history, changes) = run.life.call(|engine| async move {
        let got = engine.record_get(&caller, &memory, &of, None).await;
        let history = engine.record_history(&caller, &memory, &of).await;
        Ok((got, history, engine.record_changes(&caller, &memory, &of).await?))
    })??;
    must(changes == kept.changes, "the changes of a record are others")?;
    let readable = kept.current().filter(|record| record.is_readable(now));
    match (got, readable) {
        (Ok(record), Some(expect)) => must(record == *expect, "a record is another")?,
        (Err(error), None) => must(error.kind == ErrorKind::NotFound, "a gone record is not unknown")?,
        (got, _) => return Err(InvariantViolation::new(format!("{id} is readable or not: {got:?}"))),
    }
    match history {
        Ok(versions) => must(versions == kept.versions, "the history of a record is another")?,
        Err(error) => {
            must(error.kind == ErrorKind::NotFound && kept.versions.is_empty(), "a history is not there")?;
        }
    }
    run.note(format!("  {id} {} versions, {} changes", kept.versions.len(), changes.len()));
    Ok(ChangedMemories::Nothing)
}

/// Lists events of a session, of all branches or of one.
pub(super) fn list_events(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let now = run.now();
    let actor = ActorId::parse(run.dice.word(&ACTORS))?;
    let session = SessionId::parse(run.dice.word(&SESSIONS))?;
    let branch = if run.dice.chance(40) {
        Some((BranchName::parse(run.dice.word(&BRANCHES))?, run.dice.chance(50)))
    } else {
        None
    };
    let mut listing = EventListing {
        memory: run.twin(place)?.memory.id.clone(),
        actor: actor.clone(),
        session: session.clone(),
        branch: branch.clone(),
        metadata: Vec::new(),
        before: None,
        limit: u32::try_from(run.dice.between(1, 10)).unwrap_or(10),
        with_payload: true,
    };
    let is_asked_for = |event: &&Event| {
        let on_branch = branch.as_ref().is_none_or(|(name, _)| event.branch.name == *name);
        event.actor == actor && event.session == session && event.expires > now && on_branch
    };
    let mut expect: Vec<Event> =
        run.twin(place)?.seen.events.values().filter(is_asked_for).cloned().collect();
    expect.reverse();
    let mut found = Vec::new();
    loop {
        let (caller, page) = (run.caller.clone(), listing.clone());
        let list = run.life.call(|engine| async move { engine.event_list(&caller, page).await })??;
        found.extend(list.items);
        match list.next {
            Some(next) => listing.before = Some(next),
            None => break,
        }
    }
    if branch.as_ref().is_none_or(|(_, with_parents)| !with_parents) {
        must(found == expect, "a list of events is another")
            .map_err(|why| why.about(&format!("{listing:?}\nlisted {found:#?}\nexpected {expect:#?}")))?;
    } else {
        must(expect.iter().all(|event| found.contains(event)), "a branch with its parents lacks events")?;
    }
    let ids: Vec<_> = found.iter().map(|event| event.id.as_str()).collect();
    run.note(format!("  {actor} {session} {branch:?}: {}", ids.join(" ")));
    Ok(ChangedMemories::Nothing)
}

/// Lists actors, and the sessions of one.
pub(super) fn list_sessions(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let now = run.now();
    let twin = run.twin(place)?;
    let memory = twin.memory.id.clone();
    let live: Vec<Event> = twin.seen.events.values().filter(|event| event.expires > now).cloned().collect();
    let actors: BTreeSet<ActorId> = live.iter().map(|event| event.actor.clone()).collect();
    let (caller, of) = (run.caller.clone(), memory.clone());
    let listed =
        run.life.call(|engine| async move { engine.actor_list(&caller, &of, None, 100).await })??;
    must(listed.items.iter().eq(actors.iter()), "a list of actors is another")
        .map_err(|why| why.about(&format!("{:?}, expected {actors:?}", listed.items)))?;
    let actor = ActorId::parse(run.dice.word(&ACTORS))?;
    let (caller, of) = (run.caller.clone(), actor.clone());
    let sessions = run
        .life
        .call(|engine| async move { engine.session_list(&caller, &memory, &of, true, None, 100).await })??;
    let of_actor = live.iter().filter(|event| event.actor == actor);
    let expect: BTreeSet<&SessionId> = of_actor.map(|event| &event.session).collect();
    must(
        sessions.items.iter().map(|entry| &entry.session).collect::<BTreeSet<_>>() == expect,
        "other sessions",
    )?;
    let order = |entry: &loci_model::ports::store::SessionEntry| {
        (std::cmp::Reverse(entry.created_at), entry.session.clone())
    };
    must(sessions.items.is_sorted_by_key(order), "sessions are in another order")?;
    let names: Vec<_> = sessions.items.iter().map(|entry| entry.session.as_str()).collect();
    run.note(format!("  {} actors; {actor}: {}", actors.len(), names.join(" ")));
    Ok(ChangedMemories::Nothing)
}

fn plain(memory: MemoryId, query: String) -> SearchRequest {
    SearchRequest {
        memory,
        query,
        namespaces: Vec::new(),
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        citing: None,
        as_of: None,
        top_k: TOP_K,
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
        include_system: true,
    }
}

fn ask(run: &SimulationRun<'_>, request: SearchRequest) -> Outcome<SearchAnswer> {
    let caller = run.caller.clone();
    Ok(run.life.call(|engine| async move { engine.search(&caller, request).await })??)
}

/// Checks that a search found only records that may be read, in their current form.
fn check_hits(run: &mut SimulationRun<'_>, place: usize, answer: &SearchAnswer) -> Outcome<()> {
    let now = run.now();
    let twin = run.twin(place)?;
    let readable: BTreeMap<&RecordId, &Record> =
        twin.seen.readable(now).map(|record| (&record.id, record)).collect();
    for hit in &answer.hits {
        let is_there = readable.get(&hit.record.id).is_some_and(|record| **record == hit.record);
        must(is_there, &format!("a search found what is not there, or otherwise: {:?}", hit.record))?;
    }
    let distinct: BTreeSet<_> = answer.hits.iter().map(|hit| &hit.record.id).collect();
    must(distinct.len() == answer.hits.len(), "a search found a record twice")
}

fn note_ranking(run: &mut SimulationRun<'_>, what: &str, answer: &SearchAnswer) {
    let warnings = &answer.notices;
    run.note(format!("  {what}: {} hits, {warnings:?}", answer.hits.len()));
    let hits = answer.hits.iter().map(|hit| (hit.record.id.clone(), hit.score)).collect();
    run.transcript().note_ranking(hits);
}

/// Searches a record by the words of its own text.
pub(super) fn search_own_words(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (now, mut dice) = (run.now(), run.dice.clone());
    let readable: Vec<Record> = run.twin(place)?.seen.readable(now).cloned().collect();
    let found = dice.pick(&readable).cloned();
    run.dice = dice;
    if let Some(record) = found {
        is_found(run, place, &record)?;
    }
    Ok(ChangedMemories::Nothing)
}

fn is_found(run: &mut SimulationRun<'_>, place: usize, record: &Record) -> Outcome<()> {
    // Words without meaning find nothing.
    if loci_text::terms(record.indexed()).into_iter().collect::<BTreeSet<_>>().len() < 3 {
        return Ok(());
    }
    // Queries have a maximum length; a shorter one is enough.
    let words: String = record.indexed().chars().take(2_000).collect();
    let answer = ask(run, plain(record.memory.clone(), words))?;
    check_hits(run, place, &answer)?;
    let at = answer.hits.iter().position(|hit| hit.record.id == record.id);
    if at.is_none() {
        let (caller, memory) = (run.caller.clone(), record.memory.clone());
        let infos = run.life.call(|engine| async move {
            let now = engine.index_info(&caller, &memory, false).await?;
            Ok((now, engine.index_info(&caller, &memory, true).await?))
        })?;
        let (hits, statistics) = (answer.hits.len(), &answer.statistics);
        let what =
            format!("{record:?}: {}\n{hits} hits, {statistics:?}\nindex now and anew {infos:?}", record.text);
        return Err(InvariantViolation::new("a record is not found by its own words").about(&what));
    }
    note_ranking(run, record.id.as_str(), &answer);
    Ok(())
}

/// Checks at the end that all records are found; in large memories only a sample.
pub(super) fn every_record_is_found(run: &mut SimulationRun<'_>, place: usize) -> Outcome<()> {
    let now = run.now();
    let readable: Vec<Record> = run.twin(place)?.seen.readable(now).cloned().collect();
    let every = readable.len().div_ceil(SEARCHED_MAX).max(1);
    readable.iter().step_by(every).try_for_each(|record| is_found(run, place, record))
}

/// Searches with a query, sometimes in a part, sometimes as of an earlier time.
pub(super) fn search(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let now = run.now();
    let memory = run.twin(place)?.memory.id.clone();
    let mut request = plain(memory, question(&mut run.dice));
    request.fold = run.dice.chance(40);
    let earlier = i64::try_from(run.dice.below(10 * 86_400_000)).unwrap_or(0);
    request.as_of = run.dice.chance(20).then(|| now.plus_millis(-earlier));
    let part = run.dice.chance(40).then(|| Namespace::parse(run.dice.word(&NAMESPACES))).transpose()?;
    request.namespaces = part.iter().cloned().map(NamespaceAsk::Path).collect();
    let (is_now, what) = (request.as_of.is_none(), format!("{:?} in {part:?}", request.query));
    let answer = ask(run, request)?;
    if is_now {
        check_hits(run, place, &answer)?;
    }
    let filter = part.map(|part| NamespaceFilter::new(&part, NamespaceMatch::Subtree));
    let in_part = |record: &Record| filter.as_ref().is_none_or(|filter| filter.admits(&record.namespace));
    must(answer.hits.iter().all(|hit| in_part(&hit.record)), "a hit is from elsewhere")?;
    note_ranking(run, &what, &answer);
    Ok(ChangedMemories::Nothing)
}

fn jobs(run: &mut SimulationRun<'_>, place: usize) -> Outcome<Vec<Job>> {
    let (caller, memory) = (run.caller.clone(), run.twin(place)?.memory.id.clone());
    let query = JobQuery { limit: 100, ..JobQuery::default() };
    Ok(run.life.call(|engine| async move { engine.job_list(&caller, &memory, query).await })??.items)
}

/// Lists pending and finished jobs.
pub(super) fn list_jobs(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let jobs = jobs(run, place)?;
    let order = |job: &Job| (std::cmp::Reverse(job.updated_at), job.id.clone());
    must(jobs.is_sorted_by_key(order), "jobs are in another order")?;
    for job in jobs {
        run.note(format!("  {job:?}"));
    }
    Ok(ChangedMemories::Nothing)
}

/// Checks at the end that all jobs that produce records are done.
pub(super) fn no_job_is_left(run: &mut SimulationRun<'_>, place: usize) -> Outcome<()> {
    let left: Vec<Job> = jobs(run, place)?.into_iter().filter(|job| job.state != JobState::Done).collect();
    // Purge jobs are not awaited.
    must(left.iter().all(|job| job.kind == JobKind::PURGE), &format!("jobs are left: {left:?}"))
}

/// Lists the memories, newest first, and compares them with the acknowledged ones.
pub(super) fn list_memories(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let caller = run.caller.clone();
    let page = run.life.call(|engine| async move { engine.memory_list(&caller, None, 100).await })??;
    let mut expect: Vec<_> = run.twins.iter().map(|twin| twin.memory.clone()).collect();
    expect.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
    must(page.items == expect, "the list of memories is another")
        .map_err(|why| why.about(&format!("{:#?}\nexpected {expect:#?}", page.items)))?;
    run.note(format!("  {} memories", expect.len()));
    Ok(ChangedMemories::Nothing)
}
