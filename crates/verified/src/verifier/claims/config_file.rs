//! Values of configuration files: a JSON pointer into JSON, TOML or YAML. The file name determines
//! the format.

use super::yaml;

/// The target of a pointer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ConfigValue {
    /// A text.
    Text(String),
    /// A number, a boolean or null, in or close to its original spelling.
    Number(String),
    /// The member does not exist.
    NotThere,
    /// A list or a table.
    NoScalar,
    /// The file cannot be read; the text is the reason.
    Unknown(String),
}

/// Returns the value at `pointer`, which begins with `/`.
pub(super) fn config_value(path: &str, text: &str, pointer: &str) -> ConfigValue {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let parts: Vec<String> =
        pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    match (extension, name) {
        ("json" | "ipynb" | "webmanifest", _) | (_, ".babelrc" | "composer.lock" | "flake.lock") => {
            json(text, &parts)
        }
        ("toml", _) | (_, "Cargo.lock" | "poetry.lock" | "uv.lock" | "Pipfile") => toml_value(text, &parts),
        ("yaml" | "yml", _) | (_, ".clang-format" | ".clang-tidy" | "CITATION.cff") => {
            yaml::value(text, &parts)
        }
        _ => ConfigValue::Unknown("the file is not JSON, TOML or YAML".to_owned()),
    }
}

