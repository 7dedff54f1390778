//! `history`: measures if the ranking finds the files of a commit from its message.
//!
//! It uses the newest usable commits of a clone, oldest first. The corpus is the tree before the
//! commit, the query is the message without file names, and the gold set is the existing files that
//! the commit changes. The weights are never trained on it. A usable commit has one parent and a
//! human author, and changes one to ten text files that existed before.

mod corpus;
mod git;
mod score;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use loci_engine::retrieval::signals::SIGNALS;
use loci_engine::retrieval::weights::Weights;
use serde_json::json;

use crate::vectors::Vectors;
use corpus::Corpus;
use git::Repository;
use score::{Order, Ranking, Scores};

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Clones, bare or not.
    #[arg(long, required = true)]
    repo: Vec<PathBuf>,
    /// Commits of each.
    #[arg(long, default_value_t = 200)]
    commits: usize,
    /// Newest commit of the measured history.
    #[arg(long, default_value = "HEAD")]
    from: String,
    /// Other weights, in the format of the engine's `weights.json`.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Use vectors too, and cache them in this file between runs.
    #[arg(long)]
    vectors: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Measures each repository, and their mean.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let weights = match &arguments.weights {
        Some(path) => Weights::parse(&std::fs::read_to_string(path)?).map_err(|error| anyhow!("{error}"))?,
        None => Weights::shipped().map_err(|error| anyhow!("{error}"))?.clone(),
    };
    let mut vectors = arguments.vectors.as_deref().map(Vectors::open).transpose()?;
    let rankings = rankings(&weights, vectors.is_some());
    let mut all = Vec::new();
    for path in &arguments.repo {
        let name = name(path);
        eprintln!("{name}");
        let scores = measure(path, &arguments, &rankings, vectors.as_mut())
            .with_context(|| format!("measuring {}", path.display()))?;
        all.push((name, scores));
    }
    if arguments.json {
        let repositories: Vec<_> =
            all.iter().map(|(name, scores)| json!({"repository": name, "rankings": scores})).collect();
        println!(
            "{}",
            json!({"from": arguments.from, "commits": arguments.commits, "repositories": repositories})
        );
        return Ok(());
    }
    for (at, ranking) in rankings.iter().enumerate() {
        println!("{}", ranking.name);
        let mut sums = [0.0; 3];
        for (name, scores) in &all {
            let Some(scores) = scores.get(at) else { continue };
            println!("  {name:<28} {scores}");
            let means = scores.means();
            sums = std::array::from_fn(|i| sums[i] + means[i] / all.len() as f64);
        }
        let [five, ten, rank] = sums.map(|value| value * 100.0);
        println!("  {:<28} R@5 {five:.1}  R@10 {ten:.1}  MRR {rank:.1}", "mean of the repositories");
    }
    Ok(())
}

/// Returns a clone's name: the last part of its path other than `repo` or `.git`.
fn name(path: &std::path::Path) -> String {
    let mut parts = path.components().rev().filter_map(|part| part.as_os_str().to_str());
    parts.find(|part| !matches!(*part, "repo" | ".git")).unwrap_or_default().to_owned()
}

fn rankings(weights: &Weights, with_vectors: bool) -> Vec<Ranking> {
    let alone = |name: &'static str, signal: &str| {
        let mut weights = weights.clone();
        for (weight, row) in weights.signals.iter_mut().zip(SIGNALS) {
            *weight = f64::from(u8::from(row.name == signal));
        }
        Ranking { name, order: Order::Sum(Box::new(weights)), vectors: false }
    };
    let mut without_path = weights.clone();
    for (weight, row) in without_path.signals.iter_mut().zip(SIGNALS) {
        if row.name == "path" {
            *weight = 0.0;
        }
    }
    let sum = |weights: &Weights| Order::Sum(Box::new(weights.clone()));
    let mut all = vec![
        Ranking { name: "BM25 of the file (S)", order: Order::WholeFile, vectors: false },
        alone("best chunk by T", "lex_turn"),
        Ranking { name: "all signals but `path`", order: sum(&without_path), vectors: false },
        Ranking { name: "all signals", order: sum(weights), vectors: false },
    ];
    if with_vectors {
        all.push(Ranking { name: "all signals, with vectors", order: sum(weights), vectors: true });
    }
    all
}

fn measure(
    path: &std::path::Path,
    arguments: &Arguments,
    rankings: &[Ranking],
    mut vectors: Option<&mut Vectors>,
) -> Result<Vec<Scores>> {
    let mut repository = Repository::open(path)?;
    let commits = repository.commits_of_use(&arguments.from, arguments.commits)?;
    let mut corpus = Corpus::default();
    let mut scores: Vec<Scores> = rankings.iter().map(|_| Scores::default()).collect();
    for commit in &commits {
        corpus.move_to(&mut repository, &commit.parent, vectors.as_deref_mut())?;
        let question = corpus.without_file_names(&commit.message);
        let gold: Vec<&str> =
            commit.touched.iter().map(String::as_str).filter(|path| corpus.holds(path)).collect();
        if gold.is_empty() || loci_text::terms(&question).is_empty() {
            continue;
        }
        for (ranking, scores) in rankings.iter().zip(&mut scores) {
            let vectors = if ranking.vectors { vectors.as_deref_mut() } else { None };
            let files = corpus.rank(&question, &ranking.order, vectors)?;
            scores.add(&files, &gold);
        }
    }
    Ok(scores)
}
