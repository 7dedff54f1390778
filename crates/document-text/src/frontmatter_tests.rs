//! Tests of frontmatter: the accepted and the rejected inputs, the written form, and the round
//! trip.

use proptest::prelude::*;

use super::*;

fn described(description: &str, title: &str) -> Frontmatter {
    let mut frontmatter = Frontmatter::default();
    frontmatter.set("description", Value::of(description));
    frontmatter.set("title", Value::of(title));
    frontmatter
}

#[test]
fn a_file_in_its_parts() {
    let check = |file: &str, lines: Option<&str>, body: &str| {
        let parted = parse(file).unwrap();
        assert_eq!(parted.frontmatter.as_ref().map(Frontmatter::lines).as_deref(), lines, "{file:?}");
        assert_eq!(parted.body, body, "{file:?}");
    };
    check("---\ndescription: \"d\"\n---\n\nbody\n", Some("description: \"d\"\n"), "body\n");
    check("---\ndescription: d\n---\nbody", Some("description: \"d\"\n"), "body");
    check(
        "---\r\ndescription: d\r\n---\r\n\r\nbody\r\nmore\r\n",
        Some("description: \"d\"\n"),
        "body\r\nmore\r\n",
    );
    check("\u{feff}---\ndescription: d\n---\n\n\nbody", Some("description: \"d\"\n"), "\nbody");
    check("---\na: 1\n---", Some("a: 1\n"), "");
    check("---\n---\n\n---\n", Some(""), "---\n");
    check("---\n# only a comment\n---\nx", Some(""), "x");
    for plain in
        ["", "body", "\u{feff}body", "--- \na: 1\n---\n", "----\n", " ---\n", "text\n---\na: 1\n---\n"]
    {
        check(plain, None, plain);
    }
}

#[test]
fn what_is_refused() {
    let check = |block: &str, expect: FrontmatterFault| {
        assert_eq!(parse(&format!("---\n{block}---\nbody")), Err(expect), "{block:?}");
    };
    let duplicate = |key: &str| FrontmatterFault::DuplicateKey(key.to_owned());
    check("a: &x 1\n", FrontmatterFault::Anchor);
    check("a: &x [1]\nb: *x\n", FrontmatterFault::Anchor);
    check("a: !!str 1\n", FrontmatterFault::Tag);
    check("a: !own {b: 1}\n", FrontmatterFault::Tag);
    check("<<: {a: 1}\n", FrontmatterFault::Merge);
    check("a: 1\na: 2\n", duplicate("a"));
    check("a: 1\n\"a\": 2\n", duplicate("a"));
    check("t: {x: 1, x: 2}\n", duplicate("x"));
    check("--- \na: 1\n", FrontmatterFault::Documents);
    check("a: 1\n...\n--- \nb: 2\n", FrontmatterFault::Documents);
    check("- a\n", FrontmatterFault::NotATable);
    check("just text\n", FrontmatterFault::NotATable);
    check("? [a]\n: 1\n", FrontmatterFault::ComplexKey);
    check("title: [a]\n", FrontmatterFault::NotText("title".to_owned()));
    check("a: [[[[[1]]]]]\n", FrontmatterFault::TooDeep);
    check(
        &format!("a: {}\n", "x".repeat(loci_model::limits::FRONTMATTER_BYTES_MAX)),
        FrontmatterFault::TooLarge,
    );
    // Within the limit as it stands, above it as written.
    check(&format!("a: |\n  \"\n{}", "\n".repeat(5_000) + "  x\n"), FrontmatterFault::TooLarge);
    for broken in ["a: [1\n", "a: \"x\n", "a: b: c\n", "{a: 1\n"] {
        let fault = parse(&format!("---\n{broken}---\n")).unwrap_err();
        assert!(matches!(fault, FrontmatterFault::NotYaml(_)), "{broken:?} {fault:?}");
        assert!(fault.to_string().starts_with("The frontmatter is not read: it is not YAML ("));
    }
    assert_eq!(parse("---\na: 1\n"), Err(FrontmatterFault::Unclosed));
    assert_eq!(parse("---"), Err(FrontmatterFault::Unclosed));
}

#[test]
fn limits_hold_at_the_limit_and_not_one_past_it() {
    let block =
        |bytes: usize| format!("a: \"{}\"\n", "x".repeat(bytes - "a: \"\"\n".len()).replacen('x', "!", 1));
    let whole = block(loci_model::limits::FRONTMATTER_BYTES_MAX);
    assert_eq!(whole.len(), loci_model::limits::FRONTMATTER_BYTES_MAX);
    assert!(parse(&format!("---\n{whole}---\n")).is_ok());
    let over = block(loci_model::limits::FRONTMATTER_BYTES_MAX + 1);
    assert_eq!(parse(&format!("---\n{over}---\n")), Err(FrontmatterFault::TooLarge));
    assert!(parse("---\na: [[[[1]]]]\n---\n").is_ok());
}

