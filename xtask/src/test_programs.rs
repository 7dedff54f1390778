//! The test programs of the workspace and of one package, in the build of the whole workspace.
//! `--package` would unify the features of dependencies differently and compile most of them a
//! second time. It runs the programs and does not read their output.

use crate::checkout::Checkout;
use crate::process;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{Artifact, Message};
use serde::{Deserialize, Serialize};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The file in the target folder that lists the programs of the last build.
const LIST: &str = "test-programs.json";

/// A built test program, and the folder in which `cargo test` would run it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestProgram {
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    pub(crate) package: PathBuf,
}

impl TestProgram {
    /// Returns the folder of the package and the name of the program.
    pub(crate) fn label(&self) -> String {
        let package = self.package.file_name().unwrap_or_default().to_string_lossy();
        format!("{package}, {}", self.name)
    }

    /// Returns the command that runs the program. `arguments` are those that follow `--` in
    /// `cargo test`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(arguments).current_dir(&self.package).env("CARGO_MANIFEST_DIR", &self.package);
        command
    }
}

/// Builds the tests of the workspace and returns those of the package in the folder `crates/NAME`.
///
/// # Errors
/// Errors if something does not compile, or if the package has no test program.
pub(crate) fn of_package(checkout: &Checkout, folder: &str) -> Result<Vec<TestProgram>> {
    let package = checkout.root.join("crates").join(folder);
    let mut programs = of_workspace(checkout)?;
    programs.retain(|program| program.package == package);
    if programs.is_empty() {
        bail!("{} has no tests", package.display());
    }
    Ok(programs)
}

/// Builds the tests of the workspace, unless they are built, and returns them, package by package.
///
/// # Errors
/// Errors if something does not compile.
pub(crate) fn of_workspace(checkout: &Checkout) -> Result<Vec<TestProgram>> {
    let list = checkout.target.join(LIST);
    if checkout.is_built {
        let text = std::fs::read(&list).with_context(|| format!("{}: no build wrote it", list.display()))?;
        return Ok(serde_json::from_slice(&text)?);
    }
    let programs = build(checkout)?;
    std::fs::write(&list, serde_json::to_vec_pretty(&programs)?).context(LIST)?;
    Ok(programs)
}

fn build(checkout: &Checkout) -> Result<Vec<TestProgram>> {
    let mut command = checkout.workspace(&["test", "--no-run"]);
    command.args(["--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    println!("$ {}", process::line(&command));
    let mut cargo = command.spawn().context("starting cargo")?;
    let output = cargo.stdout.take().context("cargo has no standard output")?;
    let mut programs = Vec::new();
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) = message.context("what cargo says of its work")? {
            programs.extend(program(&artifact));
        }
    }
    let status = cargo.wait().context("waiting for cargo")?;
    ensure!(status.success(), "the tests do not compile ({status})");
    programs.sort_by(|a, b| (&a.package, &a.executable).cmp(&(&b.package, &b.executable)));
    Ok(programs)
}

fn program(artifact: &Artifact) -> Option<TestProgram> {
    let executable = artifact.executable.as_ref().filter(|_| artifact.profile.test)?;
    Some(TestProgram {
        name: artifact.target.name.clone(),
        executable: executable.clone().into(),
        package: artifact.manifest_path.parent()?.to_owned().into(),
    })
}
