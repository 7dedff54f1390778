//! The weight of reviews for a rule, and the quorum. Pure.
//!
//! Each person counts once, regardless of the number of statements: by the statement with the
//! highest weight on any pull request.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewState};
use loci_model::tasks::rule::{RuleApproval, RuleImpact, RuleSupport, SupportItem};

use crate::settings::{RuleSettings, share_of};

/// The maximum weight of a guessed role.
const PROVISIONAL_MAX: f64 = 0.5;
/// The addition for an owner of the file.
const OWNER: f64 = 0.1;
/// The addition for each pull request on which a remark was followed.
const ACCEPTED: f64 = 0.1;
/// The minimum authority for dissent to count.
const DISSENT_MIN: f64 = 0.8;
/// The weight of a maintainer.
const MAINTAINER: f64 = 0.95;
/// The minimum number of pull requests on which the sole maintainer of a repository states a rule
/// for it to be in force.
const REPEATED_PRS_MIN: usize = 2;
/// The number of pull requests on which one maintainer states a rule for an approval to be
/// suggested.
const SUGGESTED_PRS: usize = 3;
/// The support at which a rule reaches the maximum weight.
const WHOLE: f64 = 1.5;
/// The range of the factor for usefulness.
const USEFUL: std::ops::RangeInclusive<f64> = 0.5..=1.2;
/// The tolerance for rounding differences.
const EPSILON: f64 = 1e-9;

/// The key of a person, as returned by [`person`].
pub(super) type Person = (u64, String);

/// Returns the key of a person: the forge's number, or the name without one.
pub(in crate::rules) fn person(user: &ForgeUser) -> Person {
    if user.id == 0 { (0, user.login.to_lowercase()) } else { (user.id, String::new()) }
}

/// Returns the authority of a person's words.
pub(in crate::rules) fn authority(of: &Authority) -> f64 {
    if let Some(weight) = of.overridden {
        return share_of(weight).min(1.0);
    }
    let role = match of.role {
        RepositoryRole::Admin => 1.0,
        RepositoryRole::Maintain => MAINTAINER,
        RepositoryRole::Write => 0.8,
        RepositoryRole::Triage => 0.5,
        RepositoryRole::Read if of.has_merged => 0.3,
        RepositoryRole::Read | RepositoryRole::None => 0.1,
    };
    let whole = if of.is_code_owner { (role + OWNER).min(1.0) } else { role };
    if of.is_provisional { whole.min(PROVISIONAL_MAX) } else { whole }
}

/// Returns the authority of a reviewer for some comments: a code owner counts as owner only for
/// comments on owned files. The review's own text covers all its comments.
pub(in crate::rules) fn authority_at(review: &Review, comments: &[u64]) -> Authority {
    let mut said = review.comments.iter().filter(|comment| comments.contains(&comment.id)).peekable();
    if said.peek().is_none() {
        return review.authority;
    }
    let is_code_owner =
        said.any(|comment| comment.authority.is_some_and(|authority| authority.is_code_owner));
    Authority { is_code_owner, ..review.authority }
}

/// True for a maintainer, who may put rules in force alone. The repository's own weight for a
/// person takes precedence over the role.
pub(in crate::rules) fn may_approve(of: &Authority) -> bool {
    match of.overridden {
        Some(weight) => share_of(weight) + EPSILON >= MAINTAINER,
        None => !of.is_provisional && matches!(of.role, RepositoryRole::Admin | RepositoryRole::Maintain),
    }
}

fn state_factor(state: ReviewState) -> f64 {
    match state {
        ReviewState::ChangesRequested => 1.0,
        ReviewState::Approved => 0.8,
        ReviewState::Commented => 0.7,
        ReviewState::Dismissed => 0.0,
    }
}

/// Returns the weight of one item.
pub(in crate::rules) fn item_weight(item: &SupportItem) -> f64 {
    authority(&item.authority) * state_factor(item.state)
}

/// The status of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::rules) struct RuleStatus {
    /// The sum of the support, less the dissent.
    pub(in crate::rules) support: f64,
    /// The number of people who state it.
    pub(in crate::rules) reviewers: usize,
    /// The number of pull requests on which it was stated.
    pub(in crate::rules) prs: usize,
    /// True if enough people who count state it, on enough pull requests.
    pub(in crate::rules) has_quorum: bool,
    /// The maintainer who repeats it on as many pull requests as a quorum needs, without dissent of
    /// weight.
    pub(in crate::rules) repeated_by: Option<Person>,
    /// True if this is the repository's only maintainer, whose word is sufficient. [`weigh`] cannot
    /// determine it and leaves it false.
    pub(in crate::rules) is_sole: bool,
    /// True if a person's approval is suggested.
    pub(in crate::rules) is_suggested: bool,
    /// The reason why it waits for a person, regardless of its support; `None` if it does not.
    pub(in crate::rules) waits_for: Option<&'static str>,
}

