//! The reason that a caller gives for a change: its length limit, and its stored form without
//! secrets.

use loci_model::{Error, Result, limits};

use crate::safety::kept;

/// Returns the form in which a reason is stored; the caller must have given one.
///
/// # Errors
/// `Invalid` if the reason is empty or too long.
pub fn required(reason: &str) -> Result<String> {
    if (1..=limits::REASON_CHARS_MAX).contains(&reason.chars().count()) {
        return Ok(kept(reason.to_owned()));
    }
    Err(Error::invalid("reason", "reason must have 1 to 500 characters: it is kept with each record"))
}

/// Returns the form in which an optional reason is stored.
///
/// # Errors
/// `Invalid` if the reason is too long.
pub fn optional(reason: Option<String>) -> Result<Option<String>> {
    check(reason.as_deref())?;
    Ok(reason.map(kept))
}

/// Checks the length of an optional reason.
///
/// # Errors
/// `Invalid` if the reason is too long.
pub fn check(reason: Option<&str>) -> Result<()> {
    if reason.is_some_and(|reason| reason.chars().count() > limits::REASON_CHARS_MAX) {
        return Err(Error::invalid("reason", "reason must have at most 500 characters"));
    }
    Ok(())
}
