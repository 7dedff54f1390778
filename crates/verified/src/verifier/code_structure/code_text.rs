//! The code of a text, line by line, without comments and documentation strings, and the check if a
//! line begins in one of them. It is a scanner of marks and quotes by file name, not a parser.
//! Prose and unknown languages keep their text.

/// The marks of comments and strings in some languages.
struct Syntax {
    extensions: &'static [&'static str],
    /// Marks of a comment that ends with its line.
    line: &'static [&'static str],
    /// Both ends of a comment that can span lines.
    block: &'static [(&'static str, &'static str)],
    /// True if such comments nest.
    nests: bool,
    /// Quotes of strings that can span lines.
    texts: &'static [&'static str],
    /// Quotes of strings that end with their line.
    quotes: &'static str,
}

const C: &[(&str, &str)] = &[("/*", "*/")];
const TRIPLE: &[&str] = &["\"\"\"", "'''"];
const SYNTAXES: &[Syntax] = &[
    Syntax {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "cu", "proto", "zig"],
        line: &["//"],
        block: C,
        nests: false,
        texts: &[],
        quotes: "\"",
    },
    Syntax { extensions: &["rs"], line: &["//"], block: C, nests: true, texts: &["\""], quotes: "" },
    Syntax { extensions: &["go"], line: &["//"], block: C, nests: false, texts: &["`"], quotes: "\"" },
    Syntax {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "json", "jsonc", "json5", "php"],
        line: &["//"],
        block: C,
        nests: false,
        texts: &["`"],
        quotes: "\"'",
    },
    Syntax {
        extensions: &["java", "cs", "kt", "kts", "swift", "scala", "groovy", "gradle", "dart"],
        line: &["//"],
        block: C,
        nests: false,
        texts: &["\"\"\""],
        quotes: "\"",
    },
    Syntax {
        extensions: &["css", "scss", "less"],
        line: &[],
        block: C,
        nests: false,
        texts: &[],
        quotes: "\"'",
    },
    Syntax {
        extensions: &["py", "pyi", "pyx", "pyw", "bzl", "star", "gd"],
        line: &["#"],
        block: &[],
        nests: false,
        texts: TRIPLE,
        quotes: "\"'",
    },
    Syntax {
        extensions: &[
            "sh",
            "bash",
            "zsh",
            "yaml",
            "yml",
            "toml",
            "mk",
            "env",
            "pl",
            "pm",
            "r",
            "ex",
            "exs",
            "jl",
            "nim",
            "coffee",
            "ps1",
            "conf",
            "properties",
            "cmake",
            "tf",
            "hcl",
            "graphql",
            "gql",
        ],
        line: &["#"],
        block: &[],
        nests: false,
        texts: &[],
        quotes: "\"'",
    },
    Syntax {
        extensions: &["rb", "rake"],
        line: &["#"],
        block: &[("=begin", "=end")],
        nests: false,
        texts: &[],
        quotes: "\"'",
    },
    Syntax {
        extensions: &["ini", "cfg"],
        line: &["#", ";"],
        block: &[],
        nests: false,
        texts: &[],
        quotes: "\"",
    },
    Syntax { extensions: &["sql"], line: &["--"], block: C, nests: false, texts: &[], quotes: "\"'" },
    Syntax {
        extensions: &["lua"],
        line: &["--"],
        block: &[("--[[", "]]")],
        nests: false,
        texts: &[],
        quotes: "\"'",
    },
    Syntax {
        extensions: &["hs", "elm", "purs"],
        line: &["--"],
        block: &[("{-", "-}")],
        nests: true,
        texts: &[],
        quotes: "\"",
    },
    Syntax {
        extensions: &["html", "htm", "xml", "vue", "svelte"],
        line: &[],
        block: &[("<!--", "-->")],
        nests: false,
        texts: &[],
        quotes: "",
    },
];
/// Languages whose preprocessor can exclude a part by a condition.
const PREPROCESSED: &[&str] =
    &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "cu", "cs", "swift"];

