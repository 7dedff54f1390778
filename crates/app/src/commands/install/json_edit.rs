//! Changes one place of a JSON text and keeps the rest: comments, order, indentation, trailing
//! commas. The syntax tree is that of `jsonc-parser` (decision 0253). This module knows nothing
//! about servers or clients.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstRootNode};
use serde_json::Value;

/// JSON with comments and trailing commas, as clients read it.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A step of the path to a place in a JSON file.
#[derive(Debug, Clone, Copy)]
pub(super) enum JsonPathStep<'a> {
    Key(&'a str),
    Index(usize),
    /// The position after the last item of a list.
    End,
}

/// The reason why a place cannot be changed, for an error about the file.
pub(super) type EditRefusal = String;

/// Returns the value at a place, or `None` if the path does not exist.
///
/// # Errors
///
/// The text is not JSON, or a step of the path is not an object or list.
pub(super) fn get(text: &str, way: &[JsonPathStep<'_>]) -> Result<Option<Value>, EditRefusal> {
    let mut node = read(text)?.value();
    for depth in 0..way.len() {
        let Some(container) = node else { return Ok(None) };
        node = entry(&container, way, depth)?.and_then(value_of);
    }
    Ok(node.and_then(|node| node.to_serde_value()))
}

/// Sets the value at a place, whose last step is not an index. Missing objects and lists on the
/// path are created.
///
/// # Errors
///
/// See [`get`].
pub(super) fn set(text: &str, way: &[JsonPathStep<'_>], value: &Value) -> Result<String, EditRefusal> {
    let root = read(text)?;
    let mut node: CstNode = root.object_value_or_create().ok_or_else(no_object)?.into();
    for (depth, step) in way.iter().enumerate() {
        let rest = way.get(depth + 1..).unwrap_or_default();
        match entry(&node, way, depth)? {
            None => {
                let made = input(&nested(rest, value));
                match (step, node.as_object(), node.as_array()) {
                    (JsonPathStep::Key(key), Some(object), _) => drop(object.append(key, made)),
                    (JsonPathStep::Index(_) | JsonPathStep::End, _, Some(list)) => drop(list.append(made)),
                    _ => {}
                }
                break;
            }
            Some(found) => {
                if let Some(member) = found.as_object_prop().filter(|_| rest.is_empty())
                    && member.to_serde_value().as_ref() != Some(value)
                {
                    member.set_value(input(value));
                }
                node = value_of(found).ok_or_else(no_object)?;
            }
        }
    }
    Ok(root.to_string())
}

/// Removes the value at a place with its comma and its line, and then each object and list on the
/// path that becomes empty. Does nothing if there is no value.
///
/// # Errors
///
/// See [`get`].
pub(super) fn remove(text: &str, way: &[JsonPathStep<'_>]) -> Result<String, EditRefusal> {
    let root = read(text)?;
    let mut node = root.value();
    let mut found = None;
    for depth in 0..way.len() {
        let Some(container) = node else { return Ok(text.to_owned()) };
        found = entry(&container, way, depth)?;
        node = found.clone().and_then(value_of);
    }
    while let Some(gone) = found {
        let container = gone.parent().filter(|container| !container.is_root());
        gone.remove();
        let empty = container.filter(|container| matches!(container.to_string().as_str(), "{}" | "[]"));
        found = empty.and_then(|empty| match empty.parent()? {
            member @ CstContainerNode::ObjectProp(_) => Some(member.into()),
            CstContainerNode::Array(_) => Some(empty.into()),
            CstContainerNode::Object(_) | CstContainerNode::Root(_) => None,
        });
    }
    Ok(root.to_string())
}

fn read(text: &str) -> Result<CstRootNode, EditRefusal> {
    CstRootNode::parse(text, &OPTIONS)
        .map_err(|error| format!("line {} is no JSON: {}", error.line_display(), error.kind()))
}

fn no_object() -> EditRefusal {
    "it is no JSON object".to_owned()
}

/// Returns the member or item of a step.
fn entry(
    container: &CstNode,
    way: &[JsonPathStep<'_>],
    depth: usize,
) -> Result<Option<CstNode>, EditRefusal> {
    let Some(step) = way.get(depth) else { return Ok(None) };
    let place = || {
        let names = way.iter().take(depth).map(|step| match step {
            JsonPathStep::Key(key) => (*key).to_owned(),
            JsonPathStep::Index(index) => index.to_string(),
            JsonPathStep::End => String::new(),
        });
        names.collect::<Vec<_>>().join(".")
    };
    match (step, container.as_object(), container.as_array()) {
        (JsonPathStep::Key(key), Some(object), _) => {
            let is_named = |name: Option<String>| name.as_deref() == Some(*key);
            let mut named = object.properties().into_iter().filter(|member| is_named(member.decoded_name()));
            let first = named.next();
            if named.next().is_some() {
                return Err(format!("`{key}` is there twice: take one out"));
            }
            Ok(first.map(CstNode::from))
        }
        (JsonPathStep::Index(index), _, Some(list)) => Ok(list.elements().get(*index).cloned()),
        (JsonPathStep::End, _, Some(_)) => Ok(None),
        (JsonPathStep::Key(_), ..) if depth == 0 => Err(no_object()),
        (JsonPathStep::Key(_), ..) => Err(format!("`{}` is no object", place())),
        (JsonPathStep::Index(_) | JsonPathStep::End, ..) => Err(format!("`{}` is no list", place())),
    }
}

/// Returns the value of a member. An item is its own value.
fn value_of(entry: CstNode) -> Option<CstNode> {
    match entry.as_object_prop() {
        Some(member) => member.value(),
        None => Some(entry),
    }
}

fn nested(way: &[JsonPathStep<'_>], value: &Value) -> Value {
    way.iter().rev().fold(value.clone(), |inner, step| match step {
        JsonPathStep::Key(key) => Value::Object([((*key).to_owned(), inner)].into_iter().collect()),
        JsonPathStep::Index(_) | JsonPathStep::End => Value::Array(vec![inner]),
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::JsonPathStep::{End, Index, Key};
    use super::*;

    #[test]
    fn a_value_is_put_where_it_belongs_and_nothing_else_moves() {
        let check = |text: &str, way: &[JsonPathStep<'_>], value: Value, expect: &str| {
            let changed = set(text, way, &value).unwrap();
            assert_eq!(changed, expect, "{text}");
            assert_eq!(get(&changed, way).unwrap(), Some(value.clone()), "{text}");
            assert_eq!(set(&changed, way, &value).unwrap(), changed, "twice: {text}");
        };
        let ab = [Key("a"), Key("b")];
        check("{}", &ab, json!(1), "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
        check("{}\n", &[Key("a")], json!(["x", 1]), "{\n  \"a\": [\"x\", 1]\n}\n");
        check("{\"z\":1}", &ab, json!(1), "{\n  \"z\":1,\n  \"a\": {\n    \"b\": 1\n  }\n}");
        check("{\"z\":1,}", &[Key("a")], json!(1), "{\n  \"z\":1,\n  \"a\": 1,\n}");
        check("{\n\t\"z\": 1\n}\n", &ab, json!(1), "{\n\t\"z\": 1,\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n");
        check(
            "{\r\n \"z\": 1,\r\n}\r\n",
            &ab,
            json!(1),
            "{\r\n \"z\": 1,\r\n \"a\": {\r\n  \"b\": 1,\r\n },\r\n}\r\n",
        );
        check(
            "{\n  \"z\": 1 // one\n  // end\n}",
            &[Key("a")],
            json!(2),
            "{\n  \"z\": 1, // one\n  \"a\": 2\n  // end\n}",
        );
        check("{\n  // none yet\n}", &[Key("a")], json!(2), "{\n  // none yet\n  \"a\": 2\n}");
        check("{ /* none */ }", &[Key("a")], json!(2), "{\n  /* none */\n  \"a\": 2\n}");
        check("{\n  \"a\": {}\n}", &ab, json!({}), "{\n  \"a\": {\n    \"b\": {}\n  }\n}");
        check(
            "{\n  \"a\": {\"b\": 1}, // c\n}",
            &ab,
            json!({"x": 2}),
            "{\n  \"a\": {\"b\": {\n      \"x\": 2\n    }}, // c\n}",
        );
        check("{ \"z\": 1,\n  \"y\": 2 }", &[Key("a")], json!(3), "{ \"z\": 1,\n  \"y\": 2,\n  \"a\": 3 }");
    }

    #[test]
    fn an_item_is_put_behind_the_last() {
        let check = |text: &str, value: Value, expect: &str| {
            assert_eq!(set(text, &[Key("a"), End], &value).unwrap(), expect, "{text}");
        };
        let items = "{\n  \"a\": [\n    {},\n    {\n      \"b\": 1\n    }\n  ]\n}";
        check("{\n  \"a\": [\n    {}\n  ]\n}", json!({"b": 1}), items);
        check("{\n  \"a\": [1]\n}", json!(2), "{\n  \"a\": [1, 2]\n}");
        check("{}", json!(2), "{\n  \"a\": [2]\n}");
        assert!(set("{\"a\": {}}", &[Key("a"), End], &json!(1)).unwrap_err().contains("`a` is no list"));
    }

    #[test]
    fn what_is_taken_out_leaves_valid_text_and_the_comments_of_others() {
        let check = |text: &str, way: &[JsonPathStep<'_>], expect: &str| {
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
            "{\n  \"a\": 1 // one\n  // two\n}",
        );
        check("{\"a\": 1, \"b\": 2, \"c\": 3}", &[Key("b")], "{\"a\": 1, \"c\": 3}");
        check("{\"a\": [1, 2, 3]}", &[Key("a"), Index(2)], "{\"a\": [1, 2]}");
        check("{\"a\": 1}", &[Key("b")], "{\"a\": 1}");
        check("{\"a\": 1}", &[Key("b"), Key("c")], "{\"a\": 1}");
    }

    #[test]
    fn what_is_empty_by_that_goes_too() {
        let check = |text: &str, way: &[JsonPathStep<'_>], expect: &str| {
            assert_eq!(remove(text, way).unwrap(), expect, "{text}");
        };
        let way = [Key("a"), Key("b"), Index(0)];
        check("{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  },\n  \"c\": 1\n}", &way, "{\n  \"c\": 1\n}");
        check("{\"a\": {\"b\": [1], \"d\": 2}}", &way, "{\"a\": { \"d\": 2}}");
        check("{\"a\": {\"b\": [1]}}", &way, "{}");
        check("{\"a\": {\"b\": [1, 2]}}", &way, "{\"a\": {\"b\": [ 2]}}");
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

    /// Generates texts with comments, commas and line ends of all kinds, from a seed.
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

    /// Returns a value without its empty objects and lists, and without the place.
    fn rest(value: &Value, gone: &[JsonPathStep<'_>]) -> Option<Value> {
        let kept = |is_on_way: bool, value: &Value| match gone {
            [_] if is_on_way => None,
            [_, way @ ..] if is_on_way => rest(value, way),
            _ => rest(value, &[]),
        };
        let step = gone.first().copied();
        match value {
            Value::Object(members) => {
                let is_on_way = |key: &str| matches!(step, Some(Key(step)) if step == key);
                let members = members.iter();
                let left: serde_json::Map<_, _> = members
                    .filter_map(|(key, value)| Some((key.clone(), kept(is_on_way(key), value)?)))
                    .collect();
                Some(Value::Object(left)).filter(|left| *left != json!({}))
            }
            Value::Array(items) => {
                let is_on_way = |at: usize| matches!(step, Some(Index(step)) if step == at);
                let items = items.iter().enumerate();
                let left: Vec<_> = items.filter_map(|(at, value)| kept(is_on_way(at), value)).collect();
                Some(Value::Array(left)).filter(|left| *left != json!([]))
            }
            plain => Some(plain.clone()),
        }
    }

    #[test]
    fn whatever_the_text_only_the_place_changes() {
        let ways: [&[JsonPathStep<'_>]; 6] = [
            &[Key("a")],
            &[Key("b"), Key("a")],
            &[Key("b"), Key("c"), Key("d")],
            &[Key("a"), Index(0)],
            &[Key("c"), Index(1)],
            &[Key("d")],
        ];
        let all = |text: &str| get(text, &[]).unwrap().unwrap();
        let mut texts = Texts(7);
        let (mut set_count, mut removed_count) = (0, 0);
        for _ in 0..4_000 {
            let text = [texts.gap(), &texts.value(3), texts.gap()].concat();
            let way = ways[texts.next(ways.len())];
            let value = json!({ "x": ["y", { "z": 1 }] });
            let is_item = matches!(way.last(), Some(Index(_)));
            if let Some(changed) = set(&text, way, &value).ok().filter(|_| !is_item) {
                assert_eq!(get(&changed, way).unwrap(), Some(value.clone()), "{text:?}\n{changed:?}");
                assert_eq!(set(&changed, way, &value).unwrap(), changed, "twice: {text:?}");
                assert_eq!(rest(&all(&changed), way), rest(&all(&text), way), "{text:?}\n{changed:?}");
                set_count += 1;
            }
            if let Ok(changed) = remove(&text, way) {
                if get(&text, way).unwrap().is_none() {
                    assert_eq!(changed, text);
                }
                assert_eq!(rest(&all(&changed), &[]), rest(&all(&text), way), "{text:?}\n{changed:?}");
                removed_count += 1;
            }
        }
        assert!(set_count > 1_000 && removed_count > 1_000, "{set_count} {removed_count}");
    }
}
