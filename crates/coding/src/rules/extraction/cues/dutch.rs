//! Cues of Dutch.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "nl",
    verbs: "",
    told_by: LanguageMark::Words(
        "het een van niet en dat wij voor met op aan bij naar om deze dit ook als altijd nooit graag geen gebruiken gebruik moet moeten wordt worden hier waarom dan maar alle elke nieuwe vermijd zijn heeft je nog project plaats",
    ),
    leaders: r"^(?:(?:nit|opmerking|algemene opmerking|let op|ter info|herinnering|kleinigheid|ps)\s*[:,]+\s*|(?:trouwens|ook|en|maar|ja|nee|ok|bedankt|graag)[,:]?\s+)",
    clauses: r"[,(:]\s*(?:want|omdat|en|maar)?\s*((?:we (?:gebruiken|vermijden|willen)|wij|in dit project|altijd|nooit|geen)\b)",
    takes_back: r"^(?:laat maar|vergeet het|mijn fout|toch niet)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue(
        "disagrees",
        Stops(Disagreement),
        r"\b(?:niet mee eens|denk niet|vind niet|niet overtuigd|niet nodig|overdreven|hoeven we niet)\b",
    ),
    cue(
        "prefers for oneself",
        Stops(Opinion),
        r"\b(?:persoonlijk|ik (?:zou|vind|gebruik|denk)|kwestie van smaak|volgens mij|misschien|zou (?:fijn|mooi|beter|leuk)|we kunnen|we zouden|optioneel|mag ook)\b",
    ),
    cue(
        "praises",
        Stops(Praise),
        r"^(?:heel |erg )*(?:mooi|goed|top|super|bedankt|dank|netjes|prima|lgtm|ziet er goed)\b",
    ),
    cue(
        "tells what was done",
        Stops(Status),
        r"^(?:gedaan|klaar|opgelost|aangepast|gewijzigd|heb |toegevoegd|verwijderd|hernoemd|eens)\b",
    ),
    cue(
        "misses something",
        Stops(OneOff),
        r"\b(?:niet meer (?:gebruikt|nodig)|ontbreekt|mist|typefout|tikfout|overbodig)\b",
    ),
    cue("requests", Requests, r"^(?:kun|kunnen|kan|zou|zouden)\b"),
    cue("always, never", Orders(2), r"\b(?:altijd|nooit|steeds|uitsluitend)\b")
        .unless(r"\b(?:is|wordt|geeft|was) (?:\S+ )?(?:altijd|nooit)\b|\baltijd (?:null|leeg|nog)\b"),
    cue(
        "we do",
        Orders(1),
        r"\b(?:we|wij) (?:gebruiken|schrijven|zetten|houden|volgen|willen|noemen|proberen)\b",
    ),
    cue("we do not", Orders(2), r"\b(?:we|wij) .{0,50}\b(?:geen|nooit|niet|alleen|vermijden)\b")
        .unless(r"\b(?:we|wij) (?:hebben|weten|kunnen)\b"),
    cue("avoid, prefer", Orders(2), r"^(?:vermijd\w*|voorkom|prefereer|geef de voorkeur)\b|\bte vermijden\b"),
    cue("no such things", Orders(2), r"^geen \S+").unless(r"^geen (?:probleem|idee)\b"),
    cue(
        "use one instead of the other",
        Orders(2),
        r"\b(?:gebruik\w*|neem|schrijf)\b.{2,80}\b(?:in plaats van|boven)\b",
    ),
    cue("things should", Orders(2), r"^(?:\S+ ){1,4}(?:moeten|mogen|horen|hoeven|beginnen)\b")
        .unless(r"^(?:we|wij|ze|zij|de|deze|hier|dan|jullie)\b"),
    cue("should", Orders(0), r"\b(?:moet|moeten|mag|mogen|hoort|graag|verboden|verplicht)\b"),
    cue(
        "general",
        General(2),
        r"\b(?:elke?|iedere?|alle (?:nieuwe )?[a-z]+|in het algemeen|over het algemeen|meestal|normaal gesproken|volgens (?:de|onze) (?:conventie|stijlgids|richtlijnen?)|conventie|voortaan|in de toekomst|vanaf nu|volgende keer|in (?:dit|ons|het hele) (?:project|repo|code)|in deze codebase|overal|bij ons|vuistregel|wanneer je)\b",
    ),
    cue(
        "here",
        Local(3),
        r"\b(?:hier|regels? \d+|hierboven|hieronder|deze [a-z\u{e000}]+|dit [a-z\u{e000}]+|die [a-z]+)\b",
    )
    .unless(r"\bin dit project\b|\bin deze (?:codebase|repo|module)\b"),
    cue("it", Local(3), r"^(?:dit|dat|het|deze|die)\b"),
    cue("changes one place", Local(2), r"^(?:verwijder|hernoem|verplaats|haal|wijzig|vervang)\b")
        .unless(r"\b(?:altijd|elke)\b"),
];
