//! Definitions, found by the way lines of a language begin: the definition around a block, and the
//! check if a file defines a name. There is no grammar, so a line that looks like a definition
//! counts as one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use crate::verifier::lines::file_lines::FileLines;

/// The patterns before a defined name, by file extension; `NAME` stands for the name.
const LANGUAGES: &[(&[&str], &str)] = &[
    (
        &["rs"],
        r"^(?:pub(?:\([^)]*\))? )?(?:default |const |async |unsafe |extern (?:\x22[^\x22]*\x22 )?)*(?:fn|struct|enum|union|trait|type|mod|const|static(?: mut)?|macro_rules!) (?:r#)?NAME\b",
    ),
    (&["py", "pyi", "pyx"], r"^(?:(?:async )?def|class|cdef|cpdef) NAME\b|^NAME(?: ?:[^=]*)? ?= ?[^=]"),
    (
        &["js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        r"^(?:export |default |declare |abstract |async |public |private |protected |readonly |static |override )*(?:function\*?|class|interface|type|enum|const enum|namespace|const|let|var|get|set) NAME\b|^(?:export |async |public |private |protected |readonly |static |override |get |set |\*)*#?NAME ?(?:<[^>]*>)?\([^;]*\{$|^(?:public |private |protected |readonly |static )*#?NAME ?[?!]?(?::[^=]*)?= |^NAME ?: ?(?:async )?(?:function|\()",
    ),
    (&["go"], r"^(?:func (?:\([^)]*\) ?)?|type |var |const )NAME\b|^NAME(?: [A-Za-z\[\]*.]+)? = "),
    (
        &["java", "kt", "kts", "scala", "cs", "swift", "dart", "groovy"],
        r"^(?:@[A-Za-z.]+(?:\([^)]*\))? |[a-z]+ )*(?:class|interface|enum|record|object|trait|struct|protocol|extension|actor|fun|func|def|val|var|let|type|typealias|namespace|delegate) (?:<[^>]*> )?(?:[A-Za-z]+\.)?NAME\b|^(?:@[A-Za-z.]+(?:\([^)]*\))? )*(?:[A-Za-z_][\w.]*(?:<[^;{}=]*>)?(?:\[\])*\?? )+NAME ?(?:\(|=|;|\{)",
    ),
    (
        &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "cu"],
        r"^# ?define NAME\b|^(?:typedef )?(?:struct|class|enum(?: class| struct)?|union|namespace|concept) (?:[A-Z_]+ )?NAME\b[^;]*$|^(?:[A-Za-z_][\w:<>,]*[ *&]+)+(?:[A-Za-z_]\w*::)*~?NAME ?(?:\([^;]*$|\([^;]*\{|\[|=)|^(?:typedef|using)\b.*\bNAME(?: =|;)|^\} ?NAME;|^(?:[A-Za-z_]\w*::)*NAME ?\([^;]*$",
    ),
    (
        &["rb", "rake", "gemspec"],
        r"^(?:def (?:self\.)?|class |module |attr_(?:reader|writer|accessor) .*:)NAME\b|^NAME ?= ",
    ),
    (
        &["php"],
        r"^(?:[a-z]+ )*(?:function &?|class |interface |trait |enum |const )NAME\b|^define\(['\x22]NAME['\x22]|^(?:[a-z?A-Z\\]+ )+\$NAME\b",
    ),
    (
        &["sh", "bash", "zsh", "ksh"],
        r"^(?:function )?NAME ?\(\)|^function NAME\b|^(?:export |local |readonly |declare (?:-\w+ )?)?NAME=",
    ),
    (&["lua"], r"^(?:local )?function (?:[A-Za-z_]\w*[.:])*NAME\b|^(?:local )?(?:[A-Za-z_]\w*[.:])*NAME ?= "),
    (&["ex", "exs"], r"^(?:def|defp|defmacro|defmacrop|defmodule|defguard) (?:[A-Z]\w*\.)*NAME\b"),
    (
        &["hs", "elm"],
        r"^(?:data|newtype|type(?: family| alias)?|class) (?:.*=> )?NAME\b|^NAME(?:,[^:]*)? ::|^NAME .*= |^NAME :",
    ),
    (&["clj", "cljs", "cljc", "el", "lisp", "scm"], r"^\(def[a-z-]* (?:\^\S+ )?NAME(?:\s|\)|$)"),
    (
        &["sql"],
        r"(?i)^create (?:or replace )?(?:temp(?:orary)? |unique |materialized )*(?:table|view|function|procedure|index|trigger|type|sequence|schema) (?:if not exists )?(?:\w+\.)?[`\x22]?NAME\b",
    ),
    (&["proto"], r"^(?:message|enum|service|rpc|extend) NAME\b"),
    (
        &["graphql", "gql"],
        r"^(?:extend )?(?:type|input|enum|interface|union|scalar|directive|fragment|query|mutation) @?NAME\b",
    ),
    (&["zig"], r"^(?:pub )?(?:export |inline |extern (?:\x22[^\x22]*\x22 )?)*(?:fn|const|var) NAME\b"),
    (
        &["tf", "hcl"],
        r"^(?:resource \x22[^\x22]*\x22|data \x22[^\x22]*\x22|variable|output|module|provider) \x22NAME\x22|^NAME ?= ",
    ),
    (&["mk"], r"^NAME ?:|^(?:export )?NAME ?[:?+]?= "),
];

