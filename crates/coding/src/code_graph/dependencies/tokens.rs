//! Tokens of source code: words, string literals and signs with their lines, without comments. One
//! reader serves all languages; a `Syntax` states their differences. It checks no grammar. Pure,
//! and linear in the text.

/// A token of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An identifier, a keyword or a number.
    Word(&'a str),
    /// The content of a string literal, with escapes left as written.
    Text(&'a str),
    /// Any other character.
    Sign(char),
}

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PositionedToken<'a> {
    pub(super) token: Token<'a>,
    /// The line, from 1.
    pub(super) line: u32,
    /// True if no token precedes it on its line.
    pub(super) is_first: bool,
}

/// The meaning of an apostrophe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apostrophe {
    /// It opens a string.
    Text,
    /// It opens one character, or stands alone: a lifetime, a separator of digits.
    Character,
}

/// The meaning of a backtick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backtick {
    /// It has no meaning.
    Plain,
    /// It opens a multi-line string. The flag is true if a backslash escapes in it.
    Text { has_escapes: bool },
    /// It opens an identifier.
    Word,
}

/// The lexical rules in which languages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `#` opens a comment; otherwise `//` and `/* */` do.
    pub(super) has_hash_comments: bool,
    /// Block comments nest.
    pub(super) nests: bool,
    /// `"""` opens a multi-line string.
    pub(super) has_triple: bool,
    /// A string in `"` may span several lines.
    pub(super) is_multiline: bool,
    /// `r#"…"#` is a string.
    pub(super) has_raw: bool,
    /// `/…/` may be a regular expression.
    pub(super) has_regex: bool,
    pub(super) apostrophe: Apostrophe,
    pub(super) backtick: Backtick,
}

/// The maximum length of a regular expression in the source, in characters.
const REGEX_CHARS_MAX: usize = 500;
/// Words after which a `/` opens a regular expression.
const BEFORE_REGEX: &[&str] = &["return", "typeof", "case", "in", "of", "delete", "void", "yield", "await"];

/// Returns the tokens of a text.
pub(super) fn tokens<'a>(text: &'a str, syntax: &Syntax) -> Vec<PositionedToken<'a>> {
    let mut reader = Reader { rest: text, line: 1, is_first: true, syntax: *syntax, found: Vec::new() };
    while let Some(next) = reader.rest.chars().next() {
        reader.step(next);
    }
    reader.found
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    is_first: bool,
    syntax: Syntax,
    found: Vec<PositionedToken<'a>>,
}

impl<'a> Reader<'a> {
    fn step(&mut self, next: char) {
        if next == '\n' {
            self.take(1);
            self.is_first = true;
        } else if self.syntax.has_hash_comments && self.rest.starts_with("\\\n") {
            // The line continues on the next one.
            self.take(2);
        } else if next.is_whitespace() {
            self.take(next.len_utf8());
        } else if self.is_comment() {
            self.take_comment();
        } else if let Some(length) = self.raw() {
            self.take_raw(length);
        } else if is_word(next) {
            let length = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
            let word = self.take(length);
            self.put(Token::Word(word), self.line);
        } else if self.syntax.has_triple && (self.rest.starts_with("\"\"\"") || self.is_triple_apostrophe()) {
            let mark = self.take(3);
            self.take_text(mark, true, true);
        } else if next == '"' {
            let mark = self.take(1);
            self.take_text(mark, self.syntax.is_multiline, true);
        } else if next == '\'' {
            self.take_apostrophe();
        } else if next == '`' && self.syntax.backtick != Backtick::Plain {
            self.take_backtick();
        } else if next == '/' && self.syntax.has_regex && self.may_be_regex() {
            self.take_regex();
        } else {
            self.take(next.len_utf8());
            self.put(Token::Sign(next), self.line);
        }
    }

