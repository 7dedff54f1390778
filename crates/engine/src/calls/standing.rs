//! The surroundings of a call: its memory, its directory on this machine, its labels. The caller
//! comes from the door, never from here.

use std::path::PathBuf;

use loci_model::{CodeReason, Error, Result};

use crate::safety::secrets_in;

/// Longest label of an agent or a session.
const LABEL_CHARS_MAX: usize = 200;

/// The surroundings that a call names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// Id or name of the memory; `None`: the only one of the caller's grants, else the configured one.
    pub memory: Option<String>,
    /// The directory in which the caller works, on this machine: what `HEAD` and `WORKTREE` mean.
    pub directory: Option<PathBuf>,
    /// Label of the agent.
    pub agent: Option<String>,
    /// Label of its session.
    pub session: Option<String>,
    /// The call says that a person asks, not an agent. It counts where the key may act as one.
    pub by_person: bool,
}

impl Standing {
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

/// Checks a label, which is kept in rows and shown: its length, and that no secret is in it.
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

/// Returns the kinds of secrets in texts; sorted, each once.
pub fn kinds_of_secrets(texts: &[&str]) -> Vec<String> {
    let mut kinds: Vec<String> =
        texts.iter().flat_map(|text| secrets_in(text)).map(|kind| kind.as_str().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
