//! `loci-bench tree-upkeep`: consolidates a tree with planted duplicates, contradictions and scope
//! conflicts by rules, and reverts everything.
//!
//! It counts the tokens of a listing and the answers to fixed questions, before and after. It also
//! counts the remaining statements of different scopes, and the files that differ after the revert.
//! Facts and questions are generated from a seed. Nothing is trained here.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use loci_documents::upkeep::{ConsolidationAsk, ConsolidationRun, PlannerChoice, RunScope};
use loci_documents::{DocumentPut, Precondition, PutContent, TreeAsk};
use loci_engine::consolidation::plan::Operation;
use loci_engine::document_text::DocumentContent;
use loci_engine::memories::NewMemory;
use loci_engine::retrieval::SearchRequest;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::Namespace;
use loci_model::principal::Principal;
use loci_products::Loci;
use loci_testkit_ports::block_on;

/// The minimum share of a listing's tokens that is saved.
const SAVED_MIN: f64 = 0.30;
/// The maximum number of runs until only changes that need a person's decision remain. One run
/// retires a quarter at most.
const RUNS_MAX: usize = 10;
/// The number of hits that are checked.
const HITS: u32 = 5;

/// Consolidates a planted tree and reverts it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Subjects, each with its own fact
    #[arg(long, default_value_t = 240)]
    subjects: usize,
    /// Fail if too little is saved, fewer questions are answered, a scope is lost, or a file
    /// differs after the revert
    #[arg(long)]
    gate: bool,
}

/// A planted document.
struct Planted {
    path: String,
    body: String,
    scope: Option<&'static str>,
}

/// A question, and the text that its answer contains.
struct Question {
    text: String,
    answer: String,
}

#[derive(Debug)]
struct Figures {
    documents: (usize, usize),
    listing_tokens: (u64, u64),
    recall: (f64, f64),
    runs: usize,
    scopes_lost: usize,
    differ_after_revert: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (planted, questions, scoped) = planted(arguments.subjects);
    let place = PlantedTree::with(&planted)?;
    let before = place.files()?;
    let recall_before = place.recall(&questions)?;
    let mut runs: Vec<ConsolidationRun> = Vec::new();
    let mut tokens = (0, 0);
    while runs.len() < RUNS_MAX {
        let run = place.put_in_order()?;
        let of = |side: &str| {
            let report = run.report.as_ref().and_then(|report| report.get("listing_tokens"));
            report.and_then(|change| change.get(side)).and_then(serde_json::Value::as_u64).unwrap_or_default()
        };
        if runs.is_empty() {
            tokens.0 = of("before");
        }
        tokens.1 = of("after");
        if run.changed.is_empty() {
            break;
        }
        runs.push(run);
    }
    let after = place.files()?;
    let recall_after = place.recall(&questions)?;
    let scopes_lost = scoped.iter().filter(|path| !after.contains_key(*path)).count();
    for run in runs.iter().rev() {
        block_on(place.engine.documents.consolidation_revert(
            &place.caller,
            (&place.tree, &run.id),
            false,
            None,
        ))
        .map_err(|error| anyhow::anyhow!("undoing {}: {}", run.id, error.message))?;
    }
    let back = place.files()?;
    let differ = before.iter().filter(|(path, file)| back.get(*path) != Some(file)).count()
        + back.keys().filter(|path| !before.contains_key(*path)).count();
    let figures = Figures {
        documents: (before.len(), after.len()),
        listing_tokens: tokens,
        recall: (recall_before, recall_after),
        runs: runs.len(),
        scopes_lost,
        differ_after_revert: differ,
    };
    figures.show();
    if arguments.gate { figures.judge() } else { Ok(()) }
}

impl Figures {
    fn saved(&self) -> f64 {
        let (before, after) = self.listing_tokens;
        if before == 0 { 0.0 } else { 1.0 - after as f64 / before as f64 }
    }

    fn show(&self) {
        println!(
            "documents       {} before, {} after {} runs",
            self.documents.0, self.documents.1, self.runs
        );
        let (before, after) = self.listing_tokens;
        println!("listing tokens  {before} before, {after} after: {:.1} % saved", 100.0 * self.saved());
        println!("recall@{HITS}        {:.3} before, {:.3} after", self.recall.0, self.recall.1);
        println!("scopes lost     {}", self.scopes_lost);
        println!("files that differ after all runs are undone  {}", self.differ_after_revert);
    }

    fn judge(&self) -> Result<()> {
        let is_good = self.saved() >= SAVED_MIN
            && self.recall.1 >= self.recall.0
            && self.scopes_lost == 0
            && self.differ_after_revert == 0;
        if is_good { Ok(()) } else { bail!("the tree is not put in order as asked for") }
    }
}

/// A separate memory with its tree.
struct PlantedTree {
    world: TestEngine,
    engine: Loci,
    caller: Principal,
    tree: TreeAsk,
}

