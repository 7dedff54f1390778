//! `sre_retrieve`: retrieves operations memory by type. Preferences are read by user and key, as a
//! complete set. Knowledge and investigations are found by the engine's search, and ordered by
//! confidence and recency too. [`crate::records::precedence`] decides at save time which records
//! are active.

use loci_api::operations::knowledge::SreScoreParts;
use loci_model::memory::Memory;
use loci_model::principal::Principal;
use loci_model::record::Record;
use loci_model::services::knowledge::SreType;
use loci_model::{Error, MemoryId, Namespace, RecordId, Result, Timestamp, limits};
use serde_json::Value;

use crate::Operations;
use crate::settings::SreSettings;
use crate::times::question_time::QuestionTime;

/// The warning for a memory that is off.
pub(crate) const MEMORY_OFF: &str = "the memory is off (enabled = false): nothing is told";

/// A retrieval request.
#[derive(Debug, Clone, PartialEq)]
pub struct SreRetrieve {
    /// The memory that is searched.
    pub memory: MemoryId,
    /// The record types; at least one.
    pub kinds: Vec<SreType>,
    /// The query. If empty, the newest and most certain records come first.
    pub query: String,
    /// The user, or for infrastructure the agent. `None` and `*`: all that the caller may read.
    pub actor: Option<String>,
    /// The session. `None` or empty: all sessions. Preferences have none.
    pub session: Option<String>,
    /// The inclusive start: RFC 3339, or a local date.
    pub since: Option<String>,
    /// The exclusive end: RFC 3339, or a local date, which is itself excluded.
    pub until: Option<String>,
    /// The IANA name of the time zone of dates and phrases. `None`: the user's preference, or else
    /// UTC.
    pub tz: Option<String>,
    /// The services to which records are limited. Empty: any service.
    pub services: Vec<String>,
    /// The environments to which records are limited. Empty: any environment.
    pub environments: Vec<String>,
    /// False: services and environments exclude other records. True: they only boost matching ones.
    pub filters_boost: bool,
    /// The minimum effective confidence, 0 to 1. Not applied to preferences.
    pub min_confidence: Option<f64>,
    /// The maximum number of results per type. `None`: the default of the type (10, 50, 5).
    pub top_k: Option<usize>,
    /// True to include superseded records.
    pub include_superseded: bool,
    /// The time at which the returned records were active.
    pub as_of: Option<Timestamp>,
    /// True to add warnings about the interpretation of the query.
    pub explain: bool,
    /// Records already shown: they are counted, and not returned.
    pub leave_out: Vec<RecordId>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct SreFound {
    /// The record.
    pub record: Record,
    /// The type.
    pub kind: SreType,
    /// The content as an object, without superseded members.
    pub content: Value,
    /// The score, 0 to 1. It never rises along the list of a type.
    pub score: f64,
    /// The components of the score.
    pub parts: SreScoreParts,
    /// The effective confidence.
    pub confidence: f64,
    /// The age since observation or confirmation, in whole days.
    pub age_days: i64,
    /// True if it may be outdated: past its window, or older than half its retention without a
    /// confirmation.
    pub stale: bool,
    /// True if it conflicts with another result next to it.
    pub conflict: bool,
    /// The namespaces of the record.
    pub namespaces: Vec<Namespace>,
}

/// The origin of a time filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SreTimeSource {
    /// `since` or `until`.
    Argument,
    /// A phrase in the question.
    Query,
}

impl SreTimeSource {
    /// Returns the name used in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Query => "query",
        }
    }
}

/// The time filter of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreTimeFilter {
    /// The inclusive start of the time filter.
    pub from: Option<Timestamp>,
    /// The exclusive end of the time filter.
    pub to: Option<Timestamp>,
    /// The words of the query that state the time.
    pub phrase: Option<String>,
    /// The origin of the time filter.
    pub source: SreTimeSource,
    /// True if nothing was found in that time, and the results are of any time.
    pub relaxed: bool,
}

