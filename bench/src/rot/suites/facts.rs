//! Mechanical facts of a first revision, stored with claims, and judged at the second by real
//! parsers: TOML, JSON, Rust. They create the class that text alone cannot: edited, and still true.

use std::collections::BTreeMap;

use anyhow::Result;
use loci_model::facts::citation::LineRange;
use loci_model::facts::claim::Claim;
use loci_model::facts::verdict::Verdict;
use syn::{Expr, ImplItem, Item, Lit};

use super::super::git::Repository;
use super::super::manifest::Entry;
use super::super::verifier_under_test::TestedRepository;
use super::files_at::FilesAt;
use super::{Case, EDITED};
use crate::seeded_random::Seeded;

/// Facts of each kind and window.
const EACH: usize = 80;
const ENDINGS: &[&str] = &[".toml", ".json", ".rs"];

/// A fact with its citations and claims.
struct Fact {
    kind: &'static str,
    text: String,
    cited: Vec<LineRange>,
    claims: Vec<Claim>,
    /// True if it holds at the second revision, by a parser, and `None` if the parser cannot
    /// decide.
    holds: Option<bool>,
}

/// Returns the facts of every window.
pub(super) async fn cases(windows: &[Entry], rng: u64) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for window in windows {
        let mut repository = Repository::open(&window.repo)?;
        let (from, to) = (repository.commit(&window.from)?, repository.commit(&window.to)?);
        let before = FilesAt::read(&mut repository, &from, ENDINGS)?;
        let after = FilesAt::read(&mut repository, &to, ENDINGS)?;
        let under = TestedRepository::open(&window.repo)?;
        let mut seeded = Seeded::new(rng.wrapping_add(41));
        for kind in [paths, settings, constants, symbols, versions] {
            let mut facts = kind(&before, &after);
            for _ in 0..facts.len().saturating_sub(EACH) {
                let at = usize::try_from(seeded.below(u64::try_from(facts.len())?))?;
                facts.swap_remove(at);
            }
            for fact in facts {
                cases.extend(judged(&under, &from, &to, fact).await?);
            }
        }
    }
    Ok(cases)
}

async fn judged(under: &TestedRepository, from: &str, to: &str, fact: Fact) -> Result<Option<Case>> {
    let mut citations = Vec::new();
    for (at, place) in fact.cited.iter().enumerate() {
        let about = if at == 0 { fact.claims.clone() } else { Vec::new() };
        // A place that cannot be cited makes no fact.
        let Ok((citation, _)) = under.cite(from, place.clone(), &fact.text, about).await? else {
            return Ok(None);
        };
        citations.push(citation);
    }
    let at_store = under.verify(from, citations.clone(), fact.claims.clone()).await?;
    let name = format!("{} at {}", fact.text, fact.cited.first().map_or("", |place| &place.path));
    if at_store.verdict != Verdict::Valid {
        let said = format!("{} when it was stored", at_store.verdict.as_str());
        return Ok(Some(Case { kind: fact.kind.to_owned(), name, holds: None, right: false, said }));
    }
    let Some(holds) = fact.holds else { return Ok(None) };
    let alone = under.verify(to, citations.clone(), Vec::new()).await?;
    let now = under.verify(to, citations, fact.claims).await?;
    let edited = alone.verdict != Verdict::Valid;
    // A true fact may be called drifted if its lines are not found. It must not be called false.
    let right = if holds { now.verdict != Verdict::Contradicted } else { now.verdict != Verdict::Valid };
    let suffix = match (holds, edited) {
        (true, true) => EDITED,
        (true, false) => ", untouched",
        (false, _) => ", not true any more",
    };
    let said = format!("{} (without claims {})", now.verdict.as_str(), alone.verdict.as_str());
    Ok(Some(Case { kind: format!("{}{suffix}", fact.kind), name, holds: Some(holds), right, said }))
}

fn place(path: &str, line: u32) -> LineRange {
    LineRange { path: path.to_owned(), line_start: line, line_end: line }
}

/// Returns facts that a path exists.
fn paths(before: &FilesAt, after: &FilesAt) -> Vec<Fact> {
    let cited = |path: &String| {
        let text = before.texts.get(path)?;
        (1u32..)
            .zip(text.lines())
            .find(|(_, line)| line.split(|c: char| !c.is_alphabetic()).any(|w| w.len() > 3))
    };
    let fact = |path: &String| {
        Some(Fact {
            kind: "path exists",
            text: format!("`{path}` is there"),
            cited: vec![place(path, cited(path)?.0)],
            claims: vec![Claim::PathExists { path: path.clone() }],
            holds: Some(after.has(path)),
        })
    };
    before.texts.keys().filter_map(fact).collect()
}