/// The state at the start of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Code,
    Comment {
        open: &'static str,
        close: &'static str,
        depth: u32,
    },
    /// Inside a string that spans lines. A string that stands alone is documentation.
    Text {
        close: String,
        is_documentation: bool,
        is_raw: bool,
    },
    /// Excluded by `#if 0`, with the nesting depth.
    LeftOut(u32),
}

/// A scan of a text from one of its lines on.
pub(in crate::verifier) struct CodeText {
    syntax: Option<&'static Syntax>,
    extension: String,
    state: State,
}

impl CodeText {
    /// Creates a scan of a file with this path, from a line that is code.
    pub(in crate::verifier) fn of(path: &str) -> Self {
        let extension = extension(path).to_owned();
        let syntax = SYNTAXES.iter().find(|syntax| syntax.extensions.contains(&extension.as_str()));
        Self { syntax, extension, state: State::Code }
    }

    /// Returns true if the next line begins outside of comments, strings and excluded parts.
    pub(in crate::verifier) fn is_in_code(&self) -> bool {
        self.state == State::Code
    }

    /// Returns the code of the next line.
    pub(in crate::verifier) fn line(&mut self, line: &str) -> String {
        let Some(syntax) = self.syntax else { return line.to_owned() };
        let bare = line.trim_start();
        if self.is_left_out(bare) {
            return String::new();
        }
        // A line inside a comment whose start was not read.
        let is_inner = syntax.block == C && (bare == "*" || bare.starts_with("* ") || bare.starts_with("*/"));
        if self.state == State::Code && is_inner {
            return String::new();
        }
        let mut code = String::with_capacity(line.len());
        let mut at = 0;
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            at += self.step(syntax, rest, &mut code).max(1);
            while !line.is_char_boundary(at) {
                at += 1;
            }
        }
        code.truncate(code.trim_end().len());
        code
    }

    fn is_left_out(&mut self, bare: &str) -> bool {
        if !PREPROCESSED.contains(&self.extension.as_str()) {
            return false;
        }
        let directive = bare.strip_prefix('#').map(str::trim_start).unwrap_or_default();
        match self.state {
            State::Code if ["if 0", "if false"].contains(&directive.trim_end()) => {
                self.state = State::LeftOut(1);
                true
            }
            State::LeftOut(depth) => {
                self.state = match directive {
                    text if text.starts_with("if") => State::LeftOut(depth + 1),
                    text if text.starts_with("endif") && depth > 1 => State::LeftOut(depth - 1),
                    text if text.starts_with("endif") => State::Code,
                    text if text.starts_with("el") && depth == 1 => State::Code,
                    _ => State::LeftOut(depth),
                };
                true
            }
            State::Code | State::Comment { .. } | State::Text { .. } => false,
        }
    }

    /// Consumes the start of `rest`, and returns the number of bytes.
    fn step(&mut self, syntax: &'static Syntax, rest: &str, code: &mut String) -> usize {
        match &mut self.state {
            State::LeftOut(_) => rest.len(),
            State::Comment { open, close, depth } => {
                if rest.starts_with(*close) {
                    let length = close.len();
                    *depth -= 1;
                    if *depth == 0 {
                        self.state = State::Code;
                        if !code.is_empty() && !code.ends_with(' ') {
                            code.push(' ');
                        }
                    }
                    return length;
                }
                if syntax.nests && rest.starts_with(*open) {
                    *depth += 1;
                    return open.len();
                }
                1
            }
            State::Text { close, is_documentation, is_raw } => {
                let is_end = rest.starts_with(close.as_str());
                let escape = rest.starts_with('\\') && !*is_raw;
                let length = if is_end {
                    close.len()
                } else if escape {
                    2
                } else {
                    1
                };
                let length = whole_chars(rest, length);
                if !*is_documentation {
                    code.push_str(rest.get(..length).unwrap_or_default());
                }
                if is_end {
                    self.state = State::Code;
                }
                length
            }
            State::Code => self.step_in_code(syntax, rest, code),
        }
    }

    fn step_in_code(&mut self, syntax: &'static Syntax, rest: &str, code: &mut String) -> usize {
        if let Some(&(open, close)) = syntax.block.iter().find(|(open, _)| rest.starts_with(open)) {
            self.state = State::Comment { open, close, depth: 1 };
            return open.len();
        }
        let is_begun = |mark: &&&str| {
            // `$#`, `a#b` and the anchor of an address are not comments.
            rest.starts_with(**mark) && (**mark != "#" || code.is_empty() || code.ends_with([' ', '\t']))
        };
        if syntax.line.iter().any(|mark| is_begun(&mark)) {
            return rest.len();
        }
        if let Some(quote) = syntax.texts.iter().find(|quote| rest.starts_with(**quote)) {
            // A string that stands alone documents the code.
            let is_own = code.trim().chars().all(|c| "rRbBuUfF".contains(c)) && quote.len() == 3;
            if !is_own {
                code.push_str(quote);
            }
            let is_raw = *quote == "`" && self.extension == "go";
            self.state = State::Text { close: (*quote).to_owned(), is_documentation: is_own, is_raw };
            return quote.len();
        }
        if let Some(length) = raw_string(&self.extension, rest, code) {
            let close = format!("\"{}", "#".repeat(length - 2));
            code.push_str(rest.get(..length).unwrap_or_default());
            self.state = State::Text { close, is_documentation: false, is_raw: true };
            return length;
        }
        let length = match rest.chars().next() {
            Some(quote) if syntax.quotes.contains(quote) => string_length(rest, quote),
            Some('\'') => character_length(rest),
            Some(other) => other.len_utf8(),
            None => 0,
        };
        code.push_str(rest.get(..length).unwrap_or_default());
        length
    }
}

