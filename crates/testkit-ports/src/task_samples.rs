//! Tasks, their commits, prompts and sessions with all members filled in, so that tests change only
//! the relevant ones.

use loci_model::facts::code::ObjectId;
use loci_model::ledger::{LedgerEntry, LedgerNoun};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::tasks::review::Review;
use loci_model::tasks::task::{
    Harm, MemoryArm, RequesterProof, Task, TaskAlert, TaskFeedback, TaskKind, TaskPrompt, TaskPullRequest,
    TaskStatus, TaskWritten,
};
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, TaskSession, ToldEnd, ToolUse};
use loci_model::{ActorId, Document, Error, EventId, MemoryId, Result, SessionId, TaskId};

use crate::fact_samples::repository_id;
use crate::samples::{record_id, time};

/// Returns the `number`th task, of the first repository, received `number` seconds after the start.
///
/// # Errors
/// None: the ids are valid.
pub fn task(memory: &MemoryId, number: u32) -> Result<Task> {
    let at = time(i64::from(number));
    Ok(Task {
        memory: memory.clone(),
        id: TaskId::parse(format!("t-{number:03}"))?,
        actor: ActorId::parse("acme/shop")?,
        session: SessionId::parse(format!("t-{number:03}"))?,
        repository: Some(repository_id(1)?),
        forge: Some("github".to_owned()),
        forge_repo_id: Some(186_853_002),
        snapshot: Some("snap_7".to_owned()),
        request_digest: format!("{number:064x}"),
        kind: TaskKind::NewTask,
        status: TaskStatus::Running,
        arm: MemoryArm::On,
        user: Some("bob".to_owned()),
        user_id: Some("583231".to_owned()),
        requester_proof: Some(RequesterProof { login: true, number: true }),
        description: "Add \"pagination\" to /orders, Größe 20\0".to_owned(),
        issue: Some(123),
        pr: Some(TaskPullRequest {
            number: 57,
            url: Some("https://git.example/acme/shop/pull/57".to_owned()),
            merge_commit_sha: Some("d".repeat(40)),
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
        input_hash: Some("c".repeat(64)),
        memory_hash: Some("d".repeat(64)),
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
            harms: [(record_id(3)?, Harm { at, by_human: true })].into(),
        },
        security_alert: Some(TaskAlert {
            reason: "it read \"odd\" things".to_owned(),
            by: "ann".to_owned(),
            at: at.plus_millis(400),
        }),
        completed_at: Some(at.plus_millis(500)),
        created_at: at,
        updated_at: at.plus_millis(700),
    })
}

/// Returns the id of the `number`th commit.
///
/// # Errors
/// None: it has forty digits.
pub fn sha(number: u32) -> Result<ObjectId> {
    ObjectId::parse(&format!("{number:040x}")).ok_or_else(|| Error::bug("an id of a sample"))
}

/// Returns the `number`th commit, of the task with that number, reported `number` seconds after the
/// start.
///
/// # Errors
/// None: the ids are valid.
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

/// Returns the `number`th version of a prompt, current since `number` seconds after the start.
///
/// # Errors
/// None: the ids are valid.
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

/// Returns the session of the `number`th task, ended `number` seconds after the start.
///
/// # Errors
/// None: the ids are valid.
pub fn session(memory: &MemoryId, number: u32) -> Result<TaskSession> {
    let task = format!("t-{number:03}");
    let at = time(i64::from(number));
    let texts = |text: &str| vec![text.to_owned()];
    Ok(TaskSession {
        state: Some(Document::parse(r#"{"step":3,"odd":"Gr\u00f6\u00dfe\u0000"}"#)?),
        state_version: 4,
        ended_at: Some(at),
        told: ToldEnd {
            summary: Some(format!("Pages of orders, number {number}\0")),
            approach: Some("Cursors.".to_owned()),
            difficulties: texts("The OpenAPI file was stale."),
            error_message: Some("TIMEOUT of the linter".to_owned()),
            files_changed: texts("src/api/orders.ts"),
        },
        ..TaskSession::begun(
            memory.clone(),
            ActorId::parse("acme/shop")?,
            TaskId::parse(&task)?,
            SessionId::parse(&task)?,
            at,
        )
    })
}

/// Returns item `seq` of the session of the `number`th task, received `seq` seconds after the start
/// and kept for a thousand.
///
/// # Errors
/// None: the ids are valid.
pub fn session_item(memory: &MemoryId, number: u32, seq: u32) -> Result<SessionItem> {
    let at = time(i64::from(seq));
    Ok(SessionItem {
        memory: memory.clone(),
        actor: ActorId::parse("acme/shop")?,
        task: TaskId::parse(format!("t-{number:03}"))?,
        seq: u64::from(seq),
        kind: SessionItemKind::Decision,
        role: "assistant".to_owned(),
        text: Some(format!("We take CURSORS, not offsets: Größe {seq}\0")),
        text_sha256: "e".repeat(64),
        text_chars: 40,
        user: Some("bob".to_owned()),
        prompt_version: Some("3f2a9c0d11ab".to_owned()),
        commit: Some("f".repeat(40)),
        tool: Some(ToolUse {
            name: "bash".to_owned(),
            input_sha256: Some("1".repeat(64)),
            output_sha256: Some("2".repeat(64)),
            duration_ms: Some(812),
            cost_usd: Some(0.25),
            status: Some("ok".to_owned()),
        }),
        event: Some(EventId::compose(at.millis(), 7)),
        at,
        reported_at: at,
        expires_at: at.plus_millis(1_000_000),
    })
}

/// Returns the `number`th ledger entry, `number` seconds after the start.
///
/// # Errors
/// None: the ids are valid.
pub fn entry(memory: &MemoryId, number: u32) -> Result<LedgerEntry> {
    Ok(LedgerEntry {
        memory: memory.clone(),
        shelf: Review::SHELF,
        key: format!("k{number}"),
        actor: ActorId::parse("acme/shop")?,
        subject: Some(format!("{number}")),
        at: time(i64::from(number)),
        body: Document::parse(r#"{"b":1.50,"a":[1,null,"\u0000"]}"#)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_of_an_older_version_is_read() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let whole = task(&memory, 1).unwrap();
        let mut row = serde_json::to_value(&whole).unwrap();
        let members = row.as_object_mut().unwrap();
        let later = [
            "forge",
            "forge_repo_id",
            "snapshot",
            "requester_proof",
            "input_hash",
            "memory_hash",
            "security_alert",
            "feedback",
        ];
        later.iter().for_each(|member| assert!(members.remove(*member).is_some(), "{member}"));
        let read: Task = serde_json::from_value(row).unwrap();
        let expect = Task {
            forge: None,
            forge_repo_id: None,
            snapshot: None,
            requester_proof: None,
            input_hash: None,
            memory_hash: None,
            security_alert: None,
            feedback: TaskFeedback::default(),
            ..whole
        };
        assert_eq!(read, expect);
    }
}
