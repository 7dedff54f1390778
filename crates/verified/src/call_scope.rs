//! Where a caller of verified memory stands: which memory, which directory of this machine, under which labels. Who the
//! caller is comes from the door, never from here.

use std::path::PathBuf;

use loci_engine::access;
use loci_engine::memories;
use loci_engine::memories::NewMemory;
use loci_model::principal::Principal;
use loci_model::{CodeReason, Error, MemoryId, Reason, Result};

use super::new_facts::kinds_of_secrets;
use crate::Verified;

/// Longest label of an agent or a session.
const LABEL_CHARS_MAX: usize = 200;
/// The tag by which a new memory takes its profile.
const PROFILE_TAG: &str = "loci:profile";

/// What a call says of its surroundings.
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
    pub(super) fn check(&self) -> Result<()> {
        for (field, label) in [("agent_id", &self.agent), ("session_id", &self.session)] {
            label.as_deref().map_or(Ok(()), |label| check_label(field, label))?;
        }
        Ok(())
    }
}

/// Checks a label, which stands in rows beside facts: its length, and that no secret is in it.
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

impl Verified {
    /// The memory in which a call of verified memory takes place. Where none is named, and no grant names one, the configured
    /// one is made by the first caller who may make memories.
    ///
    /// # Errors
    /// `NotFound` for a memory that is not there, or that the caller may not know of.
    pub async fn code_memory(&self, caller: &Principal, standing: &Standing) -> Result<MemoryId> {
        standing.check()?;
        let named = standing.memory.clone().or_else(|| Some(memories::only_granted(caller)?.to_string()));
        let wanted = named.clone().unwrap_or_else(|| self.parts.settings.memory.clone());
        if let Some(memory) = self.engine.memory_known(caller, &wanted).await? {
            return Ok(memory);
        }
        let remedy = "create it with the profile coding, or name another by X-Loci-Memory or --memory";
        let missing =
            || Error::not_found(format!("there is no memory {wanted} for code: {remedy}")).on("memory");
        if named.is_some() || access::require_server_admin(caller).is_err() {
            return Err(missing());
        }
        let profile = self.engine.profile_get("coding")?.clone();
        let new = NewMemory {
            name: wanted.clone(),
            event_expiry_days: profile.event_expiry_days.unwrap_or(EVENT_EXPIRY_DAYS),
            tags: [(PROFILE_TAG.to_owned(), "coding".to_owned())].into(),
            ..NewMemory::default()
        };
        match self.engine.memory_create(caller, new, None).await {
            Ok(memory) => {
                self.engine.profile_apply(caller, &memory.id, &profile, false).await?;
                Ok(memory.id)
            }
            // Another process was first.
            Err(error) if error.reason == Some(Reason::ResourceConflict) => {
                self.engine.memory_known(caller, &wanted).await?.ok_or_else(missing)
            }
            Err(error) => Err(error),
        }
    }
}

/// Events of a memory that is made on the way stay this long where its profile does not say.
const EVENT_EXPIRY_DAYS: u32 = 365;