/// Returns the scalars of a TOML or JSON file, by pointer.
fn scalars(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let value: serde_json::Value = if path.ends_with(".toml") {
        serde_json::to_value(toml::from_str::<toml::Table>(text).ok()?).ok()?
    } else {
        serde_json::from_str(text).ok()?
    };
    let mut all = BTreeMap::new();
    walk(&value, String::new(), &mut all);
    Some(all)
}

fn walk(value: &serde_json::Value, pointer: String, all: &mut BTreeMap<String, String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                walk(value, format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        serde_json::Value::String(text) => drop(all.insert(pointer, text.clone())),
        serde_json::Value::Number(number) => drop(all.insert(pointer, number.to_string())),
        serde_json::Value::Bool(truth) => drop(all.insert(pointer, truth.to_string())),
        serde_json::Value::Array(_) | serde_json::Value::Null => {}
    }
}

/// Returns facts about the value of a setting.
fn settings(before: &FilesAt, after: &FilesAt) -> Vec<Fact> {
    let mut facts = Vec::new();
    let files =
        before.texts.iter().filter(|(path, _)| !path.ends_with(".rs") && !path.ends_with("lock.json"));
    for (path, text) in files {
        let Some(all) = scalars(path, text) else { continue };
        let now = after.texts.get(path).and_then(|text| scalars(path, text));
        for (pointer, literal) in all {
            let key = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
            let Some(line) = before.line_with(path, &[&key, &literal]).filter(|_| literal.len() < 200) else {
                continue;
            };
            let holds = now.as_ref().and_then(|now| now.get(&pointer)) == Some(&literal);
            facts.push(Fact {
                kind: "setting has a value",
                text: format!("`{key}` is `{literal}`"),
                cited: vec![place(path, line)],
                claims: vec![Claim::ConfigValue { path: path.clone(), pointer, literal }],
                holds: Some(holds),
            });
        }
    }
    facts
}

/// Returns the unique constants at the top level of a Rust file, with their literals.
fn constants_of(text: &str) -> Option<BTreeMap<String, String>> {
    let file = syn::parse_file(text).ok()?;
    let one = |item: &Item| {
        let Item::Const(constant) = item else { return None };
        let Expr::Lit(literal) = &*constant.expr else { return None };
        let literal = match &literal.lit {
            Lit::Int(number) => number.to_string(),
            Lit::Bool(truth) => truth.value.to_string(),
            _ => return None,
        };
        Some((constant.ident.to_string(), literal))
    };
    Some(file.items.iter().filter_map(one).collect())
}

/// Returns facts about the number of a constant.
fn constants(before: &FilesAt, after: &FilesAt) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (path, text) in before.texts.iter().filter(|(path, _)| path.ends_with(".rs")) {
        for (name, literal) in constants_of(text).unwrap_or_default() {
            let written = format!("const {name}:");
            let Some(line) = before.line_with(path, &[&written, &literal]) else { continue };
            let now = after.texts.get(path).map(|text| constants_of(text));
            let holds = match now {
                None => Some(false),
                Some(None) => None,
                Some(Some(now)) => Some(now.get(&name) == Some(&literal)),
            };
            let regex = format!(r"const {name}\s*:[^=]*=\s*([^;]+?)\s*;");
            facts.push(Fact {
                kind: "constant has a value",
                text: format!("`{name}` is {literal}"),
                cited: vec![place(path, line)],
                claims: vec![Claim::Equals { citation: 0, regex, literal }],
                holds,
            });
        }
    }
    facts
}

/// Returns the functions and types of a Rust file, including those in its blocks.
fn symbols_of(text: &str) -> Option<Vec<(String, &'static str)>> {
    let file = syn::parse_file(text).ok()?;
    let mut all = Vec::new();
    for item in &file.items {
        match item {
            Item::Fn(function) => all.push((function.sig.ident.to_string(), "fn")),
            Item::Struct(item) => all.push((item.ident.to_string(), "struct")),
            Item::Enum(item) => all.push((item.ident.to_string(), "enum")),
            Item::Trait(item) => all.push((item.ident.to_string(), "trait")),
            Item::Impl(block) => {
                let functions = block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(function) => Some((function.sig.ident.to_string(), "fn")),
                    _ => None,
                });
                all.extend(functions);
            }
            _ => {}
        }
    }
    Some(all)
}

