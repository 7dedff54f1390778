//! The verb `themes_list`: information that several tasks of a repository lacked.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_verified::find_repository;

use super::items::{Theme, ThemePlace, ThemeState};
use crate::Coding;
use crate::tasks::task_namespaces;

/// The themes of a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Themes {
    /// The themes, those that most tasks lacked first.
    pub themes: Vec<Theme>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Returns the open themes of a repository; with `closed`, the closed and quiet ones in their
    /// place.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller may not read all of the repository's data.
    pub async fn themes_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        closed: bool,
    ) -> Result<Themes> {
        let place = self.place_of_themes(caller, standing, repo, Capability::Read).await?;
        let (mut themes, mut warnings) = self.themes_of(caller, &place, false).await?;
        themes.retain(|theme| (theme.state == ThemeState::Open) != closed);
        if closed {
            let (put_away, more) = self.themes_of(caller, &place, true).await?;
            themes.extend(put_away);
            warnings.extend(more);
        }
        Ok(Themes { themes, warnings })
    }

    /// Returns the repository of the themes, if the caller has the capability on it.
    pub(super) async fn place_of_themes(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        capability: Capability,
    ) -> Result<ThemePlace> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, capability)?;
                Ok(ThemePlace { memory: memory.clone(), actor })
            })
            .await
    }
}
