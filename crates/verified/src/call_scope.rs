//! The memory of a call of verified memory: named, granted or configured, and created if it is
//! missing.

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories;
use loci_engine::memories::NewMemory;
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Reason, Result};

use crate::repositories::unknown;
use crate::{RepositoryName, Verified};

/// The tag that selects the profile of a new memory.
const PROFILE_TAG: &str = "loci:profile";

impl Verified {
    /// Returns the memory of a call. If the caller names none and no grant names one, the
    /// configured memory applies; the first caller who may create memories creates it.
    ///
    /// # Errors
    /// `NotFound` for a memory that does not exist or is not visible to the caller.
    pub async fn code_memory(&self, caller: &Principal, standing: &CallContext) -> Result<MemoryId> {
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
            // Another process created it first.
            Err(error) if error.reason == Some(Reason::ResourceConflict) => {
                self.engine.memory_known(caller, &wanted).await?.ok_or_else(missing)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the memory of a call about a repository. Only a registration creates the memory for
    /// code. Without that memory no repository is known, so the call fails and creates nothing.
    ///
    /// # Errors
    /// `REPO_UNKNOWN` if the caller could create the memory, but it does not exist; `Invalid` for a
    /// malformed name; else those of [`Self::code_memory`].
    pub(crate) async fn memory_of_repository(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<MemoryId> {
        standing.check()?;
        let is_named = standing.memory.is_some() || memories::only_granted(caller).is_some();
        let may_create = !is_named && access::require_server_admin(caller).is_ok();
        if may_create && self.engine.memory_known(caller, &self.parts.settings.memory).await?.is_none() {
            RepositoryName::parse(repo)?;
            return Err(unknown(repo));
        }
        self.code_memory(caller, standing).await
    }
}

/// The retention of events in days, for a memory created here whose profile specifies none.
const EVENT_EXPIRY_DAYS: u32 = 365;
