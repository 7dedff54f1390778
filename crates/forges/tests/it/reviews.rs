//! Tests pull requests and reviews: complete lists, requests and headers, the cost of an unchanged
//! page, and the handling of refusals.

use loci_model::facts::verdict::Unverifiable;
use loci_model::limits;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::forge::{Forge as _, ForgePlace};
use loci_model::tasks::review::{RepositoryRole, ReviewState};
use serde_json::{Value, json};

use crate::fixture::{TOKEN, World, plain};
use crate::test_forge::{Hub, Repo, Wrong};

fn place() -> ForgePlace {
    ForgePlace { host: "GitHub.com".to_owned(), path: "o/r".to_owned() }
}

fn alice() -> Value {
    json!({"login": "alice", "id": 5, "type": "User"})
}

fn comment(id: u64) -> Value {
    json!({"id": id, "pull_request_review_id": 80, "in_reply_to_id": null, "path": "src/a.rs", "line": null, "original_line": 4,
        "diff_hunk": "@@", "body": format!("comment {id}"), "user": alice(), "author_association": "CONTRIBUTOR",
        "created_at": "2026-11-22T08:00:00Z", "updated_at": "2026-11-22T08:00:00Z", "html_url": "x"})
}

fn pull(number: u64, updated_at: &str) -> Value {
    json!({"number": number, "id": number, "state": "closed", "user": alice(), "title": "T", "body": null, "draft": false,
        "merged_at": "2026-11-22T09:00:00Z", "merged_by": alice(), "merge_commit_sha": "m", "closed_at": "2026-11-22T09:00:00Z",
        "head": {"ref": "x", "sha": "a", "repo": {"id": 9}}, "base": {"ref": "main", "sha": "b", "repo": {"id": 7}},
        "labels": [{"name": "bug"}], "additions": 3, "created_at": "2026-11-20T08:00:00Z", "updated_at": updated_at})
}

async fn hub() -> (Hub, World) {
    let hub = Hub::start(vec![Repo::new(7, "o/r")]).await;
    let world = plain(&hub);
    (hub, world)
}

#[tokio::test]
async fn a65_lists_are_read_beyond_a_hundred_and_unchanged_pages_are_free() {
    let (hub, world) = hub().await;
    let path = "pulls/7/comments".to_owned();
    hub.model().lists.insert(path.clone(), (1..=250).rev().map(comment).collect());
    let read = world.forges.comments(&place(), 7).await.unwrap();
    assert_eq!(read.iter().map(|told| told.comment.id).collect::<Vec<_>>(), (1..=250).collect::<Vec<_>>());
    assert_eq!((read[0].review, read[0].comment.line), (Some(80), Some(4)));
    let seen = hub.seen();
    assert_eq!(seen.len(), 3);
    for one in &seen {
        assert!(one.path.contains("per_page=100"), "{}", one.path);
        assert_eq!(one.headers["x-github-api-version"], "2022-11-28");
        assert_eq!(one.headers["accept"], "application/vnd.github+json");
        assert_eq!(one.headers["authorization"], format!("Bearer {TOKEN}"));
    }
    assert_eq!(world.forges.comments(&place(), 7).await.unwrap().len(), 250);
    assert!(hub.seen().iter().all(|one| one.status == 304));
    hub.model().lists.insert(path, vec![comment(1)]);
    assert_eq!(world.forges.comments(&place(), 7).await.unwrap().len(), 1);
}

