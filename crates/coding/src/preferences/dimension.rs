//! The dimension of a sentence, by its words, in several languages. Pure. The first dimension with
//! a match counts: commits before pull requests before tests, because a message about tests is
//! still a commit message.

use std::sync::LazyLock;

use loci_engine::strategies::preferences::requester_words::compiled;
use loci_model::tasks::preference::PreferenceDimension as Dimension;
use regex::Regex;

/// The words of each dimension. `PR` stands for a pull request, and counts only with a word of
/// size.
const WORDS: &[(Dimension, &str)] = &[
    (
        Dimension::CommitStyle,
        r"\b(?:commits?|commit[- ](?:messages?|nachrichten?)|committe\w*|conventional commits|sign[- ]off|squash\w*|rebas\w+)\b",
    ),
    (
        Dimension::PrSize,
        r"\b(?:prs?|pull[- ]requests?|merge[- ]requests?|mrs?|diffs?|change ?sets?|changes)\b.*\b(?:small|short|tiny|big|huge|large|focus\w*|split|lines|size|separate|several|one concern|klein\w*|kurz\w*|groß\w*|petite?s?|courte?s?|grande?s?|gross\w*|pequeñ\w+|cort\w+)\b",
    ),
    (
        Dimension::PrSize,
        r"\b(?:small\w*|short\w*|tiny|big\w*|huge|large\w*|focus\w*|split|separate|several|klein\w*|kurz\w*|groß\w*|teile?|petite?s?|courte?s?|grande?s?|pequeñ\w+|cort\w+)\b.*\b(?:prs?|pull[- ]requests?|merge[- ]requests?|mrs?|diffs?|change ?sets?)\b",
    ),
    (
        Dimension::Libraries,
        r"\b(?:dependencies|(?:new|extra|external|third[- ]party|runtime|a) dependency|librar(?:y|ies)|packages?|frameworks?|abhängigkeit\w*|bibliothek\w*|pakete?n?|dépendances?|bibliothèques?|paquets?|dependencias?|bibliotecas?|librerías?|paquetes?|p?npm|yarn|zod|joi|dayjs|moment|lodash|axios|pytest|unittest|jest|vitest|mocha|poetry|pipenv|tokio|reqwest)\b",
    ),
    (
        Dimension::Communication,
        r"\b(?:answer|answers|repl(?:y|ies)|respond|(?:your|in) responses?|explain|explanations?|summar(?:y|ies|ise|ize)|emojis?|concise|verbose|ask|asking|tell me|speak|talk|antworte\w*|antworten|erklär\w*|zusammenfassung\w*|frag\w*|sprich|réponds|répondez|réponses?|expliqu\w+|résumés?|demande[rz]?|responde|respuestas?|explica\w*|resúmen(?:es)?|pregunta\w*)\b",
    ),
    (
        Dimension::Documentation,
        r"\b(?:docs?|documentation|document|docstrings?|readme|change ?logs?|comments|jsdoc|rustdoc|javadoc|dokumentation|dokumentier\w*|kommentare?n?|documente[rz]?|commentaires?|documentación|documenta|comentarios?)\b",
    ),
    (
        Dimension::TestCoverage,
        r"\b(?:tests?|testing|unit[- ]tests?|test[- ]coverage|coverage|tdd|testfälle|testabdeckung|pruebas?|cobertura)\b",
    ),
    (
        Dimension::Patterns,
        r"\b(?:composition|inheritance|early returns?|guard clauses?|type (?:hints?|annotations?)|global (?:state|variables?)|unwrap|panics?|exceptions?|functional|immutab\w+|dependency injection|async|await|callbacks?|singletons?|patterns?|naming|names|magic numbers|nest(?:ed|ing)|generics|functions|classes|interfaces|error handling|komposition|vererbung|entwurfsmuster|funktionen|klassen|typannotationen|globale\w* (?:zustand|variablen)|héritage|patrons?|fonctions|classes|composición|herencia|patrones|funciones|clases)\b",
    ),
    (
        Dimension::Other,
        r"\b(?:tabs|spaces|indent\w*|line length|semicolons?|(?:single|double) quotes|spelling|branch(?:es)?|format(?:ting)?|einrückung\w*|leerzeichen|zweige?|branchnamen|indentation|espaces|branches|sangría|espacios|ramas?)\b",
    ),
];

static PATTERNS: LazyLock<Vec<(Dimension, Regex)>> = LazyLock::new(|| {
    WORDS.iter().map(|(dimension, words)| (*dimension, compiled(&format!("(?i){words}")))).collect()
});
/// One name in place of another: a comparison of two tools, if no other dimension matches.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b`?[a-z][a-z0-9@/_.-]+`?(?:\s+(?:over|instead of|rather than|not|statt|anstatt|anstelle von|au lieu de|plutôt que|en lugar de|en vez de|antes que)\s+|,\s+(?:never|not|nie|nicht|jamais|nunca)\s+)`?[a-z][a-z0-9@/_.-]+`?",
    )
});

/// Returns the dimension of a sentence; `None` if it concerns no dimension of preferences.
pub(super) fn dimension_of(sentence: &str) -> Option<Dimension> {
    let named = PATTERNS.iter().find(|(_, words)| words.is_match(sentence)).map(|(dimension, _)| *dimension);
    named.or_else(|| COMPARED.is_match(sentence).then_some(Dimension::Libraries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_a_sentence_is_about() {
        let check = |sentence: &str, expect: Option<Dimension>| {
            assert_eq!(dimension_of(sentence), expect, "{sentence}");
        };
        check("Mention tests in commit messages.", Some(Dimension::CommitStyle));
        check("Small PRs.", Some(Dimension::PrSize));
        check("A PR has tests.", Some(Dimension::TestCoverage));
        check("Ask before you add a package.", Some(Dimension::Libraries));
        check("Foo rather than bar.", Some(Dimension::Libraries));
        check("Inject dependencies by dependency injection.", Some(Dimension::Libraries));
        check("Use dependency injection.", Some(Dimension::Patterns));
        check("Composición antes que herencia.", Some(Dimension::Patterns));
        check("The cart is red.", None);
        check("", None);
    }
}
