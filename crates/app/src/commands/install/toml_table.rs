//! Changes one table of a TOML text and keeps the rest, with `toml_edit` (decision 0254).

use similar::{Change, ChangeTag, TextDiff};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::json_edit::EditRefusal;
use super::snippet::newline;

/// The desired state of a member of the table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Member {
    Text(String),
    Texts(Vec<String>),
    /// Absent, including a table with its name.
    Gone,
}

/// Sets and removes members of the table at a place. A missing table is appended.
///
/// # Errors
///
/// The text is not TOML, or the value at the place is not a table.
pub(super) fn set(text: &str, place: [&str; 2], members: &[(&str, Member)]) -> Result<String, EditRefusal> {
    let mut document = parse(text)?;
    if get(&mut document, place)?.is_none() {
        make(&mut document, place)?;
    }
    let mut gone = Vec::new();
    if let Some(table) = get(&mut document, place)? {
        for (name, member) in members {
            match member {
                Member::Text(text) => put(table, name, Value::from(text)),
                Member::Texts(texts) => put(table, name, Value::from(texts.iter().collect::<Array>())),
                Member::Gone => gone.extend(table.remove(name)),
            }
        }
    }
    written(text, document, gone)
}

/// Removes the table at a place, including its subtables.
///
/// # Errors
///
/// See [`set`].
pub(super) fn remove(text: &str, place: [&str; 2]) -> Result<String, EditRefusal> {
    let mut document = parse(text)?;
    let outer = document.get_mut(place[0]).and_then(Item::as_table_like_mut);
    let gone = outer.and_then(|outer| outer.remove(place[1])).into_iter().collect();
    written(text, document, gone)
}

/// Parses a text after converting its line ends to `\n`, the only ones that the writer knows.
fn parse(text: &str) -> Result<DocumentMut, EditRefusal> {
    let text = text.replace("\r\n", "\n");
    text.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("line {} is no TOML: {}", before.matches('\n').count() + 1, error.message())
    })
}

fn get<'d>(
    document: &'d mut DocumentMut,
    place: [&str; 2],
) -> Result<Option<&'d mut dyn TableLike>, EditRefusal> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in place {
        let Some(item) = table.get_mut(name) else { return Ok(None) };
        table = item.as_table_like_mut().ok_or_else(|| format!("`{name}` is no table"))?;
    }
    Ok(Some(table))
}

/// Creates an empty table at a place, with an empty line above it unless it comes first.
fn make(document: &mut DocumentMut, place: [&str; 2]) -> Result<(), EditRefusal> {
    let above = document.trailing().as_str().unwrap_or_default().to_owned();
    let is_first = document.is_empty() && above.trim().is_empty();
    let mut outer = Table::new();
    outer.set_implicit(true);
    let outer = document.entry(place[0]).or_insert(Item::Table(outer));
    match outer {
        Item::Table(outer) => {
            let mut inner = Table::new();
            let break_line = if above.is_empty() || above.ends_with('\n') { "" } else { "\n" };
            let gap = if is_first { "" } else { "\n" };
            inner.decor_mut().set_prefix([&above, break_line, gap].concat());
            inner.set_position(Some(isize::MAX));
            outer.insert(place[1], Item::Table(inner));
            document.set_trailing("");
        }
        outer => {
            let outer = outer.as_inline_table_mut().ok_or_else(|| format!("`{}` is no table", place[0]))?;
            outer.insert(place[1], Value::InlineTable(toml_edit::InlineTable::new()));
        }
    }
    Ok(())
}

/// Sets a member, and keeps the text around its value.
fn put(table: &mut dyn TableLike, name: &str, mut value: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(is) if is_same(is, &value) => {}
        Some(is) => {
            value.decor_mut().clone_from(is.decor());
            *is = value;
        }
        None => drop(table.insert(name, Item::Value(value))),
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_array(), other.as_array()) {
        (Some(one), Some(other)) => one.iter().map(Value::as_str).eq(other.iter().map(Value::as_str)),
        _ => one.as_str().is_some_and(|text| other.as_str() == Some(text)),
    }
}

/// Returns the text of a changed document. Comments above removed headers move to the following
/// text.
fn written(text: &str, mut document: DocumentMut, gone: Vec<Item>) -> Result<String, EditRefusal> {
    for table in gone.iter().filter_map(Item::as_table) {
        let above = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        if above.contains('#') {
            let above = above.strip_suffix("\n\n").map_or(above.to_owned(), |above| format!("{above}\n"));
            hand_on(&mut document, &above, table.position());
        }
    }
    let changed = document.to_string();
    if changed == parse(text)?.to_string() {
        return Ok(text.to_owned());
    }
    Ok(with_line_ends(&changed, text))
}

