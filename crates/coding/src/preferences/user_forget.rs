//! The verb `user_forget`: a person's right to erasure, for that person or an administrator. Tasks,
//! reviews and rules of others lose the person's identity; the person's own data is erased
//! immediately. A repeated call erases the remaining data.

use std::sync::Arc;

use loci_api::coding::preference::UserForgotten;
use loci_engine::access;
use loci_engine::admin::ForgetContext;
use loci_engine::admin::erasure::{Person, pseudonym};
use loci_engine::calls::call_context::CallContext;
use loci_engine::hooks::PersonMentions;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};

use super::named_people::person_mentions::{CodingMentions, RegisteredMentions, actors_of, knows_people};
use super::preferences_list::person;
use crate::Coding;

impl Coding {
    /// Erases a person. If the caller does not administer the whole memory, some data outside of
    /// the person's own namespaces stays: data that names others or an agent as its owner, too, and
    /// data stored with another owner.
    ///
    /// # Errors
    /// `Denied` if the caller is neither that person nor an administrator.
    pub async fn user_forget(
        &self,
        caller: &Principal,
        standing: &CallContext,
        user: &str,
    ) -> Result<UserForgotten> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (asks, name, of) = (caller.clone(), user.to_owned(), memory.clone());
        let pseudonym = pseudonym(&hex::encode(self.engine.ids().random()));
        let stands_for = pseudonym.clone();
        let found = self.engine.store().read(move |tx| {
            let (memory, whose) = person(tx, &asks, &of, &name, Capability::Write)?;
            let mentions = CodingMentions::of(tx, &memory, &whose, &stands_for)?;
            Ok((memory, whose, mentions))
        });
        let (memory, whose, mentions) = found.await?;
        let is_admin = access::require_whole(caller, &memory.id, Capability::Admin).is_ok();
        let mentions = self.with_addresses(&memory.id, mentions, is_admin).await?;
        let mentions = RegisteredMentions { mentions, registered: self.registered() };
        let mentions = Some(Arc::new(mentions) as Arc<dyn PersonMentions>);
        let person = Person::of(&memory, actors_of(&whose), knows_people(&memory));
        let person = if is_admin { person } else { person.alone() };
        let whom = ForgetContext { memory, person, mentions, names_files: false };
        let forgotten = self.engine.forget_person(caller, &whom, false).await?;
        let (mirrors, left_shared) = (forgotten.mirrors.len(), forgotten.left_shared);
        let unreachable = forgotten.unreachable.len();
        tracing::info!(mirrors, left_shared, unreachable, "a person was forgotten");
        let taken = forgotten.mentions_taken;
        let (tasks, entries, rules) =
            (taken.tasks, taken.count() - taken.tasks - taken.records, taken.records);
        let (records, events) = (forgotten.counts.records(), forgotten.counts.get("events"));
        Ok(UserForgotten { pseudonym, records, events, tasks, entries, rules })
    }
}
