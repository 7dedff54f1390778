//! The steps of pull requests: opened, pushed to, ready, closed, merged, reverted, relanded, and
//! the checks of pushed commits.
//!
//! A pull request makes one step per round, and no push after a review of the same round to which
//! it would respond. The server processes a step by the current state at the forge, so it sees two
//! steps between two reads as one. All other events may arrive in any order.

use super::forge_state::{AGENT, Commit, PEOPLE, Pull, Stage, World};
use super::shapes;
use super::story::{Delivery, Story};

/// Pull requests that are planned for a round.
const PLANNED: u64 = 4;
/// The maximum number of open pull requests.
const OPEN_MAX: usize = 16;
/// The label of a pull request that is closed as replaced by another one.
const DUPLICATE: &str = "duplicate";

impl Story {
    /// Plans pull requests whose tasks must be known before the round.
    pub(super) fn plan(&mut self, world: &mut World) -> Vec<Pull> {
        let is_open = |pull: &&Pull| matches!(pull.stage, Stage::Planned | Stage::Open);
        let open = world.pulls.values().filter(is_open).count();
        let count = if open < OPEN_MAX { PLANNED } else { 0 };
        let first = world.pulls.len() as u64 + 1;
        let mut planned = Vec::new();
        for number in first..first + count {
            let (sha, at) = (world.sha(), world.tick());
            let pull = Pull {
                number,
                stage: Stage::Planned,
                is_draft: self.random.below(5) == 0,
                label: None,
                commits: vec![Commit { sha: sha.clone(), author: AGENT }],
                heads: vec![sha],
                merge_sha: None,
                revert_sha: None,
                created_s: at,
                updated_s: at,
                closed_s: None,
                moved_in: None,
                reviewed_in: None,
            };
            planned.push(pull.clone());
            world.pulls.insert(number, pull);
        }
        planned
    }

    pub(super) fn open(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let number = self.one(world.pulls.values(), |pull| pull.stage == Stage::Planned)?.number;
        let at = world.tick();
        let pull = world.pulls.get_mut(&number)?;
        (pull.stage, pull.created_s) = (Stage::Open, at);
        self.moved(world, number, "opened")
    }

    /// Makes the next step of a pull request that made none in this round.
    pub(super) fn move_on(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let round = self.round;
        let rests = |pull: &Pull| pull.moved_in.is_some_and(|last| last < round);
        let pull =
            self.one(world.pulls.values(), |pull| rests(pull) && pull.stage != Stage::Relanded)?.clone();
        let is_reviewed_now = pull.reviewed_in == Some(round);
        match (pull.stage, self.random.below(8)) {
            (Stage::Open, _) if pull.is_draft => {
                world.pulls.get_mut(&pull.number)?.is_draft = false;
                self.moved(world, pull.number, "ready_for_review")
            }
            (Stage::Open, 0..=2) if is_reviewed_now => None,
            (Stage::Open, 0..=2) => self.push(world, pull.number),
            (Stage::Open, 3) => self.check(world, &pull),
            (Stage::Open, 4) => self.close(world, pull.number),
            (Stage::Open, _) => self.merge(world, pull.number),
            (Stage::Merged, _) => self.revert(world, pull.number),
            (Stage::Reverted, _) => self.reland(world, pull.number),
            (Stage::Planned | Stage::Closed | Stage::Relanded, _) => None,
        }
    }

    fn push(&mut self, world: &mut World, number: u64) -> Option<Vec<Delivery>> {
        let author = if self.random.below(4) == 0 { *PEOPLE.first()? } else { AGENT };
        let sha = world.sha();
        let pull = world.pulls.get_mut(&number)?;
        pull.commits.push(Commit { sha: sha.clone(), author });
        pull.heads.push(sha);
        self.moved(world, number, "synchronize")
    }

    fn close(&mut self, world: &mut World, number: u64) -> Option<Vec<Delivery>> {
        let label = (self.random.below(3) == 0).then_some(DUPLICATE);
        let at = world.tick();
        let pull = world.pulls.get_mut(&number)?;
        (pull.stage, pull.label, pull.closed_s) = (Stage::Closed, label, Some(at));
        self.moved(world, number, "closed")
    }

    fn merge(&mut self, world: &mut World, number: u64) -> Option<Vec<Delivery>> {
        let (at, sha) = (world.tick(), world.sha());
        let pull = world.pulls.get_mut(&number)?;
        (pull.stage, pull.merge_sha, pull.closed_s) = (Stage::Merged, Some(sha), Some(at));
        self.moved(world, number, "closed")
    }

    fn revert(&mut self, world: &mut World, number: u64) -> Option<Vec<Delivery>> {
        let (at, sha, round) = (world.tick(), world.sha(), self.round);
        let pull = world.pulls.get_mut(&number)?;
        let body = shapes::reverting(&sha, pull.merge_sha.as_deref()?, at);
        (pull.stage, pull.revert_sha, pull.moved_in) = (Stage::Reverted, Some(sha), Some(round));
        Some(vec![self.news("push", &body)])
    }

    fn reland(&mut self, world: &mut World, number: u64) -> Option<Vec<Delivery>> {
        let (at, sha, round) = (world.tick(), world.sha(), self.round);
        let pull = world.pulls.get_mut(&number)?;
        let body = shapes::reverting(&sha, pull.revert_sha.as_deref()?, at);
        (pull.stage, pull.moved_in) = (Stage::Relanded, Some(round));
        Some(vec![self.news("push", &body)])
    }

    /// Ends two check suites of the first pushed commit and one of the last. The suite that ended
    /// first decides.
    fn check(&mut self, world: &mut World, pull: &Pull) -> Option<Vec<Delivery>> {
        let mut told = Vec::new();
        for sha in [pull.heads.first()?, pull.heads.first()?, pull.heads.last()?] {
            let (id, at, has_passed) = (world.number(), world.tick(), self.random.below(3) > 0);
            told.push(self.news("check_suite", &shapes::checked(id, sha, has_passed, at)));
        }
        Some(told)
    }

    fn moved(&mut self, world: &mut World, number: u64, action: &str) -> Option<Vec<Delivery>> {
        let at = world.tick();
        let pull = world.pulls.get_mut(&number)?;
        (pull.updated_s, pull.moved_in) = (at, Some(self.round));
        let body = shapes::about(world, world.pulls.get(&number)?, action, AGENT, &[]);
        Some(vec![self.news("pull_request", &body)])
    }
}
