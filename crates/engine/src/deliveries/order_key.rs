//! Order keys of the outbox: handovers of a session and events of a record keep their order. The
//! key also names the subject and the actor of a delivery, so that it can be found when a person is
//! forgotten.

use std::fmt;

use loci_model::ports::deliver::NoticeKind;
use loci_model::{ActorId, JobId, MemoryId, RecordId, SessionId, StrategyId};

/// Placeholder if there is no actor; it is not a valid actor id.
const NOBODY: &str = "-";

/// Deliveries with equal keys keep their order. Ids contain no spaces, so a key can be parsed from
/// its start.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OrderKey<'a> {
    /// Messages of a session, for a self-managed strategy.
    HandOver { actor: &'a ActorId, session: &'a SessionId, strategy: &'a StrategyId },
    /// Changes of a record, for followers of the memory.
    Record(&'a RecordId),
    /// Events on the stream of a memory as a whole.
    Memory(&'a MemoryId),
    /// The end of a job, for one target.
    JobEnd { actor: Option<&'a ActorId>, job: &'a JobId, target: &'a str },
}

impl fmt::Display for OrderKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HandOver { actor, session, strategy } => write!(f, "self {actor} {session} {strategy}"),
            Self::Record(record) => write!(f, "stream {record}"),
            Self::Memory(memory) => write!(f, "memory {memory}"),
            Self::JobEnd { actor, job, target } => {
                write!(f, "job {} {job} {target}", actor.map_or(NOBODY, ActorId::as_str))
            }
        }
    }
}

/// Returns the kind of the deliveries with an order key.
pub fn kind_of(key: &str) -> NoticeKind {
    match key.split(' ').next() {
        Some("self") => NoticeKind::SelfManaged,
        Some("stream" | "memory") => NoticeKind::RecordStream,
        Some("job") => NoticeKind::JobEnded,
        Some(_) | None => NoticeKind::Test,
    }
}

/// Returns the prefixes of the keys that name an actor.
pub(crate) fn beginnings_of(actor: &ActorId) -> [String; 2] {
    [format!("self {actor} "), format!("job {actor} ")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_what_and_whose() {
        let actor = ActorId::parse("org/ann:1").unwrap();
        let session = SessionId::parse("s1").unwrap();
        let strategy = StrategyId::parse("own-a1B2c3D4e5").unwrap();
        let job = JobId::parse("j1").unwrap();
        let [own, ends] = beginnings_of(&actor);
        let check = |key: OrderKey<'_>, kind: NoticeKind, beginning: Option<&str>| {
            let text = key.to_string();
            assert_eq!(kind_of(&text), kind, "{text}");
            assert_eq!(
                [&own, &ends].into_iter().find(|b| text.starts_with(*b)).map(String::as_str),
                beginning
            );
        };
        check(
            OrderKey::HandOver { actor: &actor, session: &session, strategy: &strategy },
            NoticeKind::SelfManaged,
            Some(&own),
        );
        let end = |actor| OrderKey::JobEnd { actor, job: &job, target: "my hook" };
        check(end(Some(&actor)), NoticeKind::JobEnded, Some(&ends));
        check(end(None), NoticeKind::JobEnded, None);
        let record = RecordId::of_uuid(1);
        check(OrderKey::Record(&record), NoticeKind::RecordStream, None);
        let memory = MemoryId::parse("notes-a1B2c3D4e5").unwrap();
        check(OrderKey::Memory(&memory), NoticeKind::RecordStream, None);
        assert!(ActorId::parse(NOBODY).is_err());
    }
}
