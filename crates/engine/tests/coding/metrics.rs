//! Measures of tasks, and the results of evaluations. Names contain the numbers of the acceptance
//! tests of coding agents' memory where applicable.

use loci_api::coding::evaluation::{EvaluationAdd, EvaluationFindingAdd, EvaluationListing};
use loci_api::coding::metrics::MetricsAsk;
use loci_api::coding::metrics::TaskMeasures;
use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use std::ops::RangeInclusive;
use std::sync::Arc;

use loci_coding::{Cut, Metrics, MetricsBy, NewFeedback};
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_engine::{EngineParts, EngineSettings};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant};
use loci_model::record::RecordKind;
use loci_model::record::metadata::MetadataValue;
use loci_model::tasks::evaluation::FailureCategory;
use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::tasks::pull_request::PullRequestChange;
use loci_model::tasks::review::{Authority, Review, ReviewState};
use loci_model::tasks::task::MemoryArm;
use loci_model::{ActorId, ErrorKind, ExposureId, Namespace, RecordId, limits};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{HashEmbedder, SeededIds, block_on};

use super::outcomes::user;
use super::workshop::{REPO, Workshop, task, task_id};

impl Workshop {
    fn metrics(&self, ask: MetricsAsk) -> Metrics {
        block_on(self.engine.coding.repository_metrics(&self.caller, &self.standing, REPO, ask)).unwrap()
    }

    /// Returns the measures of the groups, by their keys.
    fn measured(&self, by: MetricsBy) -> Vec<TaskMeasures> {
        self.metrics(MetricsAsk { by: Some(by.as_str().to_owned()), ..MetricsAsk::default() }).groups
    }

    /// Stores a rule.
    fn rule(&self, text: &str) -> RecordId {
        self.rules(&[text.to_owned()])
    }

    /// Stores several rules. Returns the first.
    fn rules(&self, texts: &[String]) -> RecordId {
        self.world.clock().advance_ms(1_000);
        let place = vec![Namespace::parse("/acme/shop/review-rules/").unwrap()];
        let rule = |(number, text): (usize, &String)| {
            let fact = NewRecord::fact(format!("rule {number}"), place.clone(), text.clone(), self.now());
            NewRecord { kind: RecordKind::Rule, ..fact }
        };
        let records = texts.iter().enumerate().map(rule).collect();
        let create = RecordsCreate { memory: self.memory(), records, expiry: None };
        let outcome = block_on(self.engine.records_create(&self.caller, create, None)).unwrap();
        outcome.items[0].id.clone()
    }

    /// Stores a reviewer's comment on the pull request.
    fn said(&self, pr: u64, number: u64, body: &str) {
        self.said_all(pr, number..=number, body);
    }

    /// Stores a comment in several reviews.
    fn said_all(&self, pr: u64, numbers: RangeInclusive<u64>, body: &str) {
        self.world.clock().advance_ms(1_000);
        let (memory, at) = (self.memory(), self.now());
        let store = self.world.store();
        let of = memory.clone();
        let all = block_on(store.read(move |tx| tx.repositories().list(&of, None, 10))).unwrap();
        let repository = all.into_iter().find(|one| one.key == REPO).unwrap();
        let review = |id: u64| Review {
            memory: memory.clone(),
            actor: ActorId::parse(REPO).unwrap(),
            repository: repository.id.clone(),
            pr,
            id,
            reviewer: user(7, "carol"),
            authority: Authority::default(),
            pr_author: user(90, "shop-agent[bot]"),
            state: ReviewState::ChangesRequested,
            body: body.to_owned(),
            comments: Vec::new(),
            commit: None,
            url: None,
            task: None,
            left_out: None,
            is_past: false,
            submitted_at: at,
            updated_at: at,
            read_at: at,
        };
        let reviews: Vec<Review> = numbers.map(review).collect();
        block_on(store.write(move |tx| reviews.iter().try_for_each(|one| tx.ledger_mut().put_noun(one))))
            .unwrap();
    }

    fn of_arm(&self, id: &str, arm: MemoryArm) {
        self.create(TaskCreate { memory_arm: Some(arm.as_str().to_owned()), issue: None, ..task(id) })
            .unwrap();
    }

    fn is_shown_memory(&self, id: &str) {
        let asked = Hydration { query: Some("tests of the shop".into()), ..Hydration::default() };
        block_on(self.engine.coding.task_hydrate(&self.caller, &self.standing, &task_id(id), asked)).unwrap();
    }
}