/// Weighs the support of a rule.
pub(in crate::rules) fn weigh(of: &RuleSupport, settings: &RuleSettings) -> RuleStatus {
    let mut best: BTreeMap<Person, f64> = BTreeMap::new();
    let mut counting: BTreeSet<Person> = BTreeSet::new();
    let (mut prs, mut counted_prs) = (BTreeSet::new(), BTreeSet::new());
    let mut accepted = BTreeSet::new();
    for item in of.items.iter().filter(|item| item_weight(item) > 0.0) {
        let who = person(&item.reviewer);
        let weight = best.entry(who.clone()).or_default();
        *weight = weight.max(item_weight(item));
        prs.insert(item.pr);
        if authority(&item.authority) + EPSILON >= settings.quorum_min_authority {
            counting.insert(who);
            counted_prs.insert(item.pr);
            if item.is_accepted {
                accepted.insert(item.pr);
            }
        }
    }
    let is_of_now = of.items.iter().any(|item| !item.is_past && item_weight(item) > 0.0);
    let beside = accepted.len() as f64 * ACCEPTED - dissent(of);
    let sum = |only: &dyn Fn(&Person) -> bool| -> f64 {
        best.iter().filter(|(who, _)| only(who)).map(|(_, weight)| weight).sum::<f64>() + beside
    };
    let counted = sum(&|who| counting.contains(who));
    let has_quorum = counted + EPSILON >= settings.quorum_weight
        && counting.len() >= settings.quorum_reviewers as usize
        && counted_prs.len() >= settings.quorum_prs as usize;
    RuleStatus {
        support: sum(&|_| true).max(0.0),
        reviewers: best.len(),
        prs: prs.len(),
        // A rule with support only from a backfill waits for a present statement.
        has_quorum: has_quorum && is_of_now,
        repeated_by: repeated_by(of, settings).filter(|_| is_of_now),
        is_sole: false,
        is_suggested: is_suggested(of),
        waits_for: waits_for(of, settings),
    }
}

/// Returns the weight of the dissent, each person once.
fn dissent(of: &RuleSupport) -> f64 {
    let mut against: BTreeMap<Person, f64> = BTreeMap::new();
    for item in of.dissent.iter().filter(|item| authority(&item.authority) + EPSILON >= DISSENT_MIN) {
        let weight = against.entry(person(&item.author)).or_default();
        *weight = weight.max(authority(&item.authority));
    }
    against.values().sum()
}

/// True if one maintainer states it repeatedly: a small team has no other people to state it.
fn is_suggested(of: &RuleSupport) -> bool {
    by_maintainer(of).values().any(|prs| prs.len() >= SUGGESTED_PRS)
}

/// Returns the maintainer who states it on the most pull requests, if these are enough and there is
/// no dissent of weight.
fn repeated_by(of: &RuleSupport, settings: &RuleSettings) -> Option<Person> {
    let enough = (settings.quorum_prs as usize).max(REPEATED_PRS_MIN);
    let most = by_maintainer(of).into_iter().max_by_key(|(_, prs)| prs.len());
    most.filter(|(_, prs)| prs.len() >= enough && dissent(of) < EPSILON).map(|(who, _)| who)
}

/// Returns, for each maintainer, the pull requests on which they state it.
fn by_maintainer(of: &RuleSupport) -> BTreeMap<Person, BTreeSet<u64>> {
    let mut said: BTreeMap<Person, BTreeSet<u64>> = BTreeMap::new();
    for item in &of.items {
        if may_approve(&item.authority) && item_weight(item) > 0.0 {
            said.entry(person(&item.reviewer)).or_default().insert(item.pr);
        }
    }
    said
}

fn waits_for(of: &RuleSupport, settings: &RuleSettings) -> Option<&'static str> {
    if let Some(reason) = of.asks().iter().next() {
        return Some(reason.as_str());
    }
    match (settings.approval, of.impact) {
        (RuleApproval::All, _) => Some("approval"),
        (RuleApproval::HighImpact, RuleImpact::High) => Some("high_impact"),
        (RuleApproval::HighImpact, RuleImpact::Style) | (RuleApproval::None, _) => None,
    }
}

/// Returns the weight that orders rules: their support, and their usefulness.
pub(in crate::rules) fn order_weight(of: &RuleSupport, standing: &RuleStatus) -> f64 {
    if of.pinned.is_some() {
        return 1.0;
    }
    // A person's approval equals a quorum.
    let said = if of.approved.is_some() { 1.0 } else { (standing.support / WHOLE).min(1.0) };
    let (helpful, harmful) = (f64::from(of.helpful), f64::from(of.harmful));
    let useful = ((helpful + 1.0) / (helpful + harmful + 1.0)).clamp(*USEFUL.start(), *USEFUL.end());
    (said * useful * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
