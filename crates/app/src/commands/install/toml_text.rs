//! The lines of a TOML text: which headers and pairs stand where. Only as much of the grammar as it takes to find them;
//! whether the text is TOML is for the parser to say, before and after every change.

use std::ops::Range;

/// A line `[a.b]` or `[[a.b]]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The names, without quotes.
    pub(super) path: Vec<String>,
    /// The line, its end included.
    pub(super) line: Range<usize>,
}

/// A pair `name = value` with a name of one part; over several lines where the value is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// The header it stands under: an index; nothing for those above the first.
    pub(super) header: Option<usize>,
    /// The names, without quotes.
    pub(super) path: Vec<String>,
    /// Its lines, the last end included.
    pub(super) lines: Range<usize>,
    /// The value, without what stands around it.
    pub(super) value: Range<usize>,
}

/// What stands in a text, in its order.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) headers: Vec<Header>,
    pub(super) pairs: Vec<Pair>,
}

/// Reads a text that a parser has found to be TOML.
pub(super) fn lines(text: &str) -> Lines {
    let mut found = Lines::default();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let line = rest.get(..rest.find('\n').map_or(rest.len(), |end| end + 1)).unwrap_or_default();
        let begins = line.trim_start_matches([' ', '\t']);
        if begins.trim().is_empty() || begins.starts_with('#') {
            at += line.len();
        } else if begins.starts_with('[') {
            let inner = begins.trim_start_matches('[');
            let path = names(inner.get(..end_of(inner, &[']'])).unwrap_or_default());
            found.headers.push(Header { path, line: at..at + line.len() });
            at += line.len();
        } else {
            let equals = end_of(line, &['=']);
            let path = names(line.get(..equals).unwrap_or_default());
            let value = value_at(text, at + equals + 1);
            let tail = text.get(value.end..).unwrap_or_default();
            let end = value.end + tail.find('\n').map_or(tail.len(), |end| end + 1);
            let header = found.headers.len().checked_sub(1);
            found.pairs.push(Pair { header, path, lines: at..end, value });
            at = end.max(at + 1);
        }
    }
    found
}

/// Where one of these stands outside of quotes; the end where none does.
fn end_of(text: &str, wanted: &[char]) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if wanted.contains(&c) => return at,
            None => {}
        }
    }
    text.len()
}

/// The parts of a dotted name.
fn names(dotted: &str) -> Vec<String> {
    let mut rest = dotted;
    let mut parts = Vec::new();
    loop {
        let end = end_of(rest, &['.']);
        let part = rest.get(..end).unwrap_or_default().trim();
        let unquoted = match part.chars().next() {
            Some('"') => serde_json::from_str(part).unwrap_or_else(|_| part.to_owned()),
            Some('\'') => part.trim_matches('\'').to_owned(),
            Some(_) | None => part.to_owned(),
        };
        parts.push(unquoted);
        match rest.get(end + 1..) {
            Some(next) => rest = next,
            None => return parts,
        }
    }
}

/// The value that begins behind an equals sign: to the end of its line, or of its texts, lists and tables.
fn value_at(text: &str, from: usize) -> Range<usize> {
    let start =
        from + text.get(from..).map_or(0, |rest| rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let mut at = start;
    let mut depth = 0_usize;
    let mut end = start;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let c = rest.chars().next().unwrap_or_default();
        let step = match c {
            '"' | '\'' => quoted_len(rest, c),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        match c {
            '\n' if depth == 0 => break,
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += step;
        if !c.is_whitespace() && c != '#' {
            end = at;
        }
    }
    start..end
}

/// How long the text in quotes is that begins here, quotes included.
fn quoted_len(rest: &str, quote: char) -> usize {
    let three = [quote; 3].iter().collect::<String>();
    let (open, close) = if rest.starts_with(&three) { (3, three) } else { (1, quote.to_string()) };
    let mut at = open;
    while let Some(next) = rest.get(at..).filter(|next| !next.is_empty()) {
        if next.starts_with(&close) {
            // Up to two more quotes belong to a text in three.
            let more = if open == 3 {
                next.get(3..).unwrap_or_default().chars().take_while(|c| *c == quote).count()
            } else {
                0
            };
            return at + close.len() + more.min(2);
        }
        let mut chars = next.chars();
        let c = chars.next().unwrap_or_default();
        at += c.len_utf8();
        if c == '\\' && quote == '"' {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_pairs_are_found_where_they_stand() {
        let text = "# a\nmodel = \"x\" # [no]\nn = [\n  1, # ]\n  2,\n]\n\n[ a . \"b.c\" ] # t\nt = '''\n[no]\n'''\n\
                    u = \"\"\"a\\\"\"\"\"\"\n[[l]]\nx.y = { z = \"]\" }\r\n";
        assert!(text.parse::<toml::Table>().is_ok());
        let found = lines(text);
        let headers: Vec<_> = found.headers.iter().map(|header| header.path.join("|")).collect();
        assert_eq!(headers, ["a|b.c", "l"]);
        let pairs: Vec<_> = found
            .pairs
            .iter()
            .map(|pair| (pair.header, pair.path.join("|"), text.get(pair.value.clone()).unwrap()))
            .collect();
        let expect = [
            (None, "model", "\"x\""),
            (None, "n", "[\n  1, # ]\n  2,\n]"),
            (Some(0), "t", "'''\n[no]\n'''"),
            (Some(0), "u", "\"\"\"a\\\"\"\"\"\""),
            (Some(1), "x|y", "{ z = \"]\" }"),
        ];
        assert_eq!(pairs, expect.map(|(header, path, value)| (header, path.to_owned(), value)));
    }

    #[test]
    fn lines_reach_to_their_ends() {
        let text = "a = 1 # c\n  b = [\n]\n[x]\nc = 2";
        let found = lines(text);
        let spelled: Vec<_> = found.pairs.iter().map(|pair| text.get(pair.lines.clone()).unwrap()).collect();
        assert_eq!(spelled, ["a = 1 # c\n", "  b = [\n]\n", "c = 2"]);
        assert_eq!(text.get(found.headers[0].line.clone()), Some("[x]\n"));
    }
}
