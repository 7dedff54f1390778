//! Categories of preferences, from a small list of words per category.
//!
//! They serve readers and the index; they decide nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Category of text without a listed word.
const OTHER: &str = "general";
/// Maximum number of categories of one preference.
const CATEGORIES_MAX: usize = 3;

/// Categories with the words that indicate them.
const WORDS: [(&str, &str); 12] = [
    (
        "food and eating",
        "food eat eating meal restaurant breakfast lunch dinner snack cook cooking recipe cuisine dish sushi tuna fish \
         pizza pasta rice bread cheese meat chicken beef pork egg salad soup fruit apple banana vegetable olive tomato \
         chocolate dessert cake cookie spicy sweet vegetarian vegan pescatarian halal kosher gluten lactose peanut nut \
         allergic allergy diet curry taco burger noodle ramen",
    ),
    ("drinks", "drink coffee tea espresso beer wine whisky cocktail juice water milk soda"),
    (
        "technology",
        "python java rust javascript typescript golang ruby kotlin swift haskell c++ vim emacs neovim vscode ide editor \
         code coding programming program developer software framework library database sql linux windows mac macos \
         terminal shell git docker kubernetes api tab indentation dark light mode theme keyboard laptop phone android \
         iphone app browser test unittest pytest lint type typing",
    ),
    (
        "communication",
        "answer reply respond response explain explanation concise short brief detail detailed bullet tone formal \
         informal language english german french spanish email call name pronoun summary example emoji metric unit",
    ),
    (
        "travel",
        "travel trip flight fly airline seat aisle window hotel hostel airbnb train car drive beach mountain city \
         vacation holiday journey abroad passport",
    ),
    ("music", "music song album band concert jazz rock pop techno classical guitar piano cello violin sing"),
    (
        "entertainment",
        "film movie cinema series show tv book novel read reading author podcast game gaming chess comedy horror \
         thriller documentary anime",
    ),
    (
        "sports and outdoors",
        "sport run running marathon gym yoga swim swimming hike hiking climb climbing bike cycling football soccer \
         tennis basketball ski skiing surf walk outdoor camping garden",
    ),
    ("work", "work job office remote meeting team manager deadline project career startup company"),
    ("time", "morning evening night afternoon weekend monday friday schedule early late hour"),
    (
        "style and home",
        "colour color blue green red black white yellow clothes shirt shoe fashion home house furniture decor",
    ),
    ("people and animals", "dog cat pet animal family friend child kid bird horse"),
];

static CATEGORY_OF: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (category, words) in WORDS {
        for term in loci_text::terms(words) {
            map.entry(term).or_insert(category);
        }
    }
    map
});

/// Returns the categories of a preference, most frequent first; at least one.
pub fn categories(text: &str) -> Vec<&'static str> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for term in loci_text::terms(text) {
        let Some(category) = CATEGORY_OF.get(&term) else { continue };
        match counts.iter_mut().find(|(known, _)| known == category) {
            Some((_, count)) => *count += 1,
            None => counts.push((category, 1)),
        }
    }
    // The sort is stable: of equally frequent categories, the first mentioned wins.
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut found: Vec<_> = counts.into_iter().map(|(category, _)| category).take(CATEGORIES_MAX).collect();
    if found.is_empty() {
        found.push(OTHER);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell() {
        for (text, expect) in [
            ("I like sushi with tuna", vec!["food and eating"]),
            ("I prefer dark mode in my editor", vec!["technology"]),
            ("I drink tea at breakfast and coffee at work", vec!["drinks", "food and eating", "work"]),
            ("I enjoy silence", vec!["general"]),
            ("", vec!["general"]),
        ] {
            assert_eq!(categories(text), expect, "{text}");
        }
    }
}
