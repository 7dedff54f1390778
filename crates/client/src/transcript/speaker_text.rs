//! `speaker-text`: plain text that people can write or produce with `sed`.
//!
//! ```text
//! # session kitchen-talk 2026-01-02T10:00:00Z
//! # speakers: Anna, Ben
//! Anna: The first line of a turn names the speaker.
//! All further lines are the same turn, blank lines inside it included.
//! [2026-01-02T10:03:00Z] Ben: A time in brackets is optional.
//! ```
//!
//! A line begins a turn if it is not indented and a role word (`user`, `assistant`, …) or a name of
//! one to three capitalised words precedes its first `: `. After a `# speakers:` line only the
//! listed names count. Labels such as `Note:` never are names. It does NOT read chat exports with
//! other layouts.

use serde_json::Map;

use super::error::TranscriptError;
use super::json_members::session;
use super::lines::{Input, InputLine, Lines, UNIT_BYTES_MAX};
use super::reader::{LineParser, LineSource, Source, SourceOutput, TranscriptOptions};
use super::skip_report::SkipReason;
use super::time;
use super::turn::{Role, TranscriptTurn, TurnContent};

/// Words before a colon that are no names, in any letter case.
const LABELS: [&str; 12] = [
    "note", "warning", "error", "todo", "summary", "question", "answer", "http", "https", "ps", "edit",
    "update",
];
const NAME_CHARS_MAX: usize = 40;
const NAME_WORDS_MAX: usize = 3;

pub(super) fn recognises(first: &str) -> bool {
    let mut speakers = Vec::new();
    for line in first.lines().filter(|line| !line.trim().is_empty()) {
        match header(line) {
            Some(Header::Session(_)) => return true,
            Some(Header::Speakers(names)) => speakers = listed(names),
            // Before the first turn this is a comment.
            None if line.starts_with('#') => {}
            None => return begin_of_turn(line, &speakers).is_some(),
        }
    }
    false
}

/// Returns the names of a `# speakers:` line.
fn listed(names: &str) -> Vec<String> {
    names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

pub(super) fn open<'a>(input: Input<'a>, options: &TranscriptOptions) -> Box<dyn Source + Send + 'a> {
    let parser = SpeakerText {
        session: Some(options.default_session.clone()),
        session_time_ms: None,
        speakers: Vec::new(),
        turn: None,
        refused: false,
    };
    Box::new(LineSource { lines: Lines::new(input), parser })
}

struct SpeakerText {
    /// The current session. `None` after an unreadable header, because the previous session would
    /// be wrong.
    session: Option<String>,
    session_time_ms: Option<i64>,
    /// The names that begin a turn; empty: no restriction.
    speakers: Vec<String>,
    turn: Option<TranscriptTurn>,
    /// True after a bad line. Its continuation belongs to no turn, and the error is reported once,
    /// for the bad line.
    refused: bool,
}

impl LineParser for SpeakerText {
    const IS_JSON: bool = false;

    fn line(&mut self, line: &InputLine, out: &mut SourceOutput) -> Result<(), TranscriptError> {
        if let Some(header) = header(&line.text) {
            self.finish(out);
            return self.header(line.number, &header).inspect_err(|_| self.refused = true);
        }
        if let Some(begin) = begin_of_turn(&line.text, &self.speakers) {
            self.finish(out);
            return self.begin(line.number, &begin).inspect_err(|_| self.refused = true);
        }
        self.continue_turn(line, out)
    }

    fn end(&mut self, out: &mut SourceOutput) {
        self.finish(out);
    }
}

impl SpeakerText {
    fn header(&mut self, line: usize, header: &Header<'_>) -> Result<(), TranscriptError> {
        match header {
            Header::Speakers(names) => {
                self.speakers = listed(names);
                Ok(())
            }
            Header::Session(rest) => {
                self.session = None;
                let mut words = rest.split_whitespace();
                let name = words.next().unwrap_or_default();
                let when = words.next().map(|w| w.trim_start_matches('[').trim_end_matches(']'));
                let time_ms =
                    when.map(|when| time::from_text(when).ok_or_else(|| bad_header(line))).transpose()?;
                if words.next().is_some() {
                    return Err(bad_header(line));
                }
                self.session = Some(session(line, name)?);
                self.session_time_ms = time_ms;
                self.refused = false;
                Ok(())
            }
        }
    }

