//! Preferences for a task's agent: those of a person who provably requested the task, under any
//! name, and of no one else; and the tasks of a person.

use loci_api::coding::task::TaskCreate;
use loci_coding::hydration::{Hydration, HydrationKind as Kind, KindStatus, RepositorySearch, SearchKind};
use loci_coding::{PreferenceSet, TaskCreated};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::preference::PreferenceDimension;
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Namespace, SessionId};
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task, task_id};

/// The victim's preference.
const WISH: &str = "Small pull requests, one concern each.";
const RIGHTS: [Capability; 2] = [Capability::Read, Capability::Write];

fn prefers(shop: &Workshop, user: &str, text: &str) {
    shop.world.clock().advance_ms(1_000);
    let set = PreferenceSet { dimension: PreferenceDimension::PrSize, text: text.to_owned(), repo: None };
    block_on(shop.engine.coding.preference_put(&shop.caller, &shop.standing, user, set)).unwrap();
}

/// Returns a key with read and write on the shop's tasks, and read on another part of the memory.
fn of_shop(shop: &Workshop, besides: Option<Grant>) -> Principal {
    let actor = Some(ActorId::parse(REPO).unwrap());
    let mut key = shop.with_grant(&RIGHTS, Grant { actor, ..Grant::everything() });
    let more = besides.map(|part| shop.with_grant(&[Capability::Read], part));
    key.grants.extend(more.into_iter().flat_map(|more| more.grants));
    key
}

fn on_place(path: &str) -> Grant {
    Grant { namespace: Some(Namespace::parse(path).unwrap()), ..Grant::everything() }
}

fn on_actor(actor: &str) -> Grant {
    Grant { actor: Some(ActorId::parse(actor).unwrap()), ..Grant::everything() }
}

type Names = (Option<&'static str>, Option<&'static str>);

fn named(id: &str, (user, user_id): Names) -> TaskCreate {
    TaskCreate { user: user.map(str::to_owned), user_id: user_id.map(str::to_owned), ..task(id) }
}

fn sent(shop: &Workshop, by: &Principal, new: TaskCreate) -> TaskCreated {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.coding.task_create(by, &shop.standing, new, None)).unwrap()
}

/// Returns true if the warnings state that the requester is not proven.
fn is_unproved(warnings: &[String]) -> bool {
    warnings.iter().any(|warning| warning.starts_with("USER_NOT_PROVED: "))
}

/// Returns the holder of the token for a task's agent that a caller gets.
fn token_of(shop: &Workshop, to: &Principal, id: &str) -> Principal {
    let token = block_on(shop.engine.coding.agent_token_for(to, &shop.get(id).unwrap())).unwrap();
    holder(shop, token.unwrap().expose())
}

fn holder(shop: &Workshop, token: &str) -> Principal {
    block_on(shop.engine.token_lookup(token)).unwrap().unwrap()
}

/// Returns a key for the agents of all tasks of the shop.
fn agents(shop: &Workshop) -> Principal {
    shop.with_grant(&[Capability::Agent], on_actor(REPO))
}

/// Returns the preferences of a task that a caller sees in a hydration and in a search: texts,
/// status, and warnings.
fn shown(shop: &Workshop, by: &Principal, id: &str) -> [(String, KindStatus, Vec<String>); 2] {
    shop.world.clock().advance_ms(1_000);
    let (engine, standing, id) = (&shop.engine, &shop.standing, task_id(id));
    let hydrated = block_on(engine.coding.task_hydrate(by, standing, &id, Hydration::default())).unwrap();
    let asked = RepositorySearch {
        repo: REPO.to_owned(),
        query: Some("small pull requests".to_owned()),
        kinds: vec![SearchKind::Preference],
        task: Some(id),
        ..RepositorySearch::default()
    };
    let found = block_on(engine.coding.repository_search(by, standing, asked)).unwrap();
    let texts: Vec<String> = found.results.into_iter().map(|one| one.text).collect();
    [
        (hydrated.plan.block, hydrated.status[&Kind::Preferences], hydrated.warnings),
        (texts.join("\n"), found.status[&Kind::Preferences], found.warnings),
    ]
}

