//! Branches of a session: finds or creates the branch of a new event, and the parts of branches
//! that a list of events joins.

use loci_model::event::{Branch, Event, MAIN_BRANCH};
use loci_model::ports::store::{BranchSlice, EventPlace, ReadTx, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::{
    ActorId, BranchName, Error, ErrorText, EventId, FieldName, MemoryId, Reason, Result, SessionId, Timestamp,
};

use super::BranchAsk;
use crate::access;

/// The maximum number of ancestors of a branch. It ends the search if stored branches form a
/// cycle.
const ANCESTORS_MAX: usize = 1_000;

/// The memory, actor and session of an event or of a list of events.
pub(crate) struct SessionPlace<'a> {
    pub(crate) memory: &'a MemoryId,
    pub(crate) actor: &'a ActorId,
    pub(crate) session: &'a SessionId,
    pub(crate) now: Timestamp,
}

/// Returns the branch of a new event. The branch is created if the event names the event at which
/// it starts.
pub(super) fn resolve(
    tx: &mut dyn Tx,
    caller: &Principal,
    place: &SessionPlace<'_>,
    asked: Option<&BranchAsk>,
) -> Result<Branch> {
    let Some(asked) = asked else { return Ok(Branch::main()) };
    if asked.name.as_str() == MAIN_BRANCH {
        return match asked.root {
            None => Ok(Branch::main()),
            Some(_) => {
                let rule = ErrorText::from("the branch main has no ") + FieldName::Root + ": leave it out";
                Err(wrong_root(rule))
            }
        };
    }
    let known = tx.events().branch(place.memory, place.actor, place.session, &asked.name)?;
    match (known, &asked.root) {
        (Some(branch), None) => Ok(branch),
        (Some(branch), Some(root)) if branch.root.as_ref() == Some(root) => Ok(branch),
        (Some(_), Some(_)) => {
            Err(wrong_root(ErrorText::from("the branch exists with another ") + FieldName::Root))
        }
        (None, None) => {
            let rule = "the branch does not exist in this session: its first event needs ";
            Err(wrong_root(ErrorText::from(rule) + FieldName::Root))
        }
        (None, Some(root)) => {
            check_root(tx, caller, place, root)?;
            let branch = Branch { name: asked.name.clone(), root: Some(root.clone()) };
            tx.events_mut().insert_branch(place.memory, place.actor, place.session, &branch)?;
            Ok(branch)
        }
    }
}

fn check_root(tx: &mut dyn Tx, caller: &Principal, place: &SessionPlace<'_>, root: &EventId) -> Result<()> {
    let is_seen = |event: &Event| {
        let (memory, actor, session) = (place.memory, place.actor, Some(place.session));
        let view = access::event_view(caller, memory, actor, session, Capability::Write, place.now);
        // A caller with other access to the session was admitted before.
        view.map_or(true, |view| view.admits(event))
    };
    let found = tx.events().get(place.memory, place.actor, place.session, root, place.now)?;
    if found.is_some_and(|event| is_seen(&event)) {
        return Ok(());
    }
    let elsewhere = tx.events().place(place.memory, root)?;
    let in_other_session = |found: &EventPlace| {
        (found.actor != *place.actor || found.session != *place.session)
            && access::require_events(
                caller,
                place.memory,
                &found.actor,
                Some(&found.session),
                Capability::Read,
            )
            .is_ok()
    };
    Err(if elsewhere.as_ref().is_some_and(in_other_session) {
        wrong_root(FieldName::Root + " names an event of another session")
            .because(Reason::EventInOtherSession)
    } else {
        wrong_root(FieldName::Root + " names no event of this session")
    })
}

fn wrong_root(rule: ErrorText) -> Error {
    Error::invalid(ErrorText::from("branch.") + FieldName::Root, rule)
}

/// Returns the parts of branches that a list of the branch `name` joins: the branch itself and,
/// if ancestors are requested, each ancestor up to the event at which the next branch starts. An
/// unknown branch gives an empty list.
pub(crate) fn slices(
    tx: &dyn ReadTx,
    place: &SessionPlace<'_>,
    name: &BranchName,
    with_parents: bool,
) -> Result<Vec<BranchSlice>> {
    let mut slices = Vec::new();
    let mut next = Some((name.clone(), None));
    while let Some((branch, up_to)) = next.take() {
        let known = if branch.as_str() == MAIN_BRANCH {
            Some(Branch::main())
        } else {
            tx.events().branch(place.memory, place.actor, place.session, &branch)?
        };
        let Some(known) = known else { break };
        slices.push(BranchSlice { branch, up_to });
        if !with_parents || slices.len() >= ANCESTORS_MAX {
            break;
        }
        if let Some(root) = known.root {
            next = tx.events().place(place.memory, &root)?.map(|found| (found.branch, Some(root)));
        }
    }
    Ok(slices)
}
