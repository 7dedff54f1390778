//! The verb `preferences_list`: the preferences of a person, for that person or an administrator.

use loci_api::coding::preference::{Preference, User};
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordState};
use loci_model::tasks::preference::PreferenceDimension;
use loci_model::{MemoryId, NamespaceFilter, NamespaceMatch, Result, Timestamp};

use super::owner::{self, PreferenceOwner, login_of};
use crate::Coding;

/// The preferences of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct PreferencesListed {
    /// The person.
    pub user: User,
    /// The preferences in force, the newest first.
    pub preferences: Vec<Record>,
}

/// Returns the data of a person as shown to that person.
pub(super) fn shown(whose: &PreferenceOwner) -> User {
    let former = whose.known.iter().flat_map(|known| &known.former_logins);
    User {
        login: whose.login(),
        user_id: whose.user_id().map(str::to_owned),
        former_logins: former.map(|login| owner::spelled(login)).collect(),
        implicit_inference: !whose.opted_out(),
    }
}

impl Coding {
    /// Returns the preferences of a person that are in force.
    ///
    /// # Errors
    /// `Invalid` for an invalid user name; `Denied` if the caller is neither that person nor an
    /// administrator.
    pub async fn preferences_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        user: &str,
    ) -> Result<PreferencesListed> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, user, now) = (caller.clone(), user.to_owned(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let (_, whose) = person(tx, &caller, &memory, &user, Capability::Read)?;
                let preferences = in_force(tx, &memory, &whose, now)?;
                Ok(PreferencesListed { user: shown(&whose), preferences })
            })
            .await
    }
}

/// Returns a preference as the native API shows it. A record that a client wrote has neither
/// dimension nor origin: it counts as stated, without a known dimension.
pub fn preference_shown(record: Record) -> Preference {
    let text = |key: &str| match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text.clone()),
        Some(_) | None => None,
    };
    let evidence_prs = match record.metadata.get("evidence_prs") {
        Some(MetadataValue::Number(number)) => number.to_string().parse().ok(),
        Some(_) | None => None,
    };
    Preference {
        preference_id: record.id.to_string(),
        dimension: text("dimension").unwrap_or_else(|| PreferenceDimension::Other.as_str().to_owned()),
        origin: text("origin").unwrap_or_else(|| "explicit".to_owned()),
        repo: text("repo"),
        task_id: text("task_id"),
        evidence_prs,
        state: record.state.as_str().to_owned(),
        observed_at: record.timestamp.to_rfc3339(),
        expires_at: record.expires_at.map(|at| at.to_rfc3339()),
        text: record.text,
    }
}

/// Returns the preferences in force.
pub(super) fn in_force(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    whose: &PreferenceOwner,
    now: Timestamp,
) -> Result<Vec<Record>> {
    owner::preferences_at(tx, memory, &whose.place, &[RecordState::Active], now)
}

/// Returns the named person, for that person or an administrator. The access check precedes the
/// lookup. Only an administrator finds a person by a former login, so that its next owner cannot
/// learn about the person.
pub(super) fn person(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    user: &str,
    capability: Capability,
) -> Result<(Memory, PreferenceOwner)> {
    let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
    if !is_admin {
        let login = login_of(user).ok_or_else(owner::no_user)?;
        let place = PreferenceOwner { place: login.clone(), known: None };
        let place = NamespaceFilter::new(&place.namespace()?, NamespaceMatch::Subtree);
        access::require_person(caller, memory, &login, &place, capability)?;
    }
    let known = existing(tx, memory)?;
    Ok((known, owner::named(tx, memory, user, is_admin)?))
}
