//! The sample conversation, that of the demo, as a transcript with sessions, times and speakers.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::commands::demo::script;

/// The name of the file with the sample conversation.
pub(super) const FILE: &str = "conversation.txt";

/// Writes the transcript and returns the number of its turns.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write(file: &Path) -> Result<usize> {
    let turns = script::turns()?;
    let (mut text, mut session) = (String::new(), None);
    for turn in &turns {
        if session != Some(&turn.session) {
            session = Some(&turn.session);
            let _ = writeln!(text, "\n# session {} {}", turn.session, turn.time); // a string takes all
        }
        let _ = writeln!(text, "{}: {}", turn.speaker(), turn.text); // as above
    }
    std::fs::write(file, text.trim_start()).with_context(|| format!("writing {}", file.display()))?;
    Ok(turns.len())
}
