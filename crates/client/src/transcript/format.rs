//! The table of formats, and their detection. It does NOT parse: each format has its own file.

use std::fmt;
use std::str::FromStr;

use loci_json::without_mark;

use super::lines::Input;
use super::reader::{Source, TranscriptOptions};
use super::{agentcore_events, chatgpt_export, claude_code, speaker_text};

/// The number of bytes that nearly always suffices to detect a file's format. A first line may be
/// longer: pass [`detect`] more then, up to [`UNIT_BYTES_MAX`](super::UNIT_BYTES_MAX).
pub const DETECT_BYTES: usize = 64 * 1024;

/// The formats. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TranscriptFormat {
    /// Session files of Claude Code.
    ClaudeCodeJsonl,
    /// `conversations.json` of a ChatGPT data export.
    ChatgptExport,
    /// Plain text, `speaker: text`.
    SpeakerText,
    /// JSON lines of AgentCore `CreateEvent` bodies or `Event` objects.
    AgentcoreEvents,
}

/// The description of a format for the command line and the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// The format.
    pub format: TranscriptFormat,
    /// The name on the command line.
    pub name: &'static str,
    /// The description in help texts, in one line.
    pub about: &'static str,
}

pub(super) struct FormatEntry {
    info: FormatInfo,
    recognises: fn(&str) -> bool,
    pub(super) open: for<'a> fn(Input<'a>, &TranscriptOptions) -> Box<dyn Source + Send + 'a>,
}

/// The formats in the order of detection: the most specific first.
static FORMATS: [FormatEntry; 4] = [
    FormatEntry {
        info: FormatInfo {
            format: TranscriptFormat::ChatgptExport,
            name: "chatgpt-export",
            about: "conversations.json of a ChatGPT data export",
        },
        recognises: chatgpt_export::recognises,
        open: chatgpt_export::open,
    },
    FormatEntry {
        info: FormatInfo {
            format: TranscriptFormat::ClaudeCodeJsonl,
            name: "claude-code-jsonl",
            about: "a session file of Claude Code (JSON lines)",
        },
        recognises: claude_code::recognises,
        open: claude_code::open,
    },
    FormatEntry {
        info: FormatInfo {
            format: TranscriptFormat::AgentcoreEvents,
            name: "agentcore-events",
            about: "JSON lines of AgentCore CreateEvent bodies or Event objects",
        },
        recognises: agentcore_events::recognises,
        open: agentcore_events::open,
    },
    FormatEntry {
        info: FormatInfo {
            format: TranscriptFormat::SpeakerText,
            name: "speaker-text",
            about: "plain text, `speaker: text`, with optional session headers",
        },
        recognises: speaker_text::recognises,
        open: speaker_text::open,
    },
];

impl TranscriptFormat {
    /// Returns every format, for help texts.
    pub fn all() -> impl Iterator<Item = FormatInfo> {
        FORMATS.iter().map(|row| row.info)
    }

    /// Returns the name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().info.name
    }

    pub(super) fn row(self) -> &'static FormatEntry {
        let [chatgpt, claude_code, agentcore, speaker] = &FORMATS;
        match self {
            Self::ChatgptExport => chatgpt,
            Self::ClaudeCodeJsonl => claude_code,
            Self::AgentcoreEvents => agentcore,
            Self::SpeakerText => speaker,
        }
    }
}

impl fmt::Display for TranscriptFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of an unknown format name. Its message lists the known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no such transcript format; the formats are chatgpt-export, claude-code-jsonl, agentcore-events, speaker-text"
)]
pub struct UnknownFormat;

impl FromStr for TranscriptFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::all().find(|info| info.name == name).map(|info| info.format).ok_or(UnknownFormat)
    }
}

