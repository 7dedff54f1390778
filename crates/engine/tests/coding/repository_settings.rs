//! Settings of a repository override those of the server: the budget, the kinds that are shown, the
//! control group, and the capture of conversations.

use loci_api::coding::repository_settings::RecordCount;
use loci_api::coding::rule::RuleListing;
use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::hydration::{Hydrated, Hydration, HydrationKind as Kind, KindStatus, RepositorySearch};
use loci_coding::{RepositoryChange, RepositoryShown, SessionListing};
use loci_model::principal::{Capability, Grant};
use loci_model::tasks::task::MemoryArm;
use loci_model::tasks::task_session::SessionItemKind;
use loci_model::{ActorId, ErrorKind, Result, limits};
use loci_testkit_ports::block_on;
use serde_json::{Value, json};

use super::sessions::said;
use super::workshop::{REPO, Workshop, task, task_id};

fn change(replaces: bool, settings: &[(&str, Value)]) -> RepositoryChange {
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    RepositoryChange { replaces, settings }
}

impl Workshop {
    fn set(&self, settings: &[(&str, Value)]) -> Result<RepositoryShown> {
        let change = change(false, settings);
        block_on(self.engine.coding.repository_configure(&self.caller, &self.standing, REPO, change))
    }

    fn put_repository(&self, repo: &str, settings: &[(&str, Value)]) -> Result<RepositoryShown> {
        let add = RepositoryAdd { name: Some(repo.to_owned()), ..RepositoryAdd::default() };
        let change = change(true, settings);
        block_on(self.engine.coding.repository_put(&self.caller, &self.standing, repo, add, change))
    }

    fn hydrated(&self, asked: Hydration) -> Hydrated {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_hydrate(&self.caller, &self.standing, &task_id("t-001"), asked))
            .unwrap()
    }
}

#[test]
fn a_repository_has_a_budget_and_kinds_of_its_own() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let note = TaskNote { text: "Pagination goes by cursors of 20.".to_owned(), ..TaskNote::default() };
    shop.note("t-001", note).unwrap();
    assert_eq!(shop.hydrated(Hydration::default()).limit, 2_000, "the server's");
    let shown = shop.set(&[("memory_token_budget", json!(300))]).unwrap();
    assert_eq!((shown.in_force.budget_tokens, shown.is_cold, shown.created), (300, true, false));
    let found = shop.hydrated(Hydration::default());
    assert_eq!((found.limit, found.plan.shown.len()), (300, 1));
    let asked = Hydration { budget_tokens: Some(900), ..Hydration::default() };
    assert_eq!(shop.hydrated(asked).limit, 900, "who asks says it");

    shop.set(&[("tiers.knowledge", json!(false)), ("tiers.rules", json!(true))]).unwrap();
    let found = shop.hydrated(Hydration::default());
    assert_eq!((found.status[&Kind::Knowledge], found.plan.shown.len()), (KindStatus::Disabled, 0));
    assert_ne!(found.status[&Kind::Rules], KindStatus::Disabled);
    assert!(!found.degraded && found.limit == 300);
    let asked = RepositorySearch {
        repo: REPO.to_owned(),
        query: Some("pagination".to_owned()),
        task: Some(task_id("t-001")),
        ..RepositorySearch::default()
    };
    let search = || {
        block_on(shop.engine.coding.repository_search(&shop.caller, &shop.standing, asked.clone())).unwrap()
    };
    let found = search();
    assert!(found.results.is_empty(), "{:?}", found.results);
    assert!(found.warnings.iter().any(|one| one.contains("switched off")), "{:?}", found.warnings);
    shop.set(&[("tiers", Value::Null)]).unwrap();
    assert_eq!((search().results.len(), shop.hydrated(Hydration::default()).plan.shown.len()), (1, 1));
}

#[test]
fn a_repository_has_a_control_group_of_its_own() {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    let shown = shop.set(&[("control.off", json!(1.0))]).unwrap();
    assert!((shown.in_force.control.off - 1.0).abs() < 1e-9, "{:?}", shown.in_force.control);
    let arm = |id: &str, new: TaskCreate| {
        shop.create(TaskCreate { task_id: Some(id.to_owned()), ..new }).unwrap().task.arm
    };
    let web = TaskCreate { repo: Some("acme/web".to_owned()), ..task("t-000") };
    let forced = TaskCreate { memory_arm: Some("tier1".to_owned()), ..task("t-000") };
    let nowhere = TaskCreate { repo: None, ..task("t-000") };
    let arms = [arm("t-001", task("t-000")), arm("t-002", web), arm("t-003", forced), arm("t-004", nowhere)];
    assert_eq!(arms, [MemoryArm::Off, MemoryArm::On, MemoryArm::Tier1, MemoryArm::On]);
    // The arm of a task stays, even if later tasks get other arms.
    shop.set(&[("control", Value::Null)]).unwrap();
    assert_eq!((arm("t-001", task("t-000")), arm("t-005", task("t-000"))), (MemoryArm::Off, MemoryArm::On));
}

