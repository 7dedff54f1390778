//! The input of a model in one round: a window of new events, or events that an earlier run read
//! without the model, each with the preceding conversation. A window is fixed before the model is
//! asked, so that a repeated round asks the same question.
//!
//! Deterministic extraction has its own rounds (`round.rs`).

use std::collections::BTreeSet;

use loci_model::event::Event;
use loci_model::job::{JobMessage, JobWindow};
use loci_model::memory::settings::WindowSettings;
use loci_model::ports::store::{EventsBefore, ReadTx};
use loci_model::record::metadata::Metadata;
use loci_model::{BranchName, EventId, Result, Timestamp, limits};

use super::ExtractionScope;
use super::resend::{ComparableMessage, repeated};
use super::round::messages_of;
use crate::events::branches::{SessionPlace, slices};
use crate::events::content;
use crate::events::scheduling::PAUSES_MAX;
use crate::strategies::metadata::schema_values::bound_values;
use crate::strategies::turns::turn::{Turn, turns_of_message};

/// The maximum size of one round. It is reduced after a truncated answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// The maximum number of events in the round.
    pub(super) events: usize,
    /// The maximum number of tokens of new turns in one question.
    pub(super) tokens: usize,
}

/// The minimum number of tokens for which a separate question is asked.
const TOKENS_MIN: usize = 500;

impl Room {
    /// Returns the limits of the settings.
    pub(super) fn whole(tokens: usize) -> Self {
        Self { events: usize::MAX, tokens }
    }

    /// Halves the limits: the events of a round, or the tokens of its only event. Returns false if
    /// that is not possible.
    pub(super) fn halve(&mut self, events: usize, tokens: usize) -> bool {
        if events > 1 {
            self.events = events / 2;
            return true;
        }
        let half = self.tokens.min(tokens) / 2;
        let is_worth_it = half >= TOKENS_MIN;
        if is_worth_it {
            self.tokens = half;
        }
        is_worth_it
    }
}

/// The messages that a job must extract in addition to new events.
#[derive(Debug, Clone)]
pub(super) struct Unread {
    /// The messages that rules extracted and that a model must extract again.
    pub(super) again: Vec<JobMessage>,
    /// True if the job must not extract new events, because another job does.
    pub(super) only_again: bool,
    /// The range of events that an earlier try stored for its question to a model.
    pub(super) window: Option<JobWindow>,
    pub(super) room: Room,
}

/// The events that one round extracts.
#[derive(Debug)]
pub(super) struct RoundEvents {
    pub(super) events: Vec<Event>,
    /// The range of new events; `None` if old events are extracted again.
    pub(super) window: Option<JobWindow>,
    /// The messages that must still be extracted again after this round.
    pub(super) left: Vec<JobMessage>,
}

/// Takes the events of the next round; empty if nothing is left.
pub(super) fn take(
    tx: &dyn ReadTx,
    place: &ExtractionScope,
    progress: u64,
    unread: &Unread,
    now: Timestamp,
) -> Result<RoundEvents> {
    let (memory, actor, session) = (&place.memory, &place.actor, &place.session);
    let mut old = again(tx, place, progress, &unread.again, now)?;
    if !old.is_empty() || unread.only_again {
        let rest = old.split_off(fitting(&old, unread.room));
        let left = rest.iter().flat_map(messages_of).collect();
        return Ok(RoundEvents { events: old, window: None, left });
    }
    let limit = limits::WINDOW_MESSAGES_MAX as usize;
    let mut events = tx.events().unprocessed(memory, actor, session, progress, limit, now)?;
    let fixed = unread.window.as_ref().filter(|window| window.from == progress);
    if let Some(fixed) = fixed
        && events.first().is_some_and(|event| event.arrival <= fixed.to)
    {
        events.retain(|event| event.arrival <= fixed.to);
    }
    events.truncate(fitting(&events, unread.room));
    let window = events.last().map(|last| JobWindow {
        from: progress,
        to: last.arrival,
        notice: None,
        opened_at: fixed.map_or(now, |fixed| fixed.opened_at),
    });
    Ok(RoundEvents { events, window, left: Vec::new() })
}