/// Detects the format of a file by its first bytes, [`DETECT_BYTES`] initially; `None` if they do
/// not suffice.
#[must_use]
pub fn detect(first: &[u8]) -> Option<TranscriptFormat> {
    let text = String::from_utf8_lossy(first);
    let text = without_mark(&text);
    FORMATS.iter().find(|row| (row.recognises)(text)).map(|row| row.info.format)
}

/// Returns the first lines of a file that are complete JSON objects. A truncated last line is
/// omitted.
pub(super) fn leading_objects(first: &str) -> impl Iterator<Item = super::json_members::Object> + '_ {
    first.lines().filter_map(|line| loci_json::from_str(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways_and_the_error_lists_them_all() {
        for info in TranscriptFormat::all() {
            assert_eq!(info.name.parse::<TranscriptFormat>(), Ok(info.format));
            assert_eq!(info.format.name(), info.name);
            assert!(UnknownFormat.to_string().contains(info.name), "{}", info.name);
        }
        assert_eq!("chatgpt".parse::<TranscriptFormat>(), Err(UnknownFormat));
    }

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        use TranscriptFormat::{AgentcoreEvents, ChatgptExport, ClaudeCodeJsonl, SpeakerText};
        for (first, expect) in [
            (
                r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"hi"}}"#,
                Some(ClaudeCodeJsonl),
            ),
            ("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n", Some(ClaudeCodeJsonl)),
            (r#"{"type":"user","sessionId":"s","message":{"content":"cut o"#, Some(ClaudeCodeJsonl)),
            (r#"[{"title":"t","mapping":{"a":{}}}]"#, Some(ChatgptExport)),
            ("\u{feff} [\n {\n \"title\": \"t\",\n \"mapping\": {", Some(ChatgptExport)),
            (r#"{"actorId":"a","eventTimestamp":1,"payload":[]}"#, Some(AgentcoreEvents)),
            (r#"{"event":{"actorId":"a","payload":[]}}"#, Some(AgentcoreEvents)),
            (r#"{"actorId":"a","payload":[{"blob":"cut o"#, Some(AgentcoreEvents)),
            (r#"{"actorId":"a","payload":[{"blob":{"mapping":1}}]}"#, Some(AgentcoreEvents)),
            ("# session monday 2026-01-02\n", Some(SpeakerText)),
            ("\n\nUser: hello\nAssistant: hi\n", Some(SpeakerText)),
            ("[2026-01-02T10:00:00Z] Anna Berg: hello\n", Some(SpeakerText)),
            ("\u{feff}# notes of a call\n\n# and more\nUser: hello\n", Some(SpeakerText)),
            ("# notes\n# speakers: anna, ben\nanna: hello\n", Some(SpeakerText)),
            ("# speakers: anna, ben\nUser: hello\n", None),
            ("# notes\nSome prose.\nUser: hello\n", None),
            ("# Title\n\nNote: no speaker\n", None),
            ("# notes alone\n", None),
            ("\u{feff}\n\n{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{}}\n", Some(ClaudeCodeJsonl)),
            ("\n{\"actorId\":\"a\",\"eventTimestamp\":1,\"payload\":[]}\n", Some(AgentcoreEvents)),
            ("Some prose that is not a conversation.\n", None),
            ("{\"id\":\"1\",\"content\":\"x\"}\n", None),
            ("[]", None),
            ("https://example.org/a: b\n", None),
            ("", None),
        ] {
            assert_eq!(detect(first.as_bytes()), expect, "{first}");
        }
        let pasted = "x".repeat(2 * DETECT_BYTES);
        let line = format!(r#"{{"type":"user","message":{{"content":"{pasted}"}},"sessionId":"s"}}"#);
        assert_eq!(detect(&line.as_bytes()[..DETECT_BYTES]), None);
        assert_eq!(detect(line.as_bytes()), Some(ClaudeCodeJsonl));
        let mut long = b"User: ".to_vec();
        long.resize(3 * DETECT_BYTES, 0xc3);
        assert_eq!(detect(&long), Some(SpeakerText));
    }
}
