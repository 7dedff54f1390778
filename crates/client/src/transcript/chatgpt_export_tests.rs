//! Tests of `chatgpt-export` on conversations written for them.

use super::super::test_reading::check;
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
fn a_bad_conversation_is_an_error_and_the_next_is_read() {
    check(
        ChatgptExport,
        r#"[{"mapping":{}},
{"id":"c","mapping":[]},
{"id":"c","mapping":{"a":{"parent":"b"},"b":{"parent":"a"}},"current_node":"a"},
{"id":"c","mapping":{},"current_node":"gone"},
{"id":"c","mapping":{"a":{"message":{"content":{}}}}},
{"id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":"x"}}}}},
{"id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"create_time":"noon","content":{"content_type":"text","parts":["x"]}}}}},
{"id":},
{"id":"c","mapping":{}},
{"id":"c","mapping":{"a":{"message":{"author":{"role":"critic"},"content":{"content_type":"text","parts":["fine"]}}}}}"#,
        r#"1 error: `id` is required
2 error: `mapping` is an object
3 error: the path of a conversation leads to its root; here it is a circle
4 error: the path of a conversation leads to its root; here it names a node that is not there
5 error: `author` is an object
6 error: `content.parts` is an array
7 error: `create_time` is a time
8 error: this is not JSON (at column 7)
10.0 c OTHER "fine"
10 error: the JSON ends too early
skipped nothing"#,
    );
}
