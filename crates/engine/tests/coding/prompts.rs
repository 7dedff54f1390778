//! Versions of prompts: named by digests, listed, compared, and reverted. Names contain the numbers
//! of the acceptance tests of coding agents' memory where applicable.

use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use loci_coding::{NewPrompt, PromptAdded, PromptParts};
use loci_model::ports::store::StoreExt;
use loci_model::{ErrorKind, Result, limits};
use loci_testkit_ports::{block_on, task_samples};

use super::workshop::{Workshop, task, task_id};

fn prompt(template: &str, text: &str) -> NewPrompt {
    let parts = PromptParts { text: text.to_owned(), ..PromptParts::default() };
    NewPrompt { template_id: template.to_owned(), parts, model: None }
}

impl Workshop {
    fn add(&self, new: NewPrompt) -> Result<PromptAdded> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.prompt_add(&self.caller, &self.standing, new))
    }

    fn versions(&self, template: Option<&str>) -> Vec<String> {
        let listed = self.engine.coding.prompt_list(
            &self.caller,
            &self.standing,
            template.map(str::to_owned),
            None,
            9,
        );
        block_on(listed).unwrap().items.into_iter().map(|prompt| prompt.version).collect()
    }
}

#[test]
fn a42_a_version_is_named_by_what_it_is() {
    let shop = Workshop::new();
    let first = shop.add(prompt("new-task", "You work on {repo}.\n{memory_context}\n")).unwrap();
    assert_eq!((first.prompt.version.as_str(), first.previous), ("df5f9bd70264", None));
    let model = Some("a-model".to_owned());
    let again =
        shop.add(NewPrompt { model, ..prompt("new-task", "You work on {repo}.\n{memory_context}\n") });
    assert_eq!(again.unwrap().prompt.version, "df5f9bd70264", "the model is no part of it");
    let second = shop.add(prompt("new-task", "You work on {repo}.\n")).unwrap();
    assert_eq!(second.previous.as_deref(), Some("df5f9bd70264"));
    let error = shop.add(prompt("review", "You work on {repo}.\n")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    let review = shop.add(prompt("review", "Review.\n")).unwrap();
    assert_eq!(shop.versions(Some("new-task")), [second.prompt.version.clone(), "df5f9bd70264".to_owned()]);
    assert_eq!(shop.versions(None).first(), Some(&review.prompt.version));
}

#[test]
fn a43_memory_changes_no_version_and_the_template_does() {
    let shop = Workshop::new();
    let version = |text: &str| shop.add(prompt("new-task", text)).unwrap().prompt.version;
    let first = version("You work on {repo}.\n{memory_context}\n");
    let made = shop.create(TaskCreate { prompt_version: Some(first.clone()), ..task("t-001") }).unwrap().task;
    assert_eq!((made.prompt_version.as_ref(), &made.memory_hash), (Some(&first), &None));
    let hydrated = || {
        shop.world.clock().advance_ms(1_000);
        let asked = Hydration::default();
        let id = task_id("t-001");
        let found =
            block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &id, asked)).unwrap();
        let task = shop.get("t-001").unwrap();
        assert_eq!(task.memory_hash, Some(found.plan.memory_hash()), "as the answer said");
        task
    };
    let before = hydrated();
    let note = TaskNote { text: "Pagination goes by a cursor.".to_owned(), ..TaskNote::default() };
    shop.note("t-001", note).unwrap();
    let after = hydrated();
    assert_ne!(after.memory_hash, before.memory_hash, "something is remembered now");
    assert_eq!((&after.prompt_version, &after.input_hash), (&Some(first.clone()), &made.input_hash));
    assert_eq!(version("You work on {repo}.\n{memory_context}\n"), first);
    assert_ne!(version("You work on {repo}.\n{memory_context}\nBe brief.\n"), first);

    // The input has its own digest, independent of the prompt.
    let input = |new: TaskCreate| shop.create(new).unwrap().task.input_hash.unwrap();
    let known = made.input_hash.unwrap();
    assert_eq!((known.len(), input(TaskCreate { model: None, ..task("t-002") })), (64, known.clone()));
    assert_ne!(input(TaskCreate { issue: Some(124), ..task("t-003") }), known);
    assert_ne!(input(TaskCreate { description: "Something else".to_owned(), ..task("t-004") }), known);

    // The control group sees nothing, and the task records it.
    shop.create(TaskCreate { memory_arm: Some("off".to_owned()), ..task("t-005") }).unwrap();
    let asked = Hydration::default();
    let off =
        block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-005"), asked));
    assert_eq!(shop.get("t-005").unwrap().memory_hash, Some(off.unwrap().plan.memory_hash()));
}

