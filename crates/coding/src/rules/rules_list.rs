//! The verb `rules_list`: the rules of a repository from reviews, the newest first, with filters.

use loci_api::coding::rule::RuleListing;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::records::list::check_states;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::tasks::rule::RuleSupport;
use loci_model::{Error, Namespace, RecordId, Result, Timestamp, limits};
use loci_verified::find_repository;

use crate::Coding;
use crate::tasks::task_namespaces;

/// A request with parsed times. All its filters must match.
struct RuleListFilters {
    asked: RuleListing,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl RuleListFilters {
    fn holds(&self, rule: &Record) -> bool {
        let says = |words: &String| rule.text.to_lowercase().contains(&words.to_lowercase());
        let asked = &self.asked;
        asked.scope.as_ref().is_none_or(|scope| rule.scope.as_ref() == Some(scope))
            && self.since.is_none_or(|since| rule.created_at >= since)
            && self.until.is_none_or(|until| rule.created_at < until)
            && asked.q.as_ref().is_none_or(says)
            && (asked.approval_suggested != Some(true) || rule.metadata.contains_key(APPROVAL_SUGGESTED))
    }

    fn asks_for_support(&self) -> bool {
        self.asked.reviewer.is_some() || self.asked.pr.is_some()
    }

    /// True if a support item matches the filters.
    fn is_said(&self, support: &RuleSupport) -> bool {
        support.items.iter().any(|item| {
            self.asked.pr.is_none_or(|pr| item.pr == pr)
                && self.asked.reviewer.as_ref().is_none_or(|login| {
                    item.reviewer.login.eq_ignore_ascii_case(login.trim_start_matches('@'))
                })
        })
    }
}

/// The metadata key of a rule for which a person's approval is suggested.
pub(super) const APPROVAL_SUGGESTED: &str = "approval_suggested";

/// The metadata key of a rule with the day of the review, or of the decision, that is shown as its
/// source.
pub(crate) const SAID_ON: &str = "said_on";

/// Returns the namespace of a repository's rules.
pub(crate) fn rules_of(actor: &str) -> String {
    format!("/{actor}/review-rules/")
}

impl Coding {
    /// Returns a page of rules of a repository. Filters apply after reading: a page may hold fewer
    /// rules than the limit, and still have a next page.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller's grants do not cover the rules; `Invalid` for the
    /// state of deleted records.
    pub async fn rules_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        asked: RuleListing,
        (after, limit): (Option<(Timestamp, RecordId)>, u32),
    ) -> Result<Page<Record, (Timestamp, RecordId)>> {
        let states = vec![asked.state.as_deref().map_or(Ok(RecordState::Active), state_of)?];
        let since = Timestamp::read("since", asked.since.as_deref())?;
        let until = Timestamp::read("until", asked.until.as_deref())?;
        let wanted = RuleListFilters { asked, since, until };
        check_states(&states)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory.id, &repo, Capability::Read)?;
                let ask = NamespaceAsk::Path(rules(&repository)?);
                let (mut scope, _) = namespaces::scope(&memory, &view, std::slice::from_ref(&ask), now)?;
                scope.states.clone_from(&states);
                page(tx, scope, &wanted, (after.clone(), limit))
            })
            .await
    }
}

fn state_of(word: &str) -> Result<RecordState> {
    RecordState::parse(word).ok_or_else(|| {
        let words: Vec<_> = RecordState::ALL.iter().map(|state| state.as_str()).collect();
        Error::invalid("state", format!("a state must be one of {}", words.join(", ")))
    })
}

fn rules(repository: &Repository) -> Result<Namespace> {
    Namespace::parse(rules_of(task_namespaces::actor_of(repository)?.as_str()))
}

fn page(
    tx: &dyn ReadTx,
    scope: RecordScope,
    wanted: &RuleListFilters,
    (after, limit): (Option<(Timestamp, RecordId)>, u32),
) -> Result<Page<Record, (Timestamp, RecordId)>> {
    let most = limits::HYDRATION_LISTED_MAX;
    let read = tx.records().list(&RecordPage { scope, after, limit: most })?;
    let place = |rule: &Record| (rule.created_at, rule.id.clone());
    let behind = read.last().filter(|_| read.len() == most).map(place);
    let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
    let mut found = Vec::new();
    for rule in read.into_iter().filter(|rule| wanted.holds(rule)) {
        if found.len() > limit {
            break;
        }
        if wanted.asks_for_support() {
            let support: Option<RuleSupport> = tx.ledger().noun(&rule.memory, rule.id.as_str())?;
            if !support.is_some_and(|support| wanted.is_said(&support)) {
                continue;
            }
        }
        found.push(rule);
    }
    let page = Page::cut(found, limit, place);
    Ok(Page { next: page.next.or(behind), items: page.items })
}
