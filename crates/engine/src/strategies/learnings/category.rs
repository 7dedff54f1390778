//! The category of a learning: by its tag, otherwise by its words. Words of four lists are counted;
//! on a tie the list earlier in the table wins, so warnings take precedence.

/// The category of a learning about a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// A pitfall of the repository.
    Gotcha,
    /// A convention of the repository.
    Convention,
    /// Commands and tools of the repository.
    Tooling,
    /// The structure of the code.
    Architecture,
}

/// Each category with its name and the words that indicate it, in order of precedence.
const CATEGORIES: &[(Category, &str, &[&str])] = &[
    (
        Category::Gotcha,
        "gotcha",
        &[
            "breaks",
            "broken",
            "careful",
            "beware",
            "crashes",
            "deadlock",
            "deadlocks",
            "fails",
            "flaky",
            "fragile",
            "gotcha",
            "hangs",
            "otherwise",
            "pitfall",
            "race",
            "silently",
            "surprisingly",
            "unless",
            "wrong",
        ],
    ),
    (
        Category::Convention,
        "convention",
        &[
            "always",
            "convention",
            "conventions",
            "instead",
            "must",
            "named",
            "naming",
            "never",
            "prefer",
            "prefers",
            "prefix",
            "should",
            "style",
            "suffix",
        ],
    ),
    (
        Category::Tooling,
        "tooling",
        &[
            "build", "bundler", "cargo", "ci", "command", "compile", "docker", "gradle", "install", "lint",
            "linter", "make", "maven", "npm", "pipeline", "pip", "pnpm", "pytest", "run", "runs", "script",
            "workflow", "yarn",
        ],
    ),
    (
        Category::Architecture,
        "architecture",
        &[
            "api",
            "caches",
            "calls",
            "client",
            "component",
            "depends",
            "endpoint",
            "event",
            "interface",
            "layer",
            "model",
            "module",
            "package",
            "queue",
            "schema",
            "server",
            "service",
            "stores",
            "table",
        ],
    ),
];

impl Category {
    /// Returns the name of the category.
    pub fn as_str(self) -> &'static str {
        CATEGORIES.iter().find(|(category, ..)| *category == self).map_or("", |(_, word, _)| word)
    }

    /// Parses a name in any case.
    pub fn parse(word: &str) -> Option<Self> {
        CATEGORIES
            .iter()
            .find(|(_, known, _)| known.eq_ignore_ascii_case(word))
            .map(|(category, ..)| *category)
    }
}

/// Returns the category that the words of a text indicate; `None` if there are none.
pub(crate) fn of(text: &str) -> Option<Category> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut best = (None, 0);
    for (category, _, speaking) in CATEGORIES {
        let count = words.iter().filter(|word| speaking.contains(word)).count();
        if count > best.1 {
            best = (Some(*category), count);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_their_words() {
        let check = |text: &str, expect: Option<Category>| assert_eq!(of(text), expect, "{text}");
        check("The session service caches tokens.", Some(Category::Architecture));
        check("Run `npm ci` before the build.", Some(Category::Tooling));
        check("Always prefer `Result` over panics.", Some(Category::Convention));
        check("It silently breaks when the table is empty.", Some(Category::Gotcha));
        check("Never run it.", Some(Category::Convention));
        check("Zwei Worte.", None);
    }

    #[test]
    fn every_category_has_its_word() {
        for (category, word, _) in CATEGORIES {
            assert_eq!((Category::parse(&word.to_uppercase()), category.as_str()), (Some(*category), *word));
        }
        assert_eq!(Category::parse("other"), None);
    }
}
