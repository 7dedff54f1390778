//! Missing context reported by several tasks of a repository: one line of a hydration, listed, and
//! closed by a person or by time.

use std::collections::BTreeSet;

use loci_api::coding::task::TaskCreate;
use loci_coding::hydration::{Hydration, HydrationKind as Kind, KindStatus};
use loci_coding::{Completion, Hydrated, NewPrompt, PromptParts, ProposalOf, Theme, ThemeState};
use loci_model::principal::{Capability, Grant};
use loci_model::record::RecordState;
use loci_model::{ActorId, ErrorKind, RecordId};
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task, task_id};

/// Completes a task that reports missing context.
fn lacked(shop: &Workshop, id: &str, text: &str) {
    shop.begun(id);
    let said = Completion { self_feedback_text: Some(text.to_owned()), ..Completion::default() };
    shop.complete(id, said).unwrap();
}

fn three(shop: &Workshop) {
    lacked(shop, "t-001", "**[Test database]:** Where the database of the tests comes from was not said.");
    lacked(shop, "t-002", "**[Test database]:** `make db-up` must run before `make test`; nothing says so.");
    lacked(shop, "t-003", "**[test  Database]:** The tests fail with ECONNREFUSED until there is one.");
}

fn themes(shop: &Workshop, closed: bool) -> Vec<Theme> {
    block_on(shop.engine.coding.themes_list(&shop.caller, &shop.standing, REPO, closed)).unwrap().themes
}

fn hydrated(shop: &Workshop, id: &str, asked: Hydration) -> Hydrated {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked)).unwrap()
}

/// Returns the themes that are shown, by their record, and the number of their tasks.
fn shown(found: &Hydrated) -> Vec<(RecordId, u32)> {
    let told = |one: &loci_coding::hydration::ShownRecord| {
        Some((one.candidate.record.id.clone(), one.candidate.lacked_by?))
    };
    found.plan.shown.iter().filter_map(told).collect()
}

#[test]
fn what_three_tasks_lacked_is_one_line() {
    let shop = Workshop::new();
    lacked(&shop, "t-001", "**[Test database]:** Where the database of the tests comes from was not said.");
    lacked(&shop, "t-002", "**[Test database]:** `make db-up` must run before `make test`; nothing says so.");
    // The same task twice, or another theme, does not count as a third task.
    let again =
        "**[Test database]:** The database has no tables.\n\n**[Icons]:** Which icons are free was not said.";
    shop.complete(
        "t-002",
        Completion { self_feedback_text: Some(again.to_owned()), ..Completion::default() },
    )
    .unwrap();
    assert!(themes(&shop, false).is_empty());
    shop.begun("t-004");
    assert!(shown(&hydrated(&shop, "t-004", Hydration::default())).is_empty());
    lacked(&shop, "t-003", "**[test  Database]:** The tests fail with ECONNREFUSED until there is one.");
    let all = themes(&shop, false);
    let theme = &all[0];
    assert_eq!((all.len(), theme.state, theme.items.len()), (1, ThemeState::Open, 4));
    assert_eq!(theme.tasks, ["t-001", "t-002", "t-003"]);
    assert_eq!(themes(&shop, false)[0].id, theme.id, "the same items are the same theme");
    let newest = theme.told_by().unwrap().id.clone();
    let found = hydrated(&shop, "t-004", Hydration::default());
    assert_eq!(shown(&found), [(newest.clone(), 3)], "{}", found.plan.block);
    let block = &found.plan.block;
    assert_eq!(block.matches("3 tasks lacked this: test  Database: The tests fail").count(), 1, "{block}");
    assert!(block.contains("Repository knowledge"), "{block}");
    let of_items = found.plan.left.iter().filter(|left| left.candidate.record.id == newest);
    assert_eq!(of_items.count(), 0, "what is told is not said to be left out as well");
}

#[test]
fn equal_words_of_three_tasks_are_a_theme() {
    let shop = Workshop::new();
    let text = "**[Test database]:** Where the database of the tests comes from was not said.";
    let lines = |id: &str| {
        shop.begun(id);
        let found = hydrated(&shop, id, Hydration::default());
        let texts = found.plan.shown.iter().map(|one| &one.candidate.record.text);
        texts.filter(|text| text.starts_with("Where the database of the tests")).count()
    };
    lacked(&shop, "t-001", text);
    lacked(&shop, "t-002", text);
    assert_eq!(lines("t-004"), 0, "two tasks are no theme");
    lacked(&shop, "t-003", text);
    assert_eq!(lines("t-005"), 1, "a theme is one line");
    let all = themes(&shop, false);
    assert_eq!((all.len(), all[0].items.len()), (1, 3));
    assert_eq!(all[0].tasks, ["t-001", "t-002", "t-003"]);
}

#[test]
fn what_is_asked_for() {
    let shop = Workshop::new();
    three(&shop);
    shop.begun("t-004");
    let only = |kinds: &[Kind], themes| Hydration {
        include: Some(kinds.iter().copied().collect::<BTreeSet<_>>()),
        themes,
        ..Hydration::default()
    };
    let found = hydrated(&shop, "t-004", only(&[], true));
    assert_eq!((shown(&found).len(), found.status[&Kind::Knowledge]), (1, KindStatus::Ok));
    assert!(shown(&hydrated(&shop, "t-004", only(&[Kind::Knowledge], false))).is_empty());
    shop.create(TaskCreate { memory_arm: Some("off".to_owned()), ..task("t-005") }).unwrap();
    let off = hydrated(&shop, "t-005", Hydration::default());
    assert!(shown(&off).is_empty() && !off.plan.block.contains("lacked"), "{}", off.plan.block);
}