#[test]
fn a98_measures_by_arm() {
    let shop = Workshop::new();
    shop.begun("t-000");
    let note = TaskNote { text: "Tests of the shop need `make db`.".into(), ..TaskNote::default() };
    let learned = shop.note("t-000", note).unwrap().learned.id.unwrap();
    // Twenty tasks with memory, three of four merged; five without, one of five.
    for number in 0..25_u32 {
        let id = format!("n-{number:03}");
        let (arm, is_merged) =
            if number < 20 { (MemoryArm::On, number % 4 != 0) } else { (MemoryArm::Off, number == 20) };
        shop.of_arm(&id, arm);
        shop.is_shown_memory(&id);
        let mut pr = shop.pull_request(100 + u64::from(number), &id, 100 + number);
        (pr.review_comment_count, pr.additions, pr.deletions) = (4, 150, 50);
        shop.see(&pr, PullRequestChange::Opened);
        if is_merged {
            shop.merge(&mut pr, 1_000 + number)
        } else {
            shop.close(&mut pr)
        };
    }
    let used = NewFeedback { used: vec![learned.clone()], ..NewFeedback::default() };
    block_on(shop.engine.coding.task_feedback(&shop.caller, &shop.standing, &task_id("n-001"), used))
        .unwrap();
    let groups = shop.measured(MetricsBy::Arm);
    let keys: Vec<(&str, u32, bool)> =
        groups.iter().map(|one| (one.key.as_str(), one.n, one.insufficient)).collect();
    assert_eq!(keys, [("off", 5, true), ("on", 21, false)], "t-000 is dealt to the arm of all");
    let (off, on) = (&groups[0], &groups[1]);
    assert_eq!((on.merge_rate.n, on.merge_rate.value), (20, Some(0.75)));
    let [from, to] = on.merge_rate.ci95.unwrap();
    assert!((from - 0.531).abs() < 0.002 && (to - 0.888).abs() < 0.002, "{from} {to}: Wilson's");
    assert_eq!((off.merge_rate.n, off.merge_rate.value), (5, Some(0.2)));
    assert_eq!(on.review_comment_density.value, Some(2.0));
    assert_eq!((on.revision_mean.value, on.ci_first_push.value), (Some(0.0), None));
    assert_eq!(on.time_to_pr_s.value, Some(60.0));
    assert_eq!((off.used_rate.n, on.used_rate.n, on.cold_start_share.value), (0, 20, Some(0.0)));
    assert_eq!(on.used_rate.value, Some(0.05));
    assert_eq!(shop.measured(MetricsBy::Arm), groups, "asked again it is the same");

    let by = |by: MetricsBy| shop.measured(by).iter().map(|one| one.key.clone()).collect::<Vec<_>>();
    assert_eq!(by(MetricsBy::Repo), [REPO]);
    assert_eq!(by(MetricsBy::User), ["bob"]);
    assert_eq!((by(MetricsBy::Model), by(MetricsBy::Variant)), (vec!["a-model".into()], vec!["-".into()]));
    assert!(by(MetricsBy::Week)[0].contains("-W"));
    let since = Some(shop.now().plus_millis(1).to_rfc3339());
    assert!(shop.metrics(MetricsAsk { since, ..MetricsAsk::default() }).groups.is_empty());

    // The effect of a memory: 15 of 20 with it, 1 of 5 without.
    let found = shop.metrics(MetricsAsk { record: Some(learned.to_string()), ..MetricsAsk::default() });
    let worth = &found.records[0];
    assert_eq!((worth.shown, worth.used, worth.helpful, worth.insufficient), (20, 1, 0, true));
    assert!((worth.outcome_sum - 12.0).abs() < 1e-9, "15 and five times -0.6: {worth:?}");
    assert!(
        (worth.mean_with.unwrap() - 0.6).abs() < 1e-9 && (worth.mean_without.unwrap() + 0.28).abs() < 1e-9
    );
    let stranger = shop.with_grant(
        &[Capability::Read],
        Grant { actor: Some(ActorId::parse("acme/other").unwrap()), ..Grant::everything() },
    );
    let denied =
        shop.engine.coding.repository_metrics(&stranger, &shop.standing, REPO, MetricsAsk::default());
    assert!(block_on(denied).is_err());
}

#[test]
fn a98_mistakes_that_a_rule_was_there_for() {
    let shop = Workshop::new();
    shop.rule("Use vitest instead of jest for tests of the shop");
    for id in ["t-001", "t-002"] {
        shop.begun(id);
    }
    shop.is_shown_memory("t-001");
    let late = shop.rule("Name migrations by date and ticket number");
    for (pr, id) in [(57, "t-001"), (58, "t-002")] {
        shop.see(&shop.pull_request(pr, id, u32::try_from(pr).unwrap()), PullRequestChange::Opened);
    }
    let counts = || {
        let found = shop
            .metrics(MetricsAsk { by: Some(MetricsBy::Repo.as_str().to_owned()), ..MetricsAsk::default() });
        assert_eq!(found.compared_by, "words", "there is no model for vectors here");
        (found.groups[0].repeated_mistakes.exposed, found.groups[0].repeated_mistakes.not_exposed)
    };
    assert_eq!(counts(), (0, 0));
    shop.said(57, 1, "Please use vitest instead of jest for tests of the shop.");
    assert_eq!(counts(), (1, 0), "it was shown");
    shop.said(58, 2, "Use vitest instead of jest for the tests of the shop!");
    assert_eq!(counts(), (1, 1), "it was not shown to the other");
    shop.said(58, 3, "Name migrations by date and ticket number, please.");
    shop.said(58, 4, "This loop reads each order twice.");
    assert_eq!(counts(), (1, 1), "younger than the task, or no rule at all: {late}");
}

