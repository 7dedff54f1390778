//! Reads Rust source well enough for the size and word checks: it blanks comments and literals,
//! matches braces, and finds functions and test modules. It is not a parser: it treats macros and
//! types as plain text.

/// Returns the source with every comment and the inside of every literal replaced by spaces.
/// Newlines and byte offsets stay.
pub(crate) fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match literal_or_comment(bytes, at) {
            Some(end) => end,
            None => {
                at += 1;
                continue;
            }
        };
        blank(&mut out, at, end);
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Replaces everything but newlines by spaces, so that line numbers and offsets stay valid.
fn blank(out: &mut [u8], from: usize, to: usize) {
    for byte in out.iter_mut().take(to).skip(from) {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Returns the end of the comment or literal that starts at `at`, or `None` if none starts there.
fn literal_or_comment(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"//") {
        return Some(find(bytes, at, b'\n').unwrap_or(bytes.len()));
    }
    if rest.starts_with(b"/*") {
        return Some(block_comment_end(bytes, at));
    }
    match rest.first()? {
        b'"' => Some(string_end(bytes, at)),
        b'\'' => char_end(bytes, at),
        b'r' | b'b' | b'c' if !is_word(previous(bytes, at)) => prefixed_end(bytes, at),
        _ => None,
    }
}

fn previous(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).and_then(|i| bytes.get(i)).copied().unwrap_or(b' ')
}

/// Returns true if a byte can be part of an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    bytes.iter().skip(from).position(|b| *b == wanted).map(|i| i + from)
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let (mut i, mut depth) = (at, 0usize);
    while let Some(rest) = bytes.get(i..).filter(|r| !r.is_empty()) {
        if rest.starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if rest.starts_with(b"*/") {
            depth = depth.saturating_sub(1);
            i += 2;
            if depth == 0 {
                return i;
            }
        } else {
            i += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], quote: usize) -> usize {
    let mut i = quote + 1;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// Returns the end of a character literal: `'a'`, `'\n'`, `'é'`, but not of the lifetime `'a`.
fn char_end(bytes: &[u8], quote: usize) -> Option<usize> {
    let mut i = quote + 1;
    if bytes.get(i) == Some(&b'\\') {
        i += 2;
        while bytes.get(i).is_some_and(|b| *b != b'\'') {
            i += 1;
        }
        return Some((i + 1).min(bytes.len()));
    }
    let width = match *bytes.get(i)? {
        b if b < 0x80 => 1,
        b if b >= 0xf0 => 4,
        b if b >= 0xe0 => 3,
        _ => 2,
    };
    (bytes.get(i + width) == Some(&b'\'')).then_some(i + width + 1)
}

/// Returns the end of `r"…"`, `r#"…"#`, `b"…"`, `br"…"`, `c"…"` or `b'x'`, and `None` for an
/// identifier, plain or raw (`r#type`).
fn prefixed_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut i = at;
    let mut raw = false;
    while let Some(byte @ (b'r' | b'b' | b'c')) = bytes.get(i) {
        raw |= *byte == b'r';
        i += 1;
    }
    let hashes = bytes.iter().skip(i).take_while(|b| **b == b'#').count();
    if raw && bytes.get(i + hashes) == Some(&b'"') {
        let mut closing = vec![b'"'];
        closing.extend(std::iter::repeat_n(b'#', hashes));
        let body = i + hashes + 1;
        let found = bytes.get(body..)?.windows(closing.len()).position(|w| w == closing);
        return Some(found.map_or(bytes.len(), |p| body + p + closing.len()));
    }
    match bytes.get(i) {
        Some(b'"') => Some(string_end(bytes, i)),
        Some(b'\'') => char_end(bytes, i),
        _ => None,
    }
}

/// Returns the offset after the brace that closes the one at `open`, in text without literals and
/// comments.
fn matching_brace(code: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// A range of the source, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// Returns every function with a body, in text from [`code_only`].
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let name: String =
            code.get(at + 2..).unwrap_or("").trim_start().chars().take_while(|c| is_word_char(*c)).collect();
        if name.is_empty() {
            continue; // A function pointer type.
        }
        if let Some(open) = body_of(bytes, at) {
            found.push(Function { name, span: Span { from: at, to: matching_brace(bytes, open) } });
        }
    }
    found
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the brace that opens the item starting at `at`, unless a semicolon ends the item first.
fn body_of(code: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (i, byte) in code.iter().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(i),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the offsets of a whole word in text from [`code_only`].
pub(crate) fn words(code: &str, word: &str) -> Vec<usize> {
    let bytes = code.as_bytes();
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(|at| {
            !is_word(previous(bytes, *at)) && !bytes.get(at + word.len()).copied().is_some_and(is_word)
        })
        .collect()
}

/// Returns the items under `#[cfg(test)]` (or `#[cfg(all(test, …))]`), in text from [`code_only`].
pub(crate) fn test_items(code: &str) -> Vec<Span> {
    let bytes = code.as_bytes();
    let mut spans = Vec::new();
    for opening in ["#[cfg(test)]", "#[cfg(all(test"] {
        for (at, _) in code.match_indices(opening) {
            let after = at + opening.len();
            let to = match body_of(bytes, after_attribute(bytes, at)) {
                Some(open) => matching_brace(bytes, open),
                None => find(bytes, after, b';').map_or(bytes.len(), |i| i + 1),
            };
            spans.push(Span { from: at, to });
        }
    }
    spans
}

/// Returns the offset after the attribute whose `#[` is at `at`.
fn after_attribute(code: &[u8], at: usize) -> usize {
    let mut depth = 0i32;
    for (i, byte) in code.iter().enumerate().skip(at) {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// Returns the text with the given ranges blanked.
pub(crate) fn without(code: &str, spans: &[Span]) -> String {
    let mut out = code.as_bytes().to_vec();
    for span in spans {
        blank(&mut out, span.from, span.to);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the one-based line of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_blank_and_nothing_else_is() {
        let check = |source: &str, expect: &str| assert_eq!(code_only(source), expect, "{source}");
        check("a // fn x\nb", "a        \nb");
        check("a /* { /* } */ { */ b", "a                   b");
        check(r#"let s = "}\"{"; x"#, r"let s =       ; x");
        check(r##"let s = r#"a"{"#; x"##, r"let s =         ; x");
        check("let c = '{'; fn f<'a>(x: &'a str) {}", "let c =    ; fn f<'a>(x: &'a str) {}");
        check(r"let c = '\''; y", "let c =     ; y");
        check("b\"{\" r#type", "     r#type");
        check("'é' x", "     x");
    }

    #[test]
    fn functions_are_found_with_their_bodies() {
        let code = code_only(
            "fn a() -> fn(u8) -> u8 { if x { y } else { \"}\" } }\ntrait T { fn b(&self); fn c() {} }",
        );
        let names: Vec<_> =
            functions(&code).into_iter().map(|f| (f.name, line_of(&code, f.span.to - 1))).collect();
        assert_eq!(names, [("a".to_owned(), 1), ("c".to_owned(), 2)]);
    }

    #[test]
    fn test_modules_are_found_whole() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { }\n}\nfn c() {}\n#[cfg(test)]\nuse x::y;\nfn d() {}\n";
        let code = code_only(source);
        let rest = without(&code, &test_items(&code));
        let names: Vec<_> = functions(&rest).into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["a", "c", "d"]);
    }
}
