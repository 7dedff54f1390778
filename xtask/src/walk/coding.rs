//! The workflow of a coding agent's task. It starts with hydration, then commits under `-v`, amend,
//! rebase and merge, in a working tree of its own and with a configured folder for hooks. The task
//! ends from both sides, twice and late. The last steps lead from a line on `main` back to the task
//! behind a squash. The second part, the lessons of reviews, is in `reviews`.

use super::stage::Stage;
use super::{Step, go, reviews};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const TRAILERS: &str = "Task-Id: t-001\nPrompt-Version: 3f2a9c0d11ab\nPrompted-by: t-001/3f2a9c0d11ab";

/// The steps in order. Hydration comes first, before any commit.
const STEPS: &[Step<Stage>] = &[
    ("a task is taken in, and the hooks are installed", |stage| begin(stage)),
    ("hydration: what an earlier task learned, and how it failed", |stage| hydrated(stage)),
    ("the agent itself, by the tools of MCP", |stage| by_tools(stage)),
    ("commits: -m, -v, --amend, --no-verify", |stage| commits(stage)),
    ("a rebase and a merge", |stage| rebase_and_merge(stage)),
    ("a working tree for another task", |stage| another_tree(stage)),
    ("a configured place for hooks", |stage| configured_hooks(stage)),
    ("the end: finalize twice, a late report", |stage| end(stage)),
    ("from a line on main back, behind a squash", |stage| back(stage)),
    ("a review becomes a rule, is shown, and what came of it counts", |stage| reviews::walk(stage)),
];

/// Runs the workflow.
///
/// # Errors
/// Errors if a step finds a wrong result.
pub(super) fn walk(loci: &Path) -> Result<()> {
    go(&mut Stage::new(loci)?, STEPS)
}

fn begin(stage: &Stage) -> Result<()> {
    let what = ["--user", "bob", "--issue", "123", "--pr", "57", "Add pagination to /orders"];
    stage.loci(&[&["task", "create", "--id", "t-001"], &what[..]].concat())?;
    let installed = install(stage, &stage.shop, "t-001")?;
    ensure!(installed["installed"] == true && installed["self_test"] == true, "{installed}");
    stage.git(&["switch", "--quiet", "-c", "agent/t-001"]).map(drop)
}

fn hydrated(stage: &Stage) -> Result<()> {
    stage.loci(&["task", "create", "--id", "t-000", "--user", "bob", "Add paging to /orders"])?;
    let noted = stage.loci(&[
        "task",
        "note",
        "t-000",
        "**Orders:** pagination of orders is by `PART` in src/part_3.rs.",
    ])?;
    let failed = [
        "task",
        "complete",
        "t-000",
        "--status",
        "failed",
        "--summary",
        "Pagination by offset was too slow.",
    ];
    let failed = stage.loci(&failed)?;
    let found = stage.loci(&["task", "hydrate", "t-001", "--strict"])?;
    ensure!(found["degraded"] == false && found["status"]["knowledge"] == "ok", "{found}");
    let of = |kind: &str| found[kind][0]["id"].clone();
    ensure!(of("knowledge") == noted["learning"]["id"] && of("episodes") == failed["episode_id"], "{found}");
    let block = found["rendered"].as_str().context("a block")?;
    let (heading, episode) = (block.find("did not work"), block.find("too slow"));
    ensure!(heading.is_some() && heading < episode && !block.contains("that worked"), "{block}");
    let explained = stage.loci(&["task", "explain", "t-001"])?;
    ensure!(explained["exposures"][0]["exposure_id"] == found["exposure_id"], "{explained}");
    let task = stage.loci(&["task", "show", "t-001"])?;
    ensure!(task["status"] == "hydrating", "{task}");
    Ok(())
}

fn by_tools(stage: &Stage) -> Result<()> {
    let found = stage.tool("t-001", "memory_hydrate", &json!({ "query": "Pagination of orders" }))?;
    ensure!(found["task_id"] == "t-001" && found["exposure_id"].is_string(), "{found}");
    let known = found["knowledge"][0]["id"].clone();
    ensure!(known.is_string(), "{found}");
    let said = stage.tool("t-001", "memory_feedback", &json!({ "helpful": [known] }))?;
    ensure!(said["helpful"][0] == known, "{said}");
    let history = stage.tool("t-001", "task_history", &json!({ "repo": "acme/shop", "status": "failed" }))?;
    ensure!(history["tasks"][0]["task_id"] == "t-000", "{history}");
    let explained = stage.loci(&["task", "explain", "t-001"])?;
    let shown = explained["exposures"].as_array().map(Vec::len);
    ensure!(shown == Some(2) && explained["helpful"][0] == known, "{explained}");
    Ok(())
}

fn install(stage: &Stage, directory: &Path, task: &str) -> Result<Value> {
    let version = ["--prompt-version", "3f2a9c0d11ab", "--user", "bob"];
    stage.loci_at(directory, &[&["githook", "install", "--task", task], &version[..]].concat())
}

fn trailers(stage: &Stage, directory: &Path, what: &str, expect: &str) -> Result<()> {
    let found = stage.git_at(directory, &["log", "-1", "--format=%(trailers:only,unfold)"])?;
    ensure!(found.trim() == expect, "{what}: the trailers are {found:?}");
    Ok(())
}