/// Checks that a caller sees the preference, or that it is withheld with or without a warning.
fn check(shop: &Workshop, (by, id): (&Principal, &str), is_shown: bool, warns: bool, what: &str) {
    for (text, status, warnings) in shown(shop, by, id) {
        assert_eq!(text.contains(WISH), is_shown, "{what}: {text} {warnings:?}");
        let expect = if is_shown { KindStatus::Ok } else { KindStatus::Disabled };
        assert_eq!(status, expect, "{what}: {warnings:?}");
        assert_eq!(is_unproved(&warnings), warns, "{what}: {warnings:?}");
        let refused =
            warnings.iter().any(|one| one == "NOT_GRANTED: the caller may not read the preferences");
        assert_eq!(refused, !is_shown, "{what}: {warnings:?}");
    }
}

#[test]
fn a_task_s_word_opens_nobody_s_preferences() {
    let shop = Workshop::new();
    let whole = shop.caller.clone();
    sent(&shop, &whole, named("v-0", (Some("victim"), Some("900"))));
    prefers(&shop, "victim", WISH);
    let by_login: Names = (Some("victim"), None);
    let by_number: Names = (None, Some("900"));
    let by_both: Names = (Some("victim"), Some("900"));
    let by_other_login: Names = (Some("eve"), Some("900"));
    let all = [by_login, by_number, by_both, by_other_login];
    // The sender of the tasks; the names that this key proves; and true if it may read the
    // preference itself.
    let senders: [(&str, Principal, &[Names], bool); 8] = [
        ("administrator", whole.clone(), &all[..3], true),
        ("whole memory", shop.with_grant(&RIGHTS, Grant::everything()), &all[..3], true),
        ("repository", of_shop(&shop, None), &[], false),
        ("and the person's place", of_shop(&shop, Some(on_place("/users/victim/"))), &all, true),
        ("and the person", of_shop(&shop, Some(on_actor("victim"))), &all, true),
        ("and all people", of_shop(&shop, Some(on_place("/users/"))), &all, true),
        ("and the number's place", of_shop(&shop, Some(on_place("/users/user:900/"))), &all[1..], false),
        ("and somebody else", of_shop(&shop, Some(on_place("/users/eve/"))), &[], false),
    ];
    for (place, (who, sender, proved, may_read)) in senders.iter().enumerate() {
        for (number, names) in all.iter().enumerate() {
            if place < 2 && *names == by_other_login {
                continue; // A key that may write both moves the preferences to the new login.
            }
            let (id, what) = (format!("t-{place}-{number}"), format!("{who} {names:?}"));
            let is_proved = proved.contains(names);
            let made = sent(&shop, sender, named(&id, *names));
            assert_eq!(is_unproved(&made.warnings), !is_proved, "{what}: {:?}", made.warnings);
            let agent = token_of(&shop, sender, &id);
            check(&shop, (&agent, &id), is_proved, !is_proved, &format!("token, {what}"));
            check(&shop, (&agents(&shop), &id), is_proved, !is_proved, &format!("agents, {what}"));
            let warns = !is_proved && !may_read;
            check(&shop, (sender, &id), *may_read, warns, &format!("sender, {what}"));
            check(&shop, (&whole, &id), true, false, &format!("administrator, {what}"));
        }
    }
}

/// Stores the task in the form before proofs existed.
fn from_before(shop: &Workshop, id: &str) {
    let old = Task { requester_proof: None, ..shop.get(id).unwrap() };
    block_on(shop.world.store().write(move |tx| tx.tasks_mut().put(&old))).unwrap();
}

