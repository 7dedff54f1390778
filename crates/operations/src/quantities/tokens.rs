//! The tokens of a sentence: words, numbers and signs, with their positions. Pure; one pass over
//! the text.

use super::units::is_unit;
use super::vocabulary::is_magnitude;

/// The minimum length of the name of a setting, in letters.
const SETTING_MIN: usize = 5;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, with digits and joining signs inside: `p99`, `api-server`, `req/s`, `5xx`.
    Word,
    /// Digits, with groups and a fraction: `1,200`, `0.5`.
    Number,
    /// One sign.
    Sign,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The token as written.
    pub(super) text: &'a str,
    /// The token in lower case; `max_replicas` for `maxReplicas`.
    pub(super) lower: String,
    /// True if the token follows the previous one without a space.
    pub(super) is_attached: bool,
}

/// The tokens of a sentence.
#[derive(Debug)]
pub(super) struct Tokens<'a>(Vec<Token<'a>>);

impl<'a> Tokens<'a> {
    /// Reads the tokens of a text.
    pub(super) fn of(text: &'a str) -> Self {
        let mut tokens = Vec::new();
        let (mut rest, mut is_attached) = (text, false);
        while let Some(first) = rest.chars().next() {
            let is_unit =
                is_attached && tokens.last().is_some_and(|last: &Token<'_>| last.kind == TokenKind::Number);
            let is_flag = is_attached && tokens.last().is_some_and(|last| last.text == "-");
            let (kind, length) = match flag_name(rest).filter(|_| is_flag) {
                Some(length) => (Some(TokenKind::Word), length),
                None => next(rest, first, is_unit),
            };
            let (token, after) = rest.split_at(length);
            rest = after.strip_prefix('.').filter(|next| is_abbreviated(token, next)).unwrap_or(after);
            match kind {
                None => is_attached = false,
                Some(kind) => {
                    tokens.push(Token { kind, text: token, lower: lower(token), is_attached });
                    is_attached = true;
                }
            }
        }
        Self(tokens)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.0.get(at)
    }

    /// Returns the word at an index in lower case. Empty if the token is not a word.
    pub(super) fn word(&self, at: usize) -> &str {
        self.get(at).filter(|token| token.kind == TokenKind::Word).map_or("", |token| token.lower.as_str())
    }

    /// Returns the sign at an index. Empty if the token is not a sign.
    pub(super) fn sign(&self, at: usize) -> &'a str {
        self.get(at).filter(|token| token.kind == TokenKind::Sign).map_or("", |token| token.text)
    }

    /// Returns the text between two tokens, with one space between separate tokens.
    pub(super) fn text(&self, from: usize, end: usize) -> String {
        let mut text = String::new();
        for at in from..end {
            let space = if self.is_attached(at) || at == from { "" } else { " " };
            text.push_str(space);
            text.push_str(self.get(at).map_or("", |token| token.text));
        }
        text
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == TokenKind::Number)
    }

    pub(super) fn is_attached(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.is_attached)
    }
}

/// Returns a word in lower case, with the parts of the name of a setting separated.
fn lower(word: &str) -> String {
    let is_setting = word.len() > SETTING_MIN
        && word.starts_with(char::is_lowercase)
        && word.chars().all(char::is_alphanumeric)
        && !word.ends_with(char::is_uppercase);
    if !is_setting {
        return word.to_lowercase();
    }
    let mut parts = String::new();
    for sign in word.chars() {
        if sign.is_uppercase() && parts.ends_with(char::is_lowercase) {
            parts.push('_');
        }
        parts.extend(sign.to_lowercase());
    }
    parts
}