fn json(text: &str, parts: &[String]) -> ConfigValue {
    use serde_json::Value;
    let Ok(document) = loci_json::from_str::<Value>(text) else {
        return ConfigValue::Unknown("the file is not JSON".to_owned());
    };
    let mut value = &document;
    for part in parts {
        let next = match value {
            Value::Object(members) => members.get(part),
            Value::Array(items) => index(part).and_then(|index| items.get(index)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(next) = next else { return ConfigValue::NotThere };
        value = next;
    }
    match value {
        Value::String(text) => ConfigValue::Text(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => ConfigValue::Number(value.to_string()),
        Value::Array(_) | Value::Object(_) => ConfigValue::NoScalar,
    }
}

fn toml_value(text: &str, parts: &[String]) -> ConfigValue {
    use toml::Value;
    let Ok(document) = toml::from_str::<toml::Table>(text) else {
        return ConfigValue::Unknown("the file is not TOML".to_owned());
    };
    let document = Value::Table(document);
    let mut value = &document;
    for part in parts {
        let next = match value {
            Value::Table(members) => members.get(part),
            Value::Array(items) => index(part).and_then(|index| items.get(index)),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => None,
        };
        let Some(next) = next else { return ConfigValue::NotThere };
        value = next;
    }
    match value {
        Value::String(text) => ConfigValue::Text(text.clone()),
        Value::Datetime(time) => ConfigValue::Text(time.to_string()),
        Value::Integer(number) => ConfigValue::Number(number.to_string()),
        Value::Float(number) => ConfigValue::Number(number.to_string()),
        Value::Boolean(truth) => ConfigValue::Number(truth.to_string()),
        Value::Array(_) | Value::Table(_) => ConfigValue::NoScalar,
    }
}

/// Returns a list index in the notation of JSON pointers.
pub(super) fn index(part: &str) -> Option<usize> {
    let is_plain = part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
    if is_plain { part.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> ConfigValue {
        ConfigValue::Text(value.to_owned())
    }

    fn number(value: &str) -> ConfigValue {
        ConfigValue::Number(value.to_owned())
    }

    #[test]
    fn pointers_lead_into_three_formats() {
        let json = r#"{"a": {"b/c": [1, "two", null]}, "v": 1.50}"#;
        let toml = "[a]\nb = \"x\"\n[[c]]\nd = 1.5\n[[c]]\nd = true\ne = 1979-05-27\n";
        let yaml = "a: &base\n  b: 'x'\n  n: 0x1F\nc:\n  - one\n  - *base\nd: {e: yes, f: ~}\ng: |\n  long\n  text\n\
            merged:\n  <<: *base\n  own: 1\n";
        for (path, source, pointer, expect) in [
            ("p.json", json, "/a/b~1c/1", text("two")),
            ("p.json", json, "/a/b~1c/0", number("1")),
            ("p.json", json, "/a/b~1c/2", number("null")),
            ("p.json", json, "/a/b~1c/01", ConfigValue::NotThere),
            ("p.json", json, "/v", number("1.50")),
            ("p.json", json, "/a", ConfigValue::NoScalar),
            ("p.json", "{", "/a", ConfigValue::Unknown("the file is not JSON".to_owned())),
            ("x/Cargo.lock", toml, "/a/b", text("x")),
            ("p.toml", toml, "/c/0/d", number("1.5")),
            ("p.toml", toml, "/c/1/d", number("true")),
            ("p.toml", toml, "/c/1/e", text("1979-05-27")),
            ("p.toml", toml, "/c/2", ConfigValue::NotThere),
            ("p.toml", "=", "/a", ConfigValue::Unknown("the file is not TOML".to_owned())),
            ("p.yaml", yaml, "/a/b", text("x")),
            ("p.yaml", yaml, "/a/n", number("0x1F")),
            ("p.yaml", yaml, "/c/0", number("one")),
            ("p.yml", yaml, "/c/1/b", text("x")),
            ("p.yml", yaml, "/d/e", number("yes")),
            ("p.yml", yaml, "/d/f", number("~")),
            ("p.yml", yaml, "/g", text("long\ntext\n")),
            ("p.yml", yaml, "/h", ConfigValue::NotThere),
            ("p.yml", yaml, "/merged/own", number("1")),
            ("p.yml", yaml, "/merged/b", text("x")),
            ("p.yml", yaml, "/a", ConfigValue::NoScalar),
            ("p.yml", "a: [", "/a", ConfigValue::Unknown("the file is not YAML".to_owned())),
            ("p.ini", "a=1", "/a", ConfigValue::Unknown("the file is not JSON, TOML or YAML".to_owned())),
        ] {
            assert_eq!(config_value(path, source, pointer), expect, "{path} {pointer}");
        }
    }

    #[test]
    fn hostile_documents_are_bounded() {
        let mut bomb = String::from("a0: &a0 [x, x]\n");
        for n in 1..40 {
            bomb.push_str(&format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1));
        }
        assert_eq!(config_value("p.yml", &bomb, "/a39/0/1"), ConfigValue::NoScalar);
        let mut merges = String::from("a0: &a0 {x: 1}\n");
        for n in 1..60 {
            merges.push_str(&format!("a{n}: &a{n} {{<<: [*a{0}, *a{0}]}}\n", n - 1));
        }
        assert_eq!(config_value("p.yml", &merges, "/a59/y"), ConfigValue::NotThere);
        assert_eq!(config_value("p.yml", &merges, "/a59/x"), number("1"));
        assert_eq!(config_value("p.yml", "a: &a {<<: *a, b: 1}\n", "/a/c"), ConfigValue::NotThere);
        let cycle = "a: &a\n  b: *a\n";
        let deep = "/b".repeat(100);
        assert!(!matches!(config_value("p.yml", cycle, &format!("/a{deep}")), ConfigValue::Text(_)));
        let deep = "a.".repeat(100_000);
        for text in [format!("{deep}a = 1\n"), format!("[{deep}a]\nb = 1\n"), format!("[[{deep}a]]\n")] {
            assert!(!matches!(config_value("p.toml", &text, "/a/b"), ConfigValue::Text(_)));
        }
        for (path, open) in [("p.json", "["), ("p.yml", "["), ("p.yml", "- "), ("p.toml", "a=[")] {
            let nested = open.repeat(100_000);
            assert!(matches!(config_value(path, &nested, "/0"), ConfigValue::Unknown(_)), "{path} {open}");
        }
    }
}
