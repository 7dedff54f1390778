//! Answers on a pull request that are about its rules: those that speak against one, and a maintainer's word that puts one in force
//! (coding-agent-memory.md §12.2).

use std::collections::BTreeSet;

use loci_model::ports::store::ReadTx;
use loci_model::review::Review;
use loci_model::rule::{RuleDecided, RuleSupport, SupportItem};
use loci_model::{RecordId, Result};

use super::dissenting;
use super::settling::{News, Ruler};
use super::taking::Touched;
use super::weighing::{may_approve, person};

/// How somebody approves a rule in an answer.
const APPROVE: &str = "/loci approve ";

/// What the review says against rules.
pub(super) fn oppose(
    tx: &dyn ReadTx,
    review: &Review,
    agents: &[String],
    touched: &mut Touched,
    left: &mut BTreeSet<RecordId>,
) -> Result<()> {
    if review.left_out.is_some() {
        return Ok(());
    }
    for (answered, item) in dissenting::dissents(tx, review, agents)? {
        let here = touched.values().filter(|(support, _)| {
            support.items.iter().any(|one| one.pr == review.pr && one.comments.contains(&answered))
        });
        let mut rules: Vec<RuleSupport> = here.map(|(support, _)| support.clone()).collect();
        for other in dissenting::supported_by(tx, review, answered)? {
            if !touched.contains_key(&other.rule) {
                rules.push(other);
            }
        }
        for mut support in rules {
            // Whoever takes back their own word is heard by the extraction.
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

/// Rules that somebody approves who may, in an answer on the pull request.
pub(super) fn approve(
    tx: &dyn ReadTx,
    ruler: &Ruler<'_>,
    review: &Review,
    agents: &[String],
    touched: &mut Touched,
) -> Result<()> {
    if !ruler.settings.approval_by_reply || review.left_out.is_some() || review.is_past {
        return Ok(());
    }
    let of_review = (&review.reviewer, Some(review.authority), review.body.as_str(), review.submitted_at);
    let of_comments = review.comments.iter().map(|comment| {
        let is_own = person(&comment.author) == person(&review.reviewer);
        let authority = if is_own { Some(review.authority) } else { comment.authority };
        (&comment.author, authority, comment.body.as_str(), comment.created_at)
    });
    for (who, authority, text, at) in std::iter::once(of_review).chain(of_comments) {
        if !authority.is_some_and(|authority| may_approve(&authority))
            || dissenting::is_of_the_work(review, agents, who)
        {
            continue;
        }
        for id in text.lines().filter_map(|line| line.trim().strip_prefix(APPROVE)) {
            let Ok(id) = RecordId::parse(id.trim()) else { continue };
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
