//! Mentions of files, lines and symbols in a text. Pure: the module reads the text alone.
//!
//! A word in the form of a path or a name is a mention, even if no such file exists. Web and mail
//! addresses, versions, dates and code blocks are not mentions.

use std::sync::LazyLock;

use regex::Regex;

use crate::code_path::check_path;

/// The maximum number of mentions that are read from one text.
const MENTIONS_MAX: usize = 40;
/// The maximum length of a token that is read, in bytes.
const TOKEN_BYTES_MAX: usize = 300;
/// The minimum length of a symbol's name, in characters. Shorter names match by chance.
const NAME_CHARS_MIN: usize = 3;
/// File names without an extension.
const PLAIN_NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Jenkinsfile",
    "Rakefile",
    "Gemfile",
    "Justfile",
    "justfile",
    "Procfile",
    "Vagrantfile",
];
/// Words of programming languages. No repository defines them.
const OWNED: &[&str] = &[
    "None",
    "Some",
    "null",
    "true",
    "false",
    "True",
    "False",
    "self",
    "this",
    "Self",
    "undefined",
    "return",
    "async",
    "await",
    "const",
    "static",
    "string",
    "String",
    "bool",
    "int",
    "void",
    "class",
    "struct",
    "enum",
    "import",
    "from",
    "else",
];

/// A file or a symbol that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mention {
    /// A file, with its lines if the text states them.
    File {
        /// The path as the text writes it, without `./`.
        path: String,
        /// The first and the last line that the text states. `None` if it states none.
        lines: Option<(u32, u32)>,
    },
    /// A symbol.
    Symbol {
        /// The owner that the text gives for the symbol: `Cart` in `Cart::add_item`.
        owner: Option<String>,
        /// The name of the symbol.
        name: String,
        /// True if the name stands in backquotes or after the path of its file. An unmarked name
        /// only looks like code, so the verifier searches for it only in files that the text names.
        is_marked: bool,
    },
}

/// Returns the mentions of a text in order, each once.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for piece in pieces(text) {
        for mention in piece.read(text) {
            if found.len() < MENTIONS_MAX && !found.contains(&mention) {
                found.push(mention);
            }
        }
    }
    found
}

/// Returns true if a text names something that can be cited: a file or a marked symbol.
pub fn has_mentions(text: &str) -> bool {
    let is_strong = |mention: &Mention| !matches!(mention, Mention::Symbol { is_marked: false, .. });
    mentions(text).iter().any(is_strong)
}

/// A part of a text that is read as one unit.
#[derive(Debug)]
struct Piece<'t> {
    token: &'t str,
    /// The start of the piece, including its backquotes.
    start: usize,
    end: usize,
    quoted: bool,
}

/// Returns the backquoted parts, and the runs between white space and punctuation marks. Code
/// blocks are left out.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            of_line(line, at, &mut found);
        }
        at += line.len();
    }
    found.retain(|piece| !piece.token.is_empty() && piece.token.len() <= TOKEN_BYTES_MAX);
    found
}

fn of_line<'t>(line: &'t str, base: usize, found: &mut Vec<Piece<'t>>) {
    let mut parts = line.split('`');
    let mut at = base;
    let mut quoted = false;
    let closed = line.matches('`').count() / 2 * 2;
    for (index, part) in parts.by_ref().enumerate() {
        let is_one = !part.trim().contains(char::is_whitespace);
        if quoted && index <= closed && is_one {
            let (start, end) = (at.saturating_sub(1), at + part.len() + 1);
            found.push(Piece { token: part.trim(), start, end, quoted: true });
        } else {
            of_prose(part, at, found);
        }
        quoted = !quoted;
        at += part.len() + 1;
    }
}

fn of_prose<'t>(prose: &'t str, base: usize, found: &mut Vec<Piece<'t>>) {
    let mut at = 0;
    for run in prose.split_inclusive(char::is_whitespace) {
        if !is_address(run.trim()) {
            let is_mark = |c: char| c.is_whitespace() || "()[]{}<>\"',;|“”«»‘’…".contains(c);
            let mut inner = at;
            for token in run.split_inclusive(is_mark) {
                let bare = token.trim_end_matches(is_mark);
                let plain = bare.trim_start_matches('*').trim_end_matches(['.', ':', '!', '?', '*']);
                let start = base + inner + (bare.len() - bare.trim_start_matches('*').len());
                found.push(Piece { token: plain, start, end: start + plain.len(), quoted: false });
                inner += token.len();
            }
        }
        at += run.len();
    }
}

/// Returns true for web addresses, mail addresses and addresses of remote repositories.
pub fn is_address(run: &str) -> bool {
    let mail = run.split_once('@').is_some_and(|(before, behind)| {
        !before.is_empty() && !before.contains('/') && behind.contains(['.', ':'])
    });
    run.contains("://") || run.contains("www.") || run.contains("mailto:") || mail
}

