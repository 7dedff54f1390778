//! `loci demo`: a bundled conversation of three weeks goes into a fresh folder, is extracted, and
//! ten questions are asked of it, through the doors of this process. Then a fact cites code that
//! changes. No key, no network; nothing is left behind unless asked for.
//!
//! `script`: the messages and questions; `play` runs them; `code_act`: the repository; `report` and
//! `excerpt`: what people see of it.

#[cfg(feature = "verified")]
mod code_act;
mod excerpt;
mod play;
mod report;
pub(super) mod script;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use self::report::Style;
use crate::cli::Globals;
use crate::commands::sample::require_empty;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::output;
use crate::process::signal_guard::SignalGuard;
use crate::session::Session;
use crate::wiring::store::StorePlan;

/// The minimum time limit of extraction in milliseconds, for slow machines.
const EXTRACTION_MS_MIN: u64 = 120_000;

/// The folder of the sample repository in the folder of the demo.
const SAMPLE_REPOSITORY: &str = "demo-sample-repository";

/// See it work: a conversation of three weeks, ten questions, no key and no network
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Keep the data in this folder, which must be new or empty, for `loci serve --data-dir DIR`
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Demo {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let temporary = match &self.keep {
            Some(folder) => {
                require_empty(folder)?;
                None
            }
            None => Some(SignalGuard::around(temporary)?),
        };
        let folder = temporary.as_ref().map(|(folder, _)| folder.path()).or(self.keep.as_deref());
        let folder = folder.context("the demo has no folder")?;
        let report = play_in(folder, globals, environment).await?;
        let coloured = std::io::stdout().is_terminal() && environment.get("NO_COLOR").is_none();
        output::result(globals.json, &report, |report| {
            report::print(report, self.keep.as_deref(), Style { coloured });
        })?;
        let (answered, asked) = (report.answered, report.questions.len());
        ensure!(answered == asked, "only {answered} of {asked} questions found their answer");
        Ok(())
    }
}

async fn play_in(folder: &Path, globals: &Globals, environment: &Environment) -> Result<play::DemoReport> {
    let wait_ms = globals.wait_ms.unwrap_or(0).max(EXTRACTION_MS_MIN);
    let globals = Globals { wait_ms: Some(wait_ms), ..globals.clone() };
    crate::logging::start_quiet();
    let session = Session::open(&globals, environment, &Config::default(), StorePlan::folder_at(folder))?;
    let report = play_acts(&session, folder).await;
    session.end().await?;
    report
}

async fn play_acts(session: &Session, folder: &Path) -> Result<play::DemoReport> {
    #[cfg_attr(not(feature = "verified"), expect(unused_mut, reason = "only that product adds to it"))]
    let mut report = play::play(session).await?;
    #[cfg(feature = "verified")]
    match code_act::play(session, &folder.join(SAMPLE_REPOSITORY)).await {
        Ok(act) => report.code = Some(act),
        Err(error) => output::note(format!("the second act is left out: {error:#}")),
    }
    #[cfg(not(feature = "verified"))]
    let _ = folder; // the second act alone uses it
    Ok(report)
}

fn temporary() -> Result<tempfile::TempDir> {
    let parent = std::env::temp_dir();
    tempfile::Builder::new().prefix("loci-demo-").tempdir_in(&parent).with_context(|| {
        let parent = parent.display();
        format!("making a folder for the demo in {parent}: set TMPDIR to a folder that exists")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::reasons;

    fn globals() -> Globals {
        Globals {
            json: true,
            data_dir: None,
            config: None,
            url: None,
            token: None,
            token_file: None,
            ca_cert: None,
            no_attach: true,
            wait_ms: None,
        }
    }

    /// The complete demo, as shipped.
    #[tokio::test(flavor = "multi_thread")]
    async fn every_question_finds_its_answer() {
        let folder = temporary().unwrap();
        let report = play_in(folder.path(), &globals(), &Environment::of(&[])).await.unwrap();
        let missed: Vec<_> = report.questions.iter().filter(|asked| asked.place.is_none()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
        for asked in &report.questions {
            for hit in &asked.hits {
                assert!(!reasons::strongest(&hit.explanation).is_empty(), "{}: {hit:?}", asked.question);
            }
        }
    }

    #[test]
    fn only_a_new_or_empty_folder_is_kept() {
        let folder = temporary().unwrap();
        assert!(require_empty(folder.path()).is_ok());
        assert!(require_empty(&folder.path().join("new")).is_ok());
        std::fs::write(folder.path().join("x"), "x").unwrap();
        assert!(require_empty(folder.path()).is_err());
    }
}