    /// Advances by a number of bytes, which end at a character boundary, and counts the line
    /// breaks.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let breaks = taken.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.rest = rest;
        taken
    }

    fn put(&mut self, token: Token<'a>, line: u32) {
        self.found.push(PositionedToken { token, line, is_first: self.is_first });
        self.is_first = false;
    }

    fn is_comment(&self) -> bool {
        match self.syntax.has_hash_comments {
            true => self.rest.starts_with('#'),
            false => self.rest.starts_with("//") || self.rest.starts_with("/*"),
        }
    }

    fn take_comment(&mut self) {
        if !self.rest.starts_with("/*") {
            let length = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(length);
            return;
        }
        self.take(2);
        let mut depth = 1_u32;
        while depth > 0 {
            let Some(at) = self.rest.find(['*', '/']) else {
                self.take(self.rest.len());
                return;
            };
            self.take(at);
            if self.rest.starts_with("*/") {
                self.take(2);
                depth -= 1;
            } else if self.syntax.nests && self.rest.starts_with("/*") {
                self.take(2);
                depth += 1;
            } else {
                self.take(1);
            }
        }
    }

    /// Returns the size of a raw string's opening, such as `r"` or `br##"`, in bytes.
    fn raw(&self) -> Option<usize> {
        if !self.syntax.has_raw {
            return None;
        }
        let unmarked = self.rest.strip_prefix(['b', 'c']).unwrap_or(self.rest).strip_prefix('r')?;
        let opened = unmarked.trim_start_matches('#').strip_prefix('"')?;
        Some(self.rest.len() - opened.len())
    }

    fn take_raw(&mut self, length: usize) {
        let opening = self.take(length);
        let hashes: String = opening.chars().filter(|c| *c == '#').collect();
        self.take_text(&format!("\"{hashes}"), true, false);
    }

    fn is_triple_apostrophe(&self) -> bool {
        self.syntax.apostrophe == Apostrophe::Text && self.rest.starts_with("'''")
    }

    /// Reads a string up to its closing mark. A single-line string also ends with its line.
    fn take_text(&mut self, mark: &str, is_multiline: bool, has_escapes: bool) {
        let (line, whole) = (self.line, self.rest);
        let first = mark.chars().next().unwrap_or('"');
        loop {
            let Some(at) = self.rest.find([first, '\\', '\n']) else {
                self.take(self.rest.len());
                break;
            };
            self.take(at);
            if self.rest.starts_with(mark) {
                break;
            }
            if self.rest.starts_with('\n') && !is_multiline {
                break;
            }
            let escaped = if has_escapes && self.rest.starts_with('\\') {
                self.rest.chars().nth(1).map_or(0, char::len_utf8)
            } else {
                0
            };
            self.take(1 + escaped);
        }
        let text = whole.get(..whole.len() - self.rest.len()).unwrap_or_default();
        if self.rest.starts_with(mark) {
            self.take(mark.len());
        }
        self.put(Token::Text(text), line);
    }

    fn take_apostrophe(&mut self) {
        if self.syntax.apostrophe == Apostrophe::Text {
            let mark = self.take(1);
            return self.take_text(mark, false, true);
        }
        let mut chars = self.rest.chars().skip(1);
        let (one, two) = (chars.next(), chars.next());
        self.take(1);
        match (one, two) {
            (Some('\\'), Some(escaped)) => {
                self.take(1 + escaped.len_utf8());
                // The rest of an escape such as `\u{1f600}`.
                let short =
                    self.rest.find(|c: char| !(c.is_ascii_hexdigit() || matches!(c, '{' | '}' | '_')));
                let closing =
                    short.filter(|at| self.rest.get(*at..).is_some_and(|rest| rest.starts_with('\'')));
                self.take(closing.map_or(0, |at| at + 1));
            }
            (Some(one), Some('\'')) => {
                self.take(one.len_utf8() + 1);
            }
            _ => {}
        }
    }

    fn take_backtick(&mut self) {
        let mark = self.take(1);
        match self.syntax.backtick {
            Backtick::Text { has_escapes } => self.take_text(mark, true, has_escapes),
            Backtick::Word | Backtick::Plain => {
                let length = self.rest.find(['`', '\n']).unwrap_or(self.rest.len());
                let word = self.take(length);
                self.put(Token::Word(word), self.line);
                self.take(usize::from(self.rest.starts_with('`')));
            }
        }
    }

    /// True if a `/` is not a division: the token before it has no value.
    fn may_be_regex(&self) -> bool {
        match self.found.last().map(|placed| placed.token) {
            None => true,
            Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
            Some(Token::Word(word)) => BEFORE_REGEX.contains(&word),
            Some(Token::Text(_)) => false,
        }
    }

    /// Reads a regular expression, which ends on its line and within a bound; otherwise only the
    /// `/`.
    fn take_regex(&mut self) {
        let (mut in_class, mut is_escaped) = (false, false);
        for (at, c) in self.rest.char_indices().skip(1).take(REGEX_CHARS_MAX) {
            match c {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let line = self.line;
                    self.take(at + 1);
                    return self.put(Token::Text(""), line);
                }
                _ => {}
            }
        }
        self.take(1);
        self.put(Token::Sign('/'), self.line);
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Tokens with access by position.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a, 'b>(pub(super) &'b [PositionedToken<'a>]);

impl<'a> Tokens<'a, '_> {
    pub(super) fn at(self, place: usize) -> Option<PositionedToken<'a>> {
        self.0.get(place).copied()
    }

    pub(super) fn word(self, place: usize) -> Option<&'a str> {
        match self.at(place)?.token {
            Token::Word(word) => Some(word),
            Token::Text(_) | Token::Sign(_) => None,
        }
    }

    pub(super) fn text(self, place: usize) -> Option<&'a str> {
        match self.at(place)?.token {
            Token::Text(text) => Some(text),
            Token::Word(_) | Token::Sign(_) => None,
        }
    }

    pub(super) fn is(self, place: usize, sign: char) -> bool {
        self.at(place).is_some_and(|placed| placed.token == Token::Sign(sign))
    }

    /// Returns the dotted words from a position on, and the position after them.
    pub(super) fn dotted(self, mut place: usize) -> (Vec<&'a str>, usize) {
        let mut words = Vec::new();
        while let Some(word) = self.word(place) {
            words.push(word);
            place += 1;
            if !self.is(place, '.') || self.word(place + 1).is_none() {
                break;
            }
            place += 1;
        }
        (words, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Syntax = Syntax {
        has_hash_comments: false,
        nests: false,
        has_triple: false,
        is_multiline: false,
        has_raw: false,
        has_regex: false,
        apostrophe: Apostrophe::Character,
        backtick: Backtick::Plain,
    };

    fn shown(text: &str, syntax: &Syntax) -> String {
        let one = |placed: &PositionedToken<'_>| match placed.token {
            Token::Word(word) => word.to_owned(),
            Token::Text(text) => format!("<{text}>"),
            Token::Sign(sign) => sign.to_string(),
        };
        tokens(text, syntax).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_strings_and_characters_are_told_apart() {
        let rust = Syntax { nests: true, is_multiline: true, has_raw: true, ..PLAIN };
        let script = Syntax {
            has_regex: true,
            apostrophe: Apostrophe::Text,
            backtick: Backtick::Text { has_escapes: true },
            ..PLAIN
        };
        let python =
            Syntax { has_hash_comments: true, has_triple: true, apostrophe: Apostrophe::Text, ..PLAIN };
        let kotlin = Syntax { backtick: Backtick::Word, has_triple: true, nests: true, ..PLAIN };
        for (text, syntax, expect) in [
            ("a // b\nc", &PLAIN, "a c"),
            ("a /* b /* c */ d */", &PLAIN, "a d * /"),
            ("a /* b /* c */ d */ e", &rust, "a e"),
            ("x('\\'', '\"', 'a) b", &rust, "x ( , , a ) b"),
            ("'\\u{1f600}' b", &rust, "b"),
            ("1'000 \"a", &PLAIN, "1 000 <a>"),
            ("r#\"a \"b\" // c\"# d", &rust, "<a \"b\" // c> d"),
            ("\"a\nb\" c", &rust, "<a\nb> c"),
            ("\"a\nb", &PLAIN, "<a> b"),
            ("'it\\'s' + `x ${a} // y`", &script, "<it\\'s> + <x ${a} // y>"),
            ("a = /[/\"]/.test(b) / c / d", &script, "a = <> . test ( b ) / c / d"),
            ("return /'/", &script, "return <>"),
            ("# a\nb \\\n'''c\n# d''' \"e\" # f", &python, "b <c\n# d> <e>"),
            ("import `in`.b \"\"\"x\"y\"\"\" z", &kotlin, "import in . b <x\"y> z"),
            ("/* never closed", &PLAIN, ""),
            ("'\\", &PLAIN, "\\"),
            ("\"a\\", &PLAIN, "<a\\>"),
        ] {
            assert_eq!(shown(text, syntax), expect, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let syntax = Syntax { is_multiline: true, ..PLAIN };
        let found = tokens("/* 1\n2 */ a\n\"x\ny\" b\nc d", &syntax);
        let lines: Vec<(u32, bool)> = found.iter().map(|placed| (placed.line, placed.is_first)).collect();
        assert_eq!(lines, [(2, true), (3, true), (4, false), (5, true), (5, false)]);
    }
}
