//! The verb `theme_close`: a person has resolved a theme. Its items are archived; later
//! self-feedback starts a new theme.

use loci_api::coding::theme::ThemeClosed;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, RecordId, Result};

use super::items::CLOSED;
use crate::Coding;

impl Coding {
    /// Closes a theme.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if no theme with the id is open or quiet; `Denied` without
    /// administration of the repository's actor.
    pub async fn theme_close(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        id: &str,
    ) -> Result<ThemeClosed> {
        let place = self.place_of_themes(caller, standing, repo, Capability::Admin).await?;
        let (themes, _) = self.themes_of(caller, &place, false).await?;
        let missing = || Error::not_found(format!("there is no open theme {id} here")).on("theme");
        let theme = themes.into_iter().find(|theme| theme.id == id).ok_or_else(missing)?;
        let ids: Vec<RecordId> = theme.items.iter().map(|item| item.id.clone()).collect();
        let (memory, by, at, items) = (place.memory, caller.name.clone(), self.engine.now(), ids.clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = StateTransition { memory: &memory, by: &by, at };
                let records = tx.records().get_many(&memory.id, &items)?;
                for record in records.iter().filter(|record| record.state == RecordState::Active) {
                    changing.set_state(tx, record, RecordState::Archived, CLOSED)?;
                }
                Ok(())
            })
            .await?;
        Ok(ThemeClosed { theme_id: theme.id, items: ids.iter().map(ToString::to_string).collect() })
    }
}
