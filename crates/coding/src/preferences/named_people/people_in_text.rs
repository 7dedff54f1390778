//! People in texts, found in one pass. Pure. In free text only `@login` and e-mail addresses name a
//! person: a word that merely equals a login is a word. In a field that lists people, each item of
//! the list does.

/// The maximum length of the local part of an address, in characters.
const LOCAL_CHARS_MAX: usize = 64;
/// The suffix of the login of a program on a forge.
pub(super) const PROGRAM: &str = "[bot]";
/// The text between a decision and the name of the person who decided.
const BY: &str = " by ";
/// The first words of decisions that Loci records.
const DECISIONS: [&str; 5] = ["approved", "rejected", "expired", "held back", "called off"];

/// A person named in a free text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::preferences) enum Mention<'a> {
    /// A mention as `@login`, here without the mark.
    Login(&'a str),
    /// An e-mail address.
    Address(&'a str),
}

/// Returns a free text with people replaced by `replace`. `None` if `replace` replaces none of
/// them.
pub(in crate::preferences) fn replaced_in_text(
    text: &str,
    mut replace: impl FnMut(Mention<'_>) -> Option<String>,
) -> Option<String> {
    let (mut kept, mut rest, mut is_any) = (String::new(), text, false);
    while let Some((before, behind)) = rest.split_once('@') {
        let local = local_part(before);
        let mut found = None;
        if local.is_empty() {
            let mut names = handles(behind);
            found =
                names.find_map(|name| Some((before.len() + 1, name.len(), replace(Mention::Login(name))?)));
        } else {
            let domain = domain_of(behind);
            let mut starts = local_starts(before, local);
            let address = |start: usize| rest.get(start..before.len() + 1 + domain.len()).unwrap_or_default();
            let named = starts.find_map(|start| Some((start, replace(Mention::Address(address(start)))?)));
            if let Some((start, new)) = named {
                let is_closed = behind.get(domain.len()..).is_some_and(|after| after.starts_with('>'));
                let name = before.get(..start).and_then(name_before).filter(|_| is_closed);
                found = Some((name.unwrap_or(start), domain.len() + usize::from(name.is_some()), new));
            }
        }
        let (start, length) =
            found.as_ref().map_or((before.len() + 1, 0), |(start, length, _)| (*start, *length));
        kept.push_str(rest.get(..start).unwrap_or_default());
        if let Some((_, _, new)) = found {
            kept.push_str(&new);
            is_any = true;
        }
        rest = behind.get(length..).unwrap_or_default();
    }
    kept.push_str(rest);
    is_any.then_some(kept)
}

/// Returns the start of a name before an address, as in trailers: `By: Name <`. In prose the start
/// of a name is unknown.
fn name_before(head: &str) -> Option<usize> {
    let head = head.strip_suffix('<')?;
    let colon = head.rfind([':', '\n'])?;
    let named = head.get(colon..)?.strip_prefix(':')?;
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '\'' | '_' | '[' | ']');
    let start = head.len() - named.trim_start().len();
    named.chars().all(is_of_name).then_some(start)
}

/// Returns the end of a text that may be the local part of an address. Empty if a mention begins
/// after the text.
fn local_part(before: &str) -> &str {
    let is_of_local = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let named = before.strip_suffix(PROGRAM).unwrap_or(before);
    let head = named.trim_end_matches(is_of_local).len();
    let name = named.get(head..).unwrap_or_default();
    let is_local = !name.ends_with('.') && name.chars().any(char::is_alphanumeric);
    if is_local { before.get(head..).unwrap_or_default() } else { "" }
}

/// Returns the positions where an address with a local part that ends in `local` may begin, the
/// longest first. A mark that a local part may contain, as in `o'brien`, may also precede it, as in
/// `to=brien` or in quotes.
fn local_starts(before: &str, local: &str) -> impl Iterator<Item = usize> {
    let shortest = before.len() - local.len();
    let is_of_local = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let head = before.get(..shortest).unwrap_or_default();
    let back = head.char_indices().rev().take(LOCAL_CHARS_MAX).take_while(|(_, c)| is_of_local(*c));
    let mut starts: Vec<usize> = back.filter(|(_, c)| c.is_alphanumeric()).map(|(at, _)| at).collect();
    starts.reverse();
    let is_first = |at: &usize| {
        let before = head.get(..*at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '%' | '+' | '-'))
    };
    starts.retain(is_first);
    starts.into_iter().chain(std::iter::once(shortest))
}

