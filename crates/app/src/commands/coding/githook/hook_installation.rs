//! Installs the hooks into a folder of Loci in the clone's state. `includes` points git to it.
//! Existing hooks are neither moved nor changed: each script of Loci runs the hook that git would
//! run without Loci.
//!
//! A plan lists all changes before the first one is made. Uninstalling needs no record of them,
//! because the files themselves show what to undo.

use std::io::Write as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use loci_model::Error;
use loci_server::regular_file;

use super::git::{Git, WorkingTree};
use super::includes::{INCLUDED, Includes, included};
use super::{scripts, worktree_task};

const SETTING: &str = "core.hooksPath";
/// The file mode of hooks.
const PROGRAM: u32 = 0o755;
/// The file mode of files that git reads.
const READ: u32 = 0o644;

/// The changes to make, in order.
#[derive(Debug, Default)]
pub(super) struct HookPlan {
    changes: Vec<HookChange>,
    /// Notes about omitted changes.
    pub(super) notes: Vec<String>,
}

/// A change.
#[derive(Debug)]
enum HookChange {
    Write { path: PathBuf, bytes: Vec<u8>, mode: u32 },
    Remove(PathBuf),
    Lead(Includes),
    LeadNoMore(Includes),
}

/// The folder that git searches for hooks.
#[derive(Debug)]
pub(super) enum HookFolder {
    /// Loci's folder.
    Ours,
    /// Another folder, and the scope of its setting.
    Elsewhere { place: PathBuf, scope: String },
}

/// Returns Loci's hook folder.
pub(super) fn folder(tree: &WorkingTree) -> PathBuf {
    tree.common.join(scripts::FOLDER)
}

/// Returns the folder that git searches for hooks now.
///
/// # Errors
/// Git fails.
pub(super) async fn looks(git: &Git, tree: &WorkingTree) -> Result<HookFolder> {
    let said =
        git.answer_bytes(&["config", "--null", "--type=path", "--show-scope", "--get", SETTING]).await?;
    let said = said.unwrap_or_default();
    let mut parts = said.split(|byte| *byte == 0);
    let scope = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let place = match parts.next() {
        Some(place) => tree.top.join(std::ffi::OsString::from_vec(place.to_vec())),
        None => tree.common.join("hooks"),
    };
    Ok(if same(&place, &folder(tree)) { HookFolder::Ours } else { HookFolder::Elsewhere { place, scope } })
}

/// Returns the folder that git would search without Loci.
async fn before(git: &Git, tree: &WorkingTree) -> Result<PathBuf> {
    let said = git.answer_bytes(&["config", "--null", "--type=path", "--get-all", SETTING]).await?;
    let said = said.unwrap_or_default();
    let values = said.split(|byte| *byte == 0).filter(|value| !value.is_empty());
    let places = values.map(|value| tree.top.join(std::ffi::OsString::from_vec(value.to_vec())));
    let last = places.rev().find(|place| !same(place, &folder(tree)));
    Ok(last.unwrap_or_else(|| tree.common.join("hooks")))
}

fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

impl HookPlan {
    /// Returns the plan of an installation. `program` is the path of this program.
    ///
    /// # Errors
    /// Git fails, or Loci's folder contains a foreign file.
    pub(super) async fn install(git: &Git, tree: &WorkingTree, program: &str) -> Result<Self> {
        let (ours, before) = (folder(tree), before(git, tree).await?);
        let mut plan = Self::default();
        let mut wanted: Vec<(String, String)> =
            scripts::OURS.iter().map(|name| ((*name).to_owned(), scripts::ours(name, program))).collect();
        let mut others: Vec<String> = scripts::OTHERS.iter().map(|name| (*name).to_owned()).collect();
        others.extend(hooks(&before));
        others.retain(|name| !scripts::OURS.contains(&name.as_str()));
        others.sort();
        others.dedup();
        wanted.extend(others.into_iter().map(|name| (name.clone(), scripts::passed_through(&name))));
        for (name, text) in &wanted {
            let path = ours.join(name);
            if foreign(&path) {
                let (path, before) = (path.display(), before.display());
                bail!(Error::conflict(format!("{path} is not ours: move it to {before}, or take it away")));
            }
            plan.write(path, text.as_bytes().to_vec(), PROGRAM);
        }
        for name in names(&ours).into_iter().filter(|name| !wanted.iter().any(|(known, _)| known == name)) {
            let path = ours.join(name);
            if !foreign(&path) {
                plan.changes.push(HookChange::Remove(path));
            }
        }
        plan.write(tree.common.join(INCLUDED), included(&ours), READ);
        plan.lead(git, tree).await?;
        Ok(plan)
    }

    async fn lead(&mut self, git: &Git, tree: &WorkingTree) -> Result<()> {
        let clone = Includes::of_clone(tree);
        let is_led = clone.are(&clone.found(git).await?);
        let looks = looks(git, tree).await?;
        match looks {
            HookFolder::Ours if is_led => {}
            HookFolder::Elsewhere { scope, .. } if scope == "worktree" => {
                if !is_led {
                    self.changes.push(HookChange::Lead(clone));
                }
                self.changes.push(HookChange::Lead(Includes::of_tree(&tree.own, &tree.common)));
            }
            // A setting for one call cannot be changed. In other cases a later setting follows
            // Loci's.
            HookFolder::Elsewhere { scope, .. } if scope == "command" && is_led => {}
            _ => self.changes.push(HookChange::Lead(clone)),
        }
        Ok(())
    }

