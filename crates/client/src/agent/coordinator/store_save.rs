//! One save of a store: it sends segment after segment, in order, until no message waits or the
//! store fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;
use tracing::Instrument;

use super::extractor::ExtractError;
use super::lane::Lane;
use super::quarantine::{Quarantine, QuarantinedContent};
use super::save_outcome::{self, SegmentOutcome};
use super::segment::Segment;
use super::spool::Spool;
use crate::agent::batch::{MessageBatch, SequencedMessage};
use crate::agent::error::StoreError;
use crate::agent::isolation::{caught, caught_call};
use crate::agent::message::Message;
use crate::agent::runtime::RuntimeContext;

/// The state that all lanes share.
pub(super) struct LaneHub {
    pub(super) surroundings: RuntimeContext,
    pub(super) run_id: Arc<str>,
    pub(super) spool: Option<Spool>,
    pub(super) quarantine: Quarantine,
    pub(super) closed: AtomicBool,
    /// True after the last handle of the coordinator is dropped.
    pub(super) abandoned: AtomicBool,
    /// True while a background task runs the lanes.
    pub(super) in_background: AtomicBool,
}

impl LaneHub {
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Returns true if no new segment may be sent, because the last handle is dropped.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::SeqCst)
    }
}

pub(super) async fn save_all(lane: &Arc<Lane>, hub: &LaneHub) {
    lane.lock().last_error = None;
    let asked_in = lane.asked_in();
    while !hub.is_abandoned()
        && let Some(taken) = take(lane, hub)
    {
        let (segment, filtered) = match sift(lane, &taken) {
            Ok(sifted) => sifted,
            Err(error) => {
                let settled = save_outcome::messages_sent(taken.clone(), Err(error));
                if land(lane, hub, &taken, settled) {
                    continue;
                }
                return;
            }
        };
        let span = tracing::info_span!(
            "memory.extract",
            "memory.store.name" = lane.name(),
            "memory.message.count" = segment.batch.messages.len(),
            "memory.message.filtered_count" = filtered.len(),
            "memory.extractor" = lane.extracting.extractor.as_ref().map(|extractor| extractor.name()),
            "memory.quarantined" = tracing::field::Empty,
        );
        // A link, not a parent: the agent's span may be over by now.
        span.follows_from(asked_in.clone());
        // The filter dropped these messages entirely. They are done and give no evidence about the
        // store.
        spool_done(lane, hub, &segment.batch.run_id, &filtered);
        let sent = segment.clone();
        let settled = if segment.batch.messages.is_empty() && segment.entries.is_none() {
            SegmentOutcome::default()
        } else {
            send(lane, hub, segment).instrument(span.clone()).await
        };
        span.record("memory.quarantined", settled.refused.len());
        let goes_on = span.in_scope(|| land(lane, hub, &sent, settled));
        if !goes_on {
            return;
        }
    }
    bring_back(lane, hub);
}

/// Applies the filter of the store to a segment. Returns the rest of the segment, and the sequence
/// numbers of the dropped messages.
fn sift(lane: &Lane, taken: &Segment) -> Result<(Segment, Vec<u64>), StoreError> {
    if !taken.unfiltered {
        return Ok((taken.clone(), Vec::new()));
    }
    let (mut messages, mut filtered) = (Vec::new(), Vec::new());
    for message in &taken.batch.messages {
        match caught_call("the filter", || lane.extracting.filter.keep(&message.message))? {
            None => filtered.push(message.sequence),
            Some(kept) => {
                messages.push(Arc::new(SequencedMessage { sequence: message.sequence, message: kept }));
            }
        }
    }
    let batch = MessageBatch { run_id: Arc::clone(&taken.batch.run_id), messages };
    Ok((Segment { batch, unfiltered: false, ..taken.clone() }, filtered))
}

/// Returns the next segment to send. If memory has none, the call reads one from the spool.
fn take(lane: &Lane, hub: &LaneHub) -> Option<Segment> {
    if let Some(spool) = &hub.spool
        && let Err(error) = read_spool(lane, spool)
    {
        tracing::error!("store=<{}>, reason=<{error}> | spool cannot be read", lane.name());
        let now_ms = hub.surroundings.clock.now_ms();
        let chance = hub.surroundings.randomness.bits();
        let mut state = lane.lock();
        // A retry is scheduled, because all waiting messages may be in the spool and no invocation
        // may follow.
        state.pacing.failed(now_ms, chance);
        state.last_error = Some(error);
        return None;
    }
    let mut state = lane.lock();
    state.queue.take(&hub.run_id)
}

/// Reads waiting messages from the spool without holding the lane's lock: reading may be slow, and
/// the agent needs the lock to record messages.
fn read_spool(lane: &Lane, spool: &Spool) -> Result<(), StoreError> {
    // Leftovers of earlier runs go first. A piece without readable messages makes way for the next.
    loop {
        let Some(leftover) = lane.lock().queue.wants_leftover().cloned() else { break };
        let segment = spool.read_back(lane.name(), &leftover)?;
        let lost = lane.lock().queue.read_back(segment);
        count_lost(lane, lost);
    }
    let Some(wanted) = lane.lock().queue.wants() else { return Ok(()) };
    let (messages, more) = spool.read(&wanted.range)?;
    let lost = lane.lock().queue.refill(wanted, messages, more);
    count_lost(lane, lost);
    Ok(())
}

fn count_lost(lane: &Lane, lost: usize) {
    if lost > 0 {
        lane.lock().dropped += u64::try_from(lost).unwrap_or(0);
        tracing::error!("store=<{}> | the spool has lost {lost} messages", lane.name());
    }
}