#[test]
fn going_back_and_comparing() {
    let shop = Workshop::new();
    let first = shop.add(prompt("new-task", "a\nb\n")).unwrap().prompt.version;
    let mut new = prompt("new-task", "a\nc\n");
    new.parts.tools = vec!["edit".into(), "bash".into(), "bash".into()];
    let second = shop.add(new).unwrap().prompt;
    assert_eq!(second.tools, ["bash", "edit"]);
    let second = second.version;
    let diff = |from: &str, to: &str| {
        block_on(shop.engine.coding.prompt_diff(&shop.caller, &shop.standing, (from, to)))
    };
    let found = diff(&first, &second).unwrap();
    assert_eq!(found.changed, ["text", "tools"]);
    assert_eq!(found.lines, " a\n-b\n+c\n overrides: {}\n+tool: bash\n+tool: edit\n");
    assert_eq!(diff(&first, &first).unwrap().changed, Vec::<&str>::new());
    assert_eq!(diff(&first, "none").unwrap_err().kind, ErrorKind::NotFound);
    let back = |template: &str, to: &str| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.coding.prompt_rollback(&shop.caller, &shop.standing, template, to))
    };
    let (now, previous) = back("new-task", &first).unwrap();
    assert_eq!((now.version.as_str(), previous.as_deref()), (first.as_str(), Some(second.as_str())));
    assert_eq!(shop.versions(Some("new-task")), [first.clone(), second.clone()]);
    let (now, previous) = back("new-task", &first).unwrap();
    assert_eq!(
        (now.version.as_str(), previous.as_deref()),
        (first.as_str(), Some(second.as_str())),
        "it is there"
    );
    assert_eq!(back("review", &first).unwrap_err().kind, ErrorKind::NotFound);
    // A former current version that is added again becomes current.
    assert_eq!(shop.add(prompt("new-task", "a\nb\n")).unwrap().previous.as_deref(), Some(second.as_str()));
}

#[test]
fn two_of_one_name_and_what_is_refused() {
    let shop = Workshop::new();
    let mut other = task_samples::prompt(&shop.memory(), 1).unwrap();
    other.version = "df5f9bd70264".to_owned();
    block_on(shop.world.store().write(move |tx| tx.prompts_mut().put(&other))).unwrap();
    let text = "You work on {repo}.\n{memory_context}\n";
    for _ in 0..2 {
        let added = shop.add(prompt("mine", text)).unwrap().prompt;
        assert_eq!((added.version.len(), added.version.starts_with("df5f9bd70264")), (16, true));
    }
    let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
    let masked = shop.add(prompt("mine", &format!("Use {secret}.\n"))).unwrap();
    assert!(!masked.prompt.text.contains(&secret) && masked.warnings.concat().contains("SECRETS_MASKED"));
    let mut beside = prompt("beside", "Be brief.\n");
    beside.parts.overrides = Some(serde_json::json!({ "env": { "TOKEN": secret, "turns": 4 } }));
    let beside = shop.add(beside).unwrap();
    let overrides = beside.prompt.overrides.as_str();
    assert!(!overrides.contains(&secret) && overrides.contains("turns") && !beside.warnings.is_empty());
    let check = |new: NewPrompt, field: &str| {
        assert_eq!(shop.add(new).unwrap_err().field.as_deref(), Some(field));
    };
    check(prompt("", "a"), "template_id");
    check(prompt("t", &"a".repeat(limits::PROMPT_BYTES_MAX + 1)), "text");
    let mut many = prompt("t", "a");
    many.parts.tools = (0..=limits::PROMPT_NAMES_MAX).map(|number| number.to_string()).collect();
    check(many, "tools");
}