#[tokio::test]
async fn pull_requests_reviews_roles_and_checks() {
    let (hub, world) = hub().await;
    let review = |id: u64, state: &str| {
        json!({"id": id, "user": alice(), "body": null, "state": state, "commit_id": "a", "submitted_at": "2026-11-22T08:00:00Z",
            "author_association": "MEMBER"})
    };
    {
        let mut model = hub.model();
        let (lists, objects) = (["pulls/7/reviews", "pulls/7/commits"], ["pulls/7", "pulls/7/reviews/80"]);
        model.lists.insert(lists[0].to_owned(), vec![review(81, "PENDING"), review(80, "CHANGES_REQUESTED")]);
        let commit = |author: Value| json!({"sha": "a", "author": author, "commit": {"message": "Add\n\nTask-Id: t-1"}});
        let authors = [json!(null), json!({}), alice()];
        model.lists.insert(lists[1].to_owned(), authors.into_iter().map(commit).collect());
        model.objects.insert(objects[0].to_owned(), pull(7, "2026-11-22T09:00:00Z"));
        model.objects.insert(objects[1].to_owned(), review(80, "APPROVED"));
        let permission = json!({"permission": "write", "role_name": "maintain", "user": alice()});
        model.objects.insert("collaborators/alice/permission".to_owned(), permission);
        let suite = |id: u64, status: &str| json!({"id": id, "head_sha": "a", "status": status, "conclusion": "success", "updated_at": "2026-11-22T09:00:00Z"});
        let suites = json!({"total_count": 2, "check_suites": [suite(1, "completed"), suite(2, "queued")]});
        model.objects.insert("commits/a/check-suites".to_owned(), suites);
    }
    let forges = &world.forges;
    let pr = forges.pull_request(&place(), 7).await.unwrap().unwrap();
    assert!(pr.is_fork && !pr.is_open && pr.merged_at.is_some() && pr.labels == ["bug"] && pr.additions == 3);
    assert!(pr.commits[0].message.ends_with("Task-Id: t-1"));
    let authors: Vec<_> = pr.commits.iter().map(|one| one.author.as_ref().map(|author| author.id)).collect();
    assert_eq!(authors, [None, None, Some(5)], "`{{}}` is told of an address that is nobody's");
    let reviews = forges.reviews(&place(), 7).await.unwrap();
    assert_eq!(
        reviews.iter().map(|told| (told.id, told.state)).collect::<Vec<_>>(),
        [(80, ReviewState::ChangesRequested)]
    );
    assert_eq!(forges.review(&place(), 7, 80).await.unwrap().unwrap().state, ReviewState::Approved);
    assert_eq!(forges.review(&place(), 7, 99).await.unwrap(), None);
    assert_eq!(forges.pull_request(&place(), 99).await.unwrap(), None);
    assert_eq!(forges.role(&place(), "alice").await.unwrap(), RepositoryRole::Maintain);
    assert_eq!(forges.role(&place(), "nobody").await.unwrap(), RepositoryRole::None);
    assert_eq!(forges.role(&place(), "..").await.unwrap(), RepositoryRole::None);
    assert_eq!(forges.checks(&place(), "a").await.unwrap().len(), 1);
    let threads = json!({"data": {"repository": {"pullRequest": {"reviewThreads": {
        "pageInfo": {"hasNextPage": false, "endCursor": "x"},
        "nodes": [{"isResolved": true, "comments": {"nodes": [{"databaseId": 800}]}},
            {"isResolved": false, "comments": {"nodes": [{"databaseId": 801}]}}]}}}}});
    hub.model().objects.insert("graphql".to_owned(), threads);
    assert_eq!(forges.threads(&place(), 7).await.unwrap(), [(800, true), (801, false)]);
    let elsewhere = ForgePlace { host: "git.example.org".to_owned(), ..place() };
    assert_eq!(forges.reviews(&elsewhere, 7).await.unwrap_err().why, Unverifiable::Auth);
    assert!(!forges.reads("git.example.org") && forges.reads("GITHUB.com"));
}

#[tokio::test]
async fn changed_pull_requests_are_read_no_further_than_wanted() {
    let (hub, world) = hub().await;
    let day = |number: u64| format!("2026-11-{:02}T00:00:00Z", 1 + number / 10);
    hub.model().lists.insert("pulls".to_owned(), (1..=250).rev().map(|n| pull(n, &day(n))).collect());
    let since = Some(loci_model::Timestamp::parse("2026-11-21T00:00:00Z").unwrap());
    let changed = world.forges.changed(&place(), since, 1_000).await.unwrap();
    assert_eq!((changed.len(), changed[0].0, changed[50].0), (51, 250, 200));
    assert_eq!(hub.seen().len(), 1, "what is older is not asked for");
    let oldest = world.forges.changed(&place(), since, 20).await.unwrap();
    assert_eq!((oldest.len(), oldest[0].0, oldest[19].0), (20, 219, 200), "nothing is skipped");
    hub.seen();
    assert_eq!(world.forges.changed(&place(), None, 120).await.unwrap().len(), 120);
    assert_eq!(hub.seen().len(), 2);
}

