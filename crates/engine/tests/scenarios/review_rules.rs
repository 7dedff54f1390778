//! Rules of a review in the three modes of jobs: immediately without a model; later with a
//! configured model or a client's own, in a strict form.

use loci_api::pull::JobResult;
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::ReviewLearned;
use loci_engine::calls::call_context::CallContext;
use loci_engine::language_models::pull_verbs::QuestionAsk;
use loci_model::ErrorKind;
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind, JobState};
use loci_model::ledger::LedgerNoun as _;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::ports::store::{Store, StoreExt as _};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewComment, ReviewState};
use loci_testkit_ports::ScriptedReply::{self, Fails};
use loci_testkit_ports::{Script, ScriptedModel};
use std::sync::Arc;

use super::reflections::{answer, pulled, taken};
use super::text;
use crate::fixture::{World, strategy};

/// A reviewer's comment with one explicit rule, and one that only a model detects.
const SAID: &str = "We always sort imports alphabetically.\nLast week the pager went off because a handler hung. Keep that in mind.";

fn user(id: u64) -> ForgeUser {
    ForgeUser { id, login: format!("user{id}"), is_bot: false }
}

fn learn(world: &World) -> ReviewLearned {
    learn_from(world, review(world))
}

fn learn_from(world: &World, review: Review) -> ReviewLearned {
    let (memory, key) = (world.memory.id.clone(), review.key());
    let store: &dyn Store = &*world.store;
    let stored = world.drive(store.read(move |tx| tx.ledger().noun(&memory, &key))).unwrap();
    world.drive(world.engine.coding.learn_over(review, stored)).unwrap()
}

/// Returns a review of a repository.
fn review(world: &World) -> Review {
    let standing = CallContext { memory: Some(world.memory.name.clone()), ..CallContext::default() };
    let add = RepositoryAdd { name: Some("acme/shop".to_owned()), ..RepositoryAdd::default() };
    let added = world.drive(world.engine.verified.repository_add(&world.caller, &standing, add)).unwrap();
    let now = world.clock.now();
    let comment = ReviewComment {
        id: 71,
        author: user(1),
        path: Some("src/api.ts".to_owned()),
        line: Some(3),
        diff_hunk: None,
        body: SAID.to_owned(),
        in_reply_to: None,
        is_resolved: None,
        is_outdated: None,
        authority: None,
        url: None,
        created_at: now,
        updated_at: now,
    };
    Review {
        memory: world.memory.id.clone(),
        actor: loci_model::ActorId::parse("acme/shop").unwrap(),
        repository: added.repository.id.clone(),
        pr: 7,
        id: 700,
        reviewer: user(1),
        authority: Authority { role: RepositoryRole::Write, ..Authority::default() },
        pr_author: user(9),
        state: ReviewState::ChangesRequested,
        body: String::new(),
        comments: vec![comment],
        commit: None,
        url: None,
        task: None,
        left_out: None,
        is_past: false,
        submitted_at: now,
        updated_at: now,
        read_at: now,
    }
}

/// Returns lines of the answer: one of this review, one that names another, one of invalid form.
fn told(world: &World) -> String {
    let day = world.clock.now().date();
    format!(
        "RULE: Every handler sets a timeout. [Source: PR #7, Reviewer: @user1, Extracted: {day}, Comments: 71]\n\
         RULE: Every handler logs its caller. [Source: PR #8, Reviewer: @user1, Extracted: {day}]\n\
         Here you are!"
    )
}

fn rules(world: &World) -> Vec<(String, RecordState, String)> {
    let states = [RecordState::Candidate, RecordState::Active, RecordState::Invalid];
    let mut found: Vec<Record> = world.records(&states);
    found.retain(|record| record.kind == RecordKind::Rule);
    found.sort_by(|one, other| one.text.cmp(&other.text));
    let by = |record: &Record| match record.metadata.get("extraction_prompt_version") {
        Some(MetadataValue::String(by)) => by.clone(),
        other => panic!("{other:?}"),
    };
    found.iter().map(|record| (record.text.clone(), record.state, by(record))).collect()
}

fn asked(world: &World) -> Vec<Job> {
    let mut jobs = world.jobs();
    jobs.retain(|job| job.kind == JobKind::named("review_rules"));
    jobs
}

/// Checks the rules after the model's answer: rules that it did not confirm have no support any
/// more.
fn check_told(world: &World) {
    let rules = rules(world);
    let of = |text: &str| rules.iter().find(|rule| rule.0.contains(text)).cloned();
    let timeout = of("sets a timeout").expect("the rule that was told");
    assert_eq!((timeout.1, timeout.2.as_str()), (RecordState::Candidate, "review_rules@1"));
    assert_eq!(of("sort imports").expect("the rule that was read first").1, RecordState::Invalid);
    assert_eq!(of("logs its caller"), None, "another pull request is named");
}

