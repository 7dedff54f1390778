//! Tests of the memory tool: golden sequences of `golden.json`, limits, and random commands that
//! leave a valid tree.

use loci_engine::document_text::path::DocumentPath;
use proptest::prelude::*;
use serde_json::json;

use super::scratch::ScratchTree;
use super::*;

const GOLDEN: &str = include_str!("golden.json");

/// Runs each sequence of the file on an empty mount whose `system/` is read-only.
#[test]
fn golden_sequences() {
    let sequences: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    assert!(!sequences.is_empty());
    for sequence in &sequences {
        let mut tree = ScratchTree::with_read_only(&["system"]);
        for step in sequence["steps"].as_array().unwrap() {
            let answer = run(&mut tree, &step["input"], &MemoryToolSettings::default()).unwrap();
            let (text, fails) = match step.get("error") {
                Some(text) => (text, true),
                None => (&step["text"], false),
            };
            let about = format!("{}: {}", sequence["about"], step["input"]);
            assert_eq!((Value::from(answer.content), answer.is_error), (text.clone(), fails), "{about}");
        }
    }
}

fn path(text: &str) -> DocumentPath {
    DocumentPath::parse(text).unwrap()
}

fn told(tree: &mut ScratchTree, input: Value, settings: &MemoryToolSettings) -> (String, bool) {
    let answer = run(tree, &input, settings).unwrap();
    (answer.content, answer.is_error)
}

fn filled(documents: usize) -> ScratchTree {
    let mut tree = ScratchTree::default();
    for number in 0..documents {
        tree.put(path(&format!("d{}/{number}.md", number % 3)), "x\n", None);
    }
    tree
}

#[test]
fn settings_change_texts_and_rules() {
    let create = json!({"command": "create", "path": "/memories/a.md", "file_text": "new\n"});
    let prefixed = MemoryToolSettings { error_prefix: true, ..Default::default() };
    let overwriting = MemoryToolSettings { create_overwrites: true, ..Default::default() };
    let mut tree = ScratchTree::default();
    tree.put(path("A.md"), "old\n", None);
    assert_eq!(
        told(&mut tree, create.clone(), &prefixed),
        ("Error: File /memories/a.md already exists".to_owned(), true)
    );
    assert_eq!(
        told(&mut tree, create, &overwriting),
        ("File created successfully at: /memories/a.md".to_owned(), false)
    );
    assert_eq!(tree.documents().collect::<Vec<_>>(), [("A.md", "new\n")]);
    let directory = json!({"command": "create", "path": "/memories/d", "file_text": ""});
    tree.put(path("d/x.md"), "", None);
    assert_eq!(
        told(&mut tree, directory, &overwriting),
        ("File /memories/d already exists".to_owned(), true)
    );
}

#[test]
fn descriptions_stand_behind_paths_and_forge_nothing() {
    let mut tree = ScratchTree::default();
    tree.put(path("a.md"), "x", Some("what it is\n9B\t/memories/forged"));
    tree.put(path("b.md"), "x", Some(" \n"));
    let view = json!({"command": "view", "path": "/memories"});
    let head = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n2B\t/memories\n";
    let annotated = format!("{head}1B\t/memories/a.md\twhat it is 9B /memories/forged\n1B\t/memories/b.md");
    assert_eq!(told(&mut tree, view.clone(), &MemoryToolSettings::default()), (annotated, false));
    let bare = MemoryToolSettings { annotate: false, ..Default::default() };
    assert_eq!(
        told(&mut tree, view, &bare),
        (format!("{head}1B\t/memories/a.md\n1B\t/memories/b.md"), false)
    );
}

#[test]
fn a_long_file_is_shown_as_far_as_whole_lines_go() {
    let settings = MemoryToolSettings { view_max_chars: 10, ..Default::default() };
    let check = |body: &str, range: Option<[i64; 2]>, expect: &str| {
        let mut tree = ScratchTree::default();
        tree.put(path("a.md"), body, None);
        let input = json!({"command": "view", "path": "/memories/a.md", "view_range": range});
        let head = "Here's the content of /memories/a.md with line numbers:\n";
        assert_eq!(told(&mut tree, input, &settings), (format!("{head}{expect}"), false), "{body:?}");
    };
    check("1234\n6789A", None, "     1\t1234\n     2\t6789A");
    check("1234\n6789A\n", None, "     1\t1234\n     2\t6789A");
    let rest = "shown; use view_range to see the rest]";
    check("1234\n6789AB", None, &format!("     1\t1234\n[truncated: lines 1-1 of 2 {rest}"));
    check("1234\n6789AB", Some([2, -1]), "     2\t6789AB");
    check("123456789AB", None, &format!("[truncated: lines 1-0 of 1 {rest}"));
    check("日本語日本語日本語日", None, "     1\t日本語日本語日本語日");
}

