//! Tests of `speaker-text` on conversations written for them.

use super::super::transcript_text::check;
use crate::transcript::TranscriptFormat::SpeakerText;

#[test]
fn sessions_speakers_times_and_continuations() {
    check(
        SpeakerText,
        "# exported by hand

User: hello
Assistant:  Hi.

Two things:
  First: indented, so no speaker
http://example.org: no speaker
Note: no speaker
# a heading inside a turn

# session kitchen [2026-01-02T10:00:00Z]
Anna Berg: Who is coming?
[2026-01-02T10:03:00Z] ben: me, this has no capital
[2026-01-02T10:04:00Z] Ben O'Hara: I am.
Jean-Luc:
AI: noted
# session attic 2026-01-03
tool: 21 degrees
System: The door was opened.
# session cellar
Anna: dark here
",
        r##"3.0 transcript USER "hello"
4.0 transcript ASSISTANT "Hi.\n\nTwo things:\n  First: indented, so no speaker\nhttp://example.org: no speaker\nNote: no speaker\n# a heading inside a turn"
13.0 kitchen @1767348000000 USER(Anna Berg) "Who is coming?\n[2026-01-02T10:03:00Z] ben: me, this has no capital"
15.0 kitchen @1767348240000 USER(Ben O'Hara) "I am."
17.0 kitchen @1767348000000 ASSISTANT "noted"
19.0 attic @1767398400000 TOOL "21 degrees"
20.0 attic @1767398400000 OTHER "The door was opened."
22.0 cellar USER(Anna) "dark here"
skipped 1 empty (first at line 16), 1 comment (first at line 1)"##,
    );
}

#[test]
fn named_speakers_are_the_only_ones() {
    check(
        SpeakerText,
        "# speakers: ben, Anna of the North Side\nben: buy:\nMilk: two\nUser: no speaker here\nAnna of the North Side: ok\n",
        r#"2.0 transcript USER(ben) "buy:\nMilk: two\nUser: no speaker here"
5.0 transcript USER(Anna of the North Side) "ok"
skipped nothing"#,
    );
}

#[test]
fn a_bad_line_is_an_error_and_the_next_turn_is_read() {
    check(
        SpeakerText,
        "once upon a time
there was a line
User: one
# session
User: two
and more
# session a/b
# session ok tomorrow
# session ok 2026-01-02 10:00
# session fine
[noon] User: three
and its continuation
User: four
",
        r#"1 error: a turn begins with `speaker: text`
3.0 transcript USER "one"
4 error: a session id is 1 to 100 letters, digits, `-` and `_`, and begins with a letter or a digit
5 error: a turn belongs to a session, and the header of this one could not be read
7 error: a session id is 1 to 100 letters, digits, `-` and `_`, and begins with a letter or a digit
8 error: a session header is `# session NAME` and at most one time
9 error: a session header is `# session NAME` and at most one time
11 error: the time in brackets is RFC 3339 or a date
13.0 fine USER "four"
skipped nothing"#,
    );
}
