//! The iterator over every format. It does NOT know any format: a [`Source`] fills it unit by unit.

use std::collections::VecDeque;
use std::io::BufRead;

use super::error::TranscriptError;
use super::format::TranscriptFormat;
use super::lines::{InputLine, Lines};
use super::skip_report::{SkipReason, SkipReport};
use super::turn::TranscriptTurn;

/// The valid range of event times: from 1970 to the end of the year 9999.
const TIMES_MS: std::ops::RangeInclusive<i64> = 0..=253_402_300_799_999;

/// Values for members that the file may lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptOptions {
    /// The session of turns that name none (`speaker-text` without a header, `agentcore-events`
    /// without `sessionId`). Use a different one for each file, for example derived from its name.
    pub default_session: String,
}

impl Default for TranscriptOptions {
    fn default() -> Self {
        Self { default_session: "transcript".to_owned() }
    }
}

/// Turns and errors of one transcript, in the order of the file.
pub struct TranscriptReader<'a> {
    format: TranscriptFormat,
    source: Box<dyn Source + Send + 'a>,
    out: SourceOutput,
    ended: bool,
}

/// Reads `input` as `format`. Reading is lazy, and at most one line (one conversation of a
/// `chatgpt-export`) is in memory.
#[must_use]
pub fn read<'a>(
    format: TranscriptFormat,
    input: Box<dyn BufRead + Send + 'a>,
    options: &TranscriptOptions,
) -> TranscriptReader<'a> {
    let source = (format.row().open)(input, options);
    TranscriptReader { format, source, out: SourceOutput::default(), ended: false }
}

impl TranscriptReader<'_> {
    /// Returns the counts of skipped contents so far. They are complete once the iterator has
    /// ended.
    #[must_use]
    pub fn skipped(&self) -> &SkipReport {
        &self.out.skipped
    }

    /// Returns the number of lone surrogates that became U+FFFD so far.
    #[must_use]
    pub fn repaired(&self) -> usize {
        self.out.repaired
    }

    /// Returns the format that it reads.
    #[must_use]
    pub fn format(&self) -> TranscriptFormat {
        self.format
    }
}

impl Iterator for TranscriptReader<'_> {
    type Item = Result<TranscriptTurn, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.out.items.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            self.ended = !self.source.pull(&mut self.out);
        }
    }
}

/// The output of a source.
#[derive(Default)]
pub(super) struct SourceOutput {
    items: VecDeque<Result<TranscriptTurn, TranscriptError>>,
    skipped: SkipReport,
    repaired: usize,
}

impl SourceOutput {
    /// Counts lone surrogates that became U+FFFD when bytes were read.
    pub(super) fn note_replaced(&mut self, replaced: usize) {
        self.repaired += replaced;
    }

    /// Returns JSON text with U+FFFD for lone surrogates, and counts them.
    pub(super) fn repaired(&mut self, json: String) -> String {
        let Some(repaired) = loci_json::repair(json.as_bytes()) else { return json };
        self.repaired += repaired.replaced;
        String::from_utf8(repaired.text).unwrap_or(json)
    }

    /// Adds a turn, without its time if that is outside the valid range.
    pub(super) fn turn(&mut self, mut turn: TranscriptTurn) {
        if turn.time_ms.is_some_and(|time_ms| !TIMES_MS.contains(&time_ms)) {
            turn.time_ms = None;
            self.skip(SkipReason::UnreadableTime, turn.source_line);
        }
        self.items.push_back(Ok(turn));
    }

    pub(super) fn error(&mut self, error: TranscriptError) {
        self.items.push_back(Err(error));
    }

    pub(super) fn skip(&mut self, reason: SkipReason, line: usize) {
        self.skipped.add(reason, line);
    }
}

/// A format being read.
pub(super) trait Source {
    /// Reads one more unit (line, conversation) into `out`; false at the end.
    fn pull(&mut self, out: &mut SourceOutput) -> bool;
}

/// A format of lines.
pub(super) trait LineParser {
    /// True if each line is JSON.
    const IS_JSON: bool;

    fn line(&mut self, line: &InputLine, out: &mut SourceOutput) -> Result<(), TranscriptError>;

    /// Ends the format after the last line.
    fn end(&mut self, _out: &mut SourceOutput) {}
}

/// A source that passes lines to a [`LineParser`].
pub(super) struct LineSource<'a, P> {
    pub(super) lines: Lines<'a>,
    pub(super) parser: P,
}