/// A sentence of Loci that names the person who decided. Newer sentences do not: their state change
/// has the name.
pub(super) struct Decision<'a> {
    /// The text before the name.
    pub(super) what: &'a str,
    /// The name.
    pub(super) by: &'a str,
    /// The text after it.
    pub(super) behind: &'a str,
}

/// Returns the parts of `approved by NAME`, `rejected by NAME: reason`, `TIME by NAME: reason`. A
/// list, or a text with an address, is not a sentence of Loci: read as a list, all text before an
/// address would be a name.
pub(super) fn decision_in(text: &str) -> Option<Decision<'_>> {
    let (verb, rest) = text.split_once(BY)?;
    let is_time = verb.ends_with('Z') && verb.bytes().all(|b| b.is_ascii_digit() || b"-:.TZ".contains(&b));
    if !is_time && !DECISIONS.contains(&verb) {
        return None;
    }
    let what = text.get(..verb.len() + BY.len())?;
    let (by, behind) = rest.split_at(rest.find(": ").unwrap_or(rest.len()));
    let is_one_name = !by.contains([',', ';', '<', '\n']);
    is_one_name.then_some(Decision { what, by, behind })
}

fn domain_of(behind: &str) -> &str {
    let end = behind.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '.').unwrap_or(behind.len());
    behind.get(..end).unwrap_or_default().trim_end_matches(['-', '.'])
}

/// Returns the logins that a mention may mean: a period ends a sentence, and emphasis marks may
/// surround a mention.
fn handles(behind: &str) -> impl Iterator<Item = &str> {
    let is_of_login = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = behind.find(|c: char| !is_of_login(c)).unwrap_or(behind.len());
    let is_program = end > 0 && behind.get(end..).is_some_and(|rest| rest.starts_with(PROGRAM));
    let (whole, inner) = if is_program {
        (behind.get(..end + PROGRAM.len()).unwrap_or_default(), None)
    } else {
        let whole = behind.get(..end).unwrap_or_default().trim_end_matches('.');
        let inner = whole.trim_end_matches(['-', '_', '.']);
        (whole, Some(inner).filter(|inner| *inner != whole))
    };
    std::iter::once(whole).chain(inner).filter(|name| !name.is_empty())
}

/// Returns a list of people, as in authors and trailers of commits (`Name <address>`, several
/// joined by commas), with each person replaced by `replace`. `None` if `replace` replaces none of
/// them.
pub(in crate::preferences) fn replaced_in_list(
    text: &str,
    mut replace: impl FnMut(&str, Option<&str>) -> Option<String>,
) -> Option<String> {
    let (mut kept, mut rest, mut is_any) = (String::new(), text, false);
    while !rest.is_empty() {
        let start = rest.find(|c: char| !matches!(c, ',' | ';' | ' ')).unwrap_or(rest.len());
        let (joint, from) = rest.split_at(start);
        let (one, after) = from.split_at(end_of_person(from));
        kept.push_str(joint);
        rest = after;
        let new = match one.split_once('<') {
            Some((name, address)) => replace(name.trim(), Some(address.trim_end_matches('>').trim())),
            None => replaced_among(one, &mut replace),
        };
        is_any |= new.is_some();
        kept.push_str(new.as_deref().unwrap_or(one));
    }
    is_any.then_some(kept)
}

/// Returns the end of the first person of a list. A comma before a space is part of a name that has
/// an address.
fn end_of_person(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '>' => return at + 1,
            ',' if chars.peek().is_none_or(|(_, next)| !next.is_whitespace()) => return at,
            _ => {}
        }
    }
    text.len()
}

