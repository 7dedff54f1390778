//! Cues of Korean.

use super::CueKind::{General, Local, Orders, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Question, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "ko",
    verbs: "",
    told_by: LanguageMark::Script(
        |c| matches!(u32::from(c), 0xac00..=0xd7a3 | 0x1100..=0x11ff | 0x3130..=0x318f),
    ),
    leaders: r"^(?:(?:nit|참고로|그리고|추가로|또한|사소하지만|일반적인 의견|fyi)[:,]?\s*)",
    clauses: r",\s*((?:저희는|우리는|이 프로젝트에서는|앞으로|항상|모든))",
    takes_back: r"^(?:아니에요|무시해|제가 잘못|취소)",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("asks", Stops(Question), r"[?]$|나요[.]?$|까요[.]?$|인가요|왜 "),
    cue("disagrees", Stops(Disagreement), r"동의하지|필요(?:는|가)? ?없|반대|과한|굳이|생각하지 않"),
    cue(
        "prefers for oneself",
        Stops(Opinion),
        r"개인적으로|취향|것 같(?:아요|습니다)|좋겠(?:어요|습니다|네요)|선택 ?사항|편하신|어떨까",
    ),
    cue(
        "praises",
        Stops(Praise),
        r"좋(?:네요|아요|습니다)[.! ]|훌륭|감사합니다|고맙|멋지|최고|깔끔|잘 (?:했|작성|하셨)",
    ),
    cue("tells what was done", Stops(Status), r"(?:했습니다|했어요|완료|반영했|수정했|고쳤)"),
    cue("misses something", Stops(OneOff), r"빠졌|누락|오타|사용되지 않|쓰이지 않|불필요"),
    cue(
        "please",
        Orders(1),
        r"(?:해|어|아|여) ?주세요|하세요|합니다|해야|바랍니다|합시다|됩니다|마세요|않습니다|세요",
    ),
    cue(
        "not allowed",
        Orders(2),
        r"지 (?:마세요|말아|않습니다|않아요|않도록|맙시다)|금지|안 됩니다|안됩니다|피해 ?주|피하|지양",
    ),
    cue("prefer", Orders(2), r"대신.{1,40}(?:사용|써|쓰)|보다.{1,30}(?:선호|우선)|권장|우선"),
    cue("always", General(2), r"항상|반드시|절대|늘|언제나|무조건|꼭"),
    cue("every", General(2), r"모든|매번|각 |마다|새로운|신규"),
    cue(
        "general",
        General(2),
        r"앞으로|다음부터|일반적으로|보통|원칙|규칙|컨벤션|가이드|관례|통일|(?:이|우리|저희) ?(?:프로젝트|저장소|레포|코드베이스|팀)|전체적으로|금지|피해|지양|권장|대신",
    ),
    cue(
        "here",
        Local(4),
        r"여기|이 (?:줄|함수|변수|메서드|클래스|파일|부분|코드|이름|테스트|조건)|위(?:의|에)|아래|\d+ ?번? ?(?:줄|라인)|해당",
    ),
    cue("changes one place", Local(2), r"(?:삭제|변경|이동|수정)해").unless(r"항상|반드시|모든|앞으로"),
    cue("for now", Local(3), r"일단|나중에|별도 ?pr|임시|언젠가"),
];