/// Returns the time at which the window of unread events closes. `None` if nothing is left, the
/// window is full, or some events arrived before `since`, when this job was already running.
pub(super) fn closes(
    tx: &dyn ReadTx,
    (place, settings): (&ExtractionScope, &WindowSettings),
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let (memory, actor, session) = (&place.memory, &place.actor, &place.session);
    let read = tx.events().progress(memory, &place.strategy, actor, session)?;
    let limit = limits::WINDOW_MESSAGES_MAX as usize;
    let left = tx.events().unprocessed(memory, actor, session, read, limit, now)?;
    let Some((first, last)) = left.first().zip(left.last()) else { return Ok(None) };
    let load = tx.events().load(memory, actor, session, read, now)?;
    if first.arrived <= since || load.messages >= settings.messages || load.tokens >= settings.tokens {
        return Ok(None);
    }
    let idle_ms = i64::try_from(settings.idle_ms).unwrap_or(i64::MAX);
    let latest = first.arrived.plus_millis(idle_ms.saturating_mul(PAUSES_MAX));
    Ok(Some(last.arrived.plus_millis(idle_ms).min(latest)).filter(|due| *due > now))
}

/// Returns the events of messages to read again, in order of arrival, if they were read before and
/// still exist. Ingested data is included.
pub(super) fn again(
    tx: &dyn ReadTx,
    place: &ExtractionScope,
    progress: u64,
    messages: &[JobMessage],
    now: Timestamp,
) -> Result<Vec<Event>> {
    let ids: BTreeSet<&EventId> = messages.iter().map(|message| &message.event).collect();
    let mut events = Vec::new();
    for id in ids {
        let event = tx.events().source(&place.memory, &place.actor, &place.session, id, now)?;
        events.extend(event.filter(|event| event.arrival <= progress));
    }
    events.sort_by_key(|event| event.arrival);
    Ok(events)
}

/// Returns the number of whole events that fit into one window, at least one.
fn fitting(events: &[Event], room: Room) -> usize {
    let (mut messages, mut tokens) = (0_usize, 0_usize);
    let tokens_max = room.tokens.min(limits::WINDOW_TOKENS_MAX as usize);
    let fits = |event: &&Event| {
        let load = content::load(&event.payload, &event.notes.repeated);
        messages = messages.saturating_add(load.messages as usize);
        tokens = tokens.saturating_add(load.tokens as usize);
        messages <= limits::WINDOW_MESSAGES_MAX as usize && tokens <= tokens_max
    };
    events.iter().take(room.events).take_while(fits).count().max(1).min(events.len())
}

/// The conversation before a round on one branch and its ancestors with equal grant restrictions,
/// oldest first.
#[derive(Debug, Clone)]
pub(super) struct Past {
    branch: BranchName,
    bound: Metadata,
    messages: Vec<ComparableMessage>,
    /// Turns of each message.
    turns: Vec<Vec<Turn>>,
}

impl Past {
    /// Returns the turns of the last messages.
    pub(super) fn last(&self, messages: usize) -> Vec<Turn> {
        let from = self.turns.len().saturating_sub(messages);
        self.turns.iter().skip(from).flatten().cloned().collect()
    }

    pub(super) fn is_of(&self, branch: &BranchName, bound: &Metadata) -> bool {
        self.branch == *branch && self.bound == *bound
    }
}