/// Like [`replaced_in_list`], for names without addresses.
fn replaced_among(
    names: &str,
    replace: &mut impl FnMut(&str, Option<&str>) -> Option<String>,
) -> Option<String> {
    if let Some(new) = replace(names.trim(), None) {
        return Some(new);
    }
    let mut is_any = false;
    let mut one = |name: &str| match replace(name.trim(), None) {
        Some(new) => {
            is_any = true;
            let indent = name.len() - name.trim_start().len();
            format!("{}{new}", name.get(..indent).unwrap_or_default())
        }
        None => name.to_owned(),
    };
    let all: Vec<String> =
        if names.contains(',') { names.split(',').map(&mut one).collect() } else { vec![] };
    is_any.then(|| all.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_and_addresses_in_free_text() {
        let check = |text: &str, expect: Option<&str>| {
            let replaced = replaced_in_text(text, |mention| {
                let is_carol = match mention {
                    Mention::Login(name) => name.eq_ignore_ascii_case("carol"),
                    Mention::Address(address) => address.eq_ignore_ascii_case("c.dee@example.com"),
                };
                is_carol.then(|| "X".to_owned())
            });
            assert_eq!(replaced.as_deref(), expect, "{text}");
        };
        check("As @carol and @Carol said.", Some("As @X and @X said."));
        check("Thanks @carol. (@carol's) _@carol_ /@carol", Some("Thanks @X. (@X's) _@X_ /@X"));
        check("carol asked, carols, @carolx, @carol-x, @carol_x, @carol.x, @acme/carol", None);
        check("mail c.dee@example.com, or C.Dee@Example.com.", Some("mail X, or X."));
        check("bob@carol.org, xc.dee@example.com, c.dee@example.community", None);
        check("By: Carol Dee <c.dee@example.com>\nBy: B <b@x>", Some("By: X\nBy: B <b@x>"));
        check("by Carol <c.dee@example.com>.", Some("by Carol <X>."));
        check("{\"a\":\"C <c.dee@example.com>\"}", Some("{\"a\":\"C <X>\"}"));
        check("'c.dee@example.com' to=c.dee@example.com|c.dee@example.com", Some("'X' to=X|X"));
        check("o'c.dee@example.com.au, o'c.dee@example.community", None);
        check("a@b@carol c.dee@example.com@carol", Some("a@b@carol X@X"));
        check("@", None);
        check("", None);
        check("Größe @carol\u{2026}", Some("Größe @X\u{2026}"));
        let many = "@".repeat(100_000);
        check(&many, None);
    }

    #[test]
    fn an_address_with_marks_in_its_local_part() {
        let check = |text: &str, expect: Option<&str>| {
            let replaced = replaced_in_text(text, |mention| {
                (mention == Mention::Address("d'or+x/y@example.com")).then(|| "X".to_owned())
            });
            assert_eq!(replaced.as_deref(), expect, "{text}");
        };
        check("mail d'or+x/y@example.com.", Some("mail X."));
        check("'d'or+x/y@example.com'", Some("'X'"));
        check("By: D Or <d'or+x/y@example.com>", Some("By: X"));
        check("ad'or+x/y@example.com, or+x/y@example.com", None);
        let many = "a'".repeat(50_000) + "a@example.com";
        check(&many, None);
    }

    #[test]
    fn programs_have_logins_of_their_own() {
        let check = |text: &str, expect: Option<&str>| {
            let replaced = replaced_in_text(text, |mention| {
                let is_theirs = match mention {
                    Mention::Login(name) => name == "octo[bot]",
                    Mention::Address(address) => address == "7+octo[bot]@users.noreply.github.com",
                };
                is_theirs.then(|| "X".to_owned())
            });
            assert_eq!(replaced.as_deref(), expect, "{text}");
        };
        check("As @octo[bot] said, @octo did not.", Some("As @X said, @octo did not."));
        check("By: octo[bot] <7+octo[bot]@users.noreply.github.com>", Some("By: X"));
        check("@octo [bot], @[bot], [bot]@octo, @octo[bots]", None);
    }

    #[test]
    fn sentences_that_say_who_decided() {
        let check = |text: &str, expect: Option<(&str, &str, &str)>| {
            let found = decision_in(text).map(|found| (found.what, found.by, found.behind));
            assert_eq!(found, expect, "{text}");
        };
        check("approved by carol", Some(("approved by ", "carol", "")));
        check("held back by carol: too broad: no", Some(("held back by ", "carol", ": too broad: no")));
        check("2026-01-02T03:04:05.678Z by carol: a", Some(("2026-01-02T03:04:05.678Z by ", "carol", ": a")));
        check("written by carol", None);
        check("approved by the board and Carol Dee <c.dee@example.com>, wait for Dan", None);
        check("rejected by bob, carol", None);
        check("approved", None);
        check("", None);
    }

    #[test]
    fn people_of_a_list() {
        let check = |text: &str, expect: Option<&str>| {
            let replaced = replaced_in_list(text, |name, address| {
                (name == "carol" || address == Some("c@x.org")).then(|| "X".to_owned())
            });
            assert_eq!(replaced.as_deref(), expect, "{text}");
        };
        check("carol", Some("X"));
        check("carol, bob", Some("X, bob"));
        check("bob,carol", Some("bob,X"));
        check("Carol Dee <c@x.org>", Some("X"));
        check("Dee, Carol <c@x.org>", Some("X"));
        check("Bob <b@x.org>,Carol <c@x.org>, Dan <d@x.org>", Some("Bob <b@x.org>,X, Dan <d@x.org>"));
        check("carol <other@x.org>", Some("X"));
        check("caroline, Carol Dee <d@x.org>", None);
        check("<<<<", None);
        check(",;", None);
        check("", None);
    }
}
