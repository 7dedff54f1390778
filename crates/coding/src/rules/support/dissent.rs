//! Dissent: people who answer a reviewer that they disagree, or that a remark will not be followed.
//! Their weight is deducted from the rules that the remark supports. People with a low authority
//! deduct nothing, and each person counts once.

use loci_model::Result;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::tasks::review::{Authority, ForgeUser, Review, ReviewComment};
use loci_model::tasks::rule::{DissentItem, ReviewYield, RuleSupport};

use super::weights::person;
use crate::rules::extraction::{Reason, ReviewText, extract};
use crate::rules::statement_metadata::excerpt;

/// The maximum number of reviews of one pull request that are read.
const REVIEWS_MAX: usize = 200;
/// Phrases for a remark that will not be followed, in lower case.
const WONT_FIX: &[&str] = &[
    "won't fix",
    "wontfix",
    "won't do",
    "will not fix",
    "not going to",
    "by design",
    "works as intended",
    "as intended",
    "intentional",
    "out of scope",
];

/// Returns the dissent in a review, each with the comment that it answers.
pub(in crate::rules) fn dissents(
    tx: &dyn ReadTx,
    review: &Review,
    agents: &[String],
) -> Result<Vec<(u64, DissentItem)>> {
    let mut found = Vec::new();
    for comment in &review.comments {
        let Some(answered) = comment.in_reply_to else { continue };
        if is_of_the_work(review, agents, &comment.author) || !speaks_against(comment) {
            continue;
        }
        let Some(authority) = authority_of(tx, review, comment)? else { continue };
        let item = DissentItem {
            pr: review.pr,
            review: review.id,
            comment: comment.id,
            author: comment.author.clone(),
            authority,
            at: comment.created_at,
            excerpt: excerpt(&comment.body),
        };
        found.push((answered, item));
    }
    Ok(found)
}

/// True for people whose words do not count on a pull request: its author, agents and programs.
pub(in crate::rules) fn is_of_the_work(review: &Review, agents: &[String], who: &ForgeUser) -> bool {
    let is_agent = || agents.iter().any(|login| login.eq_ignore_ascii_case(&who.login));
    who.is_bot || person(who) == person(&review.pr_author) || is_agent()
}

fn speaks_against(comment: &ReviewComment) -> bool {
    let words = comment.body.to_lowercase().replace('’', "'");
    let is_refused =
        comment.is_resolved == Some(true) && WONT_FIX.iter().any(|phrase| words.contains(phrase));
    let read = extract(&ReviewText::of_comment(comment.id, comment.body.clone(), comment.path.clone()));
    is_refused || read.refused.iter().any(|refused| refused.reason == Reason::Disagreement)
}

/// Returns the authority of a person who answers: from the forge, or from their own reviews of the
/// pull request.
fn authority_of(tx: &dyn ReadTx, review: &Review, comment: &ReviewComment) -> Result<Option<Authority>> {
    let who = person(&comment.author);
    if who == person(&review.reviewer) {
        return Ok(Some(review.authority));
    }
    if comment.authority.is_some() {
        return Ok(comment.authority);
    }
    let reviews = of_pull_request(tx, review)?;
    Ok(reviews.into_iter().find(|other| person(&other.reviewer) == who).map(|other| other.authority))
}

fn of_pull_request(tx: &dyn ReadTx, review: &Review) -> Result<Vec<Review>> {
    tx.ledger().nouns(&LedgerPage {
        memory: review.memory.clone(),
        shelf: Review::SHELF,
        actor: None,
        subject: Some(Review::subject_of(&review.repository, review.pr)),
        after: None,
        limit: REVIEWS_MAX,
    })
}

/// Returns the rules that a comment of a pull request supports, by the results of its reviews.
pub(in crate::rules) fn supported_by(
    tx: &dyn ReadTx,
    review: &Review,
    comment: u64,
) -> Result<Vec<RuleSupport>> {
    let mut found: Vec<RuleSupport> = Vec::new();
    for other in of_pull_request(tx, review)? {
        let key = Review::key_of(&other.repository, other.pr, other.id);
        let left: Option<ReviewYield> = tx.ledger().noun(&review.memory, &key)?;
        for id in left.map(|left| left.rules).unwrap_or_default() {
            if found.iter().any(|support| support.rule == id) {
                continue;
            }
            let support: Option<RuleSupport> = tx.ledger().noun(&review.memory, id.as_str())?;
            let says = |support: &RuleSupport| {
                support.items.iter().any(|item| item.pr == review.pr && item.comments.contains(&comment))
            };
            found.extend(support.filter(says));
        }
    }
    Ok(found)
}
