//! Files that change together: the history is read once in the background and then incrementally;
//! tasks count too; permissions; and the part in a hydration.

use loci_api::coding::graph::{CoChange, GraphAbout, ImpactList, ImpactRow, MissingList};
use loci_api::coding::reflection::RepositoryReflect;
use loci_api::coding::task::end::TaskFinalize;
use loci_coding::hydration::{Hydration, HydrationKind, KindStatus};
use loci_coding::{Completion, Hydrated, ImpactOf, RepositoryChange, Thresholds};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant};
use loci_model::tasks::file_change::HistoryWindow;
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewState};
use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use loci_model::{ErrorKind, Result, limits};
use loci_testkit_ports::block_on;
use serde_json::json;

use super::workshop::{DIRECTORY, REPO, Workshop, task_id};

/// Milliseconds longer than the interval between checks of default branches.
const LATER_MS: u64 = 7_200_000;

/// Returns a workshop in which the interface and its document change together four times, and the
/// page once alone.
fn shop() -> Workshop {
    let shop = Workshop::new();
    for number in 0..4 {
        both(&shop, number);
    }
    shop.write("src/page.ts", "page");
    for number in 0..4 {
        shop.write("README.md", &format!("# Shop {number}\n"));
    }
    shop
}

/// Commits both files.
fn both(shop: &Workshop, number: usize) {
    let name = format!("feat: orders {number} (#{})", number + 1);
    shop.shelf
        .change(DIRECTORY, |history| {
            history.write("src/orders.ts", Some(&format!("orders {number}")));
            history.called(&name);
            history.write("openapi.yaml", Some(&format!("paths: {number}")));
            history.called(&name);
        })
        .unwrap();
}

/// Advances the clock and does due work.
fn later(shop: &Workshop) {
    shop.world.clock().advance_ms(LATER_MS);
    block_on(shop.engine.sweep()).unwrap();
    shop.work();
}

fn missing(shop: &Workshop, paths: &[&str]) -> (Vec<CoChange>, MissingList) {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    let wanted = (Thresholds::default(), 20);
    let found = shop.engine.coding.missing_files(&shop.caller, &shop.standing, REPO, paths, wanted);
    let found = block_on(found).unwrap();
    (found.files.clone(), found)
}

fn names(found: &[CoChange]) -> Vec<&str> {
    found.iter().map(|one| one.path.as_str()).collect()
}

fn changes(shop: &Workshop, path: &str) -> (u32, u32) {
    let wanted = (Thresholds::default(), 20);
    let found =
        block_on(shop.engine.coding.co_changes(&shop.caller, &shop.standing, REPO, path, wanted)).unwrap();
    assert_eq!(found.n, found.graph.n);
    (found.n, found.n_a)
}

fn rebuild(shop: &Workshop, window: HistoryWindow) -> Result<()> {
    block_on(shop.engine.coding.graph_rebuild(&shop.caller, &shop.standing, REPO, window)).map(drop)
}

fn changed(files: &[&str]) -> Completion {
    Completion {
        files_changed: files.iter().map(|path| (*path).to_owned()).collect(),
        ..Completion::default()
    }
}

fn asked_changes(shop: &Workshop) -> usize {
    shop.shelf.change(DIRECTORY, |history| history.changes_asked()).unwrap()
}

#[test]
fn a74_the_document_of_the_interface_is_missed() {
    let shop = shop();
    let (found, about) = missing(&shop, &["src/orders.ts"]);
    assert_eq!((found.len(), about.graph.history.as_str()), (0, "none"));
    assert!(about.warnings[0].starts_with("HISTORY_UNREAD"), "{about:?}");
    later(&shop);
    let (found, about) = missing(&shop, &["./src/orders.ts"]);
    assert_eq!(names(&found), ["openapi.yaml"]);
    let one = &found[0];
    // Ten changes: the first commit, four pull requests of two commits each, five single ones.
    assert_eq!((one.because.as_str(), one.support, one.confidence, one.lift), ("src/orders.ts", 4, 1.0, 2.5));
    assert_eq!(one.samples.len(), 3);
    assert_eq!(
        about.graph,
        GraphAbout {
            n: 10,
            history: "read".to_owned(),
            commits: 14,
            tip: about.graph.tip.clone(),
            ..GraphAbout::default()
        },
    );
    assert!(about.warnings.is_empty(), "{about:?}");
    assert!(missing(&shop, &["src/orders.ts", "openapi.yaml"]).0.is_empty());
    assert_eq!(names(&missing(&shop, &["src/**"]).0), ["openapi.yaml"], "a pattern stands for what it means");
}

