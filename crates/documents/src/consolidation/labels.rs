//! Documents that consist of lines `label: value` under headings. Two such documents contradict
//! each other if a label has different values.

use super::normal_form;

/// A labelled line with its heading.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    heading: String,
    label: String,
    value: String,
}

/// The maximum number of characters of a label. A longer text before a colon is a sentence.
const LABEL_CHARS_MAX: usize = 40;

/// Returns the labelled lines of a document. `None` if the document contains other lines.
pub(super) fn of(title: Option<&str>, body: &str) -> Option<Vec<Labelled>> {
    let mut heading = normal_form::line(title.unwrap_or_default());
    let mut all = Vec::new();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') {
            heading = normal_form::line(line);
            continue;
        }
        let bare = normal_form::line(line);
        let (label, value) = bare.split_once(": ")?;
        let (label, value) = (label.trim(), value.trim().trim_end_matches('.'));
        let is_label = !label.is_empty() && label.chars().count() <= LABEL_CHARS_MAX && !label.contains(". ");
        if !is_label || value.is_empty() {
            return None;
        }
        all.push(Labelled { heading: heading.clone(), label: label.to_owned(), value: value.to_owned() });
    }
    (!all.is_empty()).then_some(all)
}

/// Returns true if the newer document contains every label of the older one, at least one with
/// another value.
pub(super) fn renews(new: &[Labelled], old: &[Labelled]) -> bool {
    let is_once = |all: &[Labelled]| {
        all.iter().enumerate().all(|(at, one)| {
            !all.iter().skip(at + 1).any(|other| other.heading == one.heading && other.label == one.label)
        })
    };
    let value = |one: &Labelled| {
        new.iter()
            .find(|other| other.heading == one.heading && other.label == one.label)
            .map(|other| &other.value)
    };
    is_once(new)
        && is_once(old)
        && old.iter().all(|one| value(one).is_some())
        && old.iter().any(|one| value(one) != Some(&one.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_values() {
        let check = |old: &str, new: &str, expect: bool| {
            let found = of(None, old).zip(of(None, new)).is_some_and(|(old, new)| renews(&new, &old));
            assert_eq!(found, expect, "{old:?} {new:?}");
        };
        check("Theme: dark", "Theme: light", true);
        check(
            "# Editor\n- Theme: dark\n- Font: Mono",
            "# Editor\n- theme: light\n- Font: Mono\n- Size: 12",
            true,
        );
        check("# Editor\n- Theme: dark", "# Terminal\n- Theme: light", false);
        check("- Theme: dark\n- Font: Mono", "- Theme: light", false);
        check("Theme: dark", "Theme: dark.", false);
        check("Theme: dark\nWhatever.", "Theme: light", false);
        check("- Likes: tea\n- Likes: milk", "- Likes: tea", false);
        check("http://a: b", "no label here", false);
    }
}
