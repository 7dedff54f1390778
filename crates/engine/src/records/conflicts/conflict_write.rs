//! Stores conflicts: pairs of records that contradict each other. A pair has one conflict,
//! regardless of the order and of repetitions, and a person's decision on it remains valid.

use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::record::conflict::Conflict;
use loci_model::trees::tree_entry::owner_of;
use loci_model::{ActorId, Namespace, RecordId, Result, Timestamp};
use sha2::{Digest, Sha256};

/// The prefix of the id of every conflict.
const PREFIX: &str = "conflict_";
/// The number of bytes of the records' digest in the id of a conflict.
const DIGEST_BYTES: usize = 12;

/// Stores a conflict of a record with an existing one, if the record is in the namespace of a
/// repository. Returns the id of the conflict.
pub fn note(
    tx: &mut dyn Tx,
    (standing, against): (&RecordId, &Record),
    reason: &str,
    at: Timestamp,
) -> Result<Option<String>> {
    let Some(actor) = repository_of(&against.namespace) else { return Ok(None) };
    note_of(tx, actor, (standing, against), reason, at).map(Some)
}

/// Stores a conflict of two records of a document tree in any namespace. Outside of a
/// repository's namespace the conflict has no repository.
pub fn note_anywhere(
    tx: &mut dyn Tx,
    (standing, against): (&RecordId, &Record),
    reason: &str,
    at: Timestamp,
) -> Result<String> {
    let actor = actor_of(&against.namespace)?;
    note_of(tx, actor, (standing, against), reason, at)
}

/// Returns the actor under which the conflicts of a namespace are stored: the repository of the
/// namespace, or an actor that stands for no repository.
///
/// # Errors
/// The errors of an invalid actor id, which neither has.
pub fn actor_of(namespace: &Namespace) -> Result<ActorId> {
    repository_of(namespace).map_or_else(|| owner_of(None), Ok)
}

fn note_of(
    tx: &mut dyn Tx,
    actor: ActorId,
    (standing, against): (&RecordId, &Record),
    reason: &str,
    at: Timestamp,
) -> Result<String> {
    let id = id_of(standing, &against.id);
    if tx.ledger().noun::<Conflict>(&against.memory, &id)?.is_none() {
        let conflict = Conflict {
            memory: against.memory.clone(),
            actor,
            id: id.clone(),
            standing: standing.clone(),
            against: against.id.clone(),
            reason: reason.to_owned(),
            found_at: at,
            resolution: None,
        };
        tx.ledger_mut().put_noun(&conflict)?;
    }
    Ok(id)
}

/// Returns the id of the conflict of two records, independent of their order.
fn id_of(one: &RecordId, other: &RecordId) -> String {
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    let digest = Sha256::digest(format!("{first}\n{second}"));
    format!("{PREFIX}{}", hex::encode(digest.get(..DIGEST_BYTES).unwrap_or_default()))
}

/// Returns the repository of a namespace with knowledge or rules: `/owner/name/knowledge/` or
/// `/owner/name/review-rules/`, including the subtree.
fn repository_of(namespace: &Namespace) -> Option<ActorId> {
    let normal = namespace.normal();
    let mut parts = normal.trim_matches('/').split('/');
    let (owner, name, area) = (parts.next()?, parts.next()?, parts.next()?);
    let is_known = matches!(area, "knowledge" | "review-rules");
    ActorId::parse(format!("{owner}/{name}")).ok().filter(|_| is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_knowledge_it_is() {
        let check = |namespace: &str, expect: Option<&str>| {
            let found = repository_of(&Namespace::parse(namespace).unwrap());
            assert_eq!(found.as_ref().map(ActorId::as_str), expect, "{namespace}");
        };
        check("/acme/shop/knowledge/", Some("acme/shop"));
        check("/acme/shop/review-rules/style/", Some("acme/shop"));
        check("/acme/shop/episodes/t-1/", None);
        check("/users/alice/", None);
        check("/", None);
    }
}
