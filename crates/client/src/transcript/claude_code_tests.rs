//! Tests of `claude-code-jsonl` on lines written for them.

use super::super::transcript_text::check;
use crate::transcript::TranscriptFormat::ClaudeCodeJsonl;

#[test]
fn a_session_with_tools_is_read_in_order() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"summary","summary":"Fixing the clock","leafUuid":"u9"}
{"type":"file-history-snapshot","messageId":"m","snapshot":{}}
{"type":"user","sessionId":"s-1","timestamp":"2026-01-02T10:00:00.500Z","cwd":"/code/clock","gitBranch":"main","message":{"role":"user","content":"Why is the clock late?"}}

{"type":"assistant","sessionId":"s-1","timestamp":"2026-01-02T10:00:04Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"t1","name":"Read","input":{"path":"clock.rs"}}]}}
{"type":"user","sessionId":"s-1","timestamp":"2026-01-02T10:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"fn tick() {}"},{"type":"image","source":{}}]}]}}
{"type":"user","sessionId":"s-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"again"},{"type":"image","source":{}},{"type":"text","text":"See the picture."}]}}
{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"hologram"},{"type":"tool_use","id":"t2","name":"Bash"}]}}
{"type":"user","sessionId":"s-1","message":{"content":[{"type":"tool_result","tool_use_id":"t2"}]}}
"#,
        r#"3.0 s-1 @1767348000500 USER "Why is the clock late?" {"cwd":"/code/clock","gitBranch":"main"}
5.0 s-1 @1767348004000 ASSISTANT "Let me look."
5.1 s-1 @1767348004000 ASSISTANT json {"tool_call":{"tool":"Read","input":{"path":"clock.rs"}}}
6.0 s-1 @1767348005000 TOOL(Read) "fn tick() {}"
7.0 s-1 TOOL "again"
7.1 s-1 USER "See the picture."
8.0 s-1 ASSISTANT json {"tool_call":{"tool":"Bash","input":null}}
skipped 1 summary (first at line 1), 1 bookkeeping (first at line 2), 1 thinking (first at line 5), 2 attachment (first at line 6), 1 empty (first at line 9), 1 unknown_content (first at line 8)"#,
    );
}

#[test]
fn what_nobody_said_is_counted() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"user","sessionId":"s","isMeta":true,"message":{"content":"context"}}
{"type":"assistant","sessionId":"s","isSidechain":true,"message":{"content":[]}}
{"type":"user","sessionId":"s","isCompactSummary":true,"message":{"content":"so far"}}
{"type":"assistant","sessionId":"s","isApiErrorMessage":true,"message":{"content":"overloaded"}}
{"type":"system","sessionId":"s","content":"hook ran"}
{"type":"user","sessionId":"s","message":{"content":"<command-name>/clear</command-name>\n<command-args></command-args>"}}
{"type":"user","sessionId":"s","message":{"content":"<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 12, please</command-args>"}}
{"type":"user","sessionId":"s","message":{"content":"<local-command-stdout>ok</local-command-stdout>"}}
{"type":"user","sessionId":"s","message":{"content":[{"type":"text","text":"[Request interrupted by user]"},{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":" "}]}}
{"type":"assistant","sessionId":"s","message":{"content":[]}}"#,
        r#"7.0 s USER "/fix issue 12, please"
skipped 1 summary (first at line 3), 1 bookkeeping (first at line 9), 2 meta (first at line 1), 1 sidechain (first at line 2), 2 local_command (first at line 6), 1 service_error (first at line 4), 1 system (first at line 5), 2 empty (first at line 9)"#,
    );
}

#[test]
fn what_was_typed_while_a_tool_ran_is_said_once() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"user","sessionId":"s","message":{"content":"Run the suite."}}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","timestamp":"2026-01-02T10:00:00Z","content":"Never touch billing."}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Ask Priya first."}
{"type":"queue-operation","operation":"remove","sessionId":"s"}
{"type":"attachment","sessionId":"s","attachment":{"type":"queued_command","prompt":"Never touch billing.","commandMode":"prompt"}}
{"type":"attachment","sessionId":"s","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"Use tabs."}]}}
{"type":"attachment","sessionId":"s","attachment":{"type":"queued_command","prompt":"<task-notification>done</task-notification>","commandMode":"task-notification"}}
{"type":"attachment","sessionId":"s","attachment":{"type":"todo_reminder","content":[]}}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Draft, taken back."}
{"type":"queue-operation","operation":"popAll","sessionId":"s"}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Never handed over."}
{"type":"queue-operation","operation":"dequeue","sessionId":"s"}
{"type":"user","sessionId":"s","message":{"content":"Ask Priya first."}}"#,
        r#"1.0 s USER "Run the suite."
5.0 s USER "Never touch billing."
6.0 s USER "Use tabs."
7.0 s OTHER "<task-notification>done</task-notification>"
13.0 s USER "Ask Priya first."
11.0 s USER "Never handed over."
skipped 5 bookkeeping (first at line 4), 2 taken_back (first at line 3)"#,
    );
}

