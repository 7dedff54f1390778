//! Evaluates an SPDX licence expression against a list of allowed licences. `OR` needs one side,
//! `AND` both, `WITH` is part of the name, parentheses group, and the old `MIT/Apache-2.0` means
//! `OR`. It has no list of licences of its own.

/// Returns true if allowed licences alone satisfy the expression. An unreadable expression is not
/// allowed.
pub(super) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut reader = Reader { tokens: spaced.split_whitespace().collect(), at: 0, allowed };
    let answer = reader.any();
    answer.unwrap_or(false) && reader.at == reader.tokens.len()
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let taken = self.peek() == Some(token);
        self.at += usize::from(taken);
        taken
    }

    fn any(&mut self) -> Option<bool> {
        let mut answer = self.all()?;
        while self.take("OR") {
            let other = self.all()?;
            answer = answer || other;
        }
        Some(answer)
    }

    fn all(&mut self) -> Option<bool> {
        let mut answer = self.one()?;
        while self.take("AND") {
            let other = self.one()?;
            answer = answer && other;
        }
        Some(answer)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let answer = self.any()?;
            return self.take(")").then_some(answer);
        }
        let name = self.peek().filter(|t| !matches!(*t, "OR" | "AND" | "WITH" | ")"))?;
        self.at += 1;
        if !self.take("WITH") {
            return Some((self.allowed)(name));
        }
        let exception = self.peek()?;
        self.at += 1;
        Some((self.allowed)(&format!("{name} WITH {exception}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_evaluated() {
        let allowed = |name: &str| matches!(name, "MIT" | "ISC" | "Apache-2.0 WITH LLVM-exception");
        let check = |expression: &str, expect: bool| {
            assert_eq!(satisfied(expression, &allowed), expect, "{expression}")
        };
        check("MIT", true);
        check("GPL-3.0", false);
        check("Unlicense OR MIT", true);
        check("GPL-3.0/MIT", true);
        check("GPL-3.0 AND MIT", false);
        check("MIT AND ISC", true);
        check("(GPL-3.0 OR MIT) AND ISC", true);
        check("GPL-3.0 OR MIT AND GPL-2.0", false);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("Apache-2.0", false);
        check("MIT WITH LLVM-exception", false);
        check("", false);
        check("MIT MIT", false);
        check("(MIT", false);
        check("MIT OR", false);
    }
}
