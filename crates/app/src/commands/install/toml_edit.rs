//! Changes one table of a TOML text and leaves every other byte as it is. The table must have a header of its own; other
//! spellings are refused. What was made is parsed and compared with what was wanted, so nothing but that is ever handed
//! on.

use std::ops::Range;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::json_edit::{Refused, newline};
use super::toml_text::{Header, Lines, lines};

/// What a member of the table shall be afterwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Member {
    /// This: a text or a list of texts.
    Is(Json),
    /// Not there, nor a table of its name.
    Gone,
}

/// The table at a place, where there is one.
///
/// # Errors
///
/// The text is no TOML.
pub(super) fn get(text: &str, place: [&str; 2]) -> Result<Option<Table>, Refused> {
    let root = parse(text)?;
    let outer = root.get(place[0]).and_then(Value::as_table);
    Ok(outer.and_then(|outer| outer.get(place[1])).and_then(Value::as_table).cloned())
}

/// Sets and takes out members of the table at a place; the table is made at the end where it is missing.
///
/// # Errors
///
/// The text is no TOML, or the table is written in a way that this cannot change.
pub(super) fn set(text: &str, place: [&str; 2], members: &[(&str, Member)]) -> Result<String, Refused> {
    let mut wanted = parse(text)?;
    let table = entered(&mut wanted, place)?;
    for (name, member) in members {
        match member {
            Member::Is(value) => drop(table.insert((*name).to_owned(), toml_of(value)?)),
            Member::Gone => drop(table.remove(*name)),
        }
    }
    let was = get(text, place)?;
    let found = lines(text);
    let changed = match header(&found, place) {
        Some(index) => merged(text, &found, index, place, members)?,
        None if was.is_some() => return Err(unusual(place)),
        None => appended(text, place, members)?,
    };
    proven(changed, &wanted, place)
}

/// Takes the table at a place out, and those in it.
///
/// # Errors
///
/// As for [`set`].
pub(super) fn remove(text: &str, place: [&str; 2]) -> Result<String, Refused> {
    let mut wanted = parse(text)?;
    if get(text, place)?.is_none() {
        return Ok(text.to_owned());
    }
    if let Some(outer) = wanted.get_mut(place[0]).and_then(Value::as_table_mut) {
        outer.remove(place[1]);
    }
    let found = lines(text);
    let ours = |header: &Header| header.path.iter().map(String::as_str).take(2).eq(place);
    let mut changed = text.to_owned();
    for (index, header) in found.headers.iter().enumerate().rev().filter(|(_, header)| ours(header)) {
        changed.replace_range(with_gap(text, section(&found, index, header)), "");
    }
    // A table that only held this one is gone with it.
    if parse(&changed).is_ok_and(|now| !now.contains_key(place[0]))
        && wanted.get(place[0]).and_then(Value::as_table).is_some_and(Table::is_empty)
    {
        wanted.remove(place[0]);
    }
    proven(changed, &wanted, place)
}

fn parse(text: &str) -> Result<Table, Refused> {
    text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("line {} is no TOML: {}", before.matches('\n').count() + 1, error.message())
    })
}

fn entered<'t>(root: &'t mut Table, place: [&str; 2]) -> Result<&'t mut Table, Refused> {
    let mut table = root;
    for name in place {
        let entry = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
        table = entry.as_table_mut().ok_or_else(|| format!("`{name}` is no table"))?;
    }
    Ok(table)
}

fn unusual(place: [&str; 2]) -> Refused {
    let name = place.join(".");
    format!(
        "`{name}` is not written as a table with a header: take it out, or write it as [{name}], and try again"
    )
}

fn proven(changed: String, wanted: &Table, place: [&str; 2]) -> Result<String, Refused> {
    if parse(&changed).is_ok_and(|now| now == *wanted) { Ok(changed) } else { Err(unusual(place)) }
}

fn header(found: &Lines, place: [&str; 2]) -> Option<usize> {
    found.headers.iter().position(|header| header.path.iter().map(String::as_str).eq(place))
}

fn toml_of(value: &Json) -> Result<Value, Refused> {
    Value::try_from(value).map_err(|error| error.to_string())
}

fn spelled(name: &str, value: &Json) -> Result<String, Refused> {
    Ok(format!("{name} = {}", toml_of(value)?))
}

fn appended(text: &str, place: [&str; 2], members: &[(&str, Member)]) -> Result<String, Refused> {
    let newline = newline(text);
    let mut changed = text.to_owned();
    if !changed.is_empty() && !changed.ends_with('\n') {
        changed.push_str(newline);
    }
    if !changed.trim().is_empty() {
        changed.push_str(newline);
    }
    changed.push_str(&format!("[{}]{newline}", place.join(".")));
    for (name, member) in members {
        if let Member::Is(value) = member {
            changed.push_str(&spelled(name, value)?);
            changed.push_str(newline);
        }
    }
    Ok(changed)
}

