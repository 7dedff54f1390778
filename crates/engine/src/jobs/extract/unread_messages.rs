//! The messages that a job must still read, or read again: without duplicates, and limited in
//! number.
//!
//! The run selects them (`mod.rs`).

use std::collections::HashSet;

use loci_model::JobId;
use loci_model::job::JobMessage;

/// Maximum number of messages that a job keeps to read again.
const OWED_MESSAGES_MAX: usize = 1_000;

/// Returns the messages in order without duplicates; if there are too many, the newest.
pub(super) fn distinct(job: &JobId, messages: impl IntoIterator<Item = JobMessage>) -> Vec<JobMessage> {
    let mut seen = HashSet::new();
    let mut owed: Vec<JobMessage> =
        messages.into_iter().filter(|message| seen.insert(message.clone())).collect();
    let over = owed.len().saturating_sub(OWED_MESSAGES_MAX);
    if over > 0 {
        tracing::warn!(%job, messages = over, "too many messages to read again: the first ones stay as they are");
        owed.drain(..over);
    }
    owed
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::EventId;

    #[test]
    fn each_once_and_the_newest() {
        let job = JobId::parse("job").unwrap();
        let of = |place: u32| JobMessage { event: EventId::compose(1, place), message: 0 };
        let places = |messages: Vec<JobMessage>| -> Vec<Option<u32>> {
            messages.iter().map(|message| message.event.place()).collect()
        };
        assert_eq!(places(distinct(&job, [of(3), of(1), of(3)])), [Some(3), Some(1)]);
        let many = places(distinct(&job, (0..2_000).map(of)));
        assert_eq!((many.len(), many.first()), (OWED_MESSAGES_MAX, Some(&Some(1_000))));
    }
}
