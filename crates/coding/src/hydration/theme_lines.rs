//! Themes of self-feedback in the block: each is one line of the knowledge, with the text of its
//! newest item and the number of tasks that lacked it. They are shown independent of the query, and
//! are few.

use loci_engine::calls::deadline::DeadlineRead;
use loci_model::ErrorKind;

use super::candidate::Candidate;
use super::candidate_reads::{HydrationReads, KindRead};
use super::kind::{HydrationKind, KindStatus};
use crate::reflection::themes::{Theme, ThemePlace, ThemeState};
use crate::tasks::log_fields::LOAD_INFRA;

/// The maximum number of shown themes: those that most tasks lacked.
const SHOWN_MAX: usize = 3;

/// The result of reading themes.
pub(super) type ThemesRead = DeadlineRead<(Vec<Theme>, Vec<String>)>;

impl HydrationReads<'_> {
    /// Reads the themes, if the request includes them.
    pub(super) async fn themes(&self) -> Option<ThemesRead> {
        if !self.wants_themes {
            return None;
        }
        let place = ThemePlace { memory: self.place.memory.clone(), actor: self.place.actor.clone() };
        Some(self.deadline.read(self.coding.themes_of(self.caller, &place, false)).await)
    }
}

/// Adds the themes to the result of reading the knowledge.
pub(super) fn with_themes(mut read: KindRead, themes: Option<ThemesRead>) -> KindRead {
    let kind = HydrationKind::Knowledge;
    let (themes, warnings) = match themes {
        None => return read,
        Some(DeadlineRead::Done(Ok(found))) => found,
        // The knowledge already carries the warning about a missing right.
        Some(DeadlineRead::Done(Err(error))) if error.kind == ErrorKind::Denied => return read,
        Some(DeadlineRead::Done(Err(error))) => {
            tracing::warn!(metric_type = LOAD_INFRA, ?error, "themes of self-feedback could not be read");
            read.status = KindStatus::Error;
            read.warnings.push("NOT_READ: the themes of self-feedback could not be read".to_owned());
            return read;
        }
        Some(DeadlineRead::Late) => {
            read.status = KindStatus::Timeout;
            read.warnings.push("NOT_IN_TIME: the themes of self-feedback were not read in time".to_owned());
            return read;
        }
    };
    read.warnings.extend(warnings);
    let open = themes.iter().filter(|theme| theme.state == ThemeState::Open).take(SHOWN_MAX);
    let told = open.filter_map(|theme| {
        let count = u32::try_from(theme.tasks.len()).unwrap_or(u32::MAX);
        Some(Candidate { lacked_by: Some(count), ..Candidate::new(kind, theme.told_by()?.clone(), 1.0) })
    });
    let told: Vec<Candidate> = told.collect();
    if told.is_empty() {
        return read;
    }
    // An item that the search also found is not shown twice.
    read.found.retain(|one| !told.iter().any(|theme| theme.record.id == one.record.id));
    read.found.extend(told);
    if matches!(read.status, KindStatus::Empty | KindStatus::Disabled | KindStatus::Skipped) {
        read.status = KindStatus::Ok;
    }
    read
}
