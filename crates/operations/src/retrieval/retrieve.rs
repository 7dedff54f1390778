//! `sre_retrieve`: what an operations agent knows, by type. Preferences are read by user and key,
//! the whole set; what is known of services and what was looked into is searched by the engine's
//! one search, and ordered by how sure and how fresh it is. It decides nothing of what counts: that
//! is [`crate::records::precedence`]'s matter, when something is saved.

use loci_api::operations::knowledge::SreScoreParts;
use loci_model::memory::Memory;
use loci_model::principal::Principal;
use loci_model::record::Record;
use loci_model::services::knowledge::SreType;
use loci_model::{Error, MemoryId, Namespace, RecordId, Result, Timestamp, limits};
use serde_json::Value;

use crate::Operations;
use crate::settings::SreSettings;
use crate::times::question_time::When;

/// What is said where the memory is off.
pub(crate) const MEMORY_OFF: &str = "the memory is off (enabled = false): nothing is told";

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SreRetrieve {
    /// The memory.
    pub memory: MemoryId,
    /// Of which types; at least one.
    pub kinds: Vec<SreType>,
    /// The question; may be empty: then what is newest and surest comes first.
    pub query: String,
    /// Whose: the user, or for infrastructure the agent. `None` and `*`: every one that the caller may read.
    pub actor: Option<String>,
    /// One session; `None`, or an empty one: all of them. Preferences have none.
    pub session: Option<String>,
    /// From then on: RFC 3339, or a local date.
    pub since: Option<String>,
    /// Until just before then: RFC 3339, or a local date, whose end it is not: that day is out.
    pub until: Option<String>,
    /// The IANA name of the time zone of dates and of phrases; `None`: the user's preference, else UTC.
    pub tz: Option<String>,
    /// Services that it is about; none: any.
    pub services: Vec<String>,
    /// Environments in which it holds; none: any.
    pub environments: Vec<String>,
    /// False: services and environments leave out what is of others. True: they only bring what is
    /// theirs forward.
    pub filters_boost: bool,
    /// The least effective confidence, 0 to 1; preferences are not asked for it.
    pub min_confidence: Option<f64>,
    /// At most so many of each type; `None`: the type's own number (10, 50, 5).
    pub top_k: Option<usize>,
    /// What gave way to something newer comes, too.
    pub include_superseded: bool,
    /// What was in force then.
    pub as_of: Option<Timestamp>,
    /// Warnings say how the question was read.
    pub explain: bool,
    /// Records that were shown already: they are counted, and not returned.
    pub leave_out: Vec<RecordId>,
}

/// Something found.
#[derive(Debug, Clone, PartialEq)]
pub struct SreFound {
    /// Its record.
    pub record: Record,
    /// Its type.
    pub kind: SreType,
    /// What is remembered, as an object. Members that something newer is known of are left out.
    pub content: Value,
    /// From 0 to 1; never rises along the list of a type.
    pub score: f64,
    /// What the score is made of.
    pub parts: SreScoreParts,
    /// The effective confidence.
    pub confidence: f64,
    /// Whole days since it was observed or confirmed.
    pub age_days: i64,
    /// It may not hold any more: past its window, or older than half its time without being
    /// confirmed.
    pub stale: bool,
    /// It contradicts another one, which comes with it.
    pub conflict: bool,
    /// Where it lies.
    pub namespaces: Vec<Namespace>,
}

/// Where a time filter comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SreTimeSource {
    /// `since` or `until`.
    Argument,
    /// A phrase in the question.
    Query,
}

impl SreTimeSource {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Query => "query",
        }
    }
}

/// The time that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreTimeFilter {
    /// From then on.
    pub from: Option<Timestamp>,
    /// Until just before then.
    pub to: Option<Timestamp>,
    /// The words of the question that say so.
    pub phrase: Option<String>,
    /// Who says so.
    pub source: SreTimeSource,
    /// Nothing was found in that time, and the results are of any time.
    pub relaxed: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreRetrieved {
    /// In the order of the types asked for; of each the best first.
    pub results: Vec<SreFound>,
    /// The time asked for, where one was.
    pub time_filter: Option<SreTimeFilter>,
    /// Records that nobody could read, and why.
    pub skipped: Vec<(RecordId, String)>,
    /// How many were left out because they were shown already.
    pub left_out: usize,
    /// Something that should have taken part did not.
    pub degraded: bool,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl SreRetrieved {
    /// Adds what another type has.
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
    /// What an operations agent knows.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` for whoever may not read there; `Conflict` where the memory has no strategy for a type.
    pub async fn sre_retrieve(&self, caller: &Principal, asked: SreRetrieve) -> Result<SreRetrieved> {
        self.sre_retrieve_in(caller, asked, None).await
    }

    /// The same of a memory that may have been read already, for whoever asks it several things at once.
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

    /// Of each type what there is of that time.
    async fn sre_of_time(
        &self,
        caller: &Principal,
        (asked, memory): (&SreRetrieve, Option<&Memory>),
        when: &When,
    ) -> Result<SreRetrieved> {
        let mut found = SreRetrieved::default();
        // The question gets its vector once, however many types it is put to.
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