/// Returns facts that a file defines a name.
fn symbols(before: &FilesAt, after: &FilesAt) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (path, text) in before.texts.iter().filter(|(path, _)| path.ends_with(".rs")) {
        let now = after.texts.get(path).map(|text| symbols_of(text));
        for (name, keyword) in symbols_of(text).unwrap_or_default() {
            let Some(line) = before.line_with(path, &[&format!("{keyword} {name}")]) else { continue };
            let holds = match &now {
                None => Some(false),
                // Names in nested blocks are not found here.
                Some(None) => None,
                Some(Some(now)) => match now.iter().any(|(there, _)| *there == name) {
                    true => Some(true),
                    false => {
                        after.line_with(path, &[&format!("{keyword} {name}")]).map_or(Some(false), |_| None)
                    }
                },
            };
            facts.push(Fact {
                kind: "symbol is defined",
                text: format!("`{path}` defines `{name}`"),
                cited: vec![place(path, line)],
                claims: vec![Claim::SymbolDefined { path: path.clone(), name }],
                holds,
            });
        }
    }
    facts
}

/// Returns facts that packages of a workspace have one version: true after a bump of all, false
/// after a bump of some.
fn versions(before: &FilesAt, after: &FilesAt) -> Vec<Fact> {
    const POINTERS: [&str; 2] = ["/package/version", "/version"];
    let version = |texts: &BTreeMap<String, String>, path: &str| {
        let all = scalars(path, texts.get(path)?)?;
        POINTERS.iter().find_map(|pointer| all.get(*pointer).cloned())
    };
    let mut groups: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for path in
        before.texts.keys().filter(|path| path.ends_with("Cargo.toml") || path.ends_with("package.json"))
    {
        let Some(value) = version(&before.texts, path) else { continue };
        if let Some(line) = before.line_with(path, &["version", &value]) {
            groups.entry(value).or_default().push((path.clone(), line));
        }
    }
    let mut facts = Vec::new();
    for (value, members) in groups.iter().filter(|(_, members)| members.len() > 1) {
        for pair in members.windows(2) {
            let now: Option<Vec<String>> = pair.iter().map(|(path, _)| version(&after.texts, path)).collect();
            let holds = now.map(|now| now.windows(2).all(|two| matches!(two, [a, b] if a == b)));
            facts.push(Fact {
                kind: "same version in two files",
                text: format!("both have version {value}"),
                cited: pair.iter().map(|(path, line)| place(path, *line)).collect(),
                claims: vec![Claim::SameCapture {
                    citations: (0..pair.len()).collect(),
                    regexes: vec![r#"version"?\s*[=:]\s*"([^"]+)""#.to_owned()],
                }],
                holds,
            });
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsers_say_what_holds() {
        let at = |text: &str| FilesAt {
            texts: BTreeMap::from([("a.rs".to_owned(), text.to_owned())]),
            paths: vec!["a.rs".to_owned()],
        };
        let before = at("const LIMIT: usize = 20;\npub fn name() {}\nimpl A {\n    fn other(&self) {}\n}\n");
        let after = at("/// More.\nconst LIMIT: usize = 30;\nimpl A {\n    fn other(&self) {}\n}\n");
        let holds = |facts: Vec<Fact>| facts.into_iter().map(|fact| fact.holds).collect::<Vec<_>>();
        assert_eq!(holds(constants(&before, &after)), [Some(false)]);
        assert_eq!(holds(symbols(&before, &after)), [Some(false), Some(true)]);
        let settings_at = |version: &str| FilesAt {
            texts: ["a/Cargo.toml", "b/Cargo.toml"]
                .map(|path| (path.to_owned(), format!("[package]\nname = \"x\"\nversion = \"{version}\"\n")))
                .into(),
            paths: vec!["a/Cargo.toml".to_owned(), "b/Cargo.toml".to_owned()],
        };
        let (one, two) = (settings_at("1.0.0"), settings_at("2.0.0"));
        assert_eq!(holds(versions(&one, &two)), [Some(true)]);
        assert_eq!(holds(settings(&one, &two)), [Some(true), Some(false), Some(true), Some(false)]);
    }
}
