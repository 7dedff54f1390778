//! Tests of `chatgpt-export` on conversations written for them.

use super::super::transcript_text::check;
use crate::transcript::TranscriptFormat::ChatgptExport;

#[test]
fn the_branch_shown_last_is_read_from_its_root() {
    check(
        ChatgptExport,
        r#"[
{"title":"Tea","conversation_id":"c-1","current_node":"d","mapping":{
 "root":{"id":"root","message":null,"parent":null,"children":["sys"]},
 "sys":{"message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]}},"parent":"root","children":["a"]},
 "a":{"message":{"author":{"role":"user"},"create_time":1767348000.5,"content":{"content_type":"text","parts":["Which tea","in the evening?"]}},"parent":"sys","children":["b","c"]},
 "b":{"message":{"author":{"role":"assistant"},"create_time":1767348001,"content":{"content_type":"text","parts":["Black."]}},"parent":"a","children":[]},
 "d":{"message":{"author":{"role":"user"},"create_time":null,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"x"},"Like this one?"]}},"parent":"c","children":[]},
 "c":{"message":{"author":{"role":"assistant"},"create_time":1767348002,"content":{"content_type":"text","parts":["Rooibos."]},"recipient":"all"},"parent":"a","children":["d"]}
}},
{"id":"c-2","mapping":{
 "x":{"message":{"author":{"role":"user"},"create_time":5,"content":{"content_type":"text","parts":["2+2"]}},"children":["k"]},
 "k":{"message":{"author":{"role":"assistant"},"create_time":6,"recipient":"python","content":{"content_type":"code","text":"2+2"}},"parent":"x","children":["t"]},
 "t":{"message":{"author":{"role":"tool","name":"python"},"create_time":7,"content":{"content_type":"execution_output","text":"4"}},"parent":"k","children":["h"]},
 "h":{"message":{"author":{"role":"user"},"metadata":{"is_visually_hidden_from_conversation":true},"create_time":8,"content":{"content_type":"text","parts":["hidden"]}},"parent":"t","children":["r"]},
 "r":{"message":{"author":{"role":"assistant"},"create_time":9,"content":{"content_type":"thoughts","thoughts":[]}},"parent":"h","children":["e"]},
 "e":{"message":{"author":{"role":"assistant"},"create_time":10,"content":{"content_type":"text","parts":["  "]}},"parent":"r","children":["u"]},
 "u":{"message":{"author":{"role":"assistant"},"create_time":11,"content":{"content_type":"novelty"}},"parent":"e","children":[]}
}}
]"#,
        r#"2.0 c-1 @1767348000500 USER "Which tea\nin the evening?" {"title":"Tea"}
2.1 c-1 @1767348002000 ASSISTANT "Rooibos." {"title":"Tea"}
2.2 c-1 USER "Like this one?" {"title":"Tea"}
10.0 c-2 @5000 USER "2+2"
10.1 c-2 @6000 ASSISTANT json {"tool_call":{"tool":"python","input":"2+2"}}
10.2 c-2 @7000 TOOL(python) "4"
skipped 1 meta (first at line 10), 1 system (first at line 2), 1 thinking (first at line 10), 1 attachment (first at line 2), 1 other_branch (first at line 2), 1 empty (first at line 10), 1 unknown_content (first at line 10)"#,
    );
}

#[test]
fn a_bad_conversation_is_an_error_that_names_it_and_the_next_is_read() {
    check(
        ChatgptExport,
        r#"[{"title":"Tea","mapping":{}},
{"id":"c","title":"Rain","mapping":[]},
{"id":},
{"id":"c","mapping":{}},
{"id":"c","mapping":{"a":{"message":{"author":{"role":"critic"},"content":{"content_type":"text","parts":["fine"]}}}}}"#,
        r#"1 error: conversation 1 "Tea": `id` is required
2 error: conversation 2 "Rain" (c): `mapping` is an object
3 error: conversation 3: this is not JSON (at column 7)
5.0 c OTHER "fine"
5 error: conversation 6: the JSON ends too early
skipped nothing"#,
    );
}

#[test]
fn one_odd_message_costs_itself_alone() {
    let odd = |message: &str, expect: &str, skipped: &str| {
        let said = |text: &str| {
            format!(
                r#"{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["{text}"]}}}}"#
            )
        };
        let input = format!(
            r#"[{{"id":"c","title":"Pets","current_node":"z","mapping":{{"a":{{"message":{}}},"m":{{"message":{message},"parent":"a"}},"z":{{"message":{},"parent":"m"}}}}}}]"#,
            said("FIRST"),
            said("LAST")
        );
        let part = usize::from(expect.contains("1.1")) + 1;
        let middle = if expect.is_empty() { String::new() } else { format!("{expect}\n") };
        let expect = format!(
            "1.0 c USER \"FIRST\" {{\"title\":\"Pets\"}}\n{middle}1.{part} c USER \"LAST\" {{\"title\":\"Pets\"}}\nskipped {skipped}"
        );
        check(ChatgptExport, &input, &expect);
    };
    let empty = "1 empty (first at line 1)";
    let error = |rule: &str| format!("1 error: conversation 1 \"Pets\" (c), message m: {rule}");
    let kept = |text: &str| format!("1.1 c USER \"{text}\" {{\"title\":\"Pets\"}}");
    odd(r#"{"author":{"role":"user"},"content":{"content_type":"text","parts":null}}"#, "", empty);
    odd(r#"{"author":{"role":"user"},"content":null}"#, "", empty);
    odd(
        r#"{"author":null,"content":{"content_type":"text","parts":["x"]}}"#,
        &error("`author` is an object"),
        "nothing",
    );
    odd(r#"{"author":{"role":"user"},"content":[]}"#, &error("`content` is an object"), "nothing");
    odd(
        r#"{"author":{"role":"user"},"content":{"content_type":"text","parts":"x"}}"#,
        &error("`content.parts` is an array"),
        "nothing",
    );
    odd(
        r#"{"author":{"role":"user"},"metadata":null,"recipient":null,"content":{"parts":["x"]}}"#,
        &kept("x"),
        "nothing",
    );
    odd(
        r#"{"author":{"role":"user"},"create_time":"noon","content":{"content_type":"text","parts":["x"]}}"#,
        &kept("x"),
        "1 unreadable_time (first at line 1)",
    );
    odd(
        r#"{"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":[{"content_type":"image"},null,"y"]}}"#,
        &kept("y"),
        "1 attachment (first at line 1)",
    );
}

#[test]
fn a_broken_tree_is_read_as_far_as_it_leads() {
    check(
        ChatgptExport,
        r#"[{"id":"circle","mapping":{"a":{"parent":"b","message":{"author":{"role":"user"},"content":{"parts":["one"]}}},"b":{"parent":"a"}},"current_node":"a"},
{"id":"dangling","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["two"]}}}},"current_node":"gone"},
{"id":"rootless","mapping":{"a":{"parent":"gone","message":{"author":{"role":"user"},"content":{"parts":["three"]}}}},"current_node":"a"}]"#,
        r#"1.0 circle USER "one"
2.0 dangling USER "two"
3.0 rootless USER "three"
skipped 3 broken_tree (first at line 1)"#,
    );
}
