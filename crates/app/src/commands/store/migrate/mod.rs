//! `loci migrate`: copies all data of one store to another. It works on the stores themselves,
//! which no other process may use meanwhile.
//!
//! This module contains the command and selects the stores. `answer` formats the result, and
//! `progress` the progress.

mod answer;
mod progress;

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use loci_engine::admin::{Transfer, TransferReport};
use loci_model::MemoryId;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::store::{Checkpoint, Store, StoreExt as _};
use loci_server::regular_file;

use self::progress::ProgressDisplay;
use crate::adapters::SystemClock;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{NotFound, Usage};
use crate::wiring::MASTER_KEY_FILE;
use crate::wiring::store::StorePlan;
use crate::{output, session};

/// The prefix of an option's value that names an environment variable with the URL of a store.
const VARIABLE: &str = "env:";
/// The value of `--replace` that stands for the access keys.
const KEYS: &str = "keys";

/// Copy all data from one store to another, and compare them
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// The source: sqlite:PATH, postgres://…, or env:NAME of a variable with one of these
    #[arg(long, value_name = "STORE")]
    from: String,
    /// The target, in the same notation
    #[arg(long, value_name = "STORE")]
    to: String,
    /// Only compare
    #[arg(long)]
    verify_only: bool,
    /// The number of rows per read and write
    #[arg(long, value_name = "ROWS", default_value_t = 1_000, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    batch: u16,
    /// Replace this memory of the target, by name or id, if it differs; the target's version is
    /// lost. `keys`: access keys become those of the source. Repeatable
    #[arg(long, value_name = "MEMORY", conflicts_with = "verify_only")]
    replace: Vec<String>,
}

impl Migrate {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if globals.url.is_some() {
            return Err(Usage("stores are moved on this machine: leave --url out".to_owned()).into());
        }
        let from = plan(&self.from, "--from", globals, environment)?.existing_only();
        let mut to = plan(&self.to, "--to", globals, environment)?;
        if self.verify_only {
            to = to.existing_only();
        }
        if from.location() == to.location() || is_one_folder(&from, &to) {
            return Err(Usage("--from and --to are the same store".to_owned()).into());
        }
        for plan in [&from, &to] {
            is_free(plan)?;
        }
        crate::logging::start_quiet();
        let clock = Arc::new(SystemClock::new());
        // The source comes first, so that a missing source creates no target.
        let from_store = from.clone().open().context("--from")?;
        let to_store = to.clone().open().context("--to")?;
        let (replace, replace_keys) = self.replaced(&from_store).await?;
        let shown = Arc::new(ProgressDisplay::new());
        let told = shown.clone();
        let transfer = Transfer {
            from: from_store.clone(),
            to: to_store.clone(),
            clock: clock.clone(),
            page_rows: usize::from(self.batch),
            replace,
            replace_keys,
            on_progress: Arc::new(move |progress| told.tell(progress)),
        };
        let outcome = self.between(&transfer).await;
        shown.end();
        for store in [&from_store, &to_store] {
            store.close();
        }
        let report = outcome?;
        let key = if self.verify_only { None } else { keep_master_key(&from, &to, environment)? };
        let elapsed = Duration::from_micros(clock.monotonic_us());
        let answer = answer::answer(&report, (&from, &to), elapsed, self.verify_only);
        output::result(globals.json, &answer, answer::say)?;
        if let Some(note) = key {
            output::note(note);
        }
        answer.differences()
    }

    async fn between(&self, transfer: &Transfer) -> Result<TransferReport> {
        if self.verify_only {
            return Ok(transfer.verify().await?);
        }
        let report = transfer.run().await;
        let written = transfer.to.checkpoint(Checkpoint::Last).await;
        let report = report?;
        written?;
        Ok(report)
    }

    /// Returns the memories of the source to replace, and true if the keys are replaced.
    ///
    /// # Errors
    /// `NotFound` for a name that no memory of the source has; errors of the store.
    async fn replaced(&self, from: &Arc<dyn Store>) -> Result<(BTreeSet<MemoryId>, bool)> {
        let (keys, memories): (Vec<&String>, Vec<&String>) =
            self.replace.iter().partition(|given| *given == KEYS);
        let mut replaced = BTreeSet::new();
        for given in memories {
            // Names contain no dash, ids contain one.
            if given.contains('-') {
                replaced.insert(MemoryId::parse(given.as_str()).context("reading --replace")?);
                continue;
            }
            let name = given.clone();
            let found = from.read(move |tx| tx.memories().by_name(&name)).await?;
            let none = || NotFound(format!("--replace: the source has no memory named {given}"));
            replaced.insert(found.ok_or_else(none)?.id);
        }
        Ok((replaced, !keys.is_empty()))
    }
}

