//! A forge with the data of a test, which counts its requests and fails on demand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_model::ports::forge::{Forge, ForgePlace, ForgeRoom};
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::RepositoryRole;
use loci_testkit_ports::ManualClock;

/// The data of the forge.
#[derive(Default)]
pub(super) struct TestForgeData {
    pub(super) prs: BTreeMap<u64, PullRequest>,
    pub(super) reviews: BTreeMap<(u64, u64), ForgeReview>,
    pub(super) comments: BTreeMap<u64, Vec<ForgeComment>>,
    pub(super) roles: BTreeMap<String, RepositoryRole>,
    pub(super) checks: BTreeMap<String, Vec<CheckSuite>>,
    pub(super) threads: Vec<(u64, bool)>,
    /// Commits of the default branch, the latest first.
    pub(super) landed: Vec<(PullRequestCommit, Timestamp)>,
    pub(super) fails: Option<CodeError>,
    /// Pull requests that cannot be read; `None` means missing although listed.
    pub(super) broken: BTreeMap<u64, Option<CodeError>>,
    /// True to panic on the next request.
    pub(super) kills: bool,
    pub(super) asked_in_vain: usize,
    /// Clock that each response advances by one second.
    pub(super) clock: Option<ManualClock>,
    pub(super) room: Option<ForgeRoom>,
    /// An action that runs once during this request.
    pub(super) meanwhile: Option<(String, Box<dyn FnOnce() + Send>)>,
    asked: Vec<String>,
}

/// The forge.
#[derive(Clone, Default)]
pub(super) struct TestForge(Arc<Mutex<TestForgeData>>);

impl TestForge {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut TestForgeData) -> T) -> T {
        work(&mut self.0.lock().unwrap())
    }

    /// Returns the requests since the last call.
    pub(super) fn asked(&self) -> Vec<String> {
        self.with(|held| std::mem::take(&mut held.asked))
    }

    fn answer<T: Send + 'static>(
        &self,
        what: String,
        read: impl FnOnce(&TestForgeData) -> T,
    ) -> BoxFuture<'_, CodeResult<T>> {
        let is_killed = self.with(|held| {
            held.asked_in_vain += usize::from(held.kills);
            held.kills
        });
        assert!(!is_killed, "somebody asked");
        if let Some((_, happens)) = self.with(|held| held.meanwhile.take_if(|(of, _)| *of == what)) {
            // On another thread, because it may drive the engine too.
            std::thread::spawn(happens).join().unwrap();
        }
        let answer = self.with(|held| {
            held.asked.push(what);
            held.fails.clone().map_or_else(|| Ok(read(held)), Err)
        });
        if let Some(clock) = self.with(|held| held.clock.clone()) {
            clock.advance_ms(1_000);
        }
        Box::pin(std::future::ready(answer))
    }
}

impl Forge for TestForge {
    fn reads(&self, host: &str) -> bool {
        host == "github.com"
    }

    fn pull_request<'a>(
        &'a self,
        _: &'a ForgePlace,
        number: u64,
    ) -> BoxFuture<'a, CodeResult<Option<PullRequest>>> {
        if let Some(error) = self.with(|held| held.broken.get(&number).cloned()) {
            return Box::pin(std::future::ready(error.map_or(Ok(None), Err)));
        }
        self.answer(format!("pull {number}"), |held| held.prs.get(&number).cloned())
    }

    fn reviews<'a>(&'a self, _: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ForgeReview>>> {
        let of = move |held: &TestForgeData| {
            let all = held.reviews.iter().filter(|((of, _), _)| *of == pr);
            all.map(|(_, review)| review.clone()).collect()
        };
        self.answer(format!("reviews {pr}"), of)
    }

    fn review<'a>(
        &'a self,
        _: &'a ForgePlace,
        pr: u64,
        id: u64,
    ) -> BoxFuture<'a, CodeResult<Option<ForgeReview>>> {
        self.answer(format!("review {id}"), |held| held.reviews.get(&(pr, id)).cloned())
    }

    fn comments<'a>(&'a self, _: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ForgeComment>>> {
        self.answer(format!("comments {pr}"), |held| held.comments.get(&pr).cloned().unwrap_or_default())
    }

    fn threads<'a>(&'a self, _: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<(u64, bool)>>> {
        self.answer(format!("threads {pr}"), |held| held.threads.clone())
    }

    fn role<'a>(&'a self, _: &'a ForgePlace, login: &'a str) -> BoxFuture<'a, CodeResult<RepositoryRole>> {
        self.answer(format!("role {login}"), |held| held.roles.get(login).copied().unwrap_or_default())
    }

    fn changed<'a>(
        &'a self,
        _: &'a ForgePlace,
        since: Option<Timestamp>,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(u64, Timestamp)>>> {
        let of = move |held: &TestForgeData| {
            let mut all: Vec<_> = held.prs.values().map(|pr| (pr.number, pr.updated_at)).collect();
            all.retain(|(_, at)| since.is_none_or(|since| *at >= since));
            all.sort_by_key(|(number, at)| std::cmp::Reverse((*at, *number)));
            match since {
                Some(_) => drop(all.drain(..all.len().saturating_sub(count))),
                None => all.truncate(count),
            }
            all
        };
        self.answer("changed".to_owned(), of)
    }

    fn landed<'a>(
        &'a self,
        _: &'a ForgePlace,
        since: Timestamp,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(PullRequestCommit, Timestamp)>>> {
        let of = move |held: &TestForgeData| {
            let within = held.landed.iter().filter(|(_, at)| *at >= since).take(count);
            within.cloned().collect()
        };
        self.answer("landed".to_owned(), of)
    }

    fn checks<'a>(&'a self, _: &'a ForgePlace, sha: &'a str) -> BoxFuture<'a, CodeResult<Vec<CheckSuite>>> {
        self.answer("checks".to_owned(), |held| held.checks.get(sha).cloned().unwrap_or_default())
    }

    fn room(&self, _: &str) -> Option<ForgeRoom> {
        self.with(|held| held.room)
    }
}