/// The pattern for files of other languages.
const ANY_LANGUAGE: &str = r"^(?:[a-z]+ )*(?:fn|func|function|def|class|struct|enum|interface|trait|type|module|const|let|var|val|sub|proc) NAME\b|^NAME ?(?::?= |\(\))";

/// Returns true if a line of the file defines the name.
pub(in crate::verifier) fn defines(path: &str, file: &FileLines, name: &str) -> bool {
    let Some(pattern) = pattern(path, &regex::escape(name)) else { return false };
    file.lines(0, file.len()).any(|line| pattern.is_match(line))
}

/// The maximum number of non-blank lines that count as part of a definition.
const DEFINED_LINES_MAX: usize = 20;

/// The maximum number of non-blank lines of a definition around a block that are read with it.
const ENCLOSING_LINES_MAX: usize = 200;

/// A search for definitions of one name in many files. It compiles the pattern of each language
/// once.
pub(in crate::verifier) struct DefinitionSearch<'n> {
    name: &'n str,
    patterns: RefCell<HashMap<&'static str, Option<Regex>>>,
}

impl<'n> DefinitionSearch<'n> {
    pub(in crate::verifier) fn new(name: &'n str) -> Self {
        Self { name, patterns: RefCell::default() }
    }

    /// Returns the lines of each definition: the first line and the more deeply indented ones after
    /// it, at most twenty. Files of unknown languages define nothing.
    pub(in crate::verifier) fn find(&self, path: &str, file: &FileLines) -> Vec<Range<usize>> {
        let Some((_, source)) = language(path) else { return Vec::new() };
        let mut patterns = self.patterns.borrow_mut();
        let compile = || Regex::new(&source.replace("NAME", &regex::escape(self.name))).ok();
        let Some(pattern) = patterns.entry(source).or_insert_with(compile) else { return Vec::new() };
        let is_defined = |at: &usize| {
            let line = file.line(*at);
            line.contains(self.name) && pattern.is_match(line)
        };
        (0..file.len()).filter(is_defined).map(|at| at..extent(file, at, DEFINED_LINES_MAX)).collect()
    }
}

/// Returns true for files of languages whose definitions are recognised.
pub(in crate::verifier) fn is_language(path: &str) -> bool {
    language(path).is_some()
}

/// Returns the end of the definition that begins at a line: the more deeply indented lines and
/// those that close it, at most `lines_max`.
fn extent(file: &FileLines, from: usize, lines_max: usize) -> usize {
    let most = (from + lines_max).min(file.len());
    let depth = |at: usize| file.indents(at, at + 1).first().copied().unwrap_or(0);
    let closes = |at: usize| file.line(at).starts_with(['}', ')', ']']) || file.line(at) == "end";
    let outer = depth(from);
    (from + 1..most).find(|at| depth(*at) <= outer && !(depth(*at) == outer && closes(*at))).unwrap_or(most)
}

/// Returns the name of the nearest definition that contains the line at `from` or begins there.
pub(in crate::verifier) fn enclosing(path: &str, file: &FileLines, from: usize) -> Option<String> {
    enclosing_definition(path, file, from).map(|(_, name)| name)
}

/// Returns the lines of the nearest definition that contains the line at `from` or begins there. A
/// long definition is cut.
pub(in crate::verifier) fn enclosing_lines(
    path: &str,
    file: &FileLines,
    from: usize,
) -> Option<Range<usize>> {
    let (at, _) = enclosing_definition(path, file, from)?;
    Some(at..extent(file, at, ENCLOSING_LINES_MAX))
}

/// Returns the start and the name of that definition.
fn enclosing_definition(path: &str, file: &FileLines, from: usize) -> Option<(usize, String)> {
    let pattern = any_definition(path)?;
    let mut depth = *file.indents(from, from + 1).first()?;
    for at in (0..=from).rev() {
        let indent = *file.indents(at, at + 1).first()?;
        if at < from && indent >= depth {
            continue;
        }
        if let Some(found) = pattern.captures(file.line(at)) {
            let name = found.iter().skip(1).flatten().next();
            return name.map(|name| (at, name.as_str().to_owned()));
        }
        depth = indent;
    }
    None
}