impl PlantedTree {
    fn with(planted: &[Planted]) -> Result<Self> {
        let world = TestEngine::new().map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let engine = world.engine();
        let caller = Principal::administrator("bench");
        let new = NewMemory { name: "bench".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
        let memory = block_on(engine.memory_create(&caller, new, None)).context("the memory")?;
        let tree = TreeAsk { memory: memory.id, namespace: Namespace::parse("/team")? };
        let place = Self { world, engine, caller, tree };
        for one in planted {
            place.put(one)?;
        }
        Ok(place)
    }

    fn put(&self, one: &Planted) -> Result<()> {
        self.world.clock().advance_ms(60_000);
        let content = DocumentContent {
            body: one.body.clone(),
            scope: one.scope.map(ToOwned::to_owned),
            ..DocumentContent::default()
        };
        let put = DocumentPut {
            tree: self.tree.clone(),
            path: Some(one.path.clone()),
            content: PutContent::Parts(content),
            precondition: Some(Precondition::Any),
            reason: None,
        };
        block_on(self.engine.documents.document_put(&self.caller, put, None))
            .with_context(|| one.path.clone())?;
        Ok(())
    }

    fn put_in_order(&self) -> Result<ConsolidationRun> {
        self.world.clock().advance_ms(60_000);
        let ask = ConsolidationAsk {
            operations: Some(vec![Operation::ResolveContradictions, Operation::Deduplicate]),
            scope: RunScope::All,
            planner: PlannerChoice::Deterministic,
            dry_run: false,
            ..ConsolidationAsk::of(self.tree.clone())
        };
        block_on(self.engine.documents.consolidation_start(&self.caller, &ask)).context("a run")
    }

    /// Returns every file of the tree, complete.
    fn files(&self) -> Result<BTreeMap<String, String>> {
        let (mut files, mut after) = (BTreeMap::new(), None);
        loop {
            let listed =
                self.engine.documents.documents_list(&self.caller, &self.tree, (None, None), (after, 100));
            let page = block_on(listed)?;
            for path in page.items.iter().map(|item| item.path.as_str()) {
                let shown = block_on(self.engine.documents.document_get(&self.caller, &self.tree, path))?;
                files.insert(path.to_owned(), shown.file);
            }
            after = page.next;
            if after.is_none() {
                return Ok(files);
            }
        }
    }

    /// Returns the share of questions whose answer is among the first hits.
    fn recall(&self, questions: &[Question]) -> Result<f64> {
        let mut found = 0;
        for question in questions {
            let request = SearchRequest {
                memory: self.tree.memory.clone(),
                query: question.text.clone(),
                namespaces: Vec::new(),
                strategy: None,
                metadata: Vec::new(),
                kinds: Vec::new(),
                states: Vec::new(),
                citing: None,
                as_of: None,
                top_k: HITS,
                fold: false,
                budget_tokens: None,
                relevance_min: None,
                explain: false,
                lists: None,
                include_system: false,
            };
            let answer = block_on(self.engine.search(&self.caller, request))?;
            found += usize::from(answer.hits.iter().any(|hit| hit.record.text.contains(&question.answer)));
        }
        Ok(found as f64 / questions.len().max(1) as f64)
    }
}

/// Returns documents, questions, and the paths of documents that only their scope distinguishes.
fn planted(subjects: usize) -> (Vec<Planted>, Vec<Question>, Vec<String>) {
    const DIRECTORIES: [&str; 4] = ["facts", "services", "people", "tools"];
    const WHAT: [&str; 5] = ["backups", "invoices", "metrics", "sessions", "exports"];
    let (mut documents, mut questions, mut scoped) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..subjects {
        let directory = DIRECTORIES[number % DIRECTORIES.len()];
        let (name, what) = (word(number), WHAT[number % WHAT.len()]);
        let path = |kind: &str| format!("knowledge/{directory}/{name}-{kind}.md");
        let (old, new) = (word(number + 10_000), word(number + 20_000));
        let plain = |kind: &str, body: String| Planted { path: path(kind), body, scope: None };
        let says = |value: &str| format!("The {name} service stores its {what} in {value}.");
        let answer = new.clone();
        questions.push(Question { text: format!("Where does the {name} service store its {what}?"), answer });
        match number % 10 {
            // The same statement two or three times, with other marks and spaces.
            0..=4 => {
                documents.push(plain("a", says(&new)));
                documents.push(plain("b", format!("# {}\n", says(&new))));
                documents
                    .push(plain("c", format!("**{}**", says(&new).replace("stores its", "stores  its"))));
            }
            // A statement, then another that replaces it.
            5 | 6 => {
                documents.push(plain("old", format!("The {name} project uses {old} for tests.")));
                documents.push(plain("new", format!("The {name} project uses {new} for tests.")));
                if let Some(question) = questions.last_mut() {
                    question.text = format!("What does the {name} project use for tests?");
                }
            }
            // Two statements that hold in two scopes.
            7 => {
                for (kind, scope, value) in [("legacy", "legacy/", &old), ("v2", "v2/", &new)] {
                    let body = format!("The {name} frontend uses {value} for state.");
                    scoped.push(path(kind));
                    documents.push(Planted { path: path(kind), body, scope: Some(scope) });
                }
                if let Some(question) = questions.last_mut() {
                    question.text = format!("What does the {name} frontend use for state?");
                }
            }
            _ => documents.push(plain("only", says(&new))),
        }
    }
    (documents, questions, scoped)
}

/// Returns a word that no other number has.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pa", "ro", "si", "tu", "va", "zo", "be", "di"];
    let mut rest = number + 4_096;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}