/// Returns true if two plans refer to the same data folder, through links or different spellings.
fn is_one_folder(from: &StorePlan, to: &StorePlan) -> bool {
    let (Some(from), Some(to)) = (from.data_folder(), to.data_folder()) else { return false };
    let place = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let is_one = |from: &Path, to: &Path| place(from).is_some_and(|from| place(to) == Some(from));
    is_one(from, to) || is_one(&from.join("loci.db"), &to.join("loci.db"))
}

/// Returns the store that an option names. Messages never contain the address, which may include a
/// password.
fn plan(given: &str, option: &str, globals: &Globals, environment: &Environment) -> Result<StorePlan> {
    let (folder, config) = session::folder(globals, environment)?;
    let address = match given.strip_prefix(VARIABLE) {
        None => given.to_owned(),
        Some(name) => {
            let held = environment.secret(name).map(|held| held.to_string());
            held.ok_or_else(|| Usage(format!("{option}: the variable {name} is not set")))?
        }
    };
    StorePlan::at(&address, &config, folder).map_err(|error| Usage(format!("{option}: {error:#}")).into())
}

/// Rejects a store that a server on this machine has open. Other users are detected when the store
/// is opened.
fn is_free(plan: &StorePlan) -> Result<()> {
    if UnixStream::connect(plan.socket()).is_err() {
        return Ok(());
    }
    let served = format!("a server runs on {}: stop it first", plan.location());
    Err(loci_model::Error::conflict(served).into())
}

/// Checks that both stores use the same master key, because access keys are sealed under it.
/// Returns a note about it.
fn keep_master_key(from: &StorePlan, to: &StorePlan, environment: &Environment) -> Result<Option<String>> {
    if environment.master_key().is_some() {
        return Ok(Some("access keys go on working with the same LOCI_MASTER_KEY".to_owned()));
    }
    let Some(source) = from.data_folder().map(|folder| folder.join(MASTER_KEY_FILE)) else {
        return Ok(Some(format!(
            "access keys go on working with the same {MASTER_KEY_FILE} or LOCI_MASTER_KEY as before"
        )));
    };
    if !source.exists() {
        return Ok(None);
    }
    let Some(target) = to.data_folder().map(|folder| folder.join(MASTER_KEY_FILE)) else {
        return Ok(Some(format!(
            "access keys go on working with the same master key: give servers {} as LOCI_MASTER_KEY, or as the file of \
             that name in their data folder",
            source.display()
        )));
    };
    let key = regular_file::read(&source).with_context(|| format!("reading {}", source.display()))?;
    match regular_file::read(&target) {
        Ok(there) if there == key => Ok(None),
        Ok(_) => Ok(Some(format!(
            "{} is another master key than {}: access keys that were moved do not work with it",
            target.display(),
            source.display()
        ))),
        Err(_) => {
            let mut file = std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&target)
                .with_context(|| format!("writing {}", target.display()))?;
            std::io::Write::write_all(&mut file, &key)?;
            file.sync_all()?;
            Ok(Some(format!("copied {MASTER_KEY_FILE} beside the target: access keys go on working")))
        }
    }
}