impl Piece<'_> {
    fn read(&self, text: &str) -> Vec<Mention> {
        if let Some((path, name)) = self.token.split_once("::")
            && has_extension(path)
            && let Some(path) = file(path)
        {
            // The name of a test in the form that test runners print.
            let name = name.rsplit("::").next().and_then(symbol_name);
            let symbol =
                name.map(|name| Mention::Symbol { owner: None, name: name.to_owned(), is_marked: true });
            return std::iter::once(Mention::File { path, lines: None }).chain(symbol).collect();
        }
        let (token, lines) = with_lines(self.token);
        if let Some(path) = file(token) {
            let lines = match lines {
                Lines::Wrong => return Vec::new(),
                Lines::None => self.lines_around(text),
                Lines::Of(first, last) => Some((first, last)),
            };
            let is_dotted = self.quoted && lines.is_none() && !path.contains('/');
            let symbol = if is_dotted { self.symbol() } else { None };
            return std::iter::once(Mention::File { path, lines }).chain(symbol).collect();
        }
        self.symbol().into_iter().collect()
    }

    /// Returns the lines that the words around a path name: “lines 3 to 5 of …”, “… line 7”.
    fn lines_around(&self, text: &str) -> Option<(u32, u32)> {
        let behind = text.get(self.end..).and_then(|behind| BEHIND.captures(behind));
        let before = || text.get(..self.start).and_then(|before| BEFORE.captures(before));
        let found = behind.or_else(before)?;
        let number = |group: usize| found.get(group).and_then(|digits| digits.as_str().parse().ok());
        let first = number(1)?;
        let last = number(2).unwrap_or(first);
        (first >= 1 && last >= first).then_some((first, last))
    }

    fn symbol(&self) -> Option<Mention> {
        if !self.quoted {
            let name = symbol_name(self.token.strip_suffix("()").unwrap_or(self.token))?;
            return looks_like_code(name).then(|| Mention::Symbol {
                owner: None,
                name: name.to_owned(),
                is_marked: false,
            });
        }
        let head = match self.token.split_once('(') {
            Some((head, rest)) if rest.ends_with(')') => head,
            Some(_) => return None,
            None => self.token,
        };
        let head = head.trim_end_matches('!').trim_start_matches("self.").trim_start_matches("this.");
        let mut parts: Vec<&str> = head.split("::").flat_map(|part| part.split(['.', '#'])).collect();
        if parts.iter().any(|part| !is_identifier(part)) {
            return None;
        }
        let name = symbol_name(parts.pop()?)?;
        let owner = parts.pop().filter(|owner| !matches!(*owner, "crate" | "super" | "Self"));
        Some(Mention::Symbol { owner: owner.map(str::to_owned), name: name.to_owned(), is_marked: true })
    }
}

/// The line numbers at the end of a token.
#[derive(Debug, PartialEq, Eq)]
enum Lines {
    None,
    Of(u32, u32),
    /// Numbers that cannot be lines. Such a token names nothing.
    Wrong,
}

/// Splits the lines from the end of a token: `path:3`, `path:3-5`, `path:3:14`, `path#L3`,
/// `path#L3-L5`.
fn with_lines(token: &str) -> (&str, Lines) {
    let Some(found) = NUMBERED.captures(token) else { return (token, Lines::None) };
    let path = found.get(1).map_or(token, |path| path.as_str());
    let number = |group: usize| found.get(group).map(|digits| digits.as_str().parse::<u32>());
    let lines = match (number(2), number(3)) {
        (Some(Ok(first)), None) if first >= 1 => Lines::Of(first, first),
        (Some(Ok(first)), Some(Ok(last))) if first >= 1 && last >= first => Lines::Of(first, last),
        _ => Lines::Wrong,
    };
    (path, lines)
}

/// Returns the path in a token, without `./`, if the token can be a path.
fn file(token: &str) -> Option<String> {
    let path = token.strip_prefix("./").unwrap_or(token);
    let is_name = |c: char| c.is_alphanumeric() || "/._-+@~$()[]=,".contains(c);
    let is_path = path.contains('/') || has_extension(path) || PLAIN_NAMES.contains(&path);
    let has_letter = path.chars().any(char::is_alphabetic);
    (is_path && has_letter && path.chars().all(is_name) && !path.ends_with('/') && check_path(path).is_ok())
        .then(|| path.to_owned())
}

/// Returns true for a token that names a file, with or without lines.
pub fn is_file(token: &str) -> bool {
    file(with_lines(token).0).is_some()
}

/// Returns true for a word of a programming language.
pub fn is_owned(name: &str) -> bool {
    OWNED.contains(&name)
}

/// Returns true for a name like `cart.rs` or `.gitignore`. In versions, digits follow the dots.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_word = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= 12
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    // Shorter names are abbreviations: “e.g.”.
    is_word && name.len() >= 4 && (!stem.is_empty() || extension.len() >= 3)
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c == '_' || c == '$' || c.is_alphabetic())
        && part.chars().all(|c| c == '_' || c == '$' || c.is_alphanumeric())
}

