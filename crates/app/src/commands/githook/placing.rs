//! Where the hooks go, and how everything is as it was before when they go away again.
//!
//! Where nobody configured a place for hooks they lie in the clone's own: a hook that was there moves into a folder beside, under its
//! name, and is run first. Where somebody did (`core.hooksPath`), that place is a team's or a person's, may be committed or serve other
//! clones, and is not touched: the hooks lie in a folder of their own, git is told of it in this clone alone, and each of them runs the
//! one of the place before.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use loci_model::Error;
use serde::{Deserialize, Serialize};

use super::git::{Git, WorkingTree};
use super::scripts;

/// The folder of hooks that were there before.
const BEFORE: &str = "before-loci";
const SETTING: &str = "core.hooksPath";
/// Hooks are programs.
const MODE: u32 = 0o755;

/// How hooks were installed in a clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// The folder they lie in.
    pub(super) hooks: PathBuf,
    /// The place that was configured before, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) configured: Option<Configured>,
}

/// A place for hooks that was configured before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Configured {
    /// The place.
    path: String,
    /// Whose setting now leads to ours: `--local`, or `--worktree` where that had it.
    scope: String,
    /// What was set there; nothing where it came from elsewhere.
    set: Option<String>,
}

/// What an installation does: settled before anything is written.
pub(super) struct Plan {
    layout: Layout,
    scripts: Vec<(&'static str, String)>,
    /// Found in the place and passed through, beside the usual ones.
    more: Vec<(String, String)>,
}

fn file(tree: &WorkingTree) -> PathBuf {
    tree.common.join("loci").join("githook.json")
}

fn own_folder(tree: &WorkingTree) -> PathBuf {
    tree.common.join("loci").join("hooks")
}

/// How hooks were installed; `None`: they were not.
///
/// # Errors
/// The file cannot be read.
pub(super) fn layout(tree: &WorkingTree) -> Result<Option<Layout>> {
    let path = file(tree);
    match std::fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).with_context(|| format!("the file {}", path.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("the file {}", path.display())),
    }
}

impl Plan {
    /// For a clone; `program`: the path of this program.
    ///
    /// # Errors
    /// Git fails, or two hooks of one name would have to be kept.
    pub(super) async fn of(git: &Git, tree: &WorkingTree, program: &str) -> Result<Self> {
        let asked = ["config", "--type=path", "--show-scope", "--get", SETTING];
        let now = git.answer(&asked).await?;
        let now = now.as_deref().and_then(|line| line.split_once('\t'));
        let known = layout(tree)?;
        let layout = match (now, known) {
            // Installed before: what was configured then is still known.
            (Some((_, path)), Some(known)) if Path::new(path) == own_folder(tree) => known,
            (Some((_, path)), None) if Path::new(path) == own_folder(tree) => {
                let rule = "leads to hooks of loci of which is not known what was before: unset it first";
                bail!(Error::conflict(format!("{SETTING} {rule}")));
            }
            (Some((scope, path)), _) => {
                let scope = if scope == "worktree" { "--worktree" } else { "--local" };
                let set = git.answer(&["config", scope, "--get", SETTING]).await?;
                let configured = Configured { path: path.to_owned(), scope: scope.to_owned(), set };
                Layout { hooks: own_folder(tree), configured: Some(configured) }
            }
            (None, _) => Layout { hooks: tree.hooks.clone(), configured: None },
        };
        let before = |name: &str| match &layout.configured {
            Some(configured) => scripts::quoted(&format!("{}/{name}", configured.path.trim_end_matches('/'))),
            None => format!("\"$(dirname \"$0\")/{BEFORE}/{name}\""),
        };
        let mut all: Vec<_> =
            scripts::OURS.iter().map(|name| (*name, scripts::ours(name, &before(name), program))).collect();
        let mut more = Vec::new();
        if let Some(configured) = &layout.configured {
            let others = scripts::OTHERS.iter();
            all.extend(others.map(|name| (*name, scripts::passed_through(&before(name)))));
            let usual: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let found = names(&tree.top.join(&configured.path));
            let found = found.into_iter().filter(|name| !usual.contains(&name.as_str()));
            more.extend(found.map(|name| (name.clone(), scripts::passed_through(&before(&name)))));
        }
        Ok(Self { layout, scripts: all, more })
    }

