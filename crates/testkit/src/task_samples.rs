//! Tasks, their commits and prompts with every member filled in, for tests to change what they are about.

use loci_model::code::ObjectId;
use loci_model::commit::TaskCommit;
use loci_model::prompt_version::PromptVersion;
use loci_model::task::{
    MemoryArm, Task, TaskFeedback, TaskKind, TaskPrompt, TaskPullRequest, TaskStatus, TaskWritten,
};
use loci_model::{ActorId, Document, Error, MemoryId, Result, SessionId, TaskId};

use crate::fact_samples::repository_id;
use crate::samples::{record_id, time};

/// The `number`th task, of the first repository, taken in `number` seconds after the start.
///
/// # Errors
/// None: the ids keep their rules.
pub fn task(memory: &MemoryId, number: u32) -> Result<Task> {
    let at = time(i64::from(number));
    Ok(Task {
        memory: memory.clone(),
        id: TaskId::parse(format!("t-{number:03}"))?,
        actor: ActorId::parse("acme/shop")?,
        session: SessionId::parse(format!("t-{number:03}"))?,
        repository: Some(repository_id(1)?),
        request_digest: format!("{number:064x}"),
        kind: TaskKind::NewTask,
        status: TaskStatus::Running,
        arm: MemoryArm::On,
        user: Some("bob".to_owned()),
        user_id: Some("583231".to_owned()),
        description: "Add \"pagination\" to /orders, Größe 20\0".to_owned(),
        issue: Some(123),
        pr: Some(TaskPullRequest {
            number: 57,
            url: Some("https://git.example/acme/shop/pull/57".to_owned()),
            head_sha: Some("9f".repeat(20)),
        }),
        branch: Some(format!("agent/t-{number:03}")),
        base: Some("main".to_owned()),
        base_sha: Some("8e".repeat(20)),
        prompt: Some(TaskPrompt {
            template_id: Some("new-task".to_owned()),
            template_sha256: Some("a".repeat(64)),
            overrides_sha256: Some("b".repeat(64)),
        }),
        prompt_version: Some("3f2a9c0d11ab".to_owned()),
        model: Some("a-model".to_owned()),
        variant: Some("B".to_owned()),
        parent: Some(TaskId::parse("t-000")?),
        trace_id: Some("0".repeat(32)),
        cost_usd: Some(0.4213),
        duration_s: Some(812.4),
        error_message: Some("odd".to_owned()),
        failure_category: Some("timeout".to_owned()),
        written: TaskWritten {
            episode: Some(record_id(1)?),
            is_minimal: true,
            learnings: 2,
            self_feedback: 1,
        },
        feedback: TaskFeedback {
            used: [record_id(1)?, record_id(2)?].into(),
            helpful: [record_id(1)?].into(),
            harmful: [(record_id(3)?, "it \"misled\"".to_owned())].into(),
        },
        completed_at: Some(at.plus_millis(500)),
        created_at: at,
        updated_at: at.plus_millis(700),
    })
}

/// The id of the `number`th commit.
///
/// # Errors
/// None: it has forty digits.
pub fn sha(number: u32) -> Result<ObjectId> {
    ObjectId::parse(&format!("{number:040x}")).ok_or_else(|| Error::bug("an id of a sample"))
}

/// The `number`th commit, of the task of that number, reported `number` seconds after the start.
///
/// # Errors
/// None: the ids keep their rules.
pub fn commit(memory: &MemoryId, number: u32) -> Result<TaskCommit> {
    let trailers = [("Task-Id", format!("t-{number:03}")), ("Odd", "Größe\0".to_owned())];
    Ok(TaskCommit {
        task: Some(TaskId::parse(format!("t-{number:03}"))?),
        user: Some("bob".to_owned()),
        prompt_version: Some("3f2a9c0d11ab".to_owned()),
        parents: vec![sha(number + 100)?],
        branch: Some(format!("agent/t-{number:03}")),
        author: Some("A <a@example.org>".to_owned()),
        authored_at: Some(time(i64::from(number))),
        trailers: trailers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        patch_id: Some(format!("{:040x}", number + 200)),
        rewritten_to: Some(sha(number + 300)?),
        rewritten_from: vec![sha(number + 400)?],
        merged_pr: Some(57),
        ..TaskCommit::bare(
            memory.clone(),
            ActorId::parse("acme/shop")?,
            sha(number)?,
            time(i64::from(number)),
        )
    })
}

/// The `number`th version of a prompt, current since `number` seconds after the start.
///
/// # Errors
/// None: the ids keep their rules.
pub fn prompt(memory: &MemoryId, number: u32) -> Result<PromptVersion> {
    Ok(PromptVersion {
        memory: memory.clone(),
        version: format!("{number:012x}"),
        sha256: format!("{number:064x}"),
        template_id: "new-task".to_owned(),
        template_sha256: "a".repeat(64),
        text: format!("You work on {{repo}}.\n{number}, Größe\0\n"),
        overrides: Document::parse(r#"{"append":"Be brief.","max_turns":40}"#)?,
        tools: vec!["bash".to_owned(), "edit".to_owned()],
        extraction_prompts: vec!["learnings@1".to_owned()],
        model: Some("a-model".to_owned()),
        current_since: time(i64::from(number)),
        created_at: time(0),
    })
}