#[test]
fn a_repository_says_what_is_kept_of_its_conversations() {
    let shop = Workshop::new();
    shop.register("acme/web").unwrap();
    shop.set(&[("capture.conversation", json!("decisions")), ("capture.retention_days", json!(2))]).unwrap();
    let web = TaskCreate { repo: Some("acme/web".to_owned()), ..task("t-002") };
    for (id, new) in [("t-001", task("t-001")), ("t-002", web)] {
        shop.create(new).unwrap();
        let message = said(1, SessionItemKind::Message, "Shall I?");
        shop.append(id, vec![message, said(2, SessionItemKind::Decision, "Yes.")]).unwrap();
        assert!(
            block_on(shop.engine.coding.session_end_of_task(&shop.caller, &shop.standing, &task_id(id)))
                .unwrap()
        );
    }
    let kept = |id: &str| {
        let listing = SessionListing { limit: 10, ..SessionListing::default() };
        let id = task_id(id);
        let found = shop.engine.coding.session_events(&shop.caller, &shop.standing, &id, listing);
        let items = block_on(found).unwrap().page.items;
        items.into_iter().map(|item| item.text.unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(
        (kept("t-001"), kept("t-002")),
        (vec![String::new(), "Yes.".to_owned()], vec!["Shall I?".to_owned(), "Yes.".to_owned()],)
    );
    shop.world.clock().advance_ms(3 * 24 * 60 * 60 * 1_000);
    assert_eq!((kept("t-001").len(), kept("t-002").len()), (0, 2), "for so many days");
}

#[test]
fn what_is_put_takes_the_place_of_everything() {
    let shop = Workshop::new();
    let shown = shop.set(&[("memory_token_budget", json!(300)), ("default_branch", json!("trunk"))]).unwrap();
    assert!(shown.warnings[0].starts_with("DEFAULT_BRANCH_UNKNOWN: "), "{:?}", shown.warnings);
    assert_eq!(shop.set(&[("memory_token_budget", json!(300))]).unwrap().warnings, Vec::<String>::new());
    let shown = shop.put_repository(REPO, &[("tiers.rules", json!(false))]).unwrap();
    let own = &shown.repository.settings;
    assert_eq!((own.memory_token_budget, own.tiers.rules, shown.created), (None, Some(false), false));
    assert_eq!(shown.repository.default_ref.as_deref(), Some("trunk"), "where the code is stays");
    let shown = shop.set(&[("default_branch", Value::Null)]).unwrap();
    assert_eq!(shown.repository.default_ref, None);
    // An unknown repository is registered, unless its settings are invalid.
    let error = shop.put_repository("acme/new", &[("memory_token_budget", json!("many"))]).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("memory_token_budget")));
    let show = || block_on(shop.engine.coding.repository_show(&shop.caller, &shop.standing, "acme/new"));
    assert!(show().is_err());
    assert!(shop.put_repository("acme/new", &[("memory_token_budget", json!(1))]).unwrap().created);
    assert_eq!(show().unwrap().in_force.budget_tokens, 1);
    assert!(!shop.put_repository("acme/new", &[]).unwrap().created);
    assert_eq!(show().unwrap().in_force.budget_tokens, 2_000);
}

