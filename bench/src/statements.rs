//! `statements`: stores labelled facts that cite code over the native API. The program compares the
//! support that the server reports with the label of the author. Each file of the set has its own
//! author.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::git::git_text;
use crate::labelled_set::{self, json_lines};
use crate::load::Report;
use crate::progress::Progress;
use crate::server::{self, Server};
use crate::wire::{Wire, text_at};

const REPO: &str = "bench/statements";

/// Stores labelled facts.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Files of JSON lines (bench/data/statements/README.md), one author each
    #[arg(long = "set", value_name = "FILE", required = true)]
    sets: Vec<PathBuf>,
    /// Print one line of JSON per figure
    #[arg(long)]
    json: bool,
    /// Print each fact whose verdict differs from its label, on standard error
    #[arg(long)]
    errors: bool,
    /// Fail if a true statement is called contradicted, or a contradicted one supported
    #[arg(long)]
    gate: bool,
    /// The `loci` to run; by default the one next to this program
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// A statement with the lines that it cites.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    path: String,
    lines: String,
    statement: String,
    label: Label,
}

/// The relation of the cited lines to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Label {
    True,
    Contradicted,
    Unrelated,
}

/// Counts by label and by the support that the server reports.
#[derive(Debug, Default)]
struct Tally(BTreeMap<(Label, String), u64>);

impl Tally {
    fn count(&self, label: Label, support: &str) -> u64 {
        self.0.get(&(label, support.to_owned())).copied().unwrap_or(0)
    }

    fn of(&self, label: Label) -> u64 {
        self.0.iter().filter(|((one, _), _)| *one == label).map(|(_, count)| count).sum()
    }

    fn tell(&self, report: Report, name: &str) {
        let mut value = serde_json::Map::new();
        let mut texts = Vec::new();
        for (word, label) in
            [("true", Label::True), ("contradicted", Label::Contradicted), ("unrelated", Label::Unrelated)]
        {
            let (supported, contradicted) =
                (self.count(label, "supported"), self.count(label, "contradicted"));
            let of = self.of(label);
            texts.push(format!(
                "of {of} {word}: {supported} called supported, {contradicted} contradicted, {} not checked",
                of - supported - contradicted
            ));
            value.insert(
                word.to_owned(),
                json!({"of": of, "supported": supported, "contradicted": contradicted}),
            );
        }
        report.figure(name, &texts.join("; "), &value.into());
    }
}

/// Stores the facts of each file in its own repository.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let report = Report::new(arguments.json);
    let progress = Progress::new(arguments.sets.len());
    let mut all = Tally::default();
    for set in &arguments.sets {
        progress.step(&set.display().to_string());
        let text = labelled_set::text(set)?;
        let cases = read(&text).with_context(|| set.display().to_string())?;
        let tally = measured(&binary, &cases, arguments.errors).await?;
        tally.tell(report, &format!("statements_{}", labelled_set::stem(set)?));
        for (key, count) in tally.0 {
            *all.0.entry(key).or_default() += count;
        }
    }
    all.tell(report, "statements");
    let wrong = all.count(Label::True, "contradicted") + all.count(Label::Contradicted, "supported");
    if arguments.gate && wrong > 0 {
        bail!("{wrong} true statements are called contradicted, or contradicted ones supported");
    }
    Ok(())
}

fn read(text: &str) -> Result<Vec<Case>> {
    let checked = |line: Result<(usize, Case)>| {
        let (number, case) = line?;
        ensure!(case.lines.lines().next().is_some(), "line {number}: no lines are cited");
        Ok(case)
    };
    json_lines(text).map(checked).collect()
}

async fn measured(binary: &Path, cases: &[Case], tells_errors: bool) -> Result<Tally> {
    let folder = tempfile::tempdir()?;
    let clone = folder.path().join("clone");
    committed(&clone, cases)?;
    let config = folder.path().join("config.toml");
    std::fs::write(&config, format!("[[repo]]\nname = {REPO:?}\npath = {clone:?}\n"))?;
    let config = config.to_str().context("a path that is UTF-8")?;
    let server = Server::start_with(binary, &folder.path().join("data"), &[("LOCI_CONFIG", config)])?;
    let wire = Wire::new(&server.url);
    let mut tally = Tally::default();
    for (number, case) in cases.iter().enumerate() {
        let citation =
            json!({"path": place(number, case), "line_start": 1, "line_end": case.lines.lines().count()});
        let body = json!({"repo": REPO, "subject": format!("statement {number}"), "fact": case.statement,
                          "citations": [citation]});
        let stored = wire.ask("POST", "/v1/tools/memory.store", Some(&body)).await?;
        let support = text_at(&stored, "/verification/support/verdict");
        let support = support.with_context(|| format!("no support is told: {stored}"))?;
        let is_right = matches!(
            (case.label, support.as_str()),
            (Label::True, "supported")
                | (Label::Contradicted, "contradicted")
                | (Label::Unrelated, "not_checked")
        );
        if tells_errors && !is_right {
            eprintln!(
                "{:?} is {support}: {} | {}",
                case.label,
                case.statement,
                case.lines.replace('\n', "⏎")
            );
        }
        *tally.0.entry((case.label, support)).or_default() += 1;
    }
    server.stop()?;
    Ok(tally)
}

/// Returns the path of a case's file. It is unique, because two cases may name the same path.
fn place(number: usize, case: &Case) -> String {
    format!("case{number}/{}", case.path)
}

/// Creates a repository with a file for each case.
fn committed(clone: &Path, cases: &[Case]) -> Result<()> {
    std::fs::create_dir_all(clone)?;
    git_text(clone, &["init", "--quiet", "--initial-branch=main"])?;
    for (number, case) in cases.iter().enumerate() {
        let file = clone.join(place(number, case));
        std::fs::create_dir_all(file.parent().context("a folder")?)?;
        std::fs::write(&file, &case.lines)?;
    }
    git_text(clone, &["add", "--all", "--force"])?;
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    let commit = ["commit", "--quiet", "--message", "files"];
    git_text(clone, &[author.as_slice(), commit.as_slice()].concat())?;
    Ok(())
}
