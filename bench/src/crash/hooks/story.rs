//! The story: a seeded sequence of events in the repository, and the deliveries by which a forge
//! reports them. `moves` has the steps of pull requests. `delivery_sender` decides when and how
//! often deliveries are sent.

use serde_json::{Value, json};

use super::forge_state::{Comment, PEOPLE, Person, Review, Stage, World};
use super::shapes;
use super::words::{ANSWERS, FILLERS, SENTENCES, text};
use crate::seeded_random::Seeded;

/// The expected handling of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is processed.
    News,
    /// It is ignored, because its event has no effect.
    Useless,
    /// It belongs to an unknown repository.
    Elsewhere,
    /// Its signature is wrong: it is rejected, and leaves no data.
    Forged,
}

/// A webhook.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) guid: String,
    pub(super) event: &'static str,
    pub(super) body: String,
    pub(super) kind: Kind,
}

/// Files with comments.
const PATHS: &[&str] = &["src/page.rs", "src/cart.rs", "web/list.ts"];
/// States with which a review is submitted.
const STATES: &[&str] = &["changes_requested", "changes_requested", "commented", "approved"];
/// The maximum number of comments of one review.
const COMMENTS_MAX: u64 = 3;

/// The generator of the story.
pub(super) struct Story {
    pub(super) random: Seeded,
    pub(super) round: u32,
    /// The number of deliveries so far, from which they get their numbers.
    told: u64,
}