#[test]
fn a_history_is_read_once_and_on() {
    let shop = shop();
    later(&shop);
    let before = asked_changes(&shop);
    later(&shop);
    assert_eq!(asked_changes(&shop), before, "the tip is the same");
    both(&shop, 7);
    later(&shop);
    assert_eq!(asked_changes(&shop), before + 2);
    assert_eq!(changes(&shop, "src/orders.ts"), (11, 5));
    // A rebuild with a smaller window.
    rebuild(&shop, HistoryWindow { commits_max: 2, months: 0 }).unwrap();
    assert_eq!(changes(&shop, "src/orders.ts"), (11, 5), "the one before is shown until then");
    shop.work();
    assert_eq!(changes(&shop, "src/orders.ts"), (1, 1));
    assert!(missing(&shop, &["src/orders.ts"]).1.graph.is_cut);
    rebuild(&shop, HistoryWindow::default()).unwrap();
    shop.work();
    assert_eq!(changes(&shop, "src/orders.ts"), (11, 5));
}

#[test]
fn windows_at_their_limits() {
    let shop = shop();
    let check = |window: HistoryWindow, expect: Option<&str>| {
        let field = rebuild(&shop, window).err().and_then(|error| error.field);
        assert_eq!(field.as_deref(), expect, "{window:?}");
    };
    let usual = HistoryWindow::default();
    let commits = |commits_max| HistoryWindow { commits_max, ..usual };
    check(commits(limits::HISTORY_COMMITS_MAX), None);
    check(commits(limits::HISTORY_COMMITS_MAX + 1), Some("commits"));
    check(commits(0), Some("commits"));
    let months = |months| HistoryWindow { months, ..usual };
    check(months(limits::HISTORY_MONTHS_MAX), None);
    check(months(limits::HISTORY_MONTHS_MAX + 1), Some("months"));
    let many = vec!["a".to_owned(); limits::RELATED_PATHS_MAX];
    let ask = |paths: Vec<String>, rows: u32| {
        let wanted = (Thresholds::default(), rows);
        let found =
            block_on(shop.engine.coding.missing_files(&shop.caller, &shop.standing, REPO, paths, wanted));
        found.err().and_then(|error| error.field)
    };
    assert_eq!(ask(many.clone(), limits::RELATED_ROWS_MAX), None);
    assert_eq!(ask([many, vec!["b".to_owned()]].concat(), 1).as_deref(), Some("paths"));
    assert_eq!(ask(vec!["a".to_owned()], limits::RELATED_ROWS_MAX + 1).as_deref(), Some("limit"));
    let impact = |depth| {
        let of = ImpactOf::Paths(vec!["a".to_owned()]);
        let found = block_on(shop.engine.coding.impact(&shop.caller, &shop.standing, REPO, of, (depth, 10)));
        found.err().and_then(|error| error.field)
    };
    assert_eq!(impact(limits::IMPACT_DEPTH_MAX), None);
    assert_eq!(impact(limits::IMPACT_DEPTH_MAX + 1).as_deref(), Some("depth"));
}

#[test]
fn a73_tasks_count_and_their_pull_requests_once() {
    let shop = shop();
    later(&shop);
    shop.begun("t-001");
    let pr = Some(TaskPullRequest { number: 1, ..TaskPullRequest::default() });
    shop.complete("t-001", Completion { pr, ..changed(&["src/orders.ts", "./openapi.yaml"]) }).unwrap();
    assert_eq!(changes(&shop, "src/orders.ts"), (10, 4), "its pull request is counted already");
    shop.begun("t-002");
    shop.complete("t-002", changed(&["src/orders.ts", "/etc/passwd", "src/new.ts"])).unwrap();
    assert_eq!(changes(&shop, "src/orders.ts"), (11, 5), "at once");
    assert_eq!(changes(&shop, "src/new.ts").1, 1);
    let missed = |paths: &[&str]| names(&missing(&shop, paths).0).join(" ");
    assert_eq!(missed(&["src/orders.ts", "openapi.yaml"]), "");
    assert_eq!(missed(&["src/orders.ts", "src/new.ts"]), "openapi.yaml");
    assert_eq!(changes(&shop, "/etc/passwd").1, 0, "no path of the repository");
    // A rebuild from the beginning gives the same result.
    rebuild(&shop, HistoryWindow::default()).unwrap();
    shop.work();
    assert_eq!(changes(&shop, "src/orders.ts"), (11, 5));
    // Untrusted tasks do not count.
    block_on(shop.engine.coding.task_alert(&shop.caller, &shop.standing, &task_id("t-002"), "odd")).unwrap();
    assert_eq!(changes(&shop, "src/orders.ts"), (10, 4));
    assert_eq!(changes(&shop, "src/new.ts").1, 0);
}

