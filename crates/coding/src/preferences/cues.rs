//! Classifies sentences: a standing preference, a request for one task, a statement about the
//! product, or a topic that no preference may decide. Pure, by patterns of English, German, French
//! and Spanish.

use std::sync::LazyLock;

use loci_engine::strategies::preferences::requester_words::compiled;
use regex::{Regex, RegexSet};

/// The positions at which an imperative may begin: the start of the sentence, or after a comma.
const AT: &str =
    r"(?:^|[,;:–-]\s+)(?:(?:and|also|but|please|und|bitte|et|y|por favor|merci|s'il te plaît)[,\s]+)*";

/// Patterns of a standing preference. `AT` stands for [`AT`].
const STANDING: &[&str] = &[
    // English.
    r"^(?:i|we)\s+(?:(?:really|strongly|generally|usually|always|much|personally|also|typically)\s+)*(?:prefer|favou?r)\b",
    r"[;,]\s+(?:i|we)\s+(?:(?:really|strongly|generally|usually|always|much|also)\s+)*prefer\b",
    r"^(?:i|we)(?:'d|’d| would)\s+(?:much\s+)?(?:rather|prefer|always)\b",
    r"^(?:i|we)\s+(?:want|like|expect)\b.*\b(?:always|every|all)\b",
    r"^we\s+(?:always|never)\s+\w+",
    r"^(?:my|our) preference is\b",
    r"AT(?:always|never|prefer)\s+\w+",
    r"AT(?:from now on|as a rule|in general|in (?:the )?future|every time)\b",
    r"^(?:prs?|pull requests|commits?|commit messages|tests|docs|comments|functions)\s+(?:should|must)\s+(?:always|never)\b",
    r"AT(?:keep|avoid|don't|don’t|do not)\s+\w+",
    // German.
    r"^(?:ich|wir)\s+(?:bevorzuge|bevorzugen|möchte\w* (?:immer|grundsätzlich|generell)|will (?:immer|grundsätzlich))\b",
    r"AT(?:immer|stets|niemals|nie|grundsätzlich)\s+\p{L}+",
    r"AT(?:schreib|verwend|nutz|benutz|füg|antwort|erklär|halt|mach|dokumentier|teil|vermeid|frag)\p{L}*\b.*\b(?:immer|stets|grundsätzlich|generell|nie|niemals)\b",
    r"AT(?:haltet?|halte|vermeide)\b",
    r"^bitte keine\b",
    // French.
    r"^(?:je préfère|nous préférons|on préfère)\b",
    r"AT\p{L}+\s+toujours\b",
    r"^(?:merci de|veuillez)\s+(?:toujours|ne (?:pas|jamais)|garder|éviter)\b",
    r"AT(?:évite[rz]?|garde[rz]?)\b",
    r"ATn['’]\p{L}+\s+(?:jamais|pas)\b",
    // Spanish.
    r"^(?:prefiero|preferimos)\b",
    r"AT\p{L}+\s+siempre\b",
    r"AT(?:siempre|nunca|evita|mantén)\b",
    r"ATno\s+(?:añadas|uses|agregues|escribas|hagas|pongas|abras)\b",
];

/// Patterns of a request of any kind.
const REQUEST: &[&str] = &[
    r"^(?:please |bitte |merci de |por favor,? )?(?:use|add|write|keep|split|avoid|prefer|don't|don’t|do not|never|always|document|test|cover|update|mention|squash|ask|answer|explain|include|reuse|name|extract|replace|drop|remove)\b",
    r"\b(?:should|must|please|needs? to|let's|we (?:use|prefer|don't|don’t|never|always)|instead of|rather than)\b",
    r"\b(?:bitte|sollte\p{L}*|muss|müssen|statt|doit|devrait|devez|debe|debería|hay que|il faut)\b",
    r"^(?:verwende|nutze|schreibe?|füge|halte|vermeide|ajoute[rz]?|utilise[rz]?|écri[st]|évite[rz]?|añade|usa|escribe|evita)\b",
];

