//! Simulation steps on events: creating them with and without client tokens and on branches,
//! repeating requests, and deleting events.

use std::collections::BTreeMap;

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::events::{BranchAsk, NewEvent, NewIngest};
use loci_model::event::{Event, ExtractionMode, PayloadItem, Role};
use loci_model::{
    ActorId, BranchName, Document, ErrorKind, EventId, MemoryId, Reason, Result, SessionId, Timestamp, limits,
};

use super::InvariantViolation;
use super::random::Dice;
use super::reference_model::{ExpectedChange, ReferenceModel, UsedToken, must};
use super::steps::{ChangedMemories, SimulationRun};
use super::texts::{ACTORS, BRANCHES, SESSIONS, TOPICS, sentence};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

/// Creates an event.
pub(super) fn create(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (number, now) = (run.number(), run.now());
    let mut dice = run.dice.clone();
    let twin = run.twin(place)?;
    let (new, to_keep) = new_event(&mut dice, twin, now)?;
    let token = token_for(&mut dice, &new, number)?;
    run.dice = dice;
    let caller = run.caller.clone();
    let (result, was_applied) = match &token {
        // A client without a token does not retry, because the event would be duplicated.
        None => {
            let event = new.clone();
            (run.life.call(|engine| async move { engine.event_create(&caller, event, None).await })?, false)
        }
        Some(token) => {
            let acted = run.life.act(&mut run.dice, |engine| {
                let (caller, event, token) = (caller.clone(), new.clone(), token.clone());
                async move { engine.event_create(&caller, event, Some(token)).await }
            })?;
            (acted.result, acted.was_applied)
        }
    };
    match result {
        Ok(created) => {
            let event = created.event;
            must(event.payload == new.payload && event.metadata == new.metadata, "an event was changed")?;
            must(event.actor == new.actor, "an event is somebody else's")?;
            run.note(format!("  {} {} {} heard {}", event.actor, event.session, event.id, !was_applied));
            let twin = run.twin(place)?;
            if let Some(token) = token {
                let until = event.expires.plus_millis(limits::IDEMPOTENCY_MS);
                let (token, answer) = (token.token, event.id.clone());
                twin.tokens.push(UsedToken { token, event: new, answer, until, is_forgotten: false });
            }
            twin.must_keep(&event, &to_keep);
            Ok(ChangedMemories::In(place, ExpectedChange::EventAdded(Box::new(event))))
        }
        Err(error) if error.kind == ErrorKind::Invalid => {
            run.note(format!("  refused: {}", error.message));
            Ok(ChangedMemories::Nothing)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns a random new event, and the numbers of its messages from which records must be made.
fn new_event(dice: &mut Dice, twin: &ReferenceModel, now: Timestamp) -> Result<(NewEvent, Vec<u32>)> {
    let actor = ActorId::parse(dice.word(&ACTORS))?;
    let session = if dice.chance(95) { Some(SessionId::parse(dice.word(&SESSIONS))?) } else { None };
    let (mut payload, mut to_keep) = (Vec::new(), Vec::new());
    for at in 0..u32::try_from(dice.between(1, 3)).unwrap_or(1) {
        let (item, must_be_kept) = item(dice)?;
        payload.push(item);
        if must_be_kept {
            to_keep.push(at);
        }
    }
    let mut metadata = BTreeMap::new();
    if dice.chance(30) {
        metadata.insert("topic".to_owned(), dice.word(&TOPICS).to_owned());
    }
    let live: Vec<&Event> = twin.seen.events.values().collect();
    let time = match dice.below(10) {
        0 => dice.pick(&live).map(|event| event.time),
        1 => Some(now.plus_millis(-i64::try_from(dice.below(40 * 86_400_000)).unwrap_or(0))),
        2 => Some(Timestamp::clamped(i64::try_from(dice.below(1_000_000_000_000)).unwrap_or(0))),
        _ => None,
    };
    let branch = match (&session, dice.chance(25)) {
        (Some(session), true) => {
            let here: Vec<&EventId> = live
                .iter()
                .filter(|event| event.actor == actor && event.session == *session)
                .map(|event| &event.id)
                .collect();
            let root = if dice.chance(60) { dice.pick(&here).map(|id| EventId::clone(id)) } else { None };
            Some(BranchAsk { name: BranchName::parse(dice.word(&BRANCHES))?, root })
        }
        _ => None,
    };
    let extraction = if dice.chance(90) { ExtractionMode::Extract } else { ExtractionMode::Skip };
    let memory = twin.memory.id.clone();
    let new = NewEvent {
        memory,
        actor,
        session,
        time,
        payload,
        branch,
        metadata,
        extraction,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    Ok((new, to_keep))
}

fn item(dice: &mut Dice) -> Result<(PayloadItem, bool)> {
    let (text, says_something) = sentence(dice);
    let json = |text: &str| Document::parse(&serde_json::json!({"note": text, "n": [1, 2.5]}).to_string());
    Ok(match dice.below(20) {
        0 => (PayloadItem::Blob(json(&text)?), false),
        1 => (PayloadItem::Json(json(&text)?), false),
        2 => (PayloadItem::Conversational { role: Role::Tool, text }, false),
        3..8 => (PayloadItem::Conversational { role: Role::Assistant, text }, says_something),
        _ => (PayloadItem::Conversational { role: Role::User, text }, says_something),
    })
}

fn token_for(dice: &mut Dice, new: &NewEvent, number: u64) -> Result<Option<ClientToken>> {
    let parameters = serde_json::Value::Null;
    Ok(match dice.below(10) {
        0..4 => None,
        // A client's run, which may send the same turns again in another event.
        4 => {
            let first = dice.below(6);
            let last = first + u64::try_from(new.payload.len()).unwrap_or(1) - 1;
            let text = format!("{}-{}-run{}-{first}-{last}", new.memory, new.actor, dice.below(1000));
            Some(ClientToken::new(text, &parameters)?)
        }
        _ => Some(ClientToken::new(format!("token {number}"), &parameters)?),
    })
}

/// Repeats a request with a used client token, and checks that it returns the first event and
/// creates no other. A token of a forgotten person's event must be rejected.
pub(super) fn repeat(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let (now, mut dice) = (run.now(), run.dice.clone());
    let twin = run.twin(place)?;
    twin.tokens.retain(|used| used.until > now);
    let Some(used) = dice.pick(&twin.tokens).cloned() else { return Ok(ChangedMemories::Nothing) };
    let mut event = used.event.clone();
    if dice.chance(30) {
        event.payload.push(item(&mut dice)?.0);
    }
    run.dice = dice;
    let (caller, token) =
        (run.caller.clone(), ClientToken::new(used.token.as_str(), &serde_json::Value::Null)?);
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, event, token) = (caller.clone(), event.clone(), token.clone());
        async move { engine.event_create(&caller, event, Some(token)).await }
    })?;
    if used.is_forgotten {
        let reason = acted.result.err().and_then(|error| error.reason);
        must(reason == Some(Reason::SourceErased), "a forgotten event was answered")?;
        return Ok(ChangedMemories::Nothing);
    }
    let again = acted.result?.event;
    must(again.id == used.answer, "a repeated token made another event")?;
    run.note(format!("  {} again", again.id));
    Ok(ChangedMemories::Nothing)
}

/// Deletes an event.
pub(super) fn delete(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let now = run.now();
    let mut dice = run.dice.clone();
    let twin = run.twin(place)?;
    let all: Vec<&Event> = twin.seen.events.values().filter(|event| event.expires > now).collect();
    let Some(event) = dice.pick(&all).map(|event| Event::clone(event)) else {
        return Ok(ChangedMemories::Nothing);
    };
    run.dice = dice;
    let elsewhere = run.dice.chance(15);
    let session = if elsewhere { SessionId::parse("elsewhere")? } else { event.session.clone() };
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, event, session) = (caller.clone(), event.clone(), session.clone());
        async move { engine.event_delete(&caller, &event.memory, &event.actor, &session, &event.id).await }
    })?;
    let is_gone = acted.was_applied && !elsewhere;
    match acted.result {
        Ok(()) => must(!elsewhere && !is_gone, "an event was deleted that is elsewhere, or gone")?,
        Err(error) => {
            let is_right = error.kind == ErrorKind::NotFound && (elsewhere || is_gone);
            must(is_right, &format!("an event cannot be deleted: {error:?}"))?;
        }
    }
    run.note(format!("  {} in {session}", event.id));
    Ok(if elsewhere {
        ChangedMemories::Nothing
    } else {
        ChangedMemories::In(place, ExpectedChange::EventRemoved(event.id))
    })
}

