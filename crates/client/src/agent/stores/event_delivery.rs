//! Sending of events in order, and the outcome of their messages. It does not depend on a wire
//! format.

use std::collections::BTreeMap;

use crate::agent::batch::{BatchOutcome, EventFailure, EventsNotStored, Unstored};
use crate::agent::error::{ErrorClass, StoreError};

/// Sends events in the order of the conversation. After a transient error it sends no more events,
/// and reports that error for them, too. After a permanent error it continues with the next event.
pub(super) async fn in_order<'a, E, F>(
    events: &'a [E],
    send: impl Fn(&'a E) -> F,
) -> Vec<Result<(), StoreError>>
where
    F: Future<Output = Result<(), StoreError>>,
{
    let mut answers = Vec::with_capacity(events.len());
    let mut stopped: Option<StoreError> = None;
    for event in events {
        let answer = match &stopped {
            Some(error) => Err(error.clone()),
            None => send(event).await,
        };
        if let Err(error) = &answer
            && error.class != ErrorClass::Permanent
        {
            stopped = Some(error.clone());
        }
        answers.push(answer);
    }
    answers
}

/// Returns the outcome of the messages of events, by their sequence numbers. `silent` messages are
/// in no event and count as stored. A message in several events is stored when all of them are.
pub(super) fn outcome(
    answers: impl IntoIterator<Item = (Vec<u64>, Result<(), StoreError>)>,
    silent: impl IntoIterator<Item = u64>,
) -> BatchOutcome {
    let mut errors: BTreeMap<u64, Option<StoreError>> =
        silent.into_iter().map(|number| (number, None)).collect();
    let (mut failures, mut events) = (Vec::new(), 0);
    for (numbers, answer) in answers {
        let error = answer.err();
        events += 1;
        failures.extend(error.clone().map(|error| EventFailure { messages: numbers.clone(), error }));
        for number in numbers {
            let known = errors.entry(number).or_default();
            *known = known.take().or_else(|| error.clone());
        }
    }
    let failed = (!failures.is_empty()).then_some(EventsNotStored { failures, events });
    let mut outcome = BatchOutcome { failed, ..BatchOutcome::default() };
    for (sequence, error) in errors {
        match error {
            None => outcome.stored.push(sequence),
            Some(error) => outcome.unstored.push(Unstored { sequence, error }),
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    #[test]
    fn nothing_overtakes_what_may_pass() {
        let check = |events: &[Option<ErrorClass>], expect: &str| {
            let answers = block_on(in_order(events, |event| {
                let answer = event.map_or(Ok(()), |class| Err(StoreError::of(class, "sent")));
                std::future::ready(answer)
            }));
            let said = |answer: &Result<(), StoreError>| match answer {
                Ok(()) => '+',
                Err(error) if error.class == ErrorClass::Permanent => 'x',
                Err(_) => '?',
            };
            assert_eq!(answers.iter().map(said).collect::<String>(), expect);
        };
        check(&[], "");
        check(&[None, None], "++");
        check(&[None, Some(ErrorClass::Permanent), None], "+x+");
        check(&[None, Some(ErrorClass::Transient), None], "+??");
        check(&[Some(ErrorClass::Unclassified), Some(ErrorClass::Permanent)], "??");
    }

    #[test]
    fn a_message_of_several_events_is_stored_with_the_last_of_them() {
        let refused = || Err(StoreError::permanent("no"));
        let answers = [(vec![0, 1], Ok(())), (vec![2], Ok(())), (vec![2], refused()), (vec![3], Ok(()))];
        let outcome = outcome(answers, [4]);
        assert_eq!(outcome.stored, [0, 1, 3, 4]);
        assert_eq!(outcome.unstored.iter().map(|one| one.sequence).collect::<Vec<_>>(), [2]);
        let failed = outcome.failed.unwrap();
        assert_eq!((failed.failures.len(), &failed.failures[0].messages[..]), (1, &[2][..]));
        assert_eq!(failed.to_string(), "1 of 4 event(s) not stored; first error: no");
        assert!(super::outcome([(vec![0], Ok(()))], []).failed.is_none());
    }
}
