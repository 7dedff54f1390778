//! Ignore patterns, as git interprets them: `*`, `?` and `[…]` within a component, `**` across
//! components. The time to match is limited by the product of the lengths for any input, and by the
//! remaining steps.

use std::cell::Cell;

/// The number of matching steps that remain. At zero every match fails.
#[derive(Debug)]
pub(super) struct Steps(Cell<u64>);

impl Steps {
    pub(super) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// True if no step remains: a failed match may be wrong.
    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    fn spend(&self, steps: usize) {
        self.0.set(self.0.get().saturating_sub(steps as u64));
    }
}

/// A pattern, split at its slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    parts: Vec<GlobPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobPart {
    /// The component `**`: any number of components.
    Any,
    One(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Byte(u8),
    AnyByte,
    Star,
    Class { negated: bool, ranges: Vec<(u8, u8)> },
}

impl Glob {
    /// Parses a pattern; `None` for one that matches nothing, such as an open bracket.
    pub(super) fn parse(pattern: &[u8]) -> Option<Self> {
        let parts = pattern
            .split(|byte| *byte == b'/')
            .map(|part| if part == b"**" { Some(GlobPart::Any) } else { tokens(part).map(GlobPart::One) });
        Some(Self { parts: parts.collect::<Option<_>>()? })
    }

    /// True if the pattern matches the whole path.
    pub(super) fn fits(&self, path: &str, steps: &Steps) -> bool {
        let names: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
        // At the end `**` matches the contents: at least one component.
        let ends_inside = self.parts.len() > 1 && self.parts.last() == Some(&GlobPart::Any);
        let parts =
            if ends_inside { self.parts.split_last().map_or(&[][..], |(_, rest)| rest) } else { &self.parts };
        if ends_inside {
            return (1..names.len()).any(|end| fits_all(parts, names.get(..end).unwrap_or_default(), steps));
        }
        fits_all(parts, &names, steps)
    }
}

fn fits_all(parts: &[GlobPart], names: &[&[u8]], steps: &Steps) -> bool {
    walk(
        (parts, names),
        steps,
        |part| *part == GlobPart::Any,
        |part, name| match part {
            GlobPart::Any => false,
            GlobPart::One(tokens) => fits_name(tokens, name, steps),
        },
    )
}

fn fits_name(tokens: &[Token], name: &[u8], steps: &Steps) -> bool {
    walk(
        (tokens, name),
        steps,
        |token| *token == Token::Star,
        |token, byte| match token {
            Token::Byte(wanted) => wanted == byte,
            Token::AnyByte => true,
            Token::Star => false,
            Token::Class { negated, ranges } => {
                steps.spend(ranges.len());
                ranges.iter().any(|(from, to)| (from..=to).contains(&byte)) != *negated
            }
        },
    )
}

/// Matches with wildcards for any number of items. On a mismatch only the last wildcard is extended
/// by one item, which is sufficient because the part before it matches as early as possible.
fn walk<P, T>(
    (pattern, text): (&[P], &[T]),
    steps: &Steps,
    is_any: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut last_any = None;
    while let Some(item) = text.get(next) {
        steps.spend(1);
        if steps.is_spent() {
            return false;
        }
        match pattern.get(at) {
            Some(part) if is_any(part) => {
                last_any = Some((at + 1, next));
                at += 1;
            }
            Some(part) if fits(part, item) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((after, from)) = last_any else { return false };
                last_any = Some((after, from + 1));
                at = after;
                next = from + 1;
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(is_any)
}

fn tokens(part: &[u8]) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = part;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'*' => {
                if found.last() != Some(&Token::Star) {
                    found.push(Token::Star);
                }
            }
            b'?' => found.push(Token::AnyByte),
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                found.push(Token::Byte(*escaped));
                rest = after;
            }
            b'[' => {
                let (class, after) = class(rest)?;
                found.push(class);
                rest = after;
            }
            byte => found.push(Token::Byte(*byte)),
        }
    }
    Some(found)
}

