//! Erasure of a reviewer: their statements no longer support any rule, their reviews are erased,
//! and rules keep only the support of others.

use loci_engine::language_models::erasure as asking_forgetting;
use loci_engine::records::state_transition::StateTransition;
use loci_model::job::exchange::Step;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, Tx};
use loci_model::tasks::review::{ForgeUser, Review};
use loci_model::tasks::rule::{ReviewYield, RuleDecided, RuleSupport};
use loci_model::{ActorId, MemoryId, RecordId, Result};

use super::state_transition::{News, RuleContext, settle};
use super::support::weights::person;
use crate::settings::CodingSettings;

/// The number of entries of one page.
const PAGE: usize = 200;
/// The replacement of a name.
const FORGOTTEN: &str = "forgotten";

/// Erases the people with a login from the reviews of an actor's repository. Returns the rules
/// without other support, which the caller must erase. The caller has checked the rights.
pub(crate) fn forget_login(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    actor: &ActorId,
    login: &str,
    server: &CodingSettings,
) -> Result<Vec<RecordId>> {
    let mut people: Vec<ForgeUser> = vec![ForgeUser { login: login.to_owned(), ..ForgeUser::default() }];
    for review in shelf::<Review>(tx, &changing.memory.id, actor)? {
        let said = review.comments.iter().map(|comment| &comment.author);
        let named = said.chain([&review.reviewer, &review.pr_author]);
        for one in named.filter(|one| one.login.eq_ignore_ascii_case(login)) {
            if !people.iter().any(|known| person(known) == person(one)) {
                people.push(one.clone());
            }
        }
    }
    let mut bare = Vec::new();
    for who in &people {
        bare.extend(forget_reviewer(tx, changing, actor, who, server)?);
    }
    // The questions of all reviews are deleted, and asked again without those texts: a question
    // does not record the authors of its quotations.
    asking_forgetting::of_step(tx, &changing.memory.id, Step::ReviewRules, changing.at)?;
    Ok(bare)
}

/// Erases one person.
fn forget_reviewer(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    actor: &ActorId,
    who: &ForgeUser,
    server: &CodingSettings,
) -> Result<Vec<RecordId>> {
    let memory = &changing.memory.id;
    let mut bare = Vec::new();
    let all = shelf::<RuleSupport>(tx, memory, actor)?;
    for mut support in all {
        let before = support.clone();
        support.items.retain(|item| person(&item.reviewer) != person(who));
        support.dissent.retain(|item| person(&item.author) != person(who));
        for decided in [&mut support.approved, &mut support.pinned, &mut support.closed].into_iter().flatten()
        {
            if is_by(decided, who) {
                decided.by = format!("@{FORGOTTEN}");
            }
        }
        if support == before {
            continue;
        }
        if support.items.is_empty() && support.approved.is_none() && support.pinned.is_none() {
            // Its text is deleted together with its record.
            tx.ledger_mut().remove(memory, &RuleSupport::SHELF, &support.key())?;
            bare.push(support.rule);
            continue;
        }
        let repository = tx.repositories().get(memory, &support.repository)?;
        let settings = server.of(repository.as_ref()).rules;
        let ruler = RuleContext { changing: *changing, actor, settings };
        settle(tx, &ruler, &mut support, News::Quiet)?;
    }
    for mut review in shelf::<Review>(tx, memory, actor)? {
        let key = review.key();
        if person(&review.reviewer) == person(who) {
            tx.ledger_mut().remove(memory, &Review::SHELF, &key)?;
            tx.ledger_mut().remove(memory, &ReviewYield::SHELF, &key)?;
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
    Ok(bare)
}

/// True if a person made a decision, as an answer on a pull request names them.
fn is_by(decided: &RuleDecided, who: &ForgeUser) -> bool {
    decided.by.strip_prefix('@').is_some_and(|login| login.eq_ignore_ascii_case(&who.login))
}

/// Returns all entries of an actor's shelf.
pub(super) fn shelf<T: LedgerNoun>(tx: &dyn Tx, memory: &MemoryId, actor: &ActorId) -> Result<Vec<T>> {
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