#[test]
fn a_key_that_may_read_a_person_proves_a_task_that_is_there() {
    for is_from_before in [false, true] {
        let shop = Workshop::new();
        let (repository, whole) = (of_shop(&shop, None), shop.caller.clone());
        sent(&shop, &whole, named("v-0", (Some("victim"), Some("900"))));
        prefers(&shop, "victim", WISH);
        let new = || named("t-1", (Some("victim"), Some("900")));
        sent(&shop, &repository, new());
        if is_from_before {
            from_before(&shop, "t-1");
        }
        let agent = token_of(&shop, &repository, "t-1");
        check(&shop, (&agent, "t-1"), false, true, "unproved");
        check(&shop, (&whole, "t-1"), true, false, "whoever may read them is shown them");
        let again = sent(&shop, &repository, new());
        assert!(!again.created && is_unproved(&again.warnings), "{:?}", again.warnings);
        check(&shop, (&agent, "t-1"), false, true, "the same key again");
        let again = sent(&shop, &whole, new());
        assert!(!again.created && !is_unproved(&again.warnings), "{:?}", again.warnings);
        let later = token_of(&shop, &whole, "t-1");
        check(&shop, (&later, "t-1"), true, false, "proved");
        check(&shop, (&agents(&shop), "t-1"), true, false, "a key for the agents of all tasks");
        check_old(&shop, (&agent, "t-1"), "given before the proof");
        assert!(!is_unproved(&sent(&shop, &repository, new()).warnings));
        check(&shop, (&later, "t-1"), true, false, "it stays");
        check_old(&shop, (&agent, "t-1"), "it stays closed");
    }
}

/// Checks that a token shows nothing of a proven person, and that a warning states that it is older
/// than the proof.
fn check_old(shop: &Workshop, (by, id): (&Principal, &str), what: &str) {
    check(shop, (by, id), false, false, what);
    for (_, _, warnings) in shown(shop, by, id) {
        let says = warnings.iter().any(|warning| warning.starts_with("TOKEN_NOT_PROVED: "));
        assert!(says, "{what}: {warnings:?}");
    }
}

#[test]
fn a_token_opens_the_preferences_alone_that_were_proved_when_it_was_given() {
    let shop = Workshop::new();
    let names: Names = (Some("victim"), Some("900"));
    let whole = shop.caller.clone();
    sent(&shop, &whole, named("v-0", names));
    prefers(&shop, "victim", WISH);
    let repository = of_shop(&shop, None);
    let provers = [
        ("t-1", whole.clone()),
        ("t-2", of_shop(&shop, Some(on_place("/users/victim/")))),
        ("t-3", of_shop(&shop, Some(on_actor("victim")))),
        ("t-4", of_shop(&shop, Some(on_place("/users/user:900/")))),
    ];
    for (id, prover) in &provers {
        sent(&shop, &repository, named(id, names));
        let before = token_of(&shop, &repository, id);
        // In the form of earlier versions.
        let sealed = format!("sealed:agent of a task 1\n{}\n{id}", shop.memory());
        let earlier = holder(&shop, &format!("loci_task_{}", hex::encode(sealed)));
        assert!(!is_unproved(&sent(&shop, prover, named(id, names)).warnings), "{id}");
        let after = token_of(&shop, prover, id);
        check(&shop, (&after, id), true, false, &format!("{id}: after"));
        check_old(&shop, (&before, id), &format!("{id}: before"));
        check_old(&shop, (&earlier, id), &format!("{id}: of an earlier version"));
        for agent in [&before, &earlier, &after] {
            let task = block_on(shop.engine.coding.task_get(agent, &shop.standing, &task_id(id)));
            assert!(task.is_ok(), "{id}: the task is its agent's: {task:?}");
        }
        // A key for the agent of one task works like such a token, unless it names the person's
        // namespace.
        let session = Some(SessionId::parse(*id).unwrap());
        let mut one = shop.with_grant(&[Capability::Agent], Grant { session, ..on_actor(REPO) });
        check_old(&shop, (&one, id), &format!("{id}: a key for one task"));
        for (path, is_shown) in [("/users/eve/", false), ("/users/victim/", true)] {
            one.grants.extend(shop.with_grant(&[Capability::Agent], on_place(path)).grants);
            match is_shown {
                true => check(&shop, (&one, id), true, false, path),
                false => check_old(&shop, (&one, id), path),
            }
        }
    }
}

