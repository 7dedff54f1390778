//! Forgetting a reviewer (coding-agent-memory.md §18.9): nothing that they said supports a rule any more, their reviews are erased, and
//! rules stand as the words of others let them.

use loci_model::ledger::{Shelf, Shelved};
use loci_model::ports::store::{LedgerPage, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::review::{ForgeUser, Review};
use loci_model::rule::RuleSupport;
use loci_model::{ActorId, MemoryId, RecordId, Result};

use super::settling::{News, Ruler, settle};
use super::weighing::person;
use crate::Engine;
use crate::coding::place;
use crate::coding::settings::CodingSettings;
use crate::memories::existing;
use crate::records::changing::Changing;

/// Entries that are read together.
const PAGE: usize = 200;
/// What stands where a name was.
const FORGOTTEN: &str = "forgotten";

impl Engine {
    /// Forgets what a person said in reviews of an actor's repository; the rules whose support changed, with their states now.
    ///
    /// # Errors
    /// `Denied` without administration of the actor.
    pub async fn reviewer_forget(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        who: &ForgeUser,
    ) -> Result<Vec<(RecordId, RecordState)>> {
        place::require_all(caller, memory, actor, Capability::Admin)?;
        let (memory, actor, who, by) = (memory.clone(), actor.clone(), who.clone(), caller.name.clone());
        let (server, at) = (self.settings.coding.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                forget_reviewer(tx, &Changing { memory: &memory, by: &by, at }, &actor, &who, &server)
            })
            .await
    }
}

/// The same within a write; whoever calls has checked that they may.
pub(crate) fn forget_reviewer(
    tx: &mut dyn Tx,
    changing: &Changing<'_>,
    actor: &ActorId,
    who: &ForgeUser,
    server: &CodingSettings,
) -> Result<Vec<(RecordId, RecordState)>> {
    let memory = &changing.memory.id;
    let mut changed = Vec::new();
    let all = shelf::<RuleSupport>(tx, memory, actor)?;
    for mut support in all {
        let before = support.clone();
        support.items.retain(|item| person(&item.reviewer) != person(who));
        support.dissent.retain(|item| person(&item.author) != person(who));
        if support == before {
            continue;
        }
        let repository = tx.repositories().get(memory, &support.repository)?;
        let settings = server.of(repository.as_ref()).rules;
        let ruler = Ruler { changing: *changing, actor, settings };
        if let Some(record) = settle(tx, &ruler, &mut support, News::Quiet)? {
            changed.push((record.id, record.state));
        }
    }
    for mut review in shelf::<Review>(tx, memory, actor)? {
        let key = review.key();
        if person(&review.reviewer) == person(who) {
            tx.ledger_mut().remove(memory, Shelf::Review, &key)?;
            tx.ledger_mut().remove(memory, Shelf::ReviewYield, &key)?;
            continue;
        }
        let before = review.clone();
        review.comments.retain(|comment| person(&comment.author) != person(who));
        if person(&review.pr_author) == person(who) {
            review.pr_author = ForgeUser { login: FORGOTTEN.to_owned(), ..ForgeUser::default() };
        }
        if review != before {
            tx.ledger_mut().put_noun(&review)?;
        }
    }
    Ok(changed)
}

/// Every entry of an actor's shelf.
fn shelf<T: Shelved>(tx: &dyn Tx, memory: &MemoryId, actor: &ActorId) -> Result<Vec<T>> {
    let mut page = LedgerPage {
        memory: memory.clone(),
        shelf: T::SHELF,
        actor: Some(actor.clone()),
        subject: None,
        after: None,
        limit: PAGE,
    };
    let mut all = Vec::new();
    loop {
        let entries = tx.ledger().list(&page)?;
        let Some(last) = entries.last() else { return Ok(all) };
        page.after = Some((last.at, last.key.clone()));
        for entry in &entries {
            all.push(entry.read()?);
        }
    }
}
