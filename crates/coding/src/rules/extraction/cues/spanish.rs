//! Cues of Spanish.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "es",
    verbs: "",
    told_by: LanguageMark::Words(
        "el los las una es en para con por favor que no se este esta proyecto siempre nunca del al lo y de la usa evita aquí todos todas cada debe deben puedes muy está como más cuando mejor nuestro usamos falta hay atrapes preferimos recuerda",
    ),
    leaders: r"^(?:(?:nit|nota|recordatorio|detalle|ojo|importante|comentario general|nota general|sugerencia|ps)\s*[:,]+\s*|(?:por cierto|además|también|y|pero|sí|no|ok|gracias|hola)[,:]\s+|(?:por favor|porfa|porfavor)[, ]+)",
    clauses: r"[,(:]\s*(?:porque|ya que|pues|y|pero)?\s*((?:(?:siempre|nunca|no) \S+|usamos|en este proyecto|por convención|evita\w*)\b)|\s(?:porque|ya que)\s+((?:siempre|nunca|en este proyecto|no usamos)\b)",
    takes_back: r"^(?:olvídalo|olvidalo|no importa|da igual|me equivoqué|error mío|retiro)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("disagrees", Stops(Disagreement), r"\b(?:no estoy (?:de acuerdo|seguro|segura|convencid[oa])|no creo|no veo|no hace falta|no es necesario|exagerado|discrepo|no tiene sentido|desde cuándo|no tenemos que)\b"),
    cue("prefers for oneself", Stops(Opinion), r"\b(?:personalmente|yo (?:prefiero|preferiría|usaría|haría|pondría|suelo|siempre|nunca)|cuestión de gustos?|en mi opinión|quizás?|tal vez|a lo mejor|estaría bien|sería (?:bueno|mejor|ideal)|podríamos|podrías|opcional|como prefieras|me parece|creo que)\b"),
    cue("praises", Stops(Praise), r"^[¡ ]*(?:muy )?(?:buen|buena|bien|bueno|genial|excelente|perfecto|gracias|me (?:encanta|gusta)|qué (?:bien|bueno)|fantástico|estupendo|se ve (?:bien|genial)|lgtm)\b"),
    cue("tells what was done", Stops(Status), r"^(?:listo|hecho|corregido|arreglado|ya (?:está|lo|quedó)|actualizado|cambiado|he |de acuerdo|resuelto|añadido|agregado|eliminado|renombrado|lo (?:cambio|arreglo))\b"),
    cue("misses something", Stops(OneOff), r"^(?:falta|faltan|aquí falta|sobra|error tipográfico|typo|sin (?:problema|cambios))\b|\b(?:nunca|no|ya no) se (?:llama|usa|utiliza|ejecuta)\b"),
    cue("requests", Requests, r"^[¿ ]*(?:puedes|podrías|pueden|podrían|podemos|podríamos)\b"),
    cue("always, never", Orders(2), r"\b(?:siempre|nunca|jamás|obligatoriamente)\b").unless(r"\b(?:es|está|son|devuelve|retorna|falla|se) (?:siempre|nunca)\b|\b(?:siempre|nunca) (?:es|está|devuelve|retorna|falla|se (?:llama|ejecuta|usa)|null|será)\b"),
    cue("always, never do", General(1), r"^(?:siempre|nunca) \S+|\bsiempre en\b|\b(?:usa|usad|usen|use) siempre\b"),
    cue("we do", Orders(1), r"\b(?:usamos|utilizamos|ponemos|escribimos|seguimos|mantenemos|preferimos|evitamos|solemos|nombramos|hacemos|guardamos|dejamos|intentamos|queremos|tratamos de)\b"),
    cue("we do not", Orders(2), r"\bno (?:usamos|utilizamos|ponemos|escribimos|hacemos|permitimos|queremos|dejamos|subimos|mezclamos)\b|\b(?:evitamos|preferimos)\b"),
    cue("avoid, prefer", Orders(2), r"^(?:evita\w*|prefier[ae]\w*|preferir|evitemos|procura\w* (?:evitar|no))\b|\b(?:hay que evitar|es mejor (?:preferir|evitar|usar)|mejor (?:evitar|usar)|debemos evitar)\b"),
    cue("do not", Orders(2), r"^no (?:uses?|usen|usar|dejes?|dejen|dejar|pongas?|pongan|escribas?|captures?|lances?|hagas?|mezcles?|agregues?|añadas?|olvides?|subas?|modifiques?|mutes?|abuses?|repitas?|accedas?|importes?|exportes?|devuelvas?|ignores?)\b|^(?:nada de|sin|prohibido)\b"),
    cue("use one instead of the other", Orders(2), r"\b(?:usa\w*|use|usen|utiliza\w*|utilice\w*|emplea\w*)\b.{2,80}\b(?:en lugar de|en vez de|en lugar del)\b"),
    cue("things should", Orders(2), r"^(?:los|las|nuestros|nuestras|todos los|todas las) .{3,60}\b(?:deben|deberían|tienen que|han de|necesitan|no deben|no deberían|no pueden|empiezan|comienzan)\b").unless(r"^(?:los|las) (?:dos|tres|tests (?:deben|deberían) pasar|otr[oa]s)\b"),
    cue("things are", Orders(1), r"\b(?:los|las) .{3,50}\b(?:van|son|se (?:escriben|nombran|ponen|guardan|llaman)|siguen|llevan|usan)\b"),
    cue("should", Orders(0), r"\b(?:debe|deben|debería|deberían|hay que|tiene que|tienen que|necesita|necesitan|asegúrate|asegúrense|recuerda|recuerden|está prohibido|obligatorio)\b"),
    cue("is not allowed", Orders(2), r"\b(?:está|están|es|son) (?:\S+ ){0,2}(?:prohibid[oa]s?|obligatori[oa]s?|desaconsejad[oa]s?)\b"),
    cue("an order", Orders(0), r"^(?:usa|usad|usen|use|utiliza|añade|agrega|pon|escribe|mantén|nombra|recuerda|asegúrate|documenta|cierra|separa|sigue|prueba)\b"),
    cue("general", General(2), r"\b(?:cada|todos los|todas las|todo (?:el código|nuevo|endpoint)|toda (?:función|clase|tabla|migración)|en general|generalmente|por lo general|normalmente|por convención|convenci[oó]n\w*|en (?:el )?futuro|de ahora en adelante|a partir de ahora|la próxima vez|en (?:este|el|nuestro|todo el) (?:proyecto|repo|repositorio|código|equipo)|en esta base de código|guía de estilo|regla|buenas? prácticas?|en todas partes|cuando (?:agregues|añadas|crees|se agrega|se añad\w+)|siempre que)\b").unless(r"\b(?:todos los|todas las) (?:llamadas|tests (?:pasan|están)|usos)\b"),
    cue("here", Local(3), r"\b(?:aquí|acá|líneas? \d+|arriba|abajo|est[ea] [a-záéíóúñ\u{e000}]+|est[oa]s [a-záéíóúñ]+|es[ea] [a-záéíóúñ]+)\b").unless(r"\b(?:en|de) est[ea] (?:proyecto|repo|repositorio|base|módulo|paquete|equipo)\b|\beste tipo de\b"),
    cue("it", Local(3), r"^(?:esto|eso|debería|debe|es|está|lo|ese|esa)\b").unless(r"^es (?:mejor|preferible|obligatorio|una convención)\b|^está prohibido\b"),
    cue("the one", Local(2), r"^(?:el|la) [a-záéíóúñ\u{e000}]+ (?:debe|debería|no debe|está|es)\b|\b(?:el|la) (?:segund[oa]|primer[oa]?|últim[oa]|nuev[oa]|viej[oa])\b"),
    cue("changes one place", Local(2), r"^(?:quita|elimina|borra|renombra|mueve|cambia|corrige|reemplaza|saca)\w*\b").unless(r"\b(?:siempre|cada|todo|toda)\b"),
    cue("speaks of a possible future", Local(4), r"\b(?:futuro|adelante|más tarde)\b.*\b(?:podríamos|podría|quizás|tal vez)\b|\bpodría\w*\b.*\bfuturo\b"),
];