#[test]
fn a98_mistakes_are_found_by_vectors_where_there_is_a_model_for_them() {
    let shop = Workshop::new();
    let words: Vec<&str> =
        "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november \
        oscar papa quebec romeo sierra tango uniform victor whiskey xray"
            .split_whitespace()
            .collect();
    shop.rule(&words[..20].join(" "));
    shop.begun("t-001");
    shop.see(&shop.pull_request(57, "t-001", 57), PullRequestChange::Opened);
    let parts = EngineParts::quiet(
        shop.world.store(),
        // So many dimensions that no two of these words share one.
        Some(Arc::new(HashEmbedder::new(1 << 16))),
        Arc::new(shop.world.clock()),
        Arc::new(SeededIds::new(7)),
        Arc::new(OpenVault),
    );
    let with_model = Loci::new(parts, EngineSettings::default());
    let counts = |engine: &Loci| {
        let ask = MetricsAsk { by: Some(MetricsBy::Repo.as_str().to_owned()), ..MetricsAsk::default() };
        let found =
            block_on(engine.coding.repository_metrics(&shop.caller, &shop.standing, REPO, ask)).unwrap();
        (found.compared_by, found.groups[0].repeated_mistakes.not_exposed)
    };
    // Sixteen of twenty words: a cosine of 0.8 is too low, but two thirds of all their words are
    // enough.
    shop.said(57, 1, &words[4..24].join(" "));
    assert_eq!((counts(&with_model), counts(&shop.engine)), (("vectors", 0), ("words", 1)));
    // Eighteen words: 0.9.
    shop.said(57, 2, &words[2..22].join(" "));
    assert_eq!((counts(&with_model), counts(&shop.engine)), (("vectors", 1), ("words", 2)));
}

#[test]
fn what_measures_leave_out_is_said() {
    let shop = Workshop::new();
    shop.begun("t-000");
    let note = TaskNote { text: "Tests of the shop need `make db`.".into(), ..TaskNote::default() };
    let learned = shop.note("t-000", note).unwrap().learned.id.unwrap();
    shop.begun("t-001");
    shop.is_shown_memory("t-001");
    shop.see(&shop.pull_request(57, "t-001", 57), PullRequestChange::Opened);
    let found = || {
        let found = shop.metrics(MetricsAsk { record: Some(learned.to_string()), ..MetricsAsk::default() });
        (found.cut, found.records.first().map_or(0, |one| one.shown))
    };
    let nothing = Cut::default();
    assert_eq!(found(), (nothing, 1));
    // A task that searches again keeps the memories shown at its start.
    let searches = |count: usize| {
        let (memory, store, at) = (shop.memory(), shop.world.store(), shop.now());
        block_on(store.write(move |tx| {
            let task = task_id("t-001");
            let hydrated = tx.exposures().of_task(&memory, &task, None, 1_000)?.pop().unwrap();
            for number in 0..count {
                let id = ExposureId::parse(format!("{}-{number:04}", hydrated.id))?;
                let (call, records) = (ExposureCall::Search, Vec::new());
                tx.exposures_mut().put(&Exposure { id, call, records, at, ..hydrated.clone() })?;
            }
            Ok(())
        }))
        .unwrap();
    };
    searches(limits::METRICS_EXPOSURES_MAX - 1);
    assert_eq!(found(), (nothing, 1), "as many as are read");
    searches(limits::METRICS_EXPOSURES_MAX);
    assert_eq!(found(), (Cut { exposures: true, ..nothing }, 1), "one more");
}

#[test]
fn comments_and_rules_that_are_not_compared_are_told_of() {
    let shop = Workshop::new();
    let most = limits::METRICS_RULES_MAX;
    let rules: Vec<String> = (0..most).map(|number| format!("Rule number {number} of the shop")).collect();
    rules.chunks(50).for_each(|some| drop(shop.rules(some)));
    shop.begun("t-001");
    shop.see(&shop.pull_request(57, "t-001", 57), PullRequestChange::Opened);
    let cut = || shop.metrics(MetricsAsk::default()).cut;
    shop.said(57, 1, "Please mind the rules.");
    assert_eq!(cut(), Cut::default(), "as many as are read");
    shop.rule("One more rule of the shop");
    assert_eq!(cut(), Cut { rules: true, ..Cut::default() });
    let comments = u64::try_from(limits::METRICS_COMMENTS_MAX).unwrap();
    shop.said_all(57, 1..=comments, "Please mind the rules.");
    assert_eq!(cut(), Cut { rules: true, ..Cut::default() }, "as many comments as are compared");
    shop.said(57, 1_000, "Please mind the rules.");
    assert_eq!(cut(), Cut { rules: true, comments: true, ..Cut::default() });
}

