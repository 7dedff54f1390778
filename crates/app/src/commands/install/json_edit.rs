//! Changes one place of a JSON text and leaves every other byte as it is: comments, order, indentation, commas behind
//! last items. Knows nothing of servers or clients.

use std::ops::Range;

use serde_json::Value;

use super::json_text::{self, Kind, Node, after_trivia};

/// A step on the way to a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Why a place cannot be changed; to be said of the file.
pub(super) type Refused = String;

/// What stands at a place, and whether the way to it exists.
///
/// # Errors
///
/// The text is no JSON, or something on the way is no object or list.
pub(super) fn get(text: &str, way: &[Step<'_>]) -> Result<Option<Value>, Refused> {
    let root = read(text)?;
    Ok(find(&root, way)?.map(Node::value))
}

/// Puts a value at a place; objects on the way that are missing are made. An index must exist, or be the one behind the
/// last.
///
/// # Errors
///
/// As for [`get`].
pub(super) fn set(text: &str, way: &[Step<'_>], value: &Value) -> Result<String, Refused> {
    let root = read(text)?;
    let mut node = &root;
    for (depth, step) in way.iter().enumerate() {
        let Some(next) = child(node, *step, way, depth)? else {
            let rest = way.get(depth + 1..).unwrap_or_default();
            return Ok(insert(text, node, *step, &nested(rest, value)));
        };
        node = next;
    }
    if node.value() == *value {
        return Ok(text.to_owned());
    }
    let margin = indentation(text, node.span.start);
    let on_one_line = !root.items().is_empty() && !span(text, &root.span).contains('\n');
    let spelled =
        if on_one_line { compact(value) } else { pretty(value, margin, &unit(text, &root), newline(text)) };
    Ok(replaced(text, node.span.clone(), &spelled))
}

/// Takes out what stands at a place, with its comma and its line. Nothing happens where nothing is.
///
/// # Errors
///
/// As for [`get`].
pub(super) fn remove(text: &str, way: &[Step<'_>]) -> Result<String, Refused> {
    let root = read(text)?;
    let Some((last, parents)) = way.split_last() else { return Ok(text.to_owned()) };
    let Some(container) = find(&root, parents)? else { return Ok(text.to_owned()) };
    let index = match (&container.kind, last) {
        (Kind::Object(members), Step::Key(key)) => members.iter().position(|member| member.key == *key),
        (Kind::Array(items), Step::Index(index)) => Some(*index).filter(|index| *index < items.len()),
        (Kind::Object(_) | Kind::Array(_) | Kind::Scalar(_), _) => None,
    };
    Ok(index.map_or_else(|| text.to_owned(), |index| without(text, container, index)))
}

/// Takes out what [`remove`] would, and then every object and list on the way that is empty by that.
///
/// # Errors
///
/// As for [`get`].
pub(super) fn remove_with_empty(text: &str, way: &[Step<'_>]) -> Result<String, Refused> {
    let mut text = remove(text, way)?;
    let mut way = way;
    while let Some((_, parents)) = way.split_last().filter(|(_, parents)| !parents.is_empty()) {
        let root = read(&text)?;
        let is_empty = find(&root, parents)?
            .is_some_and(|node| node.items().is_empty() && matches!(span(&text, &node.span), "{}" | "[]"));
        if !is_empty {
            break;
        }
        text = remove(&text, parents)?;
        way = parents;
    }
    Ok(text)
}

fn read(text: &str) -> Result<Node, Refused> {
    json_text::parse(text).map_err(|broken| format!("line {} is no JSON: {}", broken.line, broken.what))
}

fn find<'n>(root: &'n Node, way: &[Step<'_>]) -> Result<Option<&'n Node>, Refused> {
    let mut node = root;
    for (depth, step) in way.iter().enumerate() {
        match child(node, *step, way, depth)? {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn child<'n>(
    node: &'n Node,
    step: Step<'_>,
    way: &[Step<'_>],
    depth: usize,
) -> Result<Option<&'n Node>, Refused> {
    let place = || {
        let names = way.iter().take(depth).map(|step| match step {
            Step::Key(key) => (*key).to_owned(),
            Step::Index(index) => index.to_string(),
        });
        names.collect::<Vec<_>>().join(".")
    };
    match (&node.kind, step) {
        (Kind::Object(members), Step::Key(key)) => {
            let mut named = members.iter().filter(|member| member.key == key);
            let first = named.next();
            if named.next().is_some() {
                return Err(format!("`{key}` is there twice: take one out"));
            }
            Ok(first.map(|member| &member.value))
        }
        (Kind::Array(items), Step::Index(index)) => Ok(items.get(index)),
        (_, Step::Key(_)) if depth == 0 => Err("it is no JSON object".to_owned()),
        (_, Step::Key(_)) => Err(format!("`{}` is no object", place())),
        (_, Step::Index(_)) => Err(format!("`{}` is no list", place())),
    }
}

fn nested(way: &[Step<'_>], value: &Value) -> Value {
    way.iter().rev().fold(value.clone(), |inner, step| match step {
        Step::Key(key) => Value::Object([((*key).to_owned(), inner)].into_iter().collect()),
        Step::Index(_) => Value::Array(vec![inner]),
    })
}

fn insert(text: &str, container: &Node, step: Step<'_>, value: &Value) -> String {
    let newline = newline(text);
    let close = container.span.end.saturating_sub(1);
    let body = (container.span.start + 1)..close;
    let items = container.items();
    let label = match step {
        Step::Key(key) => format!("{}: ", Value::from(key)),
        Step::Index(_) => String::new(),
    };
    let Ok(root) = json_text::parse(text) else { return text.to_owned() };
    let unit = unit(text, &root);
    let body_text = span(text, &body);
    let Some(last) = items.last() else {
        let base = indentation(text, container.span.start);
        let margin = format!("{base}{unit}");
        let spelled = format!("{newline}{margin}{label}{}", pretty(value, &margin, &unit, newline));
        if body_text.trim().is_empty() {
            return replaced(text, body, &format!("{spelled}{newline}{base}"));
        }
        // Comments only.
        let end = body.start + body_text.trim_end().len();
        if !span(text, &(end..close)).contains('\n') {
            return replaced(text, end..close, &format!("{spelled}{newline}{base}"));
        }
        return replaced(text, end..end, &spelled);
    };
    let comma =
        Some(after_trivia(text, last.end)).filter(|at| text.get(*at..).unwrap_or_default().starts_with(','));
    if !body_text.contains('\n') {
        let at = comma.map_or(last.end, |at| at + 1);
        let before = if comma.is_some() { " " } else { ", " };
        return replaced(text, at..at, &format!("{before}{label}{}", compact(value)));
    }
    let margin = items
        .iter()
        .find_map(|item| margin_of_first(text, item.start))
        .map_or_else(|| format!("{}{unit}", indentation(text, container.span.start)), str::to_owned);
    let end = body.start + body_text.trim_end().len();
    let after = if comma.is_some() { "," } else { "" };
    let item = format!("{newline}{margin}{label}{}{after}", pretty(value, &margin, &unit, newline));
    let text = replaced(text, end..end, &item);
    if comma.is_some() { text } else { replaced(&text, last.end..last.end, ",") }
}

fn without(text: &str, container: &Node, index: usize) -> String {
    let items = container.items();
    let Some(item) = items.get(index).cloned() else { return text.to_owned() };
    let next = after_trivia(text, item.end);
    let has_comma = text.get(next..).unwrap_or_default().starts_with(',');
    let cut = if has_comma {
        let end = next + 1;
        whole_line(text, item.start..end).unwrap_or_else(|| {
            let rest = text.get(end..).unwrap_or_default();
            item.start..end + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
        })
    } else if let Some(before) = index.checked_sub(1).and_then(|before| items.get(before)) {
        let between = span(text, &(before.end..item.start));
        if between.trim() == "," {
            before.end..item.end
        } else {
            // Comments stand between: they stay, and the comma goes.
            let comma = after_trivia(text, before.end);
            let cut = whole_line(text, item.clone()).unwrap_or(item);
            return replaced(&replaced(text, cut, ""), comma..comma + 1, "");
        }
    } else {
        whole_line(text, item.clone()).unwrap_or(item)
    };
    let is_last = items.len() == 1;
    let text = replaced(text, cut.clone(), "");
    let body = (container.span.start + 1)..container.span.end.saturating_sub(1 + cut.len());
    if is_last && span(&text, &body).trim().is_empty() { replaced(&text, body, "") } else { text }
}

/// The lines of a piece that stands alone on them.
fn whole_line(text: &str, piece: Range<usize>) -> Option<Range<usize>> {
    let margin = margin_of_first(text, piece.start)?;
    let rest = text.get(piece.end..)?;
    let end = rest.find('\n').map(|at| at + 1)?;
    let tail = rest.get(..end)?;
    tail.trim().is_empty().then(|| piece.start - margin.len()..piece.end + end)
}

/// What stands before a piece on its line, where that is white space only.
fn margin_of_first(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next()?;
    (line.trim().is_empty() && before.len() > line.len()).then_some(line)
}

/// The white space that the line of a place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// What one level is indented by: as the first member of the text is; two spaces where none tells.
fn unit(text: &str, root: &Node) -> String {
    let first =
        root.items().first().and_then(|item| margin_of_first(text, item.start)).filter(|m| !m.is_empty());
    first.unwrap_or("  ").to_owned()
}

/// The line end that the text uses.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n').and_then(|at| at.checked_sub(1)).and_then(|at| text.as_bytes().get(at)) {
        Some(b'\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// A value over several lines, the first without a margin; lists of plain values stay on one.
fn pretty(value: &Value, margin: &str, unit: &str, newline: &str) -> String {
    let inner = format!("{margin}{unit}");
    let block = |open: char, lines: Vec<String>, close: char| {
        let lines = lines.join(&format!(",{newline}{inner}"));
        format!("{open}{newline}{inner}{lines}{newline}{margin}{close}")
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let line = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), pretty(value, &inner, unit, newline))
            };
            block('{', members.iter().map(line).collect(), '}')
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            block('[', items.iter().map(|item| pretty(item, &inner, unit, newline)).collect(), ']')
        }
        Value::Object(_)
        | Value::Array(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_) => compact(value),
    }
}

/// A value on one line.
fn compact(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), compact(value))
            };
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(compact).collect())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn span<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

fn replaced(text: &str, range: Range<usize>, with: &str) -> String {
    let (before, after) =
        (text.get(..range.start).unwrap_or(text), text.get(range.end..).unwrap_or_default());
    [before, with, after].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Step::{Index, Key};
    use super::*;

    #[test]
    fn a_value_is_put_where_it_belongs_and_nothing_else_moves() {
        let check = |text: &str, way: &[Step<'_>], value: Value, expect: &str| {
            let changed = set(text, way, &value).unwrap();
            assert_eq!(changed, expect, "{text}");
            assert_eq!(get(&changed, way).unwrap(), Some(value.clone()), "{text}");
            assert_eq!(set(&changed, way, &value).unwrap(), changed, "twice: {text}");
        };
        let ab = [Key("a"), Key("b")];
        check("{}", &ab, json!(1), "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
        check("{}\n", &[Key("a")], json!(["x", 1]), "{\n  \"a\": [\"x\", 1]\n}\n");
        check("{\"z\":1}", &ab, json!(1), "{\"z\":1, \"a\": {\"b\": 1}}");
        check("{\"z\":1,}", &[Key("a")], json!(1), "{\"z\":1, \"a\": 1}");
        check("{\n\t\"z\": 1\n}\n", &ab, json!(1), "{\n\t\"z\": 1,\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n");
        check(
            "{\r\n \"z\": 1,\r\n}\r\n",
            &ab,
            json!(1),
            "{\r\n \"z\": 1,\r\n \"a\": {\r\n  \"b\": 1\r\n },\r\n}\r\n",
        );
        check(
            "{\n  \"z\": 1 // one\n  // end\n}",
            &[Key("a")],
            json!(2),
            "{\n  \"z\": 1, // one\n  // end\n  \"a\": 2\n}",
        );
        check("{\n  // none yet\n}", &[Key("a")], json!(2), "{\n  // none yet\n  \"a\": 2\n}");
        check("{ /* none */ }", &[Key("a")], json!(2), "{ /* none */\n  \"a\": 2\n}");
        check("{\n  \"a\": {}\n}", &ab, json!({}), "{\n  \"a\": {\n    \"b\": {}\n  }\n}");
        check(
            "{\n  \"a\": {\"b\": 1}, // c\n}",
            &ab,
            json!({"x": 2}),
            "{\n  \"a\": {\"b\": {\n    \"x\": 2\n  }}, // c\n}",
        );
        check(
            "{\n  \"a\": [\n    {}\n  ]\n}",
            &[Key("a"), Index(1)],
            json!({"b": 1}),
            "{\n  \"a\": [\n    {},\n    {\n      \"b\": 1\n    }\n  ]\n}",
        );
        check("{ \"z\": 1,\n  \"y\": 2 }", &[Key("a")], json!(3), "{ \"z\": 1,\n  \"y\": 2,\n  \"a\": 3 }");
    }

    #[test]
    fn what_is_taken_out_leaves_valid_text_and_every_comment() {
        let check = |text: &str, way: &[Step<'_>], expect: &str| {
            let changed = remove(text, way).unwrap();
            assert_eq!(changed, expect, "{text}");
            assert_eq!(
                get(&changed, way).unwrap().filter(|_| matches!(way.last(), Some(Key(_)))),
                None,
                "{text}"
            );
        };
        check("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &[Key("a")], "{\n  \"b\": 2\n}\n");
        check("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &[Key("b")], "{\n  \"a\": 1\n}\n");
        check("{\n  \"a\": 1,\n  \"b\": 2,\n}\n", &[Key("b")], "{\n  \"a\": 1,\n}\n");
        check("{\n  \"a\": 1\n}\n", &[Key("a")], "{}\n");
        check("{\n  // all\n  \"a\": 1\n}\n", &[Key("a")], "{\n  // all\n}\n");
        check(
            "{\n  \"a\": 1, // one\n  // two\n  \"b\": 2 // end\n}",
            &[Key("b")],
            "{\n  \"a\": 1 // one\n  // two\n   // end\n}",
        );
        check("{\"a\": 1, \"b\": 2, \"c\": 3}", &[Key("b")], "{\"a\": 1, \"c\": 3}");
        check("{\"a\": [1, 2, 3]}", &[Key("a"), Index(2)], "{\"a\": [1, 2]}");
        check("{\"a\": 1}", &[Key("b")], "{\"a\": 1}");
        check("{\"a\": 1}", &[Key("b"), Key("c")], "{\"a\": 1}");
    }

    #[test]
    fn what_is_empty_by_that_goes_too() {
        let check = |text: &str, way: &[Step<'_>], expect: &str| {
            assert_eq!(remove_with_empty(text, way).unwrap(), expect, "{text}");
        };
        let way = [Key("a"), Key("b"), Index(0)];
        check("{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  },\n  \"c\": 1\n}", &way, "{\n  \"c\": 1\n}");
        check("{\"a\": {\"b\": [1], \"d\": 2}}", &way, "{\"a\": {\"d\": 2}}");
        check("{\"a\": {\"b\": [1]}}", &way, "{}");
        check("{\"a\": {\"b\": [1, 2]}}", &way, "{\"a\": {\"b\": [2]}}");
        check("{\"a\": {\n// kept\n\"b\": [1]}}", &way, "{\"a\": {\n// kept\n}}");
    }

    #[test]
    fn a_way_through_something_else_is_refused() {
        let check = |text: &str, expect: &str| {
            let said = set(text, &[Key("a"), Key("b"), Index(0)], &json!(1)).unwrap_err();
            assert!(said.contains(expect), "{text}: {said}");
        };
        check("[]", "no JSON object");
        check("{\"a\": []}", "`a` is no object");
        check("{\"a\": {\"b\": {}}}", "`a.b` is no list");
        check("{\"a\": {}, \"a\": {}}", "twice");
        check("{\n\"a\" {}}", "line 2 is no JSON");
    }

    /// Texts with comments, commas and line ends of every kind, from a seed.
    struct Texts(u64);

    impl Texts {
        fn next(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % below
        }

        fn gap(&mut self) -> &'static str {
            ["", "", " ", "\n", "\r\n\t", "\n  ", " // }c,\n", "/* ], \" */"][self.next(8)]
        }

        fn value(&mut self, depth: usize) -> String {
            let plain = ["1", "-2.5", "true", "null", "\"a\\\"}\"", "\"\"", "{}", "[]"];
            if depth == 0 {
                return plain[self.next(plain.len())].to_owned();
            }
            let is_object = self.next(3) > 0;
            let count = self.next(4);
            let mut body = String::new();
            for index in 0..count {
                let key = if is_object {
                    format!("\"{}\"{}:{}", ["a", "b", "c", "d"][index], self.gap(), self.gap())
                } else {
                    String::new()
                };
                let depth = self.next(depth);
                body += &[self.gap(), &key, &self.value(depth), self.gap()].concat();
                if index + 1 < count || self.next(3) == 0 {
                    body.push(',');
                }
            }
            let (open, close) = if is_object { ("{", "}") } else { ("[", "]") };
            [open, &body, self.gap(), close].concat()
        }
    }

    fn removed(value: &mut Value, way: &[Step<'_>]) {
        match (value, way) {
            (Value::Object(members), [Key(key)]) => drop(members.shift_remove(*key)),
            (Value::Array(items), [Index(index)]) if *index < items.len() => drop(items.remove(*index)),
            (Value::Object(members), [Key(key), rest @ ..]) => {
                if let Some(inner) = members.get_mut(*key) {
                    removed(inner, rest);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn whatever_the_text_only_the_place_changes() {
        let ways: [&[Step<'_>]; 6] = [
            &[Key("a")],
            &[Key("b"), Key("a")],
            &[Key("b"), Key("c"), Key("d")],
            &[Key("a"), Index(0)],
            &[Key("c"), Index(1)],
            &[Key("d")],
        ];
        let mut texts = Texts(7);
        let (mut set_count, mut removed_count) = (0, 0);
        for _ in 0..4_000 {
            let text = [texts.gap(), &texts.value(3), texts.gap()].concat();
            let was = get(&text, &[]).unwrap().unwrap();
            let way = ways[texts.next(ways.len())];
            let value = json!({ "x": ["y", { "z": 1 }] });
            // Behind the end of a list nothing can be put.
            let is_behind = matches!(way.last(), Some(Index(1)));
            if let Some(changed) = set(&text, way, &value).ok().filter(|_| !is_behind) {
                assert_eq!(get(&changed, way).unwrap(), Some(value), "{text:?}\n{changed:?}");
                if get(&text, way).unwrap().is_none() {
                    // What is put where nothing was can be taken out again; what was made on the way to it stays.
                    let mut back = get(&remove(&changed, way).unwrap(), &[]).unwrap().unwrap();
                    if get(&text, &way[..way.len() - 1]).unwrap().is_none() {
                        removed(&mut back, &way[..1]);
                    }
                    let mut expect = was.clone();
                    if get(&text, &way[..way.len() - 1]).unwrap().is_none() {
                        removed(&mut expect, &way[..1]);
                    }
                    assert_eq!(back, expect, "{text:?}\n{changed:?}");
                }
                set_count += 1;
            }
            if let Ok(changed) = remove(&text, way) {
                let mut expect = was;
                removed(&mut expect, way);
                assert_eq!(get(&changed, &[]).unwrap(), Some(expect), "{text:?}\n{changed:?}");
                removed_count += 1;
            }
        }
        assert!(set_count > 1_000 && removed_count > 1_000, "{set_count} {removed_count}");
    }
}