#[test]
fn settings_at_their_limits_and_who_may_set_them() {
    let shop = Workshop::new();
    let check = |key: &str, good: &[Value], bad: &[Value]| {
        for value in good {
            assert!(shop.set(&[(key, value.clone())]).is_ok(), "{key} {value}");
        }
        for value in bad {
            let error = shop.set(&[(key, value.clone())]).unwrap_err();
            assert_eq!(
                (error.kind, error.field.as_deref()),
                (ErrorKind::Invalid, Some(key)),
                "{key} {value}"
            );
            assert!(error.message.starts_with(key) && error.message.contains("null"), "{}", error.message);
        }
        shop.set(&[(key, Value::Null)]).unwrap();
    };
    check(
        "memory_token_budget",
        &[json!(0), json!(200_000)],
        &[json!(200_001), json!(-1), json!("9"), json!(1.5)],
    );
    check("tiers.rules", &[json!(true)], &[json!("true"), json!(1)]);
    check("control.tier1", &[json!(0), json!(1), json!(0.25)], &[json!(1.1), json!(-0.1), json!("0.1")]);
    check("capture.conversation", &[json!("off")], &[json!("some"), json!(1)]);
    let most = limits::RETENTION_DAYS_MAX;
    check("capture.retention_days", &[json!(1), json!(most)], &[json!(0), json!(most + 1)]);
    check("rules.approval", &[json!("all"), json!("none")], &[json!("some"), json!(true)]);
    check("rules.quorum.weight", &[json!(0), json!(1.5), json!(100)], &[json!(100.1), json!(-1), json!("1")]);
    check("rules.quorum.reviewers", &[json!(1), json!(100)], &[json!(0), json!(101), json!(1.5)]);
    check("rules.quorum.prs", &[json!(1), json!(100)], &[json!(0), json!(101)]);
    check("rules.quorum.min_authority", &[json!(0), json!(1)], &[json!(1.1)]);
    let tasks = limits::RULE_TASKS_MAX;
    for key in ["rules.stale_after_tasks", "rules.expire_after_tasks"] {
        check(key, &[json!(1), json!(tasks)], &[json!(0), json!(tasks + 1)]);
    }
    check("rules.protected_topics", &[json!("reject"), json!("approve")], &[json!("allow")]);
    check("rules.approval_by_reply", &[json!(true)], &[json!("true")]);
    for (key, wrong, most) in [
        ("capture.retention_days", json!(0), most),
        ("memory_token_budget", json!(-1), limits::HYDRATION_TOKENS_MAX),
    ] {
        let said = shop.set(&[(key, wrong)]).unwrap_err().to_string();
        assert!(said.contains(&most.to_string()), "{said}");
    }
    check("default_branch", &[json!("main")], &[json!("--upload-pack"), json!(1)]);
    let field = |settings: &[(&str, Value)]| shop.set(settings).unwrap_err().field;
    assert_eq!(field(&[("budget", json!(1))]).as_deref(), Some("budget"));
    assert_eq!(field(&[("tiers", json!(true))]).as_deref(), Some("tiers"));
    let too_many = [("control.off", json!(0.6)), ("control.tier3", json!(0.5))];
    assert_eq!(field(&too_many).as_deref(), Some("control"));
    let half = [("memory_token_budget", json!(5)), ("control.off", json!(2))];
    assert!(
        shop.set(&half).is_err() && shop.set(&[]).unwrap().in_force.budget_tokens == 2_000,
        "all or nothing"
    );

    let writer = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    let by =
        |change| block_on(shop.engine.coding.repository_configure(&writer, &shop.standing, REPO, change));
    assert_eq!(by(change(false, &[])).unwrap_err().kind, ErrorKind::Denied);
    assert!(block_on(shop.engine.coding.repository_show(&writer, &shop.standing, REPO)).is_ok());
    let unknown = shop.engine.coding.repository_show(&shop.caller, &shop.standing, "acme/none");
    assert_eq!(block_on(unknown).unwrap_err().field.as_deref(), Some("repo"));
}

#[test]
fn what_is_remembered_is_counted_by_kind_and_state() {
    let shop = Workshop::new();
    let counts = |caller| {
        let counts = block_on(shop.engine.coding.repository_counts(caller, &shop.standing, REPO)).unwrap();
        let word = |one: &RecordCount| format!("{} {} {}", one.count, one.state.as_str(), one.kind.as_str());
        counts.iter().map(word).collect::<Vec<_>>()
    };
    assert_eq!(counts(&shop.caller), Vec::<String>::new());
    shop.begun("t-001");
    for text in ["Pagination goes by cursors of 20.", "Tests of `api/` need `REDIS_URL`."] {
        shop.note("t-001", TaskNote { text: text.to_owned(), ..TaskNote::default() }).unwrap();
    }
    block_on(shop.engine.coding.task_alert(&shop.caller, &shop.standing, &task_id("t-001"), "odd")).unwrap();
    shop.begun("t-002");
    shop.note(
        "t-002",
        TaskNote { text: "Migrations are numbered by hand.".to_owned(), ..TaskNote::default() },
    )
    .unwrap();
    assert_eq!(counts(&shop.caller), ["1 active fact", "2 quarantined fact"]);
    let elsewhere = Grant { actor: Some(ActorId::parse("acme/other").unwrap()), ..Grant::everything() };
    let other = shop.with_grant(&[Capability::Read], elsewhere);
    let counted = block_on(shop.engine.coding.repository_counts(&other, &shop.standing, REPO));
    assert_eq!(counted.unwrap_err().kind, ErrorKind::NotFound, "another repository's key knows of none here");
    let shown = block_on(shop.engine.coding.repository_show(&other, &shop.standing, REPO));
    assert_eq!(shown.unwrap_err().kind, ErrorKind::NotFound);
    let rules = block_on(shop.engine.coding.rules_list(
        &other,
        &shop.standing,
        REPO,
        RuleListing::default(),
        (None, 9),
    ));
    assert_eq!(rules.unwrap_err().kind, ErrorKind::NotFound);
}