/// Returns the language's file extension, if the path has one.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Makefile" | "makefile" | "GNUmakefile" | "Dockerfile" | "Justfile" | "justfile" => "mk",
        "Rakefile" | "Gemfile" => "rb",
        "BUILD" | "WORKSPACE" | "Tiltfile" | "SConstruct" | "SConscript" | "Snakefile" => "py",
        "CMakeLists.txt" => "cmake",
        _ if name.starts_with(".env") => "env",
        _ => name.rsplit_once('.').map_or("", |(_, extension)| extension),
    }
}

/// Returns the strings of a line in these quotes, white space unchanged. An unclosed string does
/// not count.
pub(in crate::verifier) fn quoted_texts<'l>(path: &str, line: &'l str) -> Vec<&'l str> {
    let extension = extension(path);
    let has_single =
        SYNTAXES.iter().any(|syntax| syntax.extensions.contains(&extension) && syntax.quotes.contains('\''));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest.chars().next() {
            Some(quote @ ('"' | '`')) => string_length(rest, quote),
            Some(quote @ '\'') if has_single => string_length(rest, quote),
            Some('\'') => character_length(rest),
            Some(other) => {
                at += other.len_utf8();
                continue;
            }
            None => break,
        };
        if length > 2 {
            found.extend(rest.get(1..length - 1));
        }
        at += length.max(1);
    }
    found
}

/// Returns the number of opened brackets minus the closed ones, outside of strings.
pub(super) fn bracket_balance(code: &str) -> i32 {
    let mut balance = 0;
    let mut at = 0;
    while let Some(rest) = code.get(at..) {
        let Some(first) = rest.chars().next() else { break };
        at += match first {
            '"' | '\'' => string_length(rest, first),
            _ => first.len_utf8(),
        };
        balance += match first {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
    }
    balance
}

/// Returns the bytes of a string that begins here and ends on its line, or of the quote alone if it
/// does not end.
fn string_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}

/// Returns the bytes of a character in single quotes that begins here, or of the quote alone if it
/// is a lifetime or an apostrophe.
fn character_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let end = match chars.next() {
        Some((_, '\\')) => rest.char_indices().skip(3).find(|(_, c)| *c == '\'').map(|(at, _)| at),
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at),
        None => None,
    };
    end.filter(|at| *at < 12).map_or(1, |at| at + 1)
}