#[test]
fn what_was_taken_back_was_not_said() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Delete the old branch."}
{"type":"queue-operation","operation":"remove","sessionId":"s"}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"First of two."}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Second of two."}
{"type":"queue-operation","operation":"remove","sessionId":"s","content":"Second of two.","reason":"pulled_back"}
{"type":"user","sessionId":"s","message":{"content":"First of two."}}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Use the replica."}
{"type":"queue-operation","operation":"remove","sessionId":"s","content":"Use the replica.","reason":"absorbed_mid_turn"}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"One."}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"Other."}
{"type":"queue-operation","operation":"remove","sessionId":"s"}
{"type":"attachment","sessionId":"s","attachment":{"type":"queued_command","prompt":"Other.","commandMode":"prompt"}}"#,
        r#"6.0 s USER "First of two."
12.0 s USER "Other."
7.0 s USER "Use the replica."
9.0 s USER "One."
skipped 6 bookkeeping (first at line 2), 2 taken_back (first at line 1)"#,
    );
}

#[test]
fn a_short_prompt_is_not_handed_over_by_words_that_hold_it() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"stop"}
{"type":"assistant","sessionId":"s","message":{"content":[{"type":"text","text":"I'll stop the server."}]}}
{"type":"user","sessionId":"s","message":{"content":"Do not stopover."}}"#,
        r#"2.0 s ASSISTANT "I'll stop the server."
3.0 s USER "Do not stopover."
1.0 s USER "stop"
skipped nothing"#,
    );
}

#[test]
fn what_the_program_wrote_is_never_the_users() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"user","sessionId":"s","origin":{"kind":"task-notification"},"message":{"content":"<task-notification>make is done</task-notification>"}}
{"type":"user","sessionId":"s","message":{"content":"<bash-input>ls</bash-input>"}}
{"type":"user","sessionId":"s","message":{"content":"<bash-stdout>a.rs</bash-stdout><bash-stderr></bash-stderr>"}}
{"type":"user","sessionId":"s","sourceToolUseID":"t","message":{"content":[{"type":"text","text":"Base directory for this skill: /x"}]}}
{"type":"user","sessionId":"s","origin":{"kind":"human"},"message":{"content":[{"type":"text","text":"Fix it.\n<system-reminder>x</system-reminder>"}]}}
{"type":"user","sessionId":"s","message":{"content":"What is <system-reminder> for?"}}
{"type":"assistant","sessionId":"s","message":{"content":[{"type":"text","text":"<bash-input>ls</bash-input>"}]}}"#,
        r#"1.0 s OTHER "<task-notification>make is done</task-notification>"
2.0 s TOOL(bash) "$ ls"
3.0 s TOOL(bash) "a.rs"
5.0 s USER "Fix it."
6.0 s USER "What is <system-reminder> for?"
7.0 s ASSISTANT "<bash-input>ls</bash-input>"
skipped 2 meta (first at line 4), 1 empty (first at line 3)"#,
    );
}

#[test]
fn half_a_letter_costs_no_line() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done \ud83d"}]}}
{"type":"user","sessionId":"s","message":{"content":"ship it \ud83d\ude80 \ude80"}}"#,
        "1.0 s TOOL \"done \u{fffd}\"
2.0 s USER \"ship it 🚀 \u{fffd}\"
skipped nothing
repaired 2",
    );
}

#[test]
fn a_bad_line_is_an_error_and_the_next_is_read() {
    check(
        ClaudeCodeJsonl,
        r#"{"type":"user","sessionId":"s","message":{"content":"secret
[1]
{"sessionId":"s"}
{"type":"user","message":{"content":"x"}}
{"type":"user","sessionId":"a b","message":{"content":"x"}}
{"type":"user","sessionId":"s","timestamp":"noon","message":{"content":"x"}}
{"type":"user","sessionId":"s"}
{"type":"user","sessionId":"s","message":{"content":7}}
{"type":"user","sessionId":"s","message":{"content":[{"type":"text","text":"kept beside it"},"bare"]}}
{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":{}}]}}
{"type":"user","sessionId":"s","message":{"content":"still here"}}"#,
        r#"1 error: the JSON ends too early (at column 59)
2 error: each line is one JSON object
3 error: `type` is required
4 error: `sessionId` is required
5 error: a session id is 1 to 100 letters, digits, `-` and `_`, and begins with a letter or a digit
6 error: `timestamp` is a time
7 error: `message` is an object
8 error: `message.content` is a string or an array of blocks
9 error: `message.content[]` is an object
9.0 s USER "kept beside it"
10 error: `tool_result.content` is a string or an array of blocks
11.0 s USER "still here"
skipped nothing"#,
    );
}
