//! The speaker of a statement. In a shared namespace, one person may correct another's statement on
//! a shared thing. On themselves and their preferences, only they speak. Access is not decided
//! here.

use loci_model::record::{Record, RecordKind};

/// Words by which people speak about themselves, in English, German, French and Spanish. "We" is
/// excluded: it means all who share the namespace.
const SELF: [&str; 32] = [
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "ich", "mich", "mir", "mein", "meine",
    "meinen", "meinem", "meiner", "je", "j'ai", "moi", "mon", "ma", "mes", "yo", "mi", "mis", "mío", "mía",
    "soy", "tengo", "vivo", "user's",
];

/// Returns true if two people made the statements and at least one of them concerns the speaker.
pub(in crate::consolidation) fn are_of_two_people(new: (&Record, &str), old: (&Record, &str)) -> bool {
    let teller = |record: &Record| record.provenance.actor.clone();
    let (Some(one), Some(other)) = (teller(new.0), teller(old.0)) else { return false };
    one != other && (new.0.kind == RecordKind::Preference || of_teller(new.1) || of_teller(old.1))
}

/// Returns true for "I", "my", or "the user", as models call the speaker.
fn of_teller(words: &str) -> bool {
    let lower = words.to_lowercase().replace('’', "'");
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let mut before = "";
    words.any(|word| {
        let found = SELF.contains(&word) || (before == "the" && word == "user");
        before = word;
        found
    })
}

#[cfg(test)]
mod tests {
    use super::of_teller;

    #[test]
    fn of_whom() {
        let check = |words: &str, expect: bool| assert_eq!(of_teller(words), expect, "{words}");
        check("I live in Bern.", true);
        check("That’s my dog", true);
        check("The user lives in Paris.", true);
        check("The user's dog is old.", true);
        check("Ich wohne in Bern", true);
        check("We deploy with Helm.", false);
        check("A user is deleted after a year.", false);
        check("The API listens on port 8085.", false);
        check("", false);
    }
}