/// Returns the conversation before the events of a round, per branch and grant restrictions, and
/// the number of re-sent leading messages of each event.
pub(super) fn past(
    tx: &dyn ReadTx,
    place: &ExtractionScope,
    events: &[Event],
    now: Timestamp,
) -> Result<(Vec<Past>, Vec<usize>)> {
    let mut pasts: Vec<Past> = Vec::new();
    // Messages of the round itself follow the past ones, per branch.
    let mut heard: Vec<Vec<ComparableMessage>> = Vec::new();
    let mut resent = Vec::with_capacity(events.len());
    let before = events.iter().map(|event| event.arrival).min().unwrap_or(0).saturating_sub(1);
    for event in events {
        let (branch, bound) = (&event.branch.name, bound_values(event));
        let at = match pasts.iter().position(|past| past.is_of(branch, &bound)) {
            Some(at) => at,
            None => {
                pasts.push(read_past(tx, place, (branch, bound), before, now)?);
                heard.push(pasts.last().map(|past| past.messages.clone()).unwrap_or_default());
                pasts.len() - 1
            }
        };
        let said: Vec<ComparableMessage> = event.payload.iter().filter_map(ComparableMessage::of).collect();
        let Some(known) = heard.get_mut(at) else { continue };
        let from = known.len().saturating_sub(limits::RESEND_LOOK_BACK);
        let count = known.get(from..).map_or(0, |known| repeated(known, &said));
        known.extend(said.into_iter().skip(count));
        resent.push(count);
    }
    Ok((pasts, resent))
}

fn read_past(
    tx: &dyn ReadTx,
    place: &ExtractionScope,
    (branch, bound): (&BranchName, Metadata),
    arrival: u64,
    now: Timestamp,
) -> Result<Past> {
    let session = SessionPlace { memory: &place.memory, actor: &place.actor, session: &place.session, now };
    let events = tx.events().before(&EventsBefore {
        memory: place.memory.clone(),
        actor: place.actor.clone(),
        session: place.session.clone(),
        branches: Some(slices(tx, &session, branch, true)?),
        arrival,
        limit: limits::RESEND_LOOK_BACK,
        now,
    })?;
    let mut past = Past { branch: branch.clone(), bound, messages: Vec::new(), turns: Vec::new() };
    for event in &events {
        if bound_values(event) != past.bound {
            continue;
        }
        for (at, item) in event.payload.iter().enumerate() {
            if let Some(said) = ComparableMessage::of(item) {
                past.messages.push(said);
                past.turns.push(turns_of_message(event, at));
            }
        }
    }
    let over = past.messages.len().saturating_sub(limits::RESEND_LOOK_BACK);
    past.messages.drain(..over);
    past.turns.drain(..over);
    Ok(past)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::event;
    use loci_model::event::{PayloadItem, Role};

    #[test]
    fn whole_events_that_fit() {
        let of = |place: u32, messages: usize, chars: usize| {
            event(
                place,
                vec![PayloadItem::Conversational { role: Role::User, text: "x".repeat(chars) }; messages],
            )
        };
        let check = |events: &[Event], room: Room, expect: usize| assert_eq!(fitting(events, room), expect);
        let whole = Room::whole(20_000);
        check(&[], whole, 0);
        check(&[of(1, 30, 4), of(2, 20, 4), of(3, 1, 4)], whole, 2);
        check(&[of(1, 80, 4), of(2, 1, 4)], whole, 1);
        check(&[of(1, 1, 400), of(2, 1, 400), of(3, 1, 4)], Room::whole(200), 2);
        check(&[of(1, 1, 4_000)], Room::whole(200), 1);
        check(&[of(1, 1, 4), of(2, 1, 4), of(3, 1, 4)], Room { events: 2, ..whole }, 2);
    }

    #[test]
    fn rooms_are_halved_as_far_as_it_goes() {
        let mut room = Room::whole(1_200);
        assert!(room.halve(5, 9_000) && room.halve(2, 9_000));
        assert_eq!(room, Room { events: 1, tokens: 1_200 });
        assert!(!room.halve(1, 800), "what is short already is not made shorter");
        assert!(room.halve(1, 1_100) && !room.halve(1, 9_000));
        assert_eq!(room.tokens, 550);
    }
}