impl<P: LineParser> Source for LineSource<'_, P> {
    fn pull(&mut self, out: &mut SourceOutput) -> bool {
        let Some(line) = self.lines.next() else {
            self.parser.end(out);
            return false;
        };
        let read = line.and_then(|line| {
            out.note_replaced(line.replaced);
            let text = if P::IS_JSON { out.repaired(line.text) } else { line.text };
            self.parser.line(&InputLine { text, ..line }, out)
        });
        if let Err(error) = read {
            out.error(error);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [&str; 4] = [
        "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"grüße\"}}\n{\"type\":\"system\"}\n",
        "[{\"id\":\"c\",\"mapping\":{\"a\":{\"message\":{\"author\":{\"role\":\"user\"},\"content\":{\"content_type\":\"text\",\"parts\":[\"a\\\"]\"]}}}}}]",
        "{\"actorId\":\"a\",\"payload\":[{\"blob\":{\"n\":1}}]}\n\n{\"actorId\":\"a\",\"payload\":[]}\n",
        "# session s 2026-01-02\nUser: grüße\n  more\n[2026-01-02] Zoë: ok\n# session\nUser: x\n",
    ];

    #[test]
    fn a_time_that_no_event_can_have_costs_the_turn_its_time_alone() {
        let text = "# session old 1965-01-02\nUser: then\n[2026-01-02] Zoë: now\n";
        let format = TranscriptFormat::all().find(|info| info.name == "speaker-text").unwrap().format;
        let mut reader = read(format, Box::new(text.as_bytes()), &TranscriptOptions::default());
        let times: Vec<bool> = reader.by_ref().map(|turn| turn.unwrap().time_ms.is_some()).collect();
        assert_eq!(times, [false, true]);
        let skipped: Vec<_> =
            reader.skipped().iter().map(|(reason, count)| (reason.as_str(), count.count)).collect();
        assert_eq!(skipped, [("unreadable_time", 1)]);
    }

    #[test]
    fn turns_have_the_ids_of_their_sources() {
        use TranscriptFormat::{AgentcoreEvents, ChatgptExport, ClaudeCodeJsonl, SpeakerText};
        let check = |format: TranscriptFormat, input: &'static str, expect: &[Option<&str>]| {
            let turns = read(format, Box::new(input.as_bytes()), &TranscriptOptions::default());
            let ids: Vec<Option<String>> = turns.map(|turn| turn.unwrap().source_id).collect();
            let ids: Vec<Option<&str>> = ids.iter().map(Option::as_deref).collect();
            assert_eq!(ids, expect, "{input}");
        };
        check(
            ClaudeCodeJsonl,
            r#"{"type":"user","sessionId":"s","uuid":"u1","message":{"content":[{"type":"text","text":"yes"},{"type":"text","text":"yes"}]}}
{"type":"user","sessionId":"t","uuid":"u2","message":{"content":"no"}}
{"type":"user","sessionId":"t","uuid":"","message":{"content":"no"}}
{"type":"user","sessionId":"t","uuid":2,"message":{"content":"no"}}
{"type":"attachment","sessionId":"t","uuid":"u3","attachment":{"type":"queued_command","prompt":"go"}}"#,
            &[Some("u1 0"), Some("u1 1"), Some("u2 0"), None, None, Some("u3 0")],
        );
        check(
            ChatgptExport,
            r#"[{"id":"c","current_node":"b","mapping":{
"a":{"message":{"id":"m","author":{"role":"user"},"content":{"parts":["one"]}}},
"b":{"parent":"a","message":{"author":{"role":"user"},"content":{"parts":["two"]}}}}}]"#,
            &[Some("c m"), Some("c b")],
        );
        check(
            AgentcoreEvents,
            r#"{"actorId":"a","sessionId":"s","eventId":"1#2","clientToken":"t","payload":[{"blob":1},{"blob":1}]}
{"actorId":"a","sessionId":"s","clientToken":"t","payload":[{"blob":1}]}
{"actorId":"a","sessionId":"s","payload":[{"blob":1}]}"#,
            &[Some("s eventId 1#2 0"), Some("s eventId 1#2 1"), Some("s clientToken t 0"), None],
        );
        check(SpeakerText, "User: yes\nUser: yes\n", &[None, None]);
    }

    /// Runs every format on every sample, whole and cut at every byte. Reading ends, and each item
    /// names a line of the input.
    #[test]
    fn any_bytes_end_in_turns_errors_or_skips_of_known_lines() {
        for info in TranscriptFormat::all() {
            for sample in SAMPLES {
                for end in 0..=sample.len() {
                    let bytes = &sample.as_bytes()[..end];
                    let lines = bytes.iter().filter(|b| **b == b'\n').count() + 1;
                    let reader = read(info.format, Box::new(bytes), &TranscriptOptions::default());
                    for item in reader {
                        let line = item.map_or_else(|e| e.line, |turn| turn.source_line);
                        assert!(
                            (1..=lines).contains(&line),
                            "{} line {line} of {lines}: {sample}",
                            info.name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn each_sample_is_detected_and_read_by_its_own_format() {
        use super::super::detect;
        let turns = |sample: &'static str| {
            let format = detect(sample.as_bytes()).unwrap();
            let read = read(format, Box::new(sample.as_bytes()), &TranscriptOptions::default());
            (format.name(), read.filter(Result::is_ok).count())
        };
        assert_eq!(
            SAMPLES.map(turns),
            [("claude-code-jsonl", 1), ("chatgpt-export", 1), ("agentcore-events", 1), ("speaker-text", 2)]
        );
    }
}
