//! `imports`: measures the precision and recall of imports by name on real Python code. It copies
//! the folder into a git repository, requests the importers of every file with `impact`, and
//! compares all edges with those of Python's own parser. Both sides read the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::co_change::escaped;
use crate::embedded_engine;
use crate::figures::Latencies;
use crate::git::git_text;
use crate::wire::Wire;

/// The code to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A folder with Python packages, such as `lib/python3.11` of an installation. Only read
    #[arg(long)]
    folder: PathBuf,
    /// The Python whose parser is the reference
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Maximum number of files, in the order of their paths
    #[arg(long, default_value_t = 2_000)]
    files: usize,
    /// Figures as JSON
    #[arg(long)]
    json: bool,
    /// Fail below the precision that the guide states
    #[arg(long)]
    gate: bool,
}

const REPO: &str = "bench/imports";
/// The stated minimum precision of imports by path, and the minimum recall.
const PRECISION_MIN: f64 = 0.95;
const RECALL_MIN: f64 = 0.9;
/// The parser. It reads one path per line and writes one edge per line, `importer TAB imported`.
/// Absolute imports resolve only from the root.
const PARSER: &str = r#"
import ast, sys
paths = [line.rstrip("\n") for line in sys.stdin]
known = set(paths)
def module(name):
    base = name.replace(".", "/")
    for path in (base + "/__init__.py", base + ".py"):
        if path in known:
            return path