impl Story {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Seeded::new(seed ^ 0x5702), round: 0, told: 0 }
    }

    /// Makes the next event happen. Returns no delivery if the event is impossible.
    pub(super) fn next(&mut self, world: &mut World) -> Vec<Delivery> {
        let told = match self.random.below(22) {
            0..=3 => self.open(world),
            4..=9 => self.review(world),
            10 | 11 => self.answer(world),
            12 => self.edit_review(world),
            13 => self.edit_comment(world),
            14 => self.delete_comment(world),
            15 => self.dismiss(world),
            16 => self.resolve(world),
            17..=20 => self.move_on(world),
            _ => Some(vec![self.noise()]),
        };
        told.unwrap_or_default()
    }

    /// Creates a delivery that the server must process.
    pub(super) fn news(&mut self, event: &'static str, body: &Value) -> Delivery {
        self.delivery(event, body, Kind::News)
    }

    fn delivery(&mut self, event: &'static str, body: &Value, kind: Kind) -> Delivery {
        self.told += 1;
        Delivery { guid: format!("d-{:06}", self.told), event, body: body.to_string(), kind }
    }

    /// Returns a random item for which `fits` is true.
    pub(super) fn one<'w, T>(
        &mut self,
        all: impl IntoIterator<Item = &'w T>,
        fits: impl Fn(&T) -> bool,
    ) -> Option<&'w T> {
        let fitting: Vec<&T> = all.into_iter().filter(|one| fits(one)).collect();
        self.random.pick(&fitting).copied()
    }

    fn person(&mut self) -> Option<Person> {
        self.random.pick(PEOPLE).copied()
    }

    /// Returns up to `sentences` sentences with a filler.
    fn words(&mut self, sentences: u64) -> String {
        let filler = self.random.below(FILLERS.len() as u64) as usize;
        let mut said: Vec<usize> = (0..self.random.below(sentences + 1))
            .map(|_| self.random.below(SENTENCES.len() as u64) as usize)
            .collect();
        said.sort_unstable();
        said.dedup();
        text(filler, &said)
    }

    fn review(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let round = self.round;
        let pr = self.one(world.pulls.values(), |pull| pull.stage == Stage::Open)?.number;
        let (reviewer, body) = (self.person()?, self.words(2));
        let state = self.random.pick(STATES).copied()?;
        let (id, at) = (world.number(), world.tick());
        let commit = world.pulls.get(&pr)?.head().to_owned();
        world.reviews.insert(id, Review { id, pr, reviewer, state, body, commit, submitted_s: at });
        let mut comments = Vec::new();
        for _ in 0..self.random.below(COMMENTS_MAX + 1) {
            let body = self.words(1);
            let body = if body.is_empty() { "Why is this needed?".to_owned() } else { body };
            comments.push(self.comment(world, (pr, id), reviewer, None, body)?);
        }
        let pull = world.pulls.get_mut(&pr)?;
        (pull.reviewed_in, pull.updated_s) = (Some(round), at);
        let mut told = vec![self.of_review(world, id, "submitted")?];
        for comment in comments {
            told.push(self.of_comment(world, comment, "created")?);
        }
        Some(told)
    }

    fn comment(
        &mut self,
        world: &mut World,
        (pr, review): (u64, u64),
        author: Person,
        answers: Option<u64>,
        body: String,
    ) -> Option<u64> {
        let (id, at, path) = (world.number(), world.tick(), self.random.pick(PATHS).copied()?);
        let (is_resolved, created_s, updated_s) = (false, at, at);
        let comment =
            Comment { id, pr, review, author, answers, body, path, is_resolved, created_s, updated_s };
        world.comments.insert(id, comment);
        Some(id)
    }

    /// Replies in a thread, of which a forge makes a review. Nobody replies to their own comment,
    /// because that would withdraw it.
    fn answer(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let (author, body) = (self.person()?, self.random.pick(ANSWERS).copied()?);
        let fits = |one: &Comment| one.answers.is_none() && one.author != author;
        let (root, pr) = self.one(world.comments.values(), fits).map(|one| (one.id, one.pr))?;
        let (id, at) = (world.number(), world.tick());
        let commit = world.pulls.get(&pr)?.head().to_owned();
        let review = Review {
            id,
            pr,
            reviewer: author,
            state: "commented",
            body: String::new(),
            commit,
            submitted_s: at,
        };
        world.reviews.insert(id, review);
        let comment = self.comment(world, (pr, id), author, Some(root), body.to_owned())?;
        Some(vec![self.of_review(world, id, "submitted")?, self.of_comment(world, comment, "created")?])
    }

    fn edit_review(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let answers: Vec<u64> =
            world.reviews.values().filter(|one| world.is_answer(one)).map(|one| one.id).collect();
        let id = self.one(world.reviews.values(), |one| !answers.contains(&one.id))?.id;
        let body = self.words(2);
        // A review without a body whose comments are all replies would itself count as a reply.
        let body = if body.is_empty() { "Thanks, looks good.".to_owned() } else { body };
        world.reviews.get_mut(&id)?.body = body;
        world.tick();
        Some(vec![self.of_review(world, id, "edited")?])
    }

    fn edit_comment(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let id = self.one(world.comments.values(), |one| one.answers.is_none())?.id;
        let (body, at) = (self.words(1), world.tick());
        let comment = world.comments.get_mut(&id)?;
        comment.body = if body.is_empty() { "Why is this needed?".to_owned() } else { body };
        comment.updated_s = at;
        Some(vec![self.of_comment(world, id, "edited")?])
    }

    /// Deletes a comment without replies. If the comment is a reply, its review goes too.
    fn delete_comment(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let answered: Vec<u64> = world.comments.values().filter_map(|one| one.answers).collect();
        let id = self.one(world.comments.values(), |one| !answered.contains(&one.id))?.id;
        world.tick();
        let told = self.of_comment(world, id, "deleted")?;
        let gone = world.comments.remove(&id)?;
        if gone.answers.is_some() {
            world.reviews.remove(&gone.review);
        }
        Some(vec![told])
    }

    fn dismiss(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let id =
            self.one(world.reviews.values(), |one| matches!(one.state, "changes_requested" | "approved"))?.id;
        world.reviews.get_mut(&id)?.state = "dismissed";
        world.tick();
        Some(vec![self.of_review(world, id, "dismissed")?])
    }

    fn resolve(&mut self, world: &mut World) -> Option<Vec<Delivery>> {
        let id = self.one(world.comments.values(), |one| one.answers.is_none())?.id;
        world.tick();
        let root = world.comments.get_mut(&id)?;
        root.is_resolved = !root.is_resolved;
        let (action, pr) = (if root.is_resolved { "resolved" } else { "unresolved" }, root.pr);
        let thread = world.comments.values().filter(|one| one.id == id || one.answers == Some(id));
        let thread =
            json!({"node_id": format!("T{id}"), "comments": thread.map(shapes::comment).collect::<Vec<_>>()});
        let pull = world.pulls.get(&pr)?;
        let body = shapes::about(world, pull, action, *PEOPLE.first()?, &[("thread", thread)]);
        Some(vec![self.news("pull_request_review_thread", &body)])
    }

    fn of_review(&mut self, world: &World, id: u64, action: &str) -> Option<Delivery> {
        let review = world.reviews.get(&id)?;
        let with = [("review", shapes::hooked(review))];
        let body = shapes::about(world, world.pulls.get(&review.pr)?, action, review.reviewer, &with);
        Some(self.news("pull_request_review", &body))
    }

    fn of_comment(&mut self, world: &World, id: u64, action: &str) -> Option<Delivery> {
        let comment = world.comments.get(&id)?;
        let with = [("comment", shapes::comment(comment))];
        let body = shapes::about(world, world.pulls.get(&comment.pr)?, action, comment.author, &with);
        Some(self.news("pull_request_review_comment", &body))
    }

    /// Creates a delivery that is useless, of another repository, or not signed by the forge.
    fn noise(&mut self) -> Delivery {
        let star = |repo: &str| json!({"action": "created", "repository": shapes::repository(repo)});
        match self.random.below(3) {
            0 => self.delivery("star", &star(shapes::REPO), Kind::Useless),
            1 => self.delivery("star", &star("acme/other"), Kind::Elsewhere),
            _ => self.delivery("star", &star(shapes::REPO), Kind::Forged),
        }
    }
}
