//! JSON as people write it in configuration files, read with the place of every piece: comments and commas behind the
//! last item are understood. Changes nothing; `json_edit` does.

use std::ops::Range;

use serde_json::Value;

/// How deep lists and objects may nest: configuration is shallow, and reading is recursive.
const DEPTH_MAX: usize = 100;

/// A value with its place in the text.
#[derive(Debug)]
pub(super) struct Node {
    /// From its first byte to behind its last.
    pub(super) span: Range<usize>,
    /// What stands there.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where the key begins, quotes included.
    pub(super) at: usize,
    pub(super) value: Node,
}

/// Where a text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) line: usize,
    pub(super) what: &'static str,
}

impl Node {
    /// The value without its places. Of members of one name the last counts, as for most programs.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => Value::Object(
                members.iter().map(|member| (member.key.clone(), member.value.value())).collect(),
            ),
            Kind::Array(items) => Value::Array(items.iter().map(Node::value).collect()),
            Kind::Scalar(value) => value.clone(),
        }
    }

    /// The places of the items of an object (with their keys) or a list; none of anything else.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.at..member.value.span.end).collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Scalar(_) => Vec::new(),
        }
    }
}

/// Reads a text.
///
/// # Errors
///
/// The line at which it stops to be JSON with comments.
pub(super) fn parse(text: &str) -> Result<Node, Broken> {
    let mut reader = Reader { text, at: 0 };
    let outcome = reader.skip().and_then(|()| reader.value(0)).and_then(|node| {
        reader.skip()?;
        if reader.at < text.len() { Err("something follows the end of the value") } else { Ok(node) }
    });
    outcome.map_err(|what| {
        let before = text.get(..reader.at).unwrap_or(text);
        Broken { line: before.matches('\n').count() + 1, what }
    })
}

/// The first place at or behind `at` that is neither white space nor comment; the end of the text if none is.
pub(super) fn after_trivia(text: &str, at: usize) -> usize {
    let mut reader = Reader { text, at };
    // A comment without an end goes to the end.
    if reader.skip().is_err() { text.len() } else { reader.at }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = Result<T, &'static str>;

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip(&mut self) -> Read<()> {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = rest.get(spaces..).unwrap_or_default();
            self.at += spaces;
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or("a comment has no end")?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Read<Node> {
        if depth > DEPTH_MAX {
            return Err("it nests too deep");
        }
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('{') => Kind::Object(self.object(depth)?),
            Some('[') => Kind::Array(self.array(depth)?),
            Some('"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => Kind::Scalar(self.bare()?),
            None => return Err("it ends where a value is missing"),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Read<Vec<Member>> {
        self.takes('{');
        let mut members = Vec::new();
        loop {
            self.skip()?;
            if self.takes('}') {
                return Ok(members);
            }
            let at = self.at;
            if !self.rest().starts_with('"') {
                return Err("a name in quotes, or }, is missing");
            }
            let key = self.string()?;
            self.skip()?;
            if !self.takes(':') {
                return Err("a colon is missing");
            }
            self.skip()?;
            members.push(Member { key, at, value: self.value(depth + 1)? });
            self.separator('}')?;
        }
    }

    fn array(&mut self, depth: usize) -> Read<Vec<Node>> {
        self.takes('[');
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.takes(']') {
                return Ok(items);
            }
            items.push(self.value(depth + 1)?);
            self.separator(']')?;
        }
    }

    fn separator(&mut self, end: char) -> Read<()> {
        self.skip()?;
        if self.takes(',') || self.rest().starts_with(end) {
            return Ok(());
        }
        Err("a comma is missing, or the end of what was begun")
    }

    fn string(&mut self) -> Read<String> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else { return Err("a text in quotes has no end") };
        let quoted = rest.get(..=end).unwrap_or_default();
        let text = loci_json::from_str(quoted).map_err(|_| "a text in quotes is not valid")?;
        self.at += quoted.len();
        Ok(text)
    }

    fn bare(&mut self) -> Read<Value> {
        let is_end =
            |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '/' | '"' | '{' | '[');
        let rest = self.rest();
        let word = rest.get(..rest.find(is_end).unwrap_or(rest.len())).unwrap_or_default();
        let value = serde_json::from_str(word).map_err(|_| "this is no value")?;
        self.at += word.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_programs_read_is_read_and_comments_too() {
        let check = |text: &str, expect: Value| assert_eq!(parse(text).unwrap().value(), expect, "{text}");
        check("{}", json!({}));
        check(" [1, -2.5, true, null, \"a\\\"\\u00e4\"] ", json!([1, -2.5, true, null, "a\"ä"]));
        check("// a\n{ /* b */ \"x\" : // c\r\n 1, }\n//", json!({ "x": 1 }));
        check("{\"a\":{\"b\":[{}]},\"a/*\":\"//\"}", json!({ "a": { "b": [{}] }, "a/*": "//" }));
    }

    #[test]
    fn places_are_those_of_the_pieces() {
        let text = "{ \"a\": [1, {\"b\": null}] }";
        let root = parse(text).unwrap();
        let spelled: Vec<_> = root.items().into_iter().map(|span| text.get(span).unwrap()).collect();
        assert_eq!(spelled, ["\"a\": [1, {\"b\": null}]"]);
        let Kind::Object(members) = &root.kind else { panic!("an object") };
        let spelled: Vec<_> =
            members[0].value.items().into_iter().map(|span| text.get(span).unwrap()).collect();
        assert_eq!(spelled, ["1", "{\"b\": null}"]);
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        let check = |text: &str, line: usize, what: &str| {
            let broken = parse(text).unwrap_err();
            assert!(broken.line == line && broken.what.contains(what), "{text}: {broken:?}");
        };
        check("", 1, "value is missing");
        check("{\n\"a\": 1\n\"b\": 2}", 3, "comma");
        check("{\n\"a\" 1}", 2, "colon");
        check("{a: 1}", 1, "name in quotes");
        check("[1, nul]", 1, "no value");
        check("{}\n{}", 2, "follows");
        check("[\"a", 1, "no end");
        check("[\"a\nb\"]", 1, "not valid");
        check("{ /* a", 1, "comment");
        check("[,]", 1, "no value");
        check(&"[".repeat(500), 1, "deep");
    }
}
