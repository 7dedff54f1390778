//! `loci githook`: commits name their task. Installation and the commands that git runs.
//! `hook_installation` places the hooks, `includes` configures git, `scripts` contains the scripts,
//! `run` implements the hooks, `rebase_attribution` attributes commits during a rebase, `report`
//! sends reports, `trailers` and `message` edit the text, `worktree_task` holds the task of a
//! working tree, and `git` runs git.

pub(crate) mod git;
mod hook_installation;
mod includes;
mod message;
mod rebase_attribution;
mod report;
mod run;
mod scripts;
mod trailers;
pub(crate) mod worktree_task;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde::Serialize;

use self::git::{Git, WorkingTree};
use self::hook_installation::{HookFolder, HookPlan};
use self::worktree_task::TaskHere;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{Difference, NotFound, Usage};
use crate::{memory_argument, output};

/// The time limit of a git call while a person waits.
const CALL: Duration = Duration::from_secs(10);

/// Git hooks that add the task to commits
#[derive(Debug, Subcommand)]
pub(crate) enum GitHook {
    /// Install the hooks in the clone of the working directory; existing hooks stay in place and
    /// run first
    Install(Install),
    /// Remove the hooks and restore the previous configuration
    Uninstall,
    /// Show the task of this working tree and if git runs the hooks; exit code 5 if it does not
    Status,
    /// The entry points that git runs
    #[command(subcommand, hide = true)]
    Run(run::GithookRun),
}

/// The task of the hooks
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// The task; TASK_ID in the environment of a commit takes precedence
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The version of its prompt; PROMPT_VERSION in the environment of a commit takes precedence
    #[arg(long, value_name = "VERSION", requires = "task")]
    prompt_version: Option<String>,
    /// The user who requested the task
    #[arg(long, requires = "task")]
    user: Option<String>,
    /// The memory, by name or id [default: LOCI_MEMORY, or the one for code]
    #[arg(long, requires = "task")]
    memory: Option<String>,
    /// Print the changes and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The state of the installation.
#[derive(Debug, Serialize)]
struct Status {
    /// True if git finds the hooks and they run this program.
    installed: bool,
    /// The hook folder, if git uses it.
    hooks: Option<PathBuf>,
    /// The task of this working tree.
    task: Option<TaskHere>,
    /// True if git returns the trailers unchanged.
    self_test: bool,
    /// Notes for the user.
    notes: Vec<String>,
}

impl GitHook {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if let Self::Run(run) = self {
            run.run(globals, environment).await;
            return Ok(());
        }
        let here = std::env::current_dir().context("finding the current folder")?;
        let top = Git::at(&here, CALL).working_tree().await?.top;
        // Git runs hooks at the root of the working tree, so relative paths must resolve there.
        let git = Git::at(&top, CALL);
        let tree = git.working_tree().await?;
        match self {
            Self::Install(install) => install.run(globals, environment, &git, &tree).await,
            Self::Uninstall => uninstall(globals, &git, &tree).await,
            Self::Status | Self::Run(_) => status(globals, environment, &git, &tree).await,
        }
    }
}

impl Install {
    async fn run(
        self,
        globals: &Globals,
        environment: &Environment,
        git: &Git,
        tree: &WorkingTree,
    ) -> Result<()> {
        let task = self.task_here(globals, environment)?;
        let program = std::env::current_exe().context("finding the path of this program")?;
        let program = program.to_str().context("the path of this program is not UTF-8")?;
        let mut plan = HookPlan::install(git, tree, program).await?;
        if let Some(task) = &task {
            let text = serde_json::to_string_pretty(task)? + "\n";
            // The file names the task of the person who works here, which other users need not see.
            plan.write(worktree_task::file(&tree.own), text.into_bytes(), 0o600);
        }
        if self.dry_run {
            return dry(globals, &plan);
        }
        if !globals.json {
            plan.lines().iter().for_each(output::line);
        }
        plan.carry_out(git).await?;
        status(globals, environment, git, tree).await
    }

    fn task_here(&self, globals: &Globals, environment: &Environment) -> Result<Option<TaskHere>> {
        let Some(task) = self.task.clone() else { return Ok(None) };
        for (name, value) in [("--task", Some(&task)), ("--prompt-version", self.prompt_version.as_ref())] {
            if value.is_some_and(|value| !trailers::is_value(value)) {
                let rule = "must be 1 to 160 of A-Z, a-z, 0-9 and . _ : / -";
                return Err(Usage(format!("{name} {rule}, for it becomes a trailer of commits")).into());
            }
        }
        let data_dir = globals.data_dir.as_deref().map(std::path::absolute).transpose();
        Ok(Some(TaskHere {
            task,
            prompt_version: self.prompt_version.clone(),
            user: self.user.clone(),
            url: globals.url.clone(),
            data_dir: data_dir.context("finding the data folder")?,
            memory: memory_argument::given(self.memory.clone(), environment),
        }))
    }
}

