//! Tests of text that equals the cited one but may have another meaning in its new place, on
//! repositories in memory.

use loci_model::facts::verdict::Verdict;

use super::step_tests::{after, place, shown};

/// Equal words do not always have equal meaning: text that may have another meaning is drifted,
/// other text is unchanged.
#[test]
fn equal_text_that_may_mean_something_else_is_drifted() {
    let py =
        "def total(items):\n    for item in items:\n        add(item)\n    return finish_sum(items, 2)\n";
    let own = |text: &str| format!("import os\n\n{text}");
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let make = "all_targets: one\n\techo building_all\n";
    let yaml = "server_cfg:\n  listen_port: 8080\nadmin_cfg:\n  tls_mode: strict\n";
    let rust = "fn total() {\n    let text = \"x  y\";\n    finish_sum(text, 2)\n}\n";
    let c = "int total(int items)\n{\n  int all = add_items(items);\n  return finish_sum(all, 2);\n}\n";
    let call = "x = finish_sum(first_item,\n    second_item,\n      third_item)\n";
    for (name, path, before, then, expect) in [
        (
            "deeper",
            "a.py",
            py,
            py.replace("    return", "        return"),
            "drifted in_place nested_otherwise",
        ),
        ("other width", "a.py", py, py.replace("    ", "  "), "valid in_place"),
        ("tabs", "a.py", py, py.replace("    ", "\t"), "valid in_place"),
        ("into a class", "a.py", py, format!("class C:\n{}", indented(py)), "valid moved"),
        ("brackets only", "a.py", call, call.replace("      third", "    third"), "valid in_place"),
        ("wrapped", "a.py", py, py.replace("(items, 2)", "(\n        items, 2)"), "valid reformatted"),
        (
            "wrapped deeper",
            "a.py",
            py,
            py.replace("    return finish_sum(items, 2)", "        return finish_sum(\n          items, 2)"),
            "drifted reformatted nested_otherwise",
        ),
        ("never run", "a.py", py, format!("if False:\n{}", indented(py)), "drifted moved not_code_any_more"),
        (
            "in a docstring",
            "a.py",
            py,
            format!("\"\"\"\n{py}\"\"\"\ndef total(items): return 0\n"),
            "drifted moved not_code_any_more",
        ),
        ("deeper in braces", "a.rs", rust, rust.replace("    finish", "        finish"), "valid in_place"),
        (
            "other space in a string",
            "a.rs",
            rust,
            rust.replace("x  y", "x y"),
            "drifted in_place string_changed",
        ),
        (
            "no space in a string",
            "a.rs",
            rust,
            rust.replace("x  y", "xy"),
            "drifted reformatted string_changed",
        ),
        ("space outside of strings", "a.rs", rust, rust.replace("text, 2", "text,  2"), "valid in_place"),
        (
            "in a comment",
            "a.c",
            c,
            format!("/*\n{c}*/\nint total(int items) {{ return 0; }}\n"),
            "drifted moved not_code_any_more",
        ),
        ("left out", "a.c", c, format!("#if 0\n{c}#endif\n"), "drifted moved not_code_any_more"),
        (
            "never run in braces",
            "a.c",
            c,
            format!("if (0) {{\n{}}}\n", indented(c)),
            "drifted moved not_code_any_more",
        ),
        ("under a comment", "a.c", c, format!("/* it's \"new */\n// don't /*\n{c}"), "valid moved"),
        (
            "tabs are commands",
            "Makefile",
            make,
            make.replace('\t', "    "),
            "drifted in_place nested_otherwise",
        ),
        ("another command", "Makefile", make, format!("{make}\techo more\n"), "valid in_place"),
        ("under another key", "a.yaml", yaml, yaml.replace("  tls_mode", "    tls_mode"), "valid in_place"),
        (
            "a key of the outside",
            "a.yaml",
            yaml,
            yaml.replace("  tls_mode", "tls_mode"),
            "drifted in_place nested_otherwise",
        ),
        (
            "all of it deeper",
            "a.yaml",
            yaml,
            format!("all:\n{}", indented(yaml)),
            "drifted moved nested_otherwise",
        ),
    ] {
        let lines = u32::try_from(before.lines().count()).unwrap();
        let (old, new) = (own(before), own(&then));
        let verdict = after(&[(path, &old)], &place(path, 3, lines + 2), &[(path, &new)]);
        let detail = verdict.detail.as_ref().map(|detail| format!(" {detail}")).unwrap_or_default();
        let found = format!("{} {}{detail}", verdict.verdict.as_str(), verdict.method.as_str());
        assert_eq!(found, expect, "{name}: {new}");
        let is_nested = expect.ends_with("nested_otherwise") && !expect.contains("reformatted");
        assert_eq!(verdict.reindented, is_nested, "{name}");
    }
}

