//! Splits the session events of a file into calls, limited by count and by bytes. Invalid and
//! oversized events are reported separately, and do not block the others.

use anyhow::{Context as _, Result};
use loci_api::coding::task::session::SessionEvent;
use loci_model::limits;
use serde_json::{Value, json};

/// The maximum number of bytes of events per call. The limit keeps calls fast and lets an
/// undeliverable call be spooled.
const CALL_BYTES_MAX: usize = 1024 * 1024;
/// The maximum number of bytes of a single event. The server's body limit minus room for the
/// enclosing object.
const EVENT_BYTES_MAX: usize = limits::BODY_BYTES_MAX_DEFAULT - 1024;

/// An event that cannot be sent, as the body of a call, and the reason.
pub(super) type UnsendableEvent = (Value, String);

/// Parses events from JSON: an array, or one per line. Returns invalid events separately.
///
/// # Errors
/// The text begins as an array but is not one.
pub(super) fn read(text: &str) -> Result<(Vec<SessionEvent>, Vec<UnsendableEvent>)> {
    let text = text.trim();
    let (mut events, mut bad) = (Vec::new(), Vec::new());
    let mut take = |place: String, raw: Value, event: serde_json::Result<SessionEvent>| match event {
        Ok(event) => events.push(event),
        Err(error) => bad.push((body(vec![raw]), format!("{place} is none: {error}"))),
    };
    if text.starts_with('[') {
        let values: Vec<Value> = loci_json::from_str(text).context("the array of events")?;
        for (number, value) in (1..).zip(values) {
            let event = loci_json::from_value(&value).map_err(|unreadable| unreadable.error);
            take(format!("event {number} of the array"), value, event);
        }
        return Ok((events, bad));
    }
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let raw = loci_json::from_str(line).unwrap_or_else(|_| Value::String(line.to_owned()));
        take(format!("event in line {number}"), raw, loci_json::from_str(line));
    }
    Ok((events, bad))
}

/// Returns the bodies of the calls, in the order of the events, and the oversized events.
///
/// # Errors
/// An event cannot be serialized.
pub(super) fn cut(events: Vec<SessionEvent>) -> Result<(Vec<Value>, Vec<UnsendableEvent>)> {
    cut_at(events, CALL_BYTES_MAX, EVENT_BYTES_MAX)
}

fn cut_at(
    events: Vec<SessionEvent>,
    call_bytes_max: usize,
    event_bytes_max: usize,
) -> Result<(Vec<Value>, Vec<UnsendableEvent>)> {
    let (mut bodies, mut bad) = (Vec::new(), Vec::new());
    let (mut call, mut bytes) = (Vec::new(), 0_usize);
    for event in events {
        // Includes the separator to the next event.
        let size = serde_json::to_string(&event)?.len().saturating_add(1);
        let seq = event.seq;
        let event = serde_json::to_value(event)?;
        if size > event_bytes_max {
            let why = format!(
                "event {seq} has {size} bytes; a call takes at most {event_bytes_max}: send it as several"
            );
            bad.push((body(vec![event]), why));
            continue;
        }
        let is_full = call.len() >= limits::SESSION_EVENTS_PER_CALL_MAX;
        if !call.is_empty() && (is_full || bytes.saturating_add(size) > call_bytes_max) {
            bodies.push(body(std::mem::take(&mut call)));
            bytes = 0;
        }
        bytes = bytes.saturating_add(size);
        call.push(event);
    }
    if !call.is_empty() {
        bodies.push(body(call));
    }
    Ok((bodies, bad))
}

fn body(events: Vec<Value>) -> Value {
    json!({ "events": events })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seqs(events: &[SessionEvent]) -> Vec<u64> {
        events.iter().map(|event| event.seq).collect()
    }

    #[test]
    fn events_of_files() {
        let one = |seq: u64| format!(r#"{{"seq":{seq},"type":"note","content":"a [b] {seq}"}}"#);
        let good = |text: &str| {
            let (events, bad) = read(text).unwrap();
            assert_eq!(bad, []);
            seqs(&events)
        };
        assert_eq!(good(&format!("{}\n\n{}\n", one(1), one(2))), [1, 2]);
        assert_eq!(good(&format!(" [{},\n{}]\n", one(1), one(2))), [1, 2]);
        assert_eq!((good(""), good("[]")), (Vec::new(), Vec::new()));
        assert_eq!(good(&one(3).replace("a [b]", "cut \\ud83d")), [3]);
        let check = |text: &str, expect: &[u64], why: &str, raw: Value| {
            let (events, bad) = read(text).unwrap();
            assert_eq!((seqs(&events).as_slice(), bad.len()), (expect, 1), "{text}");
            assert!(bad[0].1.contains(why) && bad[0].0 == body(vec![raw]), "{:?}", bad[0]);
        };
        check(&format!("{}\n{{\"seq\":\n{}", one(1), one(2)), &[1, 2], "line 2", json!("{\"seq\":"));
        let unknown = r#"{"seq":1,"typ":"note"}"#;
        check(unknown, &[], "typ", json!({ "seq": 1, "typ": "note" }));
        check(&format!("[1,{}]", one(2)), &[2], "event 1 of the array", json!(1));
        assert!(format!("{:#}", read("[1").unwrap_err()).contains("array"));
    }

    #[test]
    fn calls_are_cut_by_count_and_by_bytes() {
        let event = |seq: u64, chars: usize| SessionEvent {
            seq,
            r#type: "note".to_owned(),
            content: Some("x".repeat(chars)),
            ..SessionEvent::default()
        };
        let size = |chars: usize| serde_json::to_string(&event(1, chars)).unwrap().len() + 1;
        let check = |events: Vec<SessionEvent>, call: usize, alone: usize, expect: &[usize], bad: usize| {
            let (bodies, great) = cut_at(events, call, alone).unwrap();
            let counts: Vec<usize> =
                bodies.iter().map(|body| body["events"].as_array().unwrap().len()).collect();
            assert_eq!((counts.as_slice(), great.len()), (expect, bad));
        };
        let max = loci_model::limits::SESSION_EVENTS_PER_CALL_MAX;
        let many = |count: usize| (0..count).map(|_| event(1, 9)).collect::<Vec<_>>();
        check(many(max), usize::MAX, usize::MAX, &[max], 0);
        check(many(2 * max + 1), usize::MAX, usize::MAX, &[max, max, 1], 0);
        check(many(4), 2 * size(9), usize::MAX, &[2, 2], 0);
        check(many(4), 2 * size(9) - 1, usize::MAX, &[1, 1, 1, 1], 0);
        check(vec![event(1, 9), event(2, 10), event(3, 9)], size(9), size(9), &[1, 1], 1);
        check(vec![event(1, 99)], size(9), size(99), &[1], 0);
        check(Vec::new(), 1, 1, &[], 0);
    }
}