/// Patterns of a statement about one task, or about one part of it.
const ONE_TASK: &[&str] = &[
    r"\b(?:this|these|those|here|today|tomorrow|tonight|temporarily|until|currently|just once)\b",
    r"\bthat (?:one|pr|file|function|commit|ticket|issue|test|bug|page|endpoint)\b",
    r"\b(?:for|right|just) now\b|^now\b|\bnow[.,]|\bas it is\b",
    r"#\d+|\bline \d+|\b[a-z_]+\(\)|`[^`]*(?:[(/._]|[a-z][A-Z])[^`]*`|\b[\w-]+/[\w./-]+\.[a-z]{1,4}\b",
    // A noun with an article is a single thing, unless there is only one of its kind.
    r"\bthe (?:second|first|new|old|current|other|same|parser|importer|migrations?|approach|issue|bug|ticket|feature|endpoint|module|class|function|button|form|screen|dialog|table|query|schema|database|server|client|service|script|config|public api|api|user|users|cart|banner|page)\b",
    r"\bdies(?:e|er|es|em|en|mal)\b|\b(?:hier|heute|jetzt|aktuell|diesmal|vorerst)\b",
    r"\b(?:ce|cet|cette|ces) \p{L}+|\b(?:ici|maintenant|aujourd'hui|pour l'instant)\b",
    r"\best[aeo]s? \p{L}+|\b(?:aquí|ahora|hoy|por ahora|esta vez)\b",
];

/// Patterns of a statement about the product and its users, which does not concern an agent's way
/// of working.
const PRODUCT: &[&str] = &[
    r"\b(?:users?|customers?|visitors?|subscribers?|cart|banner|log(?:ged)?[- ]?(?:in|out)|log the|e-?mails?|buttons?|checkout|dark mode)\b",
    r"\b(?:page|importer|website|screen|dialog)\b",
    r"\b(?:nutzer\w*|kunden?|kundinnen|warenkorb|seite)\b",
    r"\b(?:utilisateurs?|clients?|panier|page)\b",
    r"\b(?:usuarios?|clientes?|carrito|página)\b",
];

/// Topics that no preference may decide, as pairs of patterns that must both match, in any order.
const PROTECTED: &[(&str, &str)] = &[
    (
        r"\b(?:skip\w*|disabl\w+|ignor\w+|delet\w+|remov\w+|bypass\w*|turn\w* off|switch\w* off|comment\w* out|mut(?:e|ing)|never (?:run|write|add|wait|ask|request)|(?:don't|don’t|do not) (?:run|write|add|wait|ask|request)|without)\b",
        r"\b(?:tests?|checks?|lint\w*|type[- ]?check\w*|reviews?|reviewers?|approvals?|git hooks?|pre-commit|protection|validation|authenticat\w+|authoriz\w+|permissions?|security|signing|verification)\b",
    ),
    (
        r"\b(?:push\w*|commit\w*|merge\w*)\b",
        r"\b(?:to|into|on|auf|sur|en) (?:main|master|trunk|production)\b",
    ),
    (r"\bmerge\b", r"\b(?:yourself|own|automatically|selbst)\b"),
    (
        r"überspring|deaktivier|ignorier|lösch|abschalt|schalt\w* .*\bab\b|auslass|weglass|umgeh",
        r"test|prüfung|\bci\b|review|check|lint",
    ),
    (r"\b(?:ignor|saut|désactiv|supprim|contourn|omet)\p{L}*", r"test|\bci\b|revue|vérif|contrôle|lint"),
    (r"\b(?:omit|ignor|salt|desactiv|elimin|borr)\p{L}*", r"prueba|test|\bci\b|revisi|verific|lint"),
];

