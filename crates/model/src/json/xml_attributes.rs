//! The number of attributes in XML, counted in one pass. A parser that builds a tree compares each
//! attribute and namespace of an element with all others of that element. So Loci counts them first
//! and rejects text from outside with more than [`XML_ATTRIBUTES_MAX`].
//!
//! This module does not validate XML: the parser rejects malformed text. Where the two could
//! disagree on the kind of a part, the parser stops earlier.
//!
//! [`XML_ATTRIBUTES_MAX`]: crate::limits::XML_ATTRIBUTES_MAX

/// Sections that hold no tags, and their ends.
const PARTS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// Returns the number of attributes of all elements, including namespaces.
pub fn xml_attributes(text: &str) -> usize {
    let mut count = 0;
    let mut rest = text;
    while let Some(tag) = rest.find('<').and_then(|at| rest.get(at..)) {
        if let Some((start, end)) = PARTS.iter().find(|(start, _)| tag.starts_with(start)) {
            let inner = tag.get(start.len()..).unwrap_or_default();
            let Some((_, after)) = inner.split_once(end) else { return count };
            rest = after;
            continue;
        }
        let (more, after) = of_tag(tag);
        count += more;
        rest = after;
    }
    count
}

/// Returns the number of attributes of the tag at the beginning of a text, and the text after it.
fn of_tag(tag: &str) -> (usize, &str) {
    let mut count = 0;
    let mut rest = tag;
    while let Some((at, sign)) = rest.char_indices().find(|(_, c)| matches!(c, '>' | '"' | '\'')) {
        rest = rest.get(at + 1..).unwrap_or_default();
        if sign == '>' {
            return (count, rest);
        }
        count += 1;
        rest = rest.split_once(sign).map_or("", |(_, after)| after);
    }
    (count, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted() {
        let check = |text: &str, expect: usize| assert_eq!(xml_attributes(text), expect, "{text}");
        check("", 0);
        check("no < tags", 0);
        check("<a><b>x=\"y\"</b></a>", 0);
        check("<a xmlns='n' b=\"c\"/><d e=''></d>", 3);
        check("<?xml version=\"1.0\"?><a b = '>' c='\"'/>", 2);
        check("<!-- <a b='c'> --><a/><![CDATA[<a b='c'>]]><a b='c'/>", 1);
        check("<a b='c' d='", 2);
        check("<!-- <a b='c'", 0);
        check("<!DOCTYPE a [<!ENTITY b 'c'>]><a d='e'/>", 2);
    }
}