/// True for an abbreviation such as `approx.` within a sentence.
fn is_abbreviated(word: &str, next: &str) -> bool {
    let goes_on = next
        .trim_start()
        .starts_with(|sign: char| sign.is_ascii_digit() || sign.is_lowercase() || sign == '~');
    let word = word.to_lowercase();
    goes_on
        && matches!(
            word.as_str(),
            "approx"
                | "avg"
                | "max"
                | "min"
                | "ca"
                | "typ"
                | "resp"
                | "incl"
                | "conn"
                | "conns"
                | "mem"
                | "util"
                | "no"
                | "vs"
                | "est"
        )
}

/// Returns the length of the name in a flag with a size, such as `Xmx` in `-Xmx6g`.
fn flag_name(rest: &str) -> Option<usize> {
    let name = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let after = rest.get(name..)?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let size = after.get(digits..)?;
    let is_size = size.starts_with(['k', 'K', 'm', 'M', 'g', 'G'])
        && !size.get(1..).is_some_and(|end| end.starts_with(char::is_alphanumeric));
    (rest.starts_with('X') && digits > 0 && is_size).then_some(name)
}

/// Returns the kind and the length of the next token. No kind for separators.
fn next(rest: &str, first: char, is_unit: bool) -> (Option<TokenKind>, usize) {
    if first == '\n' {
        return (Some(TokenKind::Sign), 1);
    }
    if first.is_whitespace() || matches!(first, '"' | '`' | '*' | '\u{201c}' | '\u{201d}') {
        return (None, first.len_utf8());
    }
    if rest.starts_with("->") {
        return (Some(TokenKind::Sign), 2);
    }
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first.is_alphabetic() || first == '_' {
        return (Some(TokenKind::Word), word_length(rest, is_unit));
    }
    let fraction = rest.strip_prefix('.').filter(|after| after.starts_with(|one: char| one.is_ascii_digit()));
    match fraction {
        Some(after) => {
            let (kind, length) = number(after);
            (kind, length.saturating_add(1))
        }
        None => (Some(TokenKind::Sign), first.len_utf8()),
    }
}

/// Reads a number, or a word that begins with digits: a version, an address, an ordinal, a class of
/// status codes.
fn number(rest: &str) -> (Option<TokenKind>, usize) {
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let digits =
        |from: usize| rest.get(from..).map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
    let mut end = digits(0);
    while bytes.get(end) == Some(&b',') && digits(end.saturating_add(1)) == 3 {
        end = end.saturating_add(4);
    }
    let mut fractions = 0;
    while bytes.get(end) == Some(&b'.') && is_digit(end.saturating_add(1)) {
        end = end.saturating_add(1).saturating_add(digits(end.saturating_add(1)));
        fractions += 1;
    }
    let letters = rest.get(end..).unwrap_or_default();
    let length = letters.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let suffix = letters.get(..length).unwrap_or_default().to_ascii_lowercase();
    let is_name =
        !suffix.is_empty() && !is_magnitude(&suffix) && !is_unit(letters.get(..length).unwrap_or_default());
    if is_name {
        return (Some(TokenKind::Word), end.saturating_add(length));
    }
    // `8.x`
    if letters.starts_with(".x")
        && !letters.get(2..).is_some_and(|end| end.starts_with(char::is_alphanumeric))
    {
        return (Some(TokenKind::Word), end.saturating_add(2));
    }
    let kind = if fractions > 1 { TokenKind::Word } else { TokenKind::Number };
    (Some(kind), end)
}

/// Returns the length of a word. A joining sign belongs to it if a letter or a digit follows. A
/// unit after its number ends at a dash.
fn word_length(rest: &str, is_unit: bool) -> usize {
    let mut signs = rest.char_indices().peekable();
    let mut end = 0;
    while let Some((at, sign)) = signs.next() {
        let is_joining = sign == '/' || (!is_unit && matches!(sign, '-' | '.' | '\'' | '\u{2019}'));
        let joins = is_joining && signs.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !(sign.is_alphanumeric() || sign == '_' || joins) {
            break;
        }
        end = at.saturating_add(sign.len_utf8());
    }
    end
}