/// The three classic corruptions of handwritten parsers: a fence, a line end and quotes inside a
/// description.
#[test]
fn a_description_may_hold_anything() {
    let check = |description: &str, line: &str| {
        let frontmatter = described(description, "T");
        let file = frontmatter.render("body\n");
        assert_eq!(file, format!("---\ndescription: {line}\ntitle: \"T\"\n---\n\nbody\n"));
        assert_eq!(parse(&file), Ok(Parted { frontmatter: Some(frontmatter), body: "body\n" }));
    };
    check("before\n---\nafter", r#""before\n---\nafter""#);
    check("two\nlines\r\n", r#""two\nlines\r\n""#);
    check(r#"says "no": 'never' \ #x"#, r#""says \"no\": 'never' \\ #x""#);
    check("", "\"\"");
    check("true", "\"true\"");
    check("nel\u{85} ls\u{2028} bom\u{feff} nul\0", r#""nel\u0085 ls\u2028 bom\ufeff nul\u0000""#);
}

#[test]
fn unknown_keys_stay_where_they_are() {
    let file = concat!(
        "---\nowner: alice\nversion: 1.10\ndescription: \"d\"\nempty:\nnested:\n  list:\n    - a b\n    - \"x: y\"\n    - 007\n",
        "  \"odd key\": ~\nnone: []\nnothing: {}\npinned: true\n---\n\nbody"
    );
    let mut frontmatter = parse(file).unwrap().frontmatter.unwrap();
    assert_eq!(frontmatter.render("body"), file);
    let keys: Vec<&str> = frontmatter.unknown().map(|(key, _)| key).collect();
    assert_eq!(keys, ["owner", "version", "empty", "nested", "none", "nothing"]);
    assert_eq!(frontmatter.get("pinned").and_then(Value::bool), Some(true));
    frontmatter.set("description", Value::of("new"));
    frontmatter.remove("none");
    assert_eq!(frontmatter.render("body"), file.replace("\"d\"", "\"new\"").replace("none: []\n", ""));
}

#[test]
fn lists_of_lists_and_of_tables() {
    let check = |block: &str| {
        let first = parse(block).unwrap().frontmatter.unwrap();
        let written = first.render("");
        assert_eq!(parse(&written).unwrap().frontmatter.unwrap(), first, "{written}");
    };
    check("---\na: [[1, [x]], {b: 1, c: [2]}, [], {}]\n---\n");
    check("---\na:\n- b: 1\n  c: 2\n- - x\n  - y\n---\n");
    check("---\nfolded: >\n  one\n  two\n\n  three\nkept: |+\n  x\n\n\nplain: some\n  more\n---\n");
    check("---\nu: \"\\u00e9\\x41\\/\"\ns: 'it''s'\nt: http://x/y#z\n'': empty\n? key\n: value\n---\n");
}

#[test]
fn a_number_as_a_title_is_its_spelling() {
    let frontmatter = parse("---\ntitle: 1.10\ndescription: null\n---\n").unwrap().frontmatter.unwrap();
    assert_eq!((frontmatter.text("title"), frontmatter.text("description")), (Some("1.10"), None));
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::Text),
        "[ a-z:#'\"\\[\\]{},&*!|>%@`~?-]{0,12}".prop_map(Value::Text),
        "(0|[1-9][0-9]{0,3}|true|null|~|1\\.50|0x1f|\\.inf)".prop_map(Value::Literal),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map("[a-z :é\"-]{0,6}", inner, 0..4).prop_map(|table| {
                Value::Table(table.into_iter().map(|(key, value)| FrontmatterEntry { key, value }).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn reading_what_was_written_changes_nothing(
        title in any::<String>(),
        description in "(\\PC|\n|\r|---|\"|'|: | #){0,40}",
        more in proptest::collection::btree_map(any::<String>(), any_value(), 0..5),
        body in "(\\PC|\n|\r\n|---){0,60}",
    ) {
        let mut frontmatter = Frontmatter::default();
        frontmatter.set("description", Value::Text(description));
        for (key, value) in more {
            if !QUOTED_KEYS.contains(&key.as_str()) {
                frontmatter.set(&key, value);
            }
        }
        frontmatter.set("title", Value::Text(title));
        prop_assume!(frontmatter.fits());
        let file = frontmatter.render(&body);
        let parted = parse(&file);
        prop_assert_eq!(parted.as_ref().ok().and_then(|parted| parted.frontmatter.as_ref()), Some(&frontmatter), "{}", file);
        prop_assert_eq!(parted.map(|parted| parted.body), Ok(body.as_str()));
    }

    #[test]
    fn what_is_read_is_written_the_same_for_ever(block in "([a-c]{1,2}: |- |  |\\[|\\]|x|1|\"|'|#|\n|\\{|\\}|,|>|\\||&|\\*|!|%|\\?|é){0,40}") {
        if let Ok(Parted { frontmatter: Some(first), body }) = parse(&format!("---\n{block}\n---\n\nbody")) {
            let written = first.render(body);
            let again = parse(&written);
            prop_assert_eq!(again, Ok(Parted { frontmatter: Some(first), body }), "{:?} {:?}", block, written);
        }
    }

    #[test]
    fn any_file_is_read_or_refused(file in any::<String>(), block in any::<String>()) {
        let _ = parse(&file);
        let _ = parse(&format!("---\n{block}\n---\n"));
    }
}
