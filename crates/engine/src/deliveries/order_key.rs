//! Order keys of outgoing deliveries. Deliveries with the same key are sent in the order in which
//! they were stored. A key also names the actor, so that deliveries about a forgotten person can
//! be found.

use std::fmt;

use loci_model::ports::deliver::NoticeKind;
use loci_model::{ActorId, JobId, MemoryId, RecordId, SessionId, StrategyId};

/// The text in place of the actor in a key without one. It is not a valid actor id.
const NOBODY: &str = "-";

/// The order key of a delivery. Ids contain no spaces, so the text of a key can be parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OrderKey<'a> {
    /// The messages of a session, which are sent to the client of a self-managed strategy.
    HandOver { actor: &'a ActorId, session: &'a SessionId, strategy: &'a StrategyId },
    /// The changes of one record, which are sent to subscribers of the memory's stream.
    Record(&'a RecordId),
    /// Events about a memory as a whole, which are sent to subscribers of its stream.
    Memory(&'a MemoryId),
    /// The end of a job, which is sent to one target.
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

/// Returns the kind of notification of the deliveries with an order key.
pub fn kind_of(key: &str) -> NoticeKind {
    match key.split(' ').next() {
        Some("self") => NoticeKind::SelfManaged,
        Some("stream" | "memory") => NoticeKind::RecordStream,
        Some("job") => NoticeKind::JobEnded,
        Some(_) | None => NoticeKind::Test,
    }
}

/// Returns the prefixes of all order keys that name an actor.
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