#[test]
fn a_key_that_proves_nobody_is_given_no_token_that_shows_them() {
    let shop = Workshop::new();
    let names: Names = (Some("victim"), Some("900"));
    let whole = shop.caller.clone();
    sent(&shop, &whole, named("v-0", names));
    let repository = of_shop(&shop, None);
    let number = of_shop(&shop, Some(on_place("/users/user:900/")));
    let mut acts = repository.clone();
    acts.grants.extend(agents(&shop).grants);
    let is_given = |by: &Principal, task: &Task| {
        block_on(shop.engine.coding.agent_token_for(by, task)).unwrap().is_some()
    };
    // Its agent sees no preferences.
    let unproved = sent(&shop, &repository, named("t-1", names)).task;
    assert!(is_given(&repository, &unproved) && is_given(&whole, &unproved));
    for (id, prover) in [("t-2", &whole), ("t-3", &number)] {
        let made = sent(&shop, prover, named(id, names));
        assert!(made.created && is_given(prover, &made.task), "{id}");
        let again = sent(&shop, &repository, named(id, names));
        assert!(!again.created && !is_unproved(&again.warnings), "{id}: {:?}", again.warnings);
        assert!(!is_given(&repository, &again.task), "{id}");
        for by in [&whole, &number, &acts] {
            assert!(is_given(by, &again.task), "{id}: {}", by.name);
        }
    }
}

#[test]
fn a_number_that_is_bound_later_opens_nobody() {
    let shop = Workshop::new();
    let eve = of_shop(&shop, Some(on_place("/users/eve/")));
    prefers(&shop, "eve", "Small pull requests of mine.");
    assert!(!is_unproved(&sent(&shop, &eve, named("t-1", (Some("eve"), Some("900")))).warnings));
    let agent = token_of(&shop, &eve, "t-1");
    let [(block, ..), _] = shown(&shop, &agent, "t-1");
    assert!(block.contains("Small pull requests of mine."), "{block}");
    sent(&shop, &shop.caller, named("v-0", (Some("victim"), Some("900"))));
    prefers(&shop, "victim", WISH);
    check(&shop, (&agent, "t-1"), false, true, "the number is another person's");
    // A key that may read both proves the number, but not for the holder of the earlier token.
    assert!(!is_unproved(&sent(&shop, &shop.caller, named("t-1", (Some("eve"), Some("900")))).warnings));
    check(&shop, (&token_of(&shop, &shop.caller, "t-1"), "t-1"), true, false, "proved since");
    check_old(&shop, (&agent, "t-1"), "the token is of another person");
}

#[test]
fn an_export_has_the_tasks_that_are_proved() {
    let shop = Workshop::new();
    let victim: Names = (Some("victim"), Some("900"));
    sent(&shop, &shop.caller, named("v-0", victim));
    sent(&shop, &of_shop(&shop, Some(on_place("/users/victim/"))), named("v-1", victim));
    sent(&shop, &of_shop(&shop, None), named("t-1", victim));
    sent(&shop, &of_shop(&shop, None), named("t-2", (Some("eve"), Some("900"))));
    let themselves = shop.with_grant(&RIGHTS, on_place("/users/victim/"));
    let export = |by: &Principal| {
        let found = block_on(shop.engine.coding.user_export(by, &shop.standing, "victim")).unwrap();
        let mut ids: Vec<String> = found.tasks.iter().map(|task| task.task_id.clone()).collect();
        ids.sort();
        let says = |count: &str| found.warnings.iter().any(|one| one.starts_with(count));
        assert!(says("TASKS_NOT_PROVED: 2 ") || says("TASKS_NOT_PROVED: 3 "), "{:?}", found.warnings);
        (ids, says("TASKS_NOT_PROVED: 3 "))
    };
    for by in [&themselves, &shop.caller] {
        assert_eq!(export(by), (vec!["v-0".to_owned(), "v-1".to_owned()], false));
    }
    // A task from before proofs has none: only a caller that may read the whole memory sees it.
    from_before(&shop, "v-1");
    assert_eq!(export(&themselves), (vec!["v-0".to_owned()], true));
    assert_eq!(export(&shop.caller), (vec!["v-0".to_owned(), "v-1".to_owned()], false));
}
