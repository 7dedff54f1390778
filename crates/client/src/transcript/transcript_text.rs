//! The text form of a read transcript, for the tests of all formats.

use super::{TranscriptFormat, TranscriptOptions, TurnContent, read};

/// Reads `input` and compares the result with one line for each turn (`line.part session @time
/// ROLE(speaker) content carried`) or error, and a last line for the skip report.
pub(super) fn check(format: TranscriptFormat, input: &str, expect: &str) {
    let mut reader = read(format, Box::new(input.as_bytes()), &TranscriptOptions::default());
    let mut got = Vec::new();
    for item in reader.by_ref() {
        got.push(match item {
            Err(e) => {
                let within = e.within.map_or(String::new(), |place| format!(" {place}:"));
                format!("{} error:{within} {}", e.line, e.rule)
            }
            Ok(turn) => {
                let actor = turn.actor.map_or(String::new(), |a| format!("{a}/"));
                let time = turn.time_ms.map_or(String::new(), |ms| format!(" @{ms}"));
                let speaker = turn.speaker.map_or(String::new(), |s| format!("({s})"));
                let content = match turn.content {
                    TurnContent::Text(text) => format!("{text:?}"),
                    TurnContent::Json(json) => format!("json {json}"),
                    TurnContent::Blob(blob) => format!("blob {blob}"),
                };
                let carried = if turn.carried.is_empty() {
                    String::new()
                } else {
                    format!(" {}", serde_json::Value::Object(turn.carried))
                };
                let (line, part, role) = (turn.source_line, turn.part, turn.role.as_wire());
                format!("{line}.{part} {actor}{}{time} {role}{speaker} {content}{carried}", turn.session)
            }
        });
    }
    got.push(format!("skipped {}", reader.skipped()));
    if reader.repaired() > 0 {
        got.push(format!("repaired {}", reader.repaired()));
    }
    assert!(reader.next().is_none(), "an ended reader stays ended");
    assert_eq!(got.join("\n"), expect);
}