/// Returns the bytes of the opening of a raw string, if it does not continue the word before it.
fn raw_string(extension: &str, rest: &str, before: &str) -> Option<usize> {
    let marks = rest.strip_prefix('r').filter(|_| extension == "rs")?;
    let count = marks.len() - marks.trim_start_matches('#').len();
    let word = before.strip_suffix('b').unwrap_or(before);
    let is_inner = word.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    (!is_inner && marks.get(count..)?.starts_with('"')).then_some(count + 2)
}

fn whole_chars(text: &str, bytes: usize) -> usize {
    (bytes..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_documentation_are_left_out() {
        for (path, text, expect) in [
            ("a.rs", "a(); // b\n/* c\nd */ e();\nf(\"// g\");", "a();|| e();|f(\"// g\");"),
            (
                "a.rs",
                "let x = '\"'; // c\nlet y: &'a str = r#\"\" /* \"#;",
                "let x = '\"';|let y: &'a str = r#\"\" /* \"#;",
            ),
            ("a.rs", "/* a /* b */ c */ d", " d"),
            (
                "a.ts",
                "/* export const limit = 1; */\nconst a = `// ${b}\n// c`;",
                "|const a = `// ${b}|// c`;",
            ),
            ("a.c", "#if 0\na();\n#if X\n#endif\n#else\nb();\n#endif", "|||||b();|#endif"),
            ("a.c", " * inner words\nx = *y;", "|x = *y;"),
            (
                "a.py",
                "def f():\n    \"\"\"Says\n    MAX\"\"\"\n    x = \"# no\" # yes",
                "def f():|||    x = \"# no\"",
            ),
            ("a.py", "x = \"\"\"a\nb\"\"\"", "x = \"\"\"a|b\"\"\""),
            ("a.yaml", "a: b#c # d", "a: b#c"),
            (".env", "A=1\n#A=2", "A=1|"),
            ("a.sql", "select 1 -- two", "select 1"),
            ("README.md", "# Title // words", "# Title // words"),
            ("a.unknown", "x # y", "x # y"),
        ] {
            let mut scan = CodeText::of(path);
            let found: Vec<String> = text.lines().map(|line| scan.line(line)).collect();
            assert_eq!(found.join("|"), expect, "{path}: {text}");
        }
    }

    #[test]
    fn a_line_knows_where_it_begins() {
        for (path, text, expect) in [
            ("a.py", "x = 1\n\"\"\"\ny = 2", false),
            ("a.py", "x = 1\n\"\"\"y\"\"\"", true),
            ("a.py", "x = 'it\\'s' # don't \"\"\"", true),
            ("a.rs", "/*\nx", false),
            ("a.rs", "// /*", true),
            ("a.rs", "fn a<'a>(b: &'a str) { c('\\'') }", true),
            ("a.c", "#if 0\nx", false),
            ("a.js", "const a = `b`; // it's `", true),
            ("notes.md", "```\n\"\"\"", true),
        ] {
            let mut scan = CodeText::of(path);
            text.lines().for_each(|line| drop(scan.line(line)));
            assert_eq!(scan.is_in_code(), expect, "{path}: {text}");
        }
    }

    #[test]
    fn strings_keep_their_white_space() {
        for (path, line, expect) in [
            ("a.rs", "f(\"a  b\", 'c', x: &'a  T, y: &'a T)", vec!["a  b", "c"]),
            ("a.py", "f('a  b', \"it's\")", vec!["a  b", "it's"]),
            ("a.go", "f(`a  b`, \"no end)", vec!["a  b"]),
            ("a.rs", "x  =  1", vec![]),
            ("a.rs", "\"a\\\"  b\"", vec!["a\\\"  b"]),
        ] {
            assert_eq!(quoted_texts(path, line), expect, "{line}");
        }
    }
}