#[test]
fn comments_are_compared_within_a_budget_of_characters() {
    let most = limits::METRICS_TEXT_CHARS_MAX;
    let fit = u64::try_from(limits::METRICS_COMMENTS_CHARS_MAX / most).unwrap();
    for (count, chars, more, expect) in
        [(fit, most, "", false), (fit, most, "a", true), (1, most, "a", false), (1, most + 1, "", true)]
    {
        let shop = Workshop::new();
        shop.rule("Mind the rules of the shop");
        shop.begun("t-001");
        shop.see(&shop.pull_request(57, "t-001", 57), PullRequestChange::Opened);
        shop.said_all(57, 1..=count, &"a".repeat(chars));
        shop.said(57, 1_000, more);
        let cut = shop.metrics(MetricsAsk::default()).cut;
        assert_eq!(cut, Cut { comments: expect, ..Cut::default() }, "{count} of {chars} and {more:?}");
    }
}

#[test]
fn a100_findings_are_remembered() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let finding = |text: &str| EvaluationFindingAdd {
        category: FailureCategory::MissingVerification.as_str().to_owned(),
        text: text.to_owned(),
        scope: Some("src/db/**".into()),
        evidence: Some(["seen: ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat()),
    };
    let new = |findings: Vec<EvaluationFindingAdd>| EvaluationAdd {
        task_id: "t-001".to_owned(),
        findings,
        prompt_suggestion: Some("Say that migrations are run before they are committed.".into()),
    };
    let add = |new: EvaluationAdd| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.coding.evaluation_add(&shop.caller, &shop.standing, new))
    };
    let said = "Run `make migrate` against an empty database before a migration is committed.";
    let added = add(new(vec![finding(said)])).unwrap();
    let record = shop.record(added.evaluation.findings[0].record.as_ref().unwrap());
    let says = |key: &str| match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    assert_eq!(
        (says("source_type"), says("failure_category")),
        ("evaluation".into(), "missing_verification".into())
    );
    // In the write of the evaluation, because a task that ends between two writes would remove its
    // source.
    assert_eq!(record.version, 1);
    assert_eq!(says("evaluation_id"), added.evaluation.id);
    assert_eq!((says("task_id"), record.scope.as_deref()), ("t-001".into(), Some("src/db/**")));
    assert!(shop.knowledge().contains(&record.id) && shop.found("make migrate").contains(&record.id));
    assert!(added.evaluation.findings[0].evidence.as_ref().unwrap().contains("[REDACTED"));
    assert_eq!(shop.get("t-001").unwrap().failure_category.as_deref(), Some("missing_verification"));
    let again = add(new(vec![finding(said)])).unwrap();
    assert_eq!((again.evaluation, shop.knowledge().len()), (added.evaluation.clone(), 1), "the same again");

    let only = add(new(Vec::new())).unwrap();
    assert!(only.evaluation.prompt_suggestion.is_some() && only.learned.is_empty());
    let listing = EvaluationListing { repo: Some(REPO.into()), ..EvaluationListing::default() };
    let listed =
        block_on(shop.engine.coding.evaluation_list(&shop.caller, &shop.standing, listing, (None, 100)))
            .unwrap()
            .items;
    assert_eq!(listed, [only.evaluation, added.evaluation]);

    let refused = |new: EvaluationAdd| add(new).unwrap_err().field;
    let nothing =
        EvaluationAdd { task_id: "t-001".to_owned(), findings: Vec::new(), prompt_suggestion: None };
    assert_eq!(refused(nothing.clone()).as_deref(), Some("findings"));
    let scope = EvaluationFindingAdd { scope: Some("not a scope at all".into()), ..finding(said) };
    assert_eq!(refused(new(vec![scope])).as_deref(), Some("findings.scope"));
    assert_eq!(refused(new(vec![finding(" ")])).as_deref(), Some("findings.text"));
    let long = EvaluationAdd { prompt_suggestion: Some("a".repeat(10_001)), ..nothing };
    assert_eq!(refused(long).as_deref(), Some("prompt_suggestion"));
    let unknown = EvaluationAdd { task_id: "t-404".to_owned(), ..new(vec![finding(said)]) };
    assert_eq!(add(unknown).unwrap_err().kind, ErrorKind::NotFound);
}
