//! Conversations of other programs, read turn by turn: the formats of `loci import --format
//! transcript`.
//!
//! [`read`] turns bytes into [`TranscriptTurn`]s in file order. A line that cannot be read is an
//! `Err` item that names the line, the rule and the remedy, and reading continues after it.
//! Contents that are intentionally no conversation (summaries, thinking, other branches) are
//! counted in [`SkipReport`]. Nothing disappears without one or the other.
//!
//! It does NOT open files, read the clock, make ids, or call a server: the importer processes the
//! turns.
//!
//! To add a format: write one file with a `recognises` and an `open` function next to the four
//! below, add the variant to [`TranscriptFormat`] and its row to `FORMATS` in `format.rs`, and a
//! section to `docs/guides/import.md`.

mod agentcore_events;
mod chatgpt_export;
mod claude_code;
mod claude_marks;
mod claude_queue;
mod error;
mod format;
mod json_elements;
mod json_members;
mod lines;
mod reader;
mod skip_report;
mod speaker_text;
mod time;
#[cfg(test)]
mod transcript_text;
mod turn;

pub use error::TranscriptError;
pub use format::{DETECT_BYTES, FormatInfo, TranscriptFormat, UnknownFormat, detect};
pub use lines::UNIT_BYTES_MAX;
pub use reader::{TranscriptOptions, TranscriptReader, read};
pub use skip_report::{SkipCount, SkipReason, SkipReport};
pub use turn::{Role, TranscriptTurn, TurnContent};