/// The search results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreRetrieved {
    /// The results in the order of the requested types, best first within a type.
    pub results: Vec<SreFound>,
    /// The time filter, if any.
    pub time_filter: Option<SreTimeFilter>,
    /// Records that could not be parsed, with the reason.
    pub skipped: Vec<(RecordId, String)>,
    /// The number of results left out because they were already shown.
    pub left_out: usize,
    /// True if a part of the search was incomplete.
    pub degraded: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl SreRetrieved {
    /// Appends the results of another type.
    fn take(&mut self, more: Self) {
        self.results.extend(more.results);
        self.skipped.extend(more.skipped);
        self.left_out += more.left_out;
        self.degraded |= more.degraded;
        for warning in more.warnings {
            self.warn(warning);
        }
    }

    /// Adds a warning, once.
    pub(crate) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

impl Operations {
    /// Retrieves records of operations memory.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` if the caller may not read there; `Conflict` if the
    /// memory has no strategy for a type.
    pub async fn sre_retrieve(&self, caller: &Principal, asked: SreRetrieve) -> Result<SreRetrieved> {
        self.sre_retrieve_in(caller, asked, None).await
    }

    /// Like [`Self::sre_retrieve`], with an optional memory that is already read, for several
    /// retrievals at once.
    pub(crate) async fn sre_retrieve_in(
        &self,
        caller: &Principal,
        asked: SreRetrieve,
        memory: Option<&Memory>,
    ) -> Result<SreRetrieved> {
        let settings = self.settings.of(&asked.memory);
        check(&asked, settings)?;
        if !settings.enabled {
            let mut off = SreRetrieved::default();
            off.warn(MEMORY_OFF.to_owned());
            return Ok(off);
        }
        let when = self.sre_when(caller, &asked).await?;
        let mut found = self.sre_of_time(caller, (&asked, memory), &when).await?;
        let is_searched = |result: &SreFound| result.kind != SreType::Preferences;
        let searches = asked.kinds.iter().any(|kind| *kind != SreType::Preferences);
        let has_nothing = !found.results.iter().any(is_searched) && found.left_out == 0;
        let mut filter = when.filter.clone();
        if let Some(phrase) = filter.as_mut().filter(|one| one.source == SreTimeSource::Query)
            && searches
            && has_nothing
        {
            phrase.relaxed = true;
            found = self.sre_of_time(caller, (&asked, memory), &when.relaxed()).await?;
            let words = phrase.phrase.as_deref().unwrap_or_default();
            found.warn(format!("nothing was found of \"{words}\": the results are of any time"));
        }
        found.time_filter = filter;
        for warning in when.warnings {
            found.warn(warning);
        }
        let shown = found.results.iter().map(|result| &result.record.id);
        self.engine.products().records_read(&asked.memory, shown, self.engine.now());
        Ok(found)
    }

    /// Returns the results of each type for a time filter.
    async fn sre_of_time(
        &self,
        caller: &Principal,
        (asked, memory): (&SreRetrieve, Option<&Memory>),
        when: &QuestionTime,
    ) -> Result<SreRetrieved> {
        let mut found = SreRetrieved::default();
        // The query is embedded once for all types.
        let operations = self.asking_once();
        let mut kinds = asked.kinds.clone();
        kinds.dedup();
        for kind in &kinds {
            let of_type = self.settings.of(&asked.memory).of_type(*kind);
            let most = of_type.top_k_max;
            let wanted = asked.top_k.unwrap_or(of_type.top_k).min(most);
            if asked.top_k.is_some_and(|wanted| wanted > most) {
                found.warn(format!("{}: at most {most} are given", kind.as_str()));
            }
            let more = match kind {
                SreType::Preferences => operations.sre_preference_sets(caller, asked, wanted).await?,
                SreType::Infrastructure | SreType::Investigations => {
                    operations.sre_search(caller, (asked, memory), *kind, when, wanted).await?
                }
            };
            found.take(more);
        }
        Ok(found)
    }
}

fn check(asked: &SreRetrieve, settings: &SreSettings) -> Result<()> {
    if asked.kinds.is_empty() {
        let words: Vec<_> = SreType::ALL.iter().map(|kind| kind.as_str()).collect();
        return Err(Error::invalid("types", format!("types must name one at least of {}", words.join(", "))));
    }
    let most = asked.kinds.iter().map(|kind| settings.of_type(*kind).top_k_max).max().unwrap_or(1);
    if asked.top_k.is_some_and(|wanted| !(1..=most).contains(&wanted)) {
        return Err(Error::invalid("top_k", format!("top_k must be 1 to {most} for these types")));
    }
    if asked.min_confidence.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err(Error::invalid("min_confidence", "min_confidence must be a number from 0.0 to 1.0"));
    }
    for (name, filters) in [("service", &asked.services), ("environment", &asked.environments)] {
        if filters.len() > limits::SRE_FILTERS_MAX {
            let rule =
                format!("{name} must have at most {} items: ask several times", limits::SRE_FILTERS_MAX);
            return Err(Error::invalid(name, rule));
        }
    }
    if asked.leave_out.len() > limits::SRE_LEFT_OUT_MAX {
        let rule = format!("at most {} records can be left out", limits::SRE_LEFT_OUT_MAX);
        return Err(Error::invalid("leave_out", rule));
    }
    Ok(())
}