fn merged(
    text: &str,
    found: &Lines,
    index: usize,
    place: [&str; 2],
    members: &[(&str, Member)],
) -> Result<String, Refused> {
    let newline = newline(text);
    let pairs = || found.pairs.iter().filter(|pair| pair.header == Some(index));
    // From back to front, so that places stay true.
    let mut edits = Vec::new();
    let mut missing = String::new();
    for (name, member) in members {
        let pair = pairs().find(|pair| pair.path.iter().map(String::as_str).eq([*name]));
        match (member, pair) {
            (Member::Is(value), Some(pair)) => {
                let is = text.get(pair.value.clone()).unwrap_or_default();
                let same =
                    format!("{name} = {is}").parse::<Table>().ok().and_then(|mut table| table.remove(*name));
                if same != Some(toml_of(value)?) {
                    edits.push((pair.value.clone(), toml_of(value)?.to_string()));
                }
            }
            (Member::Is(value), None) => missing.push_str(&format!("{}{newline}", spelled(name, value)?)),
            (Member::Gone, Some(pair)) => edits.push((pair.lines.clone(), String::new())),
            (Member::Gone, None) => {}
        }
    }
    let header_end = found.headers.get(index).map_or(text.len(), |header| header.line.end);
    let end = pairs().next_back().map_or(header_end, |pair| pair.lines.end);
    if !missing.is_empty() {
        let break_line =
            if text.get(..end).is_some_and(|before| !before.ends_with('\n')) { newline } else { "" };
        edits.push((end..end, format!("{break_line}{missing}")));
    }
    for (name, _) in members.iter().filter(|(_, member)| *member == Member::Gone) {
        let path = [place[0], place[1], *name];
        let inner = found.headers.iter().enumerate();
        for (at, header) in
            inner.filter(|(_, header)| header.path.iter().map(String::as_str).take(3).eq(path))
        {
            edits.push((with_gap(text, section(found, at, header)), String::new()));
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut changed = text.to_owned();
    for (range, with) in edits.into_iter().rev() {
        let (before, after) = (changed.get(..range.start), changed.get(range.end..));
        changed = [before.unwrap_or_default(), &with, after.unwrap_or_default()].concat();
    }
    Ok(changed)
}

/// A header and its pairs; comments behind the last of them belong to what follows.
fn section(found: &Lines, index: usize, header: &Header) -> Range<usize> {
    let last = found.pairs.iter().rfind(|pair| pair.header == Some(index));
    header.line.start..last.map_or(header.line.end, |pair| pair.lines.end)
}

/// A section with the empty line before it.
fn with_gap(text: &str, section: Range<usize>) -> Range<usize> {
    let before = text.get(..section.start).unwrap_or_default();
    let shorter = before.strip_suffix('\n').map(|before| before.strip_suffix('\r').unwrap_or(before));
    shorter.filter(|shorter| shorter.ends_with('\n')).unwrap_or(before).len()..section.end
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLACE: [&str; 2] = ["servers", "loci"];

    fn members() -> Vec<(&'static str, Member)> {
        vec![
            ("command", Member::Is(json!("loci"))),
            ("args", Member::Is(json!(["mcp"]))),
            ("url", Member::Gone),
            ("env", Member::Gone),
        ]
    }

    #[test]
    fn the_table_is_set_and_nothing_else_moves() {
        let check = |text: &str, expect: &str| {
            let changed = set(text, PLACE, &members()).unwrap();
            assert_eq!(changed, expect, "{text}");
            assert_eq!(set(&changed, PLACE, &members()).unwrap(), changed, "twice");
        };
        let table = "[servers.loci]\ncommand = \"loci\"\nargs = [\"mcp\"]\n";
        check("", table);
        check("# mine\na = 1", &format!("# mine\na = 1\n\n{table}"));
        check("a = 1\r\n", "a = 1\r\n\r\n[servers.loci]\r\ncommand = \"loci\"\r\nargs = [\"mcp\"]\r\n");
        check(
            "[servers.loci] # ours\nurl = \"x\"\nwait = 9 # long\n\n# of b\n[b]\n",
            "[servers.loci] # ours\nwait = 9 # long\ncommand = \"loci\"\nargs = [\"mcp\"]\n\n# of b\n[b]\n",
        );
        check(
            "[servers.loci]\nargs = [\n  \"old\", # c\n]\ncommand = 'loci'\n[servers.loci.env]\nA = \"1\"\n[servers.b]\nx = 1\n",
            "[servers.loci]\nargs = [\"mcp\"]\ncommand = 'loci'\n[servers.b]\nx = 1\n",
        );
        check("[servers.loci]", "[servers.loci]\ncommand = \"loci\"\nargs = [\"mcp\"]\n");
        check("servers.b.x = 1\n", &format!("servers.b.x = 1\n\n{table}"));
    }

    #[test]
    fn the_table_is_taken_out() {
        let check = |text: &str, expect: &str| assert_eq!(remove(text, PLACE).unwrap(), expect, "{text}");
        check("a = 1\n", "a = 1\n");
        check("a = 1\n\n[servers.loci]\ncommand = \"loci\"\n", "a = 1\n");
        check("[servers.loci]\nx = 1\n[servers.loci.env]\ny = 2\n\n# of b\n[b]\n", "\n# of b\n[b]\n");
        check("[servers]\n[servers.loci]\nx = 1\n", "[servers]\n");
        check("a = 1\r\n\r\n[servers.loci]\r\nx = 1\r\n", "a = 1\r\n");
    }

    #[test]
    fn other_spellings_are_refused() {
        let check = |text: &str, expect: &str| {
            let said = set(text, PLACE, &members()).unwrap_err();
            assert!(said.contains(expect), "{text}: {said}");
        };
        check("servers = { b = {} }\n", "not written as a table");
        check("[servers]\nloci = { url = \"x\" }\n", "not written as a table");
        check("[servers]\nloci.url = \"x\"\n", "not written as a table");
        check("servers = 1\n", "`servers` is no table");
        check("a = 1\nb = \n", "line 2 is no TOML");
        assert!(remove("[servers]\nloci = { url = \"x\" }\n", PLACE).unwrap_err().contains("not written"));
    }
}
