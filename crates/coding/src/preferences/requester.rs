//! The proof that a person requested a task. A sender may name anyone in a task, so a task alone
//! opens no preferences: a name is proved if the key that sent the task may read that person's
//! namespace. Every door that shows preferences by a task, the inference from its reviews, and the
//! export of a person check this proof.

use loci_engine::access;
use loci_engine::access::keys::AgentClaim;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::{RequesterProof, Task};
use loci_model::{ActorId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result};

use super::owner::{self, PreferenceOwner};

/// The warning about a task with a requester who is not proved.
pub(crate) const UNPROVED: &str = "USER_NOT_PROVED: no key that may read the preferences of the \
     person whom user and user_id name sent the task, so its agent is shown none of them, and its reviews \
     lead to no conclusions about that person: send the same task again with a key that may read the whole \
     memory, or the namespace /users/<login>/ of that person";

/// The warning about a token that is older than the proof of its task's requester.
pub(crate) const TOKEN_UNPROVED: &str = "TOKEN_NOT_PROVED: the person who asked for the task was \
     proved, or got another login, after the token was given, or an earlier version gave it, so it opens \
     none of that person's preferences: send the same task again with a key that may read them, and use the \
     agent_token of that answer";

/// The namespace of the preferences of the person whom a task names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequesterPlace {
    /// Its path.
    pub(crate) path: String,
    /// True if it is proved that this person requested the task.
    pub(crate) is_proved: bool,
}

/// Returns the namespace of the preferences of the person whom a task names; `None` if it names no
/// one, or if another person has that login now.
pub(crate) fn requester_place(tx: &dyn ReadTx, task: &Task) -> Result<Option<RequesterPlace>> {
    let Some(whose) = owner::of_task(tx, task)? else { return Ok(None) };
    let path = whose.namespace()?.as_str().to_owned();
    Ok(Some(RequesterPlace { path, is_proved: is_proved(task, &whose) }))
}

/// Returns a warning if a task names a person who is not proved to have requested it.
pub(crate) fn unproved(tx: &dyn ReadTx, task: &Task) -> Result<Option<&'static str>> {
    let place = requester_place(tx, task)?;
    Ok(place.is_some_and(|place| !place.is_proved).then_some(UNPROVED))
}

/// Returns the proof of a task's requester by the caller who sends the task.
pub(crate) fn proof(tx: &dyn ReadTx, caller: &Principal, task: &Task) -> Result<RequesterProof> {
    let reads = |place: &ActorId| may(caller, &task.memory, place, Capability::Read);
    let login = match task.user.as_deref().and_then(owner::login_of) {
        Some(login) => reads(&login)?,
        None => false,
    };
    let number = match &task.user_id {
        Some(id) if reads(&owner::place_of_id(id)?)? => true,
        Some(id) => match owner::of_id(tx, &task.memory, id)? {
            Some(known) => reads(&known.place)?,
            None => false,
        },
        None => false,
    };
    Ok(RequesterProof { login, number })
}

/// Adds to a stored task the proof of its requester by a caller who sends it again.
pub(crate) fn prove_again(tx: &mut dyn Tx, caller: &Principal, task: &mut Task) -> Result<()> {
    let before = task.requester_proof.unwrap_or_default();
    let all = before.or(proof(tx, caller, task)?);
    if all == before {
        return Ok(());
    }
    task.requester_proof = Some(all);
    tx.tasks_mut().put(task)
}

/// Returns the claim of a token for the agent of a task: it opens the preferences of the person who
/// is proved by now to have requested the task. `None` if there are such preferences, and the
/// caller neither proves that person nor may read them as the agent.
pub(crate) fn token_claim(tx: &dyn ReadTx, caller: &Principal, task: &Task) -> Result<Option<AgentClaim>> {
    let claim = |preferences| AgentClaim { memory: task.memory.clone(), task: task.id.clone(), preferences };
    let Some(whose) = proved_person(tx, task)? else { return Ok(Some(claim(None))) };
    let place = whose.namespace()?;
    let own = Task { requester_proof: Some(proof(tx, caller, task)?), ..task.clone() };
    let is_opened = is_proved(&own, &whose) || is_opened_to_agent(caller, task, &place);
    Ok(is_opened.then(|| claim(Some(place))))
}

/// Returns the namespace of the preferences that a caller may read as the agent of a task; `None`
/// if no person is proved to have requested the task, or if the caller's token is older than that
/// proof.
pub(crate) fn agents_place(tx: &dyn ReadTx, caller: &Principal, task: &Task) -> Result<Option<Namespace>> {
    let Some(whose) = proved_person(tx, task)? else { return Ok(None) };
    let place = whose.namespace()?;
    Ok(is_opened_to_agent(caller, task, &place).then_some(place))
}

/// Returns the person who is proved to have requested a task.
pub(super) fn proved_person(tx: &dyn ReadTx, task: &Task) -> Result<Option<PreferenceOwner>> {
    Ok(owner::of_task(tx, task)?.filter(|whose| is_proved(task, whose)))
}

/// True if a caller acts as the agent of all tasks of the actor, like a key with `agent`, or has a
/// grant of `agent` on the person's namespace. A token covers one session: it opens only the
/// namespace that was proved when the token was issued.
fn is_opened_to_agent(caller: &Principal, task: &Task, place: &Namespace) -> bool {
    let subtree = NamespaceFilter::new(place, NamespaceMatch::Subtree);
    let (memory, of) = (&task.memory, (&task.actor, None));
    access::require_place(caller, memory, of, &subtree, Capability::Agent).is_ok()
}

/// True if it is proved that this person requested a task. A proved login belongs to the person who
/// has its namespace: a number that was bound since may identify another person.
pub(super) fn is_proved(task: &Task, whose: &PreferenceOwner) -> bool {
    let proof = task.requester_proof.unwrap_or_default();
    let login = task.user.as_deref().and_then(owner::login_of);
    let is_by_login = login.is_some_and(|login| login == whose.place);
    let is_by_number = task.user_id.is_some() && task.user_id.as_deref() == whose.user_id();
    (proof.login && is_by_login) || (proof.number && is_by_number)
}

/// True if a caller has a capability on a person's whole namespace.
pub(super) fn may(
    caller: &Principal,
    memory: &MemoryId,
    place: &ActorId,
    capability: Capability,
) -> Result<bool> {
    let subtree = NamespaceFilter::new(&owner::namespace_of(place)?, NamespaceMatch::Subtree);
    Ok(access::require_place(caller, memory, (place, None), &subtree, capability).is_ok())
}
