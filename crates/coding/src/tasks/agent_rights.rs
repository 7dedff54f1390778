//! The rights of a task's agent. A caller who may act as the agent of a task (`Capability::Agent`)
//! has only these rights. The verbs of agents resolve them here; all other verbs ignore the
//! capability and deny the call. The rights apply within a verb: to write in the task's session, to
//! read the memory of its repository and, if the requester is proved, that person's preferences.

use loci_engine::access;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Namespace, Result, TaskId};

use crate::Coding;
use crate::preferences;

impl Coding {
    /// Returns the caller of a verb of agents, with the rights of the task's agent if the caller
    /// may act as the agent.
    pub(crate) async fn acting(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &TaskId,
    ) -> Result<Principal> {
        let task = self.known_task(memory, id).await?;
        if !access::may_act(caller, memory) {
            return Ok(caller.clone());
        }
        let own = task.filter(|task| access::is_agent_of(caller, memory, (&task.actor, &task.session)));
        let mut acting = caller.clone();
        if let Some(task) = own {
            let (by, of) = (caller.clone(), task.clone());
            // A task may name anyone, so its name alone opens no preferences.
            let proved = self.engine.store().read(move |tx| preferences::agents_place(tx, &by, &of)).await?;
            acting.grants.extend(rights(&task, proved)?);
        }
        Ok(acting)
    }
}

fn rights(task: &Task, preferences: Option<Namespace>) -> Result<Vec<Grant>> {
    let of_task = || Grant { memory: Some(task.memory.clone()), ..Grant::everything() };
    let reads = |place: Namespace| Grant {
        namespace: Some(place),
        capabilities: [Capability::Read].into(),
        ..of_task()
    };
    let mut rights = vec![
        Grant {
            actor: Some(task.actor.clone()),
            session: Some(task.session.clone()),
            capabilities: [Capability::Read, Capability::Write].into(),
            ..of_task()
        },
        reads(Namespace::parse(format!("/{}/", task.actor))?),
    ];
    rights.extend(preferences.map(reads));
    Ok(rights)
}
