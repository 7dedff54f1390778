//! A forge that holds what a test puts there, counts what it is asked, and fails when it is told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use loci_model::Timestamp;
use loci_model::forge_news::{ToldComment, ToldReview};
use loci_model::ports::BoxFuture;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_model::ports::forge::{Forge, ForgePlace, ForgeRoom};
use loci_model::pull_request::{CheckSuite, PullRequest};
use loci_model::review::RepositoryRole;

/// What the forge holds.
#[derive(Default)]
pub(super) struct Held {
    pub(super) prs: BTreeMap<u64, PullRequest>,
    pub(super) reviews: BTreeMap<(u64, u64), ToldReview>,
    pub(super) comments: BTreeMap<u64, Vec<ToldComment>>,
    pub(super) roles: BTreeMap<String, RepositoryRole>,
    pub(super) checks: BTreeMap<String, Vec<CheckSuite>>,
    pub(super) threads: Vec<(u64, bool)>,
    pub(super) fails: Option<CodeError>,
    pub(super) room: Option<ForgeRoom>,
    asked: Vec<String>,
}

/// The forge.
#[derive(Clone, Default)]
pub(super) struct TestForge(Arc<Mutex<Held>>);

impl TestForge {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Held) -> T) -> T {
        work(&mut self.0.lock().unwrap())
    }

    /// What it was asked since this was called last.
    pub(super) fn asked(&self) -> Vec<String> {
        self.with(|held| std::mem::take(&mut held.asked))
    }

    fn answer<T: Send + 'static>(
        &self,
        what: String,
        read: impl FnOnce(&Held) -> T,
    ) -> BoxFuture<'_, CodeResult<T>> {
        let answer = self.with(|held| {
            held.asked.push(what);
            held.fails.clone().map_or_else(|| Ok(read(held)), Err)
        });
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
        self.answer(format!("pull {number}"), |held| held.prs.get(&number).cloned())
    }

    fn reviews<'a>(&'a self, _: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ToldReview>>> {
        let of = move |held: &Held| {
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
    ) -> BoxFuture<'a, CodeResult<Option<ToldReview>>> {
        self.answer(format!("review {id}"), |held| held.reviews.get(&(pr, id)).cloned())
    }

    fn comments<'a>(&'a self, _: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ToldComment>>> {
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
        let of = move |held: &Held| {
            let mut all: Vec<_> = held.prs.values().map(|pr| (pr.number, pr.updated_at)).collect();
            all.retain(|(_, at)| since.is_none_or(|since| *at >= since));
            all.sort_by_key(|(number, at)| std::cmp::Reverse((*at, *number)));
            all.truncate(count);
            all
        };
        self.answer("changed".to_owned(), of)
    }

    fn checks<'a>(&'a self, _: &'a ForgePlace, sha: &'a str) -> BoxFuture<'a, CodeResult<Vec<CheckSuite>>> {
        self.answer("checks".to_owned(), |held| held.checks.get(sha).cloned().unwrap_or_default())
    }

    fn room(&self, _: &str) -> Option<ForgeRoom> {
        self.with(|held| held.room)
    }
}