    fn begin(&mut self, line: usize, begin: &Begin<'_>) -> Result<(), TranscriptError> {
        let time_ms = match begin.when {
            None => self.session_time_ms,
            Some(when) => Some(time::from_text(when).ok_or_else(|| {
                TranscriptError::new(
                    line,
                    "the time in brackets is RFC 3339 or a date",
                    "write [2026-01-02T10:00:00Z] or [2026-01-02], or leave it out",
                )
            })?),
        };
        let session_id = self.session.as_deref().ok_or_else(|| {
            TranscriptError::new(
                line,
                "a turn belongs to a session, and the header of this one could not be read",
                "correct the `# session` line above",
            )
        })?;
        let role = role_word(begin.speaker);
        self.refused = false;
        self.turn = Some(TranscriptTurn {
            session: session(line, session_id)?,
            actor: None,
            source_id: None,
            time_ms,
            role: role.unwrap_or(Role::User),
            speaker: role.is_none().then(|| begin.speaker.to_owned()),
            content: TurnContent::Text(begin.text.trim().to_owned()),
            source_line: line,
            part: 0,
            carried: Map::new(),
        });
        Ok(())
    }

    fn continue_turn(&mut self, line: &InputLine, out: &mut SourceOutput) -> Result<(), TranscriptError> {
        let text = line.text.trim_end();
        if let Some(TranscriptTurn { content: TurnContent::Text(said), source_line, .. }) = &mut self.turn {
            if said.len() + text.len() >= UNIT_BYTES_MAX {
                let begun = *source_line;
                self.turn = None;
                self.refused = true;
                return Err(TranscriptError::new(
                    begun,
                    format!("a turn has at most {UNIT_BYTES_MAX} bytes"),
                    "cut the turn, or name its speakers more often",
                ));
            }
            said.push('\n');
            said.push_str(text);
            return Ok(());
        }
        if text.is_empty() || self.refused {
            return Ok(());
        }
        if text.starts_with('#') {
            out.skip(SkipReason::Comment, line.number);
            return Ok(());
        }
        self.refused = true;
        Err(TranscriptError::new(
            line.number,
            "a turn begins with `speaker: text`",
            "name the speaker of this line and those after it, or begin the line with `#` to make it a comment",
        ))
    }

    fn finish(&mut self, out: &mut SourceOutput) {
        let Some(mut turn) = self.turn.take() else { return };
        if let TurnContent::Text(said) = &mut turn.content {
            *said = said.trim().to_owned();
            if said.is_empty() {
                out.skip(SkipReason::Empty, turn.source_line);
                return;
            }
        }
        out.turn(turn);
    }
}

enum Header<'l> {
    /// A `# session NAME [TIME]` header, without the first two words.
    Session(&'l str),
    /// The list of a `# speakers: A, B` header.
    Speakers(&'l str),
}

fn header(line: &str) -> Option<Header<'_>> {
    let rest = line.strip_prefix('#')?.trim_start();
    if let Some(rest) = rest.strip_prefix("speakers:") {
        return Some(Header::Speakers(rest));
    }
    let rest = rest.strip_prefix("session")?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(Header::Session(rest))
}

fn bad_header(line: usize) -> TranscriptError {
    TranscriptError::new(
        line,
        "a session header is `# session NAME` and at most one time",
        "write `# session kitchen-talk 2026-01-02T10:00:00Z` (RFC 3339 or a date)",
    )
}

/// The first line of a turn.
struct Begin<'l> {
    when: Option<&'l str>,
    speaker: &'l str,
    text: &'l str,
}

fn begin_of_turn<'l>(line: &'l str, speakers: &[String]) -> Option<Begin<'l>> {
    let (when, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']').map(|(when, rest)| (Some(when), rest.trim_start()))?,
        None => (None, line),
    };
    let (speaker, text) = rest.split_once(':')?;
    if !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let speaks = if speakers.is_empty() {
        role_word(speaker).is_some() || is_name(speaker)
    } else {
        speakers.iter().any(|name| name == speaker)
    };
    speaks.then_some(Begin { when, speaker, text })
}

fn role_word(speaker: &str) -> Option<Role> {
    match speaker.to_ascii_lowercase().as_str() {
        "user" | "human" | "me" => Some(Role::User),
        "assistant" | "ai" | "bot" | "agent" => Some(Role::Assistant),
        "tool" | "function" => Some(Role::Tool),
        "system" | "other" => Some(Role::Other),
        _ => None,
    }
}

fn is_name(speaker: &str) -> bool {
    let name_word = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '\'' | '’' | '_'))
    };
    speaker.chars().count() <= NAME_CHARS_MAX
        && !speaker.is_empty()
        && speaker.split(' ').count() <= NAME_WORDS_MAX
        && speaker.split(' ').all(name_word)
        && !LABELS.contains(&speaker.to_lowercase().as_str())
}

#[cfg(test)]
#[path = "speaker_text_tests.rs"]
mod tests;