#[tokio::test]
async fn commits_of_the_default_branch_are_read_no_further_than_wanted() {
    let (hub, world) = hub().await;
    let commit = |number: u64| {
        json!({"sha": format!("c{number}"), "author": alice(), "commit": {"message": "This reverts commit x.",
            "committer": {"name": "Alice", "date": "2026-11-22T08:00:00Z"}}})
    };
    hub.model().lists.insert("commits".to_owned(), (1..=250).rev().map(commit).collect());
    let since = loci_model::Timestamp::parse("2026-11-21T00:00:00Z").unwrap();
    let landed = world.forges.landed(&place(), since, 1_000).await.unwrap();
    assert_eq!((landed.len(), landed[0].0.sha.as_str()), (250, "c250"));
    assert_eq!(landed[0].1, loci_model::Timestamp::parse("2026-11-22T08:00:00Z").unwrap());
    let seen = hub.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen[0].path.ends_with("commits?since=2026-11-21T00:00:00Z&per_page=100"), "{}", seen[0].path);
    assert_eq!(world.forges.landed(&place(), since, 120).await.unwrap().len(), 120);
    assert!(hub.seen().iter().all(|one| one.status == 304), "asked the same again, it costs nothing");
}

#[tokio::test]
async fn a_list_is_read_to_its_last_page_or_refused() {
    let most = limits::FORGE_PAGES_MAX as u64 * 100;
    let since = Some(loci_model::Timestamp::parse("2026-11-01T00:00:00Z").unwrap());
    let of = |count: u64| (1..=count).rev().map(|n| pull(n, "2026-11-22T09:00:00Z")).collect::<Vec<_>>();
    let (whole, world) = hub().await;
    whole.model().lists.insert("pulls".to_owned(), of(most));
    let changed = world.forges.changed(&place(), since, 500).await.unwrap();
    assert_eq!((changed.len(), changed[499].0), (500, 1));
    let (longer, world) = hub().await;
    longer.model().lists.insert("pulls".to_owned(), of(most + 1));
    let refused = world.forges.changed(&place(), since, 500).await.unwrap_err();
    assert_eq!(refused.why, Unverifiable::TooLarge);
    assert!(refused.detail.contains("10000 entries were, and there are more"), "{}", refused.detail);
    assert_eq!(world.forges.changed(&place(), None, 200).await.unwrap().len(), 200);
}

#[tokio::test]
async fn a64_limits_are_honoured_and_pauses_grow_where_none_is_said() {
    let (hub, world) = hub().await;
    hub.model().lists.insert("pulls/7/comments".to_owned(), vec![comment(1)]);
    hub.model().left = Some(77);
    let place = place();
    let ask = || world.forges.comments(&place, 7);
    ask().await.unwrap();
    let room = world.forges.room("github.com").unwrap();
    assert_eq!((room.limit, room.left, room.whole_at.millis()), (5_000, 77, 1_800_000_000_000));
    let secondary = "{\"message\":\"You have exceeded a secondary rate limit\"}";
    for pause in [60_000, 120_000, 240_000] {
        hub.model().wrong = vec![("comments".to_owned(), 1, Wrong::Says(403, vec![], secondary))];
        let refused = ask().await.unwrap_err();
        assert_eq!((refused.why, refused.retry_after_ms), (Unverifiable::Rate, Some(pause)));
        hub.seen();
        assert_eq!(ask().await.unwrap_err().why, Unverifiable::Rate);
        assert_eq!(hub.seen().len(), 0, "it is left alone");
        world.clock.advance_ms(pause);
    }
    ask().await.unwrap();
    let asked = vec![("retry-after", "7".to_owned())];
    hub.model().wrong = vec![("comments".to_owned(), 1, Wrong::Says(429, asked, ""))];
    assert_eq!(ask().await.unwrap_err().retry_after_ms, Some(7_000));
    world.clock.advance_ms(7_000);
    let reset = (world.clock.now().millis() / 1_000 + 90).to_string();
    let used_up = vec![("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", reset)];
    hub.model().wrong = vec![("comments".to_owned(), 1, Wrong::Says(403, used_up, "{}"))];
    assert_eq!(ask().await.unwrap_err().retry_after_ms, Some(90_000));
}

#[tokio::test]
async fn a_list_never_leads_to_another_host() {
    let (hub, world) = hub().await;
    let link = vec![(
        "link",
        "<https://evil.example.org/repositories/7/pulls/7/comments?page=2>; rel=\"next\"".to_owned(),
    )];
    hub.model().wrong = vec![("comments".to_owned(), 1, Wrong::Says(200, link, "[]"))];
    assert_eq!(world.forges.comments(&place(), 7).await.unwrap().len(), 0);
    assert_eq!(hub.seen().len(), 1);
    let moved = vec![("location", "https://evil.example.org/x".to_owned())];
    hub.model().wrong = vec![("comments".to_owned(), 1, Wrong::Says(302, moved, ""))];
    let refused = world.forges.comments(&place(), 7).await.unwrap_err();
    assert!(!format!("{refused:?}").contains("hidden"), "{refused:?}");
    assert_eq!(hub.seen().len(), 1);
}
