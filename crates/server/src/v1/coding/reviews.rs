//! Reviews of pull requests: read from their forge, supplied by a caller that reads another forge,
//! or backfilled.

use loci_api::coding::review as shape;
use loci_api::coding::table as api;
use loci_coding::NewReview;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, ReviewComment, ReviewState};
use loci_model::{Error, Result, Timestamp};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::repo;

/// The default number of pull requests in a backfill.
const BACKFILLED: usize = 200;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::REVIEW_TAKE, take)
        .plain(api::REVIEWS_PULL, pull)
        .json(api::REVIEWS_REPROCESS, reprocess)
        .plain(api::REVIEWS_POLL, poll)
        .json(api::BACKFILL, backfill)
}

async fn take(call: Call, asked: shape::NewReview) -> Result<shape::ReviewsPulled> {
    let new = read(asked)?;
    let engine = &call.doors.engine;
    engine.coding.reviews_take(&call.caller, &standing(&call)?, &repo(&call)?, new).await
}

async fn pull(call: Call) -> Result<shape::ReviewsPulled> {
    let engine = &call.doors.engine;
    engine.coding.reviews_pull(&call.caller, &standing(&call)?, &repo(&call)?, pr(&call)?).await
}

async fn reprocess(call: Call, asked: shape::ReviewsReprocess) -> Result<shape::ReviewsPulled> {
    let (engine, which) = (&call.doors.engine, (pr(&call)?, asked.review_id));
    engine.coding.reviews_reprocess(&call.caller, &standing(&call)?, &repo(&call)?, which).await
}

async fn poll(call: Call) -> Result<shape::ReviewsPolled> {
    call.doors.engine.coding.reviews_poll(&call.caller, &standing(&call)?, &repo(&call)?).await
}

async fn backfill(call: Call, asked: shape::BackfillRequest) -> Result<shape::Backfill> {
    let which = (asked.reviews.unwrap_or(BACKFILLED), asked.dry_run);
    let engine = &call.doors.engine;
    let begun = engine.coding.reviews_backfill(&call.caller, &standing(&call)?, &repo(&call)?, which).await?;
    Ok(shape::Backfill { pull_requests: begun.pull_requests, job: begun.job.map(|job| job.to_string()) })
}

fn pr(call: &Call) -> Result<u64> {
    let number = call.path("pr")?.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Error::invalid("pr", "pr must be the number of a pull request"))
}

fn read(asked: shape::NewReview) -> Result<NewReview> {
    let state = ReviewState::parse(&asked.state.to_ascii_lowercase()).ok_or_else(|| {
        Error::invalid("state", "state must be commented, changes_requested, approved or dismissed")
    })?;
    let submitted_at = time("submitted_at", &asked.submitted_at)?;
    let (reviewer, guess) = person("author", asked.author.clone())?;
    let comments = asked.comments.into_iter().enumerate();
    let comments =
        comments.map(|(at, comment)| told(at, comment, (&asked.author, asked.review_id), submitted_at));
    Ok(NewReview {
        pr: asked.pr,
        pr_author: asked
            .pr_author
            .map(|author| person("pr_author", author))
            .transpose()?
            .map(|(user, _)| user),
        is_draft: asked.draft,
        head_ref: asked.branch,
        comments: comments.collect::<Result<_>>()?,
        review: ForgeReview {
            id: asked.review_id,
            reviewer,
            guess,
            state,
            body: asked.body,
            commit: asked.commit,
            url: asked.url,
            submitted_at,
            updated_at: None,
        },
    })
}

fn told(
    at: usize,
    asked: shape::NewReviewComment,
    (reviewer, review): (&shape::ReviewPerson, u64),
    submitted_at: Timestamp,
) -> Result<ForgeComment> {
    let field = |member: &str| format!("comments[{at}].{member}");
    let said = |member: &str, text: Option<&str>| text.map(|text| time(&field(member), text)).transpose();
    let created_at = said("created_at", asked.created_at.as_deref())?.unwrap_or(submitted_at);
    let updated_at = said("updated_at", asked.updated_at.as_deref())?.unwrap_or(created_at);
    let (author, authority) = person(&field("author"), asked.author.unwrap_or_else(|| reviewer.clone()))?;
    let comment = ReviewComment {
        id: asked.id,
        author,
        path: asked.path,
        line: asked.line,
        diff_hunk: None,
        body: asked.body,
        in_reply_to: asked.in_reply_to,
        is_resolved: asked.is_resolved,
        is_outdated: None,
        authority: Some(authority),
        url: None,
        created_at,
        updated_at,
    };
    Ok(ForgeComment { review: Some(review), comment })
}

/// Returns the person and their rights at the forge. Missing data counts as unknown.
fn person(field: &str, asked: shape::ReviewPerson) -> Result<(ForgeUser, Authority)> {
    let role = asked.role.as_deref().map(|word| {
        let rule = format!("{field}.role must be none, read, triage, write, maintain or admin");
        RepositoryRole::parse(word).ok_or_else(|| Error::invalid(format!("{field}.role"), rule))
    });
    let role = role.transpose()?;
    let authority =
        Authority { role: role.unwrap_or_default(), is_provisional: role.is_none(), ..Authority::default() };
    Ok((ForgeUser { id: asked.id, login: asked.login, is_bot: asked.is_bot }, authority))
}

fn time(field: &str, text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).map_err(|error| error.on(field))
}