/// Returns a changed text with the line ends of the previous text, for each line that remains.
fn with_line_ends(changed: &str, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let before = text.replace("\r\n", "\n");
    let diff = TextDiff::from_lines(before.as_str(), changed);
    let line = |change: Change<&str>| match (change.tag(), change.old_index()) {
        (ChangeTag::Equal, Some(at)) => lines.get(at).map(|line| (*line).to_owned()),
        (ChangeTag::Delete, _) => None,
        _ => Some(change.value().replace('\n', newline(text))),
    };
    diff.iter_all_changes().filter_map(line).collect()
}

/// Moves comments above the first header after a position, or to the end.
fn hand_on(document: &mut DocumentMut, above: &str, position: Option<isize>) {
    let mut next = None;
    each_header(document, &mut |table| {
        let is_nearer = table.position() > position && next.is_none_or(|next| table.position() < next);
        if is_nearer {
            next = Some(table.position());
        }
    });
    let below = |is: Option<&str>| [above, is.unwrap_or_default()].concat();
    match next {
        Some(next) => each_header(document, &mut |table| {
            if table.position() == next {
                let prefix = below(table.decor().prefix().and_then(|prefix| prefix.as_str()));
                table.decor_mut().set_prefix(prefix);
            }
        }),
        None => document.set_trailing(below(document.trailing().as_str())),
    }
}

fn each_header(table: &mut Table, visit: &mut dyn FnMut(&mut Table)) {
    for (_, item) in table.iter_mut() {
        let inner: Vec<&mut Table> = match item {
            Item::Table(inner) => vec![inner],
            Item::ArrayOfTables(list) => list.iter_mut().collect(),
            Item::Value(_) | Item::None => Vec::new(),
        };
        for inner in inner {
            if !inner.is_implicit() && !inner.is_dotted() {
                visit(inner);
            }
            each_header(inner, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: [&str; 2] = ["servers", "loci"];

    fn members() -> Vec<(&'static str, Member)> {
        vec![
            ("command", Member::Text("loci".to_owned())),
            ("args", Member::Texts(vec!["mcp".to_owned()])),
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
        check("a = 1\r\nb = 2\n[servers.loci]\nx = 1\n[c]\r\n", "a = 1\r\nb = 2\n[c]\r\n");
    }

    #[test]
    fn comments_above_what_is_gone_stay() {
        let check = |text: &str, expect: &str| assert_eq!(remove(text, PLACE).unwrap(), expect, "{text}");
        check("# mine\n\n[servers.loci]\nx = 1\n\n[b]\n", "# mine\n\n[b]\n");
        check("[b]\n\n# end of b\n\n[servers.loci]\nx = 1\n", "[b]\n\n# end of b\n");
        check("[[b]]\n# c\n[servers.loci]\nx = 1\n[[b]]\n", "[[b]]\n# c\n[[b]]\n");
        let inner = "[servers.loci]\ncommand = \"loci\"\n# variables\n[servers.loci.env]\nA = \"1\"\n";
        let changed = set(inner, PLACE, &members()).unwrap();
        assert_eq!(changed, "[servers.loci]\ncommand = \"loci\"\nargs = [\"mcp\"]\n# variables\n");
    }

    #[test]
    fn other_spellings_are_changed_as_they_are() {
        let check = |text: &str, expect: &str| {
            let changed = set(text, PLACE, &members()).unwrap();
            assert_eq!(changed, expect, "{text}");
            assert_eq!(set(&changed, PLACE, &members()).unwrap(), changed, "twice");
        };
        let inline = "{ command = \"loci\", args = [\"mcp\"] }";
        check("servers = { b = {} }\n", &format!("servers = {{ b = {{}} , loci = {inline} }}\n"));
        check("[servers]\nloci = { url = \"x\" } # c\n", &format!("[servers]\nloci = {inline} # c\n"));
        check("[servers]\nloci.url = \"x\"\n", "[servers]\nloci.command = \"loci\"\nloci.args = [\"mcp\"]\n");
        assert_eq!(remove("[servers]\nloci = { url = \"x\" }\n", PLACE).unwrap(), "[servers]\n");
    }

    #[test]
    fn what_cannot_be_changed_is_refused() {
        let check = |text: &str, expect: &str| {
            let said = set(text, PLACE, &members()).unwrap_err();
            assert!(said.contains(expect), "{text}: {said}");
        };
        check("servers = 1\n", "`servers` is no table");
        check("[servers]\nloci = 1\n", "`loci` is no table");
        check("a = 1\nb = \n", "line 2 is no TOML");
        assert!(remove("a = \n", PLACE).is_err());
    }

    #[test]
    fn what_is_as_it_should_be_keeps_every_byte() {
        let text = "a = 1\r\nb = 2\n[servers.loci]\ncommand = 'loci'\nargs = ['mcp']";
        assert_eq!(set(text, PLACE, &members()).unwrap(), text);
        assert_eq!(remove("a = 1\r\nb = 2", PLACE).unwrap(), "a = 1\r\nb = 2");
    }
}