for path in paths:
    try:
        tree = ast.parse(open(path, "rb").read())
    except (SyntaxError, ValueError):
        continue
    package = path.rsplit("/", 1)[0].split("/") if "/" in path else []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(module(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level > len(package) + 1:
                continue
            above = package[:len(package) - node.level + 1] if node.level else []
            base = ".".join(above + (node.module.split(".") if node.module else []))
            names = [module(base + "." + alias.name if base else alias.name) for alias in node.names]
            found.update(names)
            if None in names:
                found.add(module(base))
    for target in sorted(found - {None, path}):
        print(path + "\t" + target)
"#;

/// An importer and the file that it imports.
type Edge = (String, String);

/// Edges by their basis of matching, and the latency of each request.
#[derive(Default)]
struct MatchedEdges {
    by_basis: BTreeMap<String, BTreeSet<Edge>>,
    /// Files with more importers than a response has rows.
    cut: BTreeSet<String>,
    latencies: Latencies,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let code = folder.path().join("code");
    let files = copied(&arguments.folder, &code, arguments.files)?;
    ensure!(!files.is_empty(), "{} has no Python files", arguments.folder.display());
    git_text(&code, &["init", "--quiet", "--initial-branch=main"])?;
    git_text(&code, &["add", "--all", "--force"])?;
    let person = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
    git_text(&code, &[&person[..], &["commit", "--quiet", "--message", "code"]].concat())?;
    let truth = parsed(&arguments.python, &code, &files)?;
    let (_engine, wire) = embedded_engine::open(&folder.path().join("data"))?;
    wire.ask("POST", "/v1/repos", Some(&json!({ "name": REPO, "directory": code }))).await?;
    let began = Instant::now();
    importers(&wire, files.first().context("a file")?, &mut MatchedEdges::default()).await?;
    let first_ms = began.elapsed().as_secs_f64() * 1_000.0;
    let mut found = MatchedEdges::default();
    for file in &files {
        importers(&wire, file, &mut found).await?;
    }
    report(&arguments, files.len(), first_ms, &truth, found)
}

/// Copies the Python files of a folder. Returns their paths, in order.
fn copied(from: &Path, to: &Path, most: usize) -> Result<Vec<String>> {
    let mut folders = vec![from.to_owned()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let is_installed = entry.file_name() == "site-packages";
            if kind.is_dir() && !is_installed {
                folders.push(entry.path());
            } else if kind.is_file() && entry.path().extension().is_some_and(|ending| ending == "py") {
                paths.push(entry.path());
            }
        }
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths.into_iter().take(most) {
        let Some(relative) = path.strip_prefix(from)?.to_str().map(str::to_owned) else { continue };
        let target = to.join(&relative);
        std::fs::create_dir_all(target.parent().context("a folder")?)?;
        std::fs::copy(&path, &target)?;
        files.push(relative);
    }
    Ok(files)
}

/// Returns the edges that Python's parser finds.
fn parsed(python: &Path, code: &Path, files: &[String]) -> Result<BTreeSet<Edge>> {
    let mut child = Command::new(python)
        .args(["-c", PARSER])
        .current_dir(code)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {}", python.display()))?;
    let mut input = child.stdin.take().context("python takes nothing")?;
    // The parser reads all paths before it writes the first edge.
    input.write_all(files.join("\n").as_bytes())?;
    drop(input);
    let done = child.wait_with_output()?;
    ensure!(done.status.success(), "python could not parse the files");
    let edge = |line: &str| line.split_once('\t').map(|(from, to)| (from.to_owned(), to.to_owned()));
    Ok(String::from_utf8(done.stdout)?.lines().filter_map(edge).collect())
}

/// Requests the importers of one file.
async fn importers(wire: &Wire, file: &str, found: &mut MatchedEdges) -> Result<()> {
    let path = format!("/v1/repos/{REPO}/graph/impact?depth=1&limit=200&path={}", escaped(file));
    let began = Instant::now();
    let impact = wire.ask("GET", &path, None).await?;
    found.latencies.add(began.elapsed());
    ensure!(impact.get("imports").is_some(), "no imports were read: {impact}");
    // A response has a maximum number of rows. Files with more importers are not compared.
    if impact.get("more") != Some(&json!(0)) {
        found.cut.insert(file.to_owned());
        return Ok(());
    }
    for row in impact.get("rows").and_then(Value::as_array).into_iter().flatten() {
        let importer = row.get("path").and_then(Value::as_str).context("a path")?;
        let by = row.pointer("/sites/0/by").and_then(Value::as_str).unwrap_or_default();
        let edges = found.by_basis.entry(by.to_owned()).or_default();
        edges.insert((importer.to_owned(), file.to_owned()));
    }
    Ok(())
}

fn report(
    arguments: &Arguments,
    files: usize,
    first_ms: f64,
    truth: &BTreeSet<Edge>,
    mut found: MatchedEdges,
) -> Result<()> {
    let truth: BTreeSet<&Edge> = truth.iter().filter(|(_, to)| !found.cut.contains(to)).collect();
    let all: BTreeSet<&Edge> = found.by_basis.values().flatten().collect();
    let of = |edges: &BTreeSet<Edge>| {
        let right = edges.iter().filter(|edge| truth.contains(edge)).count();
        right as f64 / edges.len().max(1) as f64
    };
    let recall = truth.iter().filter(|edge| all.contains(**edge)).count() as f64 / truth.len().max(1) as f64;
    let by_path = found.by_basis.get("path").map_or(0.0, of);
    let latencies = found.latencies.quantiles();
    if arguments.json {
        let bases: BTreeMap<&String, Value> = found
            .by_basis
            .iter()
            .map(|(by, edges)| (by, json!({ "edges": edges.len(), "precision": of(edges) })))
            .collect();
        let figures = json!({
            "files": files, "edges": truth.len(), "left_out": found.cut.len(), "recall": recall, "by": bases,
            "first_ms": first_ms, "question": latencies,
        });
        println!("{figures}");
    } else {
        println!(
            "{files} files, {} imports by Python's parser, recall {recall:.3} (without {} files that more than 200 import)",
            truth.len(),
            found.cut.len()
        );
        for (by, edges) in &found.by_basis {
            println!("by {by}: {} edges, precision {:.3}", edges.len(), of(edges));
        }
        println!("first question {first_ms:.0} ms, then {latencies}");
    }
    let is_good = by_path >= PRECISION_MIN && recall >= RECALL_MIN;
    ensure!(
        is_good || !arguments.gate,
        "precision by path {by_path:.3} must be {PRECISION_MIN}, recall {recall:.3} must be {RECALL_MIN}"
    );
    Ok(())
}