    /// What is done, in lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let hooks = &self.layout.hooks;
        let mut lines = Vec::new();
        if let Some(configured) = &self.layout.configured {
            lines.push(format!(
                "{SETTING} of this clone becomes {}; what is in {} is run first, and stays as it is",
                hooks.display(),
                configured.path
            ));
        }
        for name in scripts::OURS {
            let path = hooks.join(name);
            lines.push(match foreign(&path) {
                true => format!("{} moves to {BEFORE}/{name}, and is run first", path.display()),
                false => format!("{} is written", path.display()),
            });
        }
        lines
    }

    /// Does it.
    ///
    /// # Errors
    /// A file cannot be written, or a hook that was there cannot be kept.
    pub(super) async fn carry_out(&self, git: &Git, tree: &WorkingTree) -> Result<Layout> {
        let hooks = &self.layout.hooks;
        std::fs::create_dir_all(hooks).with_context(|| format!("the folder {}", hooks.display()))?;
        for (name, _) in &self.scripts {
            let (at, kept) = (hooks.join(name), hooks.join(BEFORE).join(name));
            if foreign(&at) && kept.symlink_metadata().is_ok() {
                let (at, kept) = (at.display(), kept.display());
                bail!(Error::conflict(format!("{at} and {kept} are both there: keep one of them")));
            }
        }
        // Somebody configured another place since: git no longer looks in the one before.
        if let Some(before) = layout(tree)?.filter(|before| before.hooks != *hooks) {
            leave(&before)?;
        }
        // First how to undo it: whoever is killed on the way can still uninstall.
        write(&file(tree), &(serde_json::to_string_pretty(&self.layout)? + "\n"), 0o644)?;
        for (name, text) in &self.scripts {
            let at = hooks.join(name);
            if foreign(&at) {
                std::fs::create_dir_all(hooks.join(BEFORE)).context("a folder for hooks that were there")?;
                moved(&at, &hooks.join(BEFORE).join(name), Path::new(".."))?;
            }
            write(&at, text, MODE)?;
        }
        for (name, text) in &self.more {
            write(&hooks.join(name), text, MODE)?;
        }
        if let Some(configured) = &self.layout.configured {
            let to = hooks.to_str().context("the path of the clone is not UTF-8")?;
            git.output(&["config", configured.scope.as_str(), SETTING, to]).await.context("telling git")?;
        }
        Ok(self.layout.clone())
    }
}

/// Takes the hooks away; what could not be undone, and why.
///
/// # Errors
/// A file cannot be moved or removed.
pub(super) async fn take_away(git: &Git, tree: &WorkingTree, layout: &Layout) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    if let Some(configured) = &layout.configured {
        let scope = configured.scope.as_str();
        let now = git.answer(&["config", scope, "--type=path", "--get", SETTING]).await?;
        if now.as_deref().map(Path::new) != Some(layout.hooks.as_path()) {
            notes.push(format!("{SETTING} is no longer ours, and stays as it is"));
        } else {
            let undone = match &configured.set {
                Some(value) => git.output(&["config", scope, SETTING, value.as_str()]).await,
                None => git.output(&["config", scope, "--unset", SETTING]).await,
            };
            undone.with_context(|| format!("setting {SETTING} as it was"))?;
        }
    }
    notes.extend(leave(layout)?);
    let path = file(tree);
    std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    Ok(notes)
}

/// Takes the scripts away, and puts back what was there; what stays, and why.
fn leave(layout: &Layout) -> Result<Vec<String>> {
    let hooks = &layout.hooks;
    if layout.configured.is_some() {
        return match std::fs::remove_dir_all(hooks) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing {}", hooks.display()))
            }
            _ => Ok(Vec::new()),
        };
    }
    let mut notes = Vec::new();
    for name in scripts::OURS {
        notes.extend(put_back(hooks, name)?);
    }
    // Only where nothing is left in it.
    let _ = std::fs::remove_dir(hooks.join(BEFORE));
    Ok(notes)
}

fn put_back(hooks: &Path, name: &str) -> Result<Option<String>> {
    let (at, kept) = (hooks.join(name), hooks.join(BEFORE).join(name));
    if foreign(&at) {
        return Ok(Some(format!("{} is no longer ours, and stays as it is", at.display())));
    }
    if at.exists() {
        std::fs::remove_file(&at).with_context(|| format!("removing {}", at.display()))?;
    }
    if kept.symlink_metadata().is_ok() {
        moved(&kept, &at, Path::new(""))?;
    }
    Ok(None)
}

/// Something is there that is not ours.
pub(super) fn foreign(path: &Path) -> bool {
    let is_ours =
        || std::fs::read(path).is_ok_and(|bytes| scripts::is_ours(&String::from_utf8_lossy(&bytes)));
    path.symlink_metadata().is_ok() && !is_ours()
}

/// Moves a hook. A link that says where its file is from where the link is goes on to lead there: `up` is in front of it, or is
/// taken away.
fn moved(from: &Path, to: &Path, up: &Path) -> Result<()> {
    let said = || format!("moving {} to {}", from.display(), to.display());
    match std::fs::read_link(from).ok().filter(|target| target.is_relative()) {
        Some(target) => {
            let target = if up.as_os_str().is_empty() {
                target.strip_prefix("..").map(Path::to_owned).unwrap_or(target)
            } else {
                up.join(target)
            };
            std::os::unix::fs::symlink(target, to).with_context(said)?;
            std::fs::remove_file(from).with_context(said)
        }
        None => std::fs::rename(from, to).with_context(said),
    }
}

/// Names of what is in a folder, in order; ends of files that git passes over are none.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_hook = |name: &String| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(is_hook);
    names.sort();
    names
}

/// A whole new file in the place of what was there.
pub(super) fn write(path: &Path, text: &str, mode: u32) -> Result<()> {
    let said = || format!("writing {}", path.display());
    let folder = path.parent().with_context(said)?;
    std::fs::create_dir_all(folder).with_context(said)?;
    let mut file =
        tempfile::Builder::new().prefix(".loci-githook-").tempfile_in(folder).with_context(said)?;
    file.write_all(text.as_bytes()).with_context(said)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).with_context(said)?;
    file.as_file().sync_all().with_context(said)?;
    file.persist(path).map_err(|error| error.error).with_context(said)?;
    Ok(())
}