/// Returns the pattern for any definition of a language, compiled once.
fn any_definition(path: &str) -> Option<&'static Regex> {
    static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
        LazyLock::new(|| LANGUAGES.iter().map(|_| OnceLock::new()).collect());
    let (_, source) = language(path)?;
    let index = LANGUAGES.iter().position(|(_, other)| *other == source)?;
    let compile = || Regex::new(&source.replace("NAME", r"([A-Za-z_]\w*)")).ok();
    PATTERNS.get(index)?.get_or_init(compile).as_ref()
}

fn pattern(path: &str, name: &str) -> Option<Regex> {
    let source = language(path).map_or(ANY_LANGUAGE, |(_, source)| source);
    Regex::new(&source.replace("NAME", name)).ok()
}

fn language(path: &str) -> Option<(&'static [&'static str], &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = match name {
        "Makefile" | "makefile" | "GNUmakefile" => "mk",
        "Rakefile" | "Gemfile" => "rb",
        _ => name.rsplit_once('.').map_or("", |(_, extension)| extension),
    };
    LANGUAGES.iter().find(|(extensions, _)| extensions.contains(&extension)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_defined_by_how_lines_begin() {
        for (path, text, name, expect) in [
            ("a.rs", "pub(crate) async fn run_all<T>() {", "run_all", true),
            ("a.rs", "    run_all();", "run_all", false),
            ("a.rs", "pub struct Run;", "Running", false),
            ("a.rs", "macro_rules! check {", "check", true),
            ("a.rs", "pub const LIMIT: u32 = 3;", "LIMIT", true),
            ("a.py", "    async def fetch(self):", "fetch", true),
            ("a.py", "TIMEOUT = 30", "TIMEOUT", true),
            ("a.py", "if TIMEOUT == 30:", "TIMEOUT", false),
            ("a.ts", "export default class Store<T> {", "Store", true),
            ("a.ts", "  private async load(id: string): Promise<void> {", "load", true),
            ("a.ts", "  return load(id);", "load", false),
            ("a.js", "const limit = 3;", "limit", true),
            ("a.go", "func (s *Server) Serve(l net.Listener) error {", "Serve", true),
            ("a.go", "type Server struct {", "Server", true),
            ("A.java", "  public static int countOf(List<String> all) {", "countOf", true),
            ("A.java", "public final class Store {", "Store", true),
            ("a.c", "static int count_of(const char *text)", "count_of", true),
            ("a.c", "#define LIMIT 3", "LIMIT", true),
            ("a.c", "    count_of(text);", "count_of", false),
            ("a.cpp", "void Store::load(int id) {", "load", true),
            ("a.rb", "  def self.load(id)", "load", true),
            ("a.sh", "cleanup() {", "cleanup", true),
            ("a.sql", "CREATE TABLE IF NOT EXISTS facts (", "facts", true),
            ("Makefile", "build: deps", "build", true),
            ("a.weird", "function load(id)", "load", true),
        ] {
            let file = FileLines::parse(text.as_bytes()).unwrap();
            assert_eq!(defines(path, &file, name), expect, "{path}: {text}");
        }
    }

    #[test]
    fn a_definition_has_its_lines() {
        let text = "fn one(\n    a: u32,\n) -> u32 {\n    a\n}\n\nconst TWO: u32 = 2;\nfn three() {}\n// fn one in words\n";
        let file = FileLines::parse(text.as_bytes()).unwrap();
        for (name, expect) in
            [("one", Some(0..5)), ("TWO", Some(5..6)), ("three", Some(6..7)), ("four", None)]
        {
            let expect: Vec<_> = expect.into_iter().collect();
            assert_eq!(DefinitionSearch::new(name).find("a.rs", &file), expect, "{name}");
        }
        assert!(DefinitionSearch::new("one").find("a.txt", &file).is_empty());
        let long = format!("def long():\n{}", "    x = 1\n".repeat(100));
        let file = FileLines::parse(long.as_bytes()).unwrap();
        assert_eq!(
            DefinitionSearch::new("long").find("a.py", &file).as_slice(),
            std::slice::from_ref(&(0..DEFINED_LINES_MAX))
        );
    }

    #[test]
    fn every_pattern_compiles() {
        for (extensions, _) in LANGUAGES {
            for extension in *extensions {
                let path = format!("a.{extension}");
                assert!(any_definition(&path).is_some() && pattern(&path, "name").is_some(), "{path}");
            }
        }
        assert!(pattern("a.unknown", "name").is_some());
    }

    #[test]
    fn a_line_lies_in_the_nearest_definition_around_it() {
        let text = "mod outer {\n    fn first() {\n        one();\n    }\n\n    fn second() {\n        if x {\n            two();\n        }\n    }\n}\nthree();\n";
        let file = FileLines::parse(text.as_bytes()).unwrap();
        for (line, expect) in [
            (3, Some("first")),
            (8, Some("second")),
            (2, Some("first")),
            (10, Some("outer")),
            (11, None),
            (12, None),
        ] {
            let from = file.between(line, line).start;
            let found = enclosing("a.rs", &file, from);
            assert_eq!(found.as_deref(), expect, "{line}");
        }
    }
}