fn commit(stage: &Stage, path: &str, text: &str, arguments: &[&str]) -> Result<()> {
    stage.write(path, text)?;
    stage.git(&["add", "--all"])?;
    stage.git(&[&["commit", "--quiet"], arguments].concat())?;
    trailers(stage, &stage.shop, &format!("{arguments:?}"), TRAILERS)
}

fn commits(stage: &Stage) -> Result<()> {
    commit(stage, "src/page.rs", "pub const PAGE: usize = 20;\n", &["-m", "Add pages"])?;
    commit(stage, "src/order.rs", "pub struct Order;\n", &["-v"])?;
    let message = stage.git(&["log", "-1", "--format=%B"])?;
    ensure!(message.starts_with("Typed by a person") && !message.contains("diff --git"), "{message}");
    commit(stage, "src/order.rs", "pub struct Order(u64);\n", &["--amend", "--no-edit"])?;
    commit(stage, "src/last.rs", "pub struct Last;\n", &["-m", "Add last", "--no-verify"])
}

fn rebase_and_merge(stage: &Stage) -> Result<()> {
    stage.git(&["switch", "--quiet", "main"])?;
    stage.write("README.md", "# Shop\n")?;
    stage.git(&["add", "--all"])?;
    stage.git_elsewhere(&["commit", "--quiet", "-m", "A person's"])?;
    stage.git(&["switch", "--quiet", "agent/t-001"])?;
    stage.git(&["rebase", "--quiet", "main"])?;
    trailers(stage, &stage.shop, "rebased", TRAILERS)?;
    stage.git(&["switch", "--quiet", "-c", "agent/t-001-merged", "main"])?;
    stage.git(&["merge", "--quiet", "--no-ff", "--no-edit", "agent/t-001"])?;
    trailers(stage, &stage.shop, "merged", TRAILERS)?;
    stage.git(&["switch", "--quiet", "agent/t-001"])?;
    leads_back(stage, "src/order.rs:1", "rewrite", "t-001")
}

fn another_tree(stage: &Stage) -> Result<()> {
    stage.loci(&["task", "create", "--id", "t-002", "--user", "ann", "Fix a typo"])?;
    let tree = stage.beside("tree");
    let at = tree.to_str().context("a path of text")?;
    stage.git(&["worktree", "add", "--quiet", "-b", "agent/t-002", at, "main"])?;
    install(stage, &tree, "t-002")?;
    stage.git_at(&tree, &["commit", "--quiet", "--allow-empty", "-m", "Fix it"])?;
    trailers(stage, &tree, "the tree", &TRAILERS.replace("t-001", "t-002"))?;
    stage.git(&["commit", "--quiet", "--allow-empty", "-m", "Go on"])?;
    trailers(stage, &stage.shop, "the clone", TRAILERS)
}

fn configured_hooks(stage: &Stage) -> Result<()> {
    let team = stage.beside("team");
    let at = team.to_str().context("a path of text")?;
    std::fs::create_dir_all(&team)?;
    stage.git(&["config", "core.hooksPath", at])?;
    install(stage, &stage.shop, "t-001")?;
    ensure!(std::fs::read_dir(&team)?.next().is_none(), "a place that is not ours was written to");
    stage.git(&["commit", "--quiet", "--allow-empty", "-m", "Go on"])?;
    trailers(stage, &stage.shop, "with a configured place", TRAILERS)
}

fn end(stage: &Stage) -> Result<()> {
    let first = stage.loci(&["task", "finalize", "t-001", "--status", "timed_out"])?;
    ensure!(first["wrote"] == true, "{first}");
    let again = stage.loci(&["task", "finalize", "t-001", "--status", "timed_out"])?;
    ensure!(again["wrote"] == false && again["episode_id"] == first["episode_id"], "{again}");
    let late = ["task", "complete", "t-001", "--summary", "Added pagination.", "--status", "completed"];
    let late = stage.loci(&late)?;
    ensure!(late["episode_id"] == first["episode_id"], "a late report is the same episode: {late}");
    let task = stage.loci(&["task", "show", "t-001"])?;
    ensure!(task["written"]["minimal"] == false && task["status"] == "timed_out", "{task}");
    Ok(())
}

fn back(stage: &Stage) -> Result<()> {
    stage.git(&["switch", "--quiet", "main"])?;
    stage.git(&["merge", "--quiet", "--squash", "agent/t-001"])?;
    stage.git_elsewhere(&["commit", "--quiet", "-m", "Add pagination (#57)"])?;
    let squash = stage.git(&["rev-parse", "HEAD"])?;
    stage.loci(&["task", "merged", "t-001", "--commit", &squash])?;
    leads_back(stage, "src/page.rs:1", "merge_sha", "t-001")?;
    let person = stage.loci(&["blame", "README.md:1"])?;
    let how = &person["items"][0]["how"];
    ensure!(how == "none", "a person's line leads to no task: {person}");
    Ok(())
}

fn leads_back(stage: &Stage, place: &str, how: &str, task: &str) -> Result<()> {
    let found = stage.loci(&["blame", place])?;
    let item = &found["items"][0];
    let (known, first) = (&item["how"], &item["tasks"][0]);
    ensure!(known == how && first["task_id"] == task, "{place}: {found}");
    ensure!(first["user"] == "bob" && first["prompt_version"] == "3f2a9c0d11ab", "{place}: {found}");
    Ok(())
}
