//! Access keys: create, list, rotate, revoke. Secrets are only in the responses that create them.

use loci_api::Nothing;
use loci_api::key as shape;
use loci_api::table as api;
use loci_engine::access::keys::IssuedKey;
use loci_model::principal::key::AccessKey;
use loci_model::principal::{Grant, Principal};
use loci_model::{AccessKeyId, ActorId, Error, Namespace, Result, SessionId, StrategyId};

use super::protocol::call::Call;
use super::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::KEY_CREATE, key_create)
        .plain(api::KEY_LIST, key_list)
        .plain(api::KEY_ROTATE, key_rotate)
        .plain(api::KEY_REVOKE, key_revoke)
}

async fn key_create(call: Call, asked: shape::KeyCreate) -> Result<shape::KeyIssued> {
    let grants = match asked.grants {
        None => vec![Grant::everything()],
        Some(grants) if grants.is_empty() => {
            return Err(Error::invalid(
                "grants",
                "a key needs a grant; leave grants out for one that allows everything",
            ));
        }
        Some(asked) => {
            let mut grants = Vec::with_capacity(asked.len());
            for asked in asked {
                grants.push(grant(&call, asked).await?);
            }
            grants
        }
    };
    let principal = Principal { name: asked.name, grants };
    let issued = call.doors.engine.key_create(&call.caller, principal).await?;
    call.doors.gate.keys_changed();
    Ok(issued_shown(&issued))
}

async fn key_list(call: Call) -> Result<shape::KeyList> {
    let keys = call.doors.engine.key_list(&call.caller).await?;
    Ok(shape::KeyList { keys: keys.iter().map(shown).collect() })
}

fn key_id(call: &Call) -> Result<AccessKeyId> {
    AccessKeyId::parse(call.path("key")?).map_err(|error| error.on("key"))
}

async fn key_rotate(call: Call) -> Result<shape::KeyIssued> {
    Ok(issued_shown(&call.doors.engine.key_rotate(&call.caller, &key_id(&call)?).await?))
}

async fn key_revoke(call: Call) -> Result<Nothing> {
    call.doors.engine.key_revoke(&call.caller, &key_id(&call)?).await?;
    Ok(Nothing {})
}

/// Parses a grant. A memory named by its name is granted by its id, so that a later memory of that
/// name is not included.
async fn grant(call: &Call, asked: shape::Grant) -> Result<Grant> {
    if asked.capabilities.is_empty() {
        return Err(Error::invalid("capabilities", "a grant needs at least one of read, write, admin"));
    }
    let memory = match asked.memory {
        Some(named) => Some(call.doors.engine.memory_id(&call.caller, &named).await?),
        None => None,
    };
    Ok(Grant {
        memory,
        actor: asked.actor.map(ActorId::parse).transpose().map_err(|error| error.on("actor"))?,
        session: asked.session.map(SessionId::parse).transpose().map_err(|error| error.on("session"))?,
        namespace: asked.namespace.map(Namespace::parse).transpose()?,
        strategy: asked.strategy.map(StrategyId::parse).transpose().map_err(|error| error.on("strategy"))?,
        metadata: asked.metadata,
        max_age_days: asked.max_age_days,
        capabilities: asked.capabilities.into_iter().collect(),
    })
}

pub(super) fn grant_shown(grant: &Grant) -> shape::Grant {
    shape::Grant {
        memory: grant.memory.as_ref().map(ToString::to_string),
        actor: grant.actor.as_ref().map(ToString::to_string),
        session: grant.session.as_ref().map(ToString::to_string),
        namespace: grant.namespace.as_ref().map(ToString::to_string),
        strategy: grant.strategy.as_ref().map(ToString::to_string),
        metadata: grant.metadata.clone(),
        max_age_days: grant.max_age_days,
        capabilities: grant.capabilities.iter().copied().collect(),
    }
}

fn issued_shown(issued: &IssuedKey) -> shape::KeyIssued {
    shape::KeyIssued {
        access_key_id: issued.id.to_string(),
        secret_access_key: issued.secret.expose().to_owned(),
        token: issued.token.expose().to_owned(),
        name: issued.principal.name.clone(),
        grants: issued.principal.grants.iter().map(grant_shown).collect(),
    }
}

fn shown(key: &AccessKey) -> shape::Key {
    shape::Key {
        access_key_id: key.id.to_string(),
        name: key.principal.name.clone(),
        grants: key.principal.grants.iter().map(grant_shown).collect(),
        created_at: key.created_at.to_rfc3339(),
        rotated_at: key.rotated_at.map(loci_model::Timestamp::to_rfc3339),
        revoked_at: key.revoked_at.map(loci_model::Timestamp::to_rfc3339),
    }
}