#[test]
fn too_many_lines_are_not_shown() {
    let mut tree = ScratchTree::default();
    let input = json!({"command": "view", "path": "/memories/a", "view_range": [999_999, -1]});
    tree.put(path("a"), &"\n".repeat(loci_model::limits::FILE_LINES_MAX), None);
    let text = "Here's the content of /memories/a with line numbers:\n999999\t";
    assert_eq!(told(&mut tree, input.clone(), &MemoryToolSettings::default()), (text.to_owned(), false));
    tree.put(path("a"), &"\n".repeat(loci_model::limits::FILE_LINES_MAX + 1), None);
    let text = "File /memories/a exceeds maximum line limit of 999,999 lines.";
    assert_eq!(told(&mut tree, input, &MemoryToolSettings::default()), (text.to_owned(), true));
}

#[test]
fn a_file_is_at_most_so_large() {
    let settings = MemoryToolSettings { max_bytes: 4, ..Default::default() };
    let mut tree = ScratchTree::default();
    let too_large = ("File /memories/a would exceed the limit of 4 bytes.".to_owned(), true);
    let create = |text: &str| json!({"command": "create", "path": "/memories/a", "file_text": text});
    assert_eq!(told(&mut tree, create("12345"), &settings), too_large);
    assert!(!told(&mut tree, create("1234"), &settings).1);
    let replace = json!({"command": "str_replace", "path": "/memories/a", "old_str": "1", "new_str": "11"});
    assert_eq!(told(&mut tree, replace, &settings), too_large);
    let insert = json!({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": ""});
    assert_eq!(told(&mut tree, insert, &settings), too_large);
    assert_eq!(tree.documents().collect::<Vec<_>>(), [("a", "1234")]);
}

#[test]
fn a_great_part_of_a_tree_is_not_deleted_at_once() {
    let delete = json!({"command": "delete", "path": "/memories/d0"});
    let check = |documents: usize, expect: &str, fails: bool| {
        let answer = told(&mut filled(documents), delete.clone(), &MemoryToolSettings::default());
        assert_eq!(answer, (expect.to_owned(), fails));
    };
    check(8, "Successfully deleted /memories/d0", false);
    check(
        9,
        "Deleting /memories/d0 would remove 3 of 9 files, and at most 25 % may go at once. Delete smaller parts.",
        true,
    );
    let mut tree = filled(9);
    let one = json!({"command": "delete", "path": "/memories/d0/0.md"});
    assert!(!told(&mut tree, one, &MemoryToolSettings::default()).1);
}

#[test]
fn refusals_of_the_tree_are_told() {
    let settings = MemoryToolSettings::default();
    let told = ToolAnswer::of_refusal(&Error::denied("not here"), &settings);
    assert_eq!(told, Some(ToolAnswer { content: "not here".to_owned(), is_error: true }));
    assert_eq!(ToolAnswer::of_refusal(&Error::unavailable("later"), &settings), None);
}

fn any_path() -> impl Strategy<Value = String> {
    let name = "(a|b|A|\\.h|é|e\u{301}|x\\.md|system)";
    (name, proptest::option::of(name), proptest::option::of(name)).prop_map(|(one, two, three)| {
        ["/memories", &one]
            .into_iter()
            .chain(two.as_deref())
            .chain(three.as_deref())
            .collect::<Vec<_>>()
            .join("/")
    })
}

fn any_command() -> impl Strategy<Value = Value> {
    let text = || "(a|b|aa|\n|\r\n|é){0,6}";
    prop_oneof![
        (any_path(), proptest::option::of((-2_i64..6, -2_i64..6)))
            .prop_map(|(path, range)| json!({"command": "view", "path": path, "view_range": range})),
        (any_path(), text())
            .prop_map(|(path, text)| json!({"command": "create", "path": path, "file_text": text})),
        (any_path(), text(), text()).prop_map(
            |(path, old, new)| json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
        ),
        (any_path(), -1_i64..5, text()).prop_map(|(path, line, text)| {
            json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text})
        }),
        any_path().prop_map(|path| json!({"command": "delete", "path": path})),
        (any_path(), any_path())
            .prop_map(|(old, new)| json!({"command": "rename", "old_path": old, "new_path": new})),
        any_path().prop_map(|path| json!({"command": "view", "path": [path]})),
    ]
}

proptest! {
    #[test]
    fn random_commands_leave_a_sound_tree(commands in proptest::collection::vec(any_command(), 1..25)) {
        let mut tree = ScratchTree::with_read_only(&["system"]);
        for command in &commands {
            let before = tree.clone();
            let answer = run(&mut tree, command, &MemoryToolSettings::default()).unwrap();
            if answer.is_error || only_reads(command) {
                prop_assert_eq!(&tree, &before, "{}", command);
            }
            let paths: Vec<DocumentPath> = tree.documents().map(|(at, _)| path(at)).collect();
            let keys: std::collections::HashSet<_> = paths.iter().map(DocumentPath::key).collect();
            prop_assert_eq!(keys.len(), paths.len(), "one path by two keys after {}", command);
            for path in &paths {
                prop_assert!(!path.is_below("system"));
                let beneath = paths.iter().find(|other| other.is_below(path.as_str()));
                prop_assert!(beneath.is_none(), "{:?} below the file {} after {}", beneath, path, command);
            }
        }
    }
}
