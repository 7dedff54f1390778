//! Words by which a statement denies something. No line of code can show that a thing is absent.
//! The words are from several languages; in doubt, a statement counts as a denial. Pure.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that always deny. Usual names in code (`sin`, `sem`), and usual words of another language
/// that deny nothing (`nu`, `mai`), are left out.
const WORDS: &str = "\
    not never no none nor neither without cannot nowhere nothing nobody hardly scarcely \
    lack lacks lacked lacking unused uncalled unreferenced unimplemented nonexistent inexistent \
    dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt hasnt havent hadnt mustnt neednt \
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand nirgends ohne weder fehlt fehlen \
    ne pas jamais aucun aucune sans rien \
    nunca jamás ningún ninguna ninguno nadie nada tampoco \
    non nessun nessuna nessuno niente senza \
    não nenhum nenhuma ninguém \
    niet geen nooit zonder nergens \
    inte ikke aldrig aldri ingen inget inga ingenting utan uden uten \
    nigdy brak bez není nejsou nikdy nelze \
    не нет ни никогда никто нигде без немає ніколи \
    değil yok asla hiç hiçbir \
    ei eivät koskaan ilman nem soha nincs niciodată fără \
    δεν μην ποτέ χωρίς \
    tidak bukan belum tanpa không chưa \
    لا ليس لم لن بدون نیست לא אין בלי";
/// Signs that deny, and parts of words in scripts without spaces.
const MARKS: &str = "≠ != ¬ 不 没 沒 無 无 未 ない ません なし なかっ ずに 없 않 아니 못 ไม่ नहीं";
/// Phrases with negative words that deny nothing; each follows a space in scripts that have spaces.
const AFFIRMING: &[&str] = &[
    " no more than",
    " no fewer than",
    " no less than",
    " no longer than",
    " no later than",
    " not more than",
    " not less than",
    " not only",
    " nicht nur",
    " non seulement",
    " non solo",
    " niet alleen",
    " не только",
    " не более",
    " не менее",
    " sans serif",
    "不超过",
    "不超過",
    "不少于",
    "不少於",
    "不仅",
    "不僅",
    "无论",
    "無論",
    "未満",
];
/// States that deny after a form of “to be”.
const STATES: &[&str] = &["missing", "absent", "unreachable", "undefined"];
const BEING: &[&str] = &["is", "are", "was", "were", "be", "been", "remains", "remain", "stays", "stay"];
/// Words that begin a condition. A state in a condition denies nothing (`raises KeyError when the
/// key is missing`).
const CONDITIONS: &[&str] = &["if", "when", "whenever", "whether", "unless", "until", "once"];
/// The number of words before a state that are searched for a condition.
const CONDITION_WORDS_MAX: usize = 5;
/// Marks that end a condition.
const CLAUSE_ENDS: [char; 11] = [',', ';', ':', '.', '!', '?', '(', ')', '—', '–', '\n'];
/// Two words that deny together.
const PAIRS: &[[&str; 2]] = &[["dead", "code"], ["fails", "to"], ["fail", "to"], ["failed", "to"]];

static DENYING: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_ascii_whitespace().collect());

/// Returns true if a text denies something.
pub(super) fn denies(text: &str) -> bool {
    let mut text = format!(" {} ", text.to_lowercase().replace('’', "'"));
    for phrase in AFFIRMING {
        text = text.replace(phrase, " ");
    }
    let words: Vec<&str> = words(&text).collect();
    let is_pair = |two: &[&str]| PAIRS.iter().any(|pair| pair == two);
    words.iter().any(|word| is_denying(word))
        || words.windows(2).any(is_pair)
        || text.split(CLAUSE_ENDS).any(has_state)
        || MARKS.split_ascii_whitespace().any(|mark| text.contains(mark))
}

/// Returns true if a clause asserts, without a condition, that something is in a state that denies.
fn has_state(clause: &str) -> bool {
    let words: Vec<&str> = words(clause).collect();
    words.iter().enumerate().filter(|(_, word)| STATES.contains(word)).any(|(at, _)| {
        let has = |among: &[&str], count: usize| {
            words.iter().take(at).rev().take(count).any(|word| among.contains(word))
        };
        has(BEING, 2) && !has(CONDITIONS, CONDITION_WORDS_MAX)
    })
}

/// Returns words without the marks around them. A hyphen and an apostrophe are parts of a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '_' | '-')))
        .map(|word| word.trim_matches(['\'', '_', '-']))
        .filter(|word| !word.is_empty())
}

fn is_denying(word: &str) -> bool {
    if let Some(rest) = word.strip_prefix("non-") {
        return rest == "existent";
    }
    if word.starts_with("no-") {
        return word == "no-one";
    }
    if word == "sans-serif" {
        return false;
    }
    word.split('-').any(|part| {
        let last = part.rsplit('\'').next().unwrap_or(part);
        DENYING.contains(part) || DENYING.contains(last) || part.ends_with("n't") || part.starts_with("n'")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_denies_is_told_in_every_form() {
        for text in [
            "`check` is never called.",
            "`check` is **not** called",
            "`check` is _never_ called",
            "`check` is never-called",
            "`check` is—never—called",
            "`check` does'nt: it isn't called",
            "check isn’t called",
            "`check` isnt called",
            "No-one calls `check`",
            "`check` lacks a limit.",
            "`check` is unused.",
            "`check` is dead code",
            "A limit of `check` is still missing.",
            "When it runs, a limit is missing.",
            "`check` returns if it must: a limit is missing",
            "A limit is missing if `check` runs.",
            "`check` fails to close the file",
            "A non-existent file is opened by `check`",
            "`check` cannot only be called once",
            "`check` wird nie aufgerufen.",
            "`check` n'est pas appelé",
            "Nadie llama a `check`",
            "`check` non viene chiamato",
            "`check` não é chamado",
            "`check` wordt niet aangeroepen",
            "`check` не вызывается",
            "`check` は呼ばれない",
            "`check` 从不被调用",
            "`check`는 호출되지 않는다",
            "`check` नहीं",
            "MAX ≠ 50",
        ] {
            assert!(denies(text), "{text}");
        }
    }

    #[test]
    fn what_denies_nothing_is_no_denial() {
        for text in [
            "`check` is called by `run`.",
            "A cart holds no more than MAX_ITEMS items",
            "Not only `run` calls `check`",
            "`check` is non-blocking",
            "`check` is a no-op and sends no-cache",
            "`not_found` is returned, `NotFound` is raised",
            "A note on `knot` and nonce",
            "`check` raises KeyError for missing keys",
            "`sin` waits for `sem`",
            "`check` raises KeyError when the key is missing",
            "If `limit` or `bound` is undefined, `check` takes MAX",
            "The font of `title` is sans-serif, or sans serif",
            "`check` wordt nu aangeroepen door `run`",
            "`check` ruft nicht nur `run` auf",
            "`check` вызывает не только `run`",
            "购物车不超过 MAX_ITEMS 件",
        ] {
            assert!(!denies(text), "{text}");
        }
    }
}
