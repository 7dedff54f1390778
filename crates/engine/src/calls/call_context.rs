//! The context of a call: its memory, its directory on this machine, its labels. Authentication
//! determines the caller, never this context.

use std::path::PathBuf;

use loci_model::{CodeReason, Error, Result};

use crate::safety::secrets_in;

/// Maximum length of an agent or session label in characters.
const LABEL_CHARS_MAX: usize = 200;

/// The context that a call specifies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallContext {
    /// Id or name of the memory; `None` means the only one in the caller's grants, or the
    /// configured one.
    pub memory: Option<String>,
    /// The caller's working directory on this machine, to which `HEAD` and `WORKTREE` refer.
    pub directory: Option<PathBuf>,
    /// Label of the agent.
    pub agent: Option<String>,
    /// Label of its session.
    pub session: Option<String>,
    /// True if the call states that a person asks, not an agent. It has an effect only if the key
    /// may act as a person.
    pub by_person: bool,
}

impl CallContext {
    /// Checks the labels.
    ///
    /// # Errors
    /// As [`check_label`].
    pub fn check(&self) -> Result<()> {
        for (field, label) in [("agent_id", &self.agent), ("session_id", &self.session)] {
            label.as_deref().map_or(Ok(()), |label| check_label(field, label))?;
        }
        Ok(())
    }
}

/// Checks a label, which is stored and displayed: its length, and that it contains no secret.
///
/// # Errors
/// `Invalid`, `SECRET_DETECTED`.
pub fn check_label(field: &str, label: &str) -> Result<()> {
    if label.chars().count() > LABEL_CHARS_MAX {
        let rule = format!("{field} must have at most {LABEL_CHARS_MAX} characters");
        return Err(Error::invalid(field, rule));
    }
    let kinds = kinds_of_secrets(&[label]);
    if kinds.is_empty() {
        return Ok(());
    }
    let rule = format!("{field} holds a secret: a label is kept and shown; use a name");
    Err(Error::code(CodeReason::SecretDetected, rule).on(field).listing(kinds))
}

/// Returns the kinds of secrets in texts, sorted and without duplicates.
pub fn kinds_of_secrets(texts: &[&str]) -> Vec<String> {
    let mut kinds: Vec<String> =
        texts.iter().flat_map(|text| secrets_in(text)).map(|kind| kind.as_str().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
