//! Detection of two texts that differ only in negation words, in several languages.
//! `consolidation::relate` detects other English negations.

/// The negation words of several languages, in lower case.
const WORDS: &str = "\
    not no never cannot without nor none n't don't doesn't didn't isn't aren't wasn't weren't won't can't shouldn't mustn't \
    nicht kein keine keinen keinem keiner keines nie niemals ohne \
    ne pas jamais plus aucun aucune sans \
    nunca jamás ningún ninguna ninguno sin \
    non mai nessun nessuna senza più \
    não nunca jamais sem nenhum nenhuma \
    niet geen nooit zonder \
    inte aldrig ingen utan";
/// The words that may accompany a negation without changing its meaning, such as "longer" and
/// "mehr".
const BESIDE: &str = "ya longer anymore more mehr plus más más mais meer längre do does did";
/// The words that change the meaning of a negation, because they begin a condition or belong to
/// "not only".
const OPEN: &str = "if unless when whenever while until only just wenn falls nur bis si seulement quand solo cuando quando se apenas als";

/// Returns the negation words of a text and its other words, each in order.
pub(super) fn parted(text: &str) -> (Vec<String>, Vec<String>) {
    let words: Vec<String> = text
        .to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '_' | '.' | '/' | '-' | ':' | '`')))
        .map(|word| word.trim_matches(['.', '-', ':', '\'']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|other| other == word);
    let denies = words.iter().any(|word| has(WORDS, word));
    words.into_iter().partition(|word| denies && (has(WORDS, word) || has(BESIDE, word)))
}

/// Returns the negation words of a text, sorted.
pub(crate) fn of(text: &str) -> Vec<String> {
    let mut words = parted(text).0;
    words.sort();
    words
}

/// Returns true if one text has negation words, the other has none, and all other words are equal.
pub(super) fn is_pair(left: &str, right: &str) -> bool {
    let ((left_denies, left_rest), (right_denies, right_rest)) = (parted(left), parted(right));
    let rest = |rest: Vec<String>| -> Vec<String> {
        rest.into_iter().filter(|word| !BESIDE.split_ascii_whitespace().any(|other| other == word)).collect()
    };
    let is_open = left_rest.iter().any(|word| OPEN.split_ascii_whitespace().any(|other| other == word));
    !is_open
        && left_denies.is_empty() != right_denies.is_empty()
        && !left_rest.is_empty()
        && rest(left_rest) == rest(right_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs() {
        let check = |left: &str, right: &str, expect: bool| {
            assert_eq!(is_pair(left, right), expect, "{left} / {right}");
            assert_eq!(is_pair(right, left), expect, "{right} / {left}");
        };
        check("The user is vegetarian.", "The user is no longer vegetarian.", true);
        check("Use tabs.", "Never use tabs", true);
        check("Der Nutzer isst Fleisch.", "Der Nutzer isst kein Fleisch mehr.", true);
        check("El usuario fuma.", "El usuario ya no fuma.", true);
        check("Il mange de la viande", "Il ne mange plus de la viande", true);
        check("Use tabs.", "Use spaces.", false);
        check("Use tabs.", "Use tabs!", false);
        check("Never use tabs.", "Do not use tabs.", false);
        check("no", "never", false);
        check("Deploy if the tests fail.", "Deploy if the tests do not fail.", false);
        check("The user only sings.", "The user not only sings.", false);
    }
}