fn scripted(then: Vec<ScriptedReply>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(vec![Script::of_step(Step::ReviewRules, then)]))
}

#[test]
fn a96_without_a_model_rules_are_read_at_once() {
    let world = World::with(&[Semantic]);
    assert_eq!(learn(&world).rules.len(), 1);
    world.work();
    let found = rules(&world);
    assert_eq!((found.len(), found[0].2.as_str(), asked(&world).len()), (1, "rules", 0));
}

#[test]
fn a96_a_configured_model_takes_their_place() {
    let world = World::with(&[Semantic]);
    let day = told(&world);
    drop(world);
    let model = scripted(vec![text(&day)]);
    let world = World::with_model(&[Semantic], &model);
    assert_eq!(learn(&world).rules.len(), 1, "nothing waits for a model");
    assert!(world.work().complete);
    check_told(&world);
    let asked = model.asked();
    assert_eq!((asked.len(), asked[0].step), (1, Step::ReviewRules));
    assert!(asked[0].input.contains("the pager went off") && asked[0].input.contains("\"pr\":7"));
    let jobs = self::asked(&world);
    assert_eq!(
        (jobs[0].state, world.exchanges_of(&jobs[0])),
        (JobState::Done, 0),
        "what was asked is not kept"
    );
}

#[test]
fn a96_a_caller_s_model_takes_their_place() {
    let world = pulled(strategy(Semantic));
    learn(&world);
    let question = taken(&world);
    assert_eq!(question.exchange.prompt.as_str(), "coding.review_rules@1");
    assert_eq!(question.exchange.step, Step::ReviewRules);
    let answered = answer(&world, &question, &told(&world));
    assert_eq!((answered.job, answered.accepted, answered.discarded), (JobState::Done, 1, 1), "{answered:?}");
    check_told(&world);
}

#[test]
fn a97_a_lease_that_ran_out_is_another_s() {
    let world = pulled(strategy(Semantic));
    learn(&world);
    let first = taken(&world);
    let ask = QuestionAsk { memory: None, steps: vec![Step::ReviewRules], lease_ms: 60_000, wait_ms: 0 };
    let next = || world.drive(world.engine.question_next(&world.caller, &ask)).unwrap();
    assert_eq!(next(), None, "it is somebody's");
    world.clock.advance_ms(61_000);
    assert_eq!(next().expect("it is nobody's any more").exchange.id, first.exchange.id);
}

#[test]
fn what_was_read_first_stays_where_no_model_answers() {
    let model = scripted(vec![Fails(ModelErrorKind::Rejected)]);
    let world = World::with_model(&[Semantic], &model);
    learn(&world);
    world.work();
    let found = rules(&world);
    assert_eq!((found.len(), found[0].1, found[0].2.as_str()), (1, RecordState::Candidate, "rules"));
    let job = &asked(&world)[0];
    assert!(job.fallback || job.state != JobState::Done, "{job:?}");
}

#[test]
fn read_anew_what_a_model_told_stays_until_it_is_heard_again() {
    let world = World::with(&[Semantic]);
    let day = told(&world);
    drop(world);
    let model = scripted(vec![text(&day), text(&day)]);
    let world = World::with_model(&[Semantic], &model);
    let first = review(&world);
    learn_from(&world, first.clone());
    world.work();
    world.clock.advance_ms(60_000);
    let mut again = Review { read_at: world.clock.now(), state: ReviewState::Approved, ..first };
    again.comments[0].is_resolved = Some(true);
    learn_from(&world, again);
    let of = |text: &str| rules(&world).into_iter().find(|rule| rule.0.contains(text)).expect("a rule");
    assert_eq!(of("sets a timeout").1, RecordState::Candidate, "its comment is as it was");
    world.work();
    check_told(&world);
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn nobody_is_asked_about_what_a_review_said_before() {
    let world = pulled(strategy(Semantic));
    let first = review(&world);
    learn_from(&world, first.clone());
    let question = taken(&world);
    world.clock.advance_ms(1_000);
    let mut edited = Review { read_at: world.clock.now(), ..first };
    edited.comments[0].body = "Never mind.".to_owned();
    learn_from(&world, edited);
    assert_eq!(rules(&world).iter().filter(|rule| rule.1 != RecordState::Invalid).count(), 0);
    let reply = JobResult { output: told(&world), model: None, cost_usd: None };
    let answering =
        world.engine.question_answer(&world.caller, &world.memory.id, &question.exchange.id, reply);
    assert_eq!(world.drive(answering).unwrap_err().kind, ErrorKind::NotFound, "nobody waits for it any more");
    let next = taken(&world);
    assert!(
        next.exchange.input.contains("Never mind") && !next.exchange.input.contains("the pager went off")
    );
    assert_eq!(rules(&world).iter().filter(|rule| rule.1 != RecordState::Invalid).count(), 0);
}
