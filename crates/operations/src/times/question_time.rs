//! The time that a retrieval refers to: its arguments, or else a phrase of the question, in the
//! user's time zone.

use loci_model::principal::Principal;
use loci_model::{Result, Timestamp};

use super::users_zone::UsersZone;
use super::{time_phrases, time_zone};
use crate::Operations;
use crate::retrieval::retrieve::{SreRetrieve, SreTimeFilter, SreTimeSource};

/// The time filter, and the question without the phrase of time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuestionTime {
    pub(crate) filter: Option<SreTimeFilter>,
    pub(crate) query: String,
    pub(crate) warnings: Vec<String>,
}

impl QuestionTime {
    /// Returns the same question without a time filter.
    pub(crate) fn relaxed(&self) -> Self {
        Self { filter: None, ..self.clone() }
    }

    /// Returns the inclusive start and the exclusive end.
    pub(crate) fn time(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        self.filter.as_ref().map_or((None, None), |filter| (filter.from, filter.to))
    }
}

impl Operations {
    /// Returns the time filter of a retrieval.
    ///
    /// # Errors
    /// `Invalid` on `since`, `until` or `tz`.
    pub(crate) async fn sre_when(&self, caller: &Principal, asked: &SreRetrieve) -> Result<QuestionTime> {
        let mut warnings = Vec::new();
        let own = asked.tz.as_deref().map(|name| time_zone::zone(name, "tz")).transpose()?;
        let zone = match own {
            Some(zone) => zone,
            None => {
                let users = if is_of_days(asked) {
                    self.users_zone(caller, &asked.memory, &caller.name).await?
                } else {
                    UsersZone::default(&self.settings.of(&asked.memory).default_timezone)
                };
                warnings.extend(users.warning.map(str::to_owned));
                users.zone
            }
        };
        // Phrases such as "yesterday" are relative to the current time, even with `as_of`.
        let phrase = time_phrases::find(&asked.query, self.engine.now(), &zone);
        let query = phrase.as_ref().map_or_else(|| asked.query.clone(), |phrase| phrase.rest.clone());
        let written =
            |text: Option<&str>, field| text.map(|text| time_zone::written(text, &zone, field)).transpose();
        let (since, until) = given(asked);
        let (from, to) = (written(since, "since")?, written(until, "until")?);
        let filter = if from.is_some() || to.is_some() {
            let source = SreTimeSource::Argument;
            Some(SreTimeFilter { from, to, phrase: None, source, relaxed: false })
        } else {
            phrase.map(|phrase| SreTimeFilter {
                from: phrase.from,
                to: phrase.to,
                phrase: Some(phrase.words),
                source: SreTimeSource::Query,
                relaxed: false,
            })
        };
        if asked.explain && query != asked.query {
            warnings.push(format!("the question was read as \"{query}\""));
        }
        Ok(QuestionTime { filter, query, warnings })
    }
}

/// Returns `since` and `until`, if not empty.
fn given(asked: &SreRetrieve) -> (Option<&str>, Option<&str>) {
    (said(asked.since.as_deref()), said(asked.until.as_deref()))
}

fn said(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// True if the result depends on a time zone. Otherwise the preferences need not be read.
fn is_of_days(asked: &SreRetrieve) -> bool {
    match given(asked) {
        (None, None) => time_phrases::names_time(&asked.query),
        (since, until) => since.into_iter().chain(until).any(time_zone::is_local),
    }
}
