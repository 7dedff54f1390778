//! The context of a call: its memory, the caller's directory on this machine, and labels of the
//! agent and its session. It never determines the caller: only authentication does.

use std::path::PathBuf;

use loci_model::{CodeReason, Error, Result};

use crate::safety::secrets_in;

/// The maximum length of the label of an agent or a session, in characters.
const LABEL_CHARS_MAX: usize = 200;

/// The context that the caller of an operation specifies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallContext {
    /// The id or name of the memory. `None` means the only memory in the caller's grants, or the
    /// configured default.
    pub memory: Option<String>,
    /// The working directory of the caller on this machine. `HEAD` and `WORKTREE` refer to the
    /// clone in it.
    pub directory: Option<PathBuf>,
    /// A label that names the calling agent.
    pub agent: Option<String>,
    /// A label that names the agent's session.
    pub session: Option<String>,
    /// True if the call states that a person asks, not an agent. The server ignores it unless the
    /// key may act as a person.
    pub by_person: bool,
}

impl CallContext {
    /// Checks the labels of the agent and the session.
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

/// Checks a label, which is stored and displayed: it must not be too long or contain a secret.
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
