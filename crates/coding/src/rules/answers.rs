//! Answers on a pull request that concern its rules: objections, and a maintainer's approval of a
//! rule.

use std::collections::BTreeSet;

use loci_model::ports::store::ReadTx;
use loci_model::tasks::review::Review;
use loci_model::tasks::rule::{RuleDecided, RuleSupport, SupportItem};
use loci_model::{RecordId, Result};

use super::state_transition::{News, RuleContext};
use super::support::dissent;
use super::support::weights::{may_approve, person};
use super::support_update::AffectedRules;

/// The line of an answer that approves rules: the one whose id follows, or those that the answered
/// comment supports.
const APPROVE: &str = "/loci approve";

/// Adds the objections of a review to rules.
pub(super) fn oppose(
    tx: &dyn ReadTx,
    review: &Review,
    agents: &[String],
    touched: &mut AffectedRules,
    left: &mut BTreeSet<RecordId>,
) -> Result<()> {
    if review.left_out.is_some() {
        return Ok(());
    }
    for (answered, item) in dissent::dissents(tx, review, agents)? {
        let here = touched.values().filter(|(support, _)| {
            support.items.iter().any(|one| one.pr == review.pr && one.comments.contains(&answered))
        });
        let mut rules: Vec<RuleSupport> = here.map(|(support, _)| support.clone()).collect();
        for other in dissent::supported_by(tx, review, answered)? {
            if !touched.contains_key(&other.rule) {
                rules.push(other);
            }
        }
        for mut support in rules {
            // The extraction handles people who retract their own statement.
            let is_own = |one: &SupportItem| {
                one.comments.contains(&answered) && person(&one.reviewer) == person(&item.author)
            };
            if support.items.iter().any(is_own) {
                continue;
            }
            support.dissent.push(item.clone());
            left.insert(support.rule.clone());
            let news = touched.get(&support.rule).map_or(News::Quiet, |(_, news)| *news);
            touched.insert(support.rule.clone(), (support, news));
        }
    }
    Ok(())
}

/// Approves the rules that authorized people approve in an answer on the pull request.
pub(super) fn approve(
    tx: &dyn ReadTx,
    ruler: &RuleContext<'_>,
    review: &Review,
    agents: &[String],
    touched: &mut AffectedRules,
) -> Result<()> {
    if !ruler.settings.approval_by_reply || review.left_out.is_some() || review.is_past {
        return Ok(());
    }
    let of_review =
        (&review.reviewer, Some(review.authority), review.body.as_str(), review.submitted_at, None);
    let of_comments = review.comments.iter().map(|comment| {
        let is_own = person(&comment.author) == person(&review.reviewer);
        let authority = if is_own { Some(review.authority) } else { comment.authority };
        let answered = Some(comment.in_reply_to.unwrap_or(comment.id));
        (&comment.author, authority, comment.body.as_str(), comment.created_at, answered)
    });
    for (who, authority, text, at, answered) in std::iter::once(of_review).chain(of_comments) {
        if !authority.is_some_and(|authority| may_approve(&authority))
            || dissent::is_of_the_work(review, agents, who)
        {
            continue;
        }
        for id in approved(tx, review, touched, (text, answered))? {
            let known = match touched.get(&id) {
                Some((support, _)) => Some(support.clone()),
                None => tx.ledger().noun::<RuleSupport>(&review.memory, id.as_str())?,
            };
            let is_open = |one: &RuleSupport| {
                one.actor == *ruler.actor && one.closed.is_none() && one.approved.is_none()
            };
            let Some(mut support) = known.filter(is_open) else { continue };
            let reason = Some(format!("on pull request {}", review.pr));
            support.approved = Some(RuleDecided { by: format!("@{}", who.login), at, reason });
            touched.insert(id, (support, News::Approved));
        }
    }
    Ok(())
}

/// Returns the rules that a text approves: those that it names; if it names none, those that the
/// answered comment supports, or all that the review supports if the text is the review's own.
fn approved(
    tx: &dyn ReadTx,
    review: &Review,
    touched: &AffectedRules,
    (text, answered): (&str, Option<u64>),
) -> Result<Vec<RecordId>> {
    let mut ids = Vec::new();
    for named in text.lines().filter_map(|line| line.trim().strip_prefix(APPROVE)) {
        if !named.trim().is_empty() {
            ids.extend(RecordId::parse(named.trim()).ok().filter(|_| named.starts_with(' ')));
            continue;
        }
        let says = |item: &SupportItem| match answered {
            Some(comment) => item.pr == review.pr && item.comments.contains(&comment),
            None => (item.pr, item.review) == (review.pr, review.id),
        };
        let here = touched.iter().filter(|(_, (support, _))| support.items.iter().any(says));
        ids.extend(here.map(|(id, _)| id.clone()));
        if let Some(comment) = answered {
            ids.extend(dissent::supported_by(tx, review, comment)?.into_iter().map(|support| support.rule));
        }
    }
    Ok(ids)
}
