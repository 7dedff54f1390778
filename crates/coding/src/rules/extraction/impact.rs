//! Classifies the impact of a rule by its words. Rules about dependencies, security, data, errors,
//! tests, the public API or the build have a high impact. Names, format, typing idiom, comments and
//! commits are style. A rule with both has a high impact, unless it concerns a name or a wording.

use std::sync::LazyLock;

use regex::Regex;

use super::cue_text;

/// The impact of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impact {
    /// Behaviour, which needs a person's approval.
    High,
    /// Style.
    Style,
}

impl Impact {
    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Style => "style",
        }
    }
}

/// Words that never concern only style.
static GRAVE: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"(?i)\b(?:dependenc\w+|librar(?:y|ies)|third[- ]party|vendor\w*|licen[sc]e\w*|secur\w+|auth\w*|permission\w*|role[s]?|access control|csrf|xss|sql|inject\w+",
        r"|saniti[sz]\w+|escap\w+|encrypt\w*|decrypt\w*|hash\w*|password\w*|token\w*|privac\w+|pii|gdpr|transaction\w*|migration\w*|schema\w*",
        r"|database\w*|delet\w+|retr(?:y|ies)|timeout\w*|concurren\w+|lock(?:s|ing)?|mutex\w*|thread\w*|race|rate limit\w*|look(?:s|ing|ed)? up|recall\w*|memor(?:y|ies)|fetch\w*|download\w*|abhängigkeit\w*|sicherheit\w*|datenbank\w*",
        r"|dépendance\w*|sécurité|base de données|dependencia\w*|seguridad|base de datos|dependência\w*|segurança|banco de dados)\b",
        r"|依赖|安全|数据库|事务|密码|権限|依存|セキュリティ|データベース|トランザクション",
    ))
});
/// Words that concern behaviour, unless the rule is about form.
static BEHAVIOUR: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"(?i)\b(?:errors?|exceptions?|panics?|panick\w+|unwrap|expect\(|catch\w*|throw\w*|rais(?:e|es|ing)|null\w*|valid\w+|tests?|testing|tested|unit tests?|specs?|fixtures?|mock\w*|stub\w*",
        r"|coverage|public api|apis?|endpoints?|breaking|backwards?|deprecat\w+|version\w*|builds?|bundl\w+|compil\w+|docker\w*|makefile|lockfile\w*|feature flags?",
        r"|cach\w+|log|logs|logging|metrics?|quer(?:y|ies)|requests?|responses?|fehler\w*|ausnahme\w*|erreurs?|exceptions?|errores|excepci\w+|erros?|exceç\w+|testes?|pruebas?)\b",
        r"|异常|错误|测试|接口|日志|エラー|例外|テスト|ログ",
    ))
});
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"(?i)\b(?:nam(?:e|es|ed|ing)|casing|camel ?case|pascal ?case|snake[_ ]?case|kebab[- ]?case|upper[- ]?case|lower[- ]?case|capitali[sz]\w+|prefix\w*|suffix\w*|spell\w*|abbreviat\w+",
        r"|indent\w*|whitespace|blank lines?|line length|trailing|semicolons?|quotes?|format\w*|comments?|docstrings?|doc comments?|jsdoc|javadoc|todos?|commit messages?|commits|pr titles?|pr descriptions?",
        r"|import order|sort\w*|alphabetical\w*|order\w*|wording|grammar|typos?|sentence case|imperative mood|benenn\w*|kommentar\w*|einrück\w*|nomm\w+|commentaires?|nombr\w+|comentarios?|nomes?|comentários?)\b",
        r"|命名|注释|缩进|格式|コメント|インデント|フォーマット",
    ))
});

/// Returns the impact of a rule, by its words.
pub fn impact_of(text: &str) -> Impact {
    if GRAVE.is_match(text) {
        return Impact::High;
    }
    let is_form = FORM.is_match(text);
    if BEHAVIOUR.is_match(text) && !is_form { Impact::High } else { Impact::Style }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_their_words() {
        let check = |text: &str, expect: Impact| assert_eq!(impact_of(text), expect, "{text}");
        for text in [
            "Use camelCase for variables.",
            "Prefer `const` over `let`.",
            "Test names start with should.",
            "Commit messages are in the imperative mood.",
            "Prefer early returns over nested conditionals.",
        ] {
            check(text, Impact::Style);
        }
        for text in [
            "Never add a dependency without asking.",
            "Every endpoint needs a test.",
            "Wrap errors with context.",
            "Always run migrations in a transaction.",
            "Escape user input in all templates.",
            "Always look up shop-web.",
        ] {
            check(text, Impact::High);
        }
    }
}
