//! The roles of people in a repository: requested from the forge, and cached for an hour. The role
//! in a payload is a guess, used only if the forge does not answer. The number identifies a person.

use std::collections::BTreeMap;

use loci_model::facts::repository::{Repository, ReviewIntake};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::store::StoreExt;
use loci_model::tasks::forge_notifications::ForgeReview;
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, ReviewComment};
use loci_model::{ActorId, MemoryId, RepositoryId, Result, Timestamp, limits};
use serde::{Deserialize, Serialize};

use super::review_data::failed;
use crate::Coding;
use crate::tasks::task_namespaces;

/// The maximum number of people of one review whose roles are requested. The others are guessed.
const ASKED_MAX: usize = 50;

/// The role of a person, as the forge reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownRole {
    memory: MemoryId,
    actor: ActorId,
    repository: RepositoryId,
    user: u64,
    role: RepositoryRole,
    asked_at: Timestamp,
}

impl KnownRole {
    fn key_of(repository: &RepositoryId, user: u64) -> String {
        format!("{repository}/{user}")
    }
}

impl LedgerNoun for KnownRole {
    const SHELF: Shelf = Shelf::named("repository_role");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.repository, self.user)
    }

    fn at(&self) -> Timestamp {
        self.asked_at
    }
}

/// The roles that the forge reported, by the numbers of people.
pub(super) type Roles = BTreeMap<u64, RepositoryRole>;

impl Coding {
    /// Returns the roles of the people of a review. If the forge's rate limit is reached, the call
    /// fails and is repeated later. If the forge does not answer this request, the review proceeds
    /// without the role.
    pub(super) async fn roles(
        &self,
        repository: &Repository,
        told: &ForgeReview,
        comments: &[ReviewComment],
    ) -> Result<Roles> {
        let mut roles = Roles::new();
        let Some((forge, at)) = self.forge_of(repository) else { return Ok(roles) };
        for (id, user) in asked_for(&told.reviewer, comments) {
            if let Some(known) = self.known_role(repository, id).await? {
                roles.insert(id, known);
                continue;
            }
            match forge.role(&at, &user.login).await {
                Ok(role) => {
                    self.note_role(repository, id, role).await?;
                    roles.insert(id, role);
                }
                Err(error) if error.why == Unverifiable::Rate => return Err(failed(error)),
                Err(error) => {
                    let (why, host) = (error.why.as_str(), &at.host);
                    tracing::info!(repository = repository.key, host, why, "what a person may do is guessed");
                }
            }
        }
        Ok(roles)
    }

    async fn known_role(&self, repository: &Repository, user: u64) -> Result<Option<RepositoryRole>> {
        let (memory, key) = (repository.memory.clone(), KnownRole::key_of(&repository.id, user));
        let oldest = self.engine.now().plus_millis(-limits::ROLE_KNOWN_MS);
        self.engine
            .store()
            .read(move |tx| {
                let known = tx.ledger().noun::<KnownRole>(&memory, &key)?;
                Ok(known.filter(|known| known.asked_at > oldest).map(|known| known.role))
            })
            .await
    }

    async fn note_role(&self, repository: &Repository, user: u64, role: RepositoryRole) -> Result<()> {
        let known = KnownRole {
            memory: repository.memory.clone(),
            actor: task_namespaces::actor_of(repository)?,
            repository: repository.id.clone(),
            user,
            role,
            asked_at: self.engine.now(),
        };
        self.engine.store().write(move |tx| tx.ledger_mut().put_noun(&known)).await
    }
}

/// Returns the people whose roles are requested: the reviewer, then the others by their numbers.
fn asked_for<'a>(reviewer: &'a ForgeUser, comments: &'a [ReviewComment]) -> Vec<(u64, &'a ForgeUser)> {
    let is_asked = |user: &&ForgeUser| user.id != 0 && !user.is_bot;
    let others: BTreeMap<u64, &ForgeUser> =
        comments.iter().map(|comment| &comment.author).filter(is_asked).map(|user| (user.id, user)).collect();
    let others = others.into_iter().filter(|(id, _)| *id != reviewer.id);
    let first = Some(reviewer).filter(is_asked).map(|user| (user.id, user));
    first.into_iter().chain(others).take(ASKED_MAX).collect()
}

/// Returns the authority of a person: the role that the forge reported, else the guess, with the
/// repository's own weight for the person.
pub(super) fn of(intake: &ReviewIntake, roles: &Roles, user: &ForgeUser, guess: Authority) -> Authority {
    let told = roles.get(&user.id).filter(|_| user.id != 0);
    let (role, is_provisional) = told.map_or((guess.role, guess.is_provisional), |role| (*role, false));
    Authority { role, is_provisional, overridden: overridden(intake, user), ..guess }
}

/// Returns the weight that a repository gives a person, by login or number.
pub(crate) fn overridden(intake: &ReviewIntake, user: &ForgeUser) -> Option<u32> {
    let of_login = |login: &str| login.eq_ignore_ascii_case(&user.login) || login == user.id.to_string();
    intake.authority.iter().flatten().find(|(login, _)| of_login(login)).map(|(_, weight)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a54_the_forge_s_word_takes_the_place_of_a_guess() {
        let alice = ForgeUser { id: 5, login: "alice".to_owned(), is_bot: false };
        let guess = Authority {
            role: RepositoryRole::Read,
            is_provisional: true,
            has_merged: true,
            ..Authority::default()
        };
        let intake = ReviewIntake::default();
        let guessed = of(&intake, &Roles::new(), &alice, guess);
        assert_eq!((guessed.role, guessed.is_provisional), (RepositoryRole::Read, true));
        let told = of(&intake, &Roles::from([(5, RepositoryRole::Maintain)]), &alice, guess);
        assert_eq!(
            (told.role, told.is_provisional, told.has_merged),
            (RepositoryRole::Maintain, false, true)
        );
        let own = ReviewIntake {
            authority: Some([("Alice".to_owned(), 1_000_000)].into()),
            ..ReviewIntake::default()
        };
        assert_eq!(of(&own, &Roles::new(), &alice, guess).overridden, Some(1_000_000));
        assert_eq!(of(&own, &Roles::new(), &ForgeUser::default(), guess).overridden, None);
    }
}