fn dry(globals: &Globals, plan: &HookPlan) -> Result<()> {
    output::result(globals.json, &plan.lines(), |lines| {
        lines.iter().for_each(output::line);
        if lines.is_empty() {
            output::line("would change nothing");
        }
    })?;
    if !plan.is_empty() {
        output::dry_run();
    }
    Ok(())
}

async fn uninstall(globals: &Globals, git: &Git, tree: &WorkingTree) -> Result<()> {
    let plan = HookPlan::uninstall(git, tree).await?;
    if plan.is_empty() && plan.notes.is_empty() {
        return Err(NotFound("no hooks of loci are installed in this clone".to_owned()).into());
    }
    plan.carry_out(git).await?;
    let done = [plan.lines(), plan.notes].concat();
    output::result(globals.json, &done, |done| done.iter().for_each(output::line))
}

async fn status(globals: &Globals, environment: &Environment, git: &Git, tree: &WorkingTree) -> Result<()> {
    let mut notes = Vec::new();
    let hooks = hook_installation::folder(tree);
    let is_ours = |name: &&str| hooks.join(name).exists() && !hook_installation::foreign(&hooks.join(name));
    let are_ours = scripts::OURS.iter().all(is_ours);
    let looks = hook_installation::looks(git, tree).await?;
    match &looks {
        HookFolder::Elsewhere { place, .. } if hooks.exists() => {
            notes.push(format!("git looks for hooks in {}: install them again", place.display()));
        }
        HookFolder::Ours if !are_ours => {
            notes.push("another program replaced some of the hooks: install them again".to_owned());
        }
        HookFolder::Ours | HookFolder::Elsewhere { .. } => {}
    }
    let installed = are_ours && matches!(looks, HookFolder::Ours);
    let task = worktree_task::with(environment, worktree_task::installed(&tree.own)?);
    if task.is_none() {
        notes.push("no task is known here: set TASK_ID, or install with --task".to_owned());
    }
    let self_test = self_test(git).await?;
    if !self_test {
        notes.push(
            "trailers do not come out of git as they went in: see `trailer.` in `git config --list`"
                .to_owned(),
        );
    }
    let status = Status { installed, hooks: installed.then_some(hooks), task, self_test, notes };
    output::result(globals.json, &status, shown)?;
    if status.installed && status.self_test {
        return Ok(());
    }
    Err(Difference("commits of this clone do not name their task".to_owned()).into())
}

fn shown(status: &Status) {
    let hooks = status.hooks.as_ref().map(|hooks| hooks.display().to_string());
    output::line(format!("hooks  {}", hooks.unwrap_or_else(|| "not installed".to_owned())));
    if let Some(task) = &status.task {
        let of = |name: &str, value: Option<&String>| {
            value.map(|value| format!("  {name} {value}")).unwrap_or_default()
        };
        let prompt = of("prompt", task.prompt_version.as_ref());
        output::line(format!("task   {}{prompt}{}", task.task, of("user", task.user.as_ref())));
    }
    output::line(format!(
        "trailers {}",
        if status.self_test { "come out as they went in" } else { "are not read back" }
    ));
    status.notes.iter().for_each(output::note);
}

/// True if git reads back the trailers that it adds, with the settings of this clone.
async fn self_test(git: &Git) -> Result<bool> {
    let task =
        TaskHere { task: "t-1".to_owned(), prompt_version: Some("v".to_owned()), ..TaskHere::default() };
    let (wanted, _) = trailers::of(&task);
    let folder = tempfile::tempdir().context("a folder for a test")?;
    let path = folder.path().join("message");
    std::fs::write(&path, "A commit\n\nWith a body.\n").context("a file for a test")?;
    let file = path.to_str().context("the folder for temporary files is not UTF-8")?;
    git.output(&trailers::arguments(&wanted, file, None)).await?;
    let parsed = git.output(&["interpret-trailers", "--parse", "--", file]).await?;
    let expect: Vec<String> = wanted.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    Ok(parsed.lines().eq(expect.iter().map(String::as_str)))
}