/// A single line can come under another condition by its own indentation or by that of the
/// condition.
#[test]
fn what_decides_about_a_line_belongs_to_it() {
    let before = "def run(flag, other):\n    if flag:\n        audit_all_entries(flag)\n    delete_everything_there(flag)\n";
    for (from, to, expect) in [
        ("    delete", "        delete", Verdict::Drifted),
        ("    if flag:\n", "    if flag and other:\n", Verdict::Valid),
        ("def run(flag, other):", "def run(flag, other, third):", Verdict::Valid),
        ("        audit", "    audit", Verdict::Valid),
    ] {
        let then = before.replace(from, to);
        let verdict = after(&[("a.py", before)], &place("a.py", 4, 4), &[("a.py", &then)]);
        assert_eq!(verdict.verdict, expect, "{then}");
        assert_eq!(verdict.diff.is_some(), expect == Verdict::Drifted, "{then}");
    }
    let yaml = "one:\n  listen_port_here: 8080\ntwo:\n  other: 1\n";
    let then = "one:\ntwo:\n  listen_port_here: 8080\n  other: 1\n";
    let verdict = after(&[("a.yaml", yaml)], &place("a.yaml", 2, 2), &[("a.yaml", then)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
}

/// Code that remains only in a text, in a test sample or in a copy no longer runs.
#[test]
fn code_that_stands_in_a_file_of_another_kind_alone_is_drifted() {
    let code = "def handler_alpha(request):\n    limit_value = 10\n    check_limit(request, limit_value)\n    return respond_with(request)\n";
    let text = format!("# Removed\n\n{code}");
    let other = "unlike = 1\n";
    for (name, files, expect) in [
        ("a text", vec![("CHANGELOG.md", text.as_str())], "drifted CHANGELOG.md:3-6"),
        ("a sample", vec![("tests/fixtures/a.txt", code)], "drifted tests/fixtures/a.txt:1-4"),
        ("a copy", vec![("src/a.py.orig", code), ("src/a.py", other)], "gone "),
        ("a text and code", vec![("CHANGELOG.md", &text), ("z/lib.py", &text)], "valid z/lib.py:3-6"),
        ("code", vec![("lib/b.py", code)], "valid lib/b.py:1-4"),
    ] {
        let verdict = after(&[("src/a.py", code)], &place("src/a.py", 1, 4), &files);
        let at = verdict.found.map(|at| format!("{}:{}-{}", at.path, at.line_start, at.line_end));
        let found = format!("{} {}", verdict.verdict.as_str(), at.unwrap_or_default());
        assert_eq!(found, expect, "{name}");
        let is_drifted = verdict.verdict == Verdict::Drifted;
        assert_eq!(verdict.detail.is_some_and(|one| one == "other_kind_of_file"), is_drifted, "{name}");
    }
    let verdict = after(&[("README.md", code)], &place("README.md", 1, 4), &[("docs/x.md", code)]);
    assert_eq!(verdict.verdict, Verdict::Valid, "from a text to a text: {}", shown(&verdict));
}
