//! Triggers of a self-managed strategy's notifications: a number of messages or tokens, or a pause,
//! per actor and session. The counters cover events after the strategy's progress, so a handover
//! resets them.

use loci_model::event::{Event, EventLoad};
use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::memory::Memory;
use loci_model::memory::strategy::{SelfManaged, Strategy, Trigger};
use loci_model::ports::store::Tx;
use loci_model::{JobId, Result, Timestamp};

use crate::deliveries;

/// The conditions under which a strategy's client is notified; any one of them is enough.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    messages: u32,
    tokens: u32,
    idle_ms: i64,
}

impl Conditions {
    /// Returns the conditions of a strategy; a missing one never fires.
    pub(crate) fn of(own: &SelfManaged) -> Self {
        let mut conditions = Self { messages: u32::MAX, tokens: u32::MAX, idle_ms: i64::MAX };
        for trigger in &own.triggers {
            match *trigger {
                Trigger::Messages(count) => conditions.messages = count,
                Trigger::Tokens(count) => conditions.tokens = count,
                Trigger::IdleSeconds(seconds) => conditions.idle_ms = i64::from(seconds) * 1000,
            }
        }
        conditions
    }

    /// Returns true if the load fires the conditions.
    pub(crate) fn fired_by(&self, load: EventLoad) -> bool {
        load.messages >= self.messages || load.tokens >= self.tokens
    }

    /// Returns the end of a sufficient pause that began at `since`.
    pub(crate) fn idle_until(&self, since: Timestamp) -> Timestamp {
        since.plus_millis(self.idle_ms)
    }
}

/// Returns the self-managed configuration of a strategy; `None` also for one without a topic,
/// because no one can receive a handover.
pub(crate) fn own(strategy: &Strategy) -> Option<&SelfManaged> {
    let own = strategy.custom.as_ref().and_then(|custom| custom.self_managed.as_ref());
    own.filter(|own| !deliveries::is_nobody(&own.topic_arn))
}

/// Returns the job of the handover that an event causes or postpones; `id` is for a new job. It is
/// called for every event that strategies read.
pub(crate) fn due(
    tx: &mut dyn Tx,
    memory: &Memory,
    strategy: &Strategy,
    event: &Event,
    id: &JobId,
    now: Timestamp,
) -> Result<Option<NewJob>> {
    let Some(own) = own(strategy) else { return Ok(None) };
    let (actor, session) = (&event.actor, &event.session);
    let progress = tx.events().progress(&memory.id, &strategy.id, actor, session)?;
    let load = tx.events().load(&memory.id, actor, session, progress, now)?;
    let conditions = Conditions::of(own);
    let (due, due_rule) = if conditions.fired_by(load) {
        (now, DueRule::Earlier)
    } else {
        (conditions.idle_until(now), DueRule::Later)
    };
    Ok(Some(NewJob {
        id: id.clone(),
        memory: memory.id.clone(),
        kind: JobKind::HANDOVER,
        unique_key: format!("handover {} {actor} {session}", strategy.id),
        strategy: Some(strategy.id.clone()),
        actor: Some(actor.clone()),
        session: Some(session.clone()),
        due,
        due_rule,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_condition_suffices() {
        let own = |triggers: &[Trigger]| SelfManaged {
            triggers: triggers.to_vec(),
            topic_arn: String::new(),
            payload_bucket: String::new(),
            history_messages: 0,
        };
        let all =
            Conditions::of(&own(&[Trigger::Messages(6), Trigger::Tokens(100), Trigger::IdleSeconds(20)]));
        let fired =
            |conditions: &Conditions, messages, tokens| conditions.fired_by(EventLoad { messages, tokens });
        assert!(!fired(&all, 5, 99) && fired(&all, 6, 0) && fired(&all, 1, 100));
        let start = Timestamp::clamped(1_000);
        assert_eq!(all.idle_until(start), start.plus_millis(20_000));
        let none = Conditions::of(&own(&[]));
        assert!(!fired(&none, 5_000, 5_000_000));
        assert!(none.idle_until(start) > start.plus_days(365_000));
    }
}
