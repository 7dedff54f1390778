//! Texts and names in a simulation: everyday sentences, some of them duplicates, and some that are
//! difficult for stores and patterns.

use super::random::Dice;

/// Actors; two differ only in case, two only in a character that is a wildcard elsewhere.
pub(super) const ACTORS: [&str; 6] = ["alice", "Alice", "bob_1", "bobx1", "team/blue", "zoe.m"];
pub(super) const SESSIONS: [&str; 6] = ["s1", "S1", "s_1", "sx1", "s-2", "10"];
pub(super) const BRANCHES: [&str; 4] = ["try", "Try", "retry_2", "retryx2"];
pub(super) const NAMESPACES: [&str; 9] =
    ["/a/", "/a/b/", "/a/b/c/", "/a_b/", "/axb/", "/A/", "/ab/", "notes", "/*/star/"];
pub(super) const TOPICS: [&str; 5] = ["tea", "Tea", "t_a", "tea milk", "Übung"];

const CITIES: [&str; 8] = ["Bern", "Lyon", "Porto", "Oslo", "Kraków", "Ghent", "Zürich", "Turin"];
const THINGS: [&str; 8] =
    ["bicycle", "cello", "kettle", "notebook", "greenhouse", "telescope", "kayak", "piano"];
const TOOLS: [&str; 6] = ["Terraform", "Ansible", "Make", "Bazel", "Nix", "Helm"];
const SERVICES: [&str; 6] = ["billing", "search", "login", "reports", "mail", "archive"];
const TASTES: [&str; 8] =
    ["green tea", "dark mode", "rye bread", "short meetings", "window seats", "jazz", "tabs", "oat milk"];
const SHORT: [&str; 5] = ["Yes!", "Okay, thanks", "No.", "Hm", "👍"];
const ODD: [&str; 8] = [
    "Grüße aus Zürich: naïve café № 5, ﬁne ligatures and straße",
    "The quota is at 100% of_the limit in C:\\temp\\x and \\' escapes",
    "It's a \"quoted\" note; DROP TABLE records; -- not really",
    "東京タワー 🚲 rides through Shinjuku, twice a week 🗼",
    "Two lines of a note\nwith a tab\there and a return\r\nthere",
    "Zero byte \u{0} in the middle of a remark about radios",
    "Combining e\u{301}clair versus precomposed éclair recipes",
    "{\"looks\": \"like JSON\", \"n\": 1e400, \"b\": [true, null]}",
];

/// Returns a sentence, with true if a strategy must keep it because of its length.
pub(super) fn sentence(dice: &mut Dice) -> (String, bool) {
    if dice.chance(6) {
        return (dice.word(&SHORT).to_owned(), false);
    }
    (statement(dice), true)
}

/// Returns a sentence with content.
pub(super) fn statement(dice: &mut Dice) -> String {
    if dice.chance(8) {
        return format!("{} (entry {})", dice.word(&ODD), dice.below(1_000));
    }
    if dice.chance(2) {
        let sentences: Vec<_> = (0..40).map(|_| plain(dice)).collect();
        return sentences.join(" ");
    }
    plain(dice)
}

fn plain(dice: &mut Dice) -> String {
    let number = dice.below(400);
    match dice.below(7) {
        0 => format!(
            "I moved to {} in {} with my {}.",
            dice.word(&CITIES),
            1980 + number % 45,
            dice.word(&THINGS)
        ),
        1 => format!("I prefer {} over {}.", dice.word(&TASTES), dice.word(&TASTES)),
        2 => format!(
            "We deploy the {} service with {}, ticket {number}.",
            dice.word(&SERVICES),
            dice.word(&TOOLS)
        ),
        3 => {
            format!("My {} is called Pixel{number} and lives in {}.", dice.word(&THINGS), dice.word(&CITIES))
        }
        4 => format!("The {} service failed on host {number}: disk full.", dice.word(&SERVICES)),
        5 => format!(
            "Remember that the {} in {} costs {number} euros.",
            dice.word(&THINGS),
            dice.word(&CITIES)
        ),
        _ => format!("I like {} when I travel to {}.", dice.word(&TASTES), dice.word(&CITIES)),
    }
}

/// Returns a query.
pub(super) fn question(dice: &mut Dice) -> String {
    match dice.below(5) {
        0 => format!("Where does my {} live?", dice.word(&THINGS)),
        1 => format!("What do I prefer, {} or {}?", dice.word(&TASTES), dice.word(&TASTES)),
        2 => format!("how do we deploy {}", dice.word(&SERVICES)),
        3 => format!("{} {}", dice.word(&CITIES), dice.word(&THINGS)),
        _ => dice.word(&ODD).to_owned(),
    }
}