    /// Returns the plan that removes the hooks and the task of a working tree. The plan is empty if
    /// there are none.
    ///
    /// # Errors
    /// Git fails.
    pub(super) async fn uninstall(git: &Git, tree: &WorkingTree) -> Result<Self> {
        let mut plan = Self::default();
        plan.remove(worktree_task::file(&tree.own));
        plan.lead_no_more(git, Includes::of_tree(&tree.own, &tree.common)).await?;
        let others = users(git, tree).await?;
        if !others.is_empty() {
            plan.notes.push(format!("the hooks stay: other working trees use them: {}", others.join(", ")));
            return Ok(plan);
        }
        plan.lead_no_more(git, Includes::of_clone(tree)).await?;
        let ours = folder(tree);
        for path in names(&ours).into_iter().map(|name| ours.join(name)) {
            if foreign(&path) {
                plan.notes.push(format!("{} is not ours, and stays; git no longer runs it", path.display()));
            } else {
                plan.remove(path);
            }
        }
        plan.remove(tree.common.join(INCLUDED));
        Ok(plan)
    }

    /// Adds a file to the plan unless an identical one exists.
    pub(super) fn write(&mut self, path: PathBuf, bytes: Vec<u8>, mode: u32) {
        let has_mode = |found: std::fs::Metadata| found.permissions().mode() & 0o777 == mode;
        let is_there = regular_file::read(&path).is_ok_and(|found| found == bytes)
            && std::fs::metadata(&path).is_ok_and(has_mode);
        if !is_there {
            self.changes.push(HookChange::Write { path, bytes, mode });
        }
    }

    fn remove(&mut self, path: PathBuf) {
        if path.symlink_metadata().is_ok() {
            self.changes.push(HookChange::Remove(path));
        }
    }

    async fn lead_no_more(&mut self, git: &Git, includes: Includes) -> Result<()> {
        if !includes.found(git).await?.is_empty() {
            self.changes.push(HookChange::LeadNoMore(includes));
        }
        Ok(())
    }

    /// True if there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the changes as lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        self.changes.iter().map(HookChange::line).collect()
    }

    /// Makes the changes.
    ///
    /// # Errors
    /// A file cannot be written or removed.
    pub(super) async fn carry_out(&self, git: &Git) -> Result<()> {
        for change in &self.changes {
            match change {
                HookChange::Write { path, bytes, mode } => write(path, bytes, *mode)?,
                HookChange::Remove(path) => {
                    std::fs::remove_file(path).with_context(|| format!("removing {}", path.display()))?;
                    // Succeeds only for an empty folder.
                    let _ = path.parent().map(std::fs::remove_dir);
                }
                HookChange::Lead(includes) => includes.put(git).await?,
                HookChange::LeadNoMore(includes) => includes.take_away(git).await?,
            }
        }
        Ok(())
    }
}

impl HookChange {
    fn line(&self) -> String {
        match self {
            Self::Write { path, .. } => format!("{} is written", path.display()),
            Self::Remove(path) => format!("{} goes", path.display()),
            Self::Lead(includes) => {
                format!(
                    "{} leads git to it; hooks of others run first, where they are",
                    includes.file.display()
                )
            }
            Self::LeadNoMore(includes) => format!("{} no longer leads git to it", includes.file.display()),
        }
    }
}

/// Returns the other working trees of the clone that have a task or use Loci's folder by their own
/// settings.
async fn users(git: &Git, tree: &WorkingTree) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for own in tree.all_of_clone().into_iter().filter(|own| *own != tree.own) {
        let is_led = !Includes::of_tree(&own, &tree.common).found(git).await?.is_empty();
        if is_led || worktree_task::file(&own).exists() {
            names.push(own.display().to_string());
        }
    }
    Ok(names)
}

/// True if the path exists and is not a file of Loci.
pub(super) fn foreign(path: &Path) -> bool {
    let is_ours =
        || regular_file::read(path).is_ok_and(|bytes| scripts::is_ours(&String::from_utf8_lossy(&bytes)));
    path.symlink_metadata().is_ok() && !is_ours()
}

/// Returns the names of the hooks in a folder, sorted: executable files with names that git can
/// request.
fn hooks(folder: &Path) -> Vec<String> {
    let is_program = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let mut names = names(folder);
    names.retain(|name| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && is_program(&folder.join(name))
    });
    names
}

/// Returns the names of the entries of a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Replaces a file atomically with a new one.
pub(super) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let said = || format!("writing {}", path.display());
    let folder = path.parent().with_context(said)?;
    std::fs::create_dir_all(folder).with_context(said)?;
    let mut file =
        tempfile::Builder::new().prefix(".loci-githook-").tempfile_in(folder).with_context(said)?;
    file.write_all(bytes).with_context(said)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).with_context(said)?;
    file.as_file().sync_all().with_context(said)?;
    file.persist(path).map_err(|error| error.error).with_context(said)?;
    Ok(())
}