async fn send(lane: &Lane, hub: &LaneHub, segment: Segment) -> SegmentOutcome {
    let store = &lane.extracting.store;
    let Some(extractor) = &lane.extracting.extractor else {
        spool_begin(lane, hub, &segment);
        let answer = caught("the store", async { store.add_messages(&segment.batch).await }).await;
        return save_outcome::messages_sent(segment, answer);
    };
    let mut segment = segment;
    if segment.entries.is_none() {
        let messages: Vec<Message> =
            segment.batch.messages.iter().map(|message| message.message.clone()).collect();
        let extracted = caught("the extractor", async { Ok(extractor.extract(&messages).await) }).await;
        match extracted.unwrap_or_else(|error| Err(ExtractError::Failed(error))) {
            Err(error) => return save_outcome::extraction_failed(segment, error),
            Ok(entries) => segment.entries = Some(entries),
        }
    }
    // Before the entries are sent: another process must send these entries, not a new extraction.
    spool_begin(lane, hub, &segment);
    let entries = segment.entries.take().unwrap_or_default();
    let answers =
        join_all(entries.iter().map(|entry| caught("the store", async { store.add(entry).await }))).await;
    let answers = entries.into_iter().zip(answers.into_iter().map(|answer| answer.map(drop))).collect();
    let settled = save_outcome::entries_sent(segment, answers);
    settled.again.iter().for_each(|segment| spool_begin(lane, hub, segment));
    settled
}

/// Records the outcome of a segment. Returns true if the store may receive the next one.
fn land(lane: &Lane, hub: &LaneHub, sent: &Segment, mut settled: SegmentOutcome) -> bool {
    let is_through = settled.refused.is_empty() && settled.again.is_empty();
    quarantine(lane, hub, sent, &mut settled);
    match &sent.quarantined_as {
        Some(key) if is_through => hub.quarantine.remove(key),
        Some(_) => {}
        None => spool_done(lane, hub, &sent.batch.run_id, &settled.done),
    }
    let now_ms = hub.surroundings.clock.now_ms();
    let chance = hub.surroundings.randomness.bits();
    let mut state = lane.lock();
    state.queue.landed(settled.again);
    match settled.failed {
        Some(error) => {
            let in_backoff = state.pacing.failed(now_ms, chance);
            if in_backoff {
                tracing::error!("store=<{}>, reason=<{error}> | memory save failed, in backoff", lane.name());
            } else {
                tracing::warn!("store=<{}>, reason=<{error}> | memory save failed", lane.name());
            }
            state.last_error = Some(error);
            false
        }
        None => {
            if settled.stored > 0 {
                state.pacing.succeeded();
            }
            true
        }
    }
}

/// Queues the rejected segments that could not be quarantined, and schedules their retry as after a
/// failure.
fn bring_back(lane: &Lane, hub: &LaneHub) {
    let now_ms = hub.surroundings.clock.now_ms();
    let chance = hub.surroundings.randomness.bits();
    let mut state = lane.lock();
    if state.queue.bring_back() {
        state.pacing.failed(now_ms, chance);
    }
}

/// Writes rejected messages and entries to the quarantine. If that fails, they are kept and sent
/// again later.
fn quarantine(lane: &Lane, hub: &LaneHub, sent: &Segment, settled: &mut SegmentOutcome) {
    let (mut kept_back, mut entries, mut failed) = (Vec::new(), Vec::new(), None);
    for (content, error) in std::mem::take(&mut settled.refused) {
        tracing::error!("store=<{}>, reason=<{error}> | memory message quarantined", lane.name());
        let at_ms = hub.surroundings.clock.now_ms();
        let put = hub.quarantine.put(lane.name(), sent, content.clone(), &error, at_ms);
        let Err(error) = put else { continue };
        tracing::error!(
            "store=<{}>, reason=<{error}> | quarantine cannot be written, tried again",
            lane.name()
        );
        if sent.quarantined_as.is_some() {
            continue; // It lies there already.
        }
        failed = Some(error);
        match content {
            QuarantinedContent::Message { sequence, message } => {
                settled.done.retain(|done| *done != sequence);
                let alone = sent.part(vec![Arc::new(SequencedMessage { sequence, message })]);
                kept_back.push(alone.exhausted());
            }
            QuarantinedContent::Entry(entry) => entries.push(entry),
        }
    }
    if !entries.is_empty() {
        settled.done.clear();
        match settled.again.first_mut() {
            Some(again) => again.entries.get_or_insert_default().extend(entries),
            None => kept_back.push(Segment { entries: Some(entries), ..sent.clone() }.exhausted()),
        }
    }
    let mut state = lane.lock();
    state.queue.keep_back(kept_back);
    state.last_error = failed.or(state.last_error.take());
}

fn spool_begin(lane: &Lane, hub: &LaneHub, segment: &Segment) {
    // A segment from the quarantine stays there until it is stored.
    if segment.quarantined_as.is_some() {
        return;
    }
    if let Some(spool) = &hub.spool
        && let Err(error) = spool.begin(lane.name(), segment)
    {
        tracing::error!("store=<{}>, reason=<{error}> | spool cannot be written", lane.name());
    }
}

fn spool_done(lane: &Lane, hub: &LaneHub, run_id: &Arc<str>, sequences: &[u64]) {
    if let Some(spool) = &hub.spool
        && !sequences.is_empty()
        && let Err(error) = spool.done(lane.name(), run_id, sequences)
    {
        tracing::error!("store=<{}>, reason=<{error}> | spool cannot be written", lane.name());
    }
}