/// Topics that no preference may decide, as single patterns.
const PROTECTED_WORDS: &[&str] = &[
    r"\b(?:ci|ci/cd|pipelines?|github actions|workflows?|branch protection|code ?owners|deploy\w*)\b",
    r"\b(?:tokens?|secrets?|passwords?|passphrases?|credentials?|api[- ]?keys?|private keys?|passwort|passwörter|geheimnis\w*|mots? de passe|contraseñas?)\b|\.env\b",
    r"--(?:no-verify|force|no-gpg-sign|allow)|\bforce[- ]push\w*|\bsudo\b|\bchmod\b|\brm -rf\b",
    r"(?i)https?://|\bwww\.|\bcurl\b|\bwget\b|\bsystem prompt\b|\bnetwork\b",
    r"^[A-Z]{3,}:",
];

static IS_STANDING: LazyLock<RegexSet> = LazyLock::new(|| {
    let sources: Vec<String> =
        STANDING.iter().map(|source| format!("(?i){}", source.replace("AT", AT))).collect();
    set(&sources)
});
static IS_REQUEST: LazyLock<RegexSet> =
    LazyLock::new(|| set(&REQUEST.iter().map(|source| format!("(?i){source}")).collect::<Vec<_>>()));
static IS_ONE_TASK: LazyLock<RegexSet> = LazyLock::new(|| {
    // Letter case distinguishes code from prose, so patterns that name both cases are
    // case-sensitive.
    let sources: Vec<String> = ONE_TASK
        .iter()
        .map(|source| if source.contains("[A-Z]") { (*source).to_owned() } else { format!("(?i){source}") })
        .collect();
    set(&sources)
});
static IS_PRODUCT: LazyLock<RegexSet> = LazyLock::new(|| {
    let sources: Vec<String> = PRODUCT.iter().map(|source| format!("(?i){source}")).collect();
    set(&sources)
});
static ARE_PROTECTED: LazyLock<Vec<(Regex, Regex)>> = LazyLock::new(|| {
    let one = |source: &str| compiled(&format!("(?i){source}"));
    PROTECTED.iter().map(|(act, matter)| (one(act), one(matter))).collect()
});
static IS_PROTECTED: LazyLock<RegexSet> = LazyLock::new(|| {
    let cased =
        |source: &&str| if source.contains("[A-Z]") { (*source).to_owned() } else { format!("(?i){source}") };
    set(&PROTECTED_WORDS.iter().map(cased).collect::<Vec<_>>())
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this folder")]
fn set(sources: &[String]) -> RegexSet {
    RegexSet::new(sources).expect("constant patterns")
}

/// True if a sentence states a standing preference.
pub(super) fn is_standing(sentence: &str) -> bool {
    IS_STANDING.is_match(sentence)
}

/// True if a sentence is a request.
pub(super) fn is_request(sentence: &str) -> bool {
    IS_REQUEST.is_match(sentence) || is_standing(sentence)
}

/// True if a sentence concerns one task, or one part of it.
pub(super) fn is_of_one_task(sentence: &str) -> bool {
    IS_ONE_TASK.is_match(sentence)
}

/// True if a sentence concerns the product.
pub(super) fn is_of_product(sentence: &str) -> bool {
    IS_PRODUCT.is_match(sentence)
}

/// True if a text concerns a topic that no preference decides: disabled tests and checks, secrets,
/// or remote execution.
pub(super) fn is_protected(text: &str) -> bool {
    IS_PROTECTED.is_match(text)
        || ARE_PROTECTED.iter().any(|(act, matter)| act.is_match(text) && matter.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_preference_decides() {
        let check = |text: &str, expect: bool| assert_eq!(is_protected(text), expect, "{text}");
        for text in [
            "Tests may be skipped.",
            "Skip slow tests.",
            "Commit to main.",
            "Use --force.",
            "Put the password into the README.",
            "Den Linter immer abschalten.",
            "Merge your own PRs.",
        ] {
            check(text, true);
        }
        for text in [
            "Write tests first.",
            "Commit early.",
            "Never squash commits before review.",
            "Comments say why.",
            "Don't add new dependencies without asking.",
        ] {
            check(text, false);
        }
    }
}