/// Returns the name if it can be a symbol that a repository defines.
fn symbol_name(name: &str) -> Option<&str> {
    let is_own = is_identifier(name) && name.chars().count() >= NAME_CHARS_MIN && !OWNED.contains(&name);
    is_own.then_some(name)
}

/// Returns true for a form that prose does not use: `add_item`, `MAX_ITEMS`, `CartFull`, `addItem`.
pub fn looks_like_code(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let has_hump = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner.contains('_') || has_hump
}

static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"^(.*?[^:#])(?::|#)L?(\d{1,7})(?:C\d+)?(?:[-–]L?(\d{1,7})(?:C\d+)?|:\d+)?$"));
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^[\s,(]{0,3}(?:(?:at|on|in)\s+)?lines?\s+(\d{1,7})\b(?:\s*(?:-|–|—|\.\.|to)\s*(\d{1,7})\b)?",
    )
});
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\blines?\s+(\d{1,7})(?:\s*(?:-|–|—|\.\.|to)\s*(\d{1,7}))?\s+(?:of|in)\s+(?:the file\s+)?$")
});

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mention: &Mention) -> String {
        match mention {
            Mention::File { path, lines: None } => path.clone(),
            Mention::File { path, lines: Some((first, last)) } => format!("{path}:{first}-{last}"),
            Mention::Symbol { owner, name, is_marked } => {
                let owner = owner.as_ref().map(|owner| format!("{owner}::")).unwrap_or_default();
                format!("{}{owner}{name}", if *is_marked { "`" } else { "~" })
            }
        }
    }

    #[test]
    fn what_is_written_like_a_path_or_a_name_is_a_mention() {
        for (text, expect) in [
            ("The limit is in src/cart.rs.", "src/cart.rs"),
            ("See src/cart.rs:10-13, please", "src/cart.rs:10-13"),
            ("See `src/cart.rs:10`.", "src/cart.rs:10-10"),
            ("fails at src/cart.rs:10:5: mismatched types", "src/cart.rs:10-10"),
            ("(src/cart.rs#L10-L13)", "src/cart.rs:10-13"),
            ("src/cart.rs#L10", "src/cart.rs:10-10"),
            ("[the cart](src/cart.rs#L3-5)", "src/cart.rs:3-5"),
            ("**./src/cart.rs** matters", "src/cart.rs"),
            ("in src/cart.rs, lines 10 to 13", "src/cart.rs:10-13"),
            ("in `src/cart.rs` (line 7)", "src/cart.rs:7-7"),
            ("Lines 3–5 of src/cart.rs; e.g. lines 3–5 of `src/cart.rs`", "src/cart.rs:3-5"),
            ("lines 3–5 of src/cart.rs", "src/cart.rs:3-5"),
            ("src/a.rs,src/b.rs", "src/a.rs src/b.rs"),
            ("the Makefile and .gitignore", "Makefile .gitignore"),
            ("`app/(shop)/[id]/page.tsx` renders it", "app/(shop)/[id]/page.tsx"),
            (
                "`add_item` fails, `Cart::total_price()` and `cart.addItem(item)` too",
                "`add_item `Cart::total_price `cart::addItem",
            ),
            ("run `cat src/cart.rs | head` or `fn add_item()`", "src/cart.rs ~add_item"),
            ("`self.items` and `vec!`", "self.items `items `vec"),
            ("tests/test_cart.py::TestCart::test_full", "tests/test_cart.py `test_full"),
            ("MAX_ITEMS and addItem and CartFull and Cart", "~MAX_ITEMS ~addItem ~CartFull"),
            ("run `cargo test --all`; `a + b`; `fn add()`", ""),
            ("`None`, `true`, `id`", ""),
            ("version 1.2.3, v2.0.1, 2024/01/02, 10:30, 3/4", ""),
            ("https://example.com/src/cart.rs and www.example.com/a.html", ""),
            ("bob@example.com, git@github.com:acme/shop.git", ""),
            ("/etc/passwd, ../secret.txt, .git/config, src/../a.rs", ""),
            ("src/cart.rs:0 and src/cart.rs:9-3", ""),
            ("```\nsrc/cart.rs\n```\nplain", ""),
            ("an unclosed `src/cart.rs", "src/cart.rs"),
            ("", ""),
        ] {
            let found: Vec<String> = mentions(text).iter().map(said).collect();
            assert_eq!(found.join(" "), expect, "{text}");
        }
    }

    #[test]
    fn a_text_of_mentions_is_bounded() {
        let many: String = (0..1_000).map(|n| format!("src/file{n}.rs ")).collect();
        assert_eq!(mentions(&many).len(), MENTIONS_MAX);
        assert!(mentions(&"a/".repeat(10_000)).is_empty());
        assert!(!has_mentions("MAX_ITEMS is fifty") && has_mentions("`MAX_ITEMS` is fifty"));
    }
}