/// Parses a bracket expression. Returns the text after it too.
fn class(rest: &[u8]) -> Option<(Token, &[u8])> {
    let negated = matches!(rest.first(), Some(b'!' | b'^'));
    let mut rest = if negated { rest.get(1..)? } else { rest };
    let mut ranges = Vec::new();
    loop {
        let (first, after) = rest.split_first()?;
        rest = after;
        let from = match first {
            b']' if !ranges.is_empty() => return Some((Token::Class { negated, ranges }, rest)),
            b'[' if rest.first() == Some(&b':') => {
                let end = rest.windows(2).position(|two| two == b":]")?;
                ranges.extend(named(rest.get(1..end)?)?);
                rest = rest.get(end + 2..)?;
                continue;
            }
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                *escaped
            }
            byte => *byte,
        };
        match rest {
            [b'-', to, after @ ..] if *to != b']' => {
                let (to, after) = if *to == b'\\' {
                    after.split_first().map(|(to, after)| (*to, after))?
                } else {
                    (*to, after)
                };
                ranges.push((from, to));
                rest = after;
            }
            _ => ranges.push((from, from)),
        }
    }
}

fn named(name: &[u8]) -> Option<&'static [(u8, u8)]> {
    Some(match name {
        b"alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        b"alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        b"blank" => &[(b' ', b' '), (b'\t', b'\t')],
        b"cntrl" => &[(0, 31), (127, 127)],
        b"digit" => &[(b'0', b'9')],
        b"graph" => &[(33, 126)],
        b"lower" => &[(b'a', b'z')],
        b"print" => &[(32, 126)],
        b"punct" => &[(33, 47), (58, 64), (91, 96), (123, 126)],
        b"space" => &[(9, 13), (b' ', b' ')],
        b"upper" => &[(b'A', b'Z')],
        b"xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_git() {
        for (pattern, fits, fits_not) in [
            ("a", &["a"][..], &["b", "a/a", ""][..]),
            ("*.rs", &["a.rs", ".rs"], &["a.rsx", "a/b.rs"]),
            ("a?c", &["abc"], &["ac", "a/c"]),
            ("a*b*c", &["abc", "aXbYc", "abbc"], &["ab", "acb"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "a/x"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "b/a"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/b/x"]),
            ("**/x/**/y", &["x/y", "a/x/b/c/y"], &["x", "y"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]x", &["dx"], &["ax"]),
            ("[]-]x", &["]x", "-x"], &["ax"]),
            ("[[:digit:]_]", &["7", "_"], &["a"]),
            ("\\*\\?", &["*?"], &["ab"]),
            ("a**b", &["ab", "axxb"], &["a/b"]),
        ] {
            let glob = Glob::parse(pattern.as_bytes()).unwrap();
            let steps = Steps::new(1_000_000);
            assert!(fits.iter().all(|path| glob.fits(path, &steps)), "{pattern}");
            assert!(!fits_not.iter().any(|path| glob.fits(path, &steps)), "{pattern}");
        }
        for broken in ["[a", "[", "a\\", "[[:x:]]"] {
            assert_eq!(Glob::parse(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn many_wildcards_take_no_more_than_the_product_of_the_lengths() {
        let pattern = format!("{}b", "*a".repeat(500));
        let path = "a".repeat(4_000);
        let steps = Steps::new(10_000_000);
        assert!(!Glob::parse(pattern.as_bytes()).unwrap().fits(&path, &steps));
        let pattern = format!("{}b", "**/a/".repeat(200));
        let path = "a/".repeat(1_000) + "c";
        assert!(!Glob::parse(pattern.as_bytes()).unwrap().fits(&path, &steps));
        assert!(!steps.is_spent());
    }

    #[test]
    fn a_match_ends_with_its_steps() {
        let glob = Glob::parse(b"*a*a*b").unwrap();
        let steps = Steps::new(100);
        assert!(!glob.fits(&"a".repeat(1_000), &steps));
        assert!(steps.is_spent());
        assert!(!glob.fits("aab", &steps), "nothing is left to match with");
        assert!(glob.fits("aab", &Steps::new(100)));
    }
}
