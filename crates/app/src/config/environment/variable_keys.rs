//! The key that `LOCI_<SECTION>_<KEY>` sets, and the form of its value. Sections and keys are those
//! of `Config`.

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::config::Config;

/// A key of the configuration with the value of a variable.
pub(super) struct Setting {
    /// The path of tables to the key, and the key.
    place: Vec<String>,
    value: Value,
}

impl Setting {
    /// Overrides the value of the file.
    pub(super) fn put_into(self, table: &mut Table) {
        let mut tables = self.place;
        let Some(key) = tables.pop() else { return };
        let mut members = table;
        for name in tables {
            let entry = members.entry(name).or_insert_with(|| Value::Table(Table::new()));
            // A value that is not a table causes an error when the whole file is parsed.
            let Value::Table(inner) = entry else { return };
            members = inner;
        }
        members.insert(key, self.value);
    }

    /// Returns a configuration with only this key.
    fn alone(&self) -> Table {
        let mut table = Table::new();
        Self { place: self.place.clone(), value: self.value.clone() }.put_into(&mut table);
        table
    }
}

/// Returns the sections with keys of their own, as tables of their defaults.
pub(super) fn sections() -> Result<Table> {
    let defaults = Table::try_from(Config::default()).context("the defaults of the configuration")?;
    Ok(defaults.into_iter().filter(|(_, value)| value.is_table()).collect())
}

/// Returns the setting of a variable. `None` if its name begins with no section.
///
/// # Errors
/// The section has no such key, or the key cannot have the value. Both errors name the variable.
pub(super) fn setting(name: &str, text: &str, sections: &Table) -> Result<Option<Setting>> {
    let Some(rest) = name.strip_prefix("LOCI_").map(str::to_ascii_lowercase) else { return Ok(None) };
    let mut places = Vec::new();
    collect_places(&rest, sections, &[], &mut places);
    let mut refused = None;
    for place in places {
        let mut refused_here = None;
        for value in values(text) {
            let setting = Setting { place: place.clone(), value };
            match loci_json::strict::<_, Config>(setting.alone()) {
                Ok(_) => return Ok(Some(setting)),
                Err(error) => drop(refused_here.get_or_insert(error)),
            }
        }
        // The error of the innermost section is the most specific one.
        refused = refused_here.map(|error| (place, error));
    }
    let Some((place, error)) = refused else { return Ok(None) };
    Err(error).with_context(|| format!("{name}, which sets {}, does not hold", place.join(".")))
}

/// True if the name begins with a section.
#[cfg(test)]
pub(super) fn names_section(name: &str, sections: &Table) -> bool {
    let mut places = Vec::new();
    if let Some(rest) = name.strip_prefix("LOCI_") {
        collect_places(&rest.to_ascii_lowercase(), sections, &[], &mut places);
    }
    !places.is_empty()
}

/// Collects all interpretations of a name: `coding_shares_rules` is a key of `coding`, or one of
/// `coding.shares`.
fn collect_places(rest: &str, tables: &Table, above: &[String], places: &mut Vec<Vec<String>>) {
    for (section, members) in tables {
        let Value::Table(members) = members else { continue };
        let key = rest.strip_prefix(section.as_str()).and_then(|rest| rest.strip_prefix('_'));
        let Some(key) = key.filter(|key| !key.is_empty()) else { continue };
        let here = [above, std::slice::from_ref(section)].concat();
        places.push([here.as_slice(), &[key.to_owned()]].concat());
        collect_places(key, members, &here, places);
    }
}

/// Returns the possible values of a text, the most likely first. The type of the key selects one.
fn values(text: &str) -> Vec<Value> {
    let list = text.split(',').map(|part| scalar(part.trim())).collect();
    let mut values = vec![scalar(text), Value::String(text.to_owned())];
    if text.starts_with(['[', '{']) {
        let whole = format!("value = {text}").parse::<Table>().ok();
        values.extend(whole.and_then(|mut table| table.remove("value")));
    }
    values.push(Value::Array(list));
    values
}

/// Parses `true`, `false` and numbers. Anything else is text.
fn scalar(text: &str) -> Value {
    match (text, text.parse::<i64>()) {
        ("true", _) => return Value::Boolean(true),
        ("false", _) => return Value::Boolean(false),
        // A number with leading zeros is a name, such as an account.
        (_, Ok(number)) if number.to_string() == text => return Value::Integer(number),
        _ => {}
    }
    let is_number = text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(number) if is_number => Value::Float(number),
        _ => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable can set each section of the configuration, and each key with a default.
    #[test]
    fn every_key_has_a_variable() {
        let sections = sections().unwrap();
        let mut checked = 0;
        let mut open: Vec<(Vec<String>, &Table)> = vec![(Vec::new(), &sections)];
        while let Some((above, table)) = open.pop() {
            for (key, value) in table {
                let place = [above.as_slice(), std::slice::from_ref(key)].concat();
                let text = match value {
                    Value::Table(inner) => {
                        open.push((place, inner));
                        continue;
                    }
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let name = format!("LOCI_{}", place.join("_").to_ascii_uppercase());
                let set = setting(&name, &text, &sections).unwrap().unwrap();
                assert_eq!((&set.place, &set.value), (&place, value), "{name}={text}");
                checked += 1;
            }
        }
        let config = Table::try_from(Config::default()).unwrap();
        let named = config.values().filter(|value| value.is_table()).count();
        assert_eq!(sections.len(), named);
        assert!(checked > 80, "{checked} keys were checked");
    }

    #[test]
    fn the_key_says_how_a_value_is_read() {
        let sections = sections().unwrap();
        let check = |name: &str, text: &str, place: &str, expect: Value| {
            let set = setting(name, text, &sections).unwrap().unwrap();
            assert_eq!((set.place.join(".").as_str(), set.value), (place, expect), "{name}={text}");
        };
        let texts = |list: &[&str]| Value::Array(list.iter().map(|text| Value::from(*text)).collect());
        check("LOCI_AWS_ACCOUNT", "123456789012", "aws.account", Value::from("123456789012"));
        check("LOCI_CODING_CONTROL_OFF", "0.1", "coding.control.off", Value::from(0.1));
        check("LOCI_CODING_CONTROL_OFF", "1", "coding.control.off", Value::from(1));
        check("LOCI_VERIFIED_NEAR_DUPLICATE", "0.9", "verified.near_duplicate", Value::from(0.9));
        check("LOCI_VERIFIED_MIRRORS", "/srv/1", "verified.mirrors", Value::from("/srv/1"));
        check("LOCI_VERIFIED_ROOTS", "/a, /b", "verified.roots", texts(&["/a", "/b"]));
        check("LOCI_MCP_PROFILE", "coding", "mcp.profile", texts(&["coding"]));
        check("LOCI_MCP_ALLOWED_HOSTS", "[\"a,b\"]", "mcp.allowed_hosts", texts(&["a,b"]));
        check("LOCI_MEMORY_TOOL_ANNOTATE", "false", "memory_tool.annotate", Value::from(false));
        check("LOCI_SERVER_BASE_PATH", "/8411", "server.base_path", Value::from("/8411"));
    }
}
