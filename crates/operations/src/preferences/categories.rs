//! Maps the categories of a preference to its type. Pure.

/// The type used if no category matches.
pub(super) const GENERAL: &str = "general";

/// Categories and their types.
const TYPES: &[(&str, &str)] = &[
    ("escalation", "escalation"),
    ("notification", "notification"),
    ("notifications", "notification"),
    ("workflow", "workflow"),
    ("automation", "workflow"),
    ("communication", "style"),
    ("business", "style"),
];

/// Returns the type of the first known category; otherwise the first category in lower case.
pub fn type_of(categories: &[String]) -> String {
    let of = |category: &String| {
        let known = TYPES.iter().find(|(word, _)| *word == category.trim().to_lowercase());
        known.map(|(_, kind)| (*kind).to_owned())
    };
    let own = || categories.first().map(|category| category.trim().to_lowercase());
    categories.iter().find_map(of).or_else(own).unwrap_or_else(|| GENERAL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row() {
        let check = |categories: &[&str], expect: &str| {
            let categories: Vec<String> = categories.iter().map(ToString::to_string).collect();
            assert_eq!(type_of(&categories), expect, "{categories:?}");
        };
        check(&["escalation"], "escalation");
        check(&["notification"], "notification");
        check(&["notifications"], "notification");
        check(&["workflow"], "workflow");
        check(&["automation"], "workflow");
        check(&["communication"], "style");
        check(&["business"], "style");
        check(&["Tea", "Business", "escalation"], "style");
        check(&["Tea", "coffee"], "tea");
        check(&[], "general");
    }
}
