//! What reviews weigh for a rule, and whether that is enough. Pure.
//!
//! People are counted once, whatever they say and how often: by the weightiest of what they said on any pull request.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewState};
use loci_model::tasks::rule::{RuleApproval, RuleImpact, RuleSupport, SupportItem};

use crate::settings::{RuleSettings, share_of};

/// What a guess weighs at most.
const PROVISIONAL_MAX: f64 = 0.5;
/// More for whoever owns the file.
const OWNER: f64 = 0.1;
/// More for each pull request on which a remark was followed.
const ACCEPTED: f64 = 0.1;
/// Who may do less here does not take weight away from others.
const DISSENT_MIN: f64 = 0.8;
/// The weight of a maintainer.
const MAINTAINER: f64 = 0.95;
/// Pull requests on which the one maintainer of a repository says the same, at least, so that it is
/// in force.
const REPEATED_PRS_MIN: usize = 2;
/// Pull requests on which one maintainer says the same, so that a person is asked.
const SUGGESTED_PRS: usize = 3;
/// What supports a rule that weighs all it can.
const WHOLE: f64 = 1.5;
/// How much usefulness may take or add.
const USEFUL: std::ops::RangeInclusive<f64> = 0.5..=1.2;
/// Differences below this are of arithmetic.
const EPSILON: f64 = 1e-9;

/// A person, as [`person`] tells them apart.
pub(super) type Person = (u64, String);

/// A person: by the forge's number, by name where none was told.
pub(in crate::rules) fn person(user: &ForgeUser) -> Person {
    if user.id == 0 { (0, user.login.to_lowercase()) } else { (user.id, String::new()) }
}

/// What somebody's word weighs here.
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

/// What a reviewer may do where they said something: whoever owns files that other comments are about owns nothing here. What the whole
/// review says is about all of them.
pub(in crate::rules) fn authority_at(review: &Review, comments: &[u64]) -> Authority {
    let mut said = review.comments.iter().filter(|comment| comments.contains(&comment.id)).peekable();
    if said.peek().is_none() {
        return review.authority;
    }
    let is_code_owner =
        said.any(|comment| comment.authority.is_some_and(|authority| authority.is_code_owner));
    Authority { is_code_owner, ..review.authority }
}

/// True for a maintainer, who may put rules in force by their word alone. The repository's own word
/// on a person counts more than their role.
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

/// What one item weighs.
pub(in crate::rules) fn item_weight(item: &SupportItem) -> f64 {
    authority(&item.authority) * state_factor(item.state)
}

/// How a rule stands.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::rules) struct Standing {
    /// All that is said for it, less what is said against it.
    pub(in crate::rules) support: f64,
    /// People who say it.
    pub(in crate::rules) reviewers: usize,
    /// Pull requests on which it was said.
    pub(in crate::rules) prs: usize,
    /// Enough of those who count say it, on enough pull requests.
    pub(in crate::rules) has_quorum: bool,
    /// The maintainer who repeats it on as many pull requests as a quorum needs, and whom nobody of
    /// weight contradicts.
    pub(in crate::rules) repeated_by: Option<Person>,
    /// That is the one maintainer of the repository: their word is enough. [`weigh`] cannot tell
    /// and leaves it false.
    pub(in crate::rules) is_sole: bool,
    /// A person is asked whether it should be in force.
    pub(in crate::rules) is_suggested: bool,
    /// Why it waits for a person, whatever supports it; none where it does not.
    pub(in crate::rules) waits_for: Option<&'static str>,
}

/// Weighs what is said of a rule.
pub(in crate::rules) fn weigh(of: &RuleSupport, settings: &RuleSettings) -> Standing {
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
    Standing {
        support: sum(&|_| true).max(0.0),
        reviewers: best.len(),
        prs: prs.len(),
        // What only the past says waits until somebody says it again.
        has_quorum: has_quorum && is_of_now,
        repeated_by: repeated_by(of, settings).filter(|_| is_of_now),
        is_sole: false,
        is_suggested: is_suggested(of),
        waits_for: waits_for(of, settings),
    }
}

/// What is said against it, each person once.
fn dissent(of: &RuleSupport) -> f64 {
    let mut against: BTreeMap<Person, f64> = BTreeMap::new();
    for item in of.dissent.iter().filter(|item| authority(&item.authority) + EPSILON >= DISSENT_MIN) {
        let weight = against.entry(person(&item.author)).or_default();
        *weight = weight.max(authority(&item.authority));
    }
    against.values().sum()
}

/// One maintainer says the same again and again: in a small team there is nobody else to say it.
fn is_suggested(of: &RuleSupport) -> bool {
    by_maintainer(of).values().any(|prs| prs.len() >= SUGGESTED_PRS)
}

/// Returns the maintainer who says it on the most pull requests, where these are enough and nothing
/// of weight is said against it.
fn repeated_by(of: &RuleSupport, settings: &RuleSettings) -> Option<Person> {
    let enough = (settings.quorum_prs as usize).max(REPEATED_PRS_MIN);
    let most = by_maintainer(of).into_iter().max_by_key(|(_, prs)| prs.len());
    most.filter(|(_, prs)| prs.len() >= enough && dissent(of) < EPSILON).map(|(who, _)| who)
}

/// Returns, for each maintainer, the pull requests on which they say it.
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

/// By which rules are put in order: what supports them, and whether they helped.
pub(in crate::rules) fn order_weight(of: &RuleSupport, standing: &Standing) -> f64 {
    if of.pinned.is_some() {
        return 1.0;
    }
    // A person's word is as good as a quorum.
    let said = if of.approved.is_some() { 1.0 } else { (standing.support / WHOLE).min(1.0) };
    let (helpful, harmful) = (f64::from(of.helpful), f64::from(of.harmful));
    let useful = ((helpful + 1.0) / (helpful + harmful + 1.0)).clamp(*USEFUL.start(), *USEFUL.end());
    (said * useful * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