/// Ingests data that is extracted but not kept.
pub(super) fn ingest(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let token = ClientToken::new(format!("token {}", run.number()), &serde_json::Value::Null)?;
    let now = run.now();
    let new = NewIngest {
        memory: memory_of(run, place)?,
        actor: ActorId::parse(run.dice.word(&ACTORS))?,
        session: Some(SessionId::parse(run.dice.word(&SESSIONS))?),
        time: now,
        payload: vec![PayloadItem::Conversational { role: Role::User, text: sentence(&mut run.dice).0 }],
        metadata: BTreeMap::new(),
        namespace_variables: BTreeMap::new(),
    };
    let caller = run.caller.clone();
    let acted = run.life.act(&mut run.dice, |engine| {
        let (caller, new, token) = (caller.clone(), new.clone(), token.clone());
        async move { engine.ingest(&caller, new, Some(token)).await }
    })?;
    let session = acted.result?;
    run.note(format!("  {} {session}", new.actor));
    run.twin(place)?.has_ingested = true;
    Ok(ChangedMemories::Nothing)
}

/// Ends a session.
pub(super) fn end_session(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let Some(place) = run.any_twin() else { return Ok(ChangedMemories::Nothing) };
    let memory = memory_of(run, place)?;
    let actor = ActorId::parse(run.dice.word(&ACTORS))?;
    let session = SessionId::parse(run.dice.word(&SESSIONS))?;
    let caller = run.caller.clone();
    let jobs = run
        .life
        .call(|engine| async move { engine.session_end(&caller, &memory, &actor, &session).await })?;
    run.note(match jobs {
        Ok(jobs) => format!("  {jobs} jobs"),
        Err(error) => format!("  {:?}", error.kind),
    });
    Ok(ChangedMemories::Nothing)
}

fn memory_of(run: &mut SimulationRun<'_>, place: usize) -> Result<MemoryId> {
    Ok(run.twin(place)?.memory.id.clone())
}