#[test]
fn a_person_closes_a_theme_and_what_is_lacked_afterwards_begins_anew() {
    let shop = Workshop::new();
    three(&shop);
    let theme = themes(&shop, false).remove(0);
    let actor = Some(ActorId::parse(REPO).unwrap());
    let agent =
        shop.with_grant(&[Capability::Read, Capability::Write], Grant { actor, ..Grant::everything() });
    let close = |caller| block_on(shop.engine.coding.theme_close(caller, &shop.standing, REPO, &theme.id));
    assert_eq!(close(&agent).unwrap_err().kind, ErrorKind::Denied);
    let closed = close(&shop.caller).unwrap();
    assert_eq!((closed.theme_id.as_str(), closed.items.len()), (theme.id.as_str(), 3));
    assert!(theme.items.iter().all(|item| shop.record(&item.id).state == RecordState::Archived));
    assert_eq!(close(&shop.caller).unwrap_err().kind, ErrorKind::NotFound);
    assert!(themes(&shop, false).is_empty());
    let old: Vec<_> = themes(&shop, true).into_iter().map(|theme| (theme.id, theme.state)).collect();
    assert_eq!(old, [(theme.id.clone(), ThemeState::Closed)]);
    lacked(&shop, "t-004", "**[Test database]:** It is still not said.");
    assert!(themes(&shop, false).is_empty(), "one task is no theme");
}

#[test]
fn what_nobody_lacks_any_more_is_quiet() {
    let shop = Workshop::new();
    three(&shop);
    for number in 100..119 {
        shop.begun(&format!("t-{number}"));
    }
    assert_eq!(themes(&shop, false).len(), 1);
    shop.begun("t-119");
    assert!(themes(&shop, false).is_empty());
    assert_eq!(themes(&shop, true)[0].state, ThemeState::Quiet);
    assert!(shown(&hydrated(&shop, "t-119", Hydration::default())).is_empty());
    lacked(&shop, "t-120", "**[Test database]:** It is gone again.");
    let theme = themes(&shop, false).remove(0);
    assert_eq!((theme.state, theme.tasks.len()), (ThemeState::Open, 4), "until somebody lacks it again");
}

#[test]
fn open_themes_become_an_edit_of_the_prompt_when_it_is_accepted() {
    let shop = Workshop::new();
    let of = ProposalOf { repo: REPO, template_id: Some("new-task") };
    let proposed = || block_on(shop.engine.coding.theme_proposal(&shop.caller, &shop.standing, of)).unwrap();
    let accept =
        |id: &str| block_on(shop.engine.coding.theme_proposal_accept(&shop.caller, &shop.standing, of, id));
    let nothing = proposed();
    assert_eq!((nothing.themes.len(), nothing.diff.as_str()), (0, ""));
    assert_eq!(accept(&nothing.proposal).unwrap_err().kind, ErrorKind::Conflict);

    three(&shop);
    let parts = PromptParts {
        text: "Work carefully.\n".to_owned(),
        tools: vec!["bash".to_owned()],
        ..PromptParts::default()
    };
    let new = NewPrompt { template_id: "new-task".to_owned(), parts, model: None };
    let first = block_on(shop.engine.coding.prompt_add(&shop.caller, &shop.standing, new)).unwrap().prompt;
    let proposal = proposed();
    assert_eq!((proposal.from.as_ref(), proposal.themes.len()), (Some(&first.version), 1));
    let line = "+- test Database: The tests fail with ECONNREFUSED until there is one.\n";
    assert!(proposal.diff.starts_with(" Work carefully.\n+\n+## What"), "{}", proposal.diff);
    assert!(proposal.diff.ends_with(line), "{}", proposal.diff);
    assert_eq!(
        accept(&nothing.proposal).unwrap_err().field.as_deref(),
        Some("proposal"),
        "an earlier proposal"
    );
    assert_eq!(themes(&shop, false).len(), 1, "nothing has changed so far");

    let accepted = accept(&proposal.proposal).unwrap();
    assert_eq!((accepted.previous.as_ref(), accepted.closed.len()), (Some(&first.version), 1));
    let now = block_on(shop.engine.coding.prompt_get(&shop.caller, &shop.standing, &accepted.prompt_version))
        .unwrap();
    assert_eq!((now.text.as_str(), now.tools.len()), (proposal.text.as_str(), 1));
    assert!(themes(&shop, false).is_empty());
    assert_eq!(proposed().themes.len(), 0);

    // A caller that does not administer the repository cannot change a prompt.
    let writer = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    let denied = shop.engine.coding.theme_proposal_accept(&writer, &shop.standing, of, &proposal.proposal);
    assert_eq!(block_on(denied).unwrap_err().kind, ErrorKind::Denied);
    let own = ProposalOf { repo: REPO, template_id: None };
    let own = block_on(shop.engine.coding.theme_proposal(&shop.caller, &shop.standing, own)).unwrap();
    assert_eq!((own.template_id.as_str(), own.from), (REPO, None));
}