#[test]
fn without_code_tasks_serve_alone() {
    let shop = shop();
    shop.unreadable();
    for number in 0..3 {
        let id = format!("t-00{number}");
        shop.begun(&id);
        shop.complete(&id, changed(&["a.ts", "b.ts"])).unwrap();
    }
    for id in ["t-007", "t-008"] {
        shop.begun(id);
        shop.complete(id, changed(&["c.ts"])).unwrap();
    }
    rebuild(&shop, HistoryWindow::default()).unwrap();
    shop.work();
    let (found, about) = missing(&shop, &["a.ts"]);
    assert_eq!(names(&found), ["b.ts"]);
    assert_eq!(found[0].samples[0], "task:t-002");
    assert!(about.warnings[0].starts_with("HISTORY_UNREAD: no place"), "{about:?}");
    shop.readable();
    later(&shop);
    let (_, about) = missing(&shop, &["a.ts"]);
    assert_eq!((about.graph.history.as_str(), about.warnings.len()), ("read", 0));
}

#[test]
fn what_was_changed_in_vain_is_part_of_the_impact() {
    let shop = shop();
    later(&shop);
    for (id, status) in [("t-001", TaskStatus::Failed), ("t-002", TaskStatus::Completed)] {
        shop.begun(id);
        let files =
            ["src/orders.ts", if status == TaskStatus::Failed { "src/cache.ts" } else { "src/log.ts" }];
        shop.complete(id, changed(&files)).unwrap();
        let end = TaskFinalize { status: status.as_str().to_owned(), ..TaskFinalize::default() };
        shop.finalize(id, end).unwrap();
    }
    let of = ImpactOf::Paths(vec!["src/orders.ts".to_owned()]);
    let found = block_on(shop.engine.coding.impact(&shop.caller, &shop.standing, REPO, of, (2, 50))).unwrap();
    let row = |row: &ImpactRow| (row.path.clone(), row.reasons.join("+"), row.episodes.len());
    let seen: Vec<_> = found.rows.iter().map(row).collect();
    let expect = |path: &str, reason: &str, episodes| (path.to_owned(), reason.to_owned(), episodes);
    assert_eq!(seen, [expect("openapi.yaml", "co_change", 0), expect("src/cache.ts", "failed_episode", 1)]);
    assert!(found.warnings.is_empty(), "{found:?}");
    let of = ImpactOf::Module("orders".to_owned());
    let found = block_on(shop.engine.coding.impact(&shop.caller, &shop.standing, REPO, of, (1, 50))).unwrap();
    assert_eq!(found.rows.first().map(|row| row.path.as_str()), Some("openapi.yaml"));
}

fn touched(shop: &Workshop, of: ImpactOf, wanted: (u32, u32)) -> (Vec<String>, ImpactList) {
    let found = block_on(shop.engine.coding.impact(&shop.caller, &shop.standing, REPO, of, wanted)).unwrap();
    let row = |row: &ImpactRow| {
        let sites: Vec<String> = row.sites.iter().map(|site| format!("{}:{}", site.of, site.line)).collect();
        format!("{} {} {} {}", row.path, row.distance, row.reasons.join("+"), sites.join(","))
    };
    (found.rows.iter().map(row).collect(), found)
}

