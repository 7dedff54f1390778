//! The reasons to extract nothing from a review. Pure.

use loci_model::facts::repository::ReviewIntake;
use loci_model::tasks::pull_request::PullRequest;
use loci_model::tasks::review::ForgeUser;

/// The pull request is a draft. Its reviews count when it is no longer a draft.
pub(super) const DRAFT: &str = "draft";

/// Returns the reason, as one word, to extract nothing from a review.
pub(super) fn why(
    intake: &ReviewIntake,
    reviewer: &ForgeUser,
    pr: &PullRequest,
    has_task: bool,
) -> Option<&'static str> {
    if is_among(intake.agent_logins.as_deref(), reviewer) {
        return Some("agent");
    }
    if counted(intake, reviewer).is_bot {
        return Some("bot");
    }
    if is_same(reviewer, &pr.author) {
        return Some("pr_author");
    }
    if pr.is_draft && intake.ignore_drafts.unwrap_or(true) {
        return Some(DRAFT);
    }
    (!has_task && !intake.accept_unmapped_prs.unwrap_or(true)).then_some("unmapped")
}

/// Returns an account as it counts: a program that the repository allows counts as a person.
/// Readers of a review check only `is_bot` of its authors.
pub(super) fn counted(intake: &ReviewIntake, user: &ForgeUser) -> ForgeUser {
    // The agent must not learn from itself, even if a setting allows its account.
    let is_agent = is_among(intake.agent_logins.as_deref(), user);
    let is_allowed = !is_agent && is_among(intake.allow_bots.as_deref(), user);
    ForgeUser { is_bot: user.is_bot && !is_allowed, ..user.clone() }
}

fn is_among(logins: Option<&[String]>, user: &ForgeUser) -> bool {
    logins.unwrap_or_default().iter().any(|login| login.eq_ignore_ascii_case(&user.login))
}

/// Compares accounts by number, or by login without one.
fn is_same(one: &ForgeUser, other: &ForgeUser) -> bool {
    match (one.id, other.id) {
        (0, _) | (_, 0) => !one.login.is_empty() && one.login.eq_ignore_ascii_case(&other.login),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::review_assembly::tests::pull_request;
    use super::*;

    fn user(id: u64, login: &str, is_bot: bool) -> ForgeUser {
        ForgeUser { id, login: login.to_owned(), is_bot }
    }

    #[test]
    fn a55_bots_the_author_and_the_agent_are_left_out() {
        let intake = ReviewIntake {
            agent_logins: Some(vec!["shop-agent[bot]".to_owned()]),
            allow_bots: Some(vec!["lint[bot]".to_owned(), "shop-agent[bot]".to_owned()]),
            ..ReviewIntake::default()
        };
        let (mut pr, mut strict) = (pull_request(7), intake.clone());
        pr.author = user(9, "bob", false);
        let why = |reviewer: &ForgeUser| super::why(&intake, reviewer, &pr, false);
        assert_eq!(why(&user(5, "alice", false)), None);
        assert_eq!(why(&user(6, "dependabot[bot]", true)), Some("bot"));
        assert_eq!(why(&user(7, "Lint[bot]", true)), None);
        assert_eq!(why(&user(8, "shop-agent[bot]", true)), Some("agent"));
        assert_eq!(why(&user(9, "renamed", false)), Some("pr_author"));
        assert_eq!(why(&user(0, "BOB", false)), Some("pr_author"));
        let is_bot = |user: &ForgeUser| counted(&intake, user).is_bot;
        assert!(!is_bot(&user(5, "alice", false)) && !is_bot(&user(7, "Lint[bot]", true)));
        assert!(is_bot(&user(6, "dependabot[bot]", true)) && is_bot(&user(8, "shop-agent[bot]", true)));
        pr.is_draft = true;
        assert_eq!(super::why(&intake, &user(5, "alice", false), &pr, true), Some("draft"));
        strict.ignore_drafts = Some(false);
        strict.accept_unmapped_prs = Some(false);
        assert_eq!(super::why(&strict, &user(5, "alice", false), &pr, true), None);
        assert_eq!(super::why(&strict, &user(5, "alice", false), &pr, false), Some("unmapped"));
    }
}
