//! Tests of `agentcore-events` on events written for them.

use super::super::transcript_text::check;
use crate::transcript::TranscriptFormat::AgentcoreEvents;

#[test]
fn requests_and_events_are_read_alike() {
    check(
        AgentcoreEvents,
        r#"{"actorId":"mara","sessionId":"s1","eventTimestamp":1767323045.678901,"payload":[{"conversational":{"content":{"text":"Hello"},"role":"USER"}},{"conversational":{"content":{"text":" Hi "},"role":"ASSISTANT"}},{"blob":{"state":[1]}},{"json":{"content":{"n":1.50}}}],"clientToken":"t","metadata":{"k":{"stringValue":"v"}}}

{"event":{"memoryId":"m-0123456789","actorId":"mara","sessionId":"s1","eventId":"0000001767323045678#0000000a","eventTimestamp":"2026-01-02T10:00:00Z","branch":{"name":"main"},"payload":[{"conversational":{"content":{"text":"42"},"role":"TOOL"}}]}}
{"actorId":"mara","payload":[{"conversational":{"content":{"text":"no session, no time"},"role":"OTHER"}}]}
{"actorId":"mara","sessionId":"s2","payload":[]}"#,
        r#"1.0 mara/s1 @1767323045678 USER "Hello" {"metadata":{"k":{"stringValue":"v"}},"clientToken":"t"}
1.1 mara/s1 @1767323045678 ASSISTANT " Hi " {"metadata":{"k":{"stringValue":"v"}},"clientToken":"t"}
1.2 mara/s1 @1767323045678 OTHER blob {"state":[1]} {"metadata":{"k":{"stringValue":"v"}},"clientToken":"t"}
1.3 mara/s1 @1767323045678 OTHER json {"n":1.50} {"metadata":{"k":{"stringValue":"v"}},"clientToken":"t"}
3.0 mara/s1 @1767348000000 TOOL "42" {"branch":{"name":"main"},"eventId":"0000001767323045678#0000000a"}
4.0 mara/transcript OTHER "no session, no time"
skipped 1 empty (first at line 5)"#,
    );
}

#[test]
fn a_bad_event_is_an_error_and_the_next_is_read() {
    check(
        AgentcoreEvents,
        r#"{"events":[]}
{"sessionId":"s","payload":[]}
{"actorId":7,"payload":[]}
{"actorId":"a","sessionId":"s/1","payload":[]}
{"actorId":"a","eventTimestamp":"soon","payload":[]}
{"actorId":"a"}
{"actorId":"a","payload":[{"conversational":{"content":{"text":"x"},"role":"user"}}]}
{"actorId":"a","payload":[{"conversational":{"content":{},"role":"USER"}}]}
{"actorId":"a","payload":[{"blob":1,"json":{"content":1}}]}
{"actorId":"a","payload":[{"json":{}}]}
{"actorId":"a","payload":["x"]}
not json
{"actorId":"a","payload":[{"blob":null}]}"#,
        r#"1 error: each line is one event; this is an answer of ListEvents
2 error: `actorId` is required
3 error: `actorId` is a string
4 error: a session id is 1 to 100 letters, digits, `-` and `_`, and begins with a letter or a digit
5 error: `eventTimestamp` is a time
6 error: `payload` is an array
7 error: `role` is one of USER, ASSISTANT, TOOL, OTHER
8 error: `text` is required
9 error: each item of `payload` is an object with exactly one of `conversational`, `json` and `blob`
10 error: `json.content` is required
11 error: each item of `payload` is an object with exactly one of `conversational`, `json` and `blob`
12 error: this is not JSON (at column 2)
13.0 a/transcript OTHER blob null
skipped nothing"#,
    );
}