#[test]
fn impact_names_the_importers_of_a_module_and_of_a_directory() {
    let shop = shop();
    shop.write("src/orders/index.ts", "export const orders = 1;\n");
    shop.write("src/orders/page.ts", "import { orders } from \"./index\";\n");
    shop.write("src/cart.ts", "// the cart\nimport { orders } from \"./orders/index\";\n");
    shop.write("src/main.ts", "import \"./cart\";\n");
    later(&shop);
    let module = |name: &str| ImpactOf::Module(name.to_owned());
    let path = |path: &str| ImpactOf::Paths(vec![path.to_owned()]);
    // The name also matches `src/orders.ts`, whose document changes with it.
    let document = "openapi.yaml 1 co_change ";
    let cart = "src/cart.ts 1 imports src/orders/index.ts:2";
    let main = "src/main.ts 2 imports src/cart.ts:1";
    assert_eq!(touched(&shop, module("orders"), (1, 50)).0, [document, cart]);
    assert_eq!(touched(&shop, module("orders"), (2, 50)).0, [document, cart, main]);
    assert_eq!(touched(&shop, module("src/orders"), (2, 50)).0, [document, cart, main]);
    assert_eq!(touched(&shop, path("src/orders"), (2, 50)).0, [cart, main], "a directory is no file");
    assert_eq!(touched(&shop, path("src/orders/**"), (1, 50)).0, [cart]);
    let page = "src/orders/page.ts 1 imports src/orders/index.ts:1";
    assert_eq!(touched(&shop, path("./src/orders/index.ts"), (1, 50)).0, [cart, page]);
    let (rows, found) = touched(&shop, module("orders"), (2, 1));
    assert_eq!((rows.len(), found.more, found.files), (1, 2, 3), "{found:?}");
    let (_, none) = touched(&shop, module("nowhere"), (2, 50));
    assert!(none.warnings[0].starts_with("PATH_UNKNOWN"), "{none:?}");
    // A new tip is read again.
    shop.write("src/cart.ts", "export {};\n");
    assert_eq!(touched(&shop, path("src/orders"), (2, 50)).0, [""; 0]);
}

#[test]
fn impact_of_a_repository_without_code_says_that_imports_are_unread() {
    let shop = shop();
    shop.register("acme/elsewhere").unwrap();
    let of = ImpactOf::Module("orders".to_owned());
    let asked = shop.engine.coding.impact(&shop.caller, &shop.standing, "acme/elsewhere", of, (2, 50));
    let found = block_on(asked).unwrap();
    assert_eq!(found.imports, None);
    assert!(found.warnings.iter().any(|one| one.starts_with("IMPORTS_UNREAD")), "{found:?}");
}

#[test]
fn whoever_may_not_read_all_of_the_repository_may_not_ask() {
    let shop = shop();
    later(&shop);
    let knowledge = Some(loci_model::Namespace::parse("/acme/shop/knowledge/").unwrap());
    let part = shop.with_grant(&[Capability::Read], Grant { namespace: knowledge, ..Grant::everything() });
    let wanted = (Thresholds::default(), 20);
    let found = shop.engine.coding.missing_files(&part, &shop.standing, REPO, vec!["a".to_owned()], wanted);
    assert_eq!(block_on(found).unwrap_err().kind, ErrorKind::Denied);
    let reader = shop.with_grant(&[Capability::Read], Grant::everything());
    let found = shop.engine.coding.missing_files(
        &reader,
        &shop.standing,
        REPO,
        vec!["src/orders.ts".to_owned()],
        wanted,
    );
    assert_eq!(block_on(found).unwrap().files.len(), 1);
    let window = HistoryWindow::default();
    let refused =
        block_on(shop.engine.coding.graph_rebuild(&reader, &shop.standing, REPO, window)).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
}

#[test]
fn forgetting_the_repository_forgets_its_graph() {
    let shop = shop();
    later(&shop);
    assert_eq!(missing(&shop, &["src/orders.ts"]).0.len(), 1);
    shop.forget();
    let (found, about) = missing(&shop, &["src/orders.ts"]);
    assert_eq!((found.len(), about.graph.n, about.graph.history.as_str()), (0, 0, "none"));
}

fn hydrated(shop: &Workshop, id: &str, asked: Hydration) -> Hydrated {
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked)).unwrap()
}

#[test]
fn a_hydration_shows_what_changes_with_its_paths() {
    let shop = shop();
    later(&shop);
    shop.begun("t-001");
    let asked = || Hydration { paths: vec!["src/orders.ts".to_owned()], ..Hydration::default() };
    let found = hydrated(&shop, "t-001", asked());
    assert_eq!(
        (found.related_status, found.related.iter().map(|one| one.path.as_str()).collect::<Vec<_>>()),
        (KindStatus::Ok, vec!["openapi.yaml"])
    );
    let line =
        "- [related-1] (history; 4 times) openapi.yaml is changed in 100 % of the changes of src/orders.ts\n";
    assert!(found.plan.block.contains(&format!("Often changed together:\n{line}")), "{}", found.plan.block);
    assert!(found.plan.used <= found.limit);
    assert_eq!(found.plan.by_kind().get(&HydrationKind::Knowledge), Some(&found.plan.related_tokens));
    let status = |asked: Hydration| {
        let found = hydrated(&shop, "t-001", asked);
        (found.related_status, found.related.len())
    };
    assert_eq!(status(Hydration::default()), (KindStatus::Skipped, 0), "no paths");
    let rules = || Some([HydrationKind::Rules].into());
    assert_eq!(status(Hydration { include: rules(), ..asked() }), (KindStatus::Disabled, 0));
    assert_eq!(status(Hydration { include: rules(), graph: true, ..asked() }), (KindStatus::Ok, 1));
    assert_eq!(status(Hydration { budget_tokens: Some(110), ..asked() }).0, KindStatus::Ok);
    let change =
        RepositoryChange { settings: vec![("tiers.graph".to_owned(), json!(false))], ..Default::default() };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
    assert_eq!(status(asked()), (KindStatus::Disabled, 0));
}

#[test]
fn a_repository_without_the_tier_is_not_read_in_the_background() {
    let shop = shop();
    let change =
        RepositoryChange { settings: vec![("tiers.graph".to_owned(), json!(false))], ..Default::default() };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
    later(&shop);
    assert_eq!(asked_changes(&shop), 0);
    rebuild(&shop, HistoryWindow::default()).unwrap();
    shop.work();
    let (found, about) = missing(&shop, &["src/orders.ts"]);
    assert_eq!(found.len(), 1, "it is asked for");
    assert!(about.warnings[0].starts_with("TIER_OFF"), "{about:?}");
}

#[test]
fn a_rewritten_history_is_read_anew() {
    let shop = shop();
    later(&shop);
    let mut other = loci_testkit_ports::CodeHistory::new();
    other.commit(&[("README.md", "# Shop\n\nSells things.\n")]);
    for number in 0..3 {
        other.write("src/a.ts", Some(&format!("a {number}")));
        other.called("both (#1)");
        other.write("src/b.ts", Some(&format!("b {number}")));
        other.called("both (#1)");
    }
    shop.shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), other);
    later(&shop);
    later(&shop);
    assert_eq!(changes(&shop, "src/a.ts"), (2, 1));
    assert_eq!(changes(&shop, "src/orders.ts").1, 0);
}

#[test]
fn a72_what_was_missed_and_asked_for_in_review_is_reflected_upon() {
    let shop = shop();
    // Tasks that omit the document are changes too.
    (4..7).for_each(|number| both(&shop, number));
    later(&shop);
    let reviewed = |number: u64, said: &str| {
        let id = format!("t-{number:03}");
        let task = shop.begun(&id);
        let end = Completion { status: Some(TaskStatus::Completed), ..changed(&["src/orders.ts"]) };
        shop.complete(&id, end).unwrap();
        let at = shop.engine.now();
        let review = Review {
            memory: shop.memory(),
            actor: task.actor.clone(),
            repository: task.repository.clone().unwrap(),
            pr: number,
            id: number,
            reviewer: ForgeUser { id: 7, login: "carol".to_owned(), is_bot: false },
            authority: Authority { role: RepositoryRole::Write, ..Authority::default() },
            pr_author: ForgeUser { id: 90, login: "shop-agent[bot]".to_owned(), is_bot: true },
            state: ReviewState::ChangesRequested,
            body: said.to_owned(),
            comments: Vec::new(),
            commit: None,
            url: None,
            task: Some(task.id.clone()),
            left_out: None,
            is_past: false,
            submitted_at: at,
            updated_at: at,
            read_at: at,
        };
        block_on(shop.world.store().write(move |tx| tx.ledger_mut().put_noun(&review))).unwrap();
    };
    let found = || {
        let ask = RepositoryReflect { window: None, dry_run: true };
        let asked =
            block_on(shop.engine.coding.repository_reflect(&shop.caller, &shop.standing, REPO, ask)).unwrap();
        let missed =
            asked.reflections.into_iter().filter(|one| one.text.contains("openapi.yaml usually changes"));
        missed.map(|one| one.text).collect::<Vec<_>>()
    };
    reviewed(1, "Please update `openapi.yaml`, too.");
    reviewed(2, "openapi.yaml must say this.");
    assert_eq!(found(), [""; 0], "two tasks are no pattern");
    reviewed(3, "The document is missing: openapi.yaml.");
    reviewed(4, "The page is not tested.");
    let text = "openapi.yaml usually changes with src/orders.ts; it is missed, and reviewers ask for it. (3 of the last 4 tasks)";
    assert_eq!(found(), [text]);
    let off = vec![("tiers.graph".to_owned(), json!(false))];
    let change = RepositoryChange { replaces: false, settings: off };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
    assert_eq!(found(), [""; 0], "the repository wants no such questions");
}
